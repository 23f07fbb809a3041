"""The one table that gives each evidence id its lean.

A lean is the direction of a fact for the event, -1..1: 1 fully for, -1 fully against, 0 neutral.
The event is "total return over the next 21 sessions exceeds the benchmark's".

The centres, scales and signs are **conventions, not fitted**: what a chart reader would say, with
centres where a usual day is neutral. Their measured skill is none: rank IC +0.012 at one month,
t 0.74, from a prototype. They exist so that both sides of a debate read the same fact the same way,
and as the null that a model has to beat.

Index-wide facts move a stock and its benchmark alike, so they say little about the difference:
every `macro.*` lean is halved (`MACRO_WEIGHT`) and stays within ±.5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

MACRO_WEIGHT: Final = 0.5
"""Share of a full lean that an index-wide fact may have."""


@dataclass(frozen=True)
class LeanRule:
    """How a value becomes a lean: weight * clip(sign * (value - centre) / scale, -1, 1)."""

    centre: float
    """Value that is neutral, in the unit of the evidence."""
    scale: float
    """Distance from the centre at which the lean is full; above 0."""
    sign: Literal[-1, 1]
    """1 if more of it speaks for the event, -1 if against."""
    why: str
    """The convention behind the row."""
    weight: float = 1.0
    """Size of the full lean, 0..1."""


def _macro(centre: float, scale: float, sign: Literal[-1, 1], why: str) -> LeanRule:
    return LeanRule(centre, scale, sign, why, MACRO_WEIGHT)


_TREND: Final = "trends of this length tend to be read as going on"
_EXCESS: Final = "relative strength; smaller scale, as the market's part is taken out"
_INDEX: Final = "a rising market carries risk appetite"

LEANS: Final[dict[str, LeanRule]] = {
    # trend and momentum
    "px.ret_21d": LeanRule(0.0, 0.12, 1, _TREND),
    "px.ret_63d": LeanRule(0.0, 0.20, 1, _TREND),
    "px.ret_126d": LeanRule(0.0, 0.30, 1, _TREND),
    "px.ret_252d": LeanRule(0.0, 0.45, 1, _TREND),
    "px.excess_21d": LeanRule(0.0, 0.10, 1, _EXCESS),
    "px.excess_63d": LeanRule(0.0, 0.16, 1, _EXCESS),
    "px.excess_126d": LeanRule(0.0, 0.24, 1, _EXCESS),
    "px.excess_252d": LeanRule(0.0, 0.36, 1, _EXCESS),
    "px.sma50_gap": LeanRule(0.0, 0.10, 1, "above the average is an uptrend"),
    "px.sma200_gap": LeanRule(0.0, 0.20, 1, "above the average is an uptrend"),
    "px.rsi14": LeanRule(50.0, 25.0, 1, "read as trend, not overbought: above 50 rises dominate"),
    "px.macd": LeanRule(0.0, 0.01, 1, "a positive histogram is a trend that gains speed"),
    # crowding and fear
    "px.drawdown_252d": LeanRule(-0.10, 0.20, 1, "usual for a large stock (mean of 27 US names 2010-2025: -.095)"),
    "px.up_volume": LeanRule(0.5, 0.15, 1, "money moves on rising days"),
    "px.range_ratio": LeanRule(1.0, 0.5, -1, "a widening range is fear"),
    "px.vol_ratio": LeanRule(1.0, 0.5, -1, "rising volatility is fear"),
    # the market as a whole
    "macro.index_ret_21d": _macro(0.0, 0.08, 1, _INDEX),
    "macro.index_ret_63d": _macro(0.0, 0.14, 1, _INDEX),
    "macro.index_ret_252d": _macro(0.0, 0.30, 1, _INDEX),
    "macro.index_sma200_gap": _macro(0.0, 0.12, 1, _INDEX),
    "macro.breadth_200d": _macro(0.5, 0.5, 1, "a rise that many stocks share is sound"),
    "macro.mean_corr_63d": _macro(0.3, 0.5, -1, "moving as one is fear; .3 is usual (median of those 27 names: .31)"),
    "macro.index_vol_21d": _macro(0.16, 0.16, -1, "16 percent a year is usual for an index"),
    "macro.index_vol_ratio": _macro(1.0, 0.5, -1, "rising volatility is fear"),
    "macro.gdp_yoy": _macro(0.025, 0.03, 1, "growth above trend helps earnings"),
    "macro.tbill_change_1y": _macro(0.0, 0.02, -1, "easing helps, tightening hurts"),
    "macro.unemployed_yoy": _macro(0.0, 0.20, -1, "a rising count is a weakening economy"),
    # centres near the medians of 1990 to 2025, scales near twice the usual deviation, unless a reason is given
    "macro.fed_funds_change_1y": _macro(0.0, 0.02, -1, "easing helps, tightening hurts"),
    "macro.y10_change_63d": _macro(0.0, 0.01, -1, "dearer money lowers what later earnings are worth"),
    "macro.vix": _macro(18.0, 14.0, -1, "the price of protection is fear"),
    "macro.hy_spread": _macro(0.045, 0.04, -1, "lenders who want more fear defaults"),
    "macro.hy_spread_change_63d": _macro(0.0, 0.015, -1, "credit tightens before business does"),
    "macro.financial_stress": _macro(0.0, 2.0, -1, "0 is normal and 1 a deviation, as it is made"),
    "macro.financial_conditions": _macro(0.0, 1.0, -1, "0 is average, above it tight, as it is made"),
    "macro.dollar_63d": _macro(0.0, 0.06, -1, "a dear dollar tightens credit and shrinks foreign earnings"),
    "macro.unemployment_change_1y": _macro(0.0, 0.01, -1, "rising unemployment is a weakening economy"),
    "macro.unemployment_above_low": _macro(0.0, 0.005, -1, "half a point above the low marks recessions (Sahm)"),
    "macro.payrolls_3m": _macro(0.015, 0.02, 1, "hiring above its trend is growth"),
    "macro.claims_trend": _macro(0.0, 0.15, -1, "claims above their year's mean are layoffs"),
    "macro.production_yoy": _macro(0.025, 0.05, 1, "output above its trend is growth"),
    # fundamentals
    "fa.fcf_yield": LeanRule(0.04, 0.06, 1, "cash that the price buys; 4 percent is usual for a large stock"),
    "fa.operating_margin": LeanRule(0.12, 0.18, 1, "pricing power; 12 percent is usual for a large company"),
    "fa.revenue_growth": LeanRule(0.05, 0.15, 1, "growth above that of the economy in money"),
    "fa.earnings_growth": LeanRule(0.07, 0.35, 1, "earnings that grow faster than usual tend to be read as going on"),
    "fa.net_debt_ebitda": LeanRule(1.5, 2.5, -1, "debt that takes more than some years of earnings is a burden"),
    "fa.roe": LeanRule(0.15, 0.25, 1, "return on owners' money; 15 percent is usual for a large company"),
    # news
    "news.tilt_7d": LeanRule(0.0, 0.5, 1, "fresh news is read in its own direction; full only if many stories agree"),
}
"""Rule of each id that has a direction; every other id is neutral."""

NEUTRAL: Final[dict[str, str]] = {
    "px.close": "a level has no direction",
    "px.ret_5d": "context: a week is mostly noise",
    "px.volume_ratio": "volume has no direction by itself",
    "px.corr_63d": "how far the stock follows the index, not where to",
    "px.atr_pct": "size of a usual day, not its direction",
    "macro.core_cpi_yoy": "acts through policy, which has its own row",
    "macro.core_cpi_3m": "acts through policy, which has its own row",
    "macro.tbill_3m": "a level; its change has a row",
    "macro.unemployment": "a level; its change has a row",
    "macro.wti_63d": "helps some stocks and hurts others",
    "macro.cpi_yoy": "acts through policy, which has its own row",
    "macro.cpi_3m": "acts through policy, which has its own row",
    "macro.core_pce_yoy": "acts through policy, which has its own row",
    "macro.y2": "a level; policy and the 10-year yield have rows",
    "macro.y10": "a level; its change has a row",
    "macro.y10_change_1y": "context: the change over 63 sessions has a row",
    "macro.curve": "an inverted curve warns of a recession a year ahead, not of the next month",
    "macro.curve_change_1y": "steepens in good times and in bad ones",
    "macro.fed_funds": "a level; its change has a row",
    "macro.breakeven_10y": "a level near its target says nothing",
    "macro.breakeven_change_63d": "rises with hopes of growth and with fears of inflation",
    "macro.retail_yoy": "in dollars of the day: inflation raises it too",
    "macro.dollar_252d": "context: the change over 63 sessions has a row",
    "macro.crypto_90d": "another market; says little of stocks",
    "fa.market_cap": "a size has no direction",
    "fa.pe_trailing": "cheap or dear only beside its own industry, which is not known here",
    "fa.pe_forward": "cheap or dear only beside its own industry, which is not known here",
    "fa.ev_ebitda": "cheap or dear only beside its own industry, which is not known here",
    "fa.pb": "cheap or dear only beside its own industry, which is not known here",
    "fa.gross_margin": "set by the industry more than by the company",
    "fa.net_margin": "says again what the operating margin says, after interest and tax",
    "fa.earnings_days": "when results are due, not which",
    "news.count_7d": "how much is said, not which way",
}
"""Known ids that have no direction on purpose, and why; `lean` does not read it."""

TECHNICAL: Final[tuple[str, ...]] = (
    "px.close",
    "px.ret_5d",
    "px.ret_21d",
    "px.ret_63d",
    "px.ret_126d",
    "px.ret_252d",
    "px.excess_21d",
    "px.excess_63d",
    "px.excess_126d",
    "px.excess_252d",
    "px.sma50_gap",
    "px.sma200_gap",
    "px.rsi14",
    "px.macd",
)
"""What the technical axis reads: trend, momentum, oscillators."""

SENTIMENT: Final[tuple[str, ...]] = (
    "px.drawdown_252d",
    "px.volume_ratio",
    "px.up_volume",
    "px.range_ratio",
    "px.vol_ratio",
    "px.corr_63d",
    "px.atr_pct",
    "macro.breadth_200d",
    "macro.mean_corr_63d",
    "macro.index_vol_21d",
    "macro.index_vol_ratio",
    "macro.vix",
    "macro.hy_spread_change_63d",
    "macro.financial_stress",
)
"""What the sentiment axis reads: volume, range, drawdown, correlation, own and index volatility, and the
market's prices of fear."""


def lean(evidence_id: str, value: float) -> float:
    """Lean of one fact, -1..1, four decimals, never -0.0; 0.0 for an id without a rule.

    `value` is in the unit of the evidence. Raises ValueError on NaN, which has no direction.

    >>> lean("px.ret_63d", 0.05), lean("px.range_ratio", 2.0), lean("px.close", 91.5)
    (0.25, -1.0, 0.0)
    >>> lean("macro.index_ret_252d", 0.9)
    0.5
    """
    if math.isnan(value):
        raise ValueError(f"{evidence_id}: NaN has no lean; report the fact as missing instead")
    rule = LEANS.get(evidence_id)
    if rule is None:
        return 0.0
    raw = rule.sign * (value - rule.centre) / rule.scale
    return round(rule.weight * max(-1.0, min(1.0, raw)), 4) + 0.0
