"""From several probabilities to one: published rows, refusals, thresholds in decimals, and symmetry."""

from __future__ import annotations

import math
from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phases.maths.aggregation import Aggregate, blend, gaps, log_odds, neyman, squared_d, supervised, verdict
from phases.maths.exact import exact

PROBABILITY = st.integers(0, 10_000).map(lambda n: F(n, 10_000))
PANEL = st.lists(PROBABILITY, min_size=1, max_size=9)


@pytest.mark.parametrize(
    ("probabilities", "rho", "expected"),
    [
        ([0.35, 0.58, 0.38], 0.3, Aggregate(0.4367, 0.4133, 1.3693, 1.88)),
        ([0.22] * 3, 0.3, Aggregate(0.22, 0.1166, 1.3693, 1.88)),
        ([0.65] * 3, 0, Aggregate(0.65, 0.7598, 1.7321, 3.0)),
        ([0.65] * 3, 1, Aggregate(0.65, 0.65, 1.0, 1.0)),
        ([0.9], 0.3, Aggregate(0.9, 0.9, 1.0, 1.0)),
        ([0.95] * 20, 0, Aggregate(0.95, 0.99, 3.0, 9.0)),
        ([0.02] * 3, 0, Aggregate(0.02, 0.01, 1.7321, 3.0)),
    ],
)
def test_neyman_by_hand(probabilities: list[float], rho: float, expected: Aggregate) -> None:
    assert neyman(probabilities, rho, 0.5) == expected


def test_a_given_d_and_another_base() -> None:
    assert neyman([0.6, 0.8], 0.3, 0.6, d=2) == Aggregate(0.7, 0.8, 2.0, 4.0)
    assert neyman([0.6, 0.8], 0.3, 0.5, d=0.5).aggregate == 0.6


def test_weights_are_shares_and_equal_ones_change_nothing() -> None:
    panel = [0.72, 0.58, 0.65]
    assert neyman(panel, 0.3, 0.5, weights=[8, 3, 5]) == neyman(panel, 0.3, 0.5, weights=[0.8, 0.3, 0.5])
    assert neyman(panel, 0.3, 0.5, weights=[2, 2, 2]) == neyman(panel, 0.3, 0.5)
    assert neyman(panel, 0.3, 0.5, weights=[1, 0, 0]) == Aggregate(0.72, 0.72, 1.0, 1.0)
    assert 1 / sum(exact(one) ** 2 for one in (0.5, 0.1875, 0.3125)) == squared_d([F(8), F(3), F(5)], F(0))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"probabilities": []}, "at least one"),
        ({"probabilities": [True]}, "probability True: allowed is a number from 0 to 1"),
        ({"probabilities": [0.5, False]}, "probability False"),
        ({"probabilities": [math.nan]}, "probability nan"),
        ({"probabilities": [math.inf]}, "probability inf"),
        ({"probabilities": [-0.01]}, "probability -0.01"),
        ({"probabilities": [1.01]}, "probability 1.01"),
        ({"rho": -0.1}, "rho -0.1: allowed is a number from 0 to 1"),
        ({"rho": 1.5}, "rho 1.5"),
        ({"base": math.nan}, "base nan"),
        ({"d": 0}, "d 0: allowed is a number above 0"),
        ({"d": -1}, "d -1"),
        ({"d": math.inf}, "d inf"),
        ({"weights": [0, 0]}, r"weights \[0, 0\]: allowed is one for each of 2, not all 0"),
        ({"weights": [-1, 2]}, "weight -1"),
        ({"weights": [math.nan, 1]}, "weight nan"),
        ({"weights": [math.inf, 1]}, "weight inf"),
        ({"weights": [1]}, r"weights \[1\]: allowed is one for each of 2"),
        ({"weights": []}, "allowed is one for each of 2"),
    ],
)
def test_refusals_name_the_value_and_what_is_allowed(words: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        neyman(**{"probabilities": [0.4, 0.6], "rho": 0.3, "base": 0.5, **words})


@given(PANEL, PROBABILITY, PROBABILITY)
def test_the_mirrored_panel_has_the_mirrored_aggregate(panel: list[F], rho: F, base: F) -> None:
    one, other = neyman(panel, rho, base), neyman([1 - p for p in panel], rho, 1 - base)
    assert exact(one.aggregate) + exact(other.aggregate) == 1
    assert exact(one.mean) + exact(other.mean) == 1
    assert (one.d, one.effective_n) == (other.d, other.effective_n)


@given(PANEL.flatmap(lambda panel: st.tuples(st.just(panel), st.permutations(panel))), PROBABILITY, PROBABILITY)
def test_bounds_order_and_side(panels: tuple[list[F], list[F]], rho: F, base: F) -> None:
    found = neyman(panels[0], rho, base)
    assert found == neyman(panels[1], rho, base)
    assert 0.01 <= found.aggregate <= 0.99
    assert 1 <= found.d <= 3
    mean = sum(panels[0], F(0)) / len(panels[0])
    if 0.01 <= mean <= 0.99:
        assert (found.aggregate - float(base)) * (float(mean) - float(base)) >= -1e-4
        assert abs(found.aggregate - float(base)) >= abs(float(mean) - float(base)) - 1e-4 or found.aggregate in (
            0.01,
            0.99,
        )


@given(PANEL, PROBABILITY, PROBABILITY)
def test_more_correlation_never_makes_it_more_extreme(panel: list[F], one: F, other: F) -> None:
    low, high = sorted((one, other))
    assert neyman(panel, high, F(1, 2)).d <= neyman(panel, low, F(1, 2)).d


@pytest.mark.parametrize(
    ("probability", "expected"), [(0.05, 0.0060603), (0.06, 0.0084442), (0.6, 0.6686945), (0.7, 0.8126867), (0.5, 0.5)]
)
def test_log_odds(probability: float, expected: float) -> None:
    assert log_odds(probability) == pytest.approx(expected, abs=1e-7)


def test_log_odds_at_the_edges_and_refusals() -> None:
    assert (log_odds(0), log_odds(1), log_odds(1e-300), log_odds(0.3, 1.0)) == (0, 1, 0, 0.3)
    for probability, factor in ((1.1, 1.0), (True, 1.0), (0.5, 0.0), (0.5, -1.0), (0.5, math.nan)):
        with pytest.raises(ValueError, match="allowed is"):
            log_odds(probability, factor)


@given(PROBABILITY)
def test_log_odds_mirrors_and_moves_away_from_one_half(probability: F) -> None:
    found = log_odds(probability)
    assert found + log_odds(1 - probability) == pytest.approx(1, abs=1e-8)
    assert abs(found - 0.5) >= abs(float(probability) - 0.5) - 1e-8


def test_gaps_of_a_published_debate() -> None:
    found = gaps([(0.65, 0.25), (0.65, 0.28), (0.68, 0.28)], threshold=0.05, cap=3)
    assert found.gaps == (F(2, 5), F(37, 100), F(2, 5))
    assert found.midpoints == (F(45, 100), F(465, 1000), F(48, 100))
    assert (found.change, found.consensus, found.early) == (0, False, False)


def test_a_round_with_one_side_is_left_out_but_was_held() -> None:
    found = gaps([(0.6, 0.2), (0.6, None), (None, None), (0.42, 0.4)], threshold=0.05, cap=4)
    assert (found.gaps, found.change) == ((F(2, 5), F(1, 50)), F(-38, 100))
    assert (found.consensus, found.early) == (True, False)
    none = gaps([(None, 0.4)], threshold=0.05, cap=3)
    assert (none.gaps, none.midpoints, none.change, none.consensus, none.early) == ((), (), None, False, False)


@pytest.mark.parametrize(
    ("bear", "consensus"), [(0.45, False), (0.4501, True), (0.45004, False), (0.5, True), (0.55, False)]
)
def test_consensus_is_strict_in_decimals(bear: float, consensus: bool) -> None:
    found = gaps([(0.5, bear)], threshold=0.05, cap=3)
    assert (found.consensus, found.early) == (consensus, consensus)
    assert not gaps([(0.5, bear)], threshold=0.05, cap=1).early


def test_gaps_refuse_what_is_no_probability() -> None:
    for wrong in (1.5, -0.1, math.nan, True):
        with pytest.raises(ValueError, match="probability"):
            gaps([(wrong, 0.5)], threshold=0.05, cap=3)


@pytest.mark.parametrize(
    ("spread", "change", "expected"),
    [
        (0.0499, -0.5, "panel_agreed"),
        (0.05, -0.5, "narrowed"),
        (0.04996, -0.5, "narrowed"),
        (None, -0.5, "narrowed"),
        (None, 0.0, "held"),
        (0.0, None, "panel_agreed"),
        (None, None, None),
        (0.3, None, None),
        (0.3, 0.45 - 0.5, "held"),
        (0.3, 0.5 - 0.45, "held"),
        (0.3, -0.0501, "narrowed"),
        (0.3, 0.0501, "widened"),
        (0.3, -0.05004, "held"),
    ],
)
def test_verdict(spread: float | None, change: float | None, expected: str | None) -> None:
    assert verdict(spread, change, min_panel=0.05, min_closure=0.05) == expected


@given(st.none() | PROBABILITY, PROBABILITY)
def test_narrowed_mirrors_widened(spread: F | None, change: F) -> None:
    words = {"narrowed": "widened", "widened": "narrowed"}
    one, other = (verdict(spread, c, min_panel=0.05, min_closure=0.05) for c in (change, -change))
    assert words.get(str(one), one) == other


def _blend(aggregate: float | None, midpoint: float | None, **words: Any) -> F | None:
    given = {"mean": 0.4367, "weight": 0.3, "only_if": "always", "consensus": False, "verdict": "held"}
    return blend(aggregate, midpoint, **{**given, **words})


def test_blend_is_exact() -> None:
    assert _blend(0.4133, 0.48) == F(43331, 100_000)
    assert _blend(0.3266, 0.425) == F(35612, 100_000)
    assert _blend(0.1166, 0.3) == F(17162, 100_000)


@pytest.mark.parametrize(
    ("only_if", "consensus", "judged", "blended"),
    [
        ("consensus", True, "held", True),
        ("consensus", False, "narrowed", False),
        ("narrowed", False, "narrowed", True),
        ("narrowed", True, "panel_agreed", False),
        ("narrowed", True, None, False),
        ("always", False, None, True),
    ],
)
def test_blend_only_if(only_if: str, consensus: bool, judged: str | None, blended: bool) -> None:
    found = _blend(0.4, 0.6, only_if=only_if, consensus=consensus, verdict=judged)
    assert found == (F(46, 100) if blended else F(2, 5))


def test_the_mean_stands_in_for_an_absent_aggregate_and_never_for_zero() -> None:
    assert _blend(None, 0.6, mean=0.5) == F(53, 100)
    assert _blend(0.0, 0.6, mean=0.5) == F(18, 100)
    assert _blend(None, None, mean=0.0) == 0
    assert _blend(None, 0.6, mean=None) is None
    with pytest.raises(ValueError, match=r"weight 1\.5"):
        _blend(0.4, 0.6, weight=1.5)


def test_the_supervisors_gate() -> None:
    assert supervised(0.35612, 0.15, "medium") == F(273672, 1_000_000)
    assert supervised(0.17162, 0.18, "medium") == F(174972, 1_000_000)
    assert supervised(0.35612, 0.15, "high") == F(15, 100)
    assert supervised(None, 0.0, "high") == 0
    assert supervised(None, 0.5, "medium") is None
    assert supervised(0.4, 0.9, "medium", medium=0) == F(2, 5)
    for probability, confidence in ((0.15, "low"), (0.15, None), (None, "high"), (None, "medium"), (None, None)):
        assert supervised(0.4, probability, confidence) == F(2, 5)  # type: ignore[arg-type]
