"""The scorecard of forecasts, by hand: scores, the paired difference and its error, the control, the bins."""

from __future__ import annotations

import math
from datetime import date, timedelta
from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phases.maths.scoring import Forecast, Span, apart, calibration, paired, scorecard, shrunk


def span(start: int, length: int = 30) -> Span:
    """A span of days, by its first day of 2012."""
    first = date(2012, 1, 1) + timedelta(start)
    return first, first + timedelta(length)


FOUR = (
    Forecast(span(0), 0.6, 0.7, 1),
    Forecast(span(30), 0.4, 0.5, 0),
    Forecast(span(60), 0.5, 0.4, 0),
    Forecast(span(90), 0.55, 0.45, 1),
)
"""Squared errors before .16 .16 .25 .2025, after .09 .25 .16 .3025; differences -.07 .09 -.09 .1."""


def test_scores_before_and_after() -> None:
    card = scorecard(FOUR)
    assert card.n == card.spans == 4
    assert card.brier == (F(7725, 40000), F(8025, 40000))
    logs = [math.log(one) for one in (0.6, 0.6, 0.5, 0.55)], [math.log(one) for one in (0.7, 0.5, 0.6, 0.45)]
    assert card.log == pytest.approx([-sum(one) / 4 for one in logs])
    assert card.calls == (2, 3), "one half names no outcome; .7 and .4 were right, .45 was not"


def test_the_paired_difference_of_spans_apart_has_the_error_of_independent_ones() -> None:
    """Mean .0075; squares of the rest .00600625 .00680625 .00950625 .00855625, their sum .030875, over 4 * 3."""
    debate = scorecard(FOUR).debate
    assert debate.mean == pytest.approx(0.0075)
    assert debate.error == pytest.approx(math.sqrt(0.030875 / 12))
    assert (debate.low, debate.high) == pytest.approx((0.0075 - 2 * debate.error, 0.0075 + 2 * debate.error))


def test_the_control_moves_to_one_half_as_far_as_the_debate_moved() -> None:
    """.5, .5, .5 and .5 (.55 moved by .1 stops there): squared errors .25; after .09 .25 .16 .3025."""
    assert scorecard(FOUR).control.mean == pytest.approx((0.8025 - 1) / 4)
    assert [shrunk(0.6, 0.65), shrunk(0.6, 0.55), shrunk(0.3, 0.25), shrunk(0.5, 0.9)] == [F(11, 20)] * 2 + [
        F(7, 20),
        F(1, 2),
    ]


def test_forecasts_over_one_span_count_as_one() -> None:
    """Two spans, apart, with the same two differences in each: all that is known is two independent sums."""
    spans = [span(0), span(0), span(30), span(30)]
    found = paired([0.6, 0.6, 0.4, 0.4], [0.5] * 4, [1, 1, 1, 1], spans)
    low, high = 0.16 - 0.25, 0.36 - 0.25
    rest = (high - low) / 2
    assert found.mean == pytest.approx((low + high) / 2)
    assert found.error == pytest.approx(math.sqrt(2 * (2 * rest) ** 2 / 12)), "alone it would be sqrt(4 rest^2 / 12)"


def test_half_an_overlap_counts_half() -> None:
    """Rests r, r, -r, -r; the spans of the first two share half their days, those of the last two none."""
    spans = [span(0), span(15), span(100), span(200)]
    found = paired([0.6, 0.6, 0.4, 0.4], [0.5] * 4, [1, 1, 1, 1], spans)
    rest = (0.36 - 0.16) / 2
    assert found.error == pytest.approx(math.sqrt((4 * rest**2 + 2 * 0.5 * rest**2) / 12))


def test_opposite_forecasts_of_one_span_are_no_certainty() -> None:
    found = paired([0.6, 0.4], [0.5, 0.5], [1, 1], [span(0), span(0)])
    assert found.error == pytest.approx(0.1), "two rests of .1, as if they were independent: sqrt(.02 / 2)"


def test_one_forecast_has_no_interval() -> None:
    assert scorecard(FOUR[:1]).debate.error == math.inf


def test_spans_apart() -> None:
    nightly = [span(day, 21) for day in range(64)]
    assert (apart(nightly), apart([span(0)] * 40), apart([])) == (4, 1, 0)


def test_bins_by_hand() -> None:
    given = [(0.0, 0), (0.3, 1), (0.35, 0), (0.5, 1), (0.59, 0), (0.59, 1), (1.0, 1)]
    bins = calibration([Forecast(span(0), 0.5, after, out) for after, out in given])
    assert [(one.low, one.high, one.n) for one in bins] == [
        (0.0, 0.1, 1),
        (0.3, 0.4, 2),
        (0.5, 0.6, 3),
        (0.9, 1.0, 1),
    ]
    assert [one.came for one in bins] == pytest.approx([0, 0.5, 2 / 3, 1])
    assert [one.said for one in bins] == pytest.approx([0, 0.325, 0.56, 1])


CHANCES = st.integers(0, 100).map(lambda n: n / 100)
FORECASTS = st.builds(Forecast, st.integers(0, 200).map(span), CHANCES, CHANCES, st.sampled_from([0, 1]))


@given(st.lists(FORECASTS, min_size=2, max_size=40))
def test_what_always_holds(forecasts: list[Forecast]) -> None:
    card = scorecard(forecasts)
    assert card.debate.mean == pytest.approx(float(card.brier[1] - card.brier[0]))
    assert card.debate.error >= 0
    assert 1 <= card.spans <= card.n == sum(one.n for one in calibration(forecasts))
    for one in forecasts:
        control = shrunk(one.before, one.after)
        assert abs(control - F(1, 2)) <= abs(F(str(one.before)) - F(1, 2))
        assert (control - F(1, 2)) * (F(str(one.before)) - F(1, 2)) >= 0
