"""Days of bars against the sessions of their exchange: bars of closed days, shifted days, holes, and bars that lack."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np

from phases.evidence.rows import Rows, counted, listed
from phases.maths.sessions import MOST, is_closed, sessions_between

SHIFTED = 0.1
"""Share of bars dated on closed weekends from which the dates may be shifted by a day."""

WEEKS = 2
"""Weekends from which bars of a Sunday, without a bar of the Friday before, are those of Mondays (or of Saturdays)."""

FEW_CLOSED = 2
"""Bars with trades on closed weekdays that are slips; with more, the calendar may be that of another exchange."""

HOLE = 5
"""Sessions in a row without a bar that make a hole: what is computed over it would be of another span."""

HOLES = 4
"""Holes in a year from which they are no halts: the bars are of months, or some are lost."""

WEEK = 7
"""Calendar days between two bars up to which there can be no hole."""

LACKING, MISSING = 0.05, 0.2
"""Shares of sessions without a bar, holes aside: from the first a series is thin, above the second it is not daily."""

FEW, SHORT, YEAR = 60, 20, 290
"""Sessions from which a series is called thin, and refused, by its share; and the calendar days it is counted over."""


def leave_out_closed(rows: Rows) -> None:
    """Leave out bars of days on which their exchange is closed; refuse days that are shifted.

    Where another calendar stands in for that of the exchange, neither can be told.
    """
    if rows.bars.exchange_assumed:
        return
    exchange, days = rows.bars.exchange, rows.days
    closed = [at for at, day in enumerate(days) if is_closed(exchange, day)]
    weekends = [at for at in closed if days[at].weekday() >= 5]
    _check_shifted(rows, weekends)
    holidays = [at for at in closed if days[at].weekday() < 5]
    traded = [at for at in holidays if not _repeats(rows, at)]
    if len(traded) > FEW_CLOSED:
        told = f"traded on days when {exchange} is closed: {listed([days[at] for at in traded])}"
        rows.notes.append(f"{told}; its exchange may be another")
        holidays = [at for at in holidays if at not in traded]
    for places, when in ((weekends, "dated on a weekend, when"), (holidays, "dated when")):
        if places:
            told = f"{when} {exchange} is closed: {listed([days[at] for at in places])}"
            rows.notes.append(f"bars left out, {told}")
    out = {*weekends, *holidays}
    if len(out) == len(days):
        rows.refuse(f"every bar is dated when {exchange} is closed; check the zone of its dates")
    if out:
        rows.take(sorted(set(range(len(days))) - out))


def _check_shifted(rows: Rows, weekends: list[int]) -> None:
    """Refuse days that are all shifted by one, or those of a part of the year."""
    if not weekends:
        return
    exchange, days = rows.bars.exchange, rows.days
    told = f"bars dated on a weekend, when {exchange} is closed: {listed([days[at] for at in weekends])}"
    absent = {*range(5)} - {day.weekday() for day in days}
    if len(weekends) == len(days) or (len(weekends) > SHIFTED * len(days) and absent & {0, 4}):
        lost = " and none on a Monday or a Friday" if len(weekends) < len(days) else ""
        rows.refuse(f"{told}{lost}, as if days were shifted by one; check the zone of its dates")
    known = set(days)
    lost_days = [
        other
        for other in (days[at] + timedelta(-2 if days[at].weekday() == 6 else 2) for at in weekends)
        if days[0] <= other <= days[-1] and other not in known and not is_closed(exchange, other)
    ]
    if len(lost_days) >= WEEKS:
        rows.refuse(
            f"{told}, and none on {listed(lost_days)}, as if days were shifted by one in a part of the year; "
            "check the zone of its dates"
        )


def _repeats(rows: Rows, at: int) -> bool:
    """Whether a bar says nothing that the one before did not: its close again, or no share traded."""
    close, volume = rows.columns["close"], rows.columns["volume"]
    return bool(at and close[at] == close[at - 1]) or bool(len(volume) and volume.any() and not volume[at])


def cut_at_holes(rows: Rows) -> None:
    """Use only what came after the last hole, so that sessions are counted by bars; judge a series that lacks many."""
    if rows.bars.exchange.startswith("24/"):  # traded round the clock: its days are counted by no session
        return
    least = 2 * HOLE if rows.bars.exchange_assumed else HOLE  # its holidays are not known
    holes = [(at, lacking) for at in range(1, len(rows.days)) if (lacking := _lacking(rows, at)) >= least]
    begin = _begin(rows.days)
    if sum(at > begin for at, _ in holes) >= HOLES:
        _refuse_lacking(rows, begin)
    if holes:
        at, lacking = holes[-1]
        rows.flags.add("gap")
        rows.notes.append(f"no bars for {counted(lacking)} before {rows.days[at]}: what came before is not used")
        rows.take(list(range(at, len(rows.days))))
    begin = _begin(rows.days)
    have, expected = len(rows.days) - begin, _expected(rows, begin)
    if expected > SHORT and have < (1 - MISSING) * expected:
        _refuse_lacking(rows, begin)
    if expected > FEW and have < (1 - LACKING) * expected:
        rows.flags.add("thin")
        rows.notes.append(f"{counted(have, 'bar')} for the {counted(expected)} since {rows.days[begin]}")
    _say_lacking(rows)


def _say_lacking(rows: Rows) -> None:
    """Name the sessions without a bar, so that what is counted by bars is seen to span more of them."""
    if rows.bars.exchange_assumed:
        return
    exchange, came = rows.bars.exchange, {*rows.bars.days}  # bars that came and were left out are said by then
    span = (rows.days[0] + timedelta(n) for n in range((rows.days[-1] - rows.days[0]).days))
    lacking = [day for day in span if day not in came and not is_closed(exchange, day)]
    if lacking:
        rows.notes.append(f"no bars for {counted(len(lacking))} of {exchange}: {listed(lacking)}")


def _lacking(rows: Rows, at: int) -> int:
    """Sessions without a bar between a bar and the one before it; 0 where they are a week apart or less."""
    before, day = rows.days[at - 1], rows.days[at]
    if (day - before).days <= WEEK:
        return 0
    sessions = sessions_between(rows.bars.exchange, before, day)
    return sessions - (sessions <= MOST)


def _begin(days: list[date]) -> int:
    """The first bar of the newest YEAR days."""
    return int(np.searchsorted(np.array(days, "datetime64[D]"), np.datetime64(days[-1] - timedelta(YEAR))))


def _expected(rows: Rows, begin: int) -> int:
    return sessions_between(rows.bars.exchange, rows.days[begin], rows.days[-1]) + 1


def _refuse_lacking(rows: Rows, begin: int) -> None:
    have, since = len(rows.days) - begin, rows.days[begin]
    told = f"{counted(have, 'bar')} for the {counted(_expected(rows, begin))} since {since}"
    rows.refuse(f"{told}: they are of weeks or months, or bars are missing")
