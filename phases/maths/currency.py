"""Codes of currencies, and those that prices are quoted in by the hundredth."""

import math
import re

from schemas.currency import CURRENCY_PATTERN

MINOR_UNITS: dict[str, str] = {"GBp": "GBP", "GBX": "GBP", "ZAc": "ZAR", "ZAC": "ZAR", "ILA": "ILS"}
"""The currency itself, by the code of its hundredth: pence, cents of Johannesburg, agorot."""

SMALL = 0.1
"""Amounts below which cents are too coarse."""

_SPELLINGS = {"GBX": "GBp", "ZAC": "ZAc"}


def currency_code(text: str) -> str:
    """The code that a text means; an empty text where it is none, or `gbp`, which may mean either.

    >>> [currency_code(one) for one in ("USD", "usd", "GBX", "GBp", "gbp", "dollars")]
    ['USD', 'USD', 'GBp', 'GBp', '', '']
    """
    if text.islower() and text.upper() not in {*MINOR_UNITS, *MINOR_UNITS.values()}:
        text = text.upper()
    return _SPELLINGS.get(text, text) if re.match(CURRENCY_PATTERN, text) else ""


def usd_digits(value: float) -> int:
    """Decimals that an amount of money is told with: two, and four significant ones of less than ten cents.

    >>> [usd_digits(one) for one in (91.5, 0.1, 0, 0.0456, 2.7e-5)]
    [2, 2, 2, 5, 8]
    """
    return 3 - math.floor(math.log10(abs(value))) if 0 < abs(value) < SMALL else 2
