"""What a debated night leaves for the next: open points, conditions, and whether anything has moved since."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction

from phases.debate.conditions import fires
from phases.maths.exact import exact
from schemas.debate import Carried, CarriedCondition, CarriedPoint, Case, Condition
from schemas.market import Evidence
from schemas.run import History, LastDebate

CLOSED = ("conceded", "withdrawn")


def last_debate(history: History, ticker: str) -> LastDebate | None:
    """The latest earlier debate over a ticker."""
    at = bisect_left(history.debates, ticker, key=lambda one: one.summary.ticker)
    found = history.debates[at : at + 1]
    return found[0] if found and found[0].summary.ticker == ticker else None


def carried(last: LastDebate, bundle: Mapping[str, Evidence], session: date) -> Carried | None:
    """What the last debate left open, and which of its conditions have fired tonight; None if nothing."""
    points = tuple(
        CarriedPoint(id=one.id, side=one.side, text=one.text, evidence=one.evidence)
        for one in last.summary.points
        if one.answer not in CLOSED
    )
    conditions = tuple(_tonight(one, bundle, session) for one in last.summary.would_resolve_if)
    if not points and not conditions:
        return None
    return Carried(since=last.session, points=points, conditions=conditions)


def _tonight(condition: Condition, bundle: Mapping[str, Evidence], session: date) -> CarriedCondition:
    item = bundle.get(condition.evidence)
    now = None if item is None or isinstance(item.value, bool | str) else item.value
    fired = now is not None and fires(condition, now, session)
    return CarriedCondition(**condition.model_dump(), now=now, fired=fired)


def stands(last: LastDebate, protocol: str, rounds: int, case: Case, bands: Mapping[str, str]) -> bool:
    """Whether the last debate can be carried: one of the same kind that came to a result, and nothing has moved."""
    same = (last.protocol, last.rounds) == (protocol, rounds) and last.summary.status in ("debated", "contested")
    return bool(bands) and same and not moved(last, {one.id: one for one in case.bundle}, bands)


def moved(last: LastDebate, bundle: Mapping[str, Evidence], bands: Mapping[str, str]) -> list[str]:
    """Ids that came, went, or left their band since the last debate, sorted."""
    ids = sorted({*last.values, *bundle})
    return [name for name in ids if not _within(name, last.values.get(name), bundle.get(name), bands)]


def _within(name: str, before: object, item: Evidence | None, bands: Mapping[str, str]) -> bool:
    if before is None or item is None:
        return False
    if isinstance(before, bool | str) or isinstance(item.value, bool | str):
        return before == item.value
    assert isinstance(before, int | float)
    return abs(exact(item.value) - exact(before)) <= _band(name, exact(before), bands)


def _band(name: str, before: Fraction, bands: Mapping[str, str]) -> Fraction:
    """Width of the band of an item: by its id, its family or `*`; 0 without one."""
    found = next((bands[key] for key in _keys(name) if key in bands), "0")
    return abs(before) * exact(found[:-1]) / 100 if found.endswith("%") else exact(found)


def _keys(name: str) -> Sequence[str]:
    return (name, f"{name.partition('.')[0]}.*", "*")
