"""The view a row hands to a portfolio: how much return over the benchmark a probability stands for, and its trust.

The event is "the return over the horizon exceeds the benchmark's". If the excess return over the
horizon is normal with deviation s, the event has probability p where its mean is z(p) * s, z the
quantile of the standard normal. Sign and size are both in z.

The trust is **reasoned, not fitted**: half at most, less where evidence is absent, where the sides
ended apart, and where the debate drove them apart.
"""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import Final, Literal

from phases.maths.exact import Number, clamp, decimals, exact

YEAR: Final = 252
"""Sessions in a year."""

LOWEST, HIGHEST = Fraction(35, 100), Fraction(65, 100)
"""No probability counts for more than this: there the view would grow faster than any evidence for it."""

FLAT = Fraction(1, 100)
"""A probability nearer to one half is no view."""

UNDISPUTED = Fraction(3, 4)
"""Factor of a debate that neither closed nor opened the gap, or had none."""

TRUST = {
    "narrowed": Fraction(1),
    "held": UNDISPUTED,
    "panel_agreed": UNDISPUTED,
    "widened": Fraction(1, 2),
    "gated": Fraction(1, 2),
}
"""Factor by what the debate did to the gap; `gated` where there was no debate."""

Verdict = Literal["narrowed", "held", "panel_agreed", "widened", "gated"]


def excess_view(probability: Number, volatility: float, sessions: int) -> float | None:
    """Expected return over the benchmark within so many sessions, a ratio, 6 decimals; None for no view.

    `volatility` is that of the daily excess return, a year. There is no view within .01 of one half,
    nor where nothing sets the two returns apart (0).

    >>> excess_view(0.56, 0.25, 21), excess_view(0.44, 0.25, 21)
    (0.010895, -0.010895)
    >>> excess_view(0.505, 0.25, 21) is None, excess_view(0.9, 0.25, 21) == excess_view(0.65, 0.25, 21)
    (True, True)
    """
    chance = exact(probability)
    if abs(chance - Fraction(1, 2)) < FLAT or volatility <= 0:
        return None
    counted = clamp(chance, LOWEST, HIGHEST)
    size = NormalDist().inv_cdf(float(max(counted, 1 - counted)))  # p and 1 - p give one size to the last digit
    view = round(size * volatility * math.sqrt(sessions / YEAR), 6)
    return view if chance > Fraction(1, 2) else 0.0 - view


def annual(view: float, sessions: int) -> float:
    """A view over so many sessions, a year: returns add up over time, so it is times 252 / sessions, not its root.

    >>> round(annual(0.010895, 21), 4)
    0.1307
    """
    return view * YEAR / sessions


def daily(view: float, sessions: int) -> float:
    """A view over so many sessions, a session.

    >>> round(daily(0.010895, 21), 6)
    0.000519
    """
    return view / sessions


def view_confidence(present: Fraction, gap: Number, verdict: Verdict | None) -> float:
    """Trust in a view, 0..0.5, 4 decimals: 1/2 x present x (1 - gap) x a factor of the verdict.

    `present` is the weight of the axes that have a view among all configured, 0..1; `gap` the distance
    of the sides at the end, or of the panel where the sides gave none, with no verdict then.

    >>> view_confidence(Fraction(1), 0.2, "narrowed"), view_confidence(Fraction(3, 5), 0.1, None)
    (0.4, 0.2025)
    """
    factor = UNDISPUTED if verdict is None else TRUST[verdict]
    return decimals(Fraction(1, 2) * present * (1 - exact(gap)) * factor, 4)
