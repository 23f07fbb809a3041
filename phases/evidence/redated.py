"""A body that was said before, under other dates: its age counts from when it was first said.

A source that stands still may put today's date on an old file, and every check of age then passes. So what each
night was told is kept without its dates, and a later night that is told the same under later dates uses the earlier.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta

from phases.core.text import canonical, digest
from schemas.base import Utc
from schemas.market import Body, Figure, Fundamentals, MacroSeries, MacroSeriesSet, News


def _judged(name: str, values: object, day: date, known: date, before: Mapping[str, Body]) -> tuple[Body, timedelta]:
    """What was said, and by how much its dates are later than when it was first said."""
    mark, last = digest(canonical(values)), before.get(name)
    if last is None or last.mark != mark or day <= last.day:
        return Body(mark=mark, day=day, known=known), timedelta()
    return last, day - last.day


def _note(name: str, by: timedelta, body: Body) -> str:
    return f"{name}: the values of an earlier night under dates {by.days} days later; they count as of {body.day}"


def settled_series(
    found: MacroSeriesSet, before: Mapping[str, Body]
) -> tuple[MacroSeriesSet, dict[str, Body], list[str]]:
    """Series with the dates that count, what was said of each, and what is to be said of it."""
    bodies: dict[str, Body] = {}
    series: list[MacroSeries] = []
    notes: list[str] = []
    for one in found.series:
        if one.values:
            earlier = before if len(set(one.values)) > 1 else {}  # a rate may stand for years
            bodies[one.name], by = _judged(one.name, one.values, one.days[-1], one.known[-1], earlier)
            if by:
                notes.append(_note(one.name, by, bodies[one.name]))
                days = {"days": _back(one.days, by), "known": (*_back(one.known[:-1], by), bodies[one.name].known)}
                one = one.model_copy(update=days)  # noqa: PLW2901
        series.append(one)
    return found.model_copy(update={"series": tuple(series)}), bodies, notes


def settled_figures(
    found: Fundamentals, as_of: date, before: Mapping[str, Body]
) -> tuple[Fundamentals, dict[str, Body], list[str]]:
    """A company's figures likewise, by the span that they describe. Only what is known by then is looked at."""
    known = [one for one in found.figures if max(one.ended, one.known) <= as_of]
    bodies: dict[str, Body] = {}
    figures: list[Figure] = []
    notes: list[str] = []
    for period in sorted({one.period for one in known}):
        mine = [one for one in known if one.period == period]
        values = [[one.name, one.value] for one in mine]
        newest = max(mine, key=lambda one: (one.ended, one.known))
        bodies[period], by = _judged(period, values, newest.ended, newest.known, before)
        if by:
            notes.append(_note(f"figures of the span {period}", by, bodies[period]))
        figures += [one.model_copy(update={"ended": one.ended - by, "known": one.known - by}) for one in mine]
    ordered = sorted(figures, key=lambda one: (one.name, one.period, one.ended, one.known))
    return found.model_copy(update={"figures": tuple(ordered)}), bodies, notes


def settled_news(found: News, before: Mapping[str, Utc]) -> News:
    """News with the moment at which each piece was first seen to be published."""
    items = tuple(
        one.model_copy(update={"published": min(one.published, before.get(one.id, one.published))})
        if one.published
        else one
        for one in found.items
    )
    again = sum(new.published != old.published for new, old in zip(items, found.items, strict=True))
    return found.model_copy(update={"items": items, "redated": again})


def _back(days: Iterable[date], by: timedelta) -> tuple[date, ...]:
    return tuple(day - by for day in days)
