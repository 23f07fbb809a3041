"""What changed between two nights, and why, for a portfolio manager."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any, NamedTuple

from phases.core.text import printable
from phases.outputs.terminal import points_text
from schemas.feed import FeedRow, PortfolioFeed

WIDTH = 80
LABEL = 13
"""Room of a label at the start of a line, its indent included."""

LABELS = {
    "status": "status",
    "stance": "stance",
    "conviction_post": "conviction",
    "conviction_pre": "analysts",
    "conviction_delta": "debate",
    "probability_post": "probability",
    "view_excess_return": "view",
    "flags": "flags",
}
"""Columns that are compared, and what the text calls them."""

NOTHING: dict[str, Any] = {**dict.fromkeys(LABELS), "flags": []}
"""The columns of a row that is not there."""


class Changed(NamedTuple):
    """One ticker that is not as it was."""

    ticker: str
    kind: str
    """`changed`, `new`, `left`."""
    cells: dict[str, tuple[Any, Any]]
    """Value before and value now, by column, where they differ."""
    why: str | None
    """Reason of the second row."""


def changes(old: PortfolioFeed, new: PortfolioFeed) -> list[Changed]:
    """Tickers that differ, in the order of the second feed; those that left come last."""
    before, now = ({row.ticker: row for row in feed.rows} for feed in (old, new))
    found = [Changed(row.ticker, *_compared(before.get(row.ticker), row), row.reason) for row in new.rows]
    gone = [Changed(row.ticker, "left", _cells(row, None), None) for row in old.rows if row.ticker not in now]
    return [one for one in found if one.kind == "new" or one.cells] + gone


def incomparable(old: PortfolioFeed, new: PortfolioFeed) -> dict[str, tuple[str, str]]:
    """What makes the rows of two feeds incomparable: before and now, by name; empty if they can be compared."""
    sides = {
        "engine": (old.engine, new.engine),
        "protocol": (old.protocol, new.protocol),
        "event": (_events(old), _events(new)),
    }
    return {name: both for name, both in sides.items() if both[0] != both[1]}


def diff_text(old: PortfolioFeed, new: PortfolioFeed) -> str:
    """The changes, readable within 80 columns."""
    found = changes(old, new)
    counts = {kind: sum(one.kind == kind for one in found) for kind in ("changed", "new", "left")}
    both = len(new.rows) - counts["new"]
    lines = [
        f"{old.run_id} → {new.run_id}",
        f"night of {old.as_of} → {new.as_of} | "
        f"{counts['changed']} of {both} row{'s' * (both != 1)} changed, {counts['new']} new, {counts['left']} left",
    ]
    lines += [f"{feed.run_id} is invalid: no ticker is rated" for feed in (old, new) if not feed.valid]
    different = incomparable(old, new)
    if different:
        lines.append("rows are not comparable:")
        lines += [line for name, cells in different.items() for line in _line(name, " → ".join(cells))]
    for one in found:
        lines += ["", f"{one.ticker}  {one.kind}"]
        for name, cells in one.cells.items():
            lines += _line(LABELS[name], " → ".join(_shown(name, cell) for cell in cells))
        lines += _line("why", one.why) if one.why else []
    return "\n".join(lines) + "\n"


def diff_json(old: PortfolioFeed, new: PortfolioFeed) -> str:
    """The same as one JSON document."""
    ends = [{"run_id": one.run_id, "as_of": one.as_of.isoformat(), "valid": one.valid} for one in (old, new)]
    told = {"before": ends[0], "after": ends[1], "incomparable": incomparable(old, new)}
    document: dict[str, Any] = {**told, "changes": [one._asdict() for one in changes(old, new)]}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _events(feed: PortfolioFeed) -> str:
    return "; ".join(dict.fromkeys(row.event for row in feed.rows)) or "-"


def _compared(was: FeedRow | None, row: FeedRow) -> tuple[str, dict[str, tuple[Any, Any]]]:
    return ("new" if was is None else "changed", _cells(was, row))


def _cells(was: FeedRow | None, row: FeedRow | None) -> dict[str, tuple[Any, Any]]:
    before, now = (one.model_dump(mode="json") if one else NOTHING for one in (was, row))
    return {name: (before[name], now[name]) for name in LABELS if before[name] != now[name]}


def _shown(name: str, value: Any) -> str:
    """A cell as a manager reads it; `-` where there is nothing."""
    if value is None or value == []:
        return "-"
    if name == "view_excess_return":
        return f"{100 * value:+.2f} %"
    if name == "probability_post":
        return f"{value:.4f}"
    if name.startswith("conviction_"):
        return points_text(value)
    return ", ".join(value) if isinstance(value, list) else str(value)


def _line(label: str, text: str) -> Iterator[str]:
    """A labelled paragraph within the width, its further lines under its first word."""
    start = f"  {label}".ljust(LABEL + 2)
    yield from textwrap.wrap(printable(text), WIDTH, initial_indent=start, subsequent_indent=" " * len(start))
