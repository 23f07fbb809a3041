"""From several probabilities of one event to one, and what a debate between two of them did.

Sources: the aggregate is Neyman and Roughgarden 2022, "Are you smarter than a random expert?", in the form
d = sqrt(n / (1 + (n - 1) rho)); the log-odds alternative and its factor sqrt(3) are Alur et al. 2025, "AIA
Forecaster". Gap, verdict, blend and the supervisor's gate are those of Jansen, "Machine Learning for Trading",
chapter 24. Everything but the root is exact; thresholds are compared at 4 decimals, so that -.05 is -.05.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from phases.maths.exact import Number, bounded, centred, clamp, decimals, exact, round_half_away

Verdict = Literal["panel_agreed", "narrowed", "widened", "held"]
OnlyIf = Literal["always", "consensus", "narrowed"]
Confidence = Literal["high", "medium", "low"]

HALF = Fraction(1, 2)
MEDIUM_WEIGHT = Fraction(2, 5)
"""Share of a supervisor of medium confidence in the forecast."""


@dataclass(frozen=True)
class Aggregate:
    """Several probabilities as one."""

    mean: float
    """Weighted mean, 4 decimals."""
    aggregate: float
    """The mean moved away from the base, .01...99, 4 decimals."""
    d: float
    """Factor of that move, 1..3 unless given; 4 decimals."""
    effective_n: float
    """d^2: how many independent forecasters the panel is worth; 2 decimals."""


def neyman(
    probabilities: Sequence[Number],
    rho: Number,
    base: Number,
    *,
    weights: Sequence[Number] | None = None,
    d: Number | None = None,
) -> Aggregate:
    """base + d (mean - base), within .01...99, from probabilities 0..1 of forecasters that correlate by rho.

    d is sqrt(n / (1 + (n - 1) rho)) within 1..3, or what is given. With weights (one each, at least 0, not all
    0) the mean is weighted and n = 1 / sum of squared shares. Mirrored probabilities and base give the mirrored
    aggregate, and the order does not matter. Raises ValueError where nothing is given, for a boolean, NaN or
    infinity, for a number out of its bounds, for d <= 0, and for weights that are not as above.

    >>> neyman([0.35, 0.58, 0.38], 0.3, 0.5)
    Aggregate(mean=0.4367, aggregate=0.4133, d=1.3693, effective_n=1.88)
    >>> neyman([0.72, 0.58, 0.65], 0.3, 0.5, weights=[0.8, 0.3, 0.5]).effective_n
    1.76
    """
    said = [bounded("probability", one, 0, 1) for one in probabilities]
    if not said:
        raise ValueError("probabilities []: allowed is at least one")
    shares = _shares(weights, len(said))
    correlation, centre = bounded("rho", rho, 0, 1), bounded("base", base, 0, 1)
    squared = squared_d(shares, correlation) if d is None else bounded("d", d, 0, math.inf) ** 2
    if not squared:
        raise ValueError(f"d {d}: allowed is a number above 0")
    factor = Fraction(math.sqrt(squared)) if d is None else exact(d)
    mean = sum((share * one for share, one in zip(shares, said, strict=True)), Fraction(0))
    moved = clamp(centre + factor * (mean - centre), Fraction(1, 100), Fraction(99, 100))
    return Aggregate(centred(mean), centred(moved), decimals(factor, 4), decimals(squared, 2))


def _shares(weights: Sequence[Number] | None, count: int) -> list[Fraction]:
    given = [Fraction(1)] * count if weights is None else [bounded("weight", one, 0, math.inf) for one in weights]
    whole = sum(given, Fraction(0))
    if len(given) != count or not whole:
        raise ValueError(f"weights {list(weights or ())}: allowed is one for each of {count}, not all 0")
    return [one / whole for one in given]


def squared_d(shares: Collection[Fraction], rho: Fraction) -> Fraction:
    """d^2 = n / (1 + (n - 1) rho) in 1..9, with n = 1 / sum of squared shares; the shares need not add up to 1.

    >>> squared_d([Fraction(1)] * 3, Fraction(3, 10))
    Fraction(15, 8)
    """
    whole = sum(shares, Fraction(0))
    effective = 1 / sum(((share / whole) ** 2 for share in shares), Fraction(0))
    return clamp(effective / (1 + (effective - 1) * rho), 1, 9)


def log_odds(probability: Number, factor: float = math.sqrt(3)) -> float:
    """sigma(factor * logit(p)), 9 decimals; 0 and 1 stay. Raises ValueError outside 0..1 or for a factor <= 0.

    Computed as p^factor / (p^factor + (1 - p)^factor), which is the same.

    >>> log_odds(0.06), log_odds(1.0)
    (0.00844417, 1.0)
    """
    if not bounded("factor", factor, 0, math.inf):
        raise ValueError(f"factor {factor}: allowed is a number above 0")
    chance = bounded("probability", probability, 0, 1)
    yes, no = math.pow(chance, factor), math.pow(1 - chance, factor)
    return round(yes / (yes + no), 9)


@dataclass(frozen=True)
class Gaps:
    """How far two sides stood apart, over the rounds in which both gave a probability."""

    gaps: tuple[Fraction, ...]
    """|bull - bear| of each such round."""
    midpoints: tuple[Fraction, ...]
    """(bull + bear) / 2 of each such round."""
    change: Fraction | None
    """Last gap minus first; absent without such a round."""
    consensus: bool
    """Whether the last gap is below the threshold."""
    early: bool
    """Whether consensus came before the cap."""


def gaps(rounds: Sequence[tuple[Number | None, Number | None]], *, threshold: Number, cap: int) -> Gaps:
    """Gaps of a debate from (bull, bear) of every round held; a round in which one is absent counts as held only.

    Raises ValueError for a probability outside 0..1.

    >>> found = gaps([(0.68, 0.18), (None, 0.2), (0.65, 0.2)], threshold=0.05, cap=3)
    >>> [float(one) for one in (*found.gaps, *found.midpoints, found.change)]
    [0.5, 0.45, 0.43, 0.425, -0.05]
    """
    pairs = [
        (bounded("probability", bull, 0, 1), bounded("probability", bear, 0, 1))
        for bull, bear in rounds
        if bull is not None and bear is not None
    ]
    apart = tuple(abs(bull - bear) for bull, bear in pairs)
    consensus = bool(apart) and _places(apart[-1]) < _places(threshold)
    return Gaps(
        gaps=apart,
        midpoints=tuple((bull + bear) / 2 for bull, bear in pairs),
        change=apart[-1] - apart[0] if apart else None,
        consensus=consensus,
        early=consensus and len(rounds) < cap,
    )


def _places(value: Number) -> int:
    """The number in units of the 4th decimal, for comparisons."""
    return round_half_away(exact(value) * 10_000)


def verdict(spread: Number | None, change: Number | None, *, min_panel: Number, min_closure: Number) -> Verdict | None:
    """What the debate did to the gap; absent where there is no gap and no agreed panel.

    In this order: a spread of the panel below `min_panel` is `panel_agreed` (an absent spread is not); a gap
    that closed by more than `min_closure` is `narrowed`; one that opened by more is `widened`; else `held`.

    >>> [verdict(0.37, change, min_panel=0.05, min_closure=0.05) for change in (-0.06, -0.05, 0.06)]
    ['narrowed', 'held', 'widened']
    """
    if spread is not None and _places(spread) < _places(min_panel):
        return "panel_agreed"
    if change is None:
        return None
    moved, tolerance = _places(change), _places(min_closure)
    if abs(moved) <= tolerance:
        return "held"
    return "narrowed" if moved < 0 else "widened"


def blend(
    aggregate: Number | None,
    midpoint: Number | None,
    *,
    mean: Number | None,
    weight: Number,
    only_if: OnlyIf,
    consensus: bool,
    verdict: Verdict | None,
) -> Fraction | None:
    """(1 - weight) * aggregate + weight * last midpoint, where `only_if` holds and there is a midpoint.

    Otherwise the aggregate stays. The mean stands in for an aggregate that is absent, not for one that is 0;
    without either there is no forecast. Raises ValueError for a weight outside 0..1.

    >>> said = {"mean": 0.4367, "only_if": "consensus", "verdict": "held"}
    >>> [float(blend(0.4133, 0.48, weight=0.3, consensus=c, **said)) for c in (True, False)]
    [0.43331, 0.4133]
    """
    share = bounded("weight", weight, 0, 1)
    start = mean if aggregate is None else aggregate
    if start is None:
        return None
    holds = {"always": True, "consensus": consensus, "narrowed": verdict == "narrowed"}[only_if]
    if midpoint is None or not holds:
        return exact(start)
    return (1 - share) * exact(start) + share * exact(midpoint)


def supervised(
    forecast: Number | None,
    probability: Number | None,
    confidence: Confidence | None,
    *,
    medium: Number = MEDIUM_WEIGHT,
) -> Fraction | None:
    """The forecast after a supervisor: high confidence replaces it, medium is blended in, low or absent is ignored.

    >>> float(supervised(0.35612, 0.15, "medium")), float(supervised(0.35612, 0.15, "low"))
    (0.273672, 0.35612)
    """
    if probability is not None and confidence == "high":
        return bounded("probability", probability, 0, 1)
    if forecast is None or probability is None or confidence != "medium":
        return None if forecast is None else exact(forecast)
    share = bounded("medium", medium, 0, 1)
    return (1 - share) * exact(forecast) + share * bounded("probability", probability, 0, 1)
