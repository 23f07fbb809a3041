"""How good probabilities were, once the outcomes are known: 0 or 1 each.

Sources: Brier 1950, "Verification of forecasts expressed in terms of probability"; Good 1952, "Rational decisions".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from phases.maths.exact import Number, bounded

HALF = Fraction(1, 2)


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


def _pairs(probabilities: Sequence[Number], outcomes: Sequence[float]) -> list[tuple[Fraction, int]]:
    if not probabilities or len(probabilities) != len(outcomes):
        raise ValueError(
            f"{len(probabilities)} probabilities, {len(outcomes)} outcomes: allowed is one each, at least one"
        )
    wrong = [one for one in outcomes if isinstance(one, bool) or one not in (0, 1)]
    if wrong:
        raise ValueError(f"outcome {wrong[0]}: allowed is 0 or 1")
    return [(bounded("probability", one, 0, 1), int(out)) for one, out in zip(probabilities, outcomes, strict=True)]
