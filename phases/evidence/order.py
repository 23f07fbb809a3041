"""Whether bars follow each other as those of a market do: each opens near the close before it, and closes wander.

Each bar of a file that runs backwards, that is shuffled, that has another series between its rows or its opens and
closes swapped is sound by itself. So two measures are taken of all bars and of the newest quarter, and bars are refused
only where both speak, far beyond what real series have shown.
"""

from __future__ import annotations

import numpy as np

from phases.evidence.rows import QUARTER, Floats, Rows

BACKWARDS, NEARER = 2.0, 0.65
"""Bars that run backwards: how many times as far from the close before as from the one after an open is at the median,
and the share of opens that are farther. In real quarters 1.32 at the most, and 0.54."""

APART, WANDER, WEEK = 1.5, 0.28, 5
"""Bars that do not follow each other: how many ranges of a day an open is from the close before, at the median, and the
variance of changes over a week to that of five days. In real quarters 1.06 at the most and 0.21 at the least, never
together; 1 for prices that wander, and 0.2 for those in no order."""

ALIKE, VARIED, TURNS, STEPS = 0.1, 0.5, 0.25, 5
"""Where nothing can be told: the share of bars of one price, or that open at their close; the share of closes that must
differ, and of changes that must turn; and how many distances of open and close there must be. A thin stock, a pegged
price, a made-up line and opens at a fixed distance are outside of them."""


def check_order(rows: Rows) -> None:
    """Refuse bars that run backwards, and those that do not follow each other."""
    names = ("open", "high", "low", "close")
    if len(rows.days) < QUARTER or not all(len(rows.columns[name]) for name in names):
        return
    columns = [np.log(rows.columns[name]) for name in names]
    for start in sorted({0, len(rows.days) - QUARTER}):
        first, high, low, close = (one[start:] for one in columns)
        if not _tells(first, high, low, close):
            continue
        before, after = np.abs(first[1:-1] - close[:-2]), np.abs(first[1:-1] - close[2:])
        days = f"{rows.days[start]} to {rows.days[-1]}"
        if np.mean(before > after) > NEARER and np.median(before) > BACKWARDS * np.median(after):
            rows.refuse(
                f"opens of {days} are nearer to the close after than to the one before, as if the bars ran "
                "backwards or open and close were swapped"
            )
        apart = np.median(before) > APART * np.median(high - low)
        if apart and _square(close, WEEK) < WANDER * WEEK * _square(close, 1):
            rows.refuse(
                f"bars of {days} do not follow each other, as if they were in no order or those of another series "
                "stood between them"
            )


def _square(close: Floats, by: int) -> float:
    """The mean square of changes over so many bars."""
    return float(np.mean((close[by:] - close[:-by]) ** 2))


def _tells(first: Floats, high: Floats, low: Floats, close: Floats) -> bool:
    """Whether bars have opens and ranges of their own, and closes that differ and turn."""
    alike, up = max(np.mean(high == low), np.mean(first == close)), np.diff(close) > 0
    varied = len(np.unique(close)) >= VARIED * len(close)
    parts = min(len(np.unique(np.round(one, 6))) for one in (first - close, np.exp(first) - np.exp(close)))
    return bool(alike <= ALIKE and varied and parts >= STEPS and np.mean(up[1:] != up[:-1]) >= TURNS)
