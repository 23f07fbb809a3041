"""Items computed from released macro figures."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from phases.evidence.base import Origin, item_of
from schemas.market import Evidence, MacroSeries, Missing, Unit
from schemas.settings import MarketSettings

PERIOD_DAYS = {"day": 5, "month": 31, "quarter": 92}
PERIODS_A_YEAR = {"day": 252, "month": 12, "quarter": 4}


class Released(NamedTuple):
    """One macro item: the series it comes from and how it is computed from the newest values."""

    id: str
    label: str
    series: str
    compute: Callable[[list[float], int], float | None]
    """(values, periods a year) -> value."""


def _change(periods: int | None) -> Callable[[list[float], int], float | None]:
    """Growth over so many periods, or over a year."""

    def growth(values: list[float], a_year: int) -> float | None:
        back = periods or a_year
        return values[-1] / values[-1 - back] - 1 if len(values) > back and values[-1 - back] > 0 else None

    return growth


def _annualised_quarter(values: list[float], _: int) -> float | None:
    return (values[-1] / values[-4]) ** 4 - 1 if len(values) > 3 and values[-4] > 0 else None


def _difference(values: list[float], a_year: int) -> float | None:
    return values[-1] - values[-1 - a_year] if len(values) > a_year else None


MACRO_ITEMS: tuple[Released, ...] = (
    Released("macro.gdp_yoy", "real GDP, 1-year change", "real_gdp", _change(None)),
    Released("macro.core_cpi_yoy", "core CPI, 1-year change", "core_cpi", _change(None)),
    Released("macro.core_cpi_3m", "core CPI, 3-month change, annualised", "core_cpi", _annualised_quarter),
    Released(
        "macro.tbill_3m",
        "3-month bill rate",
        "tbill_3m",
        lambda values, _: values[-1] if values else None,
    ),
    Released("macro.tbill_change_1y", "3-month bill rate, 1-year change", "tbill_3m", _difference),
    Released(
        "macro.unemployment",
        "unemployment rate",
        "unemployment",
        lambda values, _: values[-1] if values else None,
    ),
    Released("macro.unemployed_yoy", "unemployed persons, 1-year change", "unemployed", _change(None)),
    Released("macro.wti_63d", "crude oil, 63-session change", "wti", _change(63)),
)


def released(
    item: Released, series: MacroSeries | None, as_of: date, settings: MarketSettings, source: str
) -> Evidence | Missing:
    """One item from the newest values known, or why it is missing."""
    if series is None or not series.values:
        return Missing(id=item.id, reason=f"the source {source} has no released {item.series}")
    value = item.compute(list(series.values), PERIODS_A_YEAR[series.period])
    if value is None:
        return Missing(id=item.id, reason=f"too few observations of {item.series}")
    age = (as_of - series.known[-1]).days / PERIOD_DAYS[series.period]
    if age > settings.macro_drop_after_periods:
        return Missing(id=item.id, reason=f"newest {item.series} is of {series.days[-1]}, too old to count")
    unit: Unit = "ratio"
    stale = age > settings.macro_stale_after_periods
    origin = Origin(series.days[-1], series.known[-1], series.source or source, stale=stale)
    return item_of(item.id, item.label, unit, value, origin)
