"""What a macro figure can be. One that cannot be is an error of its source, and its series is no evidence.

Bounds are wide: what happened since the series began, and as much again. They catch a wrong unit, a slip of the
decimal point, a sign and another series under the name; never a crisis.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from itertools import combinations, pairwise
from statistics import median_low
from typing import NamedTuple

from schemas.market import MacroSeries


class Bounds(NamedTuple):
    """What the figures of one series can be, in its own unit."""

    low: float
    high: float
    step: float | None
    """Largest change from one figure to the next: a factor, up or down, where `low` is 1 or more, else a difference;
    none where a jump says nothing."""
    why: str


_YIELD = "since 1980 from 0 to 17 percent, and never more than 1 point in a day"
_PRICES = "an index of prices; since 1980 never more than 2 percent in a month"

PLAUSIBLE: Mapping[str, Bounds] = {
    "breakeven_10y": Bounds(-0.05, 0.15, 0.02, "since 2003 from 0 to 3 percent, at most .4 points in a day"),
    "claims": Bounds(
        20_000, 30_000_000, 30, "persons in a week: 6,137,000 at most, in April 2020, 11 times the week before"
    ),
    "core_cpi": Bounds(1, 3000, 1.1, _PRICES),
    "core_pce": Bounds(1, 3000, 1.1, _PRICES),
    "cpi": Bounds(1, 3000, 1.1, _PRICES),
    "curve_10y2y": Bounds(-0.1, 0.1, 0.03, "since 1980 from -2.4 to 2.9 points, at most .6 in a day"),
    "dollar": Bounds(30, 400, 1.2, "since 2006 from 85 to 131, at most 3 percent in a day"),
    "fed_funds": Bounds(-0.02, 0.3, 0.1, "since 1980 from 0 to 19 percent, at most 6.6 points in a month"),
    "financial_conditions": Bounds(-5, 15, 3, "since 1980 from -1.2 to 4.3, at most .5 in a week"),
    "financial_stress": Bounds(-5, 20, 8, "since 1993 from -1.1 to 9.6, at most 2.7 in a week"),
    "hy_spread": Bounds(0.001, 0.5, 0.05, "since 1996 from 2.4 to 21.8 points, at most 1.4 in a day"),
    "industrial_production": Bounds(1, 500, 1.4, "an index; since 1980 at most 15 percent in a month"),
    "payrolls": Bounds(20_000, 500_000, 1.4, "thousands: 30,000 in 1940, 160,000 now; at most 16 percent in a month"),
    "real_gdp": Bounds(
        1000, 100_000, 1.2, "billions a year: 2,000 in 1947, 24,000 now; at most 9 percent in a quarter"
    ),
    "retail_sales": Bounds(
        20_000, 10_000_000, 1.5, "millions a month: 142,000 in 1992, 633,000 now; at most 18 percent in a month"
    ),
    "tbill_3m": Bounds(-0.02, 0.3, 0.05, _YIELD),
    "unemployed": Bounds(500, 60_000, 5, "thousands: 1,600 in 1953, 23,000 in April 2020, 3.2 times the month before"),
    "unemployment": Bounds(0.005, 0.4, 0.2, "since 1929 from 1 to 25 percent; at most 10.4 points in a month"),
    "vix": Bounds(3, 250, 5, "since 1990 from 9 to 83; at most 2.2 times the day before"),
    "wti": Bounds(-100, 500, None, "since 1986 from -37 to 145 dollars"),
    "y10": Bounds(-0.02, 0.3, 0.03, _YIELD),
    "y2": Bounds(-0.02, 0.3, 0.03, _YIELD),
}
"""Every series that evidence is made from, by name, in the unit evidence has it in (0.05 is 5 percent)."""


def implausible(series: MacroSeries) -> str | None:
    """What is wrong with the newest figure that cannot be, what it may be and why; None where all can be."""
    bounds = PLAUSIBLE.get(series.name)
    if bounds is None:
        return None
    for day, value in zip(reversed(series.days), reversed(series.values), strict=True):
        if not bounds.low <= value <= bounds.high:
            return f"{value:g} of {day} cannot be, {bounds.low:g} to {bounds.high:g} can ({bounds.why})"
    if bounds.step is None:
        return None
    for (_, before), (day, value) in reversed([*pairwise(zip(series.days, series.values, strict=True))]):
        change = max(value / before, before / value) if bounds.low >= 1 else abs(value - before)
        if change > bounds.step:
            return f"{value:g} of {day} cannot follow {before:g} ({bounds.why})"
    return None


SAME, LEVELS = 12, 3
"""Figures that two series have of the same days, and how many of them must be different ones, from which two series
that say the same are one: no two real ones did over a year."""


def copied(known: Iterable[MacroSeries]) -> dict[str, str]:
    """Series of other names that say the same of every day they share: which of them is the copy cannot be told."""
    found: dict[str, str] = {}
    written = [(one, _as_written(one)) for one in known]
    for (one, ours), (other, theirs) in combinations(written, 2):
        pairs = [(value, theirs[day]) for day, value in ours.items() if day in theirs]
        if len(pairs) >= SAME and len(set(pairs)) >= LEVELS and all(a == b for a, b in pairs):
            for mine, its in ((one, other), (other, one)):
                place = its.name if its.place is None else f"{its.name} ({its.place})"
                found[mine.name] = f"its figures are those of {place}: which of them is a copy cannot be told"
    return found


def _as_written(series: MacroSeries) -> dict[date, float]:
    """Figures by day, ratios in percent as files have them."""
    times = 100 if series.unit == "ratio" else 1
    return {day: round(value * times, 6) for day, value in zip(series.days, series.values, strict=True)}


GAPS: Mapping[str, tuple[int, int]] = {"day": (1, 1), "week": (6, 8), "month": (28, 31), "quarter": (89, 92)}
"""Days from one figure of a series to the next, as a rule."""

WIDEST: Mapping[str, int] = {"day": 14, "week": 14, "month": 92, "quarter": 184}
"""Most days there can be between two of the newest figures: twice what there was, or one that never came."""

RUN, FEW, NEWEST = 20, 9, 5
"""Figures in a row that show how far apart they are; the newest that do so roughly, as holidays crowd in them; and
those that must have no gap."""


def spaced_apart(series: MacroSeries) -> str | None:
    """Why its figures are of another frequency than is expected; None where they are not, or are too few to tell.

    The newest ones count, and every stretch of the window: a change over so many figures is one over that time.
    """
    gaps = [(new - old).days for old, new in pairwise(series.days)]
    low, high = GAPS[series.period]
    stretches = [(at, RUN, high) for at in range(len(gaps) - RUN, -1, -1)]
    for at, count, most in ((max(0, len(gaps) - FEW), FEW, max(high, 3)), *stretches):
        some = gaps[at : at + count]
        if len(some) >= NEWEST and not low <= (usual := median_low(some)) <= most:
            days = "a day" if usual == 1 else f"{usual} days"
            return f"its figures since {series.days[at]} are {days} apart, one a {series.period} is expected"
    for old, new in reversed([*pairwise(series.days[-NEWEST - 1 :])]):
        if (new - old).days > WIDEST[series.period]:
            return f"it has no figure between {old} and {new}, one a {series.period} is expected"
    return None
