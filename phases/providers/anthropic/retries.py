"""When a failed request is tried again, and after what wait. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

from phases.core.text import digest

Kind = Literal[
    "limited",
    "overloaded",
    "server",
    "unreached",
    "broken",
    "garbled",
    "spend",
    "denied",
    "no_model",
    "too_long",
    "redirect",
    "refused",
]
"""What went wrong with one request."""

TRIES: dict[Kind, int] = {"limited": 8, "overloaded": 8, "server": 4, "unreached": 4, "broken": 2, "garbled": 2}
"""Most tries that may end in each way; what is not listed ends the turn."""

BEGUN: tuple[Kind, ...] = ("broken", "garbled")
"""Ways in which an answer had begun. They count together, so that there is never more than one further try."""

FIRST_WAIT = 0.5
LONGEST_WAIT = 8.0


def backoff(key: str, tries: int) -> float:
    """Seconds to wait after that many tries: doubling, less up to a quarter that only `key` and the number decide.

    >>> 0.375 <= backoff("a", 1) <= 0.5 and 6 <= backoff("a", 9) <= 8
    True
    >>> backoff("a", 1) == backoff("a", 1) != backoff("b", 1)
    True
    """
    share = int(digest(f"{key} {tries}")[:8], 16) / 0xFFFFFFFF
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (tries - 1)) * (1 - share / 4)


def spent(kinds: Sequence[Kind]) -> bool:
    """Whether the last of several failed tries was the last that its kind allows.

    >>> [spent(one) for one in (["server"], ["refused"], ["broken"], ["broken", "server", "garbled"])]
    [False, True, False, True]
    """
    last = kinds[-1]
    alike = sum(kind in BEGUN if last in BEGUN else kind == last for kind in kinds)
    return alike >= TRIES.get(last, 1)


def asked_wait(header: str | None, now: datetime) -> float | None:
    """Seconds that a `retry-after` header asks for: a number or an HTTP date. None for anything else.

    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> [asked_wait(one, now) for one in ("2", "Thu, 01 Jan 2026 00:01:00 GMT", "-5", "nan", "soon", None)]
    [2.0, 60.0, None, None, None, None]
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        seconds = _until(header, now)
    return seconds if seconds >= 0 and math.isfinite(seconds) else None


def _until(date: str, now: datetime) -> float:
    try:
        then = parsedate_to_datetime(date)
    except (ValueError, IndexError, OverflowError):
        return math.nan
    return ((then if then.tzinfo else then.replace(tzinfo=UTC)) - now).total_seconds()
