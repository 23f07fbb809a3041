"""What every family of evidence shares: an item with its lean, rounded, and the digest of a set of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, NamedTuple

from phases.core.text import canonical, digest
from phases.maths.currency import usd_digits
from phases.maths.lean import lean
from schemas.market import Evidence, Missing, Tier, Unit

DIGITS: Mapping[Unit, int] = {"ratio": 4, "index": 2}


class Origin(NamedTuple):
    """Where a value comes from."""

    as_of: date
    """Day it describes."""
    known_at: date
    """First day it could be known."""
    source: str
    tier: Tier = 1
    stale: bool = False


def item_of(id: str, label: str, unit: Unit, value: float, origin: Origin) -> Evidence:
    """One item as it is cited: rounded, with the lean that the one table gives it."""
    shown = value if isinstance(value, int) else round(value, _digits(unit, value)) + 0.0
    return Evidence(
        id=id,
        label=label,
        value=shown,
        unit=unit,
        lean=lean(id, shown),
        **origin._asdict(),
    )


def _digits(unit: Unit, value: float) -> int:
    return usd_digits(value) if unit == "usd" else DIGITS[unit]


def left_out(notes: Iterable[str]) -> list[str]:
    """The notes that say what of a source was left out: why there is too little may stand there.

    >>> left_out(["the file has no volume", "days with two different bars are left out: 2024-01-31 (1 in all)"])
    ['days with two different bars are left out: 2024-01-31 (1 in all)']
    """
    return [note for note in notes if "left out" in note]


def frozen(evidence: list[Evidence], missing: list[Missing], about: str) -> dict[str, Any]:
    """The fields that hold a snapshot's items: sorted, with their digest."""
    items = tuple(sorted(evidence, key=lambda one: one.id))
    absent = tuple(sorted(missing, key=lambda one: one.id))
    parts = [one.model_dump(mode="json") for one in (*items, *absent)]
    return {"evidence": items, "missing": absent, "content_hash": digest(canonical([about, parts]))}
