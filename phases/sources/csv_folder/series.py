"""One price series as arrays: sorted, whole bars only, with adjusted closes; and cut for one answer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from phases.core.recorder import today
from phases.sources.csv_folder.table import Days, Floats, Table, read_table
from phases.sources.symbols import file_key, listing
from schemas.settings import CsvSettings

PRICES = ("open", "high", "low", "close", "adj_close")
COLUMNS = (*PRICES, "volume")

Bools = npt.NDArray[np.bool_]


class Actions(NamedTuple):
    """Splits or dividends of a series, oldest first."""

    days: Days
    values: Floats

    def entries(self, kind: str, first: np.datetime64, last: np.datetime64) -> list[dict[str, Any]]:
        """Those of a span, as they stand in an answer."""
        within = (self.days >= first) & (self.days <= last)
        pairs = zip(self.days[within].astype(str), self.values[within], strict=True)
        return [{"day": str(day), "kind": kind, "value": float(value)} for day, value in pairs]


NO_ACTIONS = Actions(np.array([], "datetime64[D]"), np.array([]))


class Series(NamedTuple):
    """One price series. A column that the file does not have is empty."""

    days: Days
    columns: dict[str, Floats]
    splits: Actions
    dividends: Actions
    incomplete: Days
    """Days whose bar lacks a price or the volume; they are in no column."""
    partial: Days
    """Days whose bar stands there, and beside it a second one that lacks something and is in no column."""
    doubled: Days
    """Days that stood twice with the same values."""
    unclear: Days
    """Days that stood twice with other values; they are in no column."""
    notes: tuple[str, ...]
    nothing: str
    """Why there is no bar at all; empty where there is one."""

    def window(self, as_of: np.datetime64, count: int) -> slice:
        """The last rows up to a day."""
        end = int(np.searchsorted(self.days, as_of, side="right"))
        return slice(max(0, end - count), end)

    def told(self, part: slice, as_of: np.datetime64) -> list[str]:
        """What a reader of these rows should know; nothing later than `as_of` is in it."""
        first, last = self.days[part][0], self.days[part][-1]
        notes = list(self.notes)
        for days, said in (
            (self.incomplete, "bars without a price or volume are left out"),
            (self.partial, "second bars of a day, without a price or volume, are left out"),
            (self.doubled, "bars that stood twice are counted once"),
            (self.unclear, "days with two different bars are left out"),
        ):
            found = days[(days >= first) & (days <= as_of)]
            if len(found):
                newest = f"; the newest bar used is of {last}" if found[-1] > last else ""
                notes.append(f"{said}: {', '.join(map(str, found[-5:]))} ({len(found)} in all){newest}")
        return notes


def load_series(path: Path, symbol: str, beside: Callable[[str], Path | None], settings: CsvSettings) -> Series:
    """The series of a file and of those beside it. Reads them; raises SourceDamaged naming the one that is damaged."""
    table = read_table(path, settings)
    others = sorted(one for one in table.symbols if file_key(one) != file_key(symbol))
    if others:
        table.fail(f"its rows are about {', '.join(others[:5])}", "keep one symbol in a file, named for it")
    for needed in ("date", "close"):
        if needed not in table.columns:
            table.fail(f"no column for {needed}", f"say which it is: source.csv.columns.{needed}")
    zone = listing(symbol).zone or settings.zone
    days = table.days(zone)
    numbers = {name: table.numbers(name) for name in COLUMNS if name in table.columns}
    columns = {name: values for name, values in numbers.items() if np.isfinite(values).any() or name == "close"}
    splits = _actions(table, "splits", days) or _sibling(beside("splits"), "splits", zone, settings)
    dividends = _actions(table, "dividends", days) or _sibling(beside("dividends"), "dividends", zone, settings)
    whole: Bools = np.logical_and.reduce([np.isfinite(values) for values in columns.values()])
    _check_days(table, days, numbers["close"])
    nothing = _nothing(table, numbers, whole)
    incomplete = np.unique(days[~whole])
    said: Bools = np.logical_or.reduce([np.isfinite(values) for values in columns.values()])
    partial = np.intersect1d(days[~whole & said], days[whole])
    order = np.flatnonzero(whole)[np.argsort(days[whole], kind="stable")]
    days, columns = days[order], {name: values[order] for name, values in columns.items()}
    keep, doubled, unclear = _once(days, columns)
    days, columns = days[keep], {name: values[keep] for name, values in columns.items()}
    notes = [*table.notes]
    if "adj_close" not in columns:
        columns["adj_close"] = _adjusted(days, columns["close"], splits, dividends, settings)
        if settings.adjusted == "all":
            notes.append("the file's prices are taken as adjusted for splits and dividends: none is as it was traded")
            dividends = NO_ACTIONS  # they are in the prices already
    if set(COLUMNS) - set(columns):
        notes.append(f"the file has no {', '.join(name for name in COLUMNS if name not in columns)}")
    filled = {name: columns.get(name, np.array([])) for name in COLUMNS}
    lacking = np.setdiff1d(incomplete, days)
    return Series(days, filled, splits, dividends, lacking, partial, doubled, unclear, tuple(notes), nothing)


def _check_days(table: Table, days: Days, close: Floats) -> None:
    """Raise SourceDamaged for a price of a day that is still to come. Today is the latest that it is anywhere."""
    later = np.isfinite(close) & (days > np.datetime64(today() + timedelta(1)))
    if later.any():
        table.fail_at("date", later.tolist(), "day that has come", "correct it, or take the row out")


def _nothing(table: Table, numbers: dict[str, Floats], whole: Bools) -> str:
    """Why a file has no bar; an empty text where it has one."""
    if whole.any():
        return ""
    if not len(whole):
        return f"{table.file} has a heading and no row of prices below it; download it again"
    lacking = ", ".join(repr(table.names[name]) for name, values in numbers.items() if not np.isfinite(values).all())
    return f"none of the {len(whole)} rows of {table.file} is a whole bar: {lacking} lack numbers; fill them"


def _once(days: Days, columns: dict[str, Floats]) -> tuple[Bools, Days, Days]:
    """Which of the sorted rows to keep, the days that stood twice alike, and those that stood twice in two ways."""
    again = np.flatnonzero(days[1:] == days[:-1]) + 1
    keep = np.ones(len(days), dtype=bool)
    keep[again] = False
    differs = [at for at in again if any(values[at] != values[at - 1] for values in columns.values())]
    unclear = np.unique(days[differs])
    keep &= ~np.isin(days, unclear)
    return keep, np.setdiff1d(days[again], unclear), unclear


def _actions(table: Table, name: str, days: Days) -> Actions | None:
    """The column of splits or dividends; None where there is no such column."""
    if name not in table.columns:
        return None
    values = table.numbers(name)
    real = np.isfinite(values) & (values > 0) & ~((values == 1) & (name == "splits"))
    order = np.argsort(days[real], kind="stable")
    return Actions(days[real][order], values[real][order])


def _sibling(path: Path | None, name: str, zone: str, settings: CsvSettings) -> Actions:
    if path is None:
        return NO_ACTIONS
    table = read_table(path, settings.model_copy(update={"header_rows": 1, "columns": {}}))
    if "date" not in table.columns or name not in table.columns:
        table.fail(f"no columns for date and {name}", f"name them Date and {name.capitalize()}")
    return _actions(table, name, table.days(zone)) or NO_ACTIONS


def _adjusted(days: Days, close: Floats, splits: Actions, dividends: Actions, settings: CsvSettings) -> Floats:
    """Closes adjusted for what they are not adjusted for yet.

    A dividend takes its share of the close before it off every earlier close; a split divides them.
    """
    steps = np.ones(len(days))
    wanted = {"all": [], "splits": [(dividends, True)], "no": [(dividends, True), (splits, False)]}
    for actions, paid in wanted[settings.adjusted]:
        at = np.searchsorted(days, actions.days)
        within = (at > 0) & (at < len(days))
        within[within] &= close[at[within] - 1] > 0  # a close of 0 is refused later, by its day
        at, values = at[within], actions.values[within]
        np.multiply.at(steps, at, 1 - values / close[at - 1] if paid else 1 / values)
    later = np.cumprod(steps[::-1])[::-1]
    adjusted: Floats = close * np.append(later[1:], 1.0)
    return adjusted
