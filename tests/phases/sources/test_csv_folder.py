"""The folder of price files: what is found, what a file may look like, and what is refused by name."""

from __future__ import annotations

import gzip
import re
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bench.folder import compared
from phases.core.errors import NoData, SourceDamaged, Unanswered, UsageError
from phases.maths.sessions import known_calendars
from phases.plan import CONFIGS, Words, plan
from phases.sources.csv_folder import CsvFolder, sheet
from phases.sources.csv_folder.table import read_table
from phases.sources.symbols import INDICES, SUFFIXES, listing, yahoo_symbol
from schemas.settings import SourceSettings
from tests.shared import NIGHTLY, PRICES, copied, needs_prices, source_of

HEAD = "Date,Open,High,Low,Close,Adj Close,Volume"
ROWS = [f"2024-01-0{n},{n}.5,{n + 1},{n},{n}.5,{n}.25,{n}00" for n in (2, 3, 4, 5)]


def written(folder: Path, *rows: str, name: str = "AAA.csv", head: str = HEAD) -> Path:
    path = folder / name
    text = "\n".join([head, *(rows or ROWS)]) + "\n"
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return folder


def bars(source: CsvFolder, symbol: str = "AAA", as_of: str = "2024-01-31", sessions: int = 9) -> dict[str, Any]:
    found: dict[str, Any] = source.fetch("bars", {"symbol": symbol, "as_of": as_of, "sessions": str(sessions)})
    return found


# symbols


def test_every_exchange_has_a_calendar_and_its_zone() -> None:
    import exchange_calendars

    assert {one.exchange for one in SUFFIXES.values()} <= set(known_calendars())
    assert {one.exchange for one in map(listing, ("BTC-USD", "EURUSD=X", "GC=F"))} <= set(known_calendars())
    assert set(INDICES.values()) <= set(SUFFIXES)
    for suffix, one in SUFFIXES.items():
        zone = exchange_calendars.calendar_utils.global_calendar_dispatcher._calendar_factories[
            exchange_calendars.resolve_alias(one.exchange)
        ].tz
        now = pd.Timestamp("2024-07-01 12:00", tz="UTC")
        assert now.tz_convert(one.zone).utcoffset() == now.tz_convert(str(zone)).utcoffset(), suffix


@pytest.mark.parametrize(
    ("symbol", "vendor", "exchange", "currency"),
    [
        ("BRK.B", "BRK-B", "XNYS", None),
        ("BRK-B", "BRK-B", "XNYS", None),
        ("BF-B", "BF-B", "XNYS", None),
        ("0700.HK", "0700.HK", "XHKG", "HKD"),
        ("SHEL.L", "SHEL.L", "XLON", "GBp"),
        ("NPN.JO", "NPN.JO", "XJSE", "ZAc"),
        ("TEVA.TA", "TEVA.TA", "XTAE", "ILA"),
        ("RELIANCE.NS", "RELIANCE.NS", "XBOM", "INR"),
        ("NOVO-B.CO", "NOVO-B.CO", "XCSE", "DKK"),
        ("^GSPC", "^GSPC", "XNYS", None),
        ("^N225", "^N225", "XTKS", "JPY"),
        ("^FTSE", "^FTSE", "XLON", "GBP"),
        ("BTC-USD", "BTC-USD", "24/7", "USD"),
        ("EURUSD=X", "EURUSD=X", "24/5", "USD"),
        ("GC=F", "GC=F", "CMES", "USD"),
        ("DX-Y.NYB", "DX-Y.NYB", "IEPA", "USD"),
        ("CLZ25.NYM", "CLZ25.NYM", "CMES", "USD"),
        *((word, word, "XNYS", None) for word in ("CON", "TRUE", "NULL", "T", "V")),
    ],
)
def test_f156_a_symbol_has_its_place_and_the_vendors_spelling(
    symbol: str, vendor: str, exchange: str, currency: str | None
) -> None:
    assert yahoo_symbol(symbol) == vendor
    assert (listing(symbol).exchange, listing(symbol).currency) == (exchange, currency)


@pytest.mark.parametrize(
    ("file", "symbol"),
    [
        ("0700_HK.csv.gz", "0700.HK"),
        ("0700.HK.csv", "0700.HK"),
        ("BRK-B.csv", "BRK.B"),
        ("BRK_B.csv", "BRK.B"),
        ("BRK.B.csv.gz", "BRK-B"),
        ("^GSPC.csv", "^GSPC"),
        ("%5EGSPC.csv", "^GSPC"),
        ("EURUSD=X.csv", "EURUSD=X"),
        ("BTC-USD.csv", "BTC-USD"),
        ("AAPL_2021-2026.csv", "AAPL"),
        ("SPY.multiindex.csv", "SPY"),
        *((f"{word}.csv", word) for word in ("CON", "TRUE", "NULL")),
    ],
)
def test_f156_a_symbol_finds_its_file_and_keeps_its_form(tmp_path: Path, file: str, symbol: str) -> None:
    assert bars(source_of(written(tmp_path, name=file)), symbol)["symbol"] == symbol


def test_f157_two_files_of_one_symbol_are_an_error_that_names_both(tmp_path: Path) -> None:
    written(tmp_path, name="BRK-B.csv")
    source = source_of(written(tmp_path, name="BRK_B.csv.gz"))
    with pytest.raises(UsageError, match=r"BRK-B\.csv, BRK_B\.csv\.gz are one symbol, BRK-B; take all but one"):
        bars(source, "BRK.B")


# what a file may look like

EXPECTED = {
    "days": ["2024-01-02", "2024-01-03", "2024-01-04", "2024-01-05"],
    "high": [3.0, 4.0, 5.0, 6.0],
    "close": [2.5, 3.5, 4.5, 5.5],
    "adj_close": [2.25, 3.25, 4.25, 5.25],
    "volume": [200.0, 300.0, 400.0, 500.0],
}
MOVED = [f"{n}00,{n + 1},2024-01-0{n},{n},{n}.25,{n}.5,{n}.5" for n in (2, 3, 4, 5)]
RENAMED = ("V", "H", "When", "L", "A", "O", "C")
SHAPES: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "newest first": (HEAD, ROWS[::-1], {}),
    "other order": ("Volume,High,Date,Low,Adj_Close,Open,close", MOVED, {}),
    "other names": (
        ",".join(RENAMED),
        MOVED,
        {"columns": dict(zip(("volume", "high", "date", "low", "adj_close", "open", "close"), RENAMED, strict=True))},
    ),
    "date called index": ("index," + HEAD[5:], ROWS, {}),
    "date without a name": (HEAD[4:], ROWS, {}),
    "semicolons": (HEAD.replace(",", ";"), [row.replace(",", ";") for row in ROWS], {}),
    "more header rows": (HEAD + "\nTicker,,,,,,\nunits,usd,usd,usd,usd,usd,n", ROWS, {"header_rows": 3}),
    "midnight with an offset": (HEAD, [row.replace(",", " 00:00:00-05:00,", 1) for row in ROWS], {}),
    "midnight elsewhere": (HEAD, [row.replace(",", " 00:00:00+09:00,", 1) for row in ROWS], {}),
    "a moment in UTC": (HEAD, [row.replace(",", "T21:00:00Z,", 1) for row in ROWS], {}),
    "digits": (HEAD, [row.replace("-", "") for row in ROWS], {}),
    "a column of symbols": (HEAD + ",Symbol", [row + ",AAA" for row in ROWS], {}),
    "a row twice": (HEAD, [*ROWS, ROWS[-1]], {}),
    "a row without prices": (HEAD, [*ROWS, "2024-01-08,nan,,NaN,null,,6527"], {}),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_gives_the_same_bars(tmp_path: Path, shape: str) -> None:
    head, rows, told = SHAPES[shape]
    found = bars(source_of(written(tmp_path, *rows, head=head), **told))
    assert {name: found[name] for name in EXPECTED} == EXPECTED


def test_a_moment_is_the_day_it_falls_on_in_its_zone(tmp_path: Path) -> None:
    late = written(tmp_path, "2024-01-02T15:00:00Z,1,1,1,1,1,1", name="7203_T.csv")
    written(tmp_path, "2024-01-03T02:00:00Z,1,1,1,1,1,1", name="AAA.csv")
    assert bars(source_of(late), "7203.T")["days"] == ["2024-01-03"], "midnight in Tokyo"
    assert bars(source_of(late))["days"] == ["2024-01-02"], "evening in New York"
    assert bars(source_of(late, zone="UTC"))["days"] == ["2024-01-03"]


def test_adjusted_closes_follow_from_what_the_file_is_adjusted_for(tmp_path: Path) -> None:
    written(tmp_path, "2024-01-02,100,0", "2024-01-03,98,0", "2024-01-04,49,2", head="Date,Close,Stock Splits")
    (tmp_path / "AAA_dividends.csv").write_text("Date,Dividends\n2024-01-03 00:00:00-05:00,2\n")
    assert bars(source_of(tmp_path, adjusted="no"))["adj_close"] == [49.0, 49.0, 49.0]
    assert bars(source_of(tmp_path, adjusted="splits"))["adj_close"] == [98.0, 98.0, 49.0]
    assert bars(source_of(tmp_path, adjusted="all"))["adj_close"] == [100.0, 98.0, 49.0]
    kinds = [[one["kind"] for one in bars(source_of(tmp_path, adjusted=how))["actions"]] for how in ("no", "all")]
    assert kinds == [["dividend", "split"], ["split"]]
    assert bars(source_of(tmp_path, adjusted="no"), as_of="2024-01-03")["actions"] == [
        {"day": "2024-01-03", "kind": "dividend", "value": 2.0}
    ]


def test_closes_alone_have_no_other_columns(tmp_path: Path) -> None:
    found = bars(source_of(written(tmp_path, "2024-01-02,1.5", head="date,close")))
    assert (found["high"], found["volume"], found["close"]) == ([], [], [1.5])
    assert "no open, high, low, volume" in " ".join(found["notes"])


def test_a_space_after_a_comma_is_no_part_of_a_cell(tmp_path: Path) -> None:
    plain, spaced = bars(source_of(written(tmp_path))), tmp_path / "spaced"
    spaced.mkdir()
    written(spaced, *(" " + row.replace(",", ", ") for row in ROWS), head=HEAD.replace(",", ", "))
    assert bars(source_of(spaced)) == plain


# what is refused

DAMAGED: dict[str, tuple[bytes, str]] = {
    "F104 half a gzip": (gzip.compress(("\n".join([HEAD, *ROWS * 50])).encode())[:-20], "damaged"),
    "F104 no gzip": (b"Date,Close\n2024-01-02,1\n", "damaged"),
    "no UTF-8": (gzip.compress(b"\xff\xfe\x00"), "damaged"),
    "nothing": (gzip.compress(b""), "damaged"),
    "F126 no close": (
        gzip.compress(b"Date,Open,Last\n2024-01-02,1,2\n"),
        "no column for close.*'Date', 'Open', 'Last'",
    ),
    "F126 no date": (gzip.compress(b"Name,Close\n2024-01-02,1\n"), "no column for date.*'Name', 'Close'.*pandas"),
    "F126 closes twice": (gzip.compress(b"Date,Close,close\n2024-01-02,1,1\n"), "more than one column for close"),
    "F126 two symbols": (
        gzip.compress(b"Price,Close,Close\nTicker,AAA,BBB\nDate,,\n2024-01-02,1,2\n"),
        "more than one column|about BBB",
    ),
    "a web page": (gzip.compress(b"<html><body>Too many requests</body></html>\n"), "no column for"),
    "F134 another symbol": (gzip.compress(b"Date,Close,Symbol\n2024-01-02,1,BBB\n"), "rows are about BBB"),
    "a word for a price": (
        gzip.compress(b"Date,Close\n2024-01-02,halted\n"),
        "line 2, column 'Close' .*'halted' is no number; write",
    ),
    "a comma for a point": (
        gzip.compress(b"Date;Close\n2024-01-02;1,5\n"),
        "line 2, column 'Close' .*'1,5' is no number",
    ),
    "a day that is none": (
        gzip.compress(b"Date,Close\n2024-02-31,1\n"),
        "line 2, column 'Date' .*'2024-02-31' is no day",
    ),
    "a comment above the heading": (
        gzip.compress(b"\n# from a vendor\nDate,Close\n2024-01-02,1\n"),
        "line 3 has 2 columns, the first has 1.; mend that line, or take away what stands above the heading",
    ),
    "the seconds since 1970": (gzip.compress(b"Date,Close\n1704153600,1\n"), "line 2, column 'Date' .*'1704153600'"),
    "blank lines before": (
        gzip.compress(b"\n\nDate,Close\n2024-01-02,1\n\n2024-01-03,x\n2024-01-04,y"),
        "line 6.*1 more",
    ),
    "days in another order": (
        gzip.compress(b"Date,Close\n03/04/2024,1\n"),
        "line 2, column 'Date' .*'03/04/2024' is no day; write",
    ),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_file_that_cannot_be_read_names_itself_and_is_never_empty(tmp_path: Path, case: str) -> None:
    raw, why = DAMAGED[case]
    written(tmp_path)
    written(tmp_path, *(f"{row}0" for row in ROWS), name="ABC.csv")
    (tmp_path / "BAD.csv.gz").write_bytes(raw)
    source = source_of(tmp_path)
    with pytest.raises(SourceDamaged, match=rf"(?s)BAD\.csv\.gz.*{why}"):
        bars(source, "BAD")
    found = source.fetch("universe", {"as_of": "2024-01-31", "sessions": "5"})
    assert [one["symbol"] for one in found["series"]] == ["AAA", "ABC"]
    for note in (found["notes"][0], bars(source, "UNIVERSE")["notes"][1]):
        assert re.search(rf"(?s)left out of universe and mean: BAD\.csv\.gz.*{why}", note)
    assert bars(source)["close"] == bars(source, "AAA")["close"] == EXPECTED["close"], "the others answer"


def test_f114_a_heading_alone_is_no_answer(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "BBB.csv").write_text(HEAD + "\n")
    with pytest.raises(Unanswered, match=r"BBB\.csv has a heading and no row of prices below it; download it again"):
        bars(source_of(tmp_path), "BBB")
    written(tmp_path, "2024-01-02,1,2,1,1,1,", "2024-01-03,,,,,2,5", name="BBB.csv")
    why = r"none of the 2 rows of BBB\.csv is a whole bar: 'Open', 'High', 'Low', 'Close', 'Volume' lack numbers"
    with pytest.raises(Unanswered, match=why):
        bars(source_of(tmp_path), "BBB")


def test_what_the_folder_does_not_have_is_no_data(tmp_path: Path) -> None:
    source = source_of(written(tmp_path))
    with pytest.raises(NoData, match="no series 'NOSUCH'; it holds AAA"):
        bars(source, "NOSUCH")
    with pytest.raises(NoData, match=r"no bar of AAA at or before 2024-01-01$"):
        bars(source, as_of="2024-01-01")
    for dataset in ("macro", "fundamentals", "news"):
        with pytest.raises(NoData, match=dataset):
            source.fetch(dataset, {"symbol": "AAA", "as_of": "2024-01-31"})


@pytest.mark.parametrize("symbol", ["../AAA", "inside/AAA", "..", "/etc/passwd", "AAA\x00", "AAA.csv"])
def test_f153_only_files_of_the_folder_itself_are_found(tmp_path: Path, symbol: str) -> None:
    (tmp_path / "inside").mkdir()
    written(tmp_path / "inside", name="BBB.csv")
    written(tmp_path, name="ONE.csv")
    for name in (symbol, "BBB"):
        with pytest.raises(NoData):
            bars(source_of(tmp_path), name)


def test_f153_a_link_that_leads_outside_is_refused(tmp_path: Path) -> None:
    (tmp_path / "prices").mkdir()
    (tmp_path / "prices" / "AAA.csv").symlink_to(written(tmp_path) / "AAA.csv")
    with pytest.raises(UsageError, match=r"AAA\.csv leads outside"):
        source_of(tmp_path / "prices")


def test_a_folder_that_is_none_is_wrong_usage(tmp_path: Path) -> None:
    for folder, why in ((tmp_path / "none", "no folder"), (tmp_path, "holds no price series")):
        with pytest.raises(UsageError, match=why):
            source_of(folder)
    with pytest.raises(UsageError, match="needs a folder"):
        CsvFolder(SourceSettings(name="csv_folder"))
    with pytest.raises(UsageError, match=r"csv\.zone.*Mars"):
        source_of(written(tmp_path), zone="Mars")


def test_vintage_is_of_names_contents_and_how_they_are_read(tmp_path: Path) -> None:
    first = source_of(written(tmp_path)).vintage
    assert source_of(written(tmp_path)).vintage == first
    assert source_of(tmp_path, adjusted="no").vintage != first
    (tmp_path / "AAA.csv").rename(tmp_path / "AAB.csv")
    second = source_of(tmp_path).vintage
    written(tmp_path, *ROWS[:3], name="AAB.csv")
    assert len({first, second, source_of(tmp_path).vintage}) == 3


# the mean of the folder


def test_the_mean_is_of_the_returns_of_those_that_have_both_days(tmp_path: Path) -> None:
    for name, closes in (("A", "10 11 12.1 12.1"), ("B", "10 9 - 9.9"), ("C", "10 10 10 10")):
        days = zip((2, 3, 4, 5), closes.split(), strict=True)
        written(tmp_path, *(f"2024-01-0{n},{x}" for n, x in days if x != "-"), name=f"{name}.csv", head="Date,Close")
    written(tmp_path, "2024-01-06,1", "2024-01-07,5", name="BTC-USD.csv", head="Date,Close")
    found = bars(source_of(tmp_path), "UNIVERSE")
    assert found["days"] == ["2024-01-02", "2024-01-03", "2024-01-04", "2024-01-05"], "not the weekend of one"
    assert found["close"] == pytest.approx([100, 100, 105, 105])
    assert "mean of the folder's 3 price series" in found["notes"][0]
    assert "left out of universe and mean: BTC-USD: price changes by +400.0%" in found["notes"][1]


def test_the_benchmark_falls_back_to_the_mean_and_says_so(tmp_path: Path) -> None:
    days = [day.date() for day in pd.bdate_range("2023-01-02", "2024-01-31")]
    for more, name in enumerate(("AAA.csv", "BBB.csv")):
        rows = (f"{day},{100 + more + n % 5}" for n, day in enumerate(days))
        written(tmp_path, *rows, head="Date,Close", name=name)
    words = (f"source.path={tmp_path}",)
    asked = Words(("AAA",), CONFIGS / "csv.yaml", words, "2024-01-31")
    named = Words(("AAA",), CONFIGS / "csv.yaml", (*words, "question.benchmark=^GSPC"), "2024-01-31")
    assert plan(asked, None).header.question.benchmark == "UNIVERSE"
    assert plan(asked, None).notes == ("UNIVERSE is the equal-weight mean of the folder's 2 price series",)
    assert plan(named, None).header.question.benchmark == "UNIVERSE"
    assert plan(named, None).notes[0] == "no series of the benchmark ^GSPC: UNIVERSE is used"
    with pytest.raises(UsageError, match=r"benchmark.*\^FTSE"):
        plan(Words(sets=("question.benchmark=^FTSE",)), None)


# effort


def test_each_file_is_parsed_once_in_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for more, name in enumerate(("AAA", "BBB", "CCC")):
        written(tmp_path, *(f"{row}{more}" for row in ROWS), name=f"{name}.csv")
    read: list[str] = []

    def counted(path: Path, settings: Any) -> Any:
        read.append(path.name)
        return read_table(path, settings)

    monkeypatch.setattr(sheet, "read_table", counted)
    for _ in range(2):
        source = source_of(tmp_path)
        source.fetch("span", {})
        for symbol in ("AAA", "BBB", "CCC", "UNIVERSE"):
            bars(source, symbol)
        source.fetch("universe", {"as_of": "2024-01-31", "sessions": "5"})
    assert sorted(read) == ["AAA.csv", "BBB.csv", "CCC.csv"]


@pytest.mark.skipif(not NIGHTLY, reason="500 tickers of ten years: REBUTTAL_NIGHTLY=1")
def test_effort_grows_with_the_tickers_and_no_faster(capsys: pytest.CaptureFixture[str]) -> None:
    many, few = compared(500, 125, 10)
    ratio = many["cpu"] / many["tickers"] / (few["cpu"] / few["tickers"])
    with capsys.disabled():
        print(f"\nCPU per ticker, 500 to 125: {ratio:.2f} x; peak memory {many['peak_mib']:.0f} MiB")
    assert many["items"] == 4 * few["items"]
    assert ratio < 1.5


# real files


@needs_prices
def test_all_daily_series_are_read_as_pandas_reads_them() -> None:
    folder = PRICES / "us_and_global"
    source, files = source_of(folder), sorted(folder.glob("*.csv.gz"))
    assert len(files) == 32
    for path in files:
        symbol = path.name.removesuffix(".csv.gz").replace("_", ".")
        frame = pd.read_csv(path, index_col="Date")[:"2025-11-28"].tail(280)
        found = bars(source, symbol, "2025-11-28", 280)
        assert found["days"] == list(frame.index), symbol
        for name in ("open", "high", "low", "close", "volume"):
            assert found[name] == list(frame[name.capitalize()].astype(float)), symbol
        assert found["adj_close"] == found["close"]
    assert len(source.fetch("universe", {"as_of": "2025-11-28", "sessions": "2"})["series"]) == 32


@needs_prices
def test_the_mean_of_the_real_folder_agrees_with_a_plain_loop() -> None:
    folder = PRICES / "us_and_global"
    found = bars(source_of(folder), "UNIVERSE", "2025-11-28", 64)
    frames = [pd.read_csv(path, index_col="Date")["Close"] for path in sorted(folder.glob("*.csv.gz"))]
    level = [1.0]
    for before, day in zip(found["days"], found["days"][1:], strict=False):
        both = [one[day] / one[before] for one in frames if day in one.index and before in one.index]
        level.append(level[-1] * float(np.mean(both)))
    assert [one / found["close"][0] for one in found["close"]] == pytest.approx(level, rel=1e-9)


@needs_prices
def test_the_recent_series_carry_their_splits() -> None:
    source = source_of(PRICES / "us_recent")
    splits = {
        symbol: [
            (one["day"], one["value"])
            for one in bars(source, symbol, "2026-06-18", 2000)["actions"]
            if one["kind"] == "split"
        ]
        for symbol in ("AAPL", "AMZN", "GOOGL", "NFLX", "NVDA", "TSLA")
    }
    assert splits == {
        "AAPL": [],
        "AMZN": [("2022-06-06", 20.0)],
        "GOOGL": [("2022-07-18", 20.0)],
        "NFLX": [("2025-11-17", 10.0)],
        "NVDA": [("2021-07-20", 4.0), ("2024-06-10", 10.0)],
        "TSLA": [("2022-08-25", 3.0)],
    }
    assert source.fetch("span", {}) == {"first": "2021-06-11", "last": "2026-06-18"}


@needs_prices
def test_a_dump_with_two_levels_of_names_is_recognised() -> None:
    source = source_of(PRICES / "etf_crypto")
    for symbol in ("SPY", "TLT", "GLD", "HYG"):
        frame = pd.read_csv(PRICES / "etf_crypto" / f"{symbol}.multiindex.csv.gz", header=None, skiprows=4).tail(5)
        found = bars(source, symbol, "2025-09-26", 5)
        assert found["adj_close"] == list(frame[1])
        assert found["close"] == list(frame[2])
        assert found["volume"] == list(frame[6].astype(float))
        assert any("named Price" in note for note in found["notes"])


@needs_prices
def test_bitcoin_trades_on_weekends_and_its_empty_days_are_told() -> None:
    found = bars(source_of(PRICES / "etf_crypto"), "BTC-USD", "2020-10-14", 10)
    assert (found["exchange"], found["currency"]) == ("24/7", "USD")
    assert {date.fromisoformat(day).weekday() for day in found["days"]} >= {5, 6}
    assert {"2020-10-09", "2020-10-12", "2020-10-13"}.isdisjoint(found["days"])
    assert any("2020-10-12, 2020-10-13 (3 in all)" in note for note in found["notes"])
    assert any(
        "newest bar used is of 2020-10-11" in n
        for n in bars(source_of(PRICES / "etf_crypto"), "BTC-USD", "2020-10-13")["notes"]
    )


@needs_prices
def test_funds_with_closes_alone_and_series_that_ended(tmp_path: Path) -> None:
    assert bars(source_of(PRICES / "sector_etf_close"), "XLK", "2026-01-02")["days"][-1] == "2026-01-02"
    ended = copied(tmp_path / "ended", {path.name: path for path in (PRICES / "ended").iterdir()})
    assert bars(source_of(ended), "SIVB", "2023-03-31")["days"][-1] == "2022-12-30"
