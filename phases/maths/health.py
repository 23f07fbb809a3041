"""Whether a set of debates is healthy: changes that are not all one, that do not only echo, and no favoured side.

Source: ours. The alarms need at least 10 debates; below that there is nothing to tell.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from phases.maths.exact import decimals

FEWEST = 10
ONE_VALUE = Fraction(4, 5)
ERRORS = 2


class Spread(NamedTuple):
    """How the changes of conviction are spread."""

    counts: dict[int, int]
    """Debates by change, ascending."""
    top: float | None
    """Share of the most frequent change, 4 decimals; absent without a debate."""
    alarm: bool
    """Whether one change takes more than 4/5 of at least 10 debates."""


class Rate(NamedTuple):
    """A share and what it was counted over."""

    share: float | None
    """0..1, 4 decimals; absent if nothing was counted."""
    n: int


class Tilt(NamedTuple):
    """The mean of signed tilts."""

    mean: float | None
    """-1..1, 4 decimals; absent without a debate."""
    error: float | None
    """Standard error of the mean, 4 decimals; absent below two."""
    n: int
    alarm: bool
    """Whether the mean lies beyond 2 standard errors from 0, of at least 10: a side or an order may be favoured."""


def spread(deltas: Sequence[int]) -> Spread:
    """Distribution of the changes, with the alarm for one that takes nearly all.

    >>> spread([0] * 9 + [1]).alarm, spread([1] * 9 + [0]).top, spread([0] * 10).alarm
    (True, 0.9, True)
    """
    counts = dict(sorted(Counter(deltas).items()))
    if not deltas:
        return Spread(counts, None, False)
    top = Fraction(max(counts.values()), len(deltas))
    return Spread(counts, decimals(top, 4), len(deltas) >= FEWEST and top > ONE_VALUE)


def echo(scores: Sequence[int], deltas: Sequence[int]) -> Rate:
    """Share of changes with the score's sign, over the debates in which both have one.

    >>> echo([3, -2, 0, 4], [1, 1, 1, 0])
    Rate(share=0.5, n=2)
    """
    both = [score * delta for score, delta in zip(scores, deltas, strict=True) if score and delta]
    return Rate(decimals(Fraction(sum(one > 0 for one in both), len(both)), 4) if both else None, len(both))


def mean_tilt(tilts: Sequence[float]) -> Tilt:
    """Mean signed tilt, with the alarm for a mean that chance does not explain.

    >>> mean_tilt([0.5, -0.5] * 5)
    Tilt(mean=0.0, error=0.1667, n=10, alarm=False)
    """
    n = len(tilts)
    if not n:
        return Tilt(None, None, 0, False)
    mean = math.fsum(tilts) / n
    if n == 1:
        return Tilt(round(mean, 4), None, 1, False)
    error = math.sqrt(math.fsum((one - mean) ** 2 for one in tilts) / (n - 1) / n)
    return Tilt(round(mean, 4), round(error, 4), n, n >= FEWEST and abs(mean) > ERRORS * error)
