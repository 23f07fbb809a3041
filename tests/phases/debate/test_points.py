"""Points: claims of ledgers written out here, what became of them, and whose answer they await."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from phases.debate.ledger import Turn, Void, entry
from phases.debate.points import asks_moves, exchange_claims, heaviest, open_points, raised, weighed_claims
from phases.maths import exchange
from schemas.base import Role
from schemas.debate import Claim, DebateRoundContribution, Move
from schemas.ledger import LedgerEvent
from tests.support import TICKER, item

BUNDLE = {
    one.id: one
    for one in (
        item("px.ret_63d", 0.5),
        item("px.ret_252d", -0.1),
        item("px.rsi14", -0.4, stale=True),
        item("fa.fcf_yield", 0.3, tier=2),
        item("news.a1", 0.3, tier=4, stale=True),
    )
}


def said(role: Role, at: int, claims: Any = None, moves: Any = None, opening: bool = False) -> LedgerEvent:
    """A turn of loop round `at` after an opening; claims are tuples of ids, moves are (target, kind, *ids)."""
    number = 1 if opening else at + 1
    turn = DebateRoundContribution(
        role=role,
        ticker=TICKER,
        round_number=number,
        argument=f"The {role} speaks in round {number}.",
        claims=claims and tuple(Claim(id="x", text=f"claim on {ids}", evidence=ids) for ids in claims),
        moves=moves and tuple(Move(target=to, kind=kind, reason="so", evidence=(*ids,)) for to, kind, *ids in moves),
    )
    return entry(role, "opening.0" if opening else "loop.0", number, Turn(turn))


def opened(bull: Any = (("px.ret_63d",),), bear: Any = (("px.rsi14",),)) -> list[LedgerEvent]:
    return [said("bull", 0, bull, opening=True), said("bear", 0, bear, opening=True)]


BULLS, BEARS = "bull.1.c1", "bear.1.c1"


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
    [claim, _] = weighed_claims(opened([ids]), BUNDLE)
    assert (claim.id, claim.side, claim.weight, claim.answer) == (BULLS, "bull", weight, "unaddressed")
    assert (claim.text, claim.evidence) == (f"claim on {ids}", ids)


# moves on the bull's claim by (round, side, kind), its answer, whom it awaits
DUTY: list[tuple[list[tuple[int, Role, str]], str, str | None]] = [
    ([], "unaddressed", "bear"),
    ([(1, "bear", "carried")], "carried", "bear"),
    ([(1, "bear", "conceded")], "conceded", None),
    ([(1, "bear", "rebutted")], "rebutted", "bull"),
    ([(1, "bear", "carried"), (2, "bear", "conceded")], "conceded", None),
    ([(1, "bear", "rebutted"), (2, "bull", "conceded")], "withdrawn", None),
    ([(1, "bear", "rebutted"), (2, "bull", "rebutted")], "met", "bear"),
    ([(1, "bear", "rebutted"), (2, "bull", "carried")], "rebutted", "bull"),
    ([(1, "bear", "rebutted"), (2, "bull", "rebutted"), (3, "bear", "conceded")], "conceded", None),
    ([(1, "bear", "rebutted"), (2, "bull", "rebutted"), (3, "bear", "rebutted")], "met", "bull"),
    # what no duty asks for does not count
    ([(1, "bull", "conceded")], "unaddressed", "bear"),
    ([(1, "bull", "rebutted"), (1, "bear", "carried")], "carried", "bear"),
    ([(1, "bear", "conceded"), (2, "bear", "rebutted")], "conceded", None),
    ([(1, "bear", "rebutted"), (1, "bull", "rebutted")], "rebutted", "bull"),  # not in the same round
]


def moved(moves: Sequence[tuple[int, Role, str]]) -> list[LedgerEvent]:
    return [said(side, at, moves=[(BULLS, kind, "px.ret_252d")]) for at, side, kind in moves]


@pytest.mark.parametrize(("moves", "answer", "awaits"), DUTY)
def test_an_answer_settles_a_claim_or_passes_the_duty_on(moves: Any, answer: str, awaits: str | None) -> None:
    ledger = [*opened(), *moved(moves)]
    [bulls, bears] = raised(ledger)
    assert (bulls.state.answer, bulls.state.awaits) == (answer, awaits)
    assert (bears.state.answer, bears.state.awaits) == ("unaddressed", "bull")
    assert [claim.answer for claim in weighed_claims(ledger, BUNDLE)] == [answer, "unaddressed"]
    for side, own in (("bull", [BEARS]), ("bear", [])):
        expected = sorted([*own, *([BULLS] if awaits == side else [])])
        assert sorted(point.id for point in open_points(ledger, side)) == expected


def test_an_open_point_comes_with_the_rebuttal_that_awaits_an_answer() -> None:
    """First the claim alone, then the rebuttal of it, then the rebuttal of that."""
    ledger = opened()
    [point] = open_points(ledger, "bear")
    assert (point.id, point.text, point.evidence) == (BULLS, "claim on ('px.ret_63d',)", ("px.ret_63d",))
    assert point.rebuttal is None
    ledger += [said("bear", 1, moves=[(BULLS, "rebutted", "px.rsi14")])]
    own = next(one for one in open_points(ledger, "bull") if one.id == BULLS)
    assert own.rebuttal is not None
    assert (own.rebuttal.target, own.rebuttal.evidence) == (BULLS, ("px.rsi14",))
    ledger += [said("bull", 2, moves=[(BULLS, "rebutted", "fa.fcf_yield")])]
    [back] = open_points(ledger, "bear")
    assert back.rebuttal is not None and back.rebuttal.evidence == ("fa.fcf_yield",)


def test_a_rebuttal_that_was_carried_still_awaits_its_answer() -> None:
    ledger = [*opened(), *moved([(1, "bear", "rebutted"), (2, "bull", "carried")])]
    own = next(one for one in open_points(ledger, "bull") if one.id == BULLS)
    assert own.rebuttal is not None and own.rebuttal.kind == "rebutted"


def test_points_stand_in_the_order_in_which_they_were_raised() -> None:
    ledger = [*opened([("px.ret_63d",), ()], [("px.rsi14",)]), said("bull", 1, [("news.a1",)]), said("bear", 1)]
    found = raised(ledger)
    assert [(one.claim.id, one.side, one.at) for one in found] == [
        ("bull.1.c1", "bull", 0),
        ("bull.1.c2", "bull", 0),
        ("bear.1.c1", "bear", 0),
        ("bull.2.c1", "bull", 1),
    ]
    assert [point.id for point in open_points(ledger, "bear")] == ["bull.1.c1", "bull.1.c2", "bull.2.c1"]
    assert raised([]) == () and open_points([], "bull") == ()


def test_a_move_on_what_nobody_raised_changes_nothing() -> None:
    ledger = [*opened(), said("bear", 1, moves=[("bull.9.c9", "conceded", "px.rsi14")])]
    assert [one.state.answer for one in raised(ledger)] == ["unaddressed", "unaddressed"]


def test_a_void_turn_leaves_its_points_unaddressed() -> None:
    ledger = [*opened(), said("bull", 1, moves=()), entry("bear", "loop.0", 2, Turn(Void("silence")))]
    assert [claim.answer for claim in weighed_claims(ledger, BUNDLE)] == ["unaddressed", "unaddressed"]
    assert [point.id for point in open_points(ledger, "bear")] == [BULLS]


def test_moves_were_asked_for_once_a_turn_has_some_or_says_none() -> None:
    assert asks_moves([*opened(), said("bull", 1, moves=())])
    assert asks_moves([*opened(), *moved([(1, "bear", "carried")])])
    assert not asks_moves([*opened(), said("bull", 1, [("news.a1",)]), entry("bear", "loop.0", 2, Turn(Void("-")))])
    assert not asks_moves([])


def test_the_exchange_counts_the_claims_of_the_openings() -> None:
    ledger = [
        *opened([("fa.fcf_yield", "news.a1")], [("px.rsi14",), ("px.nowhere",)]),
        said("bull", 1, [("px.ret_63d",)], [(BEARS, "rebutted", "px.ret_252d")]),
        said("bear", 1, moves=[(BULLS, "conceded", "px.rsi14")]),
    ]
    half, none = Fraction(1, 2), Fraction(0)
    assert exchange_claims(ledger, BUNDLE) == (
        exchange.Claim(BULLS, "bull", Fraction(3, 4), "fa.fcf_yield", (exchange.Move(1, "bear", "conceded"),)),
        exchange.Claim(BEARS, "bear", half, "px.rsi14", (exchange.Move(1, "bull", "rebutted"),)),
        exchange.Claim("bear.1.c2", "bear", none, None),
    )


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (("news.a1", "px.rsi14", "fa.fcf_yield"), "fa.fcf_yield"),
        (("px.ret_63d", "px.ret_252d"), "px.ret_252d"),  # a tie goes to the lowest id
        (("px.ret_252d", "px.ret_63d", "px.ret_63d"), "px.ret_252d"),
        (("px.nowhere", "news.a1"), "news.a1"),
        (("px.nowhere",), None),
        ((), None),
    ],
)
def test_the_heaviest_id_names_the_point(ids: tuple[str, ...], expected: str | None) -> None:
    assert heaviest(ids, BUNDLE) == expected
