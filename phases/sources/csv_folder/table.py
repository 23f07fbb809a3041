"""One file as columns of text: its heading recognised, every column found by its name."""

from __future__ import annotations

import re
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple, NoReturn
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pandas as pd

from phases.core.errors import SourceDamaged
from phases.core.text import printable
from phases.sources.csv_folder.text import read_rows
from schemas.settings import CsvSettings

Floats = npt.NDArray[np.float64]
Days = npt.NDArray[np.datetime64]

USUAL = {
    "date": ("date", "datetime", "index", "timestamp", "time", "day", "", "unnamed: 0"),
    "open": ("open", "open price"),
    "high": ("high", "high price"),
    "low": ("low", "low price"),
    "close": ("close", "close price", "close/last"),
    "adj_close": ("adj close", "adjusted close", "adjclose", "close adj"),
    "volume": ("volume", "vol"),
    "dividends": ("dividends", "dividend", "dividend amount", "amount", "divcash", "div cash"),
    "splits": ("stock splits", "splits", "split", "split ratio", "split factor", "splitfactor", "split coefficient"),
    "symbol": ("symbol", "ticker"),
    "currency": ("currency",),
}
"""Usual names of our columns, in small letters and with blanks for points, dashes and the like."""

_JOINTS = re.compile(r"[\s._*-]+")

MISSING = ("", "nan", "NaN", "NA", "N/A", "null", "NULL", "None", "-")
"""How files write that there is no number."""

_DATE = re.compile(
    r"(\d{4})[-/]?(\d{2})[-/]?(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|[+-]\d{2}:?\d{2})?)?\Z"
)
_MIDNIGHT = re.compile(r"00:00(?::00(?:\.0+)?)?\Z")


FIRST_YEAR, LAST_YEAR = 1800, 2200
"""Years that a price may be of: what is outside them was no day, such as seconds since 1970."""


MOST_SEEN, LONGEST = 40, 40
"""Columns that a message names, and letters of a cell that it shows."""

ABOVE, FEW_ABOVE = 60, 5
"""Rows above the last one that it is held against, and how few are none."""


class Table(NamedTuple):
    """The cells of one file, as text."""

    file: str
    columns: dict[str, npt.NDArray[np.object_]]
    """Cells by our name of the column."""
    seen: tuple[str, ...]
    """Names of the columns as the file has them."""
    names: dict[str, str]
    """The file's name of a column by ours."""
    lines: npt.NDArray[np.int64]
    """Line of each row in the file, from 1."""
    symbols: frozenset[str]
    """Symbols that the file says it is about; empty where it does not say."""
    notes: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    """Names of columns that nothing reads."""
    cut: str = ""
    """What to say of the last line, where the file may have been cut off in it."""

    def fail(self, why: str, remedy: str) -> NoReturn:
        """Raise SourceDamaged naming the file, the columns seen and what to do."""
        seen = ", ".join(repr(one[:LONGEST]) for one in self.seen[:MOST_SEEN])
        seen += f" and {len(self.seen) - MOST_SEEN} more" if len(self.seen) > MOST_SEEN else ""
        told = f"csv_folder: {self.file}: {why}; its columns are {seen} (read with pandas {pd.__version__}); {remedy}"
        raise SourceDamaged(printable(told))

    def numbers(self, name: str) -> Floats:
        """A column as numbers, NaN where the file has none. Raises SourceDamaged naming line, column and value."""
        cells = self.columns[name]
        try:
            return cells.astype(np.float64)
        except ValueError:
            filled = np.array([("nan" if cell in MISSING else cell) for cell in cells], dtype=object)
        try:
            return filled.astype(np.float64)
        except ValueError:
            self.fail_at(name, [not _is_number(cell) for cell in filled], "number", "write it plain, such as 1234.5")

    def days(self, zone: str) -> Days:
        """The date column as days. A moment is the day it is in the zone; midnight on its own clock is that day.

        Raises SourceDamaged naming line, column and value.
        """
        cells = self.columns["date"]
        days = _plain_days(cells)
        if days is None:
            days = np.array([_day(str(cell), zone) for cell in cells], dtype="datetime64[D]")
        wrong = _out_of_time(days)
        if wrong.any():
            remedy = "write days as YYYY-MM-DD, or moments with their offset"
            if wrong[0] and not wrong.all():
                remedy += "; rows of another kind before the first price are counted by source.csv.header_rows"
            self.fail_at("date", wrong.tolist(), "day", remedy)
        return days

    def fail_at(self, name: str, wrong: list[bool], kind: str, remedy: str) -> NoReturn:
        """Raise SourceDamaged for the first cell that is wrong, saying how many more there are."""
        at, more = wrong.index(True), sum(wrong) - 1
        cell, told = str(self.columns[name][at])[:LONGEST], f" (and {more} more in that column)" * bool(more)
        where = f"line {self.lines[at]}, column {self.names[name]!r}"
        raise SourceDamaged(
            printable(f"csv_folder: {self.file} {where} ({name}): {cell!r} is no {kind}{told}; {remedy}")
        )


def _plain_days(cells: npt.NDArray[np.object_]) -> Days | None:
    """Cells of the form YYYY-MM-DD as days; None where one is of another."""
    if not all(len(cell) == 10 for cell in cells):
        return None
    try:
        days: Days = cells.astype("datetime64[D]")
    except ValueError:
        return None
    return None if _out_of_time(days).any() else days


def _out_of_time(days: Days) -> npt.NDArray[np.bool_]:
    bounds = np.array([f"{FIRST_YEAR}-01-01", f"{LAST_YEAR}-01-01"], dtype="datetime64[D]")
    outside: npt.NDArray[np.bool_] = np.isnat(days) | (days < bounds[0]) | (days >= bounds[1])
    return outside


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _day(cell: str, zone: str) -> str:
    """The day of a cell, or `NaT` where it is none."""
    match = _DATE.match(cell)
    if match is None:
        return "NaT"
    year, month, day, clock, offset = match.groups()
    written = f"{year}-{month}-{day}"
    try:
        if offset is None or _MIDNIGHT.match(clock):
            return date.fromisoformat(written).isoformat()
        moment = datetime.fromisoformat(f"{written}T{clock}{offset}")
        return moment.astimezone(ZoneInfo(zone)).date().isoformat()
    except (ValueError, OverflowError):
        return "NaT"


def read_table(path: Path, settings: CsvSettings) -> Table:
    """The table of a file. Reads it; raises SourceDamaged naming the file, and the line where one is to blame."""
    rows, lines, whole = read_rows(path)
    rows, cut = (rows, "") if whole or len(rows) == 1 else _without_cut(rows, path.name)
    lines = lines[: len(rows)]
    header = ["" if cell is None else str(cell).strip() for cell in rows[0]]
    table = Table(path.name, {}, tuple(header), {}, lines, frozenset(), cut=cut)
    if header[0] == "Price" and len(rows) > 1 and rows[1][0] == "Ticker":
        return _two_levels(table, rows, header, settings)
    start = settings.header_rows
    _check_heading(table, rows[1:start])
    return _named(table._replace(lines=lines[start:]), header, rows[start:], settings)


def _without_cut(rows: npt.NDArray[np.object_], file: str) -> tuple[npt.NDArray[np.object_], str]:
    """Rows of a file without a newline at its end, without what is likely to be cut off in the last; and a note.

    That is a cell shorter than every one of the rows above it. Many sound files end so: what else is there is used.
    """
    told = printable(f"{file} does not end with a newline and may be cut off: check its last row")
    place = int(np.flatnonzero(rows[-1] != "")[-1])
    if place == 0:
        return rows[:-1], told
    above = [len(cell.strip()) for cell in rows[-1 - ABOVE : -1, place] if cell not in MISSING]
    cell = rows[-1, place]
    if len(above) < FEW_ABOVE or len(cell.strip()) >= min(above):
        return rows, told
    rows = rows.copy()
    rows[-1, place] = ""
    return rows, f"{told}; {cell!r} is shorter than what stands above it, and is not used"


def _check_heading(table: Table, between: npt.NDArray[np.object_]) -> None:
    """Raise SourceDamaged where a row that is said to be heading holds a day and a price."""
    for at, row in enumerate(between, 1):
        cells = [str(cell).strip() for cell in row]
        days = [cell for cell in cells if _DATE.match(cell)]
        if days and any(_is_number(cell) for cell in cells if cell not in days and cell not in MISSING):
            table.fail(
                f"line {table.lines[at]} holds prices of {days[0]}, but source.csv.header_rows says that the first "
                "of them come later",
                f"set source.csv.header_rows to {at} or less, the rows before the first price",
            )


def _two_levels(table: Table, rows: npt.NDArray[np.object_], header: list[str], settings: CsvSettings) -> Table:
    """A dump of a frame with two levels of column names: a field and a ticker above each column."""
    start = next((at for at, row in enumerate(rows) if _DATE.match(str(row[0]))), len(rows))
    symbols = frozenset(str(cell) for cell in rows[1][1:] if cell)
    header = ["date", *header[1:]]
    notes: tuple[str, ...] = ()
    if header[1] == "Price" and "Adj Close" not in header and not settings.columns:
        header[1] = "Adj Close"  # the fields of such a dump are in alphabetical order; the first lost its name
        notes = ("a column named Price, where such a dump has adjusted closes, is read as those",)
    told = table._replace(seen=tuple(map(str, rows[0])), lines=table.lines[start:], symbols=symbols, notes=notes)
    return _named(told, header, rows[start:], settings)


def _named(table: Table, header: list[str], below: npt.NDArray[np.object_], settings: CsvSettings) -> Table:
    """The table with its columns under our names. Raises SourceDamaged for one that is not there."""
    for ours, theirs in settings.columns.items():
        if theirs not in header:
            table.fail(f"no column {theirs!r} for {ours}", "change source.csv.columns")
    places: dict[str, int] = {str(ours): header.index(theirs) for ours, theirs in settings.columns.items()}
    small = [_JOINTS.sub(" ", name.lower()).strip() or name for name in header]
    for wanted, names in USUAL.items():
        at = [place for place, name in enumerate(small) if name in names and place not in places.values()]
        if wanted in places or not at:
            continue
        if len(at) > 1:
            table.fail(f"more than one column for {wanted}", "say which in source.csv.columns")
        places[wanted] = at[0]
    columns = {name: below[:, at] for name, at in places.items()}
    said = frozenset(map(str, columns.pop("symbol", ()))) - {""}
    theirs_by_ours = {name: header[at] for name, at in places.items()}
    unused = tuple(name for at, name in enumerate(header) if name and at not in places.values())
    return table._replace(columns=columns, names=theirs_by_ours, symbols=table.symbols | said, unused=unused)
