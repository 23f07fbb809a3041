"""What a person sees in a terminal: the first line, progress, the table of a night, a debate."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable

from phases.core.budget import Spent
from phases.core.text import printable
from schemas.feed import FeedRow, PortfolioFeed
from schemas.market import UNIVERSE_MEAN, Span
from schemas.run import RunHeader, RunRecord

WIDEST = 120


def first_lines(header: RunHeader, span: Span | None) -> str:
    """Which engine speaks and how far its prices reach; then which night and run."""
    source, tickers = header.settings.source.name, len(header.tickers)
    mean = " | benchmark: equal-weight mean of its series" * (header.question.benchmark == UNIVERSE_MEAN)
    return (
        f"engine: {header.engine} | {source} prices {f'end {span.last}' if span else 'from the journal'}{mean}\n"
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
            f"{row.ticker:{wide}}  {row.status:9}  {points_text(row.conviction_pre):>3}  "
            f"{points_text(row.conviction_delta):>5}  {points_text(row.conviction_post):>4}  {row.stance or '-':6}  "
        )
        lines.append(start + _shortened(_why(row), max(room - len(start), 20)))
    return "\n".join(lines)


def points_text(value: int | None) -> str:
    """Conviction points with their sign; `-` where there are none."""
    return "-" if value is None else f"{value:+d}" if value else "0"


def _why(row: FeedRow) -> str:
    return printable(row.reason or "")


def _shortened(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1].rstrip() + "…"


def last_lines(record: RunRecord, spent: Spent) -> str:
    """Counts of the night, what the run cost if anything could, and where its files lie."""
    calls = record.calls
    counts = ", ".join(f"{number} {status}" for status, number in record.statuses.items())
    turns = f"calls: {calls.made} made, {calls.replayed} from the journal, {calls.repaired} repaired, {calls.void} void"
    return "\n".join([counts, turns, *([str(spent)] if spent.calls else []), record.out])


def wrapped(text: str) -> str:
    """A paragraph that breaks between words and hangs under its label."""
    return textwrap.fill(printable(text), _width(), initial_indent="  ", subsequent_indent="    ")


def _width() -> int:
    return min(shutil.get_terminal_size((WIDEST, 20)).columns, WIDEST)
