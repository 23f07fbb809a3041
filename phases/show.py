"""Showing what a store holds: one run, or one ticker's night with the inputs of every turn."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from phases.core.budget import dollars, spent_by
from phases.core.errors import UsageError
from phases.core.runner import Artefacts
from phases.core.runs import Runs
from phases.core.store import Store
from phases.core.text import canonical, nearest, printable
from phases.core.turns import asked_keys, stored_turns
from phases.night import stored_feed, stored_risk
from phases.outputs.debate import debate_text
from phases.outputs.evidence import evidence_text
from phases.outputs.terminal import feed_table, line, wrapped
from phases.research_debate import bias_evidence
from schemas.bias import BiasRow
from schemas.debate import Case
from schemas.feed import FeedRow
from schemas.ledger import DebateTranscript
from schemas.market import Evidence, MacroSnapshot, MarketSnapshot, Missing
from schemas.news import NewsSnapshot
from schemas.summary import DebateSummary

One = TypeVar("One", Evidence, Missing)


def list_runs(store: Store) -> str:
    """One line a run, the latest last. Reads the store."""
    lines = []
    for one in Runs(store).all():
        record = json.loads(one.record) if one.record else {}
        counts = ", ".join(f"{number} {status}" for status, number in record.get("statuses", {}).items())
        spent = spent_by(store, one.run_id)
        cost = f"  {dollars(spent.micros)}" if spent.calls else ""
        lines.append(line(f"{one.run_id}  {one.state:8}  {counts}{cost}  {one.engine}") + "\n")
    return "".join(lines)


def show_run(store: Store, name: str, as_json: bool) -> str:
    """One run: its feed as a table, or header, record and feed as JSON. Reads the store."""
    known = Runs(store).find(name)
    feed = stored_feed(store, known.run_id)
    if not as_json:
        spent = spent_by(store, known.run_id)
        first = f"engine: {known.engine} | run {known.run_id} | {known.state}"
        risk = wrapped(risk_line(store, known.run_id), "")
        blocks = (first, feed_table(feed), risk, str(spent) if spent.calls else "")
        return "\n\n".join(filter(None, blocks))
    record = json.loads(known.record) if known.record else None
    case = stored_risk(store, known.run_id)
    parts = {"header": json.loads(known.header), "record": record, "feed": feed.model_dump(mode="json")}
    return canonical({**parts, "risk_case": case.model_dump(mode="json") if case else None})


def risk_line(store: Store, run_id: str) -> str:
    """What the risk seats of a run came to, in one line; nothing if they are off. Reads the store."""
    case = stored_risk(store, run_id)
    if case is None:
        return ""
    return printable(f"tension: {case.tension}" if case.tension else f"risk seats: no tension: {case.reason}")


def show_ticker(store: Store, name: str, ticker: str, as_json: bool) -> str:
    """One ticker's night: readable, or as JSON with the inputs and raw reply of every turn. Reads the store."""
    known = Runs(store).find(name)
    row = _row(store, known.run_id, ticker)
    kept = Artefacts(store, known.run_id).load(row.ticker)
    if as_json:
        made = {made: json.loads(body) for made, body in sorted(kept.items())}
        return canonical({"row": row.model_dump(mode="json"), "artefacts": made, "turns": _turns(store, kept)})
    case, transcript, summary = (
        model.model_validate_json(kept[made]) if made in kept else None
        for made, model in (
            ("case", Case),
            ("debate_transcript", DebateTranscript),
            ("debate_summary", DebateSummary),
        )
    )
    return debate_text(row, case, transcript, summary)  # type: ignore[arg-type]


def show_evidence(store: Store, name: str, ticker: str | None) -> str:
    """What was known of a ticker, or of the market where none is named, as tables. Reads the store."""
    run_id = Runs(store).find(name).run_id
    about = "" if ticker is None else _row(store, run_id, ticker).ticker
    kept = Artefacts(store, run_id).load(about)
    made = "market_snapshot" if about else "macro_snapshot"
    if made not in kept:
        failure = json.loads(kept.get("failure", "{}")).get("reason", "the run did not reach it")
        return printable(f"no evidence of {about or 'the market'}: {failure}")
    if not about:
        common = MacroSnapshot.model_validate_json(kept[made])
        row = BiasRow.model_validate_json(kept["bias_row"]) if "bias_row" in kept else None
        items = (*common.evidence, *(() if row is None else bias_evidence(row, common)))
        return evidence_text(common.model_copy(update={"evidence": _sorted(items)}))
    own = MarketSnapshot.model_validate_json(kept[made])
    if "news_snapshot" in kept:
        news = NewsSnapshot.model_validate_json(kept["news_snapshot"])
        items, missing = (*own.evidence, *news.evidence), (*own.missing, *news.missing)
        both = {"evidence": _sorted(items), "missing": _sorted(missing), "notes": (*own.notes, *news.notes)}
        own = own.model_copy(update=both)
    return f"{evidence_text(own)}\n\nmacro.* and bias.* are of the market: `show {run_id} --evidence`"


def _sorted(items: Iterable[One]) -> tuple[One, ...]:
    return tuple(sorted(items, key=lambda one: one.id))


def _row(store: Store, run_id: str, ticker: str) -> FeedRow:
    rows = {row.ticker: row for row in stored_feed(store, run_id).rows}
    row = rows.get(ticker.upper())
    if row is None:
        hint = nearest(ticker.upper(), rows)
        raise UsageError(f"run {run_id} has no ticker {ticker!r}{hint} (it has {', '.join(list(rows)[:20])})")
    return row


def _turns(store: Store, kept: Mapping[str, str]) -> list[dict[str, Any]]:
    """Every turn in the order it was asked: inputs as sent, what a repair quoted, and the raw reply."""
    turns = stored_turns(store, asked_keys(kept))
    return [{"key": one.key, **json.loads(one.request), "reply": json.loads(one.reply)} for one in turns]
