"""Exact arithmetic: decisions are made on ratios of whole numbers, never on rounded floats."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction


def exact(value: float | int | str) -> Fraction:
    """The number as it is written: .1 is 1/10, not the nearest binary fraction.

    >>> exact(0.1) + exact("1/5")
    Fraction(3, 10)
    """
    return Fraction(value) if isinstance(value, str) else Fraction(repr(value))


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


def clamp(value: Fraction, low: Fraction | int, high: Fraction | int) -> Fraction:
    """The value, kept within two bounds.

    >>> clamp(Fraction(7, 2), -2, 2)
    Fraction(2, 1)
    """
    return max(Fraction(low), min(Fraction(high), value))
