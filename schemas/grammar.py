"""How symbols, days, moments and visible text are written. Free of pydantic: one check of one document is quick."""

from __future__ import annotations

import re
from datetime import date, datetime
from pathlib import Path

FOLDER = Path(__file__).parent / "json"
"""Committed schemas, one file a contract."""

TICKER_PATTERN = r"^\^?[A-Z0-9]+(?:[.=-][A-Z0-9]+)*$"
"""One grammar for symbols: capitals and digits, joined by `.`, `-` or `=`, an index may open with `^`."""

TICKER_LENGTH = 20

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_UTC = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z\Z")


def parse_day(value: object) -> object:
    """Read a calendar day written `YYYY-MM-DD`. A section of the configuration would take a number for a moment."""
    if isinstance(value, str) and _DAY.match(value):
        return date.fromisoformat(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    raise ValueError("a day is written YYYY-MM-DD")


def parse_utc(value: object) -> object:
    """Read a UTC moment written `YYYY-MM-DDThh:mm:ssZ`; anything else is left for the type to refuse."""
    if isinstance(value, str):
        if not _UTC.match(value):
            raise ValueError("a moment is written YYYY-MM-DDThh:mm:ssZ, in UTC")
        return datetime.fromisoformat(value)
    return value


VISIBLE = (
    r"[^\u0000-\u0020\u007f-\u00a0\u00ad\u034f\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f"
    r"\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]"
)
"""One character a reader can see: no space, control, zero-width or direction mark."""
