"""Checks on claims and moves: what is not grounded or not paid for does not count."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phases.debate.checks.moves import unpaid
from schemas.debate import DebateInputs, DebateRoundContribution, Move
from tests.phases.debate.judged import (
    BUNDLE,
    CARRIED,
    CONCEDED,
    LATER,
    LOOP,
    MOVED,
    OPEN,
    REBUTTED,
    first,
    judged,
    later,
)

# Claims

UNGROUNDED = {"id": "c9", "text": "It is strong.", "evidence": []}
KNOWN = OPEN["claims"][0]


@pytest.mark.parametrize(
    ("claims", "kept", "flag"),
    [
        ([UNGROUNDED, KNOWN], 1, "ungrounded_claim"),
        ([{**KNOWN, "evidence": ["px.excess_63d", "px.nowhere"]}], 0, "foreign_evidence"),
        ([{**KNOWN, "text": "It leads by 7.4 percent."}], 0, "ungrounded"),
        ([{**KNOWN, "id": f"c{at}"} for at in range(5)], 3, "claims"),
        ([], 0, "no_claims"),
        ([KNOWN, KNOWN], 2, "claim_ids"),
    ],
)
def test_claims(claims: list[dict[str, Any]], kept: int, flag: str) -> None:
    assert judged(first(claims=claims), last=False).outcome == "RETRY"
    found = judged(first(claims=claims))
    assert found.outcome == "ACCEPT"
    assert len(found.record.claims) == kept
    assert flag in found.flags


def test_claims_where_none_are_asked_do_not_count() -> None:
    found = judged(later(claims=OPEN["claims"]), LATER, LOOP)
    assert (found.record.claims, found.flags) == (None, ("late_claims",))
    assert found.dropped == ("/claims: this turn makes moves or only argues; leave claims out",)


# Moves

MOVES = [
    ({**REBUTTED, "evidence": []}, "needs an evidence id of its own that was not cited before"),
    ({**REBUTTED, "evidence": ["px.ret_63d"]}, "needs an evidence id of its own that was not cited before"),
    ({**REBUTTED, "target": "bear.1.c9"}, "awaits no answer from this side (open: bear.1.c1, bear.1.c2)"),
    ({**REBUTTED, "target": "bull.1.c1"}, "awaits no answer from this side"),
    ({**CONCEDED, "evidence": []}, "names no evidence"),
    (CONCEDED, "must lower your probability from 0.6 by at least 0.01; it is 0.6"),
    ({**CARRIED, "would_change_if": None}, "says nothing in would_change_if"),
    (
        {**CARRIED, "would_change_if": {"evidence": "px.vol_ratio", "comparison": "above", "value": 1.0}},
        "would_change_if holds already: px.vol_ratio is 1.25",
    ),
    (
        {**CARRIED, "would_change_if": {"evidence": "axis.technical", "comparison": "above", "value": 1.0}},
        "would_change_if needs an id with a number; axis.technical has none",
    ),
]


@pytest.mark.parametrize(("move", "words"), MOVES)
def test_an_unpaid_move_is_asked_again_and_then_does_not_count(move: dict[str, Any], words: str) -> None:
    said = later(moves=[move])
    assert words in " ".join(judged(said, LATER, LOOP, last=False).errors)
    found = judged(said, LATER, LOOP)
    assert (found.outcome, found.record.moves) == ("ACCEPT", ())
    assert {"unpaid_move", "unaddressed"} <= set(found.flags)
    assert words in " ".join(found.dropped)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"by": "1999-01-01"}, "is over by 1999-01-01; give a later day than 2008-09-30, or none"),
        ({"by": "2008-09-30"}, "is over by 2008-09-30"),
        ({"value": -1e300}, "is out of reach: px.vol_ratio is 1.25"),
        ({"value": -42.7}, "is out of reach"),
    ],
)
def test_a_test_that_cannot_come_true_carries_nothing(more: dict[str, Any], words: str) -> None:
    move = {**CARRIED, "would_change_if": {**CARRIED["would_change_if"], **more}}
    found = judged(later(moves=[REBUTTED, move]), LATER, LOOP)
    assert [one.kind for one in found.record.moves] == ["rebutted"]
    assert words in " ".join(found.dropped)


def test_two_moves_on_one_point_do_not_count() -> None:
    found = judged(later(moves=[REBUTTED, {**CARRIED, "target": "bear.1.c1"}]), LATER, LOOP)
    assert found.record.moves == ()
    assert "bear.1.c1 gets exactly one move, not 2" in found.dropped[0]


@pytest.mark.parametrize(
    ("probability", "counts"), [(0.59, True), (0.5, True), (0.595, False), (0.61, False), (None, False)]
)
def test_a_concession_moves_the_speakers_own_probability(probability: float | None, counts: bool) -> None:
    step = LOOP.model_copy(update={"require": ("moves",)})
    found = judged(later(probability=probability, moves=[REBUTTED, CONCEDED]), LATER, step)
    assert [move.kind for move in found.record.moves] == (["rebutted", "conceded"] if counts else ["rebutted"])


def test_the_bear_concedes_upwards() -> None:
    bear = LATER.model_copy(update={"role": "bear"})
    said = later(
        role="bear",
        argument=MOVED["argument"].replace("bullish", "bearish"),
        probability=0.61,
        moves=[REBUTTED, CONCEDED],
    )
    assert len(judged(said, bear, LOOP).record.moves) == 2


def test_one_unused_id_pays_for_one_rebuttal() -> None:
    other = {**REBUTTED, "target": "bear.1.c2"}
    assert len(judged(later(moves=[REBUTTED, other]), LATER, LOOP).record.moves) == 1
    both = {**REBUTTED, "evidence": ["px.ret_252d", "px.drawdown_252d"]}
    for moves in ([both, other], [other, both]):
        assert len(judged(later(moves=moves), LATER, LOOP).record.moves) == 2, "the one that has a choice gives way"


def test_points_without_a_move_are_named() -> None:
    found = judged(later(moves=[]), LATER, LOOP)
    assert found.flags == ("unaddressed",)
    assert "/moves: bear.1.c1 awaits exactly one move" in judged(later(moves=[]), LATER, LOOP, last=False).errors


def test_a_first_turn_has_nothing_to_move_on() -> None:
    found = judged(first(moves=[REBUTTED]))
    assert found.record.moves == ()
    assert "bear.1.c1 awaits no answer from this side (open: none is open)" in found.dropped[0]


IDS = [one.id for one in BUNDLE]


@given(
    st.lists(
        st.tuples(st.sampled_from(["bear.1.c1", "bear.1.c2", "x"]), st.lists(st.sampled_from(IDS), max_size=4)),
        max_size=4,
    )
)
@settings(max_examples=200, deadline=None)
def test_the_most_rebuttals_are_paid_and_never_two_by_one_id(drawn: list[tuple[str, list[str]]]) -> None:
    moves = tuple(
        Move(target=f"p{at}", kind="rebutted", reason="because", evidence=tuple(ids))
        for at, (_, ids) in enumerate(drawn)
    )
    points = [{"id": f"p{at}", "text": "x", "evidence": []} for at in range(len(moves))]
    inputs = LATER.model_copy(
        update={
            "open_points": tuple(
                DebateInputs.model_validate({**LATER.model_dump(), "open_points": points}, strict=False).open_points
                or ()
            )
        }
    )
    said = DebateRoundContribution.model_validate_json(json.dumps(MOVED)).model_copy(update={"moves": moves})
    paid = [move for at, move in enumerate(moves) if at not in unpaid(said, inputs)]
    unused = set(IDS) - set(LATER.cited_before or ())
    best = max((len(chosen) for chosen in _matchings([set(move.evidence) & unused for move in moves])), default=0)
    assert len(paid) == best


def _matchings(options: list[set[str]]) -> list[list[str]]:
    """Every way to pay: brute force over few moves."""
    found: list[list[str]] = [[]]
    for ids in options:
        found += [[*chosen, name] for chosen in found for name in ids if name not in chosen]
    return found
