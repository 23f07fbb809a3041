"""Statements beside each other: what a quarter or a year cannot be, after the others, is an error of its source.

Bounds are wide: of 30 large companies no quarter was more than 1.6 times the one before, no year more than 2.3 times,
and never did all rows of a statement say the same twice. Season, a sale or a loss is no error.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from itertools import pairwise

from schemas.market import Figure

INCOME = ("revenue", "gross_profit", "operating_income", "net_income", "ebitda")
FLOWS = (*INCOME, "free_cash_flow", "operating_cash_flow")
LEVELS = ("total_debt", "cash", "equity")
SHARES = ("shares",)

NEWEST = 6
"""Statements that are looked at: four quarters, that of a year before, and one to hold it against."""

UNITS = (1e3, 1e6)
"""How many times another a unit is that statements are told in: thousands, millions."""

BIG, SEASON, LEVEL = 300.0, 3.0, 2.0
"""From how many times its neighbour on a row may be in another unit; and how far off the unit it then is at the most,
for what a season makes of a flow, and for a level."""

MOST = 0.6
"""Share of the rows of a statement that are in another unit if it is: a company that begins, is merged or is parted
changes its rows by factors of their own."""

REPEATED = 3
"""Rows of one statement that never all say the same in another: of single ones two did, rounded to millions."""

Statements = Mapping[date, Mapping[str, float]]
"""Rows by the last day of their span, oldest first."""


def odd_statements(figures: Collection[Figure]) -> dict[tuple[str, str], str]:
    """Why a figure of quarters, or of years, is no evidence, by name and period: which one it is, and what it says."""
    found: dict[tuple[str, str], str] = {}
    for period in ("quarter", "year"):
        held: dict[date, dict[str, float]] = {}
        for one in figures:
            if one.period == period and one.value is not None and one.name in (*FLOWS, *LEVELS, *SHARES):
                held.setdefault(one.ended, {})[one.name] = one.value
        newest = {day: held[day] for day in sorted(held)[-NEWEST:]}
        there = {name for rows in newest.values() for name in rows}
        for check in (_off_revenue, _other_unit, _repeated):
            found |= {(name, period): why for name, why in check(newest, period).items() if name in there}
    return found


def _off_revenue(told: Statements, period: str) -> dict[str, str]:
    """Revenue below 0, and below the gross profit that is a part of it."""
    found: dict[str, str] = {}
    for day, rows in told.items():
        revenue, gross = rows.get("revenue", 0.0), rows.get("gross_profit", 0.0)
        if revenue < 0:
            found["revenue"] = f"revenue of the {period} to {day} is {revenue:.4g}, below 0"
        elif 0 < revenue < gross:
            why = f"gross_profit of the {period} to {day} is {gross:.4g}, revenue {revenue:.4g}: that cannot be"
            found |= {"revenue": why, "gross_profit": why}
    return found


def _other_unit(told: Statements, period: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for (before, old), (day, new) in pairwise(told.items()):
        for names, off in ((FLOWS, SEASON), (LEVELS, LEVEL), (SHARES, 1.2)):
            times = {name: new[name] / old[name] for name in names if old.get(name) and new.get(name)}
            rows = _scaled(times, off, 1 if names == SHARES else 2)
            if rows:
                name = rows[0]
                both = f"{name} of the {period} to {day} is {new[name]:.4g}, of that to {before} {old[name]:.4g}"
                found |= dict.fromkeys(names if len(rows) > 1 else rows, f"{both}: one of them is in another unit")
    return found


def _scaled(times: Mapping[str, float], off: float, least: int) -> list[str]:
    """Rows that are as many times those of a neighbour as another unit makes them: most of them, or revenue alone."""
    for unit in (*UNITS, *(1 / one for one in UNITS)):
        rows = [name for name, factor in times.items() if 1 / off <= factor / unit <= off]
        alone = rows == ["revenue"] and all(1 / BIG < abs(times[one]) < BIG for one in times if one != "revenue")
        if (len(rows) >= least and len(rows) >= MOST * len(times)) or (alone and len(times) > REPEATED):
            return rows
    return []


def _repeated(told: Statements, period: str) -> dict[str, str]:
    """The newest statement as a copy of the one before, where an older one says that they do differ."""
    days = [*told][-3:]
    if len(days) < 3:
        return {}
    found: dict[str, str] = {}
    oldest, old, new = (told[day] for day in days)
    for names in (INCOME, FLOWS, LEVELS):
        shared = [name for name in names if old.get(name) and new.get(name)]
        same = all(old[name] == new[name] for name in shared)
        if len(shared) >= REPEATED and same and any(old[name] != oldest.get(name) for name in shared):
            why = f"every row of the {period} to {days[2]} is that of the {period} to {days[1]}: one of them is a copy"
            found |= dict.fromkeys(names, why)
    return found
