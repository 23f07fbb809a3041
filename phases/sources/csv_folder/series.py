"""One price series as it was after a day: whole bars only, with adjusted closes; and cut for one answer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from phases.core.text import printable
from phases.evidence.calendar import HOLE, LACKING
from phases.evidence.dividends import PLAUSIBLE, UNSEEN
from phases.evidence.rows import SESSIONS
from phases.maths.currency import currency_code
from phases.sources.csv_folder.actions import NO_ACTIONS, Actions, Told, stated
from phases.sources.csv_folder.sheet import COLUMNS, Sheet
from phases.sources.csv_folder.table import MISSING, Days, Floats
from schemas.settings import CsvSettings

Bools = npt.NDArray[np.bool_]

SPARE = ("open", "high", "low", "volume")
"""Columns without which a bar can be used, where too many lack it."""


FELL = 0.35
"""Share of a large dividend up to which the close may have fallen by more or less than it."""


class Series(NamedTuple):
    """One price series. A column that is not used is empty. It rests on nothing later than its day."""

    days: Days
    columns: dict[str, Floats]
    splits: Actions
    dividends: Actions
    lacking: dict[str, Days]
    """Days whose bar lacks a number, by the column that lacks it; they are in no column."""
    partial: Days
    """Days whose bar stands there, and beside it a second one that lacks something and is in no column."""
    doubled: Days
    """Days that stood twice with the same values."""
    unclear: Days
    """Days that stood twice with other values; they are in no column."""
    actions: Told
    """What to say of days of splits and dividends."""
    cut: dict[str, np.datetime64]
    """What to say of a file that may be cut off, with the day of its last line."""
    currency: str
    """What the file says that its prices are in; empty where it does not say."""
    notes: tuple[str, ...]
    nothing: str
    """Why none of its bars can be used although there are rows; empty where they can be, or there is no row yet."""

    def window(self, count: int) -> slice:
        """The last rows."""
        return slice(max(0, len(self.days) - count), len(self.days))

    def told(self, part: slice) -> list[str]:
        """What a reader of these rows should know; all that was left out, where they are all there is."""
        last = self.days[-1]
        first = self.days[part][0] if part.start else np.datetime64("0001-01-01")
        notes = [*self.notes, *(told for told, day in self.cut.items() if day >= first)]
        names = [name for name, days in self.lacking.items() if (days >= first).any()]
        which = f", lacking {', '.join(names)}" if len(names) < len(self.lacking) else ""
        incomplete = np.unique(np.concatenate([*self.lacking.values(), self.days[:0]]))
        for days, said, why in (
            (incomplete, "bars without a price or volume are left out", which),
            (self.partial, "second bars of a day, without a price or volume, are left out", ""),
            (self.doubled, "bars that stood twice are counted once", ""),
            (self.unclear, "days with two different bars are left out", ""),
            *((days, said, "") for said, days in self.actions),
        ):
            found = days[days >= first]
            if len(found):
                newest = f"; the newest bar used is of {last}" if found[-1] > last else ""
                notes.append(f"{said}: {', '.join(map(str, found[-5:]))} ({len(found)} in all){why}{newest}")
        return notes


def judged(whole: Sheet, as_of: np.datetime64, settings: CsvSettings) -> Series:
    """The series as it was after a day: which rows and columns count is told by the rows up to it."""
    sheet = whole.until(as_of)
    columns, unused = _columns(sheet)
    notes = [*sheet.notes, *unused]
    finite = [np.isfinite(values) for values in columns.values()]
    full: Bools = np.logical_and.reduce(finite)
    said: Bools = np.logical_or.reduce(finite)
    partial = np.intersect1d(sheet.days[~full & said], sheet.days[full])
    lacking = {
        name: np.setdiff1d(sheet.days[~full & ~there], sheet.days[full])
        for name, there in zip(columns, finite, strict=True)
    }
    days, columns = sheet.days[full], {name: values[full] for name, values in columns.items()}
    keep, doubled, unclear = _once(days, columns)
    days, columns = days[keep], {name: values[keep] for name, values in columns.items()}
    nothing = ""
    if not len(days) and (said.any() or not len(whole.priced)):
        nothing = _nothing(sheet if len(sheet.days) else whole, unclear)
    currency, in_doubt = _currency(sheet)
    (splits, of_splits), (dividends, of_dividends) = (
        stated(sheet.own.get(what), sheet.beside.get(what), what) for what in ("splits", "dividends")
    )
    if "adj_close" not in columns:
        columns["adj_close"] = _adjusted(days, columns["close"], splits, dividends, settings)
        if settings.adjusted == "all":
            notes.append("the file's prices are taken as adjusted for splits and dividends: none is as it was traded")
            dividends = NO_ACTIONS  # they are in the prices already
    absent = [name for name in COLUMNS if name not in columns and not any(f"no {name}," in one for one in unused)]
    if absent:
        notes.append(f"the file has no {', '.join(absent)}")
    filled = {name: columns.get(name, np.array([])) for name in COLUMNS}
    told = [*of_splits, *of_dividends]
    return Series(
        *(days, filled, splits, dividends, lacking, partial, doubled, unclear, told, sheet.cut, currency),
        *(tuple(notes), nothing or in_doubt),
    )


def _columns(sheet: Sheet) -> tuple[dict[str, Floats], list[str]]:
    """The columns that are used, and what to say of those that too many bars lack."""
    priced = np.isfinite(sheet.numbers["close"])
    newest = np.unique(sheet.days[priced])[-SESSIONS:]
    columns, notes = {}, []
    for name, values in sheet.numbers.items():
        there = np.isfinite(values)
        if name != "close" and not there.any():
            continue
        lacks = ~np.isin(newest, sheet.days[priced & there])
        if name in SPARE and _too_many(lacks):
            notes.append(f"{lacks.sum()} of the newest {len(newest)} bars have no {name}, so it is not used")
        else:
            columns[name] = values
    return columns, notes


def _too_many(lacks: Bools) -> bool:
    """Whether to go without a column rather than without the bars that lack it: five of them in a row, or one in 20."""
    if lacks.sum() < HOLE:
        return False
    in_a_row = np.convolve(lacks, np.ones(HOLE), "valid").max() == HOLE
    return bool(in_a_row or lacks.mean() > LACKING)


def _nothing(sheet: Sheet, unclear: Days) -> str:
    """Why no bar is left."""
    if not len(sheet.days):
        return f"{sheet.file} has a heading and no row of prices below it; download it again"
    if len(unclear):
        return (
            f"{sheet.file} has no day with one bar: there are two or more that differ for {unclear[-1]} "
            f"({len(unclear)} in all); keep one bar a day, that of its close"
        )
    lacking = ", ".join(
        repr(sheet.names[name]) for name, values in sheet.numbers.items() if not np.isfinite(values).all()
    )
    return f"none of the {len(sheet.days)} rows of {sheet.file} is a whole bar: {lacking} lack numbers; fill them"


def _currency(sheet: Sheet) -> tuple[str, str]:
    """The currency that the rows say, in its usual spelling; and why it cannot be told."""
    said = sorted({one.strip() for one in sheet.currencies.tolist()} - set(MISSING))
    codes = sorted({currency_code(one) for one in said})
    remedy = "correct the column, or take it out and say the currency in source.csv.currencies"
    if "" in codes:
        shown = printable(next(one for one in said if not currency_code(one)))[:40]
        return "", f"{sheet.file}: {sheet.names['currency']!r} is {shown!r}, and no code such as USD or GBp; {remedy}"
    if len(codes) > 1:
        return "", f"{sheet.file}: its rows are in several currencies, {', '.join(codes)}; {remedy}"
    return (codes[0] if codes else ""), ""


def _once(days: Days, columns: dict[str, Floats]) -> tuple[Bools, Days, Days]:
    """Which of the sorted rows to keep, the days that stood twice alike, and those that stood twice in two ways."""
    again = np.flatnonzero(days[1:] == days[:-1]) + 1
    keep = np.ones(len(days), dtype=bool)
    keep[again] = False
    differs = np.logical_or.reduce([values[again] != values[again - 1] for values in columns.values()])
    unclear = np.unique(days[again[differs]])
    keep &= ~np.isin(days, unclear)
    return keep, np.setdiff1d(days[again], unclear), unclear


def _adjusted(days: Days, close: Floats, splits: Actions, dividends: Actions, settings: CsvSettings) -> Floats:
    """Closes adjusted for what they are not adjusted for yet.

    A dividend takes its share of the close before it off every earlier close; a split divides them. One that is
    no plausible share is not adjusted for, so that the checks of bars refuse it.
    """
    steps = np.ones(len(days))
    wanted = {"all": [], "splits": [(dividends, True)], "no": [(dividends, True), (splits, False)]}
    for actions, paid in wanted[settings.adjusted]:
        at = np.searchsorted(days, actions.days)
        within = (at > 0) & (at < len(days))
        within[within] &= close[at[within] - 1] > 0  # a close of 0 is refused later, by its day
        at, values = at[within], actions.values[within]
        if paid:
            share, fall = values / close[at - 1], 1 - close[at] / close[at - 1]
            likely = (share <= UNSEEN) | ((share <= PLAUSIBLE) & (np.abs(fall - share) < share * FELL))
            at, values = at[likely], values[likely]
        np.multiply.at(steps, at, 1 - values / close[at - 1] if paid else 1 / values)
    later = np.cumprod(steps[::-1])[::-1]
    adjusted: Floats = close * np.append(later[1:], 1.0)
    return adjusted
