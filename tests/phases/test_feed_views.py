"""The view columns of the feed: which rows have a view, what it is scaled with, and how far it is trusted."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.feed import TickerOutcome
from schemas.summary import RATED, Status
from tests.phases.test_portfolio_feed import MIXED, STATUSES, UNRATED, feed_of, outcome, row_of, summary
from tests.support import item, market, payload

QUARTER = market(item("px.excess_vol_63d", value=0.25))
"""A year's volatility of the excess return of 25 %: the design's hand calculation."""


def seen(status: Status = "debated", after: float = 0.56, **more: Any) -> TickerOutcome:
    told = {"market_snapshot": QUARTER, "debate_summary": summary(after=after), **more}
    return outcome(status, **told)


def test_the_hand_calculation_reaches_the_row() -> None:
    row = row_of(seen())
    assert (row.view_excess_return, row.view_period) == (0.010895, "21 sessions")  # 1.090 %
    assert row_of(seen(after=0.44, analyst_payload=payload(-2, "sell"))).view_excess_return == -0.010895


@pytest.mark.parametrize("status", [one for one in RATED if one != "contested"])
def test_every_rated_status_but_contested_has_a_view_from_the_probability_after(status: Status) -> None:
    row = row_of(outcome(status, market_snapshot=QUARTER))
    expected = {0.55: 0.009069, 0.57: 0.012729}  # z .12566 and .17637, x .25 x the root of 21/252
    assert row.probability_post is not None
    assert row.view_excess_return == expected[row.probability_post]


@pytest.mark.parametrize("status", UNRATED)
def test_no_unrated_row_has_one(status: Status) -> None:
    row = row_of(outcome(status))
    assert (row.view_excess_return, row.view_period, row.view_confidence) == (None, None, None)


NO_VIEW = {
    "near one half": seen(after=0.505),
    "no volatility": seen(market_snapshot=market(item("px.ret_63d"))),
    "no excess volatility": seen(market_snapshot=market(item("px.vol_63d", value=0.25))),
    "a volatility of 0": seen(market_snapshot=market(item("px.excess_vol_63d", value=0.0))),
}


@pytest.mark.parametrize("why", NO_VIEW)
def test_without_a_view_its_three_columns_are_null(why: str) -> None:
    row = row_of(NO_VIEW[why])
    assert row.stance is not None and row.probability_post is not None
    assert (row.view_excess_return, row.view_period, row.view_confidence) == (None, None, None)


def test_a_split_row_has_no_view_and_no_trust() -> None:
    row = row_of(seen(after=0.44))  # conviction 3, probability below one half
    assert "split" in row.flags
    assert (row.view_excess_return, row.view_period, row.view_confidence) == (None, None, 0.0)


def test_a_contested_row_has_no_view_and_no_trust() -> None:
    row = row_of(outcome("contested", market_snapshot=QUARTER))
    assert row.status == "contested" and row.stance is not None and row.probability_post == 0.55
    assert (row.view_excess_return, row.view_period, row.view_confidence) == (None, None, 0.0)


GAP = {"gap.first": 0.3, "gap.last": 0.2}


@pytest.mark.parametrize(
    ("status", "readouts", "spread", "expected"),
    [
        ("debated", {**GAP, "gap.verdict": "narrowed"}, 0.5, 0.4),  # .5 x .8
        ("debated", {**GAP, "gap.verdict": "held"}, 0.5, 0.3),  # x .75
        ("debated", {**GAP, "gap.verdict": "panel_agreed"}, 0.5, 0.3),
        ("debated", {**GAP, "gap.verdict": "widened"}, 0.5, 0.2),  # x .5
        ("debated", {}, 0.5, 0.1875),  # the panel's spread for the gap: .5 x .5 x .75
        ("debated", {}, None, 0.375),  # one axis: nobody differs
        ("gated", {}, 0.5, 0.125),  # .5 x .5 x .5
        ("gated", {**GAP, "gap.verdict": "narrowed"}, 0.5, 0.125),
    ],
)
def test_the_trust_follows_gap_and_verdict(
    status: Status, readouts: Any, spread: float | None, expected: float
) -> None:
    about = summary(status, 0 if status == "gated" else 1, 0.56, readouts=readouts, decided_by=None)
    row = row_of(seen(status, debate_summary=about, analyst_payload=payload(panel_spread=spread)))
    assert row.view_confidence == expected


@pytest.mark.parametrize(("status", "expected"), [("debated", 0.24), ("gated", 0.15)])
def test_a_missing_axis_takes_its_weight_out_of_the_trust(status: Status, expected: float) -> None:
    """Of technical .6 and fundamental .4, fundamental is missing: .6 of .4, and gated .6 of .5 x .5."""
    readouts = {**GAP, "gap.verdict": "narrowed"}
    about = summary(status, 0 if status == "gated" else 1, 0.56, readouts=readouts, decided_by=None)
    found = outcome(status, axes_missing=True, market_snapshot=QUARTER, debate_summary=about)
    row = feed_of({"ACME": found}, "analyst.axes={technical: 0.6, sentiment: 0, fundamental: 0.4}").rows[0]
    assert (row.status, row.view_confidence) == ("degraded", expected)


def test_F184_a_feed_without_a_rated_row_is_invalid() -> None:
    assert feed_of(MIXED).valid is True
    for status in STATUSES:
        assert feed_of({"ACME": outcome(status), "OTHER": outcome("failed")}).valid is (status in RATED)
    assert feed_of({}).valid is False


def test_F182_a_failed_ticker_is_present_with_its_reason_and_no_number() -> None:
    feed = feed_of({"ACME": seen(), "LOST": outcome("failed")})
    lost = feed.rows[1].model_dump()
    assert (lost["ticker"], lost["status"], lost["reason"]) == ("LOST", "failed", "failed, and why")
    decisions = ("stance", "conviction_post", "probability_post", "view_excess_return", "view_confidence")
    assert [lost[name] for name in decisions] == [None] * 5
