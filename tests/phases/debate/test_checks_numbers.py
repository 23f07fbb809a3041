"""Checks on numbers and quotations in a turn: what nobody gave or said is taken out."""

from __future__ import annotations

import pytest

from tests.phases.debate.judged import CARRIED, GRANTED, LATER, LOOP, REBUTTED, first, judged, later


def test_a_sentence_with_a_number_from_nowhere_is_taken_out() -> None:
    said = first(argument="It closed at 187.20. It leads by 6.4 percent. It is strong. I am bullish on ACME.")
    again = judged(said, last=False)
    assert again.outcome == "RETRY"
    assert "187.20" in again.errors[0]
    assert "178.20 (px.close)" in again.errors[0]
    found = judged(said)
    assert found.record.argument == "It leads by 6.4 percent. It is strong. I am bullish on ACME. [cut]"
    assert found.flags == ("ungrounded",)


def test_an_argument_of_nothing_but_invented_numbers_is_void() -> None:
    said = first(argument="It closed at 187.20. It earns 9.9 percent. It yields 8.8 percent, so I am bullish.")
    assert judged(said).outcome == "QUARANTINE"


def test_an_invented_number_in_a_move_or_a_grant_does_not_count() -> None:
    move = {**REBUTTED, "reason": "Insiders bought for $50M."}
    found = judged(
        later(moves=[move, CARRIED], acknowledged={**GRANTED, "text": "It trades at 99 times sales."}), LATER, LOOP
    )
    assert [one.kind for one in found.record.moves] == ["carried"]
    assert found.record.acknowledged is None
    assert "$50M" in " ".join(found.dropped)


@pytest.mark.parametrize("text", ["Sales grew 60 percent", "It is up 60% over the year"])
def test_what_a_turn_sets_itself_is_no_fact(text: str) -> None:
    found = judged(first(argument=f"{text}. It leads. It is strong. I am bullish on ACME."))
    assert "ungrounded" in found.flags
    move = {
        **CARRIED,
        "reason": "The multiple is 0.9 times.",
        "would_change_if": {**CARRIED["would_change_if"], "value": 0.9},
    }
    assert "carried" not in [one.kind for one in judged(later(moves=[REBUTTED, move]), LATER, LOOP).record.moves]


@pytest.mark.parametrize("marks", ["\u00ab\u00bb", "\u201e\u201c", "\u2018\u2019", "''", '""', "\u201c\u201d"])
def test_quotation_marks_of_every_kind_hold_somebodys_words(marks: str) -> None:
    text = "The year is up 31.5 percent. The bear says {}it never recovers again{}. It can. I am bullish on ACME."
    assert "strawman" in judged(later(argument=text.format(*marks)), LATER, LOOP).flags
    apostrophes = "It's the bear's claim that isn't sound. The year is up 31.5 percent. It lasts. I am bullish on ACME."
    assert "strawman" not in judged(later(argument=apostrophes), LATER, LOOP).flags


@pytest.mark.parametrize(
    "text",
    [
        "My probability is 60 percent",
        "Up 31.5 percent in a year",
        "The 63-session lead is 6.4%",
        "By 2008-10-29, 21 sessions on",
    ],
)
def test_given_numbers_are_no_inventions(text: str) -> None:
    assert (
        judged(first(argument=f"{text}. It leads. It is strong. I am bullish on ACME."), last=False).outcome == "ACCEPT"
    )
