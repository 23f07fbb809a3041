"""Items computed from released macro figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import NamedTuple

from phases.evidence.base import Origin, item_of
from phases.evidence.books import Absent
from phases.evidence.plausible import copied, implausible, spaced_apart
from phases.evidence.rates import odd_rates
from schemas.market import Evidence, MacroSeries, MacroSeriesSet, Missing, Unit
from schemas.settings import MarketSettings

PERIOD_DAYS = {"day": 5, "week": 7, "month": 31, "quarter": 92}
PERIODS_A_YEAR = {"day": 252, "week": 52, "month": 12, "quarter": 4}

USUAL_RUN: Mapping[Unit, int] = {"ratio": 10}
"""Equal values in a row that a daily or weekly series may have, else 4. Near zero a rate stood still for 8 days;
prices, indices and counts did not for more than 3 in forty years, of days or of months. A longer run is an old value
said again."""


UNKNOWN = "has no released"
"""What a source says of a series without figures."""


class Observed(NamedTuple):
    """The values of a series by period, the newest at 0. A period without a figure is a gap, never another's."""

    values: Mapping[int, float]
    days: Mapping[int, date]
    a_year: int
    """Periods in a year."""

    @classmethod
    def of(cls, series: MacroSeries) -> Observed:
        """The values of a series; days are counted as they come, other periods by the calendar."""
        places = [_place(series.period, at, day) for at, day in enumerate(series.days)]
        back = [places[-1] - place for place in places]
        values, days = dict(zip(back, series.values, strict=True)), dict(zip(back, series.days, strict=True))
        return cls(values, days, PERIODS_A_YEAR[series.period])

    def at(self, back: int) -> float | None:
        """The value so many periods before the newest."""
        return self.values.get(back)

    def ratio(self, back: int) -> float | None:
        """The newest value to the one so many periods before. Raises Absent where one is not above 0."""
        new, old = self.at(0), self.at(back)
        if new is None or old is None:
            return None
        for at, value in ((0, new), (back, old)):
            if value <= 0:
                raise Absent(f"{value:g} of {self.days[at]} is not above 0: no ratio to it says anything")
        return new / old

    def mean(self, back: int, count: int, least: int) -> float | None:
        """Mean of `count` values that end so many periods ago; absent if fewer than `least` are there."""
        found = [self.values[at] for at in range(back, back + count) if at in self.values]
        return sum(found) / len(found) if len(found) >= least else None


def _place(period: str, at: int, day: date) -> int:
    months = day.year * 12 + day.month - 1
    return {"day": at, "week": day.toordinal() // 7, "month": months, "quarter": months // 3}[period]


Compute = Callable[[Observed], float | None]


class Released(NamedTuple):
    """One macro item: the series it comes from and how it is computed from the newest values."""

    id: str
    label: str
    series: str
    compute: Compute
    unit: Unit = "ratio"
    period: str | None = None
    """The period a series must have for the item to be looked for; absent for any."""


def _level(seen: Observed) -> float | None:
    return seen.at(0)


def _change(periods: int | None = None) -> Compute:
    """Growth over so many periods, or over a year."""

    def growth(seen: Observed) -> float | None:
        ratio = seen.ratio(periods or seen.a_year)
        return None if ratio is None else ratio - 1

    return growth


def _annualised_quarter(seen: Observed) -> float | None:
    ratio = seen.ratio(3)
    return None if ratio is None else ratio**4 - 1


def _difference(periods: int | None = None) -> Compute:
    """Change in the series' own unit over so many periods, or over a year."""

    def difference(seen: Observed) -> float | None:
        new, old = seen.at(0), seen.at(periods or seen.a_year)
        return None if new is None or old is None else new - old

    return difference


def _above_low(seen: Observed) -> float | None:
    """The 3-month mean less its low of the twelve months before. Two of three months are enough for a mean."""
    means = [seen.mean(back, 3, 2) for back in range(13)]
    known = [one for one in means if one is not None]
    return known[0] - min(known[1:]) if len(known) == 13 else None


def _to_year(seen: Observed) -> float | None:
    """Mean of the newest 4 periods to that of a year, less 1."""
    new, year = seen.mean(0, 4, 4), seen.mean(0, seen.a_year, seen.a_year)
    return new / year - 1 if new is not None and year else None


MACRO_ITEMS: tuple[Released, ...] = (
    Released("macro.gdp_yoy", "real GDP, 1-year change", "real_gdp", _change()),
    Released("macro.core_cpi_yoy", "core CPI, 1-year change", "core_cpi", _change()),
    Released("macro.core_cpi_3m", "core CPI, 3-month change, annualised", "core_cpi", _annualised_quarter),
    Released("macro.tbill_3m", "3-month bill rate", "tbill_3m", _level),
    Released("macro.tbill_change_1y", "3-month bill rate, 1-year change", "tbill_3m", _difference()),
    Released("macro.unemployment", "unemployment rate", "unemployment", _level),
    Released("macro.unemployed_yoy", "unemployed persons, 1-year change", "unemployed", _change()),
    Released("macro.wti_63d", "crude oil, 63-session change", "wti", _change(63)),
)
"""Items that are looked for whatever the source has."""

LISTED_ITEMS: tuple[Released, ...] = (
    Released("macro.y10", "10-year yield", "y10", _level),
    Released("macro.y10_change_63d", "10-year yield, 63-session change", "y10", _difference(63)),
    Released("macro.y10_change_1y", "10-year yield, 1-year change", "y10", _difference()),
    Released("macro.y2", "2-year yield", "y2", _level),
    Released("macro.curve", "10-year less 2-year yield", "curve_10y2y", _level),
    Released("macro.curve_change_1y", "10-year less 2-year yield, 1-year change", "curve_10y2y", _difference()),
    Released("macro.fed_funds", "federal funds rate", "fed_funds", _level),
    Released("macro.fed_funds_change_1y", "federal funds rate, 1-year change", "fed_funds", _difference()),
    Released("macro.breakeven_10y", "10-year breakeven inflation", "breakeven_10y", _level),
    Released(
        "macro.breakeven_change_63d", "10-year breakeven inflation, 63-session change", "breakeven_10y", _difference(63)
    ),
    Released("macro.cpi_yoy", "CPI, 1-year change", "cpi", _change()),
    Released("macro.cpi_3m", "CPI, 3-month change, annualised", "cpi", _annualised_quarter),
    Released("macro.core_pce_yoy", "core PCE prices, 1-year change", "core_pce", _change()),
    Released(
        "macro.unemployment_change_1y",
        "unemployment rate, 1-year change",
        "unemployment",
        _difference(),
        period="month",
    ),
    Released(
        "macro.unemployment_above_low",
        "unemployment rate above its 12-month low",
        "unemployment",
        _above_low,
        period="month",
    ),
    Released("macro.payrolls_3m", "payrolls, 3-month change, annualised", "payrolls", _annualised_quarter),
    Released("macro.claims_trend", "jobless claims, 4-week to 52-week mean", "claims", _to_year),
    Released("macro.production_yoy", "industrial production, 1-year change", "industrial_production", _change()),
    Released("macro.retail_yoy", "retail sales, 1-year change", "retail_sales", _change()),
    Released("macro.vix", "implied volatility of the S&P 500 (VIX)", "vix", _level, "index"),
    Released("macro.hy_spread", "high-yield spread over Treasuries", "hy_spread", _level),
    Released("macro.hy_spread_change_63d", "high-yield spread, 63-session change", "hy_spread", _difference(63)),
    Released("macro.financial_stress", "financial stress against its usual level", "financial_stress", _level, "index"),
    Released(
        "macro.financial_conditions", "financial tightness against its average", "financial_conditions", _level, "index"
    ),
    Released("macro.dollar_63d", "dollar, 63-session change", "dollar", _change(63)),
    Released("macro.dollar_252d", "dollar, 252-session change", "dollar", _change(252)),
)
"""Items that are looked for where the source lists their series, be it without values."""


def macro_items(
    known: MacroSeriesSet, as_of: date, settings: MarketSettings, source: str
) -> tuple[list[Evidence], list[Missing]]:
    """Every item that is looked for: its evidence, or why it is missing."""
    by_name = {one.name: one for one in known.series}
    listed = [one for one in LISTED_ITEMS if one.series in by_name]
    wanted = (*MACRO_ITEMS, *(one for one in listed if one.period in (None, by_name[one.series].period)))
    refused = refusals(known)
    found = [
        Missing(id=item.id, reason=refused[item.series])
        if item.series in refused
        else released(item, by_name.get(item.series), as_of, settings, source)
        for item in wanted
    ]
    evidence = [one for one in found if isinstance(one, Evidence)]
    return evidence, [one for one in found if isinstance(one, Missing)]


def refusals(known: MacroSeriesSet) -> dict[str, str]:
    """Why a series is no evidence, by name: a fault of its file, what cannot be, another frequency or unit, a copy."""
    checks = ((one.name, one.fault or spaced_apart(one) or implausible(one)) for one in known.series)
    found = {name: why for name, why in checks if why is not None}
    found |= odd_rates({one.name: one for one in known.series if one.values and one.name not in found})
    found |= copied(one for one in known.series if one.values and one.name not in found)
    return {one.name: f"{_named(one)}: {found[one.name]}{_remedy(one)}" for one in known.series if one.name in found}


def refusal_notes(known: MacroSeriesSet) -> list[str]:
    """A line for each series that the source has and that is no evidence."""
    return [f"no evidence of {why}" for why in refusals(known).values()]


def no_macro(reason: str) -> list[Missing]:
    """Every item of the macro series as missing."""
    return [Missing(id=one.id, reason=reason) for one in (*MACRO_ITEMS, *LISTED_ITEMS)]


def released(
    item: Released, series: MacroSeries | None, as_of: date, settings: MarketSettings, source: str
) -> Evidence | Missing:
    """One item from the newest values known, or why it is missing."""
    if series is None:
        return Missing(id=item.id, reason=f"the source {source} {UNKNOWN} {item.series}")
    name, remedy = _named(series), _remedy(series)
    if not series.values:
        return Missing(id=item.id, reason=f"the source {series.source or source} {UNKNOWN} {name}{remedy}")
    seen = Observed.of(series)
    try:
        value = item.compute(seen)
    except Absent as why:
        return Missing(id=item.id, reason=f"{name}: {why}")
    if value is None:
        return Missing(id=item.id, reason=_too_few(seen, name))
    at = _since(series)
    age = (as_of - series.known[at]).days / PERIOD_DAYS[series.period]
    if age > settings.macro_drop_after_periods:
        return Missing(id=item.id, reason=f"newest {name} is of {series.days[at]}, too old to count{remedy}")
    stale = age > settings.macro_stale_after_periods
    origin = Origin(series.days[at], series.known[at], series.source or source, stale=stale)
    return item_of(item.id, item.label, item.unit, value, origin)


def _named(series: MacroSeries) -> str:
    """Its name and where a reader finds it."""
    return series.name if series.place is None else f"{series.name} ({series.place})"


def _remedy(series: MacroSeries) -> str:
    return "" if series.place is None else "; download it anew"


def _too_few(seen: Observed, name: str) -> str:
    if max(seen.values) + 1 > len(seen.values):
        return f"a period of {name} that it is compared with has no figure"
    return f"too few observations of {name}"


def _since(series: MacroSeries) -> int:
    """Place of the newest observation; of one that is an old value said again, that of the first of the run."""
    at, values = len(series.values) - 1, series.values
    while at and values[at - 1] == values[-1]:
        at -= 1
    steady = series.period not in ("day", "week") and series.unit == "ratio"  # rates of a month stand for years
    usual = len(values) if steady else USUAL_RUN.get(series.unit, 4)
    return at if len(values) - at > usual else len(values) - 1
