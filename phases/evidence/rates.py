"""What rates of one night say of each other. One that cannot stand beside the others is an error of its source.

The 10-year yield less the 2-year yield is the curve, day by day. Short rates and yields stay within some factor of
each other, month by month; near zero that says nothing. A rate that turns into its hundredth part, or is one all the
time, is in another unit. Bounds are twice what has happened since 1980.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from schemas.market import MacroSeries

CURVE = ("y10", "y2", "curve_10y2y")
ROUNDING, LEAP = 0.0005, 0.003
"""How far the curve may be from the difference of the yields: .0002 at most since 1980. And how far it must be off at
once to say which of them moved."""

TOLD = 0.01
"""From what rate on a factor says something: near zero a rate doubles by nothing."""
JUMP = 50.0
"""Factor from one figure to the next that is a change of unit: 13 at most, in April 2020."""
PEAK: Mapping[str, float] = {"breakeven_10y": 0.003, "curve_10y2y": 0.0006, "y10": 0.003}
"""What some figure of a year reaches, up or down: since 1980 .017, .0019 and .0166 at the least."""
YEAR = 250
WHOLE_MONTH = 15
"""Days with a figure from which their mean is that of the month."""


class Pair(NamedTuple):
    """Two rates, and how far apart they can be in one month."""

    one: str
    other: str
    times: float
    apart: float | None = None
    """Difference that is too much too, where it is also `SHARE` of the larger."""


SHARE = 0.45
PAIRS = (
    Pair("fed_funds", "tbill_3m", 36, 0.03),  # 4.1 points of 19 in 1981, 1.3 of 2.6 in 2008
    Pair("fed_funds", "y2", 36),  # 18 times in February 2022
    Pair("tbill_3m", "y2", 36),
    Pair("fed_funds", "y10", 86),  # 43 times in July 2011
    Pair("y2", "y10", 22),  # 11 times in March 2021
)


def odd_rates(known: Mapping[str, MacroSeries]) -> dict[str, str]:
    """Why a rate is no evidence, by name. Where two disagree and nothing decides between them, neither is."""
    units = {name: why for name, one in known.items() if one.unit == "ratio" and (why := _other_unit(one))}
    left = {name: one for name, one in known.items() if name not in units}
    found = _off_curve(left)
    found |= _apart({name: one for name, one in left.items() if name not in found})
    return {**units, **_beside(known, units), **found}


def _other_unit(series: MacroSeries) -> str | None:
    """What says that a rate is in another unit, or was."""
    for (_, before), (day, value) in reversed([*pairwise(zip(series.days, series.values, strict=True))]):
        low, high = sorted((value, before))
        if high >= TOLD and 0 < low * JUMP < high:
            return f"{value:g} of {day} cannot follow {before:g}: the unit changes there"
    largest = max(map(abs, series.values), default=0.0)
    if len(series.values) >= YEAR and largest < (least := PEAK.get(series.name, 0.0)):
        return f"no figure since {series.days[0]} is beyond {largest:g}, at least {least:g} is in a year: another unit"
    return None


def _off_curve(known: Mapping[str, MacroSeries]) -> dict[str, str]:
    """What does not fit where the 10-year yield less the 2-year yield is not the curve."""
    if not known.keys() >= set(CURVE):
        return {}
    told = [dict(zip(known[name].days, known[name].values, strict=True)) for name in CURVE]
    days = sorted(told[0].keys() & told[1].keys() & told[2].keys())
    rows = [(day, told[0][day], told[1][day], told[2][day]) for day in days]
    bad = [row for row in rows if not _fits(*row[1:])]
    if not bad:
        return {}
    day, *values = bad[-1]
    odd = _in_percent(bad) or _moved(rows)
    told_all = ", ".join(f"{name} {value:g}" for name, value in zip(CURVE, values, strict=True))
    why = f"figures of {day} do not fit, {told_all}: the curve is y10 less y2"
    end = "" if odd else "; which of them is wrong cannot be told"
    return dict.fromkeys([odd] if odd else CURVE, why + end)


def _fits(y10: float, y2: float, curve: float) -> bool:
    return abs(y10 - y2 - curve) <= ROUNDING


def _in_percent(bad: list[tuple[date, float, float, float]]) -> str | None:
    """The one of the three whose hundredfold, or hundredth part, fits on every day that does not."""

    def fits(at: int, unit: float) -> bool:
        told = [[value * unit if n == at else value for n, value in enumerate(row[1:])] for row in bad]
        return all(_fits(*row) for row in told) and any(abs(row[at]) > ROUNDING for row in told)

    found = [name for at, name in enumerate(CURVE) if fits(at, 100) or fits(at, 0.01)]
    return found[0] if len(found) == 1 else None


def _moved(rows: list[tuple[date, float, float, float]]) -> str | None:
    """The one of the three that moved where they stop fitting, or fit again, while the others stood."""
    for old, new in reversed([*pairwise(rows)]):
        if _fits(*old[1:]) == _fits(*new[1:]):
            continue
        off = old if not _fits(*old[1:]) else new
        gap = abs(off[1] - off[2] - off[3])
        if gap < LEAP:
            return None
        moves = [abs(b - a) for a, b in zip(old[1:], new[1:], strict=True)]
        moved = [name for name, move in zip(CURVE, moves, strict=True) if move > gap / 2]
        return moved[0] if len(moved) == 1 else None
    return None


def _beside(known: Mapping[str, MacroSeries], units: Mapping[str, str]) -> dict[str, str]:
    """Rates no larger than the 10-year yield where that is in another unit: they are in the same."""
    if "y10" not in units:
        return {}
    long = known["y10"].values[-1]
    why = f"it is as small as y10, {long:g}, which is in another unit"
    return {name: why for name in ("fed_funds", "y2") if name in known and long / 3 < known[name].values[-1] < 3 * long}


Months = Mapping[str, Mapping[str, float]]
"""Values by series and month."""


def _apart(known: Mapping[str, MacroSeries]) -> dict[str, str]:
    """Rates that cannot stand beside each other; the one that has more others on its side that month is right."""
    months = {name: _months(known[name]) for pair in PAIRS for name in pair[:2] if name in known}
    found: dict[str, str] = {}
    for pair in PAIRS:
        shared = sorted(months.get(pair.one, {}).keys() & months.get(pair.other, {}).keys())
        bad = [month for month in shared if _clash(pair, months[pair.one][month], months[pair.other][month])]
        if bad:
            month = bad[-1]
            told = ", ".join(f"{name} {months[name][month]:.4g}" for name in pair[:2])
            sides = [_friends(name, month, months) for name in pair[:2]]
            end = "" if sides[0] != sides[1] else "; which of them is wrong cannot be told"
            why = f"figures of {month} do not fit, {told}: they were never half so far apart{end}"
            found |= {name: why for name, side in zip(pair[:2], sides, strict=True) if side == min(sides)}
    return found


def _friends(name: str, month: str, months: Months) -> int:
    """How many other rates of the month are near this one."""
    pairs = [pair for pair in PAIRS if name in pair[:2] and all(month in months.get(one, {}) for one in pair[:2])]
    return sum(_close(pair, months[pair.one][month], months[pair.other][month]) for pair in pairs)


def _clash(pair: Pair, one: float, other: float) -> bool:
    low, high = sorted((one, other))
    if pair.apart is not None and high - low > max(pair.apart, SHARE * high):
        return True
    return high >= TOLD and 0 < low * pair.times < high


def _close(pair: Pair, one: float, other: float) -> bool:
    """Whether they speak for each other: well within what can be."""
    low, high = sorted((one, other))
    return 0 < high < low * pair.times / 4


def _months(series: MacroSeries) -> dict[str, float]:
    """Its value, or the mean of its days, by month; of whole months alone."""
    if series.period not in ("day", "month"):
        return {}
    found: dict[str, list[float]] = {}
    for day, value in zip(series.days, series.values, strict=True):
        found.setdefault(f"{day:%Y-%m}", []).append(value)
    least = WHOLE_MONTH if series.period == "day" else 1
    return {month: fmean(values) for month, values in found.items() if len(values) >= least}
