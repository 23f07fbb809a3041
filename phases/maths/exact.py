"""Exact arithmetic: decisions are made on ratios of whole numbers, never on rounded floats."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

Number = float | Fraction
"""A number, exact or as it was read."""


def exact(value: Number | str) -> Fraction:
    """The number as it is written: .1 is 1/10, not the nearest binary fraction.

    >>> exact(0.1) + exact("1/5")
    Fraction(3, 10)
    """
    return Fraction(value) if isinstance(value, str | Fraction) else Fraction(repr(value))


def bounded(name: str, value: Number, low: int, high: float) -> Fraction:
    """The number as it is written, if it lies in low..high and is finite.

    Raises ValueError with the name, the value and what is allowed; a boolean or NaN is no number.

    >>> bounded("rho", 1.5, 0, 1)
    Traceback (most recent call last):
        ...
    ValueError: rho 1.5: allowed is a number from 0 to 1
    """
    if isinstance(value, bool) or not low <= value <= high or value == math.inf:
        raise ValueError(f"{name} {value}: allowed is a number from {low} to {high}")
    return exact(value)


def round_half_away(value: Fraction) -> int:
    """Nearest whole number; a half goes away from zero, on both sides alike.

    >>> [round_half_away(Fraction(n, 2)) for n in (-3, -1, 1, 3)]
    [-2, -1, 1, 2]
    """
    size = int(abs(value) + Fraction(1, 2))
    return size if value >= 0 else -size


def decimals(value: Fraction, places: int) -> float:
    """The ratio rounded to that many decimals, halves away from zero.

    >>> decimals(Fraction(-1, 8), 2)
    -0.13
    """
    scaled = round_half_away(value * 10**places)
    return float(Decimal(scaled).scaleb(-places)) if scaled else 0.0


def centred(probability: Fraction) -> float:
    """4 decimals, rounded away from .5, so that p and 1 - p round alike.

    >>> centred(Fraction(56785, 100_000)), centred(Fraction(43215, 100_000))
    (0.5679, 0.4321)
    """
    half = Fraction(1, 2)
    return float(half + exact(decimals(probability - half, 4)))


def clamp(value: Fraction, low: Fraction | int, high: Fraction | int) -> Fraction:
    """The value, kept within two bounds.

    >>> clamp(Fraction(7, 2), -2, 2)
    Fraction(2, 1)
    """
    return max(Fraction(low), min(Fraction(high), value))
