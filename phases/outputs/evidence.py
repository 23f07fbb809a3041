"""The evidence of one ticker or of the market as tables: what is known, what is missing, what was done to it."""

from __future__ import annotations

from collections.abc import Sequence

from phases.core.text import printable
from phases.outputs.terminal import line, width, wrapped
from schemas.market import Evidence, MacroSnapshot, MarketSnapshot

LABEL_ROOM = 30
"""Fewest columns a label is given beside its item."""

COLUMNS = ("id", "value", "unit", "lean", "as of", "known at", "source", "tier", "stale", "what it is")


def evidence_text(snapshot: MarketSnapshot | MacroSnapshot) -> str:
    """Everything a snapshot holds, readable."""
    about = snapshot.ticker if isinstance(snapshot, MarketSnapshot) else "the market"
    flags = f" | {', '.join(snapshot.flags)}" if isinstance(snapshot, MarketSnapshot) and snapshot.flags else ""
    head = f"evidence of {about} | night of {snapshot.as_of}, newest bar of {snapshot.session}{flags}"
    parts = [head, *([_items([*map(_cells, snapshot.evidence)])] if snapshot.evidence else [])]
    if snapshot.missing:
        missing = _table([(one.id, printable(one.reason)) for one in snapshot.missing])
        parts.append("missing\n" + "\n".join(map(line, missing.splitlines())))
    if snapshot.notes:
        parts.append("notes\n" + "\n".join(map(wrapped, snapshot.notes)))
    return "\n\n".join(parts)


def _cells(one: Evidence) -> tuple[str, ...]:
    stale = "stale" if one.stale else ""
    days = (one.as_of.isoformat(), one.known_at.isoformat())
    words = (one.id, str(one.value), one.unit, f"{one.lean:+.2f}", *days, one.source, str(one.tier), stale, one.label)
    return tuple(map(printable, words))


def _items(rows: Sequence[Sequence[str]]) -> str:
    """A table of items. What all have in common is said above it; labels are shortened, or stand below their items."""
    columns = list(zip(COLUMNS, zip(*rows, strict=True), strict=True))
    common = [(name, cells) for name, cells in columns[4:-1] if len(rows) > 1 and len(set(cells)) == 1]
    shown = [(name, *cells) for name, cells in columns if (name, cells) not in common]
    short = _table(list(zip(*shown[:-1], strict=True))).splitlines()
    between = "  " if max(map(len, short)) + LABEL_ROOM <= width() else "\n    "
    wide = max(map(len, short)) if between == "  " else 0
    lines = [
        "\n".join(map(line, f"{one:{wide}}{between}{label}".splitlines()))
        for one, label in zip(short, shown[-1], strict=True)
    ]
    above = " | ".join(f"{name} {cells[0]}" for name, cells in common if cells[0])
    return "\n".join([*([f"all: {above}"] if above else []), *lines])


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Rows with their columns under one another."""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(room) for cell, room in zip(row, wide, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
