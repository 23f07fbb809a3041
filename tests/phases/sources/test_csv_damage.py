"""Damaged files of a folder: who is told, what goes on without them, and what is refused before anything starts."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pandas as pd
import pytest

from phases.core.errors import SourceDamaged, UsageError
from phases.core.store import open_store
from phases.doctor import examine, exit_code
from phases.evidence.quality import checked
from phases.night import Finished, hold_night
from phases.plan import CONFIGS, Words, plan
from phases.sources.symbols import listing
from schemas.market import Bars
from tests.conftest import Cli
from tests.phases.sources.test_csv_folder import HEAD, ROWS, bars, written
from tests.shared import source_of

LAST = date(2024, 1, 31)


def series(folder: Path, *names: str) -> Path:
    """Sound files of a year and a half."""
    folder.mkdir(exist_ok=True)
    days = [LAST - timedelta(n) for n in range(550)][::-1]
    for at, name in enumerate(names):
        moves = ((day, 100 + at + (n * (at + 3)) % 7) for n, day in enumerate(days) if day.weekday() < 5)
        rows = (f"{day},{x},{x + 1},{x - 1},{x},{1000 + x}" for day, x in moves)
        (folder / f"{name}.csv").write_text("\n".join(["Date,Open,High,Low,Close,Volume", *rows, ""]))
    return folder


def words(folder: Path, *tickers: str, sets: tuple[str, ...] = ()) -> Words:
    return Words(tickers, CONFIGS / "csv.yaml", (f"source.path={folder}", *sets), LAST.isoformat())


def held(chosen: Words, out: Path) -> Finished:
    with closing(open_store(out)) as store:
        return hold_night(plan(chosen, None), store, out, lambda ticker, reason: None)


def spoiled(folder: Path, name: str, cell: str = "halted") -> None:
    """A file with a word for its third close."""
    lines = (folder / f"{name}.csv").read_text().splitlines()
    day, *cells = lines[3].split(",")
    lines[3] = ",".join([day, *cells[:3], cell, cells[4]])
    (folder / f"{name}.csv").write_text("\n".join([*lines, ""]))


# damage


def test_what_was_not_asked_for_is_left_out_with_a_note_and_the_night_goes_on(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB", "CCC", "DDD")
    spoiled(folder, "CCC")
    (folder / "DDD.csv").write_text("<html>")
    planned = plan(words(folder, "AAA", "BBB"), None)
    assert planned.notes[0] == "UNIVERSE is the equal-weight mean of the folder's 2 price series"
    damage = "CCC.csv line 4, column 'Close' (close): 'halted' is no number"
    assert [note.count(damage) for note in planned.notes] == [0, 1, 0], "said once"
    assert "DDD.csv: no column for date" in planned.notes[2]
    feed = held(words(folder, "AAA", "BBB"), tmp_path / "out").feed
    assert {row.status for row in feed.rows} == {"debated"}


def test_all_that_was_asked_for_and_is_damaged_is_named_at_once(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB", "CCC", "DDD", "EEE")
    for name in ("BBB", "CCC", "DDD"):
        spoiled(folder, name, f"word of {name}")
    with pytest.raises(SourceDamaged) as caught:
        plan(words(folder, "AAA", "BBB", "CCC"), None)
    told = str(caught.value)
    assert all(f"{name}.csv line 4, column 'Close' (close): 'word of {name}'" in told for name in ("BBB", "CCC", "DDD"))
    assert told.index("CCC.csv") < told.index("not asked for: DDD.csv")
    assert not (tmp_path / "out").exists()


def test_where_the_configuration_degrades_only_that_ticker_fails(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB", "CCC")
    spoiled(folder, "BBB")
    rows = {
        row.ticker: row
        for row in held(words(folder, "AAA", "BBB", sets=("source.on_failure=degrade",)), tmp_path / "out").feed.rows
    }
    assert (rows["AAA"].status, rows["BBB"].status, rows["BBB"].stance) == ("debated", "failed", None)
    assert "BBB.csv line 4" in str(rows["BBB"].reason)


@pytest.mark.parametrize("how", ["stop", "degrade"])
def test_a_damaged_benchmark_stops_the_run_and_is_named(tmp_path: Path, how: str) -> None:
    folder = series(tmp_path / "prices", "AAA", "^GSPC")
    spoiled(folder, "^GSPC")
    chosen = words(folder, "AAA", sets=("question.benchmark=^GSPC", f"source.on_failure={how}"))
    with pytest.raises(SourceDamaged, match=r"question.benchmark \^GSPC: .*\^GSPC\.csv line 4"):
        plan(chosen, None)


def test_a_folder_of_nothing_sound_names_every_file(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB")
    for name in ("AAA", "BBB"):
        spoiled(folder, name)
    with pytest.raises(SourceDamaged, match=r"no price series is sound: AAA\.csv line 4.*; BBB\.csv line 4"):
        plan(words(folder, "AAA"), None)


def test_what_has_the_name_of_a_file_and_is_none_is_named(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "EEE")
    (folder / "BBB.csv").mkdir()
    (folder / "CCC.csv.gz").symlink_to(folder / "gone")
    notes = " | ".join(plan(words(folder, "AAA"), None).notes)
    assert "BBB.csv is a folder" in notes and "CCC.csv.gz is a link that leads nowhere" in notes
    with pytest.raises(SourceDamaged, match=r"BBB\.csv is a folder; put the file itself there"):
        plan(words(folder, "BBB"), None)
    for name in ("AAA", "EEE"):
        (folder / f"{name}.csv").unlink()
    with pytest.raises(UsageError, match=r"no price series.*BBB\.csv is a folder; CCC\.csv\.gz is a link"):
        source_of(folder)


# a file that unpacks to more than it should

KILO = 1024
HUGE = {
    "blank lines": (b"Date,Close\n" + b"\n" * (100 * KILO * KILO), "more than 16 MB of text"),
    "fewer blank lines": (b"Date,Close\n" + b"\n" * (8 * KILO * KILO), "8388610 lines of 2 columns"),
    "blank lines behind many columns": (b"D" + b"," * 999 + b"\n" * 20 * KILO, "20481 lines of 1000 columns"),
    "many columns": (b"," * (8 * KILO * KILO), "1 lines of 8388609 columns"),
    "blanks": (b" " * (8 * KILO * KILO), "it is empty"),
}


@pytest.mark.parametrize("how", ["stop", "degrade"])
@pytest.mark.parametrize("case", HUGE)
def test_a_file_that_unpacks_to_too_much_is_named_and_costs_no_memory(tmp_path: Path, case: str, how: str) -> None:
    folder, (raw, why) = series(tmp_path / "prices", "AAA", "BBB"), HUGE[case]
    (folder / "BOMB.csv.gz").write_bytes(gzip.compress(raw, 1))
    (folder / "AAA_splits.csv.gz").write_bytes(gzip.compress(raw, 1))
    tracemalloc.start()
    try:
        faults = source_of(folder).faults()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [fault.partition(": ")[0] for fault in faults] == ["AAA_splits.csv.gz", "BOMB.csv.gz"]
    assert all(f"damaged ({why})" in fault for fault in faults)
    assert peak < 80 * KILO * KILO
    (folder / "AAA_splits.csv.gz").unlink()
    planned = plan(words(folder, "AAA", sets=("question.benchmark=BBB", f"source.on_failure={how}")), None)
    assert sum(why in note for note in planned.notes) == 1


def test_sixty_years_of_days_with_many_columns_are_read(tmp_path: Path) -> None:
    days = [date(1964, 1, 1) + timedelta(n) for n in range(22_000)]
    head = ",".join(["Date", "Close", *(f"More {n}" for n in range(40))])
    rows = (f"{day},{100 + n % 7}.123456789{',0.123456789' * 40}" for n, day in enumerate(days))
    written(tmp_path, *rows, head=head)
    found = bars(source_of(tmp_path), "AAA", days[-1].isoformat(), 9)
    assert found["days"][-1] == days[-1].isoformat()


# two files of one symbol


def test_f157_a_clash_matters_to_whom_it_concerns(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "EEE", "BRK.B", "BRK-B", "0700.HK", "0700_HK")
    notes = " | ".join(plan(words(folder, "AAA"), None).notes)
    assert "the folder's 2 price series" in notes and "BRK-B.csv, BRK.B.csv are one symbol, BRK" in notes
    for how in ("stop", "degrade"):
        chosen = words(folder, "AAA", "BRK.B", "0700.HK", sets=(f"source.on_failure={how}",))
        with pytest.raises(UsageError) as caught:
            plan(chosen, None)
        told = str(caught.value)
        assert "BRK-B.csv, BRK.B.csv are one symbol" in told and "0700.HK.csv, 0700_HK.csv are one symbol" in told
        assert "take all but one" in told


def test_a_clash_is_wrong_usage_and_damage_is_told_without_a_run_that_is_not_there(cli: Cli, tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "EEE", "BRK.B", "BRK-B", "BBB")
    spoiled(folder, "BBB")
    common = (
        "--config",
        CONFIGS / "csv.yaml",
        "--set",
        f"source.path={folder}",
        "--as-of",
        LAST,
        "--out",
        tmp_path / "o",
    )
    clash = cli("run", *common, "BRK.B")
    assert (clash.code, "resum" in clash.error) == (2, False)
    damaged = cli("run", *common, "BBB")
    assert damaged.code == 4
    assert "BBB.csv line 4" in damaged.error and damaged.error.endswith("no run began: give the same command again")
    assert "resum" not in damaged.error


# what the configuration says of files


def test_a_currency_that_is_said_goes_before_the_suffix(tmp_path: Path) -> None:
    written(tmp_path, name="REL_L.csv")
    written(tmp_path, name="BRK_B.csv")
    plain = bars(source_of(tmp_path), "REL.L")
    assert plain["currency"] == "GBp"
    assert "prices are taken to be in GBp, as its suffix says; else say it in source.csv.currencies" in plain["notes"]
    told = source_of(tmp_path, currencies={"REL.L": "GBP", "BRK.B": "EUR"})
    assert (bars(told, "REL.L")["currency"], bars(told, "BRK-B")["currency"]) == ("GBP", "EUR")
    assert bars(told, "REL.L")["notes"] == []
    assert told.vintage != source_of(tmp_path).vintage
    assert "GONE" in " ".join(source_of(tmp_path, currencies={"GONE": "USD"}).faults())


@pytest.mark.parametrize(
    ("said", "seen"),
    [
        ("source.csv.currency=XX", "source.csv.currency: 'XX'"),
        ("source.csv.currency=usd", "source.csv.currency: 'usd'"),
        ("source.csv.currency=ABC", "source.csv.currency: 'ABC'"),
        ("source.csv.currencies={REL.L: pounds}", "source.csv.currencies.REL.L: 'pounds'"),
    ],
)
def test_a_currency_that_is_none_is_refused(tmp_path: Path, said: str, seen: str) -> None:
    with pytest.raises(UsageError, match="ISO 4217 code such as USD, or GBp, ILA or ZAc") as caught:
        plan(words(series(tmp_path / "prices", "AAA"), "AAA", sets=(said,)), None)
    assert seen in str(caught.value)


def test_header_rows_that_would_swallow_prices_are_refused(tmp_path: Path) -> None:
    written(tmp_path)
    with pytest.raises(SourceDamaged, match=r"AAA\.csv: line 2 holds prices of 2024-01-02.*header_rows to 1"):
        bars(source_of(tmp_path, header_rows=3))
    written(tmp_path, "Ticker,,,,,,", "units,usd,usd,usd,usd,usd,n", *ROWS, head=HEAD)
    with pytest.raises(SourceDamaged, match=r"line 2, column 'Date'.*'Ticker' is no day.*source\.csv\.header_rows"):
        bars(source_of(tmp_path))
    assert len(bars(source_of(tmp_path, header_rows=3))["days"]) == 4


# places that are not known


@pytest.mark.parametrize(
    ("symbol", "exchange", "known"),
    [
        ("^GSPC", "XNYS", True),
        ("^VIX", "XNYS", True),
        ("^TA125.TA", "XTAE", True),
        ("^OMXC25", "XCSE", True),
        ("^SECRET", "XNYS", False),
        ("QNBK.QA", "XNYS", False),
        ("BRK.B", "XNYS", True),
        ("BAC.PRL", "XNYS", True),
    ],
)
def test_a_place_that_is_guessed_is_said_to_be(tmp_path: Path, symbol: str, exchange: str, known: bool) -> None:
    assert (listing(symbol).exchange, listing(symbol).known) == (exchange, known)
    notes = bars(source_of(written(tmp_path, name=f"{symbol}.csv")), symbol)["notes"]
    guess = f"where {symbol} is traded is not known; its days are taken for those of XNYS"
    assert (guess in notes) is not known


@pytest.mark.parametrize("week", ["Sun Mon Tue Wed Thu", "Mon Tue Wed Thu Fri"])
def test_days_of_a_place_that_is_guessed_are_no_fault(tmp_path: Path, week: str) -> None:
    """Sunday to Thursday, and a holiday of a week, as of an exchange whose calendar nobody knows."""
    opens = pd.date_range(end="2024-02-29", periods=290, freq=pd.offsets.CustomBusinessDay(weekmask=week))
    opens = [one.date() for one in opens if not date(2024, 1, 22) <= one.date() <= date(2024, 1, 28)]
    rows = [
        f"{day},{50 + at % 7},{51 + at % 7},{49 + at % 7},{50 + at % 7},{50 + at % 7},{1000 + at}"
        for at, day in enumerate(opens)
    ]
    source = source_of(written(tmp_path, *rows, name="QNBK.QA.csv"))
    found = checked(
        Bars.model_validate_json(json.dumps(bars(source, "QNBK.QA", "2024-02-29", 280))), "QNBK.QA", date(2024, 2, 29)
    )
    assert (found.flags, len(found.bars.days)) == ((), 280)


# doctor


def test_doctor_tells_damage_from_a_source_that_does_not_answer(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB", "^GSPC")
    sets = (f"source.path={folder}", "question.benchmark=^GSPC")
    spoiled(folder, "BBB")
    found = examine(Words((), CONFIGS / "csv.yaml", sets), tmp_path)
    source = [one for one in found if one.about == "source csv_folder"]
    assert [one.state for one in source] == ["ok", "note"]
    assert "BBB.csv line 4" in source[1].told and exit_code(found) == 0
    for more, file in ((("held=[BBB]",), "BBB.csv line 4"), ((), "^GSPC.csv line 4")):
        if not more:
            spoiled(folder, "^GSPC")
        found = examine(Words((), CONFIGS / "csv.yaml", (*sets, *more)), tmp_path)
        source = [one for one in found if one.about == "source csv_folder"]
        assert [one.state for one in source] == ["damaged"]
        assert file in source[0].told and "source.path=DIR" not in source[0].remedy
        assert exit_code(found) == 4
    missing = examine(Words((), CONFIGS / "csv.yaml"), tmp_path)
    assert ("missing", "source csv_folder") in {(one.state, one.about) for one in missing}
    assert "--set source.path=DIR" in next(one.told for one in missing if one.state == "missing")
