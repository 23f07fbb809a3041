"""Which series of a folder count towards its universe and mean on one night: those that pass the checks of a ticker."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np

from phases.core.errors import TickerFailure
from phases.evidence.quality import checked
from phases.evidence.rows import SESSIONS
from phases.sources.csv_folder.mean import Mean, mean_of
from phases.sources.csv_folder.series import Series
from phases.sources.csv_folder.sheet import COLUMNS
from phases.sources.csv_folder.table import Days, Floats
from phases.sources.symbols import listing
from schemas.market import Action, Bars


class Member(NamedTuple):
    """Adjusted closes of a series as they may be used."""

    symbol: str
    days: Days
    adj_close: Floats


class Night(NamedTuple):
    """What of a folder may be used on one night."""

    members: list[Member]
    """Sorted by symbol."""
    doubts: list[str]
    """Why the others may not, one each."""
    mean: Mean | None
    """Absent where no series has a bar by then."""


def night_of(series: Sequence[tuple[str, Series]], as_of: np.datetime64, count: int) -> Night:
    """The series of a day as they may be used, each judged on as many bars as a ticker of a night, or `count`."""
    members, again, doubts, copies = list[Member](), list[Member](), list[str](), list[str]()
    known = dict[bytes, str]()
    most = max(count, SESSIONS)
    for symbol, one in series:
        part = one.window(most)
        if one.nothing:
            doubts.append(one.nothing)
        if one.nothing or part.start == part.stop:
            continue
        try:
            bars = checked(_bars(symbol, one, part, as_of), symbol, as_of.astype(object)).bars
        except TickerFailure as doubt:
            doubts.append(str(doubt))
            continue
        first = known.setdefault(_content(symbol, one, part), symbol)
        if first != symbol:
            copies.append(f"{symbol}: its bars are those of {first}, which are counted once")
        member = Member(symbol, np.array(bars.days, dtype="datetime64[D]"), np.array(bars.adj_close))
        (members if first == symbol else again).append(member)
    if len(members) > 1:  # a folder of nothing but copies is used as it is, and its files are named as such
        doubts, again = [*doubts, *copies], []
    members = sorted([*members, *again], key=lambda one: one.symbol)
    mean = mean_of([(one.days, one.adj_close) for one in members], most) if members else None
    return Night(members, doubts, mean)


def _content(symbol: str, series: Series, part: slice) -> bytes:
    """Bars of a series as bytes, the same for copies; closes that never move are alike without being one."""
    close = series.columns["close"][part]
    if (close == close[0]).all():
        return symbol.encode()
    return b"".join([series.days[part].tobytes(), *(series.columns[name][part].tobytes() for name in COLUMNS)])


def _bars(symbol: str, series: Series, part: slice, as_of: np.datetime64) -> Bars:
    """Rows of a series as bars, made without the checks of their form: what is read from a file has it already.

    Their currency is not said, so that closes stay in the units of the file.
    """
    actions = [
        Action.model_construct(day=date.fromisoformat(one["day"]), kind=one["kind"], value=one["value"])
        for kind, those in (("split", series.splits), ("dividend", series.dividends))
        for one in those.entries(kind, series.days[part][0], as_of)
    ]
    told: dict[str, Any] = {
        "symbol": symbol,
        "currency": "",
        "exchange": listing(symbol).exchange,
        "days": tuple(series.days[part].tolist()),
        **{name: tuple(series.columns[name][part].tolist()) for name in COLUMNS},
        "actions": tuple(sorted(actions, key=lambda one: one.day)),
    }
    return Bars.model_construct(**told)
