"""A night whose macro source is down: it goes on without it where the configuration says so, and says so everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from phases.core.errors import SourceDown
from phases.core.runner import Artefacts
from phases.core.runs import Runs
from phases.core.store import open_store
from phases.evidence.macro import LISTED_ITEMS, MACRO_ITEMS
from phases.night import Finished, hold_night, replay_night
from phases.outputs.terminal import feed_table
from phases.plan import CONFIGS, Words, plan, resume_plan
from phases.sources.fred import web
from schemas.bias import BiasRow
from schemas.market import MacroSnapshot
from schemas.run import RunHeader
from tests.phases.sources.fred.server import Server, said

FIRST, SECOND = date(2023, 1, 5), date(2023, 1, 6)
TICKERS = ("ACME", "OTHER")
MACRO_IDS = {one.id for one in (*MACRO_ITEMS, *LISTED_ITEMS)}
DOWN = said("", 503)


def weekdays(last: date, count: int) -> list[date]:
    return sorted(day for n in range(2 * count) if (day := last - timedelta(n)).weekday() < 5)[-count:]


@pytest.fixture(name="server")
def _server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(web, "PAUSES", (0.01, 0.01))
    server = Server()
    # a 10-year yield that rises by 40 points in 63 sessions: bearish for bonds
    rows = "".join(f"{day},{3 + n / 150:.2f}\n" for n, day in enumerate(weekdays(SECOND, 120)))
    server.instead["DGS10"] = [said(f"observation_date,DGS10\n{rows}")]
    yield server
    server.close()


@pytest.fixture(name="words")
def _words(server: Server, tmp_path: Path) -> Any:
    folder = tmp_path / "prices"
    folder.mkdir()
    for at, name in enumerate(TICKERS):
        rows = "".join(
            f"{day},{x},{x + 1},{x - 1},{x},{1000 + n % 7}\n"
            for n, day in enumerate(weekdays(SECOND, 300))
            for x in [100 + at + n % (5 + at)]
        )
        (folder / f"{name}.csv").write_text(f"Date,Open,High,Low,Close,Volume\n{rows}")
    order = (f"source.path={folder}", "source.order.macro=[fred]", f"source.fred.base_url={server.url}")

    def words(day: date = SECOND, on_failure: str = "degrade") -> Words:
        sets = (*order, f"source.on_failure={on_failure}", "market.stale_after_sessions=5")
        return Words(TICKERS, CONFIGS / "csv.yaml", sets, day.isoformat(), "all")

    return words


def night(out: Path, said: Words, resume: bool = False) -> Finished:
    with closing(open_store(out)) as store:
        planned = resume_plan(said, Runs(store), "last") if resume else plan(said, Runs(store))
        return hold_night(planned, store, out, lambda ticker, reason: None)


def made(out: Path, run_id: str) -> tuple[MacroSnapshot, BiasRow]:
    with closing(open_store(out)) as store:
        kept = Artefacts(store, run_id).load("")
    return (
        MacroSnapshot.model_validate_json(kept["macro_snapshot"]),
        BiasRow.model_validate_json(kept["bias_row"]),
    )


def break_down(server: Server) -> dict[str, Any]:
    held = dict(server.instead)
    server.instead["CPIAUCSL"] = [DOWN]
    return held


def test_with_degrade_the_night_is_finished_and_nothing_looks_like_a_macro_view(
    server: Server, words: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    break_down(server)
    done = night(tmp_path, words())
    assert done.record.exit == 0
    assert [row.ticker for row in done.feed.rows if "macro_down" in row.flags] == list(TICKERS)
    snapshot, row = made(tmp_path, done.record.run_id)
    missing = {one.id: one.reason for one in snapshot.missing}
    assert missing.keys() >= MACRO_IDS
    assert not {one.id for one in snapshot.evidence} & MACRO_IDS
    assert all("fred: CPIAUCSL: HTTP 503" in missing[id] for id in MACRO_IDS)
    assert any("no source answered for the macro series: fred: CPIAUCSL" in one for one in snapshot.notes)
    for name in ("bond_bias", "forex_bias", "commodity_bias"):
        assert getattr(row, name) is None, "never neutral"
        assert "fred: CPIAUCSL: HTTP 503" in (row.provenance[name].reason or "")
        assert "no source of" not in (row.provenance[name].reason or ""), "there is one, and it is down"
    assert row.equity_bias is not None, "prices are there"
    assert row.coverage is not None and row.coverage.missing > row.coverage.fresh
    assert "fred: CPIAUCSL: HTTP 503" in (row.coverage.stale or ""), "marked, though prices are there"
    assert "macro_down: a source of the market's figures did not answer" in feed_table(done.feed)
    assert "fred: CPIAUCSL: HTTP 503" in caplog.text and "the same command asks again" in caplog.text


@pytest.mark.parametrize("resume", [False, True], ids=["same command", "resume"])
def test_it_is_asked_again_and_then_nothing_is_left_of_the_outage(
    server: Server, words: Any, tmp_path: Path, resume: bool
) -> None:
    up = break_down(server)
    first = night(tmp_path, words())
    server.instead.clear()
    server.instead |= up
    second = night(tmp_path, words(), resume)
    assert second.record.run_id == first.record.run_id
    assert not [row.ticker for row in second.feed.rows if "macro_down" in row.flags]
    snapshot, row = made(tmp_path, second.record.run_id)
    assert "macro.y10" in {one.id for one in snapshot.evidence}
    assert row.bond_bias == "bearish"  # 63 sessions are .42 points: .42 of a full tilt
    assert "macro_down" not in feed_table(second.feed)
    asked = len(server.asked)
    assert night(tmp_path, words()).feed == second.feed
    assert len(server.asked) == asked, "the answer is kept"


def test_a_night_without_it_replays_to_the_same_bytes(server: Server, words: Any, tmp_path: Path) -> None:
    break_down(server)
    done = night(tmp_path, words())
    server.instead.clear()
    asked = len(server.asked)
    with closing(open_store(tmp_path)) as store:
        header = RunHeader.model_validate_json(Runs(store).find(done.record.run_id).header)
        again = replay_night(header, store, 2, lambda ticker, reason: None)
    assert again == done.feed
    assert len(server.asked) == asked


def test_fields_are_carried_from_the_night_before_with_their_age(server: Server, words: Any, tmp_path: Path) -> None:
    _, known = made(tmp_path, night(tmp_path, words(FIRST)).record.run_id)
    break_down(server)
    done = night(tmp_path, words(SECOND))
    _, row = made(tmp_path, done.record.run_id)
    since = known.provenance["bond_bias"].as_of
    origin = row.provenance["bond_bias"]
    assert (row.bond_bias, origin.status, origin.as_of) == (known.bond_bias, "carried", since)
    assert since is not None and f"{(SECOND - since).days} days old" in (origin.reason or "")
    assert row.coverage is not None and row.coverage.carried > 0
    assert all("macro_down" in one.flags for one in done.feed.rows)


def test_with_stop_the_night_stops_before_any_call(server: Server, words: Any, tmp_path: Path) -> None:
    break_down(server)
    with pytest.raises(SourceDown, match="fred: CPIAUCSL: HTTP 503") as down:
        night(tmp_path, words(on_failure="stop"))
    assert down.value.exit_code == 4
    with closing(open_store(tmp_path)) as store, store.read() as connection:
        kinds = connection.exec_driver_sql("SELECT DISTINCT kind FROM calls WHERE state = 'done'").all()
    assert [kind for (kind,) in kinds] == ["fetch"]


def test_a_macro_view_without_its_series_stops_where_the_configuration_says_so(
    server: Server, words: Any, tmp_path: Path
) -> None:
    """Unless a field that rests on them is carried and young: prices alone are no macro view."""

    def stopping(day: date) -> Words:
        said = words(day)
        return Words(TICKERS, said.config, (*said.sets, "bias.when_stale=stop"), day.isoformat(), "all")

    break_down(server)
    with pytest.raises(SourceDown, match=r"macro bias row: no macro series has a figure that counts.*503") as down:
        night(tmp_path, stopping(SECOND))
    assert down.value.exit_code == 4
    server.instead["CPIAUCSL"] = []
    assert night(tmp_path, stopping(FIRST)).record.exit == 0
    break_down(server)
    done = night(tmp_path, stopping(SECOND))
    assert done.record.exit == 0 and all("macro_down" in row.flags for row in done.feed.rows)


def test_offline_without_a_stored_answer_is_an_outage_too(server: Server, words: Any, tmp_path: Path) -> None:
    break_down(server)
    night(tmp_path, words())
    server.instead.clear()
    asked, sets = len(server.asked), (*words().sets, "operation.offline=true")
    done = night(tmp_path, Words(TICKERS, CONFIGS / "csv.yaml", sets, SECOND.isoformat(), "all"))
    assert all("macro_down" in row.flags for row in done.feed.rows)
    assert len(server.asked) == asked
    snapshot, _ = made(tmp_path, done.record.run_id)
    assert any("no stored answer to macro" in note for note in snapshot.notes)


def test_a_ticker_that_no_source_answers_for_replays_as_it_was(server: Server, words: Any, tmp_path: Path) -> None:
    """A file that holds a heading alone is an answer that nobody can explain: it is never kept."""
    other = tmp_path / "prices" / "OTHER.csv"
    other.rename(other.with_name("THIRD.csv"))  # a mean needs two
    other.write_text("Date,Open,High,Low,Close,Volume\n")
    done = night(tmp_path, words())
    rows = {row.ticker: row for row in done.feed.rows}
    assert (rows["OTHER"].status, rows["ACME"].status) == ("no_data", "debated")
    with closing(open_store(tmp_path)) as store:
        header = RunHeader.model_validate_json(Runs(store).find(done.record.run_id).header)
        assert replay_night(header, store, 2, lambda ticker, reason: None) == done.feed
