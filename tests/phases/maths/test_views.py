"""What a probability is worth as a return: the design's hand calculation, SciPy's normal quantile, and the limits."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from phases.maths.views import annual, daily, excess_view, view_confidence


def test_the_hand_calculation() -> None:
    """p .56, 25 % a year, 21 sessions: z .15097, so 1.090 % a horizon, 13.07 % a year, .0519 % a day."""
    view = excess_view(0.56, 0.25, 21)
    assert view is not None
    assert view == pytest.approx(0.15097 * 0.25 / math.sqrt(252) * math.sqrt(21), abs=1e-6)
    assert round(100 * view, 2) == 1.09
    assert round(100 * annual(view, 21), 2) == 13.07
    assert round(100 * daily(view, 21), 4) == 0.0519
    assert annual(view, 21) == pytest.approx(252 * daily(view, 21))


@pytest.mark.parametrize("sessions", [5, 21, 63, 252])
@pytest.mark.parametrize("probability", [0.35, 0.41, 0.49, 0.51, 0.6, 0.65])
def test_it_is_the_normal_quantile_times_the_deviation_of_the_horizon(probability: float, sessions: int) -> None:
    expected = norm.ppf(probability) * 0.31 / math.sqrt(252) * math.sqrt(sessions)
    assert excess_view(probability, 0.31, sessions) == pytest.approx(expected, abs=6e-7)


@pytest.mark.parametrize(
    ("probability", "is_view"), [(0.5, False), (0.509, False), (0.4901, False), (0.51, True), (0.49, True)]
)
def test_within_a_hundredth_of_one_half_there_is_no_view(probability: float, is_view: bool) -> None:
    assert (excess_view(probability, 0.25, 21) is not None) is is_view


@pytest.mark.parametrize("probability", [0.65, 0.7, 0.99, 1.0])
def test_no_probability_counts_for_more_than_the_bounds(probability: float) -> None:
    assert excess_view(probability, 0.25, 21) == excess_view(0.65, 0.25, 21)
    assert excess_view(1 - probability, 0.25, 21) == excess_view(0.35, 0.25, 21)


def test_without_a_volatility_there_is_no_view() -> None:
    assert excess_view(0.6, 0.0, 21) is None


@given(st.integers(0, 10_000), st.integers(1, 30_000), st.integers(1, 252))
def test_swapping_the_sides_negates_it(chance: int, volatility: int, sessions: int) -> None:
    probability = Fraction(chance, 10_000)
    up, down = (excess_view(one, volatility / 10_000, sessions) for one in (probability, 1 - probability))
    assert (up is None) is (down is None)
    if up is not None and down is not None:
        assert up == -down
        assert math.copysign(1, up) == math.copysign(1, down) == 1 if up == 0 else up * (chance - 5000) > 0


@given(st.integers(5_100, 6_499), st.integers(500, 20_000))
def test_more_probability_is_never_a_smaller_view(chance: int, volatility: int) -> None:
    low, high = (excess_view(Fraction(one, 10_000), volatility / 10_000, 21) for one in (chance, chance + 1))
    assert low is not None and high is not None and low <= high


@pytest.mark.parametrize(
    ("present", "gap", "verdict", "expected"),
    [
        (Fraction(1), 0.0, "narrowed", 0.5),
        (Fraction(1), 0.25, "narrowed", 0.375),  # .5 x .75
        (Fraction(1), 0.2, "held", 0.3),  # .5 x .8 x .75
        (Fraction(1), 0.2, "panel_agreed", 0.3),
        (Fraction(1), 0.2, "widened", 0.2),  # .5 x .8 x .5
        (Fraction(1), 0.2, "gated", 0.2),
        (Fraction(3, 5), 0.1, None, 0.2025),  # .5 x .6 x .9 x .75
        (Fraction(1), 1.0, "narrowed", 0.0),
        (Fraction(0), 0.0, "narrowed", 0.0),
    ],
)
def test_the_trust_by_hand(present: Fraction, gap: float, verdict: object, expected: float) -> None:
    assert view_confidence(present, gap, verdict) == expected  # type: ignore[arg-type]
