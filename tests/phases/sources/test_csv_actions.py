"""Splits and dividends of a folder: beside the file or in it, added, held against the price, and named where wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from phases.core.errors import SourceDamaged
from phases.plan import plan
from tests.phases.evidence.test_quality import judged
from tests.phases.sources.test_csv_damage import LAST, series, words
from tests.phases.sources.test_csv_folder import bars
from tests.phases.sources.test_csv_sound import universe
from tests.shared import source_of

NIGHT, EX = LAST.isoformat(), "2024-01-17"


def paying(folder: Path, *paid: str, column: str | None = None, head: str = "Date,Dividends") -> Path:
    """Prices of about 100; `paid` beside them, and `column` as the dividend of the 17th in a column of their own."""
    path = series(folder, "AAA", "BBB", "CCC") / "AAA.csv"
    if column is not None:
        first, *rows = path.read_text().splitlines()
        own = (f"{row},{column if row.startswith(EX) else 0}" for row in rows)
        path.write_text("\n".join([f"{first},Dividends", *own, ""]))
    if paid:
        (folder / "AAA_dividends.csv").write_text("\n".join([head, *paid, ""]))
    return folder


def dividends(found: dict[str, Any]) -> list[tuple[str, float]]:
    return [(one["day"], one["value"]) for one in found["actions"]]


@pytest.mark.parametrize("adjusted", ["splits", "no"])
def test_a_dividend_that_is_no_plausible_share_is_refused(tmp_path: Path, adjusted: str) -> None:
    """26 for .26, at a price that did not fall by it."""
    small = judged(source_of(paying(tmp_path / "a", f"{EX},0.26"), adjusted=adjusted), "AAA", NIGHT, 280)
    assert not isinstance(small, str)
    for name, amount in {"b": "26", "c": "9", "d": "260"}.items():
        source = source_of(paying(tmp_path / name, f"{EX},{amount}"), adjusted=adjusted)
        told = judged(source, "AAA", NIGHT, 280)
        assert isinstance(told, str) and f"dividend of {EX} is {amount}" in told
        assert universe(source)[0] == ["BBB", "CCC"]
    assert not isinstance(judged(source_of(tmp_path / "b", adjusted=adjusted), "AAA", "2024-01-16", 280), str)


def test_a_large_dividend_by_which_the_close_fell_is_adjusted_for(tmp_path: Path) -> None:
    folder = paying(tmp_path / "prices", f"{EX},15")
    path = folder / "AAA.csv"
    head, *rows = path.read_text().splitlines()
    kept = []
    for row in rows:
        day, *prices, volume = row.split(",")
        kept.append(",".join([day, *(str(float(x) - 15 * (day >= EX)) for x in prices), volume]))
    path.write_text("\n".join([head, *kept, ""]))
    found = judged(source_of(folder, adjusted="splits"), "AAA", NIGHT, 280)
    assert not isinstance(found, str), found
    steps = [after / before - 1 for before, after in zip(found.bars.adj_close, found.bars.adj_close[1:], strict=False)]
    assert max(map(abs, steps)) < 0.08


def test_dividends_of_one_day_are_added_and_one_that_stands_twice_is_one(tmp_path: Path) -> None:
    folder = paying(tmp_path / "prices", f"{EX},0.5", f"{EX},2", "2024-01-10,0.25", "2024-01-10,0.25")
    for adjusted in ("splits", "no"):
        source = source_of(folder, adjusted=adjusted)
        found = bars(source, "AAA", NIGHT, 280)
        assert dividends(found) == [("2024-01-10", 0.25), (EX, 2.5)]
        assert f"dividends of one day are added: {EX} (1 in all)" in found["notes"]
        assert "dividends that stand there twice are counted once: 2024-01-10 (1 in all)" in found["notes"]
        assert not isinstance(judged(source, "AAA", NIGHT, 280), str)
        before = bars(source, "AAA", "2024-01-16", 280)
        assert not any("are added" in note for note in before["notes"])


def test_a_column_of_zeros_does_not_hide_the_file_beside_it(tmp_path: Path) -> None:
    folder = paying(tmp_path / "a", f"{EX},0.5", column="0")
    found = bars(source_of(folder, adjusted="splits"), "AAA", NIGHT, 280)
    assert dividends(found) == [(EX, 0.5)]
    told = f"the file's own column has no dividends, so those of AAA_dividends.csv are used: {EX} (1 in all)"
    assert told in found["notes"]
    for name, own, differs in (("b", "0.5", False), ("c", "0.7", True)):
        found = bars(source_of(paying(tmp_path / name, f"{EX},0.5", column=own), adjusted="splits"), "AAA", NIGHT, 280)
        assert dividends(found) == [(EX, float(own))]
        told = f"AAA_dividends.csv says other dividends than the file's own column, which is used: {EX} (1 in all)"
        assert (told in found["notes"]) is differs
    folder = paying(tmp_path / "d", "2024-01-10,0.25", column="0.5")
    notes = bars(source_of(folder, adjusted="splits"), "AAA", NIGHT, 280)["notes"]
    assert any("which is used: 2024-01-10, 2024-01-17 (2 in all)" in note for note in notes)


def test_a_file_beside_it_that_is_about_another_symbol_is_refused(tmp_path: Path) -> None:
    folder = paying(tmp_path / "a", f"{EX},0.5,MSFT", head="Date,Dividends,Symbol")
    with pytest.raises(SourceDamaged, match=r"AAA_dividends\.csv: its rows are about MSFT"):
        bars(source_of(folder), "AAA", NIGHT)
    folder = paying(tmp_path / "b", f"{EX},0.5,AAA", head="Date,Dividends,Symbol")
    assert dividends(bars(source_of(folder, adjusted="splits"), "AAA", NIGHT, 280)) == [(EX, 0.5)]


@pytest.mark.parametrize("amount", ["-0.26", "inf", "-inf"])
def test_an_amount_below_nothing_is_named(tmp_path: Path, amount: str) -> None:
    folder = paying(tmp_path / "a", "2024-01-10,0.5", f"{EX},{amount}")
    told = rf"AAA_dividends\.csv line 3, column 'Dividends' \(dividends\): '{amount}' is no dividend; it is above 0"
    with pytest.raises(SourceDamaged, match=told):
        bars(source_of(folder), "AAA", NIGHT)
    with pytest.raises(SourceDamaged, match=rf"AAA\.csv line \d+, column 'Dividends'.*'{amount}' is no dividend"):
        bars(source_of(paying(tmp_path / "b", column=amount)), "AAA", NIGHT)
    (paying(tmp_path / "c") / "AAA_splits.csv").write_text(f"Date,Stock Splits\n{EX},{amount}\n")
    with pytest.raises(SourceDamaged, match=rf"AAA_splits\.csv line 2.*'{amount}' is no split ratio"):
        bars(source_of(tmp_path / "c"), "AAA", NIGHT)


def test_files_beside_no_series_are_named(tmp_path: Path) -> None:
    folder = paying(tmp_path / "prices", f"{EX},0.5")
    for name in ("ZZZ_dividends.csv", "0700_HK_splits.csv.gz"):
        (folder / name).write_text("Date,Dividends\n")
    told = "0700_HK_splits.csv.gz, ZZZ_dividends.csv lie beside no series of their symbol; nothing reads them"
    assert source_of(folder).faults() == (told,)
    assert told in plan(words(folder, "AAA"), None).notes
