"""Nights without a debate of their own: the outcome of an earlier one is carried, or it is reopened."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.debate import Carried, CarriedCondition, Case
from schemas.run import History, LastDebate
from schemas.summary import DebateSummary
from tests.phases.debate.outcomes import CONCEDED, PX, SAID, SILENT, about_of, debated, ended, held
from tests.support import DAY, constant, update


def _history(about: Case, summary: DebateSummary) -> History:
    values = {one.id: one.value for one in about.bundle}
    kept = summary.model_copy(update={"rounds": ()})
    last = LastDebate(
        protocol="desk", rounds=2, session=DAY, probability=about.payload.probability, values=values, summary=kept
    )
    return History(debates=(last,))


@pytest.mark.parametrize(
    ("score", "before", "conviction", "after"),
    [(0, 0.55, 1, 0.65), (3, 0.6, 4, 0.7), (5, 0.95, 5, 0.99), (-5, 0.3, -4, 0.4)],
)
def test_a_carried_debate_moves_tonights_view_by_as_much(
    score: int, before: float, conviction: int, after: float
) -> None:
    then = about_of()
    first, _ = ended(held(PX, [CONCEDED, SILENT], SAID), then, manager=update(net_stance="bullish"))
    assert (first.conviction_delta, first.probability_post) == (1, 0.65)
    tonight = about_of(score, before)
    silent = constant("never asked")
    summary, row = debated(
        "desk",
        'debate.bands={"*": "5%"}',
        about=tonight,
        history=_history(then, first),
        bull=silent,
        bear=silent,
        manager=silent,
    )
    assert (summary.status, summary.flags, summary.rounds) == ("debated", ("carried",), ())
    assert (summary.conviction_delta, summary.probability_post, summary.decided_by) == (1, after, "code")
    assert (summary.bull_thesis, summary.points) == (first.bull_thesis, first.points)
    assert (summary.reason or "").startswith("carried: ")
    assert (summary.reason or "").endswith(first.reason or "?")
    assert summary.readouts["effective_conviction"] == conviction
    assert (row.status, row.conviction_post, row.probability_post) == ("debated", conviction, after)
    assert (row.transcript_hash, row.flags) == (None, ("carried",))


def test_what_was_contested_is_carried_as_contested() -> None:
    then = about_of()
    first, _ = ended(held(PX, [CONCEDED, SILENT], SAID), then, manager=update(net_stance="bearish"))
    summary, row = debated("desk", 'debate.bands={"*": "5%"}', about=about_of(3, 0.6), history=_history(then, first))
    assert (summary.status, summary.conviction_delta, summary.probability_post) == ("contested", 0, 0.6)
    assert (row.status, row.conviction_post, row.probability_post) == ("contested", 3, 0.6)


def test_a_debate_that_a_condition_reopened_says_so() -> None:
    told: Any = {"evidence": "px.rsi14", "comparison": "above", "value": 0.0}
    fired = CarriedCondition(**told, now=0.0123, fired=True)
    about = about_of().model_copy(update={"carried": Carried(since=DAY, points=(), conditions=(fired,))})
    summary, row = debated("desk", about=about)
    assert "reopened" in summary.flags
    assert "reopened" in row.flags
    assert (summary.reason or "").startswith("reopened, px.rsi14 above 0.0 fired: ")
