"""Columns by their names: more spellings, a currency in the file, and what nothing reads is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from phases.core.errors import NoData, SourceDamaged, Unanswered, UsageError
from phases.doctor import examine
from phases.plan import CONFIGS, Words, plan
from tests.phases.sources.test_csv_damage import LAST, series, words
from tests.phases.sources.test_csv_folder import EXPECTED, HEAD, ROWS, bars, written
from tests.phases.sources.test_csv_sound import universe
from tests.shared import source_of

NIGHT = LAST.isoformat()


@pytest.mark.parametrize(
    ("adjusted", "volume"),
    [
        ("Adj. Close", "Vol."),
        ("Adj_Close", "Volume"),
        ("adjclose", "vol"),
        ("Adj Close**", "Volume*"),
        ("ADJ-CLOSE", "VOLUME"),
        ("Adjusted_close", " Vol "),
        ("adj..close", "_vol_"),
    ],
)
def test_names_of_columns_are_known_whatever_stands_between(tmp_path: Path, adjusted: str, volume: str) -> None:
    found = bars(source_of(written(tmp_path, head=HEAD.replace("Adj Close", adjusted).replace("Volume", volume))))
    assert {name: found[name] for name in EXPECTED} == EXPECTED
    assert source_of(tmp_path).faults() == ()


def test_a_name_that_has_two_columns_is_refused_and_other_names_are_no_names(tmp_path: Path) -> None:
    written(tmp_path, *(f"{row},9" for row in ROWS), head=f"{HEAD},Adj. Close")
    with pytest.raises(SourceDamaged, match="more than one column for adj_close"):
        bars(source_of(tmp_path))
    written(tmp_path, *(f"{row},9,8,7" for row in ROWS), head=f"{HEAD},Close %,Adj Volume,-")
    found = bars(source_of(tmp_path))
    assert {name: found[name] for name in EXPECTED} == EXPECTED


def said(folder: Path, cells: str | list[str], name: str = "CCC") -> Path:
    """A file with a column of currencies."""
    path = series(folder, "AAA", "BBB", name) / f"{name}.csv"
    head, *rows = path.read_text().splitlines()
    each = [cells] * len(rows) if isinstance(cells, str) else [*cells, *[cells[-1]] * (len(rows) - len(cells))]
    path.write_text("\n".join([f"{head},Currency", *map(",".join, zip(rows, each, strict=True)), ""]))
    return folder


@pytest.mark.parametrize(
    ("name", "cells", "currency"),
    [
        ("CCC", "EUR", "EUR"),
        ("CCC", "eur", "EUR"),
        ("CCC", "", "USD"),
        ("CCC", ["EUR", "", " EUR "], "EUR"),
        ("REL_L", "GBP", "GBP"),
        ("REL_L", "GBX", "GBp"),
        ("REL_L", "GBp", "GBp"),
    ],
)
def test_a_column_of_one_currency_is_the_currency(
    tmp_path: Path, name: str, cells: str | list[str], currency: str
) -> None:
    found = bars(source_of(said(tmp_path / "prices", cells, name)), name.replace("_", "."), NIGHT)
    assert found["currency"] == currency and "currency_assumed" not in found
    assert not any("taken to be in" in note for note in found["notes"])


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (["USD", "EUR"], "CCC.csv: its rows are in several currencies, EUR, USD; correct the column"),
        (["GBP", "GBp"], "several currencies, GBP, GBp"),
        ("dollars", "'Currency' is 'dollars', and no code such as USD or GBp"),
        ("gbp", "'Currency' is 'gbp', and no code"),
    ],
)
def test_a_currency_that_cannot_be_told_fails_its_symbol_alone(
    tmp_path: Path, cells: str | list[str], why: str
) -> None:
    source = source_of(said(tmp_path / "prices", cells))
    with pytest.raises(Unanswered, match=why):
        bars(source, "CCC", NIGHT)
    symbols, notes = universe(source)
    assert symbols == ["AAA", "BBB"] and why in notes[0]
    assert any(why in fault for fault in source.faults())


def test_a_currency_of_later_rows_is_not_known_before(tmp_path: Path) -> None:
    source = source_of(said(tmp_path / "prices", ["EUR"] * 380 + ["USD"]))
    assert bars(source, "CCC", "2023-12-29")["currency"] == "EUR"
    assert universe(source, "2023-12-29")[0] == ["AAA", "BBB", "CCC"]
    with pytest.raises(Unanswered, match="several currencies"):
        bars(source, "CCC", NIGHT)


def test_a_configured_currency_that_the_file_contradicts_is_wrong_usage(tmp_path: Path) -> None:
    folder = said(tmp_path / "prices", "EUR")
    assert bars(source_of(folder, currencies={"CCC": "EUR"}), "CCC", NIGHT)["currency"] == "EUR"
    chosen = words(folder, "CCC", sets=("source.csv.currencies={CCC: USD}",))
    with pytest.raises(UsageError, match=r"source\.csv\.currencies\.CCC: it is USD, but the file says EUR; correct"):
        plan(chosen, None)
    folder = said(tmp_path / "pence", "GBX", "REL_L")
    assert bars(source_of(folder, currencies={"REL.L": "GBp"}), "REL.L", NIGHT)["currency"] == "GBp"


def test_columns_that_nothing_reads_are_named_once_for_the_folder(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB")
    for name, more in (("AAA", "Capital Gains,Adj Volume"), ("BBB", "Capital Gains")):
        path = folder / f"{name}.csv"
        head, *rows = path.read_text().splitlines()
        path.write_text("\n".join([f"{head},{more}", *(row + ",1" * (more.count(",") + 1) for row in rows), ""]))
    told = (
        "columns that nothing reads: 'Adj Volume' of AAA.csv, 'Capital Gains' of 2 files; say in "
        "source.csv.columns what one is"
    )
    assert source_of(folder).faults() == (told,)
    found = examine(Words((), CONFIGS / "csv.yaml", (f"source.path={folder}",)), tmp_path)
    assert [one.told for one in found if "nothing reads" in one.told] == [told]
    many = ",".join(f"More {n}" for n in range(30))
    written(folder, *(row + ",1" * 30 for row in ROWS), head=f"{HEAD},{many}", name="BBB.csv")
    fault = next(one for one in source_of(folder).faults() if "nothing reads" in one)
    assert "and 24 more;" in fault and len(fault) < 300


def test_one_endless_cell_costs_no_memory_and_floods_no_message(tmp_path: Path) -> None:
    rows = (f"2024-01-{1 + n % 28:02},{'x' * 5_000_000 if n == 7 else 1}" for n in range(20_000))
    folder = written(series(tmp_path / "prices", "AAA", "BBB"), *rows, head="Date,Close", name="BAD.csv")
    source = source_of(folder)
    assert len(source.faults()[0]) < 300 and "BAD.csv line 9" in source.faults()[0]
    written(folder, head="x" * 5_000_000 + ",Open" * 500, name="BAD.csv")
    fault = source_of(folder).faults()[0]
    assert "more than one column for open" in fault and len(fault) < 1000


def test_a_folder_without_the_series_names_the_nearest_and_how_many_more_it_holds(tmp_path: Path) -> None:
    series(tmp_path, *(f"A{chr(65 + at)}" for at in range(24)), "MSFT")
    with pytest.raises(NoData, match=r"no series 'MSFTX'; did you mean MSFT\?; it holds AA, .*, AT and 5 more$"):
        bars(source_of(tmp_path), "MSFTX", "2024-02-28", 5)
