"""Checks of bars, whichever source they are from, before they become evidence.

What is certain is repaired and said; what is not is refused, naming days and values. Nothing is
used silently that is not what the source meant, and nothing that is right is touched. In order:

- another symbol than was asked, no bars: refused
- bars later than the as-of date: dropped and counted
- bars out of order: sorted; a day twice with the same values: once; with others: refused
- bars dated when their exchange is closed: left out; dates that are shifted by a day, all or in a part: refused
- prices not above 0, volume below 0: refused
- high below low: refused; close outside them: refused for the newest bar or by more than 5 percent, else left out
- a hole of five sessions or more: only what came after it is used, flag `gap`; one bar in twenty lacking: flag `thin`;
  one in five, as of weekly bars: refused
- pence, cents and agorot: divided by 100; where the suffix alone says so: flag `pence_assumed`
- a jump to and back within five sessions, by a factor that is a split of the series or 100: repaired
- adjusted closes against closes, and splits that they do not know: see `phases.evidence.adjusted`
- any other jump by a factor of 1.84 without heavy volume: refused; a smaller or a heavy one, or one below 4 on a day
  that traded at the close before it too: flag `jump`
- dividends against the adjusted closes: see `phases.evidence.dividends`
- older than the configuration allows: refused as stale; older than the as-of session: flag `late_bar`
- five or more whole bars in a row that say the same, volume too (closes alone: ten): flag `frozen`
- sessions without a share traded: said; five to the newest: flag `halted`, or refused as the configuration says
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import date
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from phases.core.errors import TickerFailure, Unanswered
from phases.evidence.adjusted import check_adjusted, settle_splits
from phases.evidence.calendar import cut_at_holes, leave_out_closed
from phases.evidence.dividends import settle_dividends
from phases.evidence.rows import COLUMNS, PRICES, Rows, counted, listed, refuse
from phases.maths import jumps as jmp
from phases.maths.currency import MINOR_UNITS
from phases.maths.sessions import OutsideCalendar, last_session, sessions_between
from schemas.market import Bars, CloseSeries
from schemas.settings import MarketSettings

LATEST_HALTED = 5
"""Sessions without a share traded after which a ticker is halted."""

FROZEN, FROZEN_CLOSES = 5, 10
"""Bars in a row that no market makes the same, with their volume; and closes in a row, where nothing else is known."""

OUTSIDE = 0.05
"""How far a close may lie outside low to high for its bar to be left out; farther, the bars are refused."""

FORTNIGHT = 14
"""Calendar days between two closes that no holiday explains."""

ROUNDING = 1e-6

SAME = 0.15
"""How far a jump may be from the factor it is taken for, in logarithms: a day's market is in it."""

UNIT = 100.0

THREE_FOR_TWO, NEAR = 1.5, 0.08
"""A split too small to be told from a day's fall: said where a change is that near to it, never refused."""

IMPOSSIBLE = 5.0
"""Daily change of a close, where nothing else is known, that is taken for an error."""


class Checked(NamedTuple):
    """Bars that evidence may be computed from."""

    bars: Bars
    flags: tuple[str, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """What was dropped or repaired, in words."""
        return self.bars.notes


def checked(bars: Bars, symbol: str, as_of: date, settings: MarketSettings | None = None) -> Checked:
    """Bars as they may be used, with what was done to them. Raises a TickerFailure where they may not.

    Without settings only the data is judged, not how old it is nor whether it is still traded.
    """
    if bars.symbol != symbol:
        refuse(f"{symbol}: the source answered with bars of {bars.symbol}; ask again, or take another source")
    if not bars.days:
        raise Unanswered(f"{symbol}: the source gave no bars, and nobody knows why")
    rows = Rows.of(bars)
    try:
        _checks(rows, as_of, settings)
    except OutsideCalendar as error:
        refuse(f"{symbol}: {error}: what is late or lacking cannot be told; name a night within that")
    return Checked(rows.checked(), tuple(sorted(rows.flags)))


def _checks(rows: Rows, as_of: date, settings: MarketSettings | None) -> None:
    """All checks, in order."""
    _order(rows, as_of)
    leave_out_closed(rows)
    _prices(rows)
    _ranges(rows)
    cut_at_holes(rows)
    check_adjusted(rows)
    _currency(rows)
    _changes(rows)
    settle_dividends(rows)
    _frozen(rows)
    if settings is not None:
        _age(rows, as_of, settings)
        _halt(rows, settings)


def steady(series: CloseSeries) -> bool:
    """Whether a series has no hole and no change that only an error makes, as far as closes alone can tell."""
    adj = np.array(series.adj_close)
    whole = all((after - before).days <= FORTNIGHT for before, after in pairwise(series.days))
    if not whole or not (adj > 0).all():
        return False
    factors = np.exp(np.abs(np.diff(np.log(adj))))
    return bool((factors < IMPOSSIBLE).all())


def _order(rows: Rows, as_of: date) -> None:
    """Drop what is later than the as-of date, sort, and count a day that stands twice once."""
    later = [day for day in rows.days if day > as_of]
    places = sorted((at for at, day in enumerate(rows.days) if day <= as_of), key=lambda at: rows.days[at])
    if later:
        rows.notes.append(f"bars later than {as_of} dropped: {len(later)}")
    if not places:
        refuse(f"{rows.bars.symbol}: every bar is later than {as_of}")
    rows.take(places)
    again = [at for at in range(1, len(rows.days)) if rows.days[at] == rows.days[at - 1]]
    if not again:
        return
    differ = [at for at in again if any(len(one) and one[at] != one[at - 1] for one in rows.columns.values())]
    if differ:
        rows.refuse(f"two different bars for {listed([rows.days[at] for at in differ])}")
    rows.notes.append(f"bars that stood twice are counted once: {listed([rows.days[at] for at in again])}")
    rows.take(sorted(set(range(len(rows.days))) - set(again)))


def _prices(rows: Rows) -> None:
    """Refuse a price not above 0 and a volume below."""
    for name in COLUMNS:
        values = rows.columns[name]
        wrong = np.flatnonzero(values < 0 if name == "volume" else values <= 0)
        if len(wrong):
            at = int(wrong[0])
            must = "volume must be 0 or more" if name == "volume" else "prices must be above 0"
            rows.refuse(f"{name} of {rows.days[at]} is {values[at]}; {must}")


def _ranges(rows: Rows) -> None:
    """Refuse a bar whose high is below its low; leave out an old one whose close is a little outside them."""
    high, low, close = (rows.columns[name] for name in ("high", "low", "close"))
    if not len(high) or not len(low):
        return
    outside = np.maximum(close / high, low / close) - 1
    upside_down = high < low * (1 - ROUNDING)
    newest = np.arange(len(close)) == len(close) - 1
    wrong = np.flatnonzero(upside_down | (outside > np.where(newest, ROUNDING, OUTSIDE)))
    if len(wrong):
        at = wrong[0]
        rows.refuse(f"bar of {rows.days[at]}: close {close[at]:g}, low {low[at]:g}, high {high[at]:g} cannot be")
    odd = np.flatnonzero(outside > ROUNDING)
    if len(odd):
        rows.notes.append(f"bars left out, their close outside low to high: {listed([rows.days[at] for at in odd])}")
        rows.take(np.flatnonzero(outside <= ROUNDING).tolist())


def _currency(rows: Rows) -> None:
    """Prices and dividends of a hundredth become those of the currency."""
    whole = MINOR_UNITS.get(rows.currency)
    if whole is None:
        return
    rows.notes.append(f"prices in {rows.currency} divided by 100: {whole}")
    if rows.bars.currency_assumed:
        rows.flags.add("pence_assumed")
    rows.currency = whole
    for name in PRICES:
        rows.columns[name] = rows.columns[name] / UNIT
    paid = {"dividend": UNIT, "split": 1.0}
    rows.actions = [one.model_copy(update={"value": one.value / paid[one.kind]}) for one in rows.actions]


def _jumps(rows: Rows) -> list[jmp.Jump]:
    return jmp.jumps(*(rows.columns[name] for name in ("adj_close", "close", "volume")))


def _changes(rows: Rows) -> None:
    """Repair what goes to and back, adjust for splits that were not adjusted, and judge every other jump."""
    for jump in _jumps(rows):
        back = jmp.excursion(_jumps(rows), jump)
        if not jump.real and back is not None:
            _put_back(rows, jump, back)
    settle_splits(rows)
    for jump in _jumps(rows):
        _judge(rows, jump)


def _is(ratio: float, wanted: float) -> bool:
    return abs(math.log(ratio / wanted)) < SAME


def _put_back(rows: Rows, jump: jmp.Jump, back: jmp.Jump) -> None:
    """Repair the sessions between two jumps, if their factor is a split of the series or 100."""
    ratio = float(np.sqrt(jump.ratio / back.ratio))
    splits = [each for value in rows.splits().values() for each in (value, 1 / value)]
    factor = next((one for one in (*splits, UNIT, 1 / UNIT) if jmp.factor(one) >= jmp.WILD and _is(ratio, one)), None)
    if factor is None:
        return
    part, volume = slice(jump.at, back.at), rows.columns["volume"]
    for name in PRICES:
        if len(rows.columns[name]):
            rows.columns[name][part] *= factor
    if factor in splits and len(volume):
        volume[part] = np.round(volume[part] / factor)
    rows.notes.append(f"prices of {listed(rows.days[part])} were off by {jmp.factor(factor):g} and back: repaired")


def _judge(rows: Rows, jump: jmp.Jump) -> None:
    """Accept a large change with a flag, or refuse one that no volume speaks for."""
    day, change = rows.days[jump.at], 1 / jump.ratio - 1
    if jmp.factor(jump.ratio) >= jmp.WILD and not jump.real and not _traded_through(rows, jump):
        until = f" to {rows.days[-1]}" if rows.days[-1] != day else ""
        rows.refuse(
            f"price changes by {change:+.1%} on {day} without the volume of such a day and with no split known, as a "
            f"split or a slip of units by {jmp.factor(jump.ratio):.3g} would; the bars of {day}{until} are in doubt"
        )
    rows.flags.add("jump")
    split = len(rows.columns["volume"]) and abs(math.log(jmp.factor(jump.ratio) / THREE_FOR_TWO)) < NEAR
    light = ", without the volume of such a day, as a split of 3:2 would" if split else ""
    why = ", on heavy volume" if jump.real else light
    rows.notes.append(f"price changed by {change:+.1%} on {day}{why}")


def _frozen(rows: Rows) -> None:
    """Flag bars in a row that say the same, as a feed that stands still does. Those without a trade may."""
    told = [rows.columns[name] for name in ("open", "high", "low", "close", "volume") if len(rows.columns[name])]
    same = np.logical_and.reduce([one[1:] == one[:-1] for one in told])
    volume = rows.columns["volume"]
    if len(volume) and volume.any():
        same &= volume[1:] > 0
    ends = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]]).astype(int)))
    least = FROZEN if len(told) == 5 and volume.any() else FROZEN_CLOSES
    for first, last in zip(ends[::2], ends[1::2], strict=True):
        count = int(last - first) + 1
        if count >= least:
            rows.flags.add("frozen")
            rows.notes.append(f"{count} bars in a row say the same: {rows.days[first]} to {rows.days[last]}")


def _traded_through(rows: Rows, jump: jmp.Jump) -> bool:
    """Whether the day of a jump traded at the close before it too, as no split and no other unit would have it."""
    low, high, close = (rows.columns[name] for name in ("low", "high", "close"))
    if not len(low) or not len(high) or jmp.factor(jump.ratio) >= jmp.FAR:
        return False
    return bool(low[jump.at] <= close[jump.at - 1] <= high[jump.at])


def _age(rows: Rows, as_of: date, settings: MarketSettings) -> None:
    """Refuse bars that ended too long ago, and say so of those that are only late."""
    newest, exchange = rows.days[-1], rows.bars.exchange
    late = sessions_between(exchange, newest, as_of)
    if not late:
        return
    told = f"newest bar of {rows.bars.symbol} is {newest}, {counted(late)} before {as_of}"
    expected = f"the last session of {exchange} is {last_session(exchange, as_of)}"
    if late > settings.stale_after_sessions:
        raise TickerFailure(f"{told}; {settings.stale_after_sessions} are allowed, and {expected}", "stale")
    rows.flags.add("late_bar")
    rows.notes.append(f"{told}: {expected}")


def _halt(rows: Rows, settings: MarketSettings) -> None:
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
