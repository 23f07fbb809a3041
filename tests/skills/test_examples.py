"""The examples a skill gives: as many as ways to ask it, valid, and of the form they teach."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from phases.core.reading import read
from phases.core.skills import Skill
from schemas.validation import problems
from tests.skills.asked import BUNDLE, SKILLS, THIRD_ROUND, contract_of, examples_of
from tests.skills.bindings import BINDINGS, Binding


def test_a_skill_has_an_example_for_each_way_it_is_asked(skill: Skill, binding: Binding) -> None:
    assert len(examples_of(skill)) == len(binding.asked)


def test_example_fits_the_contract(skill: Skill) -> None:
    for example in examples_of(skill):
        assert problems(contract_of(skill), example) == ()


def test_example_passes_the_checks_of_its_phase(skill: Skill, binding: Binding) -> None:
    for example, asked in zip(examples_of(skill), binding.asked, strict=True):
        said = read(
            json.dumps(example),
            "end_turn",
            returns=contract_of(skill),
            require=asked.require,
            inputs=asked.inputs,
            checks=asked.checks,
            last=False,
        )
        assert (said.outcome, said.errors, said.flags) == ("ACCEPT", (), ())


def test_debate_examples_have_the_form_they_ask_for() -> None:
    for example, word in zip(examples_of(SKILLS["research-debate"]), ("bullish", "bearish"), strict=True):
        sentences = re.split(r"(?<=[.!?])\s+", example["argument"].strip())
        assert 3 <= len(sentences) <= 5
        assert f"{word} on {example['ticker']}" in sentences[-1]
        assert isinstance(example["acknowledged"], dict)


def test_debate_examples_are_an_opening_with_claims_and_a_later_round_with_moves() -> None:
    opening, later = examples_of(SKILLS["research-debate"])
    assert "bear" not in opening["argument"].lower()
    assert 1 <= len(opening["claims"]) <= 3
    assert "moves" not in opening
    assert [move["target"] for move in later["moves"]] == [one.id for one in THIRD_ROUND.open_points or ()]
    assert {move["kind"] for move in later["moves"]} == {"conceded", "rebutted", "carried"}
    assert "claims" not in later


def _texts(value: Any) -> Iterator[str]:
    """Every text inside a value."""
    if isinstance(value, str):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(part)


@pytest.mark.parametrize("name", sorted(set(BINDINGS) - {"macro-bias", "news-reader"}))
def test_numbers_of_an_example_stand_in_the_evidence(name: str) -> None:
    text = " ".join(_texts(examples_of(SKILLS[name])))
    text = re.sub(r"[a-z]+\.[a-z0-9_]+(\.c[0-9]+)?|[0-9]+[ -]sessions?|that of [0-9]+|\bc[0-9]+", "", text)
    values = [abs(one.value) for one in BUNDLE if isinstance(one.value, int | float)]
    for number in re.findall(r"[0-9]+(?:\.[0-9]+)?", text):
        assert any(float(number) in (round(value, 4), round(100 * value, 2)) for value in values), number
