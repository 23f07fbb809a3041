"""Fault cases of time: an exchange that did not open, and a night that is dated back."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from phases.core.runs import Runs
from phases.core.store import open_store
from phases.market_data import macro_snapshot, market_snapshot
from phases.night import Finished, hold_night
from phases.outputs.terminal import feed_table
from phases.plan import CONFIGS, Plan, Words, plan
from tests.faults.test_data import snapshot, walk
from tests.phases.test_market_data import AS_OF, Shelf, days, question
from tests.support import fetch_door, settings

BEFORE = date(2008, 9, 29)


def test_F144_what_no_one_has_is_a_closure_and_what_one_lacks_is_late() -> None:
    shelf = Shelf(walk(last=BEFORE), benchmark=walk(last=BEFORE))
    found = macro_snapshot(AS_OF, question(), settings().market, fetch=fetch_door(shelf))
    assert "a probable closure, or the prices are late" in found.notes
    assert snapshot(walk(last=BEFORE)).flags == ("late_bar",), "its benchmark has the bar"
    whole = macro_snapshot(AS_OF, question(), settings().market, fetch=fetch_door(Shelf(walk(), benchmark=walk())))
    assert not any("closure" in note for note in whole.notes)


def test_F144_another_exchange_is_late_by_itself(tmp_path: Path) -> None:
    """Tokyo lacks the day too, and may have its own reason."""
    for exchange, flags in (("XNYS", ("probable_closure",)), ("XLON", ("late_bar",))):
        shelf = Shelf(walk(last=BEFORE, exchange=exchange), benchmark=walk(last=BEFORE))
        own = market_snapshot("ACME", AS_OF, question(), settings().market, fetch=fetch_door(shelf))
        assert own.flags == flags


def test_what_compares_a_ticker_with_a_late_benchmark_bears_the_last_day_they_share() -> None:
    shelf = Shelf(walk(), benchmark=walk(last=BEFORE, seed=8))
    found = market_snapshot("ACME", AS_OF, question(), settings().market, fetch=fetch_door(shelf))
    days_of = {one.id: one.as_of for one in found.evidence}
    compared = {"px.corr_63d", "px.excess_vol_63d", *(f"px.excess_{n}d" for n in (21, 63, 126, 252))}
    assert {id for id, day in days_of.items() if day == BEFORE} == compared
    assert set(days_of.values()) == {AS_OF, BEFORE}
    assert found.flags == ("late_benchmark",) and found.session == AS_OF
    assert f"newest bar of ^GSPC is {BEFORE}: what compares the two ends there" in found.notes


def test_a_benchmark_in_doubt_is_said_of_every_ticker() -> None:
    bars = walk(seed=8)
    for column in (bars[name] for name in ("open", "high", "low", "close", "adj_close", "volume")):
        column[100:106] = column[100:101] * 6
    found = market_snapshot(
        "ACME", AS_OF, question(), settings().market, fetch=fetch_door(Shelf(walk(), benchmark=bars))
    )
    assert found.flags == ("doubtful_benchmark",)
    assert "the benchmark ^GSPC is in doubt: frozen" in found.notes


def files(folder: Path, last: date) -> Path:
    """Three stocks that end on a day, and a coin that is traded on."""
    folder.mkdir()
    for at, name in enumerate(("AAA", "BBB", "CCC", "BTC-USD")):
        end = last if name != "BTC-USD" else AS_OF
        rows = (
            f"{day},{x},{x + 1},{x - 1},{x},1000" for n, day in enumerate(days(280, end)) for x in [90 + n % (7 + at)]
        )
        (folder / f"{name}.csv").write_text("\n".join(["Date,Open,High,Low,Close,Volume", *rows, ""]))
    return folder


def night(out: Path, words: Words) -> tuple[Plan, Finished]:
    with closing(open_store(out)) as store:
        planned = plan(words, Runs(store))
        return planned, hold_night(planned, store, out, lambda ticker, reason: None)


def test_F144_a_closure_is_reported_once_and_not_as_tickers_that_are_stale(tmp_path: Path) -> None:
    sets = (f"source.path={files(tmp_path / 'prices', BEFORE)}", "question.benchmark=CCC")
    _, done = night(tmp_path / "out", Words(("AAA", "BBB"), CONFIGS / "csv.yaml", sets, AS_OF.isoformat(), "none"))
    assert {row.status for row in done.feed.rows} == {"gated"}
    assert {row.flags for row in done.feed.rows} == {("probable_closure",)}
    assert {row.session for row in done.feed.rows} == {BEFORE}
    assert feed_table(done.feed).count("probable_closure") == 1


def test_D11_what_was_settled_later_is_shown_to_no_role_of_an_earlier_night(tmp_path: Path) -> None:
    """A debate of October, its open points and the bias row of then, and a night of September after it."""
    out = tmp_path / "out"
    later, _ = night(out, Words(("IBM",), None, (), "2008-10-15", "all"))
    assert later.header.history.debates == ()
    back, done = night(out, Words(("IBM",), None, (), "2008-09-30", "all"))
    assert (back.header.history.rows, back.header.history.debates, back.header.history.bias_row) == ((), (), None)
    assert done.feed.rows[0].status == "debated"
    with closing(open_store(out)) as store, store.read() as connection:
        asked = connection.exec_driver_sql(f"SELECT request FROM calls WHERE run_id = '{back.header.run_id}'").all()
    told = [json.loads(request) for (request,) in asked]
    assert not [one for one in told if "2008-10" in json.dumps(one.get("inputs", {})).replace("2008-10-29", "")]
    assert not [one for one in told if one.get("inputs", {}).get("carried")]
    after, _ = night(out, Words(("IBM",), None, (), "2008-10-16", "all"))
    assert after.header.history.debates[0].session == date(2008, 10, 15), "a later night is shown it"


@pytest.mark.parametrize("case", ["NaN", "", "null"])
def test_D6_a_last_row_without_prices_gives_way_and_no_output_has_nan(tmp_path: Path, case: str) -> None:
    folder = files(tmp_path / "prices", AS_OF)
    for name in ("AAA", "BBB"):
        rows = (folder / f"{name}.csv").read_text().splitlines()
        rows[-1] = f"{AS_OF},{case},{case},{case},{case},6527"
        (folder / f"{name}.csv").write_text("\n".join([*rows, ""]))
    sets: Any = (f"source.path={folder}", "question.benchmark=CCC")
    _, done = night(tmp_path / "out", Words(("AAA", "BBB"), CONFIGS / "csv.yaml", sets, AS_OF.isoformat(), "all"))
    assert {row.session for row in done.feed.rows} == {BEFORE}, "the date of the bar that was used"
    for one in Path(done.record.out).iterdir():
        assert "nan" not in one.read_text().lower(), one.name
    with closing(open_store(tmp_path / "out")) as store, store.read() as connection:
        bodies = connection.exec_driver_sql("SELECT body FROM artefacts").all()
    assert not [body for (body,) in bodies if "NaN" in body]
