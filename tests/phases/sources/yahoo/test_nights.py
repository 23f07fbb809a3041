"""Whole nights on Yahoo: which session they are of, and what becomes of them when Yahoo refuses or is gone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from phases.core.errors import SourceDown, UsageError
from phases.core.runs import Runs
from phases.core.store import open_store
from phases.market_data import macro_snapshot
from phases.night import Finished, hold_night
from phases.plan import Words, plan, resume_plan
from phases.sources.symbols import yahoo_symbol
from phases.sources.yahoo import YahooSource
from tests.phases.sources.yahoo import server as served
from tests.phases.sources.yahoo.asked import DAY, IDENTITIES, Make
from tests.phases.sources.yahoo.server import YahooServer, as_json, chart, rising
from tests.support import QUESTION, fetch_door, settings

# Days


@pytest.mark.parametrize(
    ("now", "last"),
    [
        ("2024-06-29T12:00:00Z", "2024-06-28"),
        ("2024-07-04T20:30:00Z", "2024-07-03"),
        ("2024-06-29T02:00:00Z", "2024-06-28"),
        ("2024-06-28T19:59:59Z", "2024-06-27"),
        ("2024-06-28T20:00:00Z", "2024-06-28"),
        ("2024-11-29T18:00:00Z", "2024-11-29"),
        ("2024-11-29T17:59:00Z", "2024-11-27"),
        ("2024-11-04T20:59:00Z", "2024-11-01"),
        ("2024-11-04T21:00:00Z", "2024-11-04"),
        ("2025-01-01T00:30:00Z", "2024-12-31"),
    ],
    ids=["F140-saturday", "F140-holiday", "F141", "open", "closed", "F143", "F143-open", "F142", "F142-closed", "year"],
)
def test_the_last_day_is_the_last_session_that_closed(source: Make, server: YahooServer, now: str, last: str) -> None:
    assert source(datetime.fromisoformat(now)).fetch("span", {}) == {"first": "1960-01-01", "last": last}
    assert server.asked == []


def test_f140_a_night_that_names_no_day_is_that_of_the_last_session(
    server: YahooServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    saturday = datetime(2024, 6, 29, 2, 0, tzinfo=UTC)
    monkeypatch.setattr("phases.sources.yahoo.utc_now", lambda: saturday)
    monkeypatch.setattr(YahooSource.__init__, "__defaults__", (lambda: saturday,))
    monkeypatch.setattr("phases.origin.today", saturday.date)
    for said, notes in ((None, 0), ("2024-06-29", 1)):
        planned = plan(words(server, "as_of=", as_of=said), None)
        assert planned.header.as_of == DAY and len(planned.notes) == notes
    with pytest.raises(UsageError, match="2024-07-01 is outside the source yahoo"):
        plan(words(server, as_of="2024-07-01"), None)


# Whole nights


def words(
    server: YahooServer, *more: str, tickers: tuple[str, ...] = ("AAPL",), as_of: str | None = DAY.isoformat()
) -> Words:
    sets = (
        "source.name=yahoo",
        f"source.proxy={server.url}",
        "source.yahoo.retries=0",
        "source.deadline_seconds=20",
        "debate.when=none",
    )
    return Words(tickers, None, (*sets, *more), as_of)


def night(out: Path, words: Words, resume: bool = False) -> Finished:
    store = open_store(out)
    try:
        planned = resume_plan(words, Runs(store), "last") if resume else plan(words, Runs(store))
        return hold_night(planned, store, out, lambda ticker, reason: None)
    finally:
        store.close()


def answered(out: Path) -> int:
    """Answers of sources in the journal."""
    with closing(sqlite3.connect(out / "rebuttal.db")) as connection:
        return connection.execute("SELECT count(*) FROM calls WHERE kind = 'fetch' AND state = 'done'").fetchone()[0]


FORTY = tuple(f"T{at:02}" for at in range(40))


def test_half_of_a_watchlist_refused_is_named_and_asked_for_again(server: YahooServer, tmp_path: Path) -> None:
    server.charts |= {one: rising(one, DAY) for one in (*FORTY, "^GSPC")}
    refused = set(FORTY[:20])
    server.faults |= {one: lambda path: served.TOO_MANY for one in refused}
    said = words(server, "source.on_failure=degrade", tickers=FORTY)
    first = night(tmp_path, said)
    assert {row.ticker for row in first.feed.rows if row.status == "failed"} == refused
    assert all(
        "rate limited" in (row.reason or "") and row.ticker in (row.reason or "")
        for row in first.feed.rows
        if row.ticker in refused
    )
    finished = {row.ticker: row for row in first.feed.rows if row.status == "gated"}
    assert set(finished) == set(FORTY) - refused
    server.faults.clear()
    before = len(server.asked)
    second = night(tmp_path, said)
    assert {row.status for row in second.feed.rows} == {"gated"}
    assert {one: row for one, row in ((row.ticker, row) for row in second.feed.rows) if one in finished} == finished
    assert {one.rpartition("/")[2] for one in server.asked[before:] if "chart" in one} == refused


def test_a_dead_source_stops_the_night_by_its_name_and_leaves_no_answer(server: YahooServer, tmp_path: Path) -> None:
    server.__exit__()
    with pytest.raises(SourceDown, match="yahoo") as caught:
        night(tmp_path, words(server, tickers=("AAPL", "MSFT")))
    assert caught.value.exit_code == 4 and answered(tmp_path) == 0


def test_f115_nothing_for_anyone_is_an_outage_and_no_model_is_asked(server: YahooServer, tmp_path: Path) -> None:
    server.charts["^GSPC"] = rising("^GSPC", DAY)
    nothing = as_json({"chart": {"result": [chart("X", [], [], meta={"symbol": None})], "error": None}})
    server.faults |= {one: lambda path: nothing for one in ("AAPL", "MSFT")}
    with pytest.raises(SourceDown, match="source outage: none of 2 tickers"):
        night(tmp_path, words(server, "bias.wording=false", tickers=("AAPL", "MSFT")))


def test_a_night_goes_on_from_its_stored_answers_when_yahoo_is_gone(server: YahooServer, tmp_path: Path) -> None:
    server.charts |= {yahoo_symbol(one): rising(yahoo_symbol(one), DAY) for one in (*IDENTITIES, "^DJI")}
    said = ("question.benchmark=^DJI", "market.stale_after_sessions=5")
    first = night(tmp_path, words(server, *said, tickers=IDENTITIES))
    assert [row.ticker for row in first.feed.rows] == list(IDENTITIES)
    assert {row.status for row in first.feed.rows} == {"gated"}
    kept = answered(tmp_path)
    server.__exit__()
    for resume in (False, True):
        again = night(tmp_path, words(server, *said, "operation.offline=true", tickers=IDENTITIES), resume)
        assert again.feed == first.feed and answered(tmp_path) == kept
    other = words(server, *said, "operation.offline=true", tickers=("NEW",))
    with pytest.raises(SourceDown, match="yahoo: no stored answer"):
        night(tmp_path, other)


def test_a_source_without_a_market_leaves_breadth_missing_with_the_reason(server: YahooServer, source: Make) -> None:
    server.charts["^GSPC"] = rising("^GSPC", DAY)
    found = macro_snapshot(DAY, QUESTION, settings().market, fetch=fetch_door(source()))
    reasons = {one.id: one.reason for one in found.missing}
    assert reasons["macro.breadth_200d"] == reasons["macro.mean_corr_63d"] == "yahoo has no universe"
    assert reasons["macro.core_cpi_yoy"] == "yahoo has no macro"
    assert "macro.index_ret_63d" in {one.id for one in found.evidence}
