"""Wrong words to `skill` end in one line, and nobody is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from phases.alone import INPUTS_LIMIT
from tests.conftest import Night
from tests.skill_command.turns import BULL, MANAGER, Say, turns_of

TAKES = "research-manager takes evidence, rounds, statements, claims, question, ticker"


def _with(file: Path, **changes: Any) -> str:
    found = {**json.loads(file.read_text()), **changes}
    return json.dumps({key: value for key, value in found.items() if value != "(absent)"})


WRONG: dict[str, tuple[tuple[object, ...], str, tuple[str, ...]]] = {
    "unknown skill": (("research-debat",), "{}", ("'research-debat' is no skill; did you mean research-debate?",)),
    "a folder": (("../research-debate",), "{}", ("is no skill", "skills: debate-critic")),
    "a guide": (("run-debate",), "{}", ("'run-debate' is for an agent to follow; no phase asks it",)),
    "another role": (
        ("research-debate", "--role", "bear", "--round", 1),
        _with(BULL),
        ('--role bear differs from role "bull" in the inputs',),
    ),
    "another round": (
        ("research-debate", "--role", "bull", "--round", 2),
        _with(BULL),
        ("--round 2 differs from round_number 1 in the inputs",),
    ),
    "no such role": (
        ("research-debate", "--role", "judge"),
        _with(BULL, role="(absent)"),
        ('/role: "judge" must be one of "bull", "bear"',),
    ),
    "round 0": (("research-debate", "--round", 0), _with(BULL, round_number="(absent)"), ("/round_number: 0", "1")),
    "round 1.5": (("research-debate", "--round", "1.5"), _with(BULL), ("--round", "integer")),
    "a role for a manager": (
        ("research-manager", "--role", "bull"),
        _with(MANAGER),
        ("leave it out; research-manager has none", "research-debate"),
    ),
    "a round for a manager": (
        ("research-manager", "--round", 1),
        _with(MANAGER),
        ("leave it out; research-manager has none", "research-debate"),
    ),
    "unknown input": (
        ("research-manager",),
        _with(MANAGER, evidnce=[]),
        ("unknown input 'evidnce'; did you mean evidence?", TAKES),
    ),
    "missing inputs": (
        ("research-manager",),
        _with(MANAGER, evidence="(absent)", claims="(absent)"),
        ("evidence, claims is missing", TAKES),
    ),
    "missing role": (
        ("research-debate",),
        _with(BULL, role="(absent)"),
        ("role is missing; give it there or with --role (research-debate takes bias_row, evidence",),
    ),
    "a null that must be there": (("research-manager",), _with(MANAGER, ticker=None), ("/ticker: null",)),
    "a whole turn of show": (
        ("research-manager",),
        json.dumps({"skill": "research-manager", "inputs": json.loads(MANAGER.read_text())}),
        ("unknown input 'skill'", TAKES),
    ),
    "a word for a number": (
        ("research-debate",),
        _with(BULL, round_number="1"),
        ('/round_number: "1"', "whole number"),
    ),
    "true for a number": (
        ("research-debate", "--round", 1),
        _with(BULL, round_number=True),
        ("/round_number: true must be a whole number",),
    ),
    "many problems": (
        ("research-manager",),
        _with(MANAGER, claims=[1] * 9),
        ("/claims/0: 1 must be an object", "; and 6 more"),
    ),
    "nothing": (("research-manager",), "", ("--inputs: not JSON",)),
    "prose": (("research-manager",), "Please argue.", ("--inputs: not JSON",)),
    "NaN": (("research-manager",), '{"ticker": NaN}', ("NaN is not a JSON number",)),
    "infinity": (("research-manager",), '{"ticker": -Infinity}', ("-Infinity is not a JSON number",)),
    "too large a number": (("research-manager",), '{"ticker": 1e999}', ("too large",)),
    "a key twice": (("research-manager",), '{"ticker": "A", "ticker": "B"}', ("the key 'ticker' stands twice",)),
    "half a pair": (("research-manager",), '{"ticker": "\\ud800"}', ("half of a surrogate pair",)),
    "NUL": (("research-manager",), '{"ticker": "\\u0000"}', ("NUL",)),
    "deep": (("research-manager",), '{"a":' * 100 + "1" + "}" * 100, ("nested deeper than 64",)),
    "a megabyte": (("research-debate",), _with(BULL, focus="x" * 1_000_000), ("characters; at most 524288",)),
    "a list": (("research-manager",), "[]", ("must be one JSON object", TAKES)),
    "a word": (("research-manager",), '"bull"', ("must be one JSON object", TAKES)),
    "an escape in a key": (("research-manager",), '{"\\u001b[31m": 1}', ("unknown input",)),
    "a config that is not there": (("research-manager", "--config", "nope.yaml"), _with(MANAGER), ("nope.yaml",)),
    "an unknown key": (("research-manager", "--set", "debat.rounds=2"), _with(MANAGER), ("did you mean debate",)),
    "an unknown protocol": (("research-debate", "--set", "debate.protocol=nope"), _with(BULL), ("nope", "rounds")),
    "no model": (("research-manager", "--set", "models=x"), _with(MANAGER), ("models",)),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_words_end_in_one_line_and_ask_nobody(say: Say, tmp_path: Path, name: str) -> None:
    words, given, parts = WRONG[name]
    told = say("skill", *words, "--inputs", "-", "--out", tmp_path / "out", stdin=given)
    assert told.code == 2
    assert [part for part in parts if part not in told.error] == [], told.error
    assert len(told.error) < 1000 and "\x1b" not in told.error
    assert [one.name for one in tmp_path.iterdir()] == ["here"]


def test_an_analyst_judges_its_own_axis(say: Say, nights: Night, tmp_path: Path) -> None:
    given = next(turn.inputs for turn in turns_of(nights, tmp_path / "spare") if turn.seat == "sentiment")
    told = say("skill", "technical-analyst", "--inputs", "-", stdin=json.dumps(given))
    assert told.code == 2
    assert "axis 'sentiment' is judged by sentiment-analyst, not by technical-analyst" in told.error


def test_inputs_must_be_a_readable_file(say: Say, tmp_path: Path) -> None:
    for given, part in ((tmp_path / "nope.json", "No such file"), (tmp_path, "Is a directory")):
        told = say("skill", "research-manager", "--inputs", given)
        assert told.code == 2 and part in told.error
    assert "not UTF-8" in say("skill", "research-manager", "--inputs", "-", stdin=b"\xff\xfe{").error
    told = say("skill", "research-manager")
    assert told.code == 2 and "--inputs" in told.error


def test_the_limit_of_inputs_is_far_above_what_a_night_sends(nights: Night, tmp_path: Path) -> None:
    longest = max(len(json.dumps(turn.inputs)) for turn in turns_of(nights, tmp_path / "spare"))
    assert longest * 20 < INPUTS_LIMIT


def test_a_broken_store_can_be_gone_on_with_by_the_same_command(say: Say, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "rebuttal.db").write_bytes(b"no database at all" * 100)
    told = say("skill", "research-debate", "--inputs", BULL, "--out", tmp_path / "out")
    assert told.code == 4
    assert told.error.endswith("resumable with the same command")
