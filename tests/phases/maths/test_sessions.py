"""Sessions against the New York Stock Exchange's published holidays."""

from __future__ import annotations

from datetime import date

import pytest

from phases.maths.sessions import (
    OutsideCalendar,
    _built,
    is_closed,
    known_calendars,
    last_session,
    session_after,
    sessions_between,
)


@pytest.mark.parametrize(
    ("day", "session"),
    [
        ("2008-09-30", "2008-09-30"),
        ("2012-07-04", "2012-07-03"),  # Independence Day
        ("2008-03-23", "2008-03-20"),  # Easter Sunday after Good Friday
        ("2001-09-14", "2001-09-10"),  # closed from the 11th to the 14th
        ("2012-10-30", "2012-10-26"),  # Sandy, after a weekend
        ("2012-01-01", "2011-12-30"),  # over the turn of a year
        ("2004-06-11", "2004-06-10"),  # day of mourning for President Reagan
        ("1990-01-01", "1989-12-29"),  # long before the library's default start
    ],
)
def test_last_session(day: str, session: str) -> None:
    assert last_session("XNYS", date.fromisoformat(day)) == date.fromisoformat(session)


@pytest.mark.parametrize(
    ("session", "count", "later"),
    [
        ("2008-09-30", 21, "2008-10-29"),
        ("2008-09-30", 1, "2008-10-01"),
        ("2012-07-03", 1, "2012-07-05"),
        ("2001-09-10", 1, "2001-09-17"),
        ("2012-10-26", 2, "2012-11-01"),
    ],
)
def test_session_after(session: str, count: int, later: str) -> None:
    assert session_after("XNYS", date.fromisoformat(session), count) == date.fromisoformat(later)


@pytest.mark.parametrize(
    ("first", "last", "count"),
    [
        ("2012-06-29", "2012-07-05", 3),
        ("2012-06-29", "2012-06-29", 0),
        ("2012-06-29", "2012-06-01", 0),
        ("2012-06-29", "2012-07-01", 0),  # a Sunday
        ("2001-09-10", "2001-09-17", 1),
        ("2008-01-02", "2008-12-31", 252),  # 253 sessions that year
        ("2000-01-03", "2012-01-03", 253),
    ],
)
def test_sessions_between(first: str, last: str, count: int) -> None:
    assert sessions_between("XNYS", date.fromisoformat(first), date.fromisoformat(last)) == count


def test_sessions_between_from_a_day_that_is_no_session() -> None:
    assert sessions_between("XNYS", date(2012, 6, 30), date(2012, 7, 2)) == 1  # Saturday to Monday


def test_sessions_between_reads_more_than_252_as_253() -> None:
    assert sessions_between("XNYS", date(2001, 11, 26), date(2002, 11, 27)) == 253
    assert sessions_between("XNYS", date(2001, 11, 26), date(2002, 12, 9)) == 253
    assert sessions_between("XNYS", date(1999, 11, 26), date(2002, 12, 9)) == 253


def test_calendars_are_known_by_code() -> None:
    known = known_calendars()
    assert list(known) == sorted(known)
    assert {"XNYS", "XHKG", "XETR"} <= set(known)


@pytest.mark.parametrize("exchange", ["XBOM", "XSES", "XSHG"])
def test_a_calendar_that_is_published_a_year_ahead_serves_its_last_year(exchange: str) -> None:
    """Their holidays are known to the end of 2026. Friday 2026-11-27 to Tuesday 2026-12-01 are two sessions."""
    assert sessions_between(exchange, date(2026, 11, 27), date(2026, 12, 1)) == 2
    assert last_session(exchange, date(2026, 11, 29)) == date(2026, 11, 27)


def test_what_a_calendar_does_not_reach_is_said() -> None:
    with pytest.raises(OutsideCalendar, match="XBOM are known for 1997-01-01 to 2026-12-31 alone, not for 1990"):
        last_session("XBOM", date(1990, 1, 2))
    assert sessions_between("XSAU", date(2020, 12, 1), date(2021, 1, 5)) == 3, "from its first day: 3, 4 and 5 January"


@pytest.mark.parametrize("error", [ValueError("no sessions"), NotImplementedError("implemented by subclasses")])
def test_a_calendar_that_cannot_be_had_is_sought_once(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    import exchange_calendars

    _built.cache_clear()
    sought = []

    def nothing(*told: object, **more: object) -> None:
        sought.append(told)
        raise error

    monkeypatch.setattr(exchange_calendars, "get_calendar", nothing)
    for _ in range(5):
        assert not is_closed("XLON", date(1871, 1, 7))
        with pytest.raises(OutsideCalendar, match="knows no sessions of XLON for 1871"):
            last_session("XLON", date(1871, 1, 7))
    assert len(sought) == 1
