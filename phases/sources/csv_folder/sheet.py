"""What the files of one symbol say, row by row and oldest first: read, and not judged."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from phases.core.recorder import today
from phases.sources.csv_folder.actions import Actions, actions_in
from phases.sources.csv_folder.files import SIBLINGS
from phases.sources.csv_folder.table import LONGEST, Days, Floats, Table, read_table
from phases.sources.symbols import file_key, listing
from schemas.settings import CsvSettings

PRICES = ("open", "high", "low", "close", "adj_close")
COLUMNS = (*PRICES, "volume")


class Sheet(NamedTuple):
    """The rows of one symbol."""

    file: str
    days: Days
    """Day of each row, oldest first; a day may stand there more than once."""
    numbers: dict[str, Floats]
    """Columns by our name, NaN where a cell says nothing."""
    names: dict[str, str]
    """The file's name of a column by ours."""
    own: dict[str, Actions]
    """Splits and dividends of the file's own columns; without an entry where there is no such column."""
    beside: dict[str, Actions]
    """Those of the files beside it."""
    currencies: npt.NDArray[np.object_]
    """What each row says its currency is; empty where there is no such column."""
    unused: tuple[str, ...]
    """Names of columns that nothing reads."""
    notes: tuple[str, ...]
    cut: dict[str, np.datetime64]
    """What to say of a file that may be cut off, with the day of its last line."""

    @property
    def priced(self) -> Days:
        """Days with a close."""
        return self.days[np.isfinite(self.numbers["close"])]

    def until(self, as_of: np.datetime64) -> Sheet:
        """What was there after a day."""
        end = int(np.searchsorted(self.days, as_of, side="right"))
        return self._replace(
            days=self.days[:end],
            numbers={name: values[:end] for name, values in self.numbers.items()},
            currencies=self.currencies[:end],
            own={what: actions.until(as_of) for what, actions in self.own.items()},
            beside={what: actions.until(as_of) for what, actions in self.beside.items()},
            cut={told: day for told, day in self.cut.items() if day <= as_of},
        )


def load_sheet(path: Path, symbol: str, beside: Callable[[str], Path | None], settings: CsvSettings) -> Sheet:
    """The rows of a file and of those beside it. Reads them; raises SourceDamaged naming the one that is damaged."""
    table = read_table(path, settings)
    _check_symbol(table, symbol)
    for needed in ("date", "close"):
        if needed not in table.columns:
            table.fail(f"no column for {needed}", f"say which it is: source.csv.columns.{needed}")
    zone = listing(symbol).zone or settings.zone
    days = table.days(zone)
    numbers = {name: table.numbers(name) for name in COLUMNS if name in table.columns}
    own = {what: actions_in(table, what, days) for what in SIBLINGS if what in table.columns}
    files = {what: beside(what) for what in SIBLINGS}
    others = {what: _sibling(one, what, symbol, zone, settings) for what, one in files.items() if one is not None}
    _check_days(table, days, numbers["close"])
    order = np.argsort(days, kind="stable")
    sorted_numbers = {name: values[order] for name, values in numbers.items()}
    cut = {table.cut: days[-1]} if table.cut and len(days) else {}
    cells = table.columns.get("currency", np.array([], dtype=object))
    currencies = cells[order] if len(cells) else cells
    return Sheet(
        table.file, days[order], sorted_numbers, table.names, own, others, currencies, table.unused, table.notes, cut
    )


def _check_symbol(table: Table, symbol: str) -> None:
    """Raise SourceDamaged for a file that says it is about another symbol."""
    others = sorted(one for one in table.symbols if file_key(one) != file_key(symbol))
    if others:
        table.fail(
            f"its rows are about {', '.join(one[:LONGEST] for one in others[:5])}",
            "keep one symbol in a file, named for it",
        )


def _check_days(table: Table, days: Days, close: Floats) -> None:
    """Raise SourceDamaged for a price of a day that is still to come. Today is the latest that it is anywhere."""
    later: npt.NDArray[np.bool_] = np.isfinite(close) & (days > np.datetime64(today() + timedelta(1)))
    if later.any():
        table.fail_at("date", later.tolist(), "day that has come", "correct it, or take the row out")


def _sibling(path: Path, name: str, symbol: str, zone: str, settings: CsvSettings) -> Actions:
    """Splits or dividends of a file beside a series. Reads it; raises SourceDamaged naming it."""
    table = read_table(path, settings.model_copy(update={"header_rows": 1, "columns": {}}))
    _check_symbol(table, symbol)
    if "date" not in table.columns or name not in table.columns:
        table.fail(f"no columns for date and {name}", f"name them Date and {name.capitalize()}")
    return actions_in(table, name, table.days(zone))
