"""The prices inside the package skfolio: where each series begins, what is said of it, and that nothing is imported."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import subprocess
import sys
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from phases.core.errors import NoData, SourceDown, UsageError
from phases.core.store import open_store
from phases.night import hold_night
from phases.plan import Words, plan
from phases.sources import SOURCES
from phases.sources.skfolio import SkfolioSource
from schemas.settings import SourceSettings

needs_package = pytest.mark.skipif(
    importlib.util.find_spec("skfolio") is None, reason="the package skfolio is not installed (extra `skfolio`)"
)

STOCKS = """Date,AAA,PENNY
2020-01-02,0.998,0.1
2020-01-03,1.0,0.101
2020-01-06,1.002,0.1
2020-01-07,0.9,0.1
2020-01-08,1.1,0.1
"""
INDEX = "Date,SP500\n" + "".join(f"2020-01-0{day},{3000 + day}\n" for day in (2, 3, 6, 7, 8))


def made(folder: Path, stocks: str = STOCKS) -> SkfolioSource:
    """The source over small files in the form of the package's."""
    for name, text in (("sp500_dataset.csv.gz", stocks), ("sp500_index.csv.gz", INDEX)):
        (folder / name).write_bytes(gzip.compress(text.encode()))
    return SkfolioSource(folder)


def bars(source: SkfolioSource, symbol: str, as_of: str, sessions: int = 9) -> dict[str, Any]:
    found: dict[str, Any] = source.fetch("bars", {"symbol": symbol, "as_of": as_of, "sessions": str(sessions)})
    return found


def test_a_ticker_begins_once_its_quote_passes_one(tmp_path: Path) -> None:
    source = made(tmp_path)
    with pytest.raises(NoData, match="no bar of AAA at or before 2020-01-03; its first is of 2020-01-06"):
        bars(source, "AAA", "2020-01-03")
    found = bars(source, "AAA", "2020-01-08")
    assert (found["days"], found["close"]) == (["2020-01-06", "2020-01-07", "2020-01-08"], [1.002, 0.9, 1.1])
    assert "1 of its quotes are at most 1.00" in found["notes"][1]
    assert len(bars(source, "AAA", "2020-01-06")["notes"]) == 1, "what comes later is not told of"
    with pytest.raises(NoData, match="no series 'PENNY'; it has AAA, \\^GSPC"):
        bars(source, "PENNY", "2020-01-08")
    universe = source.fetch("universe", {"as_of": "2020-01-07", "sessions": "1"})
    assert universe == {"series": [{"symbol": "AAA", "days": ["2020-01-07"], "adj_close": [0.9]}]}


def test_damaged_files_and_other_content_are_seen(tmp_path: Path) -> None:
    vintage = made(tmp_path).vintage
    broken = made(tmp_path, STOCKS.replace("1.002", "one"))
    assert broken.vintage != vintage
    with pytest.raises(SourceDown, match="damaged data"):
        bars(broken, "AAA", "2020-01-08")
    (tmp_path / "sp500_index.csv.gz").unlink()
    with pytest.raises(SourceDown, match=r"no sp500_index\.csv\.gz"):
        SkfolioSource(tmp_path)


def test_without_the_package_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phases.sources.skfolio.PACKAGE", "no_such_package")
    with pytest.raises(UsageError, match=r"pip install '\.\[skfolio\]'"):
        SOURCES["skfolio"](SourceSettings(name="skfolio"))


@needs_package
def test_real_prices_are_read_and_the_package_is_not_imported() -> None:
    script = (
        "import sys\nfrom phases.sources.skfolio import SkfolioSource\n"
        "told = SkfolioSource().fetch('bars', {'symbol': 'JPM', 'as_of': '2022-12-28', 'sessions': '1'})\n"
        "print(told['days'][0], told['close'][0], 'skfolio' in sys.modules)"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2022-12-28", "129.575", "False"]


@needs_package
def test_real_series_begin_where_their_file_passes_one() -> None:
    source = SkfolioSource()
    with gzip.open(source._folder / "sp500_dataset.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    for symbol in ("AAPL", "XOM", "BBY"):
        first = next(row["Date"] for row in rows if float(row[symbol]) > 1)
        assert bars(source, symbol, "2022-12-28", 9000)["days"][0] == first
    assert len(source.fetch("universe", {"as_of": "2022-12-28", "sessions": "1"})["series"]) == 20


@needs_package
def test_a_night_on_these_prices_is_finished(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as store:
        night = plan(Words(("JPM", "XOM"), None, ("source=skfolio",), "2018-12-28"), None)
        feed = hold_night(night, store, tmp_path, lambda ticker, reason: None).feed
    assert {row.status for row in feed.rows} == {"debated"}, [row.reason for row in feed.rows]
    assert night.header.as_of == date(2018, 12, 28)
