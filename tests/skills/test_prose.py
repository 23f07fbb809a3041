"""What the prose of a skill says: rules, limits and field names are those of its contracts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from phases.analyst_payload import AXES
from phases.core.skills import Rendered, Skill, render
from phases.maths.lean import LEANS, NEUTRAL
from schemas.base import Model, Role
from schemas.debate import DebateRound, OpenPoint
from schemas.generate import json_schema, wire_text
from tests.skills.asked import SKILLS, Asked, contract_of, debate_inputs
from tests.skills.bindings import BINDINGS, MATERIAL_RULE, Binding

CLAIM_ID = re.compile(r"(bull|bear)\.[0-9]+(\.c[0-9]+)?|c[0-9]+")


def _prose(skill: Skill) -> str:
    """The body without its examples, on one line."""
    return " ".join(re.sub(r"```json\n.*?\n```", "", skill.body, flags=re.DOTALL).split())


def _prompt(skill: Skill, asked: Asked) -> Rendered:
    return render(skill, asked.inputs, returns=contract_of(skill), require=asked.require)


def _nodes(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Every object inside a schema, the schema included."""
    if isinstance(schema, dict):
        yield schema
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from _nodes(part)


def _words(model: type[Model]) -> set[str]:
    """Every field name and every fixed word of a contract."""
    found: set[str] = set()
    for node in _nodes(json_schema(model)):
        for key in ("properties", "enum"):
            options = node.get(key, ())
            found |= {word for word in options if isinstance(word, str)}
        if isinstance(node.get("const"), str):
            found.add(node["const"])
    return found


def test_every_binding_has_its_skill() -> None:
    assert set(BINDINGS) <= set(SKILLS)


def test_limits_in_prose_are_limits_of_the_contract(skill: Skill) -> None:
    limits = {node["maxLength"] for node in _nodes(json_schema(contract_of(skill))) if "maxLength" in node}
    said = {int(number) for number in re.findall(r"([0-9]+) characters", _prose(skill))}
    assert said <= limits
    assert bool(said) == bool(limits)


def test_marked_words_exist(skill: Skill, binding: Binding) -> None:
    known = _words(contract_of(skill)) | set(LEANS) | set(NEUTRAL)
    known |= {word for asked in binding.asked for word in _words(type(asked.inputs))}
    marked = set(re.findall(r"`([^`]+)`", _prose(skill)))
    commands = {word for word in marked if word.startswith("python run_pipeline.py ")}
    unknown = {word for word in marked - known - commands if not CLAIM_ID.fullmatch(word)}
    assert not unknown


@pytest.mark.parametrize("axis", AXES)
def test_axis_skill_names_only_what_its_axis_reads(axis: Any) -> None:
    named = set(re.findall(r"\b(?:px|macro|fa|news)\.[a-z0-9_]+", SKILLS[AXES[axis].skill].body))
    assert named and all(AXES[axis].allows(one) for one in named)
    assert named - {"news.i1"} <= LEANS.keys() | NEUTRAL.keys()


def test_prompt_states_each_rule_and_ends_with_the_schema(skill: Skill, binding: Binding) -> None:
    for asked in binding.asked:
        prompt = _prompt(skill, asked)
        said = " ".join(prompt.text.split())
        absent = [rule for rule in (MATERIAL_RULE, *binding.rules) if rule not in said]
        assert not absent
        assert prompt.text.endswith(wire_text(contract_of(skill), asked.require))


def test_sides_share_everything_but_the_last_part() -> None:
    skill = SKILLS["research-debate"]
    seen = {
        "prior_rounds": (DebateRound(round_number=1, bull_argument="Bullish.", bear_argument="Bearish."),),
        "open_points": (OpenPoint(id="bull.1.c1", text="A claim.", evidence=("px.excess_63d",)),),
    }
    sides: tuple[Role, Role] = ("bull", "bear")
    bull, bear = (
        render(skill, debate_inputs(side, 2, **seen), returns=contract_of(skill), require=("claims",)) for side in sides
    )
    assert bull.system == bear.system
    assert bull.parts[:-1] == bear.parts[:-1]
    assert bull.parts[-1] != bear.parts[-1]
    assert bull.parts[-1].replace('"role":"bull"', '"role":"bear"', 1) == bear.parts[-1]
