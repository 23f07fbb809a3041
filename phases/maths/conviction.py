"""From axis views to one score, stance and probability: monotone, symmetric and exact.

Source of the formulas: the join is a weighted mean with the missing counted as zero; the pooling
of probabilities follows the Neyman aggregate with d = sqrt(n / (1 + (n - 1) rho)) in [1, 3].
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeVar

from phases.maths.aggregation import squared_d
from phases.maths.exact import centred, clamp, decimals, exact, round_half_away
from schemas.base import NetStance, Stance

Name = TypeVar("Name", bound=str)

SIGN: Mapping[Stance, int] = {"sell": -1, "watch": 0, "hold": 0, "buy": 1}


class AxisNumbers(NamedTuple):
    """What one axis says, in numbers."""

    stance: Stance
    conviction: float
    """0..1."""
    probability: float
    """0..1."""


@dataclass(frozen=True)
class Joined:
    """What the axes come to together."""

    score: int
    """Conviction points, -5..5."""
    stance: Stance
    probability: float
    """Of the event, 4 decimals."""
    spread: float | None
    """Highest minus lowest axis probability; absent below two axes."""
    margin: float
    """Distance of the unrounded score's size from the stance boundary 1.5, 4 decimals."""


def join(
    weights: Mapping[Name, Fraction],
    axes: Mapping[Name, AxisNumbers],
    *,
    correlations: Mapping[frozenset[str], Fraction],
    watch_spread: Fraction,
) -> Joined:
    """Join the views of the axes that have one over all configured axes.

    `weights` are positive and belong to the configured axes; an axis without a view counts like
    one that hesitates. `correlations` gives rho for each pair of axes. Raises ValueError without
    a configured axis or for a view of an axis that is not configured.

    >>> view = AxisNumbers("buy", 0.8, 0.6)
    >>> shares, rho = {"a": Fraction(3, 5), "b": Fraction(2, 5)}, {frozenset("ab"): Fraction(3, 10)}
    >>> join(shares, {"a": view}, correlations=rho, watch_spread=Fraction(1, 5))
    Joined(score=2, stance='buy', probability=0.56, spread=None, margin=0.9)
    """
    if not weights or set(axes) - set(weights):
        raise ValueError(f"axes {sorted(axes)} do not belong to the configured {sorted(weights)}")
    whole = sum(weights.values(), Fraction(0))
    shares = {name: weight / whole for name, weight in weights.items()}
    tilt = sum((shares[n] * exact(a.conviction) * SIGN[a.stance] for n, a in axes.items()), Fraction(0))
    raw = 5 * tilt
    score = round_half_away(raw)
    spread = _spread(axes)
    stance = stance_of(score, tie=tilt == 0, spread=spread, watch_spread=watch_spread)
    return Joined(
        score=score,
        stance=stance,
        probability=pooled({n: a.probability for n, a in axes.items()}, shares, correlations),
        spread=None if spread is None else decimals(spread, 4),
        margin=decimals(abs(abs(raw) - Fraction(3, 2)), 4),
    )


def stance_of(score: int, *, tie: bool, spread: Fraction | None, watch_spread: Fraction) -> Stance:
    """The stance that follows from a score, so that the two cannot disagree.

    >>> [stance_of(s, tie=False, spread=None, watch_spread=Fraction(1, 5)) for s in (-2, -1, 2)]
    ['sell', 'hold', 'buy']
    """
    if abs(score) >= 2:
        return "buy" if score > 0 else "sell"
    if tie or spread is None or spread < watch_spread:
        return "hold"
    return "watch"


def _spread(axes: Mapping[Name, AxisNumbers]) -> Fraction | None:
    if len(axes) < 2:
        return None
    said = [exact(axis.probability) for axis in axes.values()]
    return max(said) - min(said)


def pooled(
    probabilities: Mapping[Name, float],
    shares: Mapping[Name, Fraction],
    correlations: Mapping[frozenset[str], Fraction],
) -> float:
    """Probability of the event from the axes' probabilities, 4 decimals.

    .5 + d * sum of share * (p - .5) over the configured axes, a missing one adding 0. d is taken over
    the axes that are present, or over all configured ones where that is smaller: an axis that goes
    missing never makes the rest more extreme.
    """
    if not probabilities:
        return 0.5
    lean = sum((shares[n] * (exact(p) - Fraction(1, 2)) for n, p in probabilities.items()), Fraction(0))
    squared = min(_squared_d({n: shares[n] for n in names}, correlations) for names in (probabilities, shares))
    half = Fraction(1, 2)
    return centred(half + clamp(Fraction(math.sqrt(squared)) * lean, -half, half))


def _squared_d(shares: Mapping[Name, Fraction], correlations: Mapping[frozenset[str], Fraction]) -> Fraction:
    """d^2 of these axes, rho being the mean over their pairs."""
    names = sorted(shares)
    pairs = [frozenset((a, b)) for at, a in enumerate(names) for b in names[at + 1 :]]
    rho = sum((correlations[pair] for pair in pairs), Fraction(0)) / max(len(pairs), 1)
    return squared_d(shares.values(), rho)


def stance_table(net_stance: NetStance, score: int) -> int:
    """Conviction points from the manager's word: one, or two where it contradicts a strong score.

    >>> [stance_table("bullish", 0), stance_table("bullish", -3), stance_table("bearish", 4)]
    [1, 2, -2]
    """
    if net_stance == "neutral":
        return 0
    sign = 1 if net_stance == "bullish" else -1
    return 2 * sign if score * sign <= -3 else sign


def effective_conviction(score: int, delta: int) -> int:
    """Conviction after the debate, within -5..5.

    >>> effective_conviction(5, 1)
    5
    """
    return max(-5, min(5, score + delta))


def probability_after(before: float, delta: int, per_point: Fraction) -> float:
    """Probability after a debate that moved conviction: a fixed step per point, within .01...99.

    Monotone in both, and equal to `before` at delta 0; a `before` outside the bounds widens them.

    >>> probability_after(0.55, -2, Fraction(1, 50))
    0.51
    """
    start = exact(before)
    low, high = min(start, Fraction(1, 100)), max(start, Fraction(99, 100))
    return centred(clamp(start + delta * per_point, low, high))
