"""What a changed skill did, as tables: the prompts it alters, and the rows before and after."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import NamedTuple

from phases.core.text import printable
from phases.outputs.terminal import points_text
from schemas.feed import FeedRow, PortfolioFeed
from schemas.summary import RATED

DIFF_LINES = 40
"""Most lines of a difference that are shown."""

COLUMNS = ("status", "stance", "delta", "post", "probability")


class Altered(NamedTuple):
    """One turn whose prompt a changed skill alters."""

    ticker: str
    """Empty for the whole run."""
    seat: str
    round: str
    """Number of the round, with `repair` for a turn that was asked again; empty if it has none."""
    old: int
    """Characters of the prompt as it was sent."""
    new: int
    """Characters with the changed skill."""


def altered_table(turns: Sequence[Altered]) -> str:
    """One line a turn: ticker, seat, round, and the characters of its prompt before and after."""
    lines = [("ticker", "seat", "round", "old", "new", "change")]
    lines += [
        (one.ticker or "(all)", one.seat, one.round or "-", str(one.old), str(one.new), f"{one.new - one.old:+d}")
        for one in turns
    ]
    return _columns(lines, left=3)


def difference(old: str, new: str) -> str:
    """A short unified difference of two texts."""
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), "old", "new", lineterm="", n=1))
    more = len(lines) - DIFF_LINES
    return "\n".join([*map(printable, lines[:DIFF_LINES]), *([f"… {more} more lines"] if more > 0 else [])])


def before_after(before: PortfolioFeed, after: PortfolioFeed) -> str:
    """One line a ticker: what stood before and, where it differs, what stands after; then how many differ."""
    now = {row.ticker: _cells(row) for row in after.rows}
    lines: list[tuple[str, ...]] = [("ticker", *COLUMNS)]
    for row in before.rows:
        both = zip(_cells(row), now[row.ticker], strict=True)
        lines.append((row.ticker, *(old if old == new else f"{old} → {new}" for old, new in both)))
    differ = sum(_cells(row) != now[row.ticker] for row in before.rows)
    number = len(before.rows)
    said = f"rows that differ: {differ} of {number}" if differ else "no row differs: before and after are equal"
    why = "".join(
        f"\n{row.ticker}: {row.status}: {printable(row.reason or '')}" for row in after.rows if row.status not in RATED
    )
    return f"{_columns(lines, left=len(lines[0]))}\n\n{said}{why}"


def _cells(row: FeedRow) -> tuple[str, ...]:
    chance = "-" if row.probability_post is None else f"{row.probability_post:.4f}"
    return (
        row.status,
        row.stance or "-",
        points_text(row.conviction_delta),
        points_text(row.conviction_post),
        chance,
    )


def _columns(lines: Sequence[Sequence[str]], left: int) -> str:
    """Cells under one another, the first `left` columns to the left, a rule under the head."""
    wide = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    shown = [
        "  ".join(cell.ljust(room) if at < left else cell.rjust(room) for at, (cell, room) in enumerate(both)).rstrip()
        for both in (list(zip(line, wide, strict=True)) for line in lines)
    ]
    return "\n".join([shown[0], "-" * max(map(len, shown)), *shown[1:]])
