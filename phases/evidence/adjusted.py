"""Adjusted closes against closes: their factor changes on the days of splits and dividends, and on no other.

All returns come from adjusted closes, so a column of another stock, of another day or of noise would
be used without a word. What is allowed:

- a split that is stated, which the closes show: the adjusted closes know it, or are made to
- a dividend that is stated: see `phases.evidence.dividends`
- a split or a large dividend that nobody stated: the closes change by the factor, the adjusted closes do not; said
- a dividend that nobody stated: the factor rises by a plausible share, on few days
- dividends, stated or not, that come to much within a year: the closes fall on their days

Anything else is refused, naming the day and the factor.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from phases.evidence.dividends import PLAUSIBLE, TINY, UNSEEN
from phases.evidence.rows import QUARTER, Bools, Floats, Rows
from phases.maths import jumps as jmp
from phases.maths.sessions import MOST

MANY, LEAST = 0.3, 10
"""Share of days, of a quarter too, on which no fund pays, and the fewest such days: weekly payers are at a fifth."""

RICH, RICHEST = 0.2, 0.25
"""Dividends of a year, in logarithms, from which they are said, and from which the closes have to show them."""

FALLEN, CHANCE = 0.3, 1.5
"""Part of them by which the closes must have fallen on their days, and standard deviations of market allowed."""

PLACES, AROUND = 9, 3
"""Decimals that are looked for, and rows to either side whose values say how many a row has."""

EXPLAINED = 0.5
"""Part of an unstated step of the factor that the close has to show, the rest being the day's market."""

DAY, MARKET = 0.065, 0.75
"""A day's market that any price has at times, in logarithms; up to that or CLEAR it may be this part of the step."""

SHOWN = 0.3
"""Part of a small step down that the market may be: only a reverse split or an error makes one."""

SAME = 0.15
"""How far the closes may be from a split that they show, in logarithms: a day's market is in it."""

CLEAR = 6.0
"""Usual daily changes that a split must be worth to be told from a day's market."""

COARSE = 0.025
"""Rounding of a price, as a share of it, beyond which its changes say nothing."""


def check_adjusted(rows: Rows) -> None:
    """Refuse adjusted closes that leave the closes where nothing explains it; say so of splits that nobody stated."""
    close, adj = np.log(rows.columns["close"]), np.log(rows.columns["adj_close"])
    step, raw, off = np.diff(adj - close), np.diff(close), _rounding(rows)
    slack = TINY + off[1:] + off[:-1]
    places = [rows.place(one.day) for one in rows.actions if one.value > 0]
    stated = np.isin(np.arange(1, len(adj)), places)
    loose = (np.abs(step) > slack) & ~stated
    least = np.where(step > 0, slack - math.log(1 - UNSEEN), math.log(jmp.NOTABLE))
    size, market, usual = np.abs(step), np.abs(step + raw), CLEAR * float(np.median(np.abs(raw))) if len(raw) else 0.0
    explained = market <= np.maximum(EXPLAINED * size, np.minimum(max(DAY, usual), MARKET * size))
    fewer = (step < 0) & (size > slack + usual) & (market <= SHOWN * size)
    split = loose & ((size > least) & explained | fewer)
    wrong = loose & ~split & ((step < 0) | (step > least))
    if wrong.any():
        _refuse(rows, int(np.argmax(np.abs(step) * wrong)) + 1, "and the price does not explain it")
    _drift(rows, adj - close, off, np.flatnonzero(stated | split) + 1)
    _unstated(rows, step, np.flatnonzero(split))
    paid = int((loose & ~split).sum())
    if paid >= LEAST and paid > MANY * len(step):
        rows.refuse(f"adjusted closes change against the closes on {paid} of {len(step)} days, more than any dividend")


def check_yearly(rows: Rows) -> None:
    """Refuse dividends, stated or not, that come to a large part of the price within a year and leave it as it was."""
    if len(rows.days) < 2:
        return
    close, adj = np.log(rows.columns["close"][-MOST - 1 :]), np.log(rows.columns["adj_close"][-MOST - 1 :])
    first, off = len(rows.days) - len(close), _rounding(rows)[-MOST - 1 :]
    step, raw, slack = np.diff(adj - close), np.diff(close), TINY + off[1:] + off[:-1]
    stated = [rows.place(one.day) - first for one in rows.actions if one.kind == "dividend" and one.value > 0]
    least = np.where(np.isin(np.arange(1, len(close)), stated), np.inf, slack - math.log(1 - UNSEEN))
    paid = (step > slack) & (step <= least)
    paid[[at - first - 1 for at in rows.splits() if at > first]] = False
    total, fell, number = float(step[paid].sum()), float(raw[paid].sum()), int(paid.sum())
    quarter = int(np.convolve(paid, np.ones(QUARTER)).max(initial=0))
    told = f"dividends of {number} days come to {total:.0%} of the price between {rows.days[first]} and {rows.days[-1]}"
    if quarter >= LEAST and quarter > MANY * min(QUARTER, len(step)):
        rows.refuse(f"{told}, on {quarter} days of a quarter: rates or yearly sums may stand for what was paid")
    market = 1.48 * float(np.median(np.abs(raw))) * math.sqrt(number) if number else 0.0
    if total > RICHEST and fell > CHANCE * market - FALLEN * total:
        rows.refuse(
            f"{told}, but the closes changed by {math.expm1(fell):+.0%} on those days: rates or yearly sums may stand "
            "for what was paid"
        )
    if total > RICH:
        rows.notes.append(told)


def _drift(rows: Rows, factor: Floats, off: Floats, events: npt.NDArray[np.intp]) -> None:
    """Refuse a factor that sinks between splits in steps that are each as small as a rounding."""
    for part in np.split(np.arange(len(factor)), events):
        fallen = np.maximum.accumulate(factor[part]) - factor[part] - TINY - 2 * off[part].max(initial=0)
        if (fallen > 0).any():
            at = int(part[np.argmax(fallen)])
            first = int(part[np.argmax(factor[part[0] : at + 1])])
            by = math.exp(factor[at] - factor[first])
            rows.refuse(
                f"adjusted closes change against the closes by a factor of {by:.4g} from {rows.days[first]} to "
                f"{rows.days[at]} with no split or dividend known"
            )


def _unstated(rows: Rows, step: Floats, places: npt.NDArray[np.intp]) -> None:
    """Say which steps are taken for splits; refuse those that go back, and those that are a slip of units."""
    for at in places:
        if jmp.factor(math.exp(step[at])) >= jmp.MOST:
            _refuse(rows, int(at) + 1, "as the other way round the price does: one of them is in other units")
        back = next((one for one in places if one > at and abs(step[one] + step[at]) < SAME), None)
        if back is not None:
            _refuse(rows, int(at) + 1, f"and back on {rows.days[back + 1]}, as no split does")
        rows.notes.append(
            f"the price changed by a factor of {math.exp(-step[at]):.4g} on {rows.days[at + 1]} and the adjusted close "
            "did not: taken for a split or a dividend that the source does not state"
        )


def _refuse(rows: Rows, at: int, why: str) -> None:
    close, adj = rows.columns["close"], rows.columns["adj_close"]
    by = float(adj[at] / close[at] / (adj[at - 1] / close[at - 1]))
    rows.refuse(
        f"adjusted closes change against the closes by a factor of {by:.4g} on {rows.days[at]} with no split or "
        f"dividend known, {why}"
    )


def _rounding(rows: Rows) -> Floats:
    """How far the factor of each row may be off because both columns have few decimals, in logarithms."""
    adj, close = (_unit(rows.columns[name]) / rows.columns[name] / 2 for name in ("adj_close", "close"))
    return np.minimum(adj + close, COARSE)


def _unit(values: Floats) -> Floats:
    """The last decimal that each value and those around it are told to; 0 where they are told exactly."""
    powers = 10.0 ** np.arange(PLACES)[:, None]
    whole: Bools = np.abs(values * powers - np.round(values * powers)) < 1e-6
    places = np.where(whole.any(axis=0), whole.argmax(axis=0), PLACES)
    padded = np.pad(places, AROUND, mode="edge")
    most = np.lib.stride_tricks.sliding_window_view(padded, 2 * AROUND + 1).max(axis=1)
    return np.where(most < PLACES, 10.0**-most, 0.0)


def settle_splits(rows: Rows) -> None:
    """Adjust for stated splits that closes show and adjusted closes do not; refuse one that is in them twice."""
    close, adj = rows.columns["close"], rows.columns["adj_close"]
    for at, ratio in rows.splits().items():
        gap = math.log(ratio)
        if not gap:
            continue
        raw = math.log(close[at] / close[at - 1])
        step = math.log(adj[at] / adj[at - 1]) - raw
        shown, known = abs(raw + gap) < abs(raw), abs(step - gap) < abs(step)
        usual = float(np.median(np.abs(np.diff(np.log(close)))))
        clear = abs(gap) >= min(math.log(jmp.NOTABLE), CLEAR * usual)
        paid = any(one.kind == "dividend" and rows.place(one.day) == at for one in rows.actions)
        near, day = min(SAME, abs(gap) / 2), rows.days[at]
        doubted = abs(raw + gap) <= abs(raw) + (abs(gap) / 2 if abs(gap) < math.log(jmp.NOTABLE) else 0)
        small = f"the split of {day}, {ratio:g}, is too small to tell whether prices know it"
        if shown and not known and abs(step + raw + gap) < SAME:
            if clear:
                adj[:at] /= ratio
                rows.notes.append(f"adjusted closes before {day} did not know its split of {ratio:g}: adjusted")
            else:
                rows.notes.append(small)
        elif clear and not -near < step - gap * (known and doubted) < (-math.log(1 - PLAUSIBLE) if paid else near):
            said = "which the closes do not show" if known else "which they do not follow"
            rows.refuse(
                f"adjusted closes change against the closes by a factor of {math.exp(step):.4g} on {day}, the day of a "
                f"split of {ratio:g}, {said}"
            )
        elif clear and known and doubted and not shown:
            rows.notes.append(small)
