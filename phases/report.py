"""The morning page and the history page: gather what a store holds, and write one file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import select

from phases.core.errors import StoreError, UsageError
from phases.core.runner import Artefacts
from phases.core.runs import ASIDE, Known, Runs
from phases.core.store import Store
from phases.core.store import feed as feed_table
from phases.debate.carry import CLOSED
from phases.night import stored_feed, stored_risk
from phases.outputs.report.page import ROOM, history_page, night_page
from phases.outputs.report.records import Night, Past, PastRun, TickerNight, Waiting
from phases.outputs.report.score import Resolution
from phases.outputs.tables import make_folder, write_whole
from phases.resolved import resolved
from schemas.analyst import AnalystPayload
from schemas.base import Model
from schemas.bias import BiasRow
from schemas.debate import Case
from schemas.feed import Failure, FeedRow, TickerOutcome
from schemas.health import NightHealth
from schemas.ledger import DebateTranscript
from schemas.market import MarketSnapshot
from schemas.news import NewsSnapshot
from schemas.run import RunHeader, RunRecord
from schemas.summary import DebateSummary

NIGHT, HISTORY = "report.html", "history.html"

PARTS: dict[str, type[Model]] = {
    "failure": Failure,
    "market_snapshot": MarketSnapshot,
    "news_snapshot": NewsSnapshot,
    "analyst_payload": AnalystPayload,
    "debate_transcript": DebateTranscript,
    "debate_summary": DebateSummary,
}
"""Artefacts of a ticker that its block shows."""


def write_report(store: Store, out: Path, name: str | None, history: bool = False, to: Path | None = None) -> Path:
    """Write the page of a run, or of all runs, and say where it is. Reads the store, writes a file.

    Without `to` it goes into the folder of the run, or into `out`; a link that lies there is taken away, never
    followed. Raises UsageError for a run that is not there or has no feed and for a `to` that cannot be written,
    StoreError where the folder of the runs cannot.
    """
    text, place = page_of(store, out, name, history)
    try:
        if to is None:
            if not history:
                make_folder(place.parent)
            if place.is_symlink():
                place.unlink()
        write_whole(to or place, text)
    except OSError as error:
        if to is None:
            raise StoreError(f"{place}: cannot be written ({error.strerror})") from None
        raise UsageError(f"--to {to}: cannot be written ({error.strerror})") from None
    return to or place


def page_of(store: Store, out: Path, name: str | None, history: bool = False) -> tuple[str, Path]:
    """The page of a run, or of all runs, and where it belongs. Reads the store.

    Raises UsageError for a run that is not there or has no feed.
    """
    if history == (name is not None):
        raise UsageError("report: name a RUN (an id, or `last`), or say --history; not both")
    if name is None:
        return history_text(store), out / HISTORY
    known = Runs(store).find(name)
    return night_text(store, known), out / known.run_id / NIGHT


def night_text(store: Store, known: Known, room: int = ROOM) -> str:
    """The morning page of a run, its transcripts as far as `room` bytes reach. Reads the store.

    Raises UsageError if the run has no feed.
    """
    kept = Artefacts(store, known.run_id)
    feed, record = stored_feed(store, known.run_id), json.loads(known.record) if known.record else {}
    health, bias = record.pop("health", None), kept.load("").get("bias_row")
    return night_page(
        Night(
            header=RunHeader.model_validate_json(known.header),
            feed=feed,
            record=_record(record) if record else None,
            health=None if health is None else NightHealth.model_validate_json(json.dumps(health)),
            bias=None if bias is None else BiasRow.model_validate_json(bias),
            risk=stored_risk(store, known.run_id),
            aside=known.state == ASIDE,
            ticker=lambda row: _ticker(row, kept.load(row.ticker)),
            resolved=resolved(store, feed.as_of, known.engine).get(known.engine, Resolution()),
        ),
        room,
    )


def _record(record: dict[str, Any]) -> RunRecord:
    return RunRecord.model_validate_json(json.dumps(record))


def _ticker(row: FeedRow, kept: dict[str, str]) -> TickerNight:
    parts = {name: model.model_validate_json(kept[name]) for name, model in PARTS.items() if name in kept}
    case = Case.model_validate_json(kept["case"]) if "case" in kept else None
    return TickerNight(row, TickerOutcome.model_validate(parts), case)


def history_text(store: Store) -> str:
    """The history page of every finished night. Raises UsageError if there is none. Reads the store."""
    finished = [one for one in Runs(store).all() if one.state == "finished" and one.record]
    if not finished:
        raise UsageError("report --history: this store holds no finished night yet; start one with `run`")
    engines = list(dict.fromkeys(one.engine for one in reversed(finished)))
    outcomes = resolved(store)
    return history_page(
        [
            _past(store, engine, [one for one in finished if one.engine == engine], outcomes.get(engine, Resolution()))
            for engine in engines
        ]
    )


def _past(store: Store, engine: str, known: Sequence[Known], outcomes: Resolution) -> Past:
    found = [_run(store, one) for one in known]
    runs = tuple(sorted(found, key=lambda run: run.record.session))
    latest = {row.ticker: row for run in runs for row in run.rows if row.decided_by is not None}
    waiting = [_waiting(store, latest[ticker]) for ticker in sorted(latest)]
    return Past(engine, runs, tuple(one for one in waiting if one.points or one.conditions), outcomes)


def _run(store: Store, known: Known) -> PastRun:
    record = json.loads(known.record or "")
    record.pop("health", None)
    wanted = select(feed_table.c.row).where(feed_table.c.run_id == known.run_id).order_by(feed_table.c.position)
    with store.read() as connection:
        rows = [FeedRow.model_validate_json(row) for (row,) in connection.execute(wanted)]
    return PastRun(known.run_id, _record(record), tuple(rows))


def _waiting(store: Store, row: FeedRow) -> Waiting:
    """What the debate of a row left open."""
    kept = Artefacts(store, row.run_id).load(row.ticker)
    summary = DebateSummary.model_validate_json(kept["debate_summary"])
    case = Case.model_validate_json(kept["case"])
    points = tuple(one for one in summary.points if one.answer not in CLOSED)
    return Waiting(row, points, summary.would_resolve_if, case.bundle, case.carried)
