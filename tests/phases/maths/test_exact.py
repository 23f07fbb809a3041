"""Exact arithmetic: every expected value is written out."""

from __future__ import annotations

import math
from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phases.maths.exact import clamp, decimals, exact, round_half_away


@pytest.mark.parametrize(
    ("written", "ratio"),
    [
        (0.1, F(1, 10)),
        (0.07, F(7, 100)),
        (-0.5, F(-1, 2)),
        (1e-07, F(1, 10**7)),
        (3, F(3)),
        ("0.6", F(3, 5)),
        ("1/3", F(1, 3)),
        ("0.5/2", None),
    ],
)
def test_a_number_is_what_is_written(written: float | int | str, ratio: F | None) -> None:
    if ratio is None:
        with pytest.raises(ValueError, match="Invalid literal"):
            exact(written)
    else:
        assert exact(written) == ratio


@pytest.mark.parametrize(
    ("value", "whole"),
    [
        (F(1, 2), 1),
        (F(-1, 2), -1),
        (F(3, 2), 2),
        (F(5, 2), 3),
        (F(-5, 2), -3),
        (F(49, 100), 0),
        (F(-49, 100), 0),
        (F(0), 0),
        (F(7), 7),
    ],
)
def test_a_half_goes_away_from_zero(value: F, whole: int) -> None:
    assert round_half_away(value) == whole


@pytest.mark.parametrize(
    ("value", "places", "shown"),
    [
        (F(1, 3), 4, 0.3333),
        (F(2, 3), 4, 0.6667),
        (F(1, 8), 2, 0.13),
        (F(-1, 8), 2, -0.13),
        (F(5, 100_000), 4, 0.0001),
        (F(-4, 100_000), 4, 0.0),
        (F(7), 0, 7.0),
    ],
)
def test_decimals(value: F, places: int, shown: float) -> None:
    found = decimals(value, places)
    assert found == shown
    assert math.copysign(1, found) == (-1 if shown < 0 else 1), "never -0.0"


@pytest.mark.parametrize(("value", "kept"), [(F(-3), F(-2)), (F(-2), F(-2)), (F(1, 3), F(1, 3)), (F(9, 4), F(2))])
def test_clamp(value: F, kept: F) -> None:
    assert clamp(value, -2, 2) == kept


@given(st.fractions(), st.fractions())
def test_rounding_is_odd_and_monotone(a: F, b: F) -> None:
    assert round_half_away(-a) == -round_half_away(a)
    assert decimals(-a, 2) == -decimals(a, 2)
    low, high = sorted((a, b))
    assert round_half_away(low) <= round_half_away(high)
    assert abs(round_half_away(a) - a) <= F(1, 2)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_survives_the_way_there_and_back(value: float) -> None:
    assert float(exact(value)) == value
