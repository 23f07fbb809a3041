"""Statements beside each other: what a quarter or a year cannot be, after the others, is an error of its source.

Bounds are wide: of 30 large companies no quarter was more than 1.6 times the one before, no year more than 2.3 times,
and never did all rows of a statement say the same twice. Season, a sale or a loss is no error.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from itertools import combinations, pairwise

from schemas.market import Figure

INCOME = ("revenue", "gross_profit", "operating_income", "net_income", "ebitda")
FLOWS = (*INCOME, "free_cash_flow", "operating_cash_flow")
LEVELS = ("total_debt", "cash", "equity")
SHARES = ("shares",)

NEWEST = 6
"""Statements that are looked at: four quarters, that of a year before, and one to hold it against."""

OTHER_UNIT = 300.0
"""How many times its neighbour the largest row of a statement is, or the reverse, that is in another unit: thousands
for units are 1000, less what a season makes."""

REPEATED = 3
"""Rows of one statement that never all say the same in another: of single ones two did, rounded to millions."""

OF_REVENUE: Mapping[str, float] = {"gross_profit": 1, "operating_income": 1, "net_income": 10}
"""How many times revenue a row of the same statement can be."""

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
    """Revenue below 0, and rows that cannot be so many times as much; where several are, revenue is wrong."""
    found: dict[str, str] = {}
    for day, rows in told.items():
        revenue = rows.get("revenue", 0.0)
        if revenue < 0:
            found["revenue"] = f"revenue of the {period} to {day} is {revenue:.4g}, below 0"
        beyond = [name for name, most in OF_REVENUE.items() if 0 < revenue * most < rows.get(name, 0.0)]
        if beyond:
            name = beyond[0]
            why = f"{name} of the {period} to {day} is {rows[name]:.4g}, revenue {revenue:.4g}: that cannot be"
            found |= dict.fromkeys(("revenue", *beyond) if len(beyond) == 1 else ("revenue",), why)
    return found


def _other_unit(told: Statements, period: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for (before, old), (day, new) in pairwise(told.items()):
        for names in (FLOWS, LEVELS, SHARES):
            shared = [name for name in names if name in old and name in new]
            sizes = [max((abs(rows[name]) for name in shared), default=0.0) for rows in (old, new)]
            if 0 < min(sizes) * OTHER_UNIT <= max(sizes):
                name = next(name for name in shared if max(abs(old[name]), abs(new[name])) == max(sizes))
                both = f"{name} of the {period} to {day} is {new[name]:.4g}, of that to {before} {old[name]:.4g}"
                found |= dict.fromkeys(names, f"{both}: one of them is in another unit")
    return found


def _repeated(told: Statements, period: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for (before, old), (day, new) in combinations(told.items(), 2):
        for names in (INCOME, FLOWS, LEVELS):
            shared = [name for name in names if old.get(name) and new.get(name)]
            if len(shared) >= REPEATED and all(old[name] == new[name] for name in shared):
                why = f"every row of the {period} to {day} is that of the {period} to {before}: one of them is a copy"
                found |= dict.fromkeys(names, why)
    return found
