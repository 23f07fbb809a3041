"""What a person sees in a terminal: the first line, progress, the table of a night, a debate."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable

from phases.core.text import printable
from schemas.analyst import AnalystPayload
from schemas.debate import DebateTranscript, Spoke, Voided
from schemas.feed import FeedRow, PortfolioFeed
from schemas.market import Span
from schemas.run import RunHeader, RunRecord
from schemas.summary import DebateSummary

WIDEST = 120


def first_lines(header: RunHeader, span: Span) -> str:
    """Which engine speaks and how far its prices reach; then which night and run."""
    source, tickers = header.settings.source, len(header.tickers)
    return (
        f"engine: {header.engine} | {source} prices end {span.last}\n"
        f"night of {header.as_of} | {tickers} ticker{'s' * (tickers != 1)} | run {header.run_id}"
    )


class Progress:
    """One plain line a ticker, in the order they end."""

    def __init__(self, tickers: int, tell: Callable[[str], None]) -> None:
        """`tell` prints a line."""
        self._tickers, self._tell, self._ended = tickers, tell, 0

    def __call__(self, ticker: str, reason: str | None) -> None:
        """A ticker ended; with the reason if it failed."""
        self._ended += 1
        self._tell(f"[{self._ended}/{self._tickers}] {ticker}" + (f": {printable(reason)}" if reason else ""))


def feed_table(feed: PortfolioFeed, width: int | None = None) -> str:
    """One line a ticker: status, conviction before, change, after, stance, and why."""
    room = width or _width()
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


def last_lines(record: RunRecord) -> str:
    """Counts of the night and where its files lie."""
    calls = record.calls
    counts = ", ".join(f"{number} {status}" for status, number in record.statuses.items())
    turns = f"calls: {calls.made} made, {calls.replayed} from the journal, {calls.repaired} repaired, {calls.void} void"
    return f"{counts}\n{turns}\n{record.out}"


def debate_text(
    row: FeedRow,
    payload: AnalystPayload | None,
    transcript: DebateTranscript | None,
    summary: DebateSummary | None,
) -> str:
    """One ticker's night, readable: the view before, who said what, and what came of it."""
    lines = [f"{row.ticker} as of {row.as_of} | {row.status} | engine: {row.engine}"]
    if payload is not None:
        lines += [
            "",
            f"Before: {payload.stance}, conviction {_points(payload.conviction_score)}, p {payload.probability}",
        ]
        lines += [_wrapped(f"{view.axis}: {view.rationale} Risk: {view.risk}") for view in payload.axes]
    if transcript is not None:
        lines += ["", f"Debate: {transcript.protocol}, ended by {printable(transcript.stop_reason)}"]
        lines += [_wrapped(_turn(event)) for event in transcript.ledger]
    if summary is not None and summary.bull_thesis and summary.bear_thesis:
        lines += ["", "Manager:", _wrapped(f"bull thesis: {summary.bull_thesis}")]
        lines += [_wrapped(f"bear thesis: {summary.bear_thesis}"), _wrapped(f"net: {summary.net_stance}")]
    return "\n".join([*lines, "", *_outcome(row)])


def _outcome(row: FeedRow) -> list[str]:
    lines = []
    if row.conviction_post is not None:
        points = [_points(value) for value in (row.conviction_pre, row.conviction_delta, row.conviction_post)]
        moved = "conviction {} before, {} by the debate, {} after".format(*points)
        lines.append(f"After: {row.stance}, {moved}, p {row.probability_post}")
    if row.reason:
        lines.append(_wrapped(f"why: {row.reason}"))
    if row.flags:
        lines.append(_wrapped(f"flags: {', '.join(row.flags)}"))
    return lines


def _turn(event: Spoke | Voided) -> str:
    if isinstance(event, Spoke):
        return f"{event.seat} {event.contribution.round_number}: {event.contribution.argument}"
    return f"{event.seat} {event.round_number}: void ({event.reason})"


def _wrapped(text: str) -> str:
    """A paragraph that breaks between words and hangs under its label."""
    return textwrap.fill(printable(text), _width(), initial_indent="  ", subsequent_indent="    ")


def _width() -> int:
    return min(shutil.get_terminal_size((WIDEST, 20)).columns, WIDEST)
