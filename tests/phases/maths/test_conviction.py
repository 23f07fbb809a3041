"""The join: expected values by hand, from the formula's published rows, and by symmetry."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction as F
from itertools import combinations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from phases.maths.conviction import (
    AxisNumbers,
    Joined,
    effective_conviction,
    join,
    pooled,
    probability_after,
    stance_of,
    stance_table,
)
from phases.maths.exact import exact
from schemas.base import Stance

FIFTH = F(1, 5)
NAMES = "abcd"
MIRROR: Mapping[Stance, Stance] = {"buy": "sell", "sell": "buy", "hold": "hold", "watch": "watch"}


def rho_of(names: str, value: F = F(3, 10)) -> dict[frozenset[str], F]:
    return {frozenset(pair): value for pair in combinations(names, 2)}


def joined(axes: Mapping[str, AxisNumbers], weights: Mapping[str, F] | None = None) -> Joined:
    shares = weights or {name: F(1, 4) for name in NAMES}
    return join(shares, axes, correlations=rho_of(NAMES), watch_spread=FIFTH)


def places(low: int = 0, high: int = 10_000) -> st.SearchStrategy[float]:
    """Numbers of four decimals."""
    return st.integers(low, high).map(lambda n: n / 10_000)


AXIS = st.builds(AxisNumbers, st.sampled_from(["buy", "sell", "hold", "watch"]), places(), places())
AXES = st.dictionaries(st.sampled_from(NAMES), AXIS)
WEIGHTS = st.fixed_dictionaries({name: st.fractions(F(1, 20), F(1), max_denominator=20) for name in NAMES})


def test_four_axes_without_conviction_come_to_nothing() -> None:
    found = joined({name: AxisNumbers("buy", 0.05, 0.505) for name in NAMES})
    assert (found.score, found.stance) == (0, "hold")


def test_an_exact_tie_is_hold_however_far_the_axes_are_apart() -> None:
    tie = {"a": AxisNumbers("buy", 0.6, 0.9), "b": AxisNumbers("sell", 0.6, 0.1)}
    assert joined(tie).stance == "hold"
    near = {**tie, "b": AxisNumbers("sell", 0.5, 0.1)}
    assert (joined(near).score, joined(near).stance) == (0, "watch")


@pytest.mark.parametrize(
    ("score", "tie", "spread", "stance"),
    [
        (5, False, None, "buy"),
        (2, False, F(9, 10), "buy"),
        (1, False, F(1, 5), "watch"),
        (1, False, F(1999, 10000), "hold"),
        (1, False, None, "hold"),
        (0, False, F(1, 5), "watch"),
        (0, True, F(9, 10), "hold"),
        (-1, False, F(1, 5), "watch"),
        (-2, False, F(9, 10), "sell"),
        (-5, False, None, "sell"),
    ],
)
def test_stance_follows_from_the_score(score: int, tie: bool, spread: F | None, stance: Stance) -> None:
    assert stance_of(score, tie=tie, spread=spread, watch_spread=FIFTH) == stance


@pytest.mark.parametrize(
    ("weights", "convictions", "score", "margin"),
    [
        # 5 * (3 * 1/3 * .3) is exactly 1.5, which floats miss, and a half goes away from 0
        (("1/3", "1/3", "1/3"), (0.3, 0.3, 0.3), 2, 0.0),
        (("1/3", "1/3", "1/3"), (0.1, 0.1, 0.1), 1, 1.0),
        (("0.6", "0.4"), (0.7, 0.7), 4, 2.0),
        (("3/5", "2/5"), (0.7, 0.7), 4, 2.0),
        (("3", "2"), (0.7, 0.7), 4, 2.0),
        (("1", "1"), (1.0, 1.0), 5, 3.5),
    ],
)
def test_weights_are_exact_ratios(
    weights: tuple[str, ...], convictions: tuple[float, ...], score: int, margin: float
) -> None:
    shares = {name: exact(weight) for name, weight in zip(NAMES, weights, strict=False)}
    for stance, sign in (("buy", 1), ("sell", -1)):
        axes = {n: AxisNumbers(stance, c, 0.5) for n, c in zip(shares, convictions, strict=True)}
        found = joined(axes, shares)
        assert (found.score, found.margin) == (sign * score, margin)


@given(AXES, WEIGHTS)
def test_score_and_stance_never_disagree(axes: dict[str, AxisNumbers], weights: dict[str, F]) -> None:
    found = joined(axes, weights)
    assert (found.stance == "buy") == (found.score >= 2)
    assert (found.stance == "sell") == (found.score <= -2)
    assert -5 <= found.score <= 5
    assert 0 <= found.probability <= 1


@given(AXES.filter(bool), WEIGHTS, places(-10_000, 10_000), places())
def test_a_better_axis_never_lowers_score_or_probability(
    axes: dict[str, AxisNumbers], weights: dict[str, F], conviction: float, probability: float
) -> None:
    name, old = next(iter(axes.items()))
    signed = {"buy": 1, "sell": -1}.get(old.stance, 0) * old.conviction
    better = max(signed, conviction)
    raised = AxisNumbers("buy" if better > 0 else "sell", abs(better), max(old.probability, probability))
    before, after = joined(axes, weights), joined({**axes, name: raised}, weights)
    assert after.score >= before.score
    assert after.probability >= before.probability


@given(AXES, WEIGHTS)
def test_negating_the_axes_negates_everything(axes: dict[str, AxisNumbers], weights: dict[str, F]) -> None:
    mirrored = {
        n: AxisNumbers(MIRROR[a.stance], a.conviction, float(1 - exact(a.probability))) for n, a in axes.items()
    }
    found, other = joined(axes, weights), joined(mirrored, weights)
    assert (other.score, other.stance) == (-found.score, MIRROR[found.stance])
    assert exact(other.probability) - F(1, 2) == F(1, 2) - exact(found.probability)
    assert (other.spread, other.margin) == (found.spread, found.margin)


HESITANT = AxisNumbers("hold", 0.05, 0.5)


@given(AXES.filter(bool), WEIGHTS)
def test_a_missing_axis_scores_like_a_hesitant_one(axes: dict[str, AxisNumbers], weights: dict[str, F]) -> None:
    name = min(axes)
    missing = {n: a for n, a in axes.items() if n != name}
    assert joined(missing, weights).score == joined({**missing, name: HESITANT}, weights).score


def _tilts(weights: dict[str, F], axes: dict[str, AxisNumbers]) -> tuple[float, float]:
    """Distance from .5 with the axis `a` missing, and with `a` hesitant."""
    found = [
        join(weights, one, correlations=rho_of(NAMES), watch_spread=FIFTH).probability
        for one in (axes, {**axes, "a": HESITANT})
    ]
    return abs(found[0] - 0.5), abs(found[1] - 0.5)


@given(AXIS, st.fractions(F(1, 20), F(19, 20), max_denominator=20))
def test_of_two_axes_a_missing_one_is_never_more_extreme(axis: AxisNumbers, share: F) -> None:
    missing, hesitant = _tilts({"a": share, "b": 1 - share}, {"b": axis})
    assert missing <= hesitant


def test_of_three_axes_a_missing_heavy_one_is_never_more_extreme() -> None:
    # shares .9 .05 .05: n is 2 without the first (d 1.24), 1.227 with it (d 1.07)
    strong = AxisNumbers("buy", 0.9, 0.9)
    missing, hesitant = _tilts({"a": F(9, 10), "b": F(1, 20), "c": F(1, 20)}, {"b": strong, "c": strong})
    assert missing <= hesitant


@pytest.mark.parametrize(
    ("probabilities", "shares", "rho", "expected"),
    [
        # one axis: d = 1, and a share of .6 shows .6 of its lean
        ((0.8,), ("1",), "0.3", 0.8),
        ((0.8,), ("3/5",), "0.3", 0.68),
        # two axes that read the same prices: d = 1, the weighted mean
        ((0.6, 0.5), ("3/5", "2/5"), "1", 0.56),
        # equal shares, rho .3: d = sqrt(2 / 1.3) = 1.24035
        ((0.6, 0.6), ("1/2", "1/2"), "0.3", 0.624),
        # shares .6 .4: n = 1 / .52, d = sqrt(n / (1 + .3 (n - 1))) = 1.22720
        ((0.6, 0.6), ("3/5", "2/5"), "0.3", 0.6227),
        ((0.4, 0.4), ("3/5", "2/5"), "0.3", 0.3773),
        ((0.6, 0.4), ("1/2", "1/2"), "0.3", 0.5),
        # published rows of the Neyman aggregate, base .5, where its clamp does not act
        ((0.35, 0.58, 0.38), ("1/3", "1/3", "1/3"), "0.3", 0.4133),
        ((0.25, 0.25, 0.62), ("1/3", "1/3", "1/3"), "0.3", 0.3266),
        ((0.22, 0.22, 0.22), ("1/3", "1/3", "1/3"), "0.3", 0.1166),
        ((0.65, 0.65, 0.65), ("1/3", "1/3", "1/3"), "0", 0.7598),
        ((0.65, 0.65, 0.65), ("1/3", "1/3", "1/3"), "1", 0.65),
        ((0.8, 0.65, 0.5), ("1/3", "1/3", "1/3"), "0.3", 0.7054),
        ((0.72, 0.58, 0.65), ("1/2", "3/16", "5/16"), "0.3", 0.7281),
        # never past certainty
        ((1.0, 1.0), ("1/2", "1/2"), "0", 1.0),
        ((), (), "0.3", 0.5),
    ],
)
def test_pooled_probability(
    probabilities: tuple[float, ...], shares: tuple[str, ...], rho: str, expected: float
) -> None:
    names = NAMES[: len(probabilities)]
    weights = {name: exact(share) for name, share in zip(names, shares, strict=True)}
    found = pooled(dict(zip(names, probabilities, strict=True)), weights, rho_of(names, exact(rho)))
    assert found == expected


@pytest.mark.parametrize("axes", [{"z": HESITANT}, {"a": HESITANT, "z": HESITANT}])
def test_an_axis_that_is_not_configured_is_refused(axes: dict[str, AxisNumbers]) -> None:
    with pytest.raises(ValueError, match="do not belong to the configured"):
        joined(axes)
    with pytest.raises(ValueError, match="do not belong"):
        join({}, {}, correlations={}, watch_spread=FIFTH)


# net stance, score, delta: the published delta table
DELTAS = [
    ("bullish", 0, 1),
    ("bullish", -2, 1),
    ("bullish", -3, 2),
    ("bullish", -4, 2),
    ("bullish", 5, 1),
    ("bearish", 0, -1),
    ("bearish", 2, -1),
    ("bearish", 3, -2),
    ("bearish", 4, -2),
    ("bearish", -5, -1),
    ("neutral", 5, 0),
]


@pytest.mark.parametrize(("word", "score", "delta"), DELTAS)
def test_stance_table(word: str, score: int, delta: int) -> None:
    assert stance_table(word, score) == delta


@pytest.mark.parametrize(
    ("score", "delta", "after"), [(0, 0, 0), (4, 1, 5), (5, 2, 5), (-5, -1, -5), (-4, 2, -2), (-5, 2, -3)]
)
def test_effective_conviction(score: int, delta: int, after: int) -> None:
    assert effective_conviction(score, delta) == after


@pytest.mark.parametrize(
    ("before", "delta", "per_point", "after"),
    [
        (0.55, -2, F(1, 50), 0.51),
        (0.55, 2, F(1, 50), 0.59),
        (0.98, 2, F(1, 50), 0.99),
        (0.02, -2, F(1, 50), 0.01),
        (0.5, 1, F(1, 3), 0.8333),
    ],
)
def test_probability_after(before: float, delta: int, per_point: F, after: float) -> None:
    assert probability_after(before, delta, per_point) == after


@settings(max_examples=200)
@given(places(), places(), st.integers(-2, 2), st.integers(-2, 2), st.fractions(F(0), F(1, 4)))
@example(0.995, 0.995, 0, 2, F(1, 50))
@example(0.0, 0.0, -1, 0, F(1, 50))
def test_probability_after_is_monotone_and_still_at_0(p: float, q: float, a: int, b: int, step: F) -> None:
    low, high = probability_after(min(p, q), min(a, b), step), probability_after(max(p, q), max(a, b), step)
    assert 0 <= low <= high <= 1
    assert probability_after(p, 0, step) == p
