"""The packaged source: real prices and macro figures shipped with the product, so no network.

Prices are daily and end on 2013-03-01. A macro figure is the revision the data package holds,
not its first release, and is made known only after a release lag. `NOTICE.md` beside this file
says where each number comes from and under which licence.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import zlib
from bisect import bisect_right
from collections.abc import Mapping
from datetime import date, timedelta
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from phases.core.errors import NoData, SourceDown

BENCHMARK = "^GSPC"
"""The index series: it answers `bars`, but is no member of the universe."""

_FILES = ("index.csv.gz", "macro.csv.gz", "stocks.csv.gz")
_UNIVERSE = ("days", "adj_close")
_PRICES = ("open", "high", "low", "close", "volume", "adj_close")


class MacroSpec(NamedTuple):
    """One macro series: a figure is known `lag` days after its month, or the one `months` later."""

    name: str
    unit: str
    period: str
    months: int
    lag: int
    label: str

    def known(self, day: str) -> str:
        """Return the first day the figure for the period that begins on `day` could be known."""
        year, month = divmod(int(day[:4]) * 12 + int(day[5:7]) - 1 + self.months, 12)
        return (date(year, month + 1, int(day[8:])) + timedelta(self.lag)).isoformat()


MACRO = (
    # BLS: about the middle of the next month, but January's index as late as 24 February (1998).
    MacroSpec("core_cpi", "index", "month", 0, 55, "CPI less food and energy, 1982-84 = 100"),
    # BEA: the first estimate comes out up to a month after the quarter ends (30 October 2008).
    MacroSpec("real_gdp", "usd", "quarter", 0, 125, "Real GDP, billions of 2005 dollars a year"),
    # A market rate, but its mean takes in the month after the quarter: known when that ends.
    MacroSpec("tbill_3m", "ratio", "quarter", 3, 31, "3-month Treasury bill, mean of 3 months"),
    # BLS: the jobs report comes out on the first or second Friday of the next month.
    MacroSpec("unemployed", "count", "month", 0, 42, "Unemployed, thousands of persons"),
    # The mean of the quarter is complete with the same report on its last month.
    MacroSpec("unemployment", "ratio", "quarter", 2, 42, "Unemployment rate, mean of the quarter"),
    # A market price of the day, which EIA tables within about a week; a day more for a holiday.
    MacroSpec("wti", "usd", "day", 0, 8, "WTI crude oil, spot, dollars a barrel"),
)
"""The macro series, sorted by name, each with the reason for its lag."""


class _Rows(NamedTuple):
    """Columns of one series, ordered by the day each row is known."""

    known: list[str]
    columns: dict[str, list[Any]]

    def window(self, until: str, count: int) -> dict[str, list[Any]]:
        end = bisect_right(self.known, until)
        return {name: column[max(0, end - count) : end] for name, column in self.columns.items()}

    def cut(self, until: str) -> _Rows:
        end = bisect_right(self.known, until)
        return _Rows(self.known[:end], self.window(until, end))


class _Tables(NamedTuple):
    prices: dict[str, _Rows]
    macro: dict[str, _Rows]


def _read(folder: Path, file: str) -> bytes:
    try:
        return (folder / file).read_bytes()
    except OSError as error:
        raise SourceDown(f"packaged data: no {file} ({error.strerror}); install anew") from error


def _groups(folder: Path, file: str) -> dict[str, list[list[str]]]:
    """Rows of a file without the heading, grouped by the first column."""
    groups: dict[str, list[list[str]]] = {}
    text = gzip.decompress(_read(folder, file)).decode("ascii")
    _, *rows = csv.reader(io.StringIO(text))
    for key, *cells in rows:
        groups.setdefault(key, []).append(cells)
    return groups


def _price_rows(rows: list[list[str]]) -> _Rows:
    days, *numbers = map(list, zip(*rows, strict=True))
    columns = {name: [*map(float, cells)] for name, cells in zip(_PRICES, numbers, strict=True)}
    return _Rows(days, {"days": days} | columns)


def _macro_rows(spec: MacroSpec, rows: list[list[str]]) -> _Rows:
    days, known = [day for day, _ in rows], [spec.known(day) for day, _ in rows]
    return _Rows(known, {"days": days, "values": [float(v) for _, v in rows], "known": known})


@lru_cache(maxsize=4)
def _load(folder: Path, vintage: str) -> _Tables:
    """Parse the files, once for each folder and content."""
    try:
        prices = _groups(folder, "stocks.csv.gz") | _groups(folder, "index.csv.gz")
        macro = _groups(folder, "macro.csv.gz")
        return _Tables(
            {symbol: _price_rows(prices[symbol]) for symbol in sorted(prices)},
            {spec.name: _macro_rows(spec, macro.get(spec.name, [])) for spec in MACRO},
        )
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise SourceDown(f"packaged data {vintage}: damaged ({error}); install anew") from error


class PackagedSource:
    """Answers from the shipped files.

    With `until`, every bar of a later day and every macro figure first known later is deleted
    before anything is asked. The catalogue stays (which symbols there are, when each begins),
    so that a refusal reads the same.
    """

    name = "packaged"
    live = False

    def __init__(self, folder: Path | None = None, *, until: date | None = None) -> None:
        """Read and digest the files; they are parsed at the first question."""
        self._folder = folder or Path(__file__).parent
        self._until = (until or date.max).isoformat()
        digests = [hashlib.sha256(_read(self._folder, file)).digest() for file in _FILES]
        self.vintage = hashlib.sha256(b"".join(digests)).hexdigest()[:16]

    def fetch(self, dataset: str, params: Mapping[str, str]) -> Any:
        """Answer one question with a plain JSON value; see `phases.sources.base`."""
        known = ("bars", "macro", "span", "universe")
        if dataset not in known:
            raise NoData(f"the packaged data holds no {dataset}")
        return getattr(self, f"_{dataset}")(params)

    @cached_property
    def _tables(self) -> _Tables:
        day, tables = self._until, _load(self._folder, self.vintage)
        return _Tables(*({key: rows.cut(day) for key, rows in table.items()} for table in tables))

    def _stocks(self) -> dict[str, _Rows]:
        return {key: rows for key, rows in self._tables.prices.items() if key != BENCHMARK}

    def _span(self, _: Mapping[str, str]) -> dict[str, str]:
        held = [rows.known for rows in self._stocks().values() if rows.known]
        if not held:
            raise NoData(f"packaged prices have no session at or before {self._until}")
        return {"first": min(days[0] for days in held), "last": max(days[-1] for days in held)}

    def _bars(self, params: Mapping[str, str]) -> dict[str, Any]:
        symbol, (day, count) = params["symbol"], _asked(params)
        held = _load(self._folder, self.vintage).prices
        if symbol not in held:
            raise NoData(f"packaged prices have no series {symbol!r}; they hold {', '.join(held)}")
        columns = self._tables.prices[symbol].window(day, count)
        if not columns["days"]:
            start = f"its first session is {held[symbol].known[0]}"
            raise NoData(f"packaged prices have no bar of {symbol} at or before {day}; {start}")
        return {"symbol": symbol, "currency": "USD", "exchange": "XNYS"} | columns

    def _universe(self, params: Mapping[str, str]) -> dict[str, Any]:
        (day, count), series = _asked(params), []
        for symbol, rows in self._stocks().items():
            columns = rows.window(day, count)
            if columns["days"]:
                series.append({"symbol": symbol} | {key: columns[key] for key in _UNIVERSE})
        return {"series": series}

    def _macro(self, params: Mapping[str, str]) -> dict[str, Any]:
        (day, _), series = _asked({**params, "sessions": "1"}), []
        for spec in MACRO:
            about = {key: getattr(spec, key) for key in ("name", "label", "unit", "period")}
            count = 280 if spec.period == "day" else 30
            series.append(about | self._tables.macro[spec.name].window(day, count))
        return {"series": series}


def _asked(params: Mapping[str, str]) -> tuple[str, int]:
    day, count = date.fromisoformat(params["as_of"]).isoformat(), int(params["sessions"])
    if count < 1:
        raise ValueError(f"sessions is {count}; ask for at least 1")
    return day, count
