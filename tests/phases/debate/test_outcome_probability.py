"""The probability after a debate: the desk's midpoint, the forecaster's blend, a fixed step elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from phases.debate.ledger import Turn, entry
from phases.debate.outcome import change, probability_post
from phases.maths.exact import exact
from schemas.base import NetStance
from schemas.ledger import LedgerEvent
from schemas.seats import SupervisorView
from tests.phases.debate.outcomes import (
    CONCEDED,
    PROTOCOLS,
    PX,
    SAID,
    SIDES,
    SILENT,
    WORDS,
    Loop,
    about_of,
    ended,
    held,
    replied,
    seen_of,
    turn_of,
)
from tests.support import update, view

PER_POINT = exact("0.02")


@pytest.mark.parametrize(
    ("said", "loops", "before", "after"),
    [
        ([(0.6, 0.4), (0.58, 0.46)], [SILENT], 0.55, 0.57),  # .52 - .50
        ([(0.6, 0.4), (0.6, 0.4)], [SILENT], 0.55, 0.55),
        ([(0.6, 0.4), (0.5, 0.4), (0.7, 0.5)], [SILENT, SILENT], 0.55, 0.65),  # the last, not the least
        ([(0.6, 0.4), (0.5, 0.4), (0.7, 0.5)], [SILENT, Loop(bear=None)], 0.55, 0.5),  # round 2 is the last paired
        ([(0.6, 0.4)], [Loop(bull=None)], 0.55, 0.55),
        ([(0.6, 0.4), (0.99, 0.9)], [SILENT], 0.9, 0.99),
        ([(0.6, 0.4), (0.1, 0.01)], [SILENT], 0.1, 0.01),
        ([(0.6, 0.4), (0.6, 0.4)], [SILENT], 0.995, 0.995),  # what nobody moved is not pulled in
    ],
)
def test_the_desk_moves_the_probability_by_the_midpoint(
    said: list[tuple[float, float]], loops: list[Loop], before: float, after: float
) -> None:
    ledger = held(PX, loops, said)
    summary, row = ended(ledger, about_of(2, before), manager=update(net_stance="neutral"))
    assert (summary.status, summary.probability_post, row.probability_post) == ("debated", after, after)


def _forecast(*said: tuple[float, float], supervisor: tuple[float, str] | None = None) -> list[LedgerEvent]:
    ledger = [
        entry(side, "loop.0", number, turn_of(side, number, p, claims=()))
        for number, both in enumerate(said, 1)
        for side, p in zip(SIDES, both, strict=True)
    ]
    if supervisor is not None:
        chance, confidence = supervisor
        looked: Any = {"probability": chance, "confidence": confidence, "because": "so", "evidence": ("px.macd",)}
        ledger.append(entry("supervisor", "closing.0", len(said) + 1, Turn(SupervisorView(**looked))))
    return ledger


@pytest.mark.parametrize(
    ("ledger", "after"),
    [
        (_forecast((0.7, 0.5)), 0.572),  # .7 * .56 + .3 * .6
        (_forecast((0.9, 0.5), (0.7, 0.5)), 0.572),  # by the last midpoint
        (_forecast((0.7, 0.5), supervisor=(0.4, "low")), 0.572),
        (_forecast((0.7, 0.5), supervisor=(0.4, "medium")), 0.5032),  # .6 * .572 + .4 * .4
        (_forecast((0.7, 0.5), supervisor=(0.4, "high")), 0.4),
        (_forecast((0.7, 0.5), supervisor=(0.0, "high")), 0.01),
        ([], 0.56),  # the aggregate alone
    ],
)
@pytest.mark.parametrize("word", WORDS)
def test_the_forecaster_blends_whatever_the_manager_says(
    ledger: list[LedgerEvent], after: float, word: NetStance
) -> None:
    seen = seen_of(ledger, 2, "forecaster", axes=(view(probability=0.56),))
    moved = change(PROTOCOLS["forecaster"], seen, replied(word))
    assert moved.decided_by == "manager"
    assert probability_post(PROTOCOLS["forecaster"], seen, moved, PER_POINT) == after


@pytest.mark.parametrize("protocol", ["rounds", "points"])
@pytest.mark.parametrize(
    ("word", "before", "after"),
    [("bullish", 0.55, 0.57), ("neutral", 0.55, 0.55), ("bearish", 0.55, 0.53), ("bullish", 0.98, 0.99)],
)
def test_elsewhere_a_point_is_a_fixed_step(protocol: str, word: NetStance, before: float, after: float) -> None:
    seen = seen_of(held(PX, [CONCEDED, SILENT], SAID), 0, protocol, probability=before)
    moved = change(PROTOCOLS[protocol], seen, replied(word))
    assert (moved.decided_by, moved.contested) == ("manager", False), "only an exchange can be contested"
    assert probability_post(PROTOCOLS[protocol], seen, moved, PER_POINT) == after
