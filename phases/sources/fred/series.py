"""The series of FRED that are read: our name and unit, and from when a figure counts as known.

A plain download gives the newest revision by period and does not say when a figure came out. So
each series has a lag, in days from the first day of its period, that no usual release of it was
late for: a figure counts as known a few days late rather than one day early. Where a government
shutdown put a release off further, `DELAYED` has its day. Files with vintages say it exactly, and
then neither is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Literal, NamedTuple

from schemas.fred_settings import FredSeries
from schemas.market import Unit

Period = Literal["day", "week", "month", "quarter"]

WINDOW: Mapping[Period, int] = {"day": 280, "week": 60, "month": 30, "quarter": 12}
"""Observations answered: a year and room to spare."""

LEAST_LAG: Mapping[Period, int] = {"day": 0, "week": 0, "month": 30, "quarter": 91}
"""Days from the one that stands for a period until it is over; weeks are named for their last."""


class Spec(NamedTuple):
    """One series."""

    id: FredSeries
    name: str
    unit: Unit
    period: Period
    lag: int
    label: str
    percent: bool = False
    """Whether the file has percent, which are kept as ratios."""

    def known(self, day: date, lags: Mapping[FredSeries, int]) -> date:
        """First day on which the figure of the period that begins on `day` counts as known."""
        usual = day + timedelta(lags.get(self.id, self.lag))
        if self.id in lags:
            return usual
        return max(usual, date.fromisoformat(DELAYED.get(self.id, {}).get(day.isoformat(), "0001-01-01")))

    def over(self, day: date) -> date:
        """Last day of the period of `day`: a week is named for it, a month and a quarter are for their first."""
        months = {"month": 1, "quarter": 3}.get(self.period)
        if months is None:
            return day
        ahead = day.year * 12 + (day.month - 1) // months * months + months
        return date(ahead // 12, ahead % 12 + 1, 1) - timedelta(1)


SERIES: tuple[Spec, ...] = (
    # Treasury publishes the day's yields in the evening, after the close.
    Spec("T10YIE", "breakeven_10y", "ratio", "day", 1, "10-year breakeven inflation", True),
    # ICE's closing spread; FRED has it on the next morning.
    Spec("BAMLH0A0HYM2", "hy_spread", "ratio", "day", 1, "US high-yield bonds, spread over Treasuries", True),
    # Department of Labor: the Thursday after the week, which is named for its Saturday.
    Spec("ICSA", "claims", "count", "week", 5, "Initial jobless claims, persons in a week"),
    # BLS: about the middle of the next month; January's as late as 26 February (2015).
    Spec("CPILFESL", "core_cpi", "index", "month", 56, "CPI less food and energy, 1982-84 = 100"),
    # BEA: about the end of the next month; December's as late as 3 February.
    Spec("PCEPILFE", "core_pce", "index", "month", 65, "PCE prices less food and energy, 2017 = 100"),
    Spec("CPIAUCSL", "cpi", "index", "month", 56, "CPI, 1982-84 = 100"),  # as core CPI
    Spec("T10Y2Y", "curve_10y2y", "ratio", "day", 1, "10-year less 2-year Treasury yield", True),  # as the yields
    # Board of Governors, H.10: a whole week comes out on the Monday after it, or on the Tuesday.
    Spec("DTWEXBGS", "dollar", "index", "day", 8, "Dollar against a broad basket, January 2006 = 100"),
    # Board of Governors, H.15: the month's mean, in the first days of the next; a weekend and a holiday more.
    Spec("FEDFUNDS", "fed_funds", "ratio", "month", 36, "Federal funds rate, mean of the month", True),
    # Chicago Fed: the Wednesday after the week that ends on Friday, or the Thursday.
    Spec("ANFCI", "financial_conditions", "index", "week", 6, "Adjusted financial conditions; 0 is average"),
    # St. Louis Fed: in the week after the Friday it is named for.
    Spec("STLFSI4", "financial_stress", "index", "week", 7, "Financial stress; 0 is normal"),
    # Board of Governors, G.17: about the middle of the next month, by the 18th.
    Spec("INDPRO", "industrial_production", "index", "month", 50, "Industrial production, 2017 = 100"),
    # BLS: the first or second Friday of the next month.
    Spec("PAYEMS", "payrolls", "count", "month", 42, "Employees on nonfarm payrolls, thousands"),
    # BEA: the first estimate comes out up to a month after the quarter ends.
    Spec("GDPC1", "real_gdp", "usd", "quarter", 125, "Real GDP, billions of 2017 dollars a year"),
    # Census Bureau: about the middle of the next month, by the 18th.
    Spec("RSXFS", "retail_sales", "usd", "month", 50, "Retail sales, millions of dollars"),
    Spec("DGS3MO", "tbill_3m", "ratio", "day", 1, "3-month Treasury yield", True),  # as the other yields
    # Where there is no daily rate: the month's mean, like that of federal funds.
    Spec("TB3MS", "tbill_3m", "ratio", "month", 36, "3-month Treasury bill, mean of the month", True),
    Spec("UNEMPLOY", "unemployed", "count", "month", 42, "Unemployed, thousands of persons"),  # as payrolls
    Spec("UNRATE", "unemployment", "ratio", "month", 42, "Unemployment rate", True),  # as payrolls
    # Cboe says the close on the evening of the session; FRED has it the next morning.
    Spec("VIXCLS", "vix", "index", "day", 0, "Implied volatility of the S&P 500 (VIX)"),
    # EIA tables the week's prices within about a week; a day more for a holiday.
    Spec("DCOILWTICO", "wti", "usd", "day", 8, "WTI crude oil, spot, dollars a barrel"),
    Spec("DGS10", "y10", "ratio", "day", 1, "10-year Treasury yield", True),
    Spec("DGS2", "y2", "ratio", "day", 1, "2-year Treasury yield", True),
)
"""Of two of one name the second stands in where the first has no file."""

_CPI = {"2013-09-01": "2013-10-30", "2025-09-01": "2025-10-24"}
_JOBS = {"2013-09-01": "2013-10-22", "2025-09-01": "2025-11-20", "2025-11-01": "2025-12-16"}
_CLAIMS = [date(2025, 9, 27) + timedelta(7 * week) for week in range(8)]

DELAYED: Mapping[str, Mapping[str, str]] = {
    "CPIAUCSL": _CPI,
    "CPILFESL": _CPI,
    "GDPC1": {"2013-07-01": "2013-11-07", "2018-10-01": "2019-02-28", "2025-07-01": "2025-12-23"},
    "ICSA": {day.isoformat(): "2025-11-20" for day in _CLAIMS},
    "INDPRO": {
        "2013-09-01": "2013-10-28",
        "2025-09-01": "2025-12-03",
        "2025-10-01": "2025-12-23",
        "2025-11-01": "2025-12-23",
    },
    "PAYEMS": {**_JOBS, "2025-10-01": "2025-12-16"},
    "PCEPILFE": {"2018-12-01": "2019-03-01", "2019-01-01": "2019-03-29", "2025-09-01": "2025-12-05"},
    "RSXFS": {
        "2013-09-01": "2013-10-29",
        "2018-12-01": "2019-02-14",
        "2019-01-01": "2019-03-11",
        "2025-09-01": "2025-11-25",
        "2025-10-01": "2025-12-16",
    },
    "UNEMPLOY": _JOBS,
    "UNRATE": _JOBS,
}
"""Days of release, by series and period, that the shutdowns of 2013, 2018/19 and 2025 put off, to December 2025."""
