"""Checks of bars, whichever source they are from, before they become evidence.

What is certain is repaired and said; what is not is refused, naming days and values. Nothing is
used silently that is not what the source meant, and nothing that is right is touched. In order:

- another symbol than was asked, no bars: refused
- bars later than the as-of date: dropped and counted
- bars out of order: sorted; a day twice with the same values: once; with others: refused
- bars dated when their exchange is closed: left out; dates that are shifted by a day, all or in a part: refused
- prices not above 0, volume below 0: refused
- high below low: refused; close outside them: refused for the newest bar or by more than 5 percent, else left out
- open outside them: said, by more than 20 percent as the next
- close outside them in one bar in ten of a quarter, or open in one of four: refused, a column of other days
- high or low far from every close around it without heavy volume: left out, the newest refused
- a hole of five sessions or more: only what came after it is used, flag `gap`; one bar in twenty lacking: flag `thin`;
  one in five, as of weekly bars: refused; fewer: their days are said
- opens nearer to the next close than to the one before, or bars that do not follow each other: refused
- pence, cents and agorot: divided by 100; where the suffix alone says so: flag `pence_assumed`
- a jump to and back within five sessions, by a factor that is a split of the series or 100: repaired
- adjusted closes against closes, and splits that they do not know: see `phases.evidence.adjusted`
- any other jump by a factor of 1.84 without heavy volume: refused; a smaller or a heavy one, or one below 4 on a day
  that traded at the close before it too: flag `jump`; one of a fifth that no volume speaks for: said; of a benchmark
  out of a calm, one of 7.5 percent without heavy volume, of a fifth where no volume is known: flag `jump`
- dividends against the adjusted closes: see `phases.evidence.dividends`
- dividends of a year that come to more than a quarter of the price, while the closes did not fall on their days, or
  that stand on nearly every third day: refused
- five or more whole bars in a row that say the same, volume too (closes alone, or prices that stand: ten): flag
  `frozen`; to the newest, volume too: as old as the first of them. A benchmark that never moves: refused
- five or more whole bars that are those of earlier sessions, one by one: flag `frozen`; to the newest: as old as the
  bar before them
- older than the configuration allows: refused as stale; older than the as-of session: flag `late_bar`
- sessions without a share traded: said; five to the newest: flag `halted`, or refused as the configuration says
- volume of the newest quarter in another unit than before: not used, flag `volume_unit`
- volume that is the same in every bar, 0 too, or the largest number of its kind in most: not used, said
"""

from __future__ import annotations

import math
from datetime import date
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from phases.core.errors import Unanswered
from phases.evidence.adjusted import check_adjusted, check_yearly, settle_splits
from phases.evidence.calendar import cut_at_holes, leave_out_closed
from phases.evidence.dividends import settle_dividends
from phases.evidence.order import check_order
from phases.evidence.ranges import check_ranges, check_signs
from phases.evidence.rows import PRICES, Rows, listed, refuse
from phases.evidence.still import check_age, check_halt, check_moves, flag_frozen
from phases.evidence.volumes import check_same, check_unit
from phases.maths import jumps as jmp
from phases.maths.currency import MINOR_UNITS
from phases.maths.sessions import OutsideCalendar
from schemas.market import UNIVERSE_MEAN, Bars, CloseSeries
from schemas.settings import MarketSettings

FORTNIGHT = 14
"""Calendar days between two closes that no holiday explains."""

SAME = 0.15
"""How far a jump may be from the factor it is taken for, in logarithms: a day's market is in it."""

UNIT = 100.0

BACK = 0.9
"""How much of where it came from a price reaches again, for two smaller changes to be told as one."""

THREE_FOR_TWO, NEAR = 1.5, 0.08
"""A split too small to be told from a day's fall: said where a change is that near to it, never refused."""

MARKET, UNTRADED, CALM, TURMOIL = 0.075, 0.2, 10, 3.0
"""A daily change of a whole market that is flagged, in logarithms, where its volume does not speak for it and where no
volume is known, if it is so many times the largest change of these sessions before it."""

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


def checked(
    bars: Bars, symbol: str, as_of: date, settings: MarketSettings | None = None, *, benchmark: bool = False
) -> Checked:
    """Bars as they may be used, with what was done to them. Raises a TickerFailure where they may not.

    Without settings only the data is judged, not how old it is nor whether it is still traded.
    """
    if bars.symbol != symbol:
        refuse(f"{symbol}: the source answered with bars of {bars.symbol}; ask again, or take another source")
    if not bars.days:
        raise Unanswered(f"{symbol}: the source gave no bars, and nobody knows why")
    rows = Rows.of(bars)
    try:
        _checks(rows, as_of, settings, benchmark)
    except OutsideCalendar as error:
        refuse(f"{symbol}: what is late or lacking cannot be told: {error}")
    return Checked(rows.checked(), tuple(sorted(rows.flags)))


def _checks(rows: Rows, as_of: date, settings: MarketSettings | None, benchmark: bool) -> None:
    """All checks, in order."""
    _order(rows, as_of)
    leave_out_closed(rows)
    check_signs(rows)
    check_ranges(rows)
    cut_at_holes(rows)
    check_order(rows)
    check_adjusted(rows)
    _currency(rows)
    _changes(rows)
    settle_dividends(rows)
    check_yearly(rows)
    new = flag_frozen(rows)
    if benchmark:
        check_moves(rows)
        _judge_market(rows)
    if settings is not None:
        check_age(rows, new, as_of, settings)
        check_halt(rows, settings)
    if not benchmark:
        check_same(rows)
    check_unit(rows)


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
    _say_smaller(rows)


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


def _say_smaller(rows: Rows) -> None:
    """Say changes too small for a flag that no volume speaks for, and those that go back at once."""
    found = jmp.smaller(*(rows.columns[name] for name in ("adj_close", "close", "volume")))
    said: set[int] = set()
    for jump in found:
        back = jmp.excursion(found, jump, BACK)
        if jump.at in said or (jump.real and back is None):
            continue
        told = f"price changed by {1 / jump.ratio - 1:+.1%} on {rows.days[jump.at]}"
        if back is not None:
            said.add(back.at)
            told += f" and by {1 / back.ratio - 1:+.1%} on {rows.days[back.at]}"
        elif len(rows.columns["volume"]):
            told += ", without the volume of such a day"
        rows.notes.append(told)


def _judge_market(rows: Rows) -> None:
    """Flag changes of a benchmark that a share may have and a market has not, out of a calm and without its volume."""
    adj, close, volume = (rows.columns[name] for name in ("adj_close", "close", "volume"))
    if rows.bars.symbol == UNIVERSE_MEAN:  # of few series, each of which was judged as a share
        return
    least = MARKET if volume.any() else UNTRADED
    change = np.diff(np.log(adj))
    for at in np.flatnonzero(np.abs(change) >= least):
        before = np.abs(change[at - CALM : at]).max(initial=0) if at >= CALM else np.inf
        if abs(change[at]) <= TURMOIL * before or jmp.heavy(int(at) + 1, math.exp(-change[at]), close, volume):
            continue
        rows.flags.add("jump")
        told = f"price changed by {math.expm1(change[at]):+.1%} on {rows.days[at + 1]}"
        if not any(note.startswith(told) for note in rows.notes):
            light = ", without the volume of such a day" if volume.any() else ""
            rows.notes.append(f"{told} out of a calm{light}")


def _traded_through(rows: Rows, jump: jmp.Jump) -> bool:
    """Whether the day of a jump traded at the close before it too, as no split and no other unit would have it."""
    low, high, close = (rows.columns[name] for name in ("low", "high", "close"))
    if not len(low) or not len(high) or jmp.factor(jump.ratio) >= jmp.FAR:
        return False
    return bool(low[jump.at] <= close[jump.at - 1] <= high[jump.at])
