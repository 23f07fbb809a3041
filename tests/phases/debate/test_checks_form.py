"""Checks on the form of a turn: a lapse is asked again once, then flagged."""

from __future__ import annotations

import json

import pytest

from phases.debate.checks.form import sides_stated
from schemas.debate import DebateRoundContribution
from tests.phases.debate.judged import FIRST, LATER, LOOP, MOVED, OPEN, OPENING, first, judged, later


def test_clean_turns_pass_untouched() -> None:
    for said, inputs, step in ((OPEN, FIRST, OPENING), (MOVED, LATER, LOOP)):
        found = judged(said, inputs, step, last=False)
        assert (found.outcome, found.errors, found.flags, found.dropped) == ("ACCEPT", (), (), ())
        assert found.record == DebateRoundContribution.model_validate_json(json.dumps(said))


FORM = [
    ("One sentence, and I am bullish.", "sentences", "has 1 sentences; give 3 to 5"),
    ("It leads. It runs. It holds. It gains. It lasts. I am bullish on ACME.", "sentences", "has 6 sentences"),
    ("# Case\nIt leads. It is strong. I am bullish.", "layout", "heading or a list"),
    ("- It leads.\n- It is strong.\nThe market helps. I am bullish.", "layout", "heading or a list"),
    ("1. It leads.\n2. It is strong.\nThe market helps. I am bullish.", "layout", "heading or a list"),
    ("It leads. It is strong. The market helps.", "stance", "does not restate the bull's stance"),
    ("It leads. My opponent overlooks that. It is strong. I am bullish.", "opponent", "nobody else has spoken"),
    ("It leads. The bear's case ignores that. It is strong. I am bullish.", "opponent", "nobody else has spoken"),
    ('It leads. They say "the lead will surely vanish". It is strong. I am bullish.', "strawman", "nobody wrote"),
]


@pytest.mark.parametrize(("argument", "flag", "words"), FORM)
def test_a_lapse_of_form_is_asked_again_and_then_flagged(argument: str, flag: str, words: str) -> None:
    again = judged(first(argument=argument), last=False)
    assert again.outcome == "RETRY"
    assert words in " ".join(again.errors)
    found = judged(first(argument=argument))
    assert (found.outcome, found.record.argument) == ("ACCEPT", argument)
    assert flag in found.flags


CLEAN = [
    "It leads by 6.4 percent. This is no bear market. The U.S. helps, e.g. in breadth. I am bullish on ACME.",
    "It leads. It is strong vs. the index. The market helps. The bull case stands and I stay bullish on ACME.",
    "It leads. The bear market of the past is over. It is strong. ACME is a buy.",
]


@pytest.mark.parametrize("argument", CLEAN)
def test_tricky_but_clean_form_passes(argument: str) -> None:
    assert judged(first(argument=argument), last=False).outcome == "ACCEPT"


@pytest.mark.parametrize("last", ["I recommend selling it.", "So I am bearish on ACME.", "I am no longer bullish."])
def test_an_argument_that_ends_on_the_other_side_is_void(last: str) -> None:
    said = first(argument=f"It leads. It is strong. The market helps. {last}")
    assert judged(said, last=False).outcome == "RETRY"
    found = judged(said)
    assert found.outcome == "QUARANTINE"
    assert "argues the bear's side; you are the bull" in found.errors[0]


@pytest.mark.parametrize(
    ("sentence", "sides"),
    [
        ("I stay bullish despite the bear case.", {"bull"}),
        ("The bull case is broken, so I stay bearish.", {"bear"}),
        ("It is not a buy.", {"bear"}),
        ("Never bearish on it.", {"bull"}),
        ("The rest is silence.", set()),
        ("A bullish-looking chart is a sell.", {"bull", "bear"}),
    ],
)
def test_the_sides_of_a_sentence(sentence: str, sides: set[str]) -> None:
    assert sides_stated(sentence) == sides


def test_a_missing_acknowledgement_is_flagged() -> None:
    found = judged(first(acknowledged=None))
    assert (found.outcome, found.flags) == ("ACCEPT", ("acknowledged",))


def test_a_turn_that_says_the_same_again_is_flagged() -> None:
    for whose, flag in (("bull_argument", "repeated"), ("bear_argument", "copied")):
        text = "The year is up. The bear names one quarter, which is short. It is strong. I am bullish on ACME."
        inputs = LATER.model_copy(
            update={"prior_rounds": (LATER.prior_rounds[0].model_copy(update={whose: text}),)}  # type: ignore[index]
        )
        assert flag in judged(later(argument=text.replace("short", "brief")), inputs, LOOP).flags
