"""How good probabilities were, once the outcomes are known: 0 or 1 each.

Sources: Brier 1950, "Verification of forecasts expressed in terms of probability"; Good 1952, "Rational decisions";
for errors of overlapping spans Newey and West 1987, "A simple, positive semi-definite ... covariance matrix".
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from fractions import Fraction
from typing import NamedTuple

from phases.maths.exact import Number, bounded, exact

HALF = Fraction(1, 2)

BINS = 10
"""Bins of a calibration, of equal width."""

Span = tuple[date, date]
"""The day a forecast was made, and the day it resolved."""


class Forecast(NamedTuple):
    """A forecast whose outcome is known."""

    span: Span
    before: float
    """Probability before the debate."""
    after: float
    """Probability after it."""
    outcome: int
    """1 if the event came true, else 0."""


class Difference(NamedTuple):
    """A mean of differences between two scores of the same forecasts; below 0 the first is better."""

    mean: float
    error: float
    """Standard error of the mean; infinite for one forecast."""

    @property
    def low(self) -> float:
        """Two standard errors below the mean."""
        return self.mean - 2 * self.error

    @property
    def high(self) -> float:
        """Two standard errors above the mean."""
        return self.mean + 2 * self.error


class Scorecard(NamedTuple):
    """What forecasts were worth, before and after the debate."""

    n: int
    spans: int
    """How many of their spans of time follow one another without overlap."""
    brier: tuple[Fraction, Fraction]
    """Brier score before and after."""
    log: tuple[float, float]
    """Log score before and after."""
    calls: tuple[int, int]
    """How many probabilities after the debate named the outcome, and how many named one: one half does not."""
    debate: Difference
    """Brier score after minus before."""
    control: Difference
    """Brier score after minus that of the control: before, moved to one half as far as the debate moved it."""


class Bin(NamedTuple):
    """Forecasts whose probability after the debate lies in one bin."""

    low: float
    high: float
    n: int
    said: float
    """Mean probability."""
    came: float
    """Share that came true."""


def brier(probabilities: Sequence[Number], outcomes: Sequence[float]) -> Fraction:
    """Mean of (p - outcome)^2: 0 is perfect, 1/4 is what one half gets, 1 is worst.

    Raises ValueError for no pairs, unequal counts, a probability outside 0..1, or an outcome other than 0 and 1.

    >>> brier([0.2, 0.8], [0, 1])
    Fraction(1, 25)
    """
    pairs = _pairs(probabilities, outcomes)
    return sum(((chance - outcome) ** 2 for chance, outcome in pairs), Fraction(0)) / len(pairs)


def log_score(probabilities: Sequence[Number], outcomes: Sequence[float]) -> float:
    """Mean of -ln of what the outcome was given: 0 is perfect, infinity is certainty of the wrong. Raises as `brier`.

    >>> round(log_score([0.2, 0.8], [0, 1]), 7), log_score([0.0], [1])
    (0.2231436, inf)
    """
    given = [chance if outcome else 1 - chance for chance, outcome in _pairs(probabilities, outcomes)]
    return sum(-math.log(one) if one else math.inf for one in given) / len(given) + 0.0


def brier_difference(probabilities: Sequence[Number], outcomes: Sequence[float]) -> Fraction:
    """Brier score minus that of saying one half each time: below 0 is better than that. Raises as `brier`.

    >>> float(brier_difference([0.2, 0.8], [0, 1]))
    -0.21
    """
    return brier(probabilities, outcomes) - brier([HALF] * len(probabilities), outcomes)


def shrunk(before: Number, after: Number) -> Fraction:
    """The probability before, moved to one half by the distance between both, and no farther than one half.

    >>> float(shrunk(0.7, 0.8)), float(shrunk(0.45, 0.3)), float(shrunk(0.4, 0.4))
    (0.6, 0.5, 0.4)
    """
    start, step = exact(before), abs(exact(after) - exact(before))
    return max(start - step, HALF) if start > HALF else min(start + step, HALF)


def scorecard(forecasts: Sequence[Forecast]) -> Scorecard:
    """The scores of forecasts. Raises as `brier`."""
    before, after = [one.before for one in forecasts], [one.after for one in forecasts]
    outcomes, spans = [one.outcome for one in forecasts], [one.span for one in forecasts]
    control = [shrunk(one.before, one.after) for one in forecasts]
    named = [(one > 0.5) == bool(out) for one, out in zip(after, outcomes, strict=True) if one != 0.5]
    return Scorecard(
        n=len(forecasts),
        spans=apart(spans),
        brier=(brier(before, outcomes), brier(after, outcomes)),
        log=(log_score(before, outcomes), log_score(after, outcomes)),
        calls=(sum(named), len(named)),
        debate=paired(after, before, outcomes, spans),
        control=paired(after, control, outcomes, spans),
    )


def paired(
    first: Sequence[Number], other: Sequence[Number], outcomes: Sequence[float], spans: Sequence[Span]
) -> Difference:
    """Mean of the differences of the squared errors of two probabilities each, and its standard error.

    Two forecasts count as one as far as their spans overlap; the error is never below that of independent ones.
    Raises ValueError for unequal counts.
    """
    both = zip(map(float, first), map(float, other), outcomes, strict=True)
    found = [(one - out) ** 2 - (two - out) ** 2 for one, two, out in both]
    n, mean = len(found), math.fsum(found) / len(found)
    if n == 1:
        return Difference(mean, math.inf)
    rest: defaultdict[Span, float] = defaultdict(float)
    for span, one in zip(spans, found, strict=True):
        rest[span] += one - mean
    alone = math.fsum((one - mean) ** 2 for one in found)
    together = math.fsum(
        rest[one] * rest[two] * _shared(one, two) for one in rest for two in rest if one[0] < two[1] and two[0] < one[1]
    )
    return Difference(mean, math.sqrt(max(alone, together) / (n * (n - 1))))


def _shared(one: Span, two: Span) -> float:
    """How far two spans overlap: 1 for the same, 0 for none."""
    days = (min(one[1], two[1]) - max(one[0], two[0])).days
    return days / math.sqrt((one[1] - one[0]).days * (two[1] - two[0]).days)


def apart(spans: Iterable[Span]) -> int:
    """The most spans that do not overlap; one may begin on the day another ends.

    >>> january = [date(2012, 1, day) for day in range(1, 32)]
    >>> apart([(january[1], january[8]), (january[8], january[15]), (january[4], january[11])])
    2
    """
    number, free = 0, date.min
    for start, end in sorted(spans, key=lambda one: one[1]):
        if start >= free:
            number, free = number + 1, end
    return number


def calibration(forecasts: Iterable[Forecast]) -> list[Bin]:
    """Forecasts by probability after the debate, bins that hold any from low to high; 1 lies in the last one."""
    held: defaultdict[int, list[Forecast]] = defaultdict(list)
    for one in forecasts:
        held[min(int(exact(one.after) * BINS), BINS - 1)].append(one)
    return [
        Bin(
            at / BINS,
            (at + 1) / BINS,
            len(found),
            math.fsum(one.after for one in found) / len(found),
            sum(one.outcome for one in found) / len(found),
        )
        for at, found in sorted(held.items())
    ]


def _pairs(probabilities: Sequence[Number], outcomes: Sequence[float]) -> list[tuple[Fraction, int]]:
    if not probabilities or len(probabilities) != len(outcomes):
        raise ValueError(
            f"{len(probabilities)} probabilities, {len(outcomes)} outcomes: allowed is one each, at least one"
        )
    wrong = [one for one in outcomes if isinstance(one, bool) or one not in (0, 1)]
    if wrong:
        raise ValueError(f"outcome {wrong[0]}: allowed is 0 or 1")
    return [(bounded("probability", one, 0, 1), int(out)) for one, out in zip(probabilities, outcomes, strict=True)]
