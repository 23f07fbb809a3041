"""How much a claim weighs: trust in its best evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from schemas.market import Evidence

TIER_WEIGHT: Mapping[int, Fraction] = {
    1: Fraction(1),
    2: Fraction(3, 4),
    3: Fraction(1, 2),
    4: Fraction(1, 4),
}


def claim_weight(cited: Iterable[str], bundle: Mapping[str, Evidence]) -> Fraction:
    """Weight of a claim: tier weight times 1 if fresh or 1/2 if stale, the maximum over its cited ids.

    An id that is not in the bundle weighs nothing, and so does a claim without any.

    >>> claim_weight([], {})
    Fraction(0, 1)
    """
    found = [bundle[name] for name in cited if name in bundle]
    weights = [TIER_WEIGHT[one.tier] * (Fraction(1, 2) if one.stale else 1) for one in found]
    return max(weights, default=Fraction(0))
