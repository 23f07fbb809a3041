"""A file is read as it was after the night: what its later rows hold is no part of it, and what is left out is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from phases.core.errors import NoData, Unanswered
from phases.market_data import market_snapshot
from phases.outputs.report.words import value_text
from phases.plan import plan
from tests.phases.evidence.test_quality import judged
from tests.phases.sources.test_csv_damage import LAST, held, series, words
from tests.phases.sources.test_csv_folder import HEAD, bars, written
from tests.phases.sources.test_csv_sound import universe
from tests.phases.test_market_data import question
from tests.shared import source_of
from tests.support import fetch_door, settings

NIGHT, BEFORE = LAST.isoformat(), "2023-12-29"


def long(folder: Path, change: Callable[[str, list[str]], list[str]] = lambda day, cells: cells) -> Path:
    """A file with every column and two sound ones beside it; `change` is given the day and the other cells of a row."""
    series(folder, "AAA", "BBB", "CCC")
    _, *rows = (folder / "CCC.csv").read_text().splitlines()
    found = []
    for row in rows:
        day, *prices, volume = row.split(",")
        cells = change(day, [*prices, prices[-1], volume, "0", "0"])
        found.append(",".join([day, *cells]))
    (folder / "CCC.csv").write_text("\n".join([f"{HEAD},Dividends,Stock Splits", *found, ""]))
    return folder


def cut(folder: Path, night: str) -> Path:
    """The same folder without what is later."""
    for path in folder.iterdir():
        head, *rows = path.read_text().splitlines()
        path.write_text("\n".join([head, *(row for row in rows if row[:10] <= night), ""]))
    return folder


def everything(folder: Path, night: str, **csv: Any) -> str:
    source = source_of(folder, **csv)
    found: list[object] = [bars(source, "UNIVERSE", night, 280)]
    found.append(source.fetch("universe", {"as_of": night, "sessions": "280"}))
    door = fetch_door(source)
    for symbol in ("AAA", "CCC"):
        found.append(bars(source, symbol, night, 280))
        snapshot = market_snapshot(
            symbol, date.fromisoformat(night), question("UNIVERSE"), settings().market, fetch=door
        )
        found.append(snapshot.model_dump(mode="json"))
    return json.dumps(found, sort_keys=True)


def emptied(*places: int, until: str = BEFORE) -> Callable[[str, list[str]], list[str]]:
    """Columns that begin after a day."""
    return lambda day, cells: ["" if at in places and day <= until else cell for at, cell in enumerate(cells)]


def later(at: int, cell: str) -> Callable[[str, list[str]], list[str]]:
    """A cell of the tenth of January 2024."""
    return lambda day, cells: [cell if n == at and day == "2024-01-10" else one for n, one in enumerate(cells)]


LATER = {
    **{f"column {at} begins later": emptied(at) for at in (0, 1, 2, 4, 5)},
    "all but the closes begin later": emptied(0, 1, 2, 4, 5),
    "a dividend later": later(6, "2.5"),
    "a split later": later(7, "2"),
    "a dividend later, no adjusted closes": lambda day, cells: later(6, "2.5")(day, [*cells[:4], "", *cells[5:]]),
    "a split later, no adjusted closes": lambda day, cells: later(7, "2")(day, [*cells[:4], "", *cells[5:]]),
    "a volume lacking later": later(5, ""),
    "a close lacking later": later(3, ""),
}


@pytest.mark.parametrize("adjusted", ["no", "splits", "all"])
@pytest.mark.parametrize("change", LATER)
def test_what_a_file_holds_of_later_days_changes_nothing(tmp_path: Path, change: str, adjusted: str) -> None:
    folder = long(tmp_path / "prices", LATER[change])
    told = everything(folder, BEFORE, adjusted=adjusted)
    assert everything(cut(folder, BEFORE), BEFORE, adjusted=adjusted) == told
    assert '"CCC"' in told


@pytest.mark.parametrize("place", [0, 1, 2, 5])
def test_bars_that_lack_only_a_spare_column_are_used_without_it(tmp_path: Path, place: int) -> None:
    name = ("open", "high", "low", "close", "adj_close", "volume")[place]
    source = source_of(long(tmp_path / "prices", emptied(place)))
    found = bars(source, "CCC", NIGHT, 280)
    assert len(found["days"]) == 280 and found[name] == [] and len(found["close"]) == 280
    assert f"257 of the newest 280 bars have no {name}, so it is not used" in found["notes"]
    assert not any("the file has no" in note and name in note for note in found["notes"])
    snapshot = market_snapshot("CCC", LAST, question("UNIVERSE"), settings().market, fetch=fetch_door(source))
    assert "px.ret_252d" in {one.id for one in snapshot.evidence}


def test_a_few_bars_without_volume_are_left_out_and_volume_is_known(tmp_path: Path) -> None:
    found = bars(source_of(long(tmp_path / "prices", later(5, ""))), "CCC", NIGHT, 280)
    assert len(found["volume"]) == 280 and "2024-01-10" not in found["days"]
    told = "bars without a price or volume are left out: 2024-01-10 (1 in all), lacking volume"
    assert told in found["notes"]


def test_bars_without_adjusted_closes_are_left_out_and_counted(tmp_path: Path) -> None:
    """To take the close for them would be to invent that no dividend was paid."""
    found = bars(source_of(long(tmp_path / "prices", emptied(4))), "CCC", NIGHT, 280)
    assert len(found["days"]) == 23
    assert any("(370 in all), lacking adj_close" in note for note in found["notes"])


# nothing left


def intraday(folder: Path, name: str, since: str = "") -> Path:
    """A file with two different bars of each day."""
    path = folder / f"{name}.csv"
    head, *rows = path.read_text().splitlines()
    found = []
    for row in rows:
        found.append(row)
        if row >= since:
            found.append(f"{row}7")
    path.write_text("\n".join([head, *found, ""]))
    return folder


@pytest.mark.parametrize("how", ["stop", "degrade"])
def test_a_file_of_two_bars_a_day_fails_alone(tmp_path: Path, how: str) -> None:
    folder = intraday(series(tmp_path / "prices", "AAA", "BBB", "CCC"), "CCC")
    why = "CCC.csv has no day with one bar: there are two or more that differ for 2024-01-31 (393 in all); keep one bar a day"
    sets = (f"source.on_failure={how}",)
    planned = plan(words(folder, "AAA", sets=sets), None)
    assert sum(why in note for note in planned.notes) == 1
    rows = {row.ticker: row for row in held(words(folder, "AAA", "CCC", sets=sets), tmp_path / "out").feed.rows}
    assert (rows["AAA"].status, rows["CCC"].status) == ("debated", "no_data")
    assert why in str(rows["CCC"].reason)
    source = source_of(folder)
    assert universe(source)[0] == ["AAA", "BBB"] and why in universe(source)[1][0]
    assert source.fetch("span", {})["last"] == NIGHT


def test_two_bars_a_day_of_late_are_nothing_before(tmp_path: Path) -> None:
    folder = intraday(series(tmp_path / "prices", "AAA", "BBB", "CCC"), "CCC", "2024-01-22")
    assert universe(source_of(folder), BEFORE)[0] == ["AAA", "BBB", "CCC"]
    notes = bars(source_of(folder), "CCC", NIGHT, 280)["notes"]
    assert "2024-01-31 (8 in all); the newest bar used is of 2024-01-19" in " ".join(notes)


EMPTY = {
    "each day once without a close, once with": (
        ["2024-01-02,1,2,1,,1,5", "2024-01-02,,,,1,1,"],
        "is a whole bar",
    ),
    "blank rows alone": (["2024-01-02,,,,,,", "2024-01-03,,,,,,"], "is a whole bar"),
    "different closes": (
        ["2024-01-02,1,2,1,1,1,5", "2024-01-02,1,2,1,1.5,1.5,5"],
        r"2024-01-02 \(1 in all\); keep one bar",
    ),
    "three of a day, two alike": (
        ["2024-01-02,1,2,1,1,1,5", "2024-01-02,1,2,1,1,1,5", "2024-01-02,1,2,1,1.5,1.5,5"],
        "has no day with one bar",
    ),
    "infinite": (["2024-01-02,1,2,1,inf,1,5"], "is a whole bar"),
}


@pytest.mark.parametrize("case", EMPTY)
def test_whatever_leaves_no_bar_is_told_of_that_file_alone(tmp_path: Path, case: str) -> None:
    rows, why = EMPTY[case]
    folder = written(series(tmp_path / "prices", "AAA", "BBB"), *rows, name="BAD.csv")
    source = source_of(folder)
    with pytest.raises(Unanswered, match=rf"BAD\.csv.*{why}"):
        bars(source, "BAD", NIGHT)
    told = why.replace("\\", "")
    assert any(told in fault for fault in source.faults())
    symbols, notes = universe(source)
    assert symbols == ["AAA", "BBB"] and told in notes[0]
    assert bars(source, "UNIVERSE", NIGHT)["days"][-1] == NIGHT
    assert not isinstance(judged(source, "AAA", NIGHT, 280), str)


def test_a_series_that_has_not_begun_has_no_data_and_says_nothing(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB", "CCC")
    path = folder / "CCC.csv"
    head, *rows = path.read_text().splitlines()
    blank = [f"{row[:10]},,,,," if row[:10] <= BEFORE else row for row in rows]
    path.write_text("\n".join([head, *blank, ""]))
    source = source_of(folder)
    with pytest.raises(NoData, match=f"no bar of CCC at or before {BEFORE}"):
        bars(source, "CCC", BEFORE)
    assert universe(source, BEFORE) == (["AAA", "BBB"], [])
    first = (LAST - timedelta(500)).isoformat()
    assert universe(source, first)[0] == ["AAA", "BBB"]


# a file that is cut off


ENDS = "AAA.csv does not end with a newline and may be cut off: check its last row"
DROPPED = "is shorter than what stands above it, and is not used"


def ended(folder: Path, end: Callable[[str], str]) -> dict[str, Any]:
    """Bars of a file of which only the end is changed."""
    path = series(folder, "AAA", "BBB") / "AAA.csv"
    path.write_text(end(path.read_text()))
    return bars(source_of(folder), "AAA", NIGHT, 280)


def test_a_cell_that_is_cut_off_is_not_used(tmp_path: Path) -> None:
    """`201` of 20135600 is no volume."""
    whole = ended(tmp_path / "a", lambda text: text)
    assert (
        whole["days"][-1] == NIGHT
        and whole["volume"][-1] > 1000
        and not any("cut off" in note for note in whole["notes"])
    )
    for name, cells in {"b": 1, "c": 2, "d": 3, "e": 4, "f": 5}.items():

        def end(text: str, cells: int = cells) -> str:
            row = text.rstrip("\n").rpartition("\n")[2].split(",")
            kept = [*row[:cells], row[cells][:2]] if cells == 5 else [*row[:cells], row[cells][:1]]
            return text.removesuffix(",".join(row) + "\n") + ",".join(kept)

        found = ended(tmp_path / name, end)
        assert found["days"][-1] == "2024-01-30", cells
        assert any(ENDS in note and DROPPED in note for note in found["notes"]), cells


@pytest.mark.parametrize("only", ["2024-01-31", "2024-01-3", "2"])
def test_a_last_line_of_less_than_a_day_is_no_row(tmp_path: Path, only: str) -> None:
    found = ended(tmp_path / "prices", lambda text: text.rstrip("\n").rpartition("\n")[0] + "\n" + only)
    assert found["days"][-1] == "2024-01-30" and ENDS in found["notes"]


@pytest.mark.parametrize("end", ["", "\n\n", "\r\n"])
def test_a_sound_file_without_a_last_newline_is_used_whole(tmp_path: Path, end: str) -> None:
    whole = ended(tmp_path / "a", lambda text: text)
    found = ended(tmp_path / "b", lambda text: text.rstrip("\n") + end)
    assert {**found, "notes": whole["notes"]} == whole
    assert (ENDS in found["notes"]) is (end == "")


def test_a_last_line_of_a_later_day_is_not_told_of_before(tmp_path: Path) -> None:
    path = series(tmp_path / "prices", "AAA", "BBB") / "AAA.csv"
    path.write_text(path.read_text().rstrip("\n"))
    assert not any(ENDS in note for note in bars(source_of(path.parent), "AAA", BEFORE, 280)["notes"])


def test_a_dividend_that_is_cut_off_is_none_and_its_bar_is_used(tmp_path: Path) -> None:
    def change(text: str) -> str:
        head, *rows = text.splitlines()
        return "\n".join([f"{head},Dividends", *(f"{row},0.0" for row in rows)])[:-1]

    found = ended(tmp_path / "prices", change)
    assert found["days"][-1] == NIGHT and any(DROPPED in note for note in found["notes"])


# why there is too little


def test_a_reason_says_what_was_left_out(tmp_path: Path) -> None:
    folder = long(tmp_path / "late", emptied(4, until="2024-01-24"))
    row = held(words(folder, "CCC", sets=("question.benchmark=AAA",)), tmp_path / "a").feed.rows[0]
    assert row.status == "no_data" and "(388 in all), lacking adj_close" in str(row.reason)
    folder = intraday(series(tmp_path / "prices", "AAA", "BBB", "CCC"), "CCC", "2024-01-22")
    row = held(words(folder, "CCC"), tmp_path / "b").feed.rows[0]
    assert row.status == "stale"
    told = "newest bar of CCC is 2024-01-19, 8 sessions before 2024-01-31"
    assert told in str(row.reason) and "days with two different bars are left out: 2024-01-25" in str(row.reason)


def test_a_price_of_less_than_a_cent_is_told_by_its_digits(tmp_path: Path) -> None:
    folder = long(tmp_path / "prices")
    path = folder / "CCC.csv"
    head, *rows = path.read_text().splitlines()
    cells = [row.split(",") for row in rows]
    small = (",".join([c[0], *(f"{float(x) * 2.7e-7:.9f}" for x in c[1:6]), *c[6:]]) for c in cells)
    path.write_text("\n".join([head, *small, ""]))
    door = fetch_door(source_of(folder))
    found = market_snapshot("CCC", LAST, question("UNIVERSE"), settings().market, fetch=door)
    close = next(one for one in found.evidence if one.id == "px.close")
    assert 2.5e-5 < close.value < 3e-5
    assert value_text(close).startswith("$0.0000")
    assert len(value_text(close)) == 11
