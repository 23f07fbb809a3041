"""Bars that say nothing new: repeated, those of earlier sessions, too old, or of sessions without a trade."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import TypeAlias

import numpy as np

from phases.core.errors import TickerFailure
from phases.evidence.rows import Floats, Rows, counted
from phases.maths.jumps import USUAL
from phases.maths.sessions import last_session, sessions_between
from schemas.settings import MarketSettings

Runs: TypeAlias = set[tuple[int, int]]
"""First and last place of each run of equal rows."""

LATEST_HALTED = 5
"""Sessions without a share traded after which a ticker is halted."""

FROZEN, FROZEN_CLOSES = 5, 10
"""Bars in a row that no market makes the same, with their volume; and closes in a row, where nothing else is known."""

COPIED = 0.25
"""Share of a series that can be a copy of the rest."""

SAME, STANDS = 1e-5, 1e-4
"""Relative difference of two bars up to which they are copies, be it with noise; and the range within which a
benchmark never moves."""


def flag_frozen(rows: Rows) -> int:
    """Flag bars in a row that say the same, as a feed that stands still does, and those that are earlier ones again;
    gives the newest that says anything new.

    Those without a trade may say the same; where shares change hands at prices that stand, only the flag is due. Where
    nobody tells of trades, as of a fund's value, a run is an end only if it is twice as long as any other.
    """
    told = {name: rows.columns[name] for name in ("open", "high", "low", "close", "volume") if len(rows.columns[name])}
    volume = rows.columns["volume"]
    traded = len(volume) > 0 and bool(volume.any())
    runs = _runs(told, FROZEN if len(told) == 5 and traded else FROZEN_CLOSES, traded)
    if traded and len(told) > 2:
        closes = {"close": told["close"], "volume": told["volume"]}
        runs |= _others(_runs(closes, FROZEN_CLOSES, traded), runs)
    ends = set(runs)
    if traded and len(told) == 5:
        standing = _runs({name: told[name] for name in told if name != "volume"}, FROZEN_CLOSES, False)
        runs |= _others({one for one in standing if (volume[one[0] : one[1] + 1] > 0).all()}, runs)
    for first, last in sorted(runs):
        rows.flags.add("frozen")
        days = f"{rows.days[first]} to {rows.days[last]}"
        rows.notes.append(f"{last - first + 1} bars in a row say the same: {days}")
    newest = len(rows.days) - 1
    whole = len(told) == 5 and traded and bool((told["high"] > told["low"]).all())
    copied = _flag_copied(rows, told) if whole else newest
    others = max((last - first + 1 for first, last in ends if last != newest), default=0)
    firsts = [first for first, last in ends if last == newest]
    return min([copied, *(one for one in firsts if traded or (one and newest - one + 1 >= 2 * others))])


def _flag_copied(rows: Rows, told: dict[str, Floats]) -> int:
    """Flag bars that are those of earlier sessions, volume too, one by one; gives the newest that is not.

    A series that repeats itself again and again was made so, and holds no copy of a part.
    """
    newest, copies = len(rows.days) - 1, _copies(told)
    if sum(last - first for first, last, _ in copies) > COPIED * newest:
        return newest
    for first, last, of in copies:
        rows.flags.add("frozen")
        source = f"{rows.days[of]} to {rows.days[of + last - first]}"
        days = f"{rows.days[first]} to {rows.days[last]}"
        rows.notes.append(f"{last - first + 1} bars, {days}, are those of {source} again")
    return next((first - 1 for first, last, _ in copies if last == newest), newest)


def _copies(told: dict[str, Floats]) -> list[tuple[int, int, int]]:
    """First and last place of each run of rows that were there before, and the first place of those."""
    bars = [row.tobytes() for row in np.column_stack(list(told.values()))]
    firsts: dict[tuple[bytes, ...], int] = {}
    found: list[tuple[int, int, int]] = []
    last = -1
    for at in range(len(bars) - FROZEN + 1 if len(set(bars)) < len(bars) else 0):
        block = tuple(bars[at : at + FROZEN])
        of = firsts.setdefault(block, at)
        if at <= last or at - of < FROZEN or len(set(told["volume"][at : at + FROZEN])) < FROZEN:
            continue
        last = at + FROZEN - 1
        while last < len(bars) - 1 and bars[last + 1] == bars[of + last + 1 - at]:
            last += 1
        found.append((at, last, of))
    return found


def _others(found: Runs, known: Runs) -> Runs:
    """Runs that do not end where one that is known does."""
    return {one for one in found if one[1] not in {last for _, last in known}}


def _runs(told: dict[str, Floats], least: int, traded: bool) -> Runs:
    """The first and last place of every run of equal rows that is at least so long."""
    same = np.logical_and.reduce([np.isclose(one[1:], one[:-1], rtol=SAME, atol=0) for one in told.values()])
    if traded:
        same &= told["volume"][1:] > 0
    ends = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]]).astype(int)))
    pairs = zip(ends[::2].tolist(), ends[1::2].tolist(), strict=True)
    return {(first, last) for first, last in pairs if last - first + 1 >= least}


def check_moves(rows: Rows) -> None:
    """Refuse a benchmark whose closes do not move: nothing can be compared with it."""
    newest = rows.columns["adj_close"][-USUAL - 1 :]
    if len(newest) > LATEST_HALTED and np.ptp(newest) <= STANDS * newest[-1]:
        same = f"{counted(len(newest), 'close')} to {rows.days[-1]} are all {newest[-1]:g}"
        rows.refuse(f"{same}: what never moves is no benchmark")


def check_age(rows: Rows, new: int, as_of: date, settings: MarketSettings) -> None:
    """Refuse bars that ended too long ago, and say so of those that are only late."""
    newest, exchange = rows.days[new], rows.bars.exchange
    late = sessions_between(exchange, newest, as_of)
    if not late:
        return
    told = f"newest bar of {rows.bars.symbol} is {newest}, {counted(late)} before {as_of}"
    if newest != rows.days[-1]:
        told = f"newest bar of {rows.bars.symbol} that is no copy is {newest}, {counted(late)} before {as_of}"
    expected = f"the last session of {exchange} is {last_session(exchange, as_of)}"
    if late > settings.stale_after_sessions:
        raise TickerFailure(f"{told}; {settings.stale_after_sessions} are allowed, and {expected}", "stale")
    rows.flags.add("late_bar")
    rows.notes.append(f"{told}: {expected}")


def check_halt(rows: Rows, settings: MarketSettings) -> None:
    """Flag or refuse a ticker that is not traded. Where volume is never told, nothing is known."""
    volume = rows.columns["volume"]
    if not volume.any():
        return
    still = np.flatnonzero(volume == 0)
    if len(volume) <= LATEST_HALTED or volume[-LATEST_HALTED:].any():
        if len(still):
            rows.notes.append(f"sessions without a share traded: {_newest(rows, still)}")
        return
    told = f"no share of {rows.bars.symbol} traded in {LATEST_HALTED} sessions to {rows.days[-1]}"
    if settings.halted == "refuse":
        raise TickerFailure(f"{told}; `market.halted: flag` goes on with it", "refused")
    rows.flags.add("halted")
    rows.notes.append(told)


def _newest(rows: Rows, places: Iterable[int]) -> str:
    """The newest days of several, and how many there are."""
    days = [str(rows.days[at]) for at in places]
    return ", ".join(days[-LATEST_HALTED:]) + (f" ({len(days)} in all)" if len(days) > LATEST_HALTED else "")
