"""What an exchange changes, counted by hand: moves decide, and rulings can only make it smaller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from phases.debate.outcome import change, gained_by
from phases.debate.readouts import exchange
from schemas.base import NetStance
from schemas.ledger import LedgerEvent
from tests.phases.debate.outcomes import (
    BOTH_CONCEDED,
    CONCEDED,
    OPEN,
    OTHER,
    PROTOCOLS,
    PX,
    REBUTTED,
    SILENT,
    TWO,
    Loop,
    Moves,
    held,
    replied,
    seen_of,
)


def word_of(delta: int) -> NetStance:
    return "bullish" if delta > 0 else "bearish" if delta < 0 else "neutral"


def delta_of(ledger: Sequence[LedgerEvent], score: int, **rulings: str) -> int:
    """The change under a manager who agrees with what the moves earn."""
    seen = seen_of(ledger, score)
    found = change(PROTOCOLS["desk"], seen, replied(word_of(exchange.delta(seen) or 0), **rulings))
    assert (found.decided_by, found.contested, found.flags) == ("code", False, ())
    return found.delta


@pytest.mark.parametrize(
    ("score", "told"),
    [
        (5, "bull gained; +5 is the highest"),
        (4, "bull gained too little to move a conviction of +4"),
        (3, "bull gained, bear conceded: "),
    ],
)
def test_where_nothing_moves_it_says_which_end_is_reached_or_that_it_was_too_little(score: int, told: str) -> None:
    seen = seen_of(held(PX, [CONCEDED, SILENT]), score)
    assert gained_by(seen, exchange.delta(seen) or 0).startswith(told)


# the exchange, counted by hand: delta = 4 * (sum of weight * settle / 3) * (1 - score / 5), rounded, at most 2

BY_HAND: list[tuple[str, Mapping[str, Sequence[str]], list[Loop], dict[int, int]]] = [
    ("conceded: +1", PX, [CONCEDED, SILENT], {-5: 2, -3: 2, -2: 2, 0: 1, 2: 1, 3: 1, 4: 0, 5: 0}),
    ("never answered: +1/2", PX, [SILENT, SILENT], {-5: 1, 0: 1, 1: 1, 2: 0, 5: 0}),
    ("carried: 0", PX, [OPEN, OPEN], {-5: 0, 0: 0}),
    ("carried, then conceded: +1", PX, [OPEN, CONCEDED], {0: 1}),
    ("rebutted and left: -1", PX, [REBUTTED, SILENT], {5: -2, 2: -2, 0: -1, -3: -1, -5: 0}),
    ("rebutted and met: 0", PX, [REBUTTED, Loop(bull={"bull.1.c1": "rebutted"})], {0: 0, 5: 0}),
    ("rebutted and carried: -1", PX, [REBUTTED, Loop(bull={"bull.1.c1": "carried"})], {0: -1}),
    ("rebutted and withdrawn: -1", PX, [REBUTTED, Loop(bull={"bull.1.c1": "conceded"})], {0: -1}),
    ("rebutted in the last round: 0", PX, [OPEN, REBUTTED], {0: 0, 5: 0}),
    ("two conceded: +2, at most 2", TWO, [Loop(bear={"bull.1.c1": "conceded", "bull.1.c2": "conceded"})], {0: 2}),
    ("a filing, conceded: 3/4", {"bull": ["fa.margin"]}, [CONCEDED, SILENT], {0: 1, 3: 0}),
    ("a stale filing, conceded: 3/8 is exactly a half", {"bull": ["fa.old"]}, [CONCEDED, SILENT], {0: 1, 1: 0}),
    ("a note, stale: 1/8", {"bull": ["news.b2"]}, [CONCEDED, SILENT], {0: 0, -5: 0}),
    ("no such id: nothing", {"bull": ["px.none"]}, [CONCEDED, SILENT], {0: 0, -5: 0}),
    (
        "one point in two claims: once",
        {"bull": ["px.ret_63d", "px.ret_63d"]},
        [Loop(bear={"bull.1.c1": "conceded", "bull.1.c2": "conceded"})],
        {0: 1},
    ),
    (
        "a claim each, both conceded: nobody gains",
        {"bull": ["px.ret_63d"], "bear": ["px.macd"]},
        [Loop({"bear.1.c1": "conceded"}, {"bull.1.c1": "conceded"})],
        {0: 0, -5: 0, 5: 0},
    ),
    (
        "a heavier one against a lighter one: 1 - 3/4",
        {"bull": ["px.ret_63d"], "bear": ["fa.margin"]},
        [Loop({"bear.1.c1": "conceded"}, {"bull.1.c1": "conceded"})],
        {0: 0, -5: 1},
    ),
    ("nobody claims anything", {}, [SILENT, SILENT], {0: 0}),
    ("a void answer: no paired round, nothing", PX, [Loop(bear=None), Loop(bear=None)], {0: 0, -5: 0}),
    ("beside a void turn a concession is but silence: +1/2", PX, [Loop(None, CONCEDED.bear), SILENT], {-5: 1, 2: 0}),
    ("and a rebuttal takes away what silence earns: 0", PX, [Loop(None, REBUTTED.bear), SILENT], {0: 0, -5: 0}),
]


@pytest.mark.parametrize(("claims", "loops", "deltas"), [one[1:] for one in BY_HAND], ids=[one[0] for one in BY_HAND])
def test_the_exchange_decides(
    claims: Mapping[str, Sequence[str]], loops: list[Loop], deltas: Mapping[int, int]
) -> None:
    for score, delta in deltas.items():
        assert delta_of(held(claims, loops), score) == delta, score
        assert delta_of(held(*mirrored(claims, loops)), -score) == -delta, f"mirror of {score}"
        assert abs(score + delta) <= 5


def mirrored(claims: Mapping[str, Sequence[str]], loops: Sequence[Loop]) -> tuple[Any, list[Loop]]:
    """The same debate with the sides exchanged."""

    def turned(moves: Moves | None) -> Moves | None:
        if moves is None:
            return None
        return {f"{OTHER[target[:4]]}{target[4:]}": kind for target, kind in moves.items()}  # type: ignore[index]

    return (
        {OTHER[side]: cited for side, cited in claims.items()},  # type: ignore[index]
        [Loop(turned(loop.bear), turned(loop.bull)) for loop in loops],
    )


# rulings make it smaller, never larger, and never turn it

AHEAD = held(
    {**TWO, "bear": ["px.macd"]},
    [Loop({"bear.1.c1": "conceded"}, {"bull.1.c1": "conceded", "bull.1.c2": "conceded"}), SILENT],
)
"""Two points to one: +1."""


@pytest.mark.parametrize(
    ("ledger", "rulings", "delta"),
    [
        (BOTH_CONCEDED, {}, 2),
        (BOTH_CONCEDED, {"bull_c1": "stands", "bull_c2": "stands"}, 2),
        (BOTH_CONCEDED, {"bull_c1": "unsupported"}, 1),
        (BOTH_CONCEDED, {"bull_c1": "answered"}, 1),
        (BOTH_CONCEDED, {"bull_c1": "unsupported", "bull_c2": "answered"}, 0),
        (AHEAD, {}, 1),
        (AHEAD, {"bear_c1": "unsupported"}, 1),  # two points to none would be 2
        (AHEAD, {"bull_c1": "unsupported"}, 0),
        (AHEAD, {"bull_c1": "unsupported", "bull_c2": "unsupported"}, 0),  # none to one would be -1
        (held(PX, [SILENT, SILENT]), {"bull_c1": "answered"}, 1),  # nobody moved on it
        (held(PX, [SILENT, SILENT]), {"bull_c1": "unsupported"}, 0),
        (held(PX, [REBUTTED, SILENT]), {"bull_c1": "unsupported"}, -1),  # what is lost stays lost
        (held(PX, [OPEN, OPEN]), {"bull_c1": "stands"}, 0),
    ],
)
def test_rulings_only_make_it_smaller(ledger: list[LedgerEvent], rulings: dict[str, str], delta: int) -> None:
    assert delta_of(ledger, 0, **rulings) == delta
