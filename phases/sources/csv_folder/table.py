"""One file as columns of text: decompressed, its heading recognised, every column found by its name."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, NoReturn
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pandas as pd

from phases.core.errors import SourceDown
from phases.core.text import printable
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
    "dividends": ("dividends", "dividend", "dividend amount", "amount"),
    "splits": ("stock splits", "splits", "split", "split ratio"),
    "symbol": ("symbol", "ticker"),
}
"""Usual names of our columns, in small letters."""

MISSING = ("", "nan", "NaN", "NA", "N/A", "null", "NULL", "None", "-")
"""How files write that there is no number."""

_DATE = re.compile(
    r"(\d{4})[-/]?(\d{2})[-/]?(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|[+-]\d{2}:?\d{2})?)?\Z"
)
_MIDNIGHT = re.compile(r"00:00(?::00(?:\.0+)?)?\Z")


class Table(NamedTuple):
    """The cells of one file, as text."""

    file: str
    columns: dict[str, npt.NDArray[np.object_]]
    """Cells by our name of the column."""
    seen: tuple[str, ...]
    """Names of the columns as the file has them."""
    symbols: frozenset[str]
    """Symbols that the file says it is about; empty where it does not say."""
    notes: tuple[str, ...] = ()

    def fail(self, why: str, remedy: str) -> NoReturn:
        """Raise SourceDown naming the file, the columns seen and what to do."""
        seen = ", ".join(map(repr, self.seen))
        told = f"csv_folder: {self.file}: {why}; its columns are {seen} (read with pandas {pd.__version__}); {remedy}"
        raise SourceDown(printable(told))

    def numbers(self, name: str) -> Floats:
        """A column as numbers, NaN where the file has none."""
        cells = self.columns[name]
        try:
            return cells.astype(np.float64)
        except ValueError:
            filled = np.where(np.isin(cells.astype(str), MISSING), "nan", cells)
        try:
            return filled.astype(np.float64)
        except ValueError as error:
            self.fail(f"{name}: {error}", "write plain numbers with a decimal point")

    def days(self, zone: str) -> Days:
        """The date column as days. A moment is the day it is in the zone; midnight on its own clock is that day."""
        cells = self.columns["date"]
        try:
            if all(len(cell) == 10 for cell in cells):
                return cells.astype("datetime64[D]")
            return np.array([_day(str(cell), zone) for cell in cells], dtype="datetime64[D]")
        except ValueError as error:
            self.fail(f"date: {error}", "write days as YYYY-MM-DD, or moments with their offset")


def _day(cell: str, zone: str) -> str:
    match = _DATE.match(cell)
    if match is None:
        raise ValueError(f"{cell!r} is no day")
    year, month, day, clock, offset = match.groups()
    written = f"{year}-{month}-{day}"
    if offset is None or _MIDNIGHT.match(clock):
        return written
    moment = datetime.fromisoformat(f"{written}T{clock}{offset}")
    return moment.astimezone(ZoneInfo(zone)).date().isoformat()


def read_table(path: Path, settings: CsvSettings) -> Table:
    """The table of a file. Reads it; raises SourceDown naming the file if it is damaged."""
    rows = _rows(path)
    header = ["" if cell is None else str(cell).strip() for cell in rows[0]]
    seen, file = tuple(header), path.name
    if header[0] == "Price" and len(rows) > 1 and rows[1][0] == "Ticker":
        return _two_levels(file, rows, header, settings)
    below = rows[settings.header_rows :]
    return _named(Table(file, {}, seen, frozenset()), header, below, settings)


def _rows(path: Path) -> npt.NDArray[np.object_]:
    """All rows of a file as text, the heading among them."""
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
        first = text.partition("\n")[0]
        frame = pd.read_csv(
            io.StringIO(text),
            header=None,
            dtype=str,
            keep_default_na=False,
            na_filter=False,
            sep=max(",;\t", key=first.count),
        )
    except (
        OSError,
        EOFError,
        zlib.error,
        UnicodeDecodeError,
        pd.errors.ParserError,
        pd.errors.EmptyDataError,
    ) as error:
        why = printable(str(error).strip().splitlines()[-1])
        raise SourceDown(f"csv_folder: {path.name}: damaged ({why}); copy or download it again") from None
    return frame.to_numpy(dtype=object)


def _two_levels(file: str, rows: npt.NDArray[np.object_], header: list[str], settings: CsvSettings) -> Table:
    """A dump of a frame with two levels of column names: a field and a ticker above each column."""
    start = next((at for at, row in enumerate(rows) if _DATE.match(str(row[0]))), len(rows))
    symbols = frozenset(str(cell) for cell in rows[1][1:] if cell)
    header = ["date", *header[1:]]
    notes: tuple[str, ...] = ()
    if header[1] == "Price" and "Adj Close" not in header and not settings.columns:
        header[1] = "Adj Close"  # the fields of such a dump are in alphabetical order; the first lost its name
        notes = ("a column named Price, where such a dump has adjusted closes, is read as those",)
    return _named(Table(file, {}, tuple(map(str, rows[0])), symbols, notes), header, rows[start:], settings)


def _named(table: Table, header: list[str], below: npt.NDArray[np.object_], settings: CsvSettings) -> Table:
    """The table with its columns under our names. Raises SourceDown if one that is declared or needed is not there."""
    for ours, theirs in settings.columns.items():
        if theirs not in header:
            table.fail(f"no column {theirs!r} for {ours}", "change source.csv.columns")
    places: dict[str, int] = {str(ours): header.index(theirs) for ours, theirs in settings.columns.items()}
    small = [name.lower().replace("_", " ") for name in header]
    for wanted, names in USUAL.items():
        at = [place for place, name in enumerate(small) if name in names and place not in places.values()]
        if wanted in places or not at:
            continue
        if len(at) > 1:
            table.fail(f"more than one column for {wanted}", "say which in source.csv.columns")
        places[wanted] = at[0]
    columns = {name: below[:, at] for name, at in places.items()}
    said = frozenset(map(str, columns.pop("symbol", ()))) - {""}
    return table._replace(columns=columns, symbols=table.symbols | said)
