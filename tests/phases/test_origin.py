"""What a night reads: the folder as it is, what an earlier run stored of it, and never a network when offline."""

from __future__ import annotations

import shutil
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from phases.core.errors import SourceDown, UsageError
from phases.core.recorder import today
from phases.core.runs import Runs
from phases.core.store import open_store
from phases.maths.sessions import last_session
from phases.night import Finished, hold_night
from phases.plan import CONFIGS, Plan, Words, plan, resume_plan
from tests.conftest import Cli
from tests.phases.sources.test_csv_damage import LAST, series

OFFLINE = "operation.offline=true"


def words(folder: Path, *tickers: str, sets: tuple[str, ...] = (), as_of: str = LAST.isoformat()) -> Words:
    return Words(tickers, CONFIGS / "csv.yaml", (f"source.path={folder}", *sets), as_of)


def night(chosen: Words, out: Path, resume: bool = False) -> tuple[Plan, Finished]:
    with closing(open_store(out)) as store:
        planned = resume_plan(chosen, Runs(store), "last") if resume else plan(chosen, Runs(store))
        return planned, hold_night(planned, store, out, lambda ticker, reason: None)


def doubled(folder: Path, name: str) -> None:
    """Other prices in a file."""
    path = folder / f"{name}.csv"
    head, *rows = path.read_text().splitlines()
    cells = [row.split(",") for row in rows]
    path.write_text("\n".join([head, *(",".join([c[0], *(str(2 * int(x)) for x in c[1:5]), c[5]]) for c in cells), ""]))


def test_offline_a_folder_that_did_not_change_is_read(tmp_path: Path) -> None:
    folder, out = series(tmp_path / "prices", "AAA", "BBB"), tmp_path / "out"
    first, _ = night(words(folder, "AAA"), out)
    second, finished = night(words(folder, "BBB", sets=(OFFLINE,)), out)
    assert second.header.vintage == first.header.vintage and second.span is not None
    assert finished.feed.rows[0].status == "debated", "a folder is no network"


def test_offline_a_folder_that_changed_gives_way_to_what_was_stored(tmp_path: Path) -> None:
    folder, out = series(tmp_path / "prices", "AAA", "BBB"), tmp_path / "out"
    first, finished = night(words(folder, "AAA"), out)
    doubled(folder, "AAA")
    for resume in (False, True):
        again, same = night(words(folder, "AAA", sets=(OFFLINE,)), out, resume)
        assert again.header.run_id == first.header.run_id and same.feed == finished.feed
        assert again.span is None
        assert again.notes[0].startswith(f"source csv_folder has changed since run {first.header.run_id}: ")
    with pytest.raises(
        SourceDown, match=r"^csv_folder: no stored answer to bars of BBB for the night of 2024-01-31; run once without"
    ):
        night(words(folder, "BBB", sets=(OFFLINE,)), out)
    shutil.rmtree(folder)
    assert night(words(folder, "AAA", sets=(OFFLINE,)), out)[1].feed == finished.feed, "not even a folder is needed"
    with pytest.raises(UsageError, match="is no folder"):
        night(words(folder, "AAA", sets=(OFFLINE,), as_of="2024-01-30"), out)


def test_offline_the_latest_of_several_vintages_is_used_and_one_that_is_there_before_all(tmp_path: Path) -> None:
    folder, out = series(tmp_path / "prices", "AAA", "BBB"), tmp_path / "out"
    first, _ = night(words(folder, "AAA"), out)
    before = (folder / "AAA.csv").read_text()
    doubled(folder, "AAA")
    second, _ = night(words(folder, "AAA"), out)
    doubled(folder, "BBB")
    assert night(words(folder, "AAA", sets=(OFFLINE,)), out)[0].header.vintage == second.header.vintage
    series(folder, "AAA", "BBB")
    assert (folder / "AAA.csv").read_text() == before
    assert night(words(folder, "AAA", sets=(OFFLINE,)), out)[0].header.vintage == first.header.vintage


def test_offline_files_that_are_read_in_another_way_are_no_stored_answer(tmp_path: Path) -> None:
    folder, out = series(tmp_path / "prices", "AAA", "BBB"), tmp_path / "out"
    first, _ = night(words(folder, "AAA"), out)
    other, _ = night(words(folder, "AAA", sets=(OFFLINE, "source.csv.adjusted=no")), out)
    assert other.header.vintage != first.header.vintage and other.span is not None


def test_offline_a_network_source_beside_the_folder_is_named_with_what_it_never_said(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB")
    chosen = words(folder, "AAA", sets=("source.order={macro: [fred]}", OFFLINE))
    with pytest.raises(
        SourceDown, match=r"^fred: no stored answer to macro for the night of 2024-01-31; run once without --offline$"
    ):
        night(chosen, tmp_path / "out")


def test_a_folder_beside_a_network_source_still_has_its_benchmark_checked(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB")
    sets = ("source.order={macro: [fred]}", "question.benchmark=^GSPC")
    assert plan(words(folder, "AAA", sets=sets), None).header.question.benchmark == "UNIVERSE"


@pytest.mark.parametrize(
    ("as_of", "told"),
    [
        ("1700-01-01", "as_of: 1700-01-01 is outside the source csv_folder, .* such as --as-of 2024-01-31, or bring"),
        ("2400-01-01", "as_of: 2400-01-01 is outside the calendar XNYS .*; name another night"),
        ("1990-01-02", "as_of: 1990-01-02 is outside the source csv_folder, .* such as --as-of 2024-01-31, or bring"),
    ],
)
def test_a_night_that_nothing_covers_is_wrong_usage_with_a_remedy(tmp_path: Path, as_of: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        plan(words(series(tmp_path / "prices", "AAA", "BBB"), "AAA", as_of=as_of), None)


def test_a_day_without_a_session_is_the_night_of_the_session_before(tmp_path: Path) -> None:
    """The folder ends on a Friday; the packaged prices on the first of March 2013."""
    folder = series(tmp_path / "prices", "AAA", "BBB")
    for path in folder.iterdir():
        path.write_text("\n".join([*path.read_text().splitlines()[:-3], ""]))
    for as_of in ("2024-01-26", "2024-01-27", "2024-01-28"):
        planned = plan(words(folder, "AAA", as_of=as_of), None)
        assert planned.header.as_of.isoformat() == "2024-01-26"
    for as_of in ("2013-03-01", "2013-03-02", "2013-03-03"):
        assert plan(Words(("IBM",), as_of=as_of), None).header.as_of.isoformat() == "2013-03-01"


def test_a_session_that_prices_are_late_for_is_left_to_the_check_of_the_ticker(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB")
    allowed = "market.stale_after_sessions=3"
    for as_of in ("2024-02-01", "2024-02-05"):
        _, finished = night(words(folder, "AAA", sets=(allowed,), as_of=as_of), tmp_path / as_of)
        row = finished.feed.rows[0]
        assert row.status == "debated" and row.flags == ("probable_closure",), row
    for as_of, sets in (("2024-02-06", (allowed,)), ("2024-02-01", ("market.stale_after_sessions=0",))):
        with pytest.raises(UsageError, match=f"{as_of} is outside the source csv_folder.* to 2024-01-31"):
            plan(words(folder, "AAA", sets=sets, as_of=as_of), None)


def test_a_session_that_has_not_come_is_not_late(tmp_path: Path) -> None:
    coming = today() + timedelta(1)
    while last_session("XNYS", coming) != coming:
        coming += timedelta(1)
    last = last_session("XNYS", today())
    days = [last - timedelta(n) for n in range(500)][::-1]
    rows = (f"{day},{100 + n % 7}" for n, day in enumerate(days) if day.weekday() < 5)
    (tmp_path / "prices").mkdir()
    (tmp_path / "prices" / "AAA.csv").write_text("\n".join(["Date,Close", *rows, ""]))
    with pytest.raises(UsageError, match=f"{coming} is outside the source csv_folder"):
        plan(words(tmp_path / "prices", "AAA", as_of=coming.isoformat()), None)


def test_offline_by_the_command_line(cli: Cli, tmp_path: Path) -> None:
    folder, out = series(tmp_path / "prices", "AAA", "BBB"), tmp_path / "out"
    common = ("--config", CONFIGS / "csv.yaml", "--set", f"source.path={folder}", "--as-of", LAST, "--out", out)
    first = cli("run", *common, "AAA", "--json")
    doubled(folder, "AAA")
    again = cli("run", *common, "AAA", "--json", "--offline")
    assert (first.code, again.code) == (0, 0)
    assert again.json["run_id"] == first.json["run_id"] and again.json["calls"]["made"] == 0
    assert "prices from the journal" in again.err and "has changed since run" in again.err


def test_a_folder_that_changed_since_a_run_began_is_named_as_what_changed(tmp_path: Path) -> None:
    folder, out = series(tmp_path / "prices", "AAA", "BBB"), tmp_path / "out"
    first, _ = night(words(folder, "AAA"), out)
    doubled(folder, "AAA")
    with pytest.raises(UsageError) as caught:
        night(words(folder, "AAA"), out, resume=True)
    start = f"changed since it began: the data of source csv_folder in {folder}: vintage ({first.header.vintage}, now "
    assert start in str(caught.value)
    with pytest.raises(UsageError, match=f"the data of sources csv_folder in {folder}, fred: vintage"):
        night(words(folder, "AAA", sets=("source.order={macro: [fred]}",)), out, resume=True)


def test_a_run_that_did_not_end_is_not_replayed_but_named(cli: Cli, tmp_path: Path) -> None:
    folder, out = series(tmp_path / "prices", "AAA", "BBB"), tmp_path / "out"
    header = plan(words(folder, "AAA"), None).header
    with closing(open_store(out)) as store:
        Runs(store).start(header.run_id, header.as_of.isoformat(), header.engine, header.model_dump_json())
    for check in ((), ("--check",)):
        done = cli("replay", "last", *check, "--out", out)
        assert done.code == 2 and done.out == ""
        assert f"run {header.run_id} is unfinished; go on with `run --resume {header.run_id} --out {out}`" in done.err
        assert not (out / header.run_id).exists()


def test_a_vendor_has_no_mean_of_everything() -> None:
    with pytest.raises(UsageError, match=r"question\.benchmark: universe is a mean of the files"):
        plan(Words(("KO",), sets=("source=yahoo", "question.benchmark=universe"), as_of="2025-11-28"), None)
