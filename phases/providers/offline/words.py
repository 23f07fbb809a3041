"""How the offline desk quotes evidence: label, value as a reader writes it, id."""

from __future__ import annotations

from collections.abc import Iterable

from phases.maths.lean import LEANS
from schemas.market import Evidence

SUMMARIES = ("axis", "bias")
"""Families that restate other evidence; no case is led by them."""


def value_text(item: Evidence) -> str:
    """The value as a reader writes it.

    >>> from datetime import date
    >>> day = date(2012, 6, 29)
    >>> item = Evidence(id="px.ret_63d", label="return", value=-0.0512, unit="ratio", lean=-0.3,
    ...                 as_of=day, known_at=day, source="x", tier=1, stale=False)
    >>> value_text(item)
    '-5.1%'
    """
    if not isinstance(item.value, float):
        return str(item.value)
    if item.unit == "ratio":
        signed = item.id in LEANS and LEANS[item.id].centre == 0
        return f"{100 * item.value:{'+' if signed else ''}.1f}%"
    return f"${item.value:.2f}" if item.unit == "usd" else f"{item.value:.2f}"


def quote(item: Evidence) -> str:
    """Label, value and id of an item."""
    stale = ", stale" if item.stale else ""
    return f"{item.label} {value_text(item)} ({item.id}{stale})"


def strongest(items: Iterable[Evidence], side: int) -> list[Evidence]:
    """Items that speak for a side (1 for the event, -1 against), strongest first, ties by id."""
    own = [item for item in items if item.lean * side > 0 and item.id.partition(".")[0] not in SUMMARIES]
    return sorted(own, key=lambda item: (-strength(item), item.id))


def strength(item: Evidence) -> float:
    """How strongly an item speaks: the size of its lean, half if stale."""
    return abs(item.lean) * (0.5 if item.stale else 1.0)
