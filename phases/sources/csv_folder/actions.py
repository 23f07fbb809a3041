"""Splits and dividends of a series: those of its own columns, those of a file beside it, and which of them count."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from phases.sources.csv_folder.table import Days, Floats, Table

NAMES = {"dividends": "dividend", "splits": "split ratio"}
"""What one of each is called."""


class Actions(NamedTuple):
    """Splits or dividends, oldest first."""

    days: Days
    values: Floats
    file: str = ""

    def until(self, as_of: np.datetime64) -> Actions:
        """Those up to a day."""
        end = int(np.searchsorted(self.days, as_of, side="right"))
        return self._replace(days=self.days[:end], values=self.values[:end])

    def entries(self, kind: str, first: np.datetime64, last: np.datetime64) -> list[dict[str, Any]]:
        """Those of a span, as they stand in an answer."""
        within = (self.days >= first) & (self.days <= last)
        pairs = zip(self.days[within].astype(str), self.values[within], strict=True)
        return [{"day": str(day), "kind": kind, "value": float(value)} for day, value in pairs]


NO_ACTIONS = Actions(np.array([], "datetime64[D]"), np.array([]))

Told = list[tuple[str, Days]]
"""What to say of days."""


def actions_in(table: Table, what: str, days: Days) -> Actions:
    """The column of splits or dividends. Raises SourceDamaged naming line, column and value of what is neither."""
    values = table.numbers(what)
    wrong = (values < 0) | np.isinf(values)
    if wrong.any():
        table.fail_at(what, wrong.tolist(), NAMES[what], "it is above 0; correct it, or take the row out")
    real = (values > 0) & ~((values == 1) & (what == "splits"))
    order = np.lexsort((values[real], days[real]))
    return Actions(days[real][order], values[real][order], table.file)


def stated(own: Actions | None, beside: Actions | None, what: str) -> tuple[Actions, Told]:
    """The splits or dividends that count, one of a day: the file's own where it has any, else those beside it.

    Different dividends of a day are added; what stands there twice is counted once.
    """
    chosen, told = own or beside or NO_ACTIONS, Told()
    if own is not None and beside is not None and len(beside.days):
        if not len(own.days):
            chosen = beside
            told.append((f"the file's own column has no {what}, so those of {beside.file} are used", beside.days))
        else:
            pairs = [set(zip(one.days.tolist(), one.values.tolist(), strict=True)) for one in (own, beside)]
            differ = np.array(sorted({day for day, _ in pairs[0] ^ pairs[1]}), dtype="datetime64[D]")
            told.append((f"{beside.file} says other {what} than the file's own column, which is used", differ))
    days, values = chosen.days, chosen.values
    same = np.zeros(len(days), dtype=bool)
    same[1:] = (days[1:] == days[:-1]) & (values[1:] == values[:-1])
    told.append((f"{what} that stand there twice are counted once", days[same]))
    chosen = chosen._replace(days=days[~same], values=values[~same])
    if what == "dividends":
        unique, at = np.unique(chosen.days, return_inverse=True)
        told.append(("dividends of one day are added", unique[np.bincount(at, minlength=len(unique)) > 1]))
        chosen = chosen._replace(days=unique, values=np.bincount(at, chosen.values, len(unique)).astype(np.float64))
    return chosen, told
