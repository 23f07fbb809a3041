"""How the offline desk weighs: strength of an item, the strongest of a side, the mean of the whole, a probability."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from phases.maths.exact import decimals, exact
from phases.maths.lean import LEANS
from schemas.market import Evidence

SUMMARIES = ("axis", "bias")
"""Families that restate other evidence; no case is led by them."""

GAIN = Fraction(3, 2)
"""Mean lean of 2/3 is full conviction."""

PER_LEAN = Fraction(1, 10)
"""How far a full lean moves a probability."""


def strength(item: Evidence) -> float:
    """How strongly an item speaks: the size of its lean, half if stale."""
    return abs(item.lean) * (0.5 if item.stale else 1.0)


def pull(item: Evidence | None, side: int) -> float:
    """Strength of an item where it speaks for a side (1 for the event, -1 against), else 0."""
    return strength(item) if item is not None and item.lean * side > 0 else 0.0


def ranked(items: Iterable[Evidence]) -> list[Evidence]:
    """Items that have a direction and restate no other, strongest first, ties by id."""
    own = [item for item in items if item.lean and item.id.partition(".")[0] not in SUMMARIES]
    return sorted(own, key=lambda item: (-strength(item), item.id))


def strongest(items: Iterable[Evidence], side: int) -> list[Evidence]:
    """Items that speak for a side, strongest first, ties by id."""
    return [item for item in ranked(items) if item.lean * side > 0]


def heaviest(cited: Iterable[str], bundle: Mapping[str, Evidence], side: int) -> Evidence | None:
    """The cited item that speaks most for a side, ties by id; absent if no id is in the bundle."""
    found = [bundle[name] for name in cited if name in bundle]
    return min(found, key=lambda item: (-pull(item, side), item.id), default=None)


def directed(items: Iterable[Evidence]) -> list[Evidence]:
    """Items that have a direction, or would have one at another value."""
    return [item for item in items if item.id in LEANS or item.lean]


def mean_lean(items: Iterable[Evidence]) -> Fraction:
    """Mean lean of the directed items that restate no other, a stale one counting half; -1..1, 0 without any."""
    found = [item for item in directed(items) if item.id.partition(".")[0] not in SUMMARIES]
    leans = [exact(item.lean) / (2 if item.stale else 1) for item in found]
    return sum(leans, Fraction(0)) / len(leans) if leans else Fraction(0)


def chance(lean: Fraction) -> Fraction:
    """Probability of the event at a lean of the whole: .5 + .10 * lean, four decimals, the same on both sides.

    >>> float(chance(Fraction(1, 2))), float(chance(Fraction(-1, 3)))
    (0.55, 0.4667)
    """
    return Fraction(1, 2) + exact(decimals(PER_LEAN * lean, 4))
