"""Source `skfolio`: the prices inside the package of that name, 20 large caps and the index, 1990 to 2022.

Only its two data files are read; the package itself, and the solvers that it needs, are never
imported. There are adjusted closes alone, rounded to three decimals: a ticker begins once its
quote passes 1.00, since below that the rounding looks like volatility. All twenty were alive at
the end, so a night on them says nothing about names that failed.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import importlib.util
import io
import zlib
from bisect import bisect_right
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from phases.core.errors import NoData, SourceDown, UsageError
from phases.core.text import extra

PACKAGE = "skfolio"
FOLDER = Path("datasets", "data")
STOCKS, INDEX = "sp500_dataset.csv.gz", "sp500_index.csv.gz"

BENCHMARK = "^GSPC"
"""The index series: it answers `bars`, but is no member of the universe."""

COARSE = 1.0
"""Quote up to which three decimals are too coarse."""

ADJUSTED = "adjusted closes alone, rounded to three decimals: none is a price as it was traded"


class Closes(NamedTuple):
    """Adjusted closes of one series, oldest first."""

    days: list[str]
    values: list[float]

    def until(self, day: str, count: int) -> Closes:
        """The last `count` up to a day."""
        end = bisect_right(self.days, day)
        part = slice(max(0, end - count), end)
        return Closes(self.days[part], self.values[part])


class SkfolioSource:
    """Answers from the files of the package."""

    name = "skfolio"
    live = False

    def __init__(self, folder: Path | None = None) -> None:
        """Find and digest the files. Raises UsageError where the package is not installed."""
        self._folder = folder or _installed()
        digests = [hashlib.sha256(_read(self._folder, file)).digest() for file in (STOCKS, INDEX)]
        self.vintage = hashlib.sha256(b"".join(digests)).hexdigest()[:16]

    def fetch(self, dataset: str, params: Mapping[str, str]) -> Any:
        """Answer one question with a plain JSON value; see `phases.sources.base`."""
        held = _load(self._folder, self.vintage)
        if dataset == "span":
            days = held[BENCHMARK].days
            return {"first": days[0], "last": days[-1]}
        if dataset not in ("bars", "universe"):
            raise NoData(f"the prices of skfolio hold no {dataset}")
        as_of, count = date.fromisoformat(params["as_of"]).isoformat(), int(params["sessions"])
        if count < 1:
            raise ValueError(f"sessions is {count}; ask for at least 1")
        if dataset == "bars":
            return _bars(held, params["symbol"], as_of, count)
        known = {symbol: one.until(as_of, count) for symbol, one in held.items() if symbol != BENCHMARK}
        series = [{"symbol": symbol, "days": one.days, "adj_close": one.values} for symbol, one in known.items()]
        return {"series": [one for one in series if one["days"]]}


def _bars(held: Mapping[str, Closes], symbol: str, as_of: str, count: int) -> dict[str, Any]:
    if symbol not in held:
        raise NoData(f"skfolio has no series {symbol!r}; it has {', '.join(held)}")
    days, values = held[symbol].until(as_of, count)
    if not days:
        raise NoData(f"skfolio has no bar of {symbol} at or before {as_of}; its first is of {held[symbol].days[0]}")
    coarse = sum(value <= COARSE for value in values)
    about = [f"{coarse} of its quotes are at most {COARSE:.2f}: the rounding shows in them"] if coarse else []
    return {
        "symbol": symbol,
        "currency": "USD",
        "exchange": "XNYS",
        "days": days,
        **{name: [] for name in ("open", "high", "low", "volume")},
        "close": values,
        "adj_close": list(values),
        "notes": [ADJUSTED, *about],
    }


def _installed() -> Path:
    """The folder of the data files. Finds the package without running it."""
    found = importlib.util.find_spec(PACKAGE)
    homes = [Path(home) / FOLDER for home in (found.submodule_search_locations or ())] if found else []
    folder = next((home for home in homes if (home / STOCKS).is_file()), None)
    if folder is None:
        raise UsageError(f"source skfolio needs the data of the package skfolio: {extra('skfolio')}")
    return folder


def _read(folder: Path, file: str) -> bytes:
    try:
        return (folder / file).read_bytes()
    except OSError as error:
        raise SourceDown(f"skfolio: no {file} ({error.strerror}); install the package anew") from None


@lru_cache(maxsize=2)
def _load(folder: Path, vintage: str) -> dict[str, Closes]:
    """Every series by symbol, parsed once for each folder and content."""
    try:
        stocks, index = _columns(folder, STOCKS), _columns(folder, INDEX)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise SourceDown(f"skfolio: damaged data {vintage} ({error}); install the package anew") from None
    begun = {symbol: _begun(stocks[symbol]) for symbol in sorted(stocks)}
    return {**{symbol: one for symbol, one in begun.items() if one.days}, BENCHMARK: index["SP500"]}


def _columns(folder: Path, file: str) -> dict[str, Closes]:
    heading, *rows = csv.reader(io.StringIO(gzip.decompress(_read(folder, file)).decode("ascii")))
    days = [row[0] for row in rows]
    return {name: Closes(days, [float(row[at]) for row in rows]) for at, name in enumerate(heading) if at}


def _begun(closes: Closes) -> Closes:
    """The series from the day on which its quote first passes 1.00."""
    start = next((at for at, value in enumerate(closes.values) if value > COARSE), len(closes.days))
    return Closes(closes.days[start:], closes.values[start:])
