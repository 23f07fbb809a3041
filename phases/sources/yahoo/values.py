"""Single values of Yahoo's answers as plain types. One that is of another type, or cannot be, is none, and costs itself
alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

LAST = 7_258_118_400
"""Seconds from 1970 to 2200: what is beyond counts milliseconds, or nothing."""


def number(raw: object) -> float | None:
    """A finite number; text, truth values, NaN, infinity and what no float can hold are none."""
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return None
    try:
        return float(raw) if math.isfinite(raw) else None
    except OverflowError:
        return None


def moment(raw: object) -> datetime | None:
    """The moment of seconds since 1970; 0 stands for none."""
    seconds = number(raw)
    return (
        None if seconds is None or not 0 < seconds < LAST else datetime(1970, 1, 1, tzinfo=UTC) + timedelta(0, seconds)
    )


def written(raw: object) -> datetime | None:
    """A moment in ISO form; one that names no zone is none."""
    try:
        found = datetime.fromisoformat(raw) if isinstance(raw, str) else None
        return None if found is None or found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def day_of(raw: object) -> date | None:
    """The day of a moment of the library's, such as that of a column; NaT and anything else is none."""
    try:
        return raw.date() if isinstance(raw, datetime) else None
    except ValueError:
        return None


def fields(raw: object) -> Mapping[str, Any]:
    """What is nested under a key; empty where nothing is."""
    return raw if isinstance(raw, Mapping) else {}


def entries(raw: object) -> Sequence[Any]:
    """What is listed under a key; empty where nothing is. A text is no list of its letters."""
    return raw if isinstance(raw, list) else ()
