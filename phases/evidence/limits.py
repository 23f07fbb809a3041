"""What an item of a company can be. One that cannot be is an error of its source, and no evidence.

Limits are wide: more than companies that live by what they sell have shown. They catch percent for ratios, millions for
whole units and a slip of the decimal point; never a loss, however large, nor a company that has just begun to sell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from phases.evidence.books import Value

PERCENT = (80.0, 125.0)
"""How many times what its parts come to a ratio is that is in percent."""

NEAR = 0.1
"""How far, of itself, a ratio may be from what its parts come to and yet be confirmed by them."""


OFF = 2.0
"""How many times what it is by definition a multiple may be, or the reverse: both are of one answer and differ by the
price of a day. A slip of the decimal point is 10."""


class Limits(NamedTuple):
    """What one item can be."""

    low: float
    high: float
    told: float | None = None
    """The most a source can say it is, without its parts; absent where `high` is."""


LIMITS: Mapping[str, Limits] = {
    "fa.market_cap": Limits(1e3, 5e13),
    "fa.pe_trailing": Limits(0.01, 50_000),
    "fa.pe_forward": Limits(0.01, 50_000),
    "fa.ev_ebitda": Limits(0.001, 50_000),
    "fa.pb": Limits(0.001, 50_000),
    "fa.fcf_yield": Limits(-2, 2),
    "fa.gross_margin": Limits(-10_000, 1),
    "fa.operating_margin": Limits(-10_000, 1),
    "fa.net_margin": Limits(-10_000, 10, 1),
    "fa.revenue_growth": Limits(-1, 1000),
    "fa.earnings_growth": Limits(-1000, 10_000),
    "fa.net_debt_ebitda": Limits(-5000, 5000),
    "fa.roe": Limits(-20, 20),
}
"""Every item that a source's figures make, in its unit (0.05 is 5 percent). A net margin is above 1 where a part of
the company was sold: its parts say so too."""


def beyond(id: str, value: Value, parts: Value | None = None) -> str | None:
    """Why a value cannot be, or is not what its parts come to; None where it can."""
    limits = LIMITS[id]
    high = limits.high if limits.told is None or not value.told else limits.told
    if value.told and parts is not None and not parts.told:
        if abs(value.amount - parts.amount) <= NEAR * abs(parts.amount):
            high = limits.high
        elif parts.amount and PERCENT[0] < value.amount / parts.amount < PERCENT[1]:
            return f"{value.amount:g} of {value.ended} is 100 times what its parts come to, {parts.amount:.4g}"
    if limits.low <= value.amount <= high:
        return None
    return f"{value.amount:g} of {value.ended} cannot be, {limits.low:g} to {high:g} can"


def off(value: Value, defined: Value | None) -> str | None:
    """Why a multiple that a source gives is not what its own price and figure make it; None where it can be."""
    if not value.told or defined is None or defined.amount <= 0 or 1 / OFF <= value.amount / defined.amount <= OFF:
        return None
    return f"{value.amount:g} of {value.ended} is not what it is by definition, {defined.amount:.4g}"
