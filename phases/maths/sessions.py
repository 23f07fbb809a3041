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
"""Sessions in a year; more than that are not told apart."""


_BUILDING = threading.Lock()
"""Held while a calendar is built: what is done to warnings meanwhile holds for all threads."""


class OutsideCalendar(ValueError):
    """A day that the calendar of an exchange does not reach."""


def _calendar(exchange: str, year: int) -> Any:
    """The calendar around a year, as far as the exchange's is known. Raises OutsideCalendar where it is not."""
    found = _built(exchange, year)
    if isinstance(found, OutsideCalendar):
        raise OutsideCalendar(*found.args)
    return found


@cache
def _built(exchange: str, year: int) -> Any:
    """The calendar around a year, or why there is none: a second try takes as long as the first."""
    import exchange_calendars  # takes about a second
    from exchange_calendars.calendar_utils import global_calendar_dispatcher

    factory = global_calendar_dispatcher._calendar_factories[exchange_calendars.resolve_alias(exchange)]
    known = [None if bound is None else bound.date() for bound in (factory.bound_min(), factory.bound_max())]
    start = max(date(year - 2, 1, 1), known[0] or date.min)
    end = min(date(year + 2, 12, 31), known[1] or date.max)
    if not start.year <= year <= end.year:
        span = " to ".join(str(day) for day in known if day)
        return OutsideCalendar(
            f"the sessions of {exchange} are known for {span} alone, not for {year}; name a night within that"
        )
    with _BUILDING, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library's use of pandas is its own business
        try:
            return exchange_calendars.get_calendar(exchange, start=start.isoformat(), end=end.isoformat())
        except (ArithmeticError, AttributeError, LookupError, NotImplementedError, TypeError, ValueError):
            # the library contradicts itself, as 4.13.2 does for Tel Aviv before 2026, or pandas, as for Athens
            told = f"exchange-calendars {exchange_calendars.__version__} knows no sessions of {exchange} for {year}"
            return OutsideCalendar(told)


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
    """Sessions after `first`, up to and with `last`; 0 if `last` is not later. More than 252 read as 253.

    >>> sessions_between("XNYS", date(2012, 6, 29), date(2012, 7, 5))
    3
    """
    if last <= first:
        return 0
    if (last - first).days > 400:
        return MOST + 1
    calendar = _calendar(exchange, last.year)
    start = max(first + timedelta(days=1), calendar.first_session.date())
    return min(MOST + 1, len(calendar.sessions_in_range(start.isoformat(), last.isoformat()))) if start <= last else 0


def session_close(exchange: str, session: date) -> datetime | None:
    """The moment a session closes, in UTC; None for a day that is no session.

    >>> session_close("XNYS", date(2024, 11, 29)).isoformat()
    '2024-11-29T18:00:00+00:00'
    """
    calendar = _calendar(exchange, session.year)
    if not calendar.is_session(session.isoformat()):
        return None
    return calendar.session_close(session.isoformat()).to_pydatetime()  # type: ignore[no-any-return]


@cache
def is_closed(exchange: str, day: date) -> bool:
    """Whether an exchange certainly has no session on a day; not so where its calendar does not reach.

    >>> is_closed("XNYS", date(2024, 11, 30)), is_closed("XSAU", date(2019, 1, 5))
    (True, False)
    """
    try:
        calendar = _calendar(exchange, day.year)
    except OutsideCalendar:
        return False
    return not calendar.is_session(day.isoformat())


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
