"""The ledger: names, rounds and weights, folded from turns written out here."""

from __future__ import annotations

from typing import Any

import pytest

from phases.debate.ledger import Void, entry, round_of, rounds_of, spoken, weighed_claims
from schemas.base import Role
from schemas.debate import Claim, DebateRoundContribution, Move, MoveKind, Spoke, Voided
from tests.support import TICKER, item

BUNDLE = {
    one.id: one
    for one in (
        item("px.ret_63d", 0.5),
        item("px.rsi14", -0.4, stale=True),
        item("fa.fcf_yield", 0.3, tier=2),
        item("news.a1", 0.3, tier=4, stale=True),
    )
}


def turn(role: Role, round_number: int = 1, claims: Any = None, moves: Any = None) -> DebateRoundContribution:
    """A turn; claims are tuples of ids, moves are (target, kind)."""
    return DebateRoundContribution(
        role=role,
        ticker=TICKER,
        round_number=round_number,
        argument=f"The {role} speaks in round {round_number}.",
        claims=claims and tuple(Claim(id=f"x{at}", text=f"claim {at}", evidence=ids) for at, ids in enumerate(claims)),
        moves=moves and tuple(Move(target=to, kind=kind, reason="because", evidence=()) for to, kind in moves),
    )


def said(role: Role, *args: Any, **more: Any) -> Spoke | Voided:
    made = turn(role, *args, **more)
    return entry(role, made.round_number, made)


def test_claims_get_their_full_ids_in_order() -> None:
    event = entry("bull", 2, turn("bull", 2, claims=[("px.ret_63d",), ()]), ("repaired",))
    assert isinstance(event, Spoke)
    assert [claim.id for claim in event.contribution.claims or ()] == ["bull.2.c1", "bull.2.c2"]
    assert [claim.text for claim in event.contribution.claims or ()] == ["claim 0", "claim 1"]
    assert event.flags == ("repaired",)


def test_a_turn_without_claims_stays_without() -> None:
    event = entry("bear", 1, turn("bear"))
    assert isinstance(event, Spoke)
    assert event.contribution.claims is None


def test_a_void_keeps_seat_round_and_reason() -> None:
    event = entry("bear", 3, Void("refuse: the model refused"))
    assert event == Voided(kind="voided", seat="bear", round_number=3, reason="refuse: the model refused")
    assert round_of(event) == 3


def test_rounds_hold_what_was_said_and_nothing_of_voids() -> None:
    ledger = [said("bull"), entry("bear", 1, Void("silence")), entry("bull", 2, Void("silence")), said("bear", 2)]
    first, second = rounds_of(ledger)
    assert (first.round_number, first.bull_argument, first.bear_argument) == (1, "The bull speaks in round 1.", None)
    assert (second.round_number, second.bull_argument, second.bear_argument) == (2, None, "The bear speaks in round 2.")
    assert [one.round_number for one in spoken(ledger, "bull")] == [1]
    assert rounds_of([]) == ()


@pytest.mark.parametrize(
    ("ids", "weight"),
    [
        ((), 0.0),
        (("px.elsewhere",), 0.0),
        (("px.ret_63d",), 1.0),
        (("px.rsi14",), 0.5),
        (("fa.fcf_yield",), 0.75),
        (("news.a1",), 0.125),
        (("news.a1", "fa.fcf_yield", "px.rsi14"), 0.75),
    ],
)
def test_claims_weigh_what_their_best_evidence_weighs(ids: tuple[str, ...], weight: float) -> None:
    [claim] = weighed_claims([said("bull", claims=[ids])], BUNDLE)
    assert (claim.id, claim.side, claim.weight, claim.answer) == ("bull.1.c1", "bull", weight, "unaddressed")


@pytest.mark.parametrize(
    ("moves", "answer"),
    [
        ([], "unaddressed"),
        ([("bull.1.c1", "rebutted")], "rebutted"),
        ([("bull.1.c1", "carried"), ("bull.1.c1", "conceded")], "conceded"),
        ([("bull.1.c2", "conceded"), ("bear.1.c1", "rebutted")], "unaddressed"),
    ],
)
def test_the_latest_move_on_a_claim_is_its_answer(moves: list[tuple[str, MoveKind]], answer: str) -> None:
    later = [said("bear", at, moves=[move]) for at, move in enumerate(moves, 2)]
    [claim] = weighed_claims([said("bull", claims=[("px.ret_63d",)]), *later], BUNDLE)
    assert claim.answer == answer


def test_a_side_cannot_answer_its_own_claim() -> None:
    ledger = [said("bull", claims=[("px.ret_63d",)]), said("bull", 2, moves=[("bull.1.c1", "conceded")])]
    [claim] = weighed_claims(ledger, BUNDLE)
    assert claim.answer == "unaddressed"
