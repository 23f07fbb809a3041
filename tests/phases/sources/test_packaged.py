"""The packaged source: its files, its figures, its release lags, its blindness to the future."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import random
import re
import shutil
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import exchange_calendars  # type: ignore[import-untyped, unused-ignore]
import pytest

from phases.core.errors import NoData, SourceDown
from phases.sources import packaged
from phases.sources.packaged import MACRO, PackagedSource
from schemas.market import Bars, MacroSeriesSet, Span, Universe

FOLDER = Path(packaged.__file__).parent
FILES = ("index.csv.gz", "macro.csv.gz", "stocks.csv.gz")
STOCKS = ("AAPL", "FB", "GOOG", "IBM", "MSFT")
SYMBOLS = (*STOCKS, "^GSPC")


def _ask(source: PackagedSource, dataset: str, **params: str) -> Any:
    """The answer, or the words of the refusal."""
    try:
        return source.fetch(dataset, params)
    except NoData as error:
        return error.reason


def _bars(symbol: str, as_of: str, sessions: int = 1) -> Bars:
    params = {"symbol": symbol, "as_of": as_of, "sessions": str(sessions)}
    return Bars.model_validate_json(json.dumps(PackagedSource().fetch("bars", params)))


def _macro(as_of: str) -> dict[str, dict[str, str | float]]:
    """Value of each series by first day of the period."""
    answer = json.dumps(PackagedSource().fetch("macro", {"as_of": as_of}))
    series = MacroSeriesSet.model_validate_json(answer).series
    return {entry.name: {d.isoformat(): v for d, v in zip(entry.days, entry.values, strict=True)} for entry in series}


def _rows(file: str) -> list[list[str]]:
    text = gzip.decompress((FOLDER / file).read_bytes()).decode("ascii")
    return list(csv.reader(io.StringIO(text)))


# --- the files ---------------------------------------------------------------------------------


def test_notice_states_the_hash_and_rows_of_every_file() -> None:
    notice = (FOLDER / "NOTICE.md").read_text(encoding="utf-8")
    line = r"^\| `(\S+\.gz)` \| \d+ \| `([0-9a-f]{64})` \|$"
    stated = dict(re.findall(line, notice, re.MULTILINE))
    found = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in FOLDER.glob("*.gz")}
    assert stated == found
    assert set(found) == set(FILES)
    for file in FILES:
        assert f"| `{file}` | {len(_rows(file)) - 1} |" in notice


def test_notice_warns_and_names_no_host_or_path() -> None:
    notice = (FOLDER / "NOTICE.md").read_text(encoding="utf-8")
    assert "Prices end on 2013-03-01" in notice
    assert "not first releases" in notice
    assert re.findall(r"https?://([^/\s]+)", notice) == ["www.kevinsheppard.com"]  # from a licence, word for word
    assert not re.search(r"(?m)(?:^|\s)/[a-z]+/", notice)
    for spec in MACRO:
        assert f"| `{spec.name}` | {spec.period} |" in notice


@pytest.mark.parametrize("file", FILES)
def test_file_is_sorted_with_plain_line_ends_and_no_time_stamp(file: str) -> None:
    raw = (FOLDER / file).read_bytes()
    assert raw[3] == 0, "a gzip flag is set: a name or comment is inside"
    assert raw[4:8] == bytes(4), "the gzip time stamp is set"
    assert b"\r" not in gzip.decompress(raw)
    keys = [row[:2] for row in _rows(file)[1:]]
    assert keys == sorted(keys)
    assert len({tuple(key) for key in keys}) == len(keys)


def test_vintage_follows_the_bytes(tmp_path: Path) -> None:
    for file in FILES:
        shutil.copy(FOLDER / file, tmp_path)
    assert PackagedSource(tmp_path).vintage == PackagedSource().vintage
    assert re.fullmatch("[0-9a-f]{16}", PackagedSource().vintage)
    _rewrite(tmp_path, "macro.csv.gz", lambda row: row[0] != "wti")
    assert PackagedSource(tmp_path).vintage != PackagedSource().vintage


def test_import_is_light() -> None:
    code = "import sys, phases.sources.packaged; print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# --- the figures -------------------------------------------------------------------------------


def test_span() -> None:
    span = Span.model_validate_json(json.dumps(PackagedSource().fetch("span", {})))
    assert (span.first, span.last) == (date(2000, 3, 1), date(2013, 3, 1))


@pytest.mark.parametrize(
    ("symbol", "day", "values"),
    [
        ("AAPL", "2008-09-30", (108.25, 115.0, 106.3, 113.66, 14.606894153362, 58095800.0)),
        ("AAPL", "2000-03-01", (118.56, 132.06, 118.5, 130.31, 4.186662803811, 9616100.0)),
        ("MSFT", "2013-03-01", (27.72, 27.98, 27.52, 27.95, 24.684342419163, 34849700.0)),
        ("^GSPC", "1998-01-02", (970.43, 975.04, 965.73, 975.04, 975.04, 366730000.0)),
        ("^GSPC", "2013-03-01", (1514.6801, 1519.99, 1501.48, 1518.2, 1518.2, 3695610000.0)),
    ],
)
def test_bar_as_in_the_original(symbol: str, day: str, values: tuple[float, ...]) -> None:
    bars = _bars(symbol, day)
    assert bars.days == (date.fromisoformat(day),)
    assert (bars.currency, bars.exchange) == ("USD", "XNYS")
    columns = (bars.open, bars.high, bars.low, bars.close, bars.adj_close, bars.volume)
    assert tuple(column[0] for column in columns) == pytest.approx(values, rel=1e-12)


@pytest.mark.parametrize(("symbol", "day"), [("AAPL", "2000-06-21"), ("AAPL", "2005-02-28"), ("MSFT", "2003-02-18")])
def test_a_split_halves_the_close_but_not_the_adjusted_close(symbol: str, day: str) -> None:
    bars = _bars(symbol, day, 2)
    assert bars.days[-1] == date.fromisoformat(day)
    assert 0.45 < bars.close[1] / bars.close[0] < 0.56
    assert 0.95 < bars.adj_close[1] / bars.adj_close[0] < 1.15


@pytest.mark.filterwarnings("ignore")  # exchange_calendars under pandas 3.1
def test_every_bar_is_a_session_and_no_session_is_missing() -> None:
    calendar = exchange_calendars.get_calendar("XNYS", start="1998-01-01")
    for symbol in SYMBOLS:
        days = [day.isoformat() for day in _bars(symbol, "2013-03-01", 10_000).days]
        sessions = calendar.sessions_in_range(days[0], days[-1])
        assert days == [session.date().isoformat() for session in sessions]


def test_bars_are_sound() -> None:
    for symbol in SYMBOLS:
        bars = _bars(symbol, "2013-03-01", 10_000)
        for opened, high, low, close in zip(bars.open, bars.high, bars.low, bars.close, strict=True):
            assert 0 < low <= min(opened, close) <= max(opened, close) <= high
        assert min(bars.volume) > 0


@pytest.mark.parametrize(
    ("symbol", "first", "count"),
    [
        ("AAPL", "2000-03-01", 3270),
        ("FB", "2012-05-18", 196),
        ("GOOG", "2004-08-19", 2148),
        ("IBM", "2000-03-01", 3270),
        ("MSFT", "2000-03-01", 3270),
        ("^GSPC", "1998-01-02", 3814),
    ],
)
def test_first_session(symbol: str, first: str, count: int) -> None:
    bars = _bars(symbol, "2020-01-01", 10_000)
    assert (bars.days[0].isoformat(), len(bars.days)) == (first, count)
    assert bars.days[-1] == date(2013, 3, 1)
    before = (date.fromisoformat(first) - timedelta(1)).isoformat()
    with pytest.raises(NoData, match=rf"{re.escape(symbol)} .* {before}; .* {first}"):
        _bars(symbol, before)


def test_unknown_symbol_names_what_there_is() -> None:
    with pytest.raises(NoData) as caught:
        _bars("NOSUCH", "2008-09-30")
    assert caught.value.reason == (
        "packaged prices have no series 'NOSUCH'; they hold AAPL, FB, GOOG, IBM, MSFT, ^GSPC"
    )


@pytest.mark.parametrize(
    ("as_of", "symbols"),
    [
        ("2000-02-29", []),
        ("2000-03-01", ["AAPL", "IBM", "MSFT"]),
        ("2004-08-19", ["AAPL", "GOOG", "IBM", "MSFT"]),
        ("2012-05-17", ["AAPL", "GOOG", "IBM", "MSFT"]),
        ("2012-05-18", list(STOCKS)),
    ],
)
def test_universe_grows_with_each_first_bar(as_of: str, symbols: list[str]) -> None:
    answer = PackagedSource().fetch("universe", {"as_of": as_of, "sessions": "5"})
    universe = Universe.model_validate_json(json.dumps(answer))
    assert [entry.symbol for entry in universe.series] == symbols
    assert all(len(entry.days) <= 5 for entry in universe.series)


# --- the release lags --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "period", "known", "value"),
    [
        ("core_cpi", "2008-08-01", "2008-09-25", 216.393),
        ("real_gdp", "2008-07-01", "2008-11-03", 13324.6),
        ("tbill_3m", "2008-07-01", "2008-11-01", 0.0117),
        ("tbill_3m", "2008-10-01", "2009-02-01", 0.0012),
        ("unemployed", "2008-07-01", "2008-08-12", 8937),
        ("unemployment", "2008-07-01", "2008-10-13", 0.06),
        ("unemployment", "2008-10-01", "2009-01-12", 0.069),
        ("wti", "2008-09-30", "2008-10-08", 100.7),
    ],
)
def test_figure_is_known_on_its_day_and_not_before(name: str, period: str, known: str, value: float) -> None:
    before = (date.fromisoformat(known) - timedelta(1)).isoformat()
    assert period not in _macro(before)[name]
    assert _macro(known)[name][period] == pytest.approx(value)
    assert list(_macro(known)[name])[-1] == period


@pytest.mark.parametrize(
    ("name", "period", "released"),
    [
        ("core_cpi", "2008-08-01", "2008-09-16"),
        ("core_cpi", "1998-01-01", "1998-02-24"),
        ("core_cpi", "2006-01-01", "2006-02-22"),
        ("real_gdp", "2008-07-01", "2008-10-30"),
        ("unemployed", "2008-12-01", "2009-01-09"),
        ("unemployment", "2008-10-01", "2009-01-09"),
    ],
)
def test_figure_is_not_known_before_its_release(name: str, period: str, released: str) -> None:
    spec = next(spec for spec in MACRO if spec.name == name)
    assert spec.known(period) >= released


def test_no_figure_is_known_before_the_months_it_describes_are_over() -> None:
    last = {"tbill_3m": 4, "real_gdp": 3, "unemployment": 3}
    for spec in MACRO:
        if spec.period != "day":
            for year in range(1990, 2014):
                months = last.get(spec.name, 1)
                over = date(year, 1 + months, 1).isoformat()
                assert spec.known(f"{year}-01-01") >= over


def test_macro_keeps_thirty_figures_and_280_of_a_daily_series() -> None:
    counts = {name: len(values) for name, values in _macro("2013-03-01").items()}
    assert counts.pop("wti") == 280
    assert set(counts.values()) == {30}


def test_macro_lists_a_series_without_figures() -> None:
    values = _macro("1990-01-01")
    assert list(values) == [spec.name for spec in MACRO] == sorted(values)
    assert set(map(len, values.values())) == {0}


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("core_cpi", "2013-03-01"),
        ("real_gdp", "2009-07-01"),
        ("tbill_3m", "2009-07-01"),
        ("unemployed", "2013-03-01"),
        ("unemployment", "2009-07-01"),
        ("wti", "2013-03-01"),
    ],
)
def test_last_figure(name: str, last: str) -> None:
    assert list(_macro("2020-01-01")[name])[-1] == last


# --- blind to the future -----------------------------------------------------------------------


def _questions(symbol: str, as_of: str) -> list[tuple[str, dict[str, str]]]:
    return [
        ("bars", {"symbol": symbol, "as_of": as_of, "sessions": "300"}),
        ("universe", {"as_of": as_of, "sessions": "300"}),
        ("macro", {"as_of": as_of}),
    ]


def _pairs(count: int) -> list[tuple[str, str]]:
    draw, start = random.Random(20130301), date(1999, 6, 1)
    span = (date(2013, 6, 1) - start).days
    return [(draw.choice(SYMBOLS), (start + timedelta(draw.randrange(span))).isoformat()) for _ in range(count)]


@pytest.mark.parametrize(("symbol", "as_of"), _pairs(50))
def test_deleting_the_future_changes_no_answer(symbol: str, as_of: str) -> None:
    whole, blind = PackagedSource(), PackagedSource(until=date.fromisoformat(as_of))
    for dataset, params in _questions(symbol, as_of):
        assert _ask(blind, dataset, **params) == _ask(whole, dataset, **params)
    assert blind.vintage == whole.vintage


def test_until_does_delete() -> None:
    blind = PackagedSource(until=date(2008, 9, 30))
    assert blind.fetch("span", {}) == {"first": "2000-03-01", "last": "2008-09-30"}
    for dataset, params in _questions("AAPL", "2013-03-01"):
        assert blind.fetch(dataset, params) != PackagedSource().fetch(dataset, params)
        then = params | {"as_of": "2008-09-30"}
        assert blind.fetch(dataset, params) == PackagedSource().fetch(dataset, then)
    with pytest.raises(NoData, match="no bar of FB"):
        blind.fetch("bars", {"symbol": "FB", "as_of": "2013-03-01", "sessions": "1"})
    with pytest.raises(NoData, match="no session at or before 1999-01-01"):
        PackagedSource(until=date(1999, 1, 1)).fetch("span", {})


def _rewrite(folder: Path, file: str, keep: Any) -> None:
    heading, *rows = _rows(file)
    text = "\n".join(",".join(row) for row in [heading, *filter(keep, rows)]) + "\n"
    (folder / file).write_bytes(gzip.compress(text.encode("ascii"), mtime=0))


@pytest.mark.parametrize("as_of", ["2004-02-29", "2008-09-30", "2012-12-31"])
def test_files_cut_by_hand_give_the_same_answers(tmp_path: Path, as_of: str) -> None:
    known = {spec.name: spec.known for spec in MACRO}
    _rewrite(tmp_path, "stocks.csv.gz", lambda row: row[1] <= as_of)
    _rewrite(tmp_path, "index.csv.gz", lambda row: row[1] <= as_of)
    _rewrite(tmp_path, "macro.csv.gz", lambda row: known[row[0]](row[1]) <= as_of)
    for symbol in ("AAPL", "IBM", "MSFT", "^GSPC"):
        for dataset, params in _questions(symbol, as_of):
            cut = PackagedSource(tmp_path).fetch(dataset, params)
            assert cut == PackagedSource().fetch(dataset, params)


# --- what goes wrong ---------------------------------------------------------------------------


def test_a_dataset_it_lacks_is_no_data() -> None:
    with pytest.raises(NoData, match="holds no news"):
        PackagedSource().fetch("news", {})


@pytest.mark.parametrize("sessions", ["0", "-3", "many"])
def test_sessions_is_a_count(sessions: str) -> None:
    with pytest.raises(ValueError, match=sessions):
        PackagedSource().fetch("universe", {"as_of": "2008-09-30", "sessions": sessions})


def test_a_missing_file_is_a_source_that_is_down(tmp_path: Path) -> None:
    with pytest.raises(SourceDown, match=r"no index\.csv\.gz"):
        PackagedSource(tmp_path)


@pytest.mark.parametrize("damage", [b"", b"not gzip", None])
def test_a_damaged_file_is_a_source_that_is_down(tmp_path: Path, damage: bytes | None) -> None:
    for file in FILES:
        shutil.copy(FOLDER / file, tmp_path)
    half = (FOLDER / "stocks.csv.gz").read_bytes()[:9000]
    (tmp_path / "stocks.csv.gz").write_bytes(half if damage is None else damage)
    with pytest.raises(SourceDown, match="damaged"):
        PackagedSource(tmp_path).fetch("span", {})
