"""The columns of one bar against each other: signs, and open, close and neighbours against low to high."""

from __future__ import annotations

import numpy as np

from phases.evidence.rows import COLUMNS, QUARTER, Bools, Floats, Rows, counted, listed
from phases.maths import jumps as jmp

OUTSIDE, OPEN_OUTSIDE = 0.05, 0.2
"""How far a close, and an open, may lie outside low to high for its bar to be left out; farther is refused or out."""

ROUNDING = 1e-6

MANY, OPENS = 0.1, 0.25
"""Share of the bars of a quarter that cannot be, and of opens outside low to high, above which it is no slip of some
bars: a column is of other days, or in other terms."""

SPIKE = 2.1
"""How far high or low may be from the closes of their day and of those around it: one tick at the least price is 2."""


def check_signs(rows: Rows) -> None:
    """Refuse a price not above 0 and a volume below."""
    for name in COLUMNS:
        values = rows.columns[name]
        wrong = np.flatnonzero(values < 0 if name == "volume" else values <= 0)
        if len(wrong):
            at = int(wrong[0])
            must = "volume must be 0 or more" if name == "volume" else "prices must be above 0"
            rows.refuse(f"{name} of {rows.days[at]} is {values[at]}; {must}")


def check_ranges(rows: Rows) -> None:
    """Refuse a bar whose high is below its low; leave out an old one that is a little or plainly wrong."""
    high, low, close = (rows.columns[name] for name in ("high", "low", "close"))
    if not len(high) or not len(low):
        return
    outside = np.maximum(close / high, low / close) - 1
    upside_down = high < low * (1 - ROUNDING)
    _check_many(rows, "close", np.where(upside_down, 0, outside), MANY)
    newest = np.arange(len(close)) == len(close) - 1
    wrong = np.flatnonzero(upside_down | (outside > np.where(newest, ROUNDING, OUTSIDE)))
    if len(wrong):
        at = wrong[0]
        rows.refuse(f"bar of {rows.days[at]}: close {close[at]:g}, low {low[at]:g}, high {high[at]:g} cannot be")
    far, spiked = _open_outside(rows), _spikes(rows)
    if far[-1] > OPEN_OUTSIDE or spiked[-1]:
        rows.refuse(f"bar of {rows.days[-1]}: {_told(rows, -1)} cannot be")
    said: dict[str, Bools] = {
        "their close outside low to high": outside > ROUNDING,
        "their open far outside low to high": far > OPEN_OUTSIDE,
        "their high or low far from every close around it": spiked,
    }
    _check_many(rows, "open", far, OPENS)
    gone = np.logical_or.reduce(list(said.values()))
    for why, places in said.items():
        if places.any():
            rows.notes.append(f"bars left out, {why}: {listed([rows.days[at] for at in np.flatnonzero(places)])}")
    odd = np.flatnonzero((far > ROUNDING) & ~gone)
    if len(odd):
        rows.notes.append(f"opens outside low to high: {listed([rows.days[at] for at in odd])}")
    if gone.any():
        rows.take(np.flatnonzero(~gone).tolist())


def _check_many(rows: Rows, name: str, outside: Floats, share: float) -> None:
    """Refuse a column that lies outside low to high on many days of a quarter."""
    some = min(QUARTER, len(outside))
    many = np.convolve(outside > ROUNDING, np.ones(some), "valid")
    if (most := int(many.max())) > share * QUARTER:
        first = int(many.argmax())
        rows.refuse(
            f"{name} outside low to high in {most} of the {counted(some, 'bar')} from {rows.days[first]} to "
            f"{rows.days[first + some - 1]}: the column is of other days than the others, or not in their terms"
        )


def _told(rows: Rows, at: int) -> str:
    names = [name for name in ("open", "low", "high", "close") if len(rows.columns[name])]
    return ", ".join(f"{name} {rows.columns[name][at]:g}" for name in names)


def _open_outside(rows: Rows) -> Floats:
    """How far each open lies outside low to high, as a share."""
    first, high, low = (rows.columns[name] for name in ("open", "high", "low"))
    return np.maximum(first / high, low / first) - 1 if len(first) else np.full(len(high), -1.0)


def _spikes(rows: Rows) -> Bools:
    """Bars whose high or low is far from the closes of the day and of both its neighbours, without heavy volume."""
    high, low, close, volume = (rows.columns[name] for name in ("high", "low", "close", "volume"))
    before, after = np.append(close[:1], close[:-1]), np.append(close[1:], close[-1:])
    up = high / np.maximum(np.maximum(close, before), after)
    down = np.minimum(np.minimum(close, before), after) / low
    far = np.maximum(up, down)
    found: Bools = far > SPIKE
    for at in np.flatnonzero(found):
        found[at] = not jmp.heavy(int(at), float(far[at]), close, volume)
    return found
