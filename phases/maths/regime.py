"""The words of the macro bias row, computed from numbers with stated thresholds.

Thresholds are conventions, not fitted, and stand in the configuration (`bias.thresholds`): growth
of 2.5 percent a year is near the US trend, core inflation of 2.5 percent is near the usual target,
half a point of short rates in a year is two steps of policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from schemas.bias import Bias
from schemas.bias_settings import BiasThresholds

USUAL = BiasThresholds()
"""Those of the shipped configuration."""

Growth = Literal["expanding", "slowing", "contracting"]
Inflation = Literal["hot", "mild", "cold"]
Policy = Literal["tightening", "neutral", "easing"]
RiskAppetite = Literal["risk on", "mixed", "risk off"]


def bias_of(tilt: float, at: BiasThresholds = USUAL) -> Bias:
    """Five words for a tilt of -1..1, symmetric around 0.

    >>> [bias_of(x) for x in (-0.7, -0.2, 0.0, 0.3, 0.6)]
    ['strong_bearish', 'bearish', 'neutral', 'bullish', 'strong_bullish']
    """
    if abs(tilt) < at.tilt:
        return "neutral"
    if tilt > 0:
        return "strong_bullish" if tilt >= at.strong else "bullish"
    return "strong_bearish" if tilt <= -at.strong else "bearish"


def mean(values: Sequence[float]) -> float | None:
    """Arithmetic mean; absent for no values.

    >>> mean([0.1, 0.3])
    0.2
    """
    return sum(values) / len(values) if values else None


def growth(gdp_yoy: float | None, unemployed_yoy: float | None, at: BiasThresholds = USUAL) -> Growth | None:
    """Growth from real output over a year, or from the count of unemployed where output is unknown.

    >>> [growth(0.03, None), growth(0.01, None), growth(None, 0.3)]
    ['expanding', 'slowing', 'contracting']
    """
    if gdp_yoy is not None:
        return "expanding" if gdp_yoy >= at.growth_expanding else "slowing" if gdp_yoy >= 0 else "contracting"
    if unemployed_yoy is not None:
        if unemployed_yoy <= 0:
            return "expanding"
        return "slowing" if unemployed_yoy <= at.unemployed_contracting else "contracting"
    return None


def inflation(core_cpi_yoy: float | None, at: BiasThresholds = USUAL) -> Inflation | None:
    """Inflation from core consumer prices over a year.

    >>> [inflation(0.03), inflation(0.02), inflation(0.01)]
    ['hot', 'mild', 'cold']
    """
    if core_cpi_yoy is None:
        return None
    return "hot" if core_cpi_yoy > at.inflation_hot else "mild" if core_cpi_yoy >= at.inflation_cold else "cold"


def policy(short_rate_change: float | None, at: BiasThresholds = USUAL) -> Policy | None:
    """Policy from the change of the three-month bill rate over a year.

    >>> [policy(0.01), policy(0.0), policy(-0.03)]
    ['tightening', 'neutral', 'easing']
    """
    if short_rate_change is None:
        return None
    if abs(short_rate_change) < at.policy_step:
        return "neutral"
    return "tightening" if short_rate_change > 0 else "easing"


def risk_appetite(
    index_tilt: float | None, index_volatility: float | None, at: BiasThresholds = USUAL
) -> RiskAppetite | None:
    """Risk appetite from index trend (tilt of -1..1) and realised index volatility (a year).

    >>> [risk_appetite(0.5, 0.12), risk_appetite(-0.5, 0.35), risk_appetite(0.5, 0.35)]
    ['risk on', 'risk off', 'mixed']
    """
    if index_tilt is None or index_volatility is None:
        return None
    calm = index_volatility < at.appetite_volatility
    if index_tilt >= at.tilt and calm:
        return "risk on"
    return "risk off" if index_tilt <= -at.tilt and not calm else "mixed"
