"""What a person sees in a terminal: the first lines, the table of a night, its last lines."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Mapping
from typing import TextIO

from phases.core.budget import Spent
from phases.core.log import is_json
from phases.core.text import printable
from schemas.feed import FeedRow, PortfolioFeed
from schemas.health import NightHealth
from schemas.market import UNIVERSE_MEAN, Span
from schemas.run import RunHeader, RunRecord

WIDEST = 120
USUAL = 80
"""Columns where no terminal says how many it has."""

WHY = 8
"""Fewest columns in which a reason says anything; where fewer are left, the table goes without."""

SPARED = ("pre", "delta", "post", "stance")
"""Columns that a table goes without where it has no room for all, the first of them first."""

FAINT, RED, GREEN, YELLOW = "2", "31", "32", "33"
STANCE_COLOURS = {"buy": GREEN, "sell": RED}
STATUS_COLOURS = {
    **dict.fromkeys(("unpaid", "failed", "refused", "no_data", "stale"), RED),
    **dict.fromkeys(("contested", "degraded"), YELLOW),
    "gated": FAINT,
}


def first_lines(header: RunHeader, span: Span | None, room: int | None = None) -> str:
    """Which engine speaks and how far its prices reach; then which night and run."""
    source, tickers = header.settings.source.name, len(header.tickers)
    mean = " | benchmark: equal-weight mean of its series" * (header.question.benchmark == UNIVERSE_MEAN)
    lines = (
        f"engine: {header.engine} | {source} prices {f'end {span.last}' if span else 'from the journal'}{mean}",
        f"night of {header.as_of} | {tickers} ticker{'s' * (tickers != 1)} | run {header.run_id}",
    )
    return "\n".join(wrapped(one, "", room) for one in lines)


def coloured(stream: TextIO) -> bool:
    """Whether a stream shows colours and nobody asked for none (`NO_COLOR`, a dumb terminal)."""
    if not stream.isatty():
        return False
    from rich.console import Console

    console = Console(file=stream)
    return console.color_system is not None and not console.no_color


NOTES = {
    "doubtful_benchmark": "doubtful_benchmark: bars of the benchmark are missing, jump or say the same; see `show`",
    "macro_down": "macro_down: a source of the market's figures did not answer; the same command asks it again",
    "probable_closure": "probable_closure: neither ticker nor benchmark has a bar of the session; an older one speaks",
}
"""What a flag means for the night as a whole."""


def feed_table(feed: PortfolioFeed, room: int | None = None, *, colour: bool = False) -> str:
    """One line a ticker: status, conviction before, change, after, stance, and why; then what concerns the night.

    What the debate moved comes first. Colour only repeats what the words say.
    """
    room = room or width()
    wide = max([6, *(len(row.ticker) for row in feed.rows)])
    heads = _heads(wide, room)
    head = "  ".join(heads.values())
    left = room - len(head) - 2
    head += "  why" * (left >= WHY)
    lines = [head, "-" * min(room, wide + 62)]
    for row in sorted(feed.rows, key=lambda one: one.conviction_post == one.conviction_pre):
        cells = {
            "ticker": f"{row.ticker:{wide}}",
            "status": _painted(f"{row.status:9}", STATUS_COLOURS.get(row.status), colour),
            "pre": f"{points_text(row.conviction_pre):>3}",
            "delta": f"{points_text(row.conviction_delta):>5}",
            "post": f"{points_text(row.conviction_post):>4}",
            "stance": _painted(f"{row.stance or '-':6}", STANCE_COLOURS.get(row.stance or ""), colour),
        }
        told = _shortened(why(row), left) if left >= WHY else ""
        lines.append("  ".join([*(cells[name] for name in heads), told]).rstrip())
    notes = [wrapped(note, "", room) for flag, note in NOTES.items() if any(flag in row.flags for row in feed.rows)]
    return "\n".join([*lines, *([""] if notes else []), *notes])


def _heads(wide: int, room: int) -> Mapping[str, str]:
    """Headings of the columns that find room beside tickers so wide; ticker and status always stand."""
    heads = {"ticker": f"{'ticker':{wide}}", "status": f"{'status':9}"}
    heads |= {"pre": "pre", "delta": "delta", "post": "post", "stance": "stance"}
    for name in SPARED:
        if len("  ".join(heads.values())) > room:
            del heads[name]
    return heads


def _painted(text: str, colour: str | None, on: bool) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if on and colour else text


def line(text: str) -> str:
    """A line that fits the terminal; what is too long ends with an ellipsis."""
    return _shortened(printable(text), width())


def points_text(value: int | None) -> str:
    """Conviction points with their sign; `-` where there are none."""
    return "-" if value is None else f"{value:+d}" if value else "0"


def why(row: FeedRow) -> str:
    """The reason of a row, beside its status: a reason that begins with that word goes without it."""
    return printable((row.reason or "").removeprefix(f"{row.status}: "))


def _shortened(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1].rstrip() + "…"


def last_lines(record: RunRecord, spent: Spent) -> str:
    """Counts of the night, what the run cost if anything could, what to look at first, and where its files lie."""
    calls = record.calls
    counts = ", ".join(f"{number} {status}" for status, number in record.statuses.items())
    turns = f"calls: {calls.made} made, {calls.replayed} from the journal, {calls.repaired} repaired, {calls.void} void"
    lines = [counts, turns]
    if spent.calls:
        lines.append(str(spent))
    if record.health is not None:
        lines += [_moved(record.health), *(f"alarm: {one.text}" for one in record.health.alarms)]
    return "\n".join([*(wrapped(one, "") for one in lines), record.out])


def _moved(health: NightHealth) -> str:
    """What the debates changed, and at what price."""
    price, debates, changed = health.bill.per_changed_usd, health.debates, health.changed
    each = f", ${price:.4f} each" if price else ""
    if not debates:
        return f"no debate was held{' to its end' if health.turns.counted or health.turns.void else ''}"
    return f"{debates} debate{'s' * (debates != 1)} changed {changed} decision{'s' * (changed != 1)}{each}"


def wrapped(text: str, indent: str = "  ", room: int | None = None) -> str:
    """A paragraph that breaks between words and hangs under its label."""
    return textwrap.fill(
        printable(text),
        room or width(),
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_on_hyphens=False,
    )


def listed(told: Mapping[str, str]) -> str:
    """Names and what is told of each, in two columns."""
    wide = max(map(len, told)) + 2
    paragraphs = (
        textwrap.wrap(words, width(), initial_indent=name.ljust(wide), subsequent_indent=" " * wide)
        for name, words in told.items()
    )
    return "\n".join(line for lines in paragraphs for line in lines)


def noted(text: str) -> str:
    """A line for stderr: on a terminal it breaks between words; in a log, or read by a program, it is one line."""
    return wrapped(text, "", width(aside=True)) if sys.stderr.isatty() and not is_json() else text


def width(*, aside: bool = False) -> int:
    """Columns there are; `aside` for stderr, whose terminal counts where stdout is none."""
    usual = USUAL
    if aside and sys.stderr.isatty():
        usual = os.get_terminal_size(sys.stderr.fileno()).columns or USUAL
    return min(shutil.get_terminal_size((usual, 24)).columns, WIDEST)
