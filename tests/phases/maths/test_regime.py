"""The words of the bias row at and around every stated threshold."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phases.maths import regime

MIRROR = {
    "strong_bullish": "strong_bearish",
    "bullish": "bearish",
    "neutral": "neutral",
    "bearish": "bullish",
    "strong_bearish": "strong_bullish",
}
ORDER = ["strong_bearish", "bearish", "neutral", "bullish", "strong_bullish"]

# function, arguments, word
WORDS = [
    (regime.bias_of, (-9.0,), "strong_bearish"),
    (regime.bias_of, (-0.6,), "strong_bearish"),
    (regime.bias_of, (-0.59,), "bearish"),
    (regime.bias_of, (-0.2,), "bearish"),
    (regime.bias_of, (-0.19,), "neutral"),
    (regime.bias_of, (0.0,), "neutral"),
    (regime.bias_of, (0.19,), "neutral"),
    (regime.bias_of, (0.2,), "bullish"),
    (regime.bias_of, (0.6,), "strong_bullish"),
    (regime.growth, (0.025, None), "expanding"),
    (regime.growth, (0.0249, None), "slowing"),
    (regime.growth, (0.0, None), "slowing"),
    (regime.growth, (-0.001, None), "contracting"),
    (regime.growth, (0.03, 0.9), "expanding"),  # output first
    (regime.growth, (None, 0.0), "expanding"),
    (regime.growth, (None, 0.15), "slowing"),
    (regime.growth, (None, 0.16), "contracting"),
    (regime.growth, (None, None), None),
    (regime.inflation, (0.0251,), "hot"),
    (regime.inflation, (0.025,), "mild"),
    (regime.inflation, (0.015,), "mild"),
    (regime.inflation, (0.0149,), "cold"),
    (regime.inflation, (None,), None),
    (regime.policy, (0.005,), "tightening"),
    (regime.policy, (0.0049,), "neutral"),
    (regime.policy, (-0.0049,), "neutral"),
    (regime.policy, (-0.005,), "easing"),
    (regime.policy, (None,), None),
    (regime.risk_appetite, (0.2, 0.199), "risk on"),
    (regime.risk_appetite, (0.2, 0.2), "mixed"),
    (regime.risk_appetite, (-0.2, 0.2), "risk off"),
    (regime.risk_appetite, (-0.2, 0.199), "mixed"),
    (regime.risk_appetite, (0.19, 0.1), "mixed"),
    (regime.risk_appetite, (None, 0.1), None),
    (regime.risk_appetite, (0.5, None), None),
]


@pytest.mark.parametrize(("function", "given_", "word"), WORDS)
def test_words(function: Callable[..., str | None], given_: tuple[float | None, ...], word: str | None) -> None:
    assert function(*given_) == word


@given(st.floats(-2, 2), st.floats(-2, 2))
def test_bias_is_symmetric_and_monotone(a: float, b: float) -> None:
    assert regime.bias_of(-a) == MIRROR[regime.bias_of(a)]
    low, high = sorted((a, b))
    assert ORDER.index(regime.bias_of(low)) <= ORDER.index(regime.bias_of(high))


@pytest.mark.parametrize(("values", "mean"), [([], None), ([0.5], 0.5), ([1.0, -1.0], 0.0), ([0.25, 0.75], 0.5)])
def test_mean(values: list[float], mean: float | None) -> None:
    assert regime.mean(values) == mean
