"""What a person sees in a terminal: the first line, progress, the table of a night, a debate."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from phases.core.text import printable
from schemas.analyst import AnalystPayload
from schemas.debate import DebateTranscript, Spoke
from schemas.feed import FeedRow, PortfolioFeed
from schemas.market import Span
from schemas.run import RunHeader, RunRecord
from schemas.summary import DebateSummary

WIDEST = 120


def first_line(header: RunHeader, span: Span) -> str:
    """Which engine speaks, about which prices and which night."""
    ends = f"prices: {header.settings.source}, {span.first} to {span.last}"
    return f"engine: {header.engine} | {ends} | as of {header.as_of} | run {header.run_id}"


def feed_table(feed: PortfolioFeed, width: int | None = None) -> str:
    """One line a ticker: status, conviction before, change, after, stance, and why."""
    room = width or min(shutil.get_terminal_size((WIDEST, 20)).columns, WIDEST)
    wide = max([6, *(len(row.ticker) for row in feed.rows)])
    head = f"{'ticker':{wide}}  {'status':9}  {'pre':>3}  {'delta':>5}  {'post':>4}  {'stance':6}  why"
    lines = [head, "-" * min(room, len(head) + 20)]
    for row in feed.rows:
        start = (
            f"{row.ticker:{wide}}  {row.status:9}  {_points(row.conviction_pre):>3}  "
            f"{_points(row.conviction_delta):>5}  {_points(row.conviction_post):>4}  {row.stance or '-':6}  "
        )
        lines.append(start + _shortened(_why(row), max(room - len(start), 20)))
    return "\n".join(lines)


def _points(value: int | None) -> str:
    return "-" if value is None else f"{value:+d}" if value else "0"


def _why(row: FeedRow) -> str:
    return printable(row.reason or "")


def _shortened(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1].rstrip() + "…"


def last_line(record: RunRecord) -> str:
    """Counts of the night and where its files lie."""
    calls = record.calls
    counts = ", ".join(f"{number} {status}" for status, number in record.statuses.items())
    turns = f"{calls.made} calls made, {calls.replayed} from the journal, {calls.repaired} repaired, {calls.void} void"
    return f"{counts} | {turns} | {record.out}"


def debate_text(
    header: RunHeader,
    ticker: str,
    row: FeedRow,
    payload: AnalystPayload | None,
    transcript: DebateTranscript | None,
    summary: DebateSummary | None,
) -> str:
    """One ticker's night, readable: the view before, who said what, and what came of it."""
    lines = [f"{ticker} as of {row.as_of} | {row.status} | engine: {header.engine}"]
    if row.reason:
        lines.append(f"why: {printable(row.reason)}")
    if payload is not None:
        lines += [
            "",
            f"Before: {payload.stance}, conviction {payload.conviction_score:+d}, p {payload.probability}",
        ]
        lines += [f"  {view.axis}: {printable(view.rationale)} Risk: {printable(view.risk)}" for view in payload.axes]
    if transcript is not None:
        lines += ["", f"Debate ({transcript.protocol}), ended by: {printable(transcript.stop_reason)}"]
        lines += _turns(transcript)
    if summary is not None and summary.bull_thesis is not None:
        lines += [
            "",
            f"Bull thesis: {printable(summary.bull_thesis)}",
            f"Bear thesis: {printable(summary.bear_thesis or '')}",
        ]
    if row.conviction_post is not None:
        moved = f"conviction {row.conviction_pre:+d} {row.conviction_delta:+d} = {row.conviction_post:+d}"
        lines += [
            "",
            f"After: {row.stance}, {moved}, p {row.probability_post}, decided by {row.decided_by or 'nobody'}",
        ]
    if row.flags:
        lines.append(f"Flags: {', '.join(row.flags)}")
    return "\n".join(lines)


def _turns(transcript: DebateTranscript) -> Sequence[str]:
    lines = []
    for event in transcript.ledger:
        if isinstance(event, Spoke):
            said = event.contribution
            lines.append(f"  {event.seat} {said.round_number}: {printable(said.argument)}")
        else:
            lines.append(f"  {event.seat} {event.round_number}: void ({printable(event.reason)})")
    return lines
