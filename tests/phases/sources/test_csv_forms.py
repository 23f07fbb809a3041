"""Names and forms of files that are nearly right: each is told what to do with it."""

from __future__ import annotations

import gzip
from datetime import date
from pathlib import Path

import pytest

from phases.core.errors import SourceDamaged, UsageError
from phases.doctor import examine
from phases.outputs.report.words import FLAGS
from phases.plan import CONFIGS, Words, plan
from tests.conftest import Cli
from tests.phases.evidence.test_quality import fetched, judged
from tests.phases.sources.test_csv_damage import LAST, series, words
from tests.phases.sources.test_csv_folder import HEAD, ROWS, bars, written
from tests.shared import PRICES, copied, needs_prices, source_of

# names


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ("ko.csv", "ko.csv is no symbol name; rename it to KO.csv"),
        ("Ko.csv.gz", "Ko.csv.gz is no symbol name; rename it to KO.csv.gz"),
        ("KO.CSV", "KO.CSV is no symbol name; rename it to KO.csv"),
        ("ko_dividends.csv", "ko_dividends.csv is no symbol name; rename it to KO_dividends.csv"),
        ("JPM (1).csv", "JPM (1).csv is no symbol name; name it for its symbol, as AAPL.csv, or take it away"),
        ("\u0410APL.csv", r"\u0410APL.csv is no symbol name; name it for its symbol, as AAPL.csv, or take it away"),
        ("A\nB.csv", r"A\nB.csv is no symbol name; name it for its symbol, as AAPL.csv, or take it away"),
        ("_metadata.csv", ""),
        (".hidden.csv", ""),
        ("README.md", ""),
        ("AAPL_2021-2026.csv", ""),
        ("AAA_splits.csv", ""),
    ],
)
def test_a_file_whose_name_fits_nothing_is_told_of(tmp_path: Path, file: str, told: str) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB")
    (folder / file).write_text("Date,Close,Splits\n2024-01-02,1,\n")
    misfits = [fault for fault in source_of(folder).faults() if "no symbol name" in fault]
    assert misfits == [told] * bool(told)
    assert [note for note in plan(words(folder, "AAA"), None).notes if "no symbol name" in note] == misfits
    found = examine(Words((), CONFIGS / "csv.yaml", (f"source.path={folder}",)), tmp_path)
    assert [one.told for one in found if "no symbol name" in one.told] == misfits


def test_a_folder_of_misfits_alone_names_them_and_many_are_counted(tmp_path: Path) -> None:
    for number in range(25):
        (tmp_path / f"x{number:02}.csv").write_text("Date,Close\n")
    with pytest.raises(UsageError, match=r"holds no price series; .*x00\.csv is no symbol name; rename it to X00\.csv"):
        source_of(tmp_path)
    written(tmp_path)
    faults = source_of(tmp_path).faults()
    assert len(faults) == 21 and faults[-1] == "5 more files are not named for a symbol"


def test_files_of_another_form_are_named_as_not_read(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB")
    others = ("AAPL.gz", "BBB.csv.zip", "C.parquet", "D.tsv", "E.xlsx", "F.zip")
    for name in (*others, "NOTES.txt", "_old.zip", "README.md"):
        (folder / name).write_bytes(b"PK")
    told = f"not read: {', '.join(others)}; save prices as SYMBOL.csv or SYMBOL.csv.gz"
    assert source_of(folder).faults() == (told,)
    assert told in plan(words(folder, "AAA"), None).notes
    for name in ("AAA", "BBB"):
        (folder / f"{name}.csv").unlink()
    with pytest.raises(UsageError, match=r"holds no price series; .*not read: AAPL\.gz, BBB\.csv\.zip"):
        source_of(folder)


def test_a_folder_that_is_a_link_to_itself_is_wrong_usage(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    common = ("--config", CONFIGS / "csv.yaml", "--as-of", LAST, "--out", tmp_path / "o")
    told = cli("run", *common, "--set", f"source.path={tmp_path / 'loop'}", "AAA")
    assert told.code == 2 and "loop is no folder that can be read" in told.error
    folder = series(tmp_path / "prices", "AAA", "BBB")
    (folder / "CCC.csv").symlink_to(folder / "CCC.csv")
    assert source_of(folder).faults() == (
        "CCC.csv is a link that leads nowhere; put the file itself there, or take it away",
    )


def test_two_columns_of_ours_from_one_of_the_file_are_refused(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB")
    said = "source.csv.columns={close: Open, open: Open, low: Low}"
    with pytest.raises(UsageError, match=r"source\.csv\.columns: close and open are both the column 'Open'; name a"):
        plan(words(folder, "AAA", sets=(said,)), None)


# the same bytes twice


def test_copies_are_counted_once_and_named(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB", "CCC")
    clean = source_of(folder).fetch("universe", {"as_of": LAST.isoformat(), "sessions": "280"})
    mean = bars(source_of(folder), "UNIVERSE", LAST.isoformat(), 280)
    for name in ("DDD.csv", "EEE.csv"):
        (folder / name).write_bytes((folder / "AAA.csv").read_bytes())
    (folder / "FFF.csv.gz").write_bytes(gzip.compress((folder / "BBB.csv").read_bytes()))
    source = source_of(folder)
    found = source.fetch("universe", {"as_of": LAST.isoformat(), "sessions": "280"})
    assert found["series"] == clean["series"]
    assert bars(source, "UNIVERSE", LAST.isoformat(), 280)["close"] == mean["close"]
    assert found["notes"] == [
        f"left out of universe and mean: {copy}: its bars are those of {first}, which are counted once"
        for copy, first in (("DDD", "AAA"), ("EEE", "AAA"), ("FFF", "BBB"))
    ]
    told = "the same bytes under several names: AAA.csv, DDD.csv, EEE.csv; keep the right one"
    assert source.faults() == (told,)
    notes = plan(words(folder, "AAA", "DDD", sets=("question.benchmark=BBB",)), None).notes
    assert notes.count(told) == 1


def test_a_folder_of_copies_alone_is_used_and_named(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA")
    (folder / "BBB.csv").write_bytes((folder / "AAA.csv").read_bytes())
    notes = plan(words(folder, "AAA"), None).notes
    assert notes[1:] == ("the same bytes under several names: AAA.csv, BBB.csv; keep the right one",)


def test_closes_that_never_move_are_no_copies(tmp_path: Path) -> None:
    for name in ("AAA.csv", "BBB.csv"):
        written(tmp_path, *(f"2024-01-0{n},1" for n in (2, 3, 4, 5)), head="Date,Close", name=name)
    found = source_of(tmp_path).fetch("universe", {"as_of": LAST.isoformat(), "sessions": "9"})
    assert [one["symbol"] for one in found["series"]] == ["AAA", "BBB"]


# what a file is instead of text

EMPTY = (("", b""), ("", b"\n \n"), ("", b"\xef\xbb\xbf"), (".gz", b""), (".gz", gzip.compress(b"")))
TEXT = "\n".join([HEAD, *ROWS, ""])


@pytest.mark.parametrize(
    ("file", "raw", "told"),
    [
        ("AAA.csv", TEXT.encode("utf-16"), r"it is UTF-16 or no text\); save it as UTF-8"),
        ("AAA.csv", TEXT.encode("utf-16-le"), r"it is UTF-16 or no text\); save it as UTF-8"),
        ("AAA.csv.gz", gzip.compress(TEXT.encode("utf-16")), r"it is UTF-16 or no text\); save it as UTF-8"),
        (
            "AAA.csv",
            TEXT.replace("2024-01-03", "\u00e9").encode("latin-1"),
            r"line 3 holds 0xe9, which is no UTF-8\); save it",
        ),
        ("AAA.csv", gzip.compress(TEXT.encode()), r"it is gzip\); rename it to AAA\.csv\.gz"),
        ("AAA.csv.gz", TEXT.encode(), r"it is plain text, not gzip\); rename it to AAA\.csv$"),
        ("AAA.csv", b"PK\x03\x04rest", r"it is a ZIP archive or a workbook\); unpack it"),
        ("AAA.csv.gz", gzip.compress(TEXT.encode())[:-9], r"copy or download it again"),
        ("AAA.csv.gz", gzip.compress(gzip.compress(TEXT.encode())), r"packed with gzip twice\); unpack it once"),
        *((f"AAA.csv{ending}", raw, r"it is empty\); copy or download it again") for ending, raw in EMPTY),
    ],
    ids=lambda value: f"{len(value)} bytes" if isinstance(value, bytes) else None,
)
def test_what_else_a_file_is_has_its_own_remedy(tmp_path: Path, file: str, raw: bytes, told: str) -> None:
    (tmp_path / file).write_bytes(raw)
    with pytest.raises(SourceDamaged, match=told) as caught:
        bars(source_of(tmp_path))
    assert file in str(caught.value) and "\n" not in str(caught.value)


# two bars of a day


def test_a_second_bar_that_lacks_something_is_left_out_and_said(tmp_path: Path) -> None:
    whole = bars(source_of(written(tmp_path / "a" if (tmp_path / "a").mkdir() is None else tmp_path)))
    (tmp_path / "b").mkdir()
    found = bars(source_of(written(tmp_path / "b", *ROWS, "2024-01-05,1,2", "2024-01-04,,,,,,")))
    assert {**found, "notes": []} == {**whole, "notes": []}
    assert set(found["notes"]) - set(whole["notes"]) == {
        "second bars of a day, without a price or volume, are left out: 2024-01-05 (1 in all)"
    }


# pence for the want of a word


def test_pence_that_only_the_suffix_says_are_a_flag_of_the_row(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "REL.L", "TEVA.TA", "NPN.JO", "SAP.DE")
    night = LAST.isoformat()
    for symbol, currency in (("REL.L", "GBP"), ("NPN.JO", "ZAR")):
        flags = []
        for said in ({}, {symbol: currency}, {symbol: {"GBP": "GBp", "ZAR": "ZAc"}[currency]}):
            found = judged(source_of(folder, currencies=said), symbol, night, 280)
            assert not isinstance(found, str), found
            assert found.bars.currency == currency
            flags.append("pence_assumed" in found.flags)
        assert flags == [True, False, False], symbol
    assert fetched(source_of(folder), "TEVA.TA", night).currency_assumed is True
    for symbol in ("AAA", "SAP.DE"):
        assert fetched(source_of(folder), symbol, night).currency_assumed is False
    assert "suffix alone" in FLAGS["pence_assumed"]


# a change as by a small split


@needs_prices
def test_a_fall_by_a_third_without_volume_says_that_a_split_would_look_so(tmp_path: Path) -> None:
    """14 April 2000 was one of the worst days of the exchange: such a fall is real, and never refused."""
    source = source_of(copied(tmp_path, {"SIVB.csv.gz": PRICES / "ended" / "SIVB.csv.gz"}))
    found = judged(source, "SIVB", date(2000, 6, 30).isoformat())
    assert not isinstance(found, str)
    assert "jump" in found.flags
    told = "price changed by -33.3% on 2000-04-14, without the volume of such a day, as a split of 3:2 would"
    assert told in found.notes


# an exchange whose sessions cannot be told


def test_a_series_of_an_exchange_without_sessions_takes_no_other_with_it(tmp_path: Path) -> None:
    """Where the calendar itself is broken its tickers fail, and the universe goes on."""
    source = source_of(series(tmp_path / "prices", "AAA", "BBB", "TEVA.TA"))
    told = judged(source, "TEVA.TA", LAST.isoformat(), 280)
    found = source.fetch("universe", {"as_of": LAST.isoformat(), "sessions": "280"})
    symbols = [one["symbol"] for one in found["series"]]
    if isinstance(told, str):
        assert "knows no sessions of XTAE for 2024" in told
        assert symbols == ["AAA", "BBB"] and "TEVA.TA" in found["notes"][0]
    else:
        assert symbols == ["AAA", "BBB", "TEVA.TA"]
