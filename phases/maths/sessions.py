"""Trading sessions, from exchange-calendars. A run belongs to a session, not to a clock.

Calendars are built around the year asked about, so that no answer depends on the current date.
"""

from __future__ import annotations

import threading
import warnings
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any


def known_calendars() -> tuple[str, ...]:
    """Codes of all calendars, sorted."""
    import exchange_calendars

    return tuple(sorted(exchange_calendars.get_calendar_names(include_aliases=True)))


MOST = 252
"""Sessions in a year; more are not told apart."""


_BUILDING = threading.Lock()
"""Held while a calendar is built: what is done to warnings meanwhile holds for all threads."""


@cache
def _calendar(exchange: str, year: int) -> Any:
    import exchange_calendars  # takes about a second

    with _BUILDING, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library's use of pandas is its own business
        return exchange_calendars.get_calendar(exchange, start=f"{year - 2}-01-01", end=f"{year + 2}-12-31")


def last_session(exchange: str, day: date) -> date:
    """The day itself if it is a session of the exchange, else the session before it.

    >>> last_session("XNYS", date(2012, 7, 4))
    datetime.date(2012, 7, 3)
    """
    return _calendar(exchange, day.year).date_to_session(day.isoformat(), direction="previous").date()  # type: ignore[no-any-return]


def session_after(exchange: str, session: date, sessions: int) -> date:
    """The session that many sessions after another, at most 252.

    >>> session_after("XNYS", date(2008, 9, 30), 21)
    datetime.date(2008, 10, 29)
    """
    return _calendar(exchange, session.year).session_offset(session.isoformat(), sessions).date()  # type: ignore[no-any-return]


def sessions_between(exchange: str, first: date, last: date) -> int:
    """Sessions after `first`, up to and with `last`; 0 if `last` is not later. More than 252 read as 252.

    >>> sessions_between("XNYS", date(2012, 6, 29), date(2012, 7, 5))
    3
    """
    if last <= first:
        return 0
    if (last - first).days > 400:
        return MOST
    start = first + timedelta(days=1)
    return min(MOST, len(_calendar(exchange, last.year).sessions_in_range(start.isoformat(), last.isoformat())))


def session_close(exchange: str, session: date) -> datetime | None:
    """The moment a session closes, in UTC; None for a day that is no session.

    >>> session_close("XNYS", date(2024, 11, 29)).isoformat()
    '2024-11-29T18:00:00+00:00'
    """
    calendar = _calendar(exchange, session.year)
    if not calendar.is_session(session.isoformat()):
        return None
    return calendar.session_close(session.isoformat()).to_pydatetime()  # type: ignore[no-any-return]


def closed_session(exchange: str, moment: datetime) -> date:
    """The last session that had closed at a moment, whatever the date was there or in UTC.

    >>> from datetime import UTC
    >>> closed_session("XNYS", datetime(2024, 11, 30, 3, 0, tzinfo=UTC))  # 22:00 in New York
    datetime.date(2024, 11, 29)
    """
    calendar = _calendar(exchange, moment.year)
    session = calendar.date_to_session((moment + timedelta(days=1)).date().isoformat(), direction="previous")
    while calendar.session_close(session) > moment:
        session = calendar.previous_session(session)
    return session.date()  # type: ignore[no-any-return]


def session_open_after(exchange: str, session: date) -> datetime:
    """The moment the session after this one opens, in UTC.

    >>> session_open_after("XNYS", date(2024, 11, 29)).isoformat()
    '2024-12-02T14:30:00+00:00'
    """
    calendar = _calendar(exchange, session.year)
    return calendar.session_open(calendar.next_session(session.isoformat())).to_pydatetime()  # type: ignore[no-any-return]
