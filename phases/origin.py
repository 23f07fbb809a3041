"""Where a night's data is from, and which session it is of: the source as it is, or what an earlier run stored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from phases.core.errors import SourceDown, UsageError
from phases.core.fetch import Source, Stored
from phases.core.recorder import today
from phases.core.runs import ASIDE, Runs
from phases.core.text import nearest
from phases.maths.sessions import known_calendars, last_session, sessions_between
from phases.sources import benchmark_of, chain_of
from schemas.market import Span
from schemas.run import RunHeader
from schemas.settings import SOURCE_OPERATION, Settings


class Origin(NamedTuple):
    """What a night reads."""

    source: Source
    asked: date
    """Date that was asked for."""
    session: date
    """Session it stands for."""
    span: Span | None
    """Days the source covers; absent where it is not asked."""
    benchmark: str
    """Series the question is about, as the source has it."""
    notes: tuple[str, ...]


def origin_of(settings: Settings, runs: Runs | None, resumed: RunHeader | None) -> Origin:
    """What a night of these settings reads. Reads files and the store.

    Offline, where the data has changed since earlier runs of the session, it is what the latest of them stored.
    Raises UsageError where the source does not cover the night.
    """
    stored = _stored(settings, runs, resumed) if settings.operation.offline and runs is not None else None
    if stored is not None:
        return stored
    source = chain_of(settings.source)
    asked, session, span = _session(settings, source)
    benchmark, notes = benchmark_of(source, settings.question.benchmark, session)
    return Origin(source, asked, session, span, benchmark, notes)


def _stored(settings: Settings, runs: Runs, resumed: RunHeader | None) -> Origin | None:
    """The answers of an earlier run of the session, if the source says by now something else than all of them read."""
    try:
        source = chain_of(settings.source)
        vintage, (asked, session, _) = source.vintage, _session(settings, source)
    except (UsageError, SourceDown):  # what is not there any more may be stored
        vintage, asked = None, settings.as_of or today()
        session = _calendar_session(settings, asked)
    earlier = [resumed] if resumed is not None else list(_earlier(settings, runs, session))
    if not earlier or any(one.vintage == vintage for one in earlier):
        return None
    kept, wanted = earlier[0], settings.question.benchmark
    benchmark = kept.question.benchmark if kept.settings.question.benchmark == wanted else wanted
    told = (
        f"source {settings.source.name} has changed since run {kept.run_id}: what that run stored is used (--offline)"
    )
    return Origin(Stored(settings.source.name, kept.vintage), asked, session, None, benchmark, (told,))


def _earlier(settings: Settings, runs: Runs, session: date) -> Iterator[RunHeader]:
    """Headers of runs of a session that read the same source in the same way, the latest first. Reads the store."""
    for known in reversed(runs.all()):
        header = _header(known.header) if known.as_of == session.isoformat() and known.state != ASIDE else None
        if header is not None and _read_as(header.settings) == _read_as(settings):
            yield header


def _header(text: str) -> RunHeader | None:
    """The header of a run; None for one of another version of the program."""
    try:
        return RunHeader.model_validate_json(text)
    except ValueError:
        return None


def _read_as(settings: Settings) -> dict[str, object]:
    """What of the source's settings decides what it says."""
    return settings.source.model_dump(mode="json", exclude=dict(SOURCE_OPERATION))


def _session(settings: Settings, source: Source) -> tuple[date, date, Span]:
    """The date asked for, the session it stands for, and the days the source covers."""
    span = Span.model_validate_json(json.dumps(source.fetch("span", {})))
    asked = settings.as_of or (min(today(), span.last) if source.live else today())
    session = _calendar_session(settings, asked)
    covered = f"the source {source.name}, which covers {span.first} to {span.last}"
    remedy = f"name a night within that, such as --as-of {span.last}, or bring other data"
    if asked < span.first or _beyond(settings, source, session, span.last):
        raise UsageError(f"as_of: {asked} is outside {covered}; {remedy}")
    if session < span.first:
        raise UsageError(f"as_of: the session {session} is before {covered}; {remedy}")
    return asked, session, span


def _beyond(settings: Settings, source: Source, session: date, last: date) -> bool:
    """Whether a session is after all that a source covers: later than a ticker may be late, or yet to come."""
    if session <= last or source.live:
        return session > last
    late = sessions_between(settings.question.calendar, last, session)
    return session > today() or late > settings.market.stale_after_sessions


def _calendar_session(settings: Settings, asked: date) -> date:
    """The session that a date stands for. Raises UsageError for a calendar that is none, or does not reach the date."""
    calendar = settings.question.calendar
    if calendar not in known_calendars():
        hint = nearest(calendar, known_calendars())
        raise UsageError(f"question.calendar: {calendar!r} is unknown{hint}; name it by its code, such as XNYS")
    try:
        return last_session(calendar, asked)
    except (ValueError, OverflowError) as error:
        why = " ".join(str(error).split())[:120]
        raise UsageError(f"as_of: {asked} is outside the calendar {calendar} ({why}); name another night") from None
