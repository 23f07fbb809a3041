"""Scores of probabilities: published rows, by hand, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phases.maths.scoring import brier, brier_difference, log_score

PAIRS = st.lists(st.tuples(st.integers(0, 100).map(lambda n: F(n, 100)), st.sampled_from([0, 1])), min_size=1)


def test_published_rows() -> None:
    assert brier([0.2, 0.8], [0, 1]) == F(4, 100)
    assert log_score([0.2, 0.8], [0, 1]) == pytest.approx(0.2231436, abs=1e-7)
    assert brier_difference([0.2, 0.8], [0, 1]) == F(-21, 100)


def test_by_hand() -> None:
    assert brier([0.7, 0.1], [0, 1]) == F(65, 100)
    assert brier_difference([0.5], [1.0]) == 0
    assert (log_score([1.0], [1]), log_score([0.0, 0.5], [1, 1])) == (0, math.inf)


@pytest.mark.parametrize(
    ("probabilities", "outcomes", "message"),
    [
        ([], [], "0 probabilities, 0 outcomes"),
        ([0.5], [1, 0], "1 probabilities, 2 outcomes"),
        ([0.5], [2], "outcome 2: allowed is 0 or 1"),
        ([0.5], [0.5], r"outcome 0\.5"),
        ([0.5], [True], "outcome True"),
        ([0.5], [math.nan], "outcome nan"),
        ([1.5], [1], r"probability 1\.5"),
        ([True], [1], "probability True"),
        ([math.nan], [1], "probability nan"),
    ],
)
def test_refusals(probabilities: list[float], outcomes: list[float], message: str) -> None:
    for score in (brier, log_score, brier_difference):
        with pytest.raises(ValueError, match=message):
            score(probabilities, outcomes)


@given(PAIRS)
def test_bounds_mirror_and_order(pairs: list[tuple[F, int]]) -> None:
    chances, outcomes = [p for p, _ in pairs], [o for _, o in pairs]
    found = brier(chances, outcomes)
    assert 0 <= found <= 1
    assert found == brier([1 - p for p in chances], [1 - o for o in outcomes]) == brier(chances[::-1], outcomes[::-1])
    assert brier_difference(chances, outcomes) == found - F(1, 4)
