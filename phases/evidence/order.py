"""Whether bars follow each other as those of a market do: each opens near the close before it, and closes wander.

Each bar of a file that runs backwards, that is shuffled, that has another series between its rows or its opens and
closes swapped is sound by itself. So two measures are taken of every quarter and every two months, and bars are refused
only where both speak.
"""

from __future__ import annotations

import numpy as np

from phases.evidence.rows import Floats, Rows

BACKWARDS, NEARER = 2.0, 0.6
"""Bars that run backwards: how many times as far from the close before as from the one after an open is at the median,
and the share of opens that are farther. In real series 1.6 at the most, and 0.59."""

SAYS = 0.22
"""How far that share must be from a half in some quarter: where prices go to and fro, opens know no direction."""

APART, WEEK = 1.0, 5
"""Ranges of a day that an open is from the close before, and sessions of a week, in bars that do not follow each
other."""

QUARTER = 63
WANDER = {QUARTER: 0.25, 42: 0.2}
"""Bars that are judged together, and for those that do not follow each other the variance of changes over a week to
that of five days: 1 for prices that wander, 0.2 at the least in real quarters, whose opens are not apart."""

ALIKE, VARIED, TURNS = 0.1, 0.5, 0.25
"""Share of bars of one price, or that open at their close, above which nothing can be told; the share of closes that
must differ, since few ticks or a made-up wave go to and fro as well; and the share of changes that turn, as those of a
made-up line do not."""

STEPS = 5
"""Distances of open and close, as a part and as a sum, that there must be at the least: else the opens are made up."""


def check_order(rows: Rows) -> None:
    """Refuse bars that run backwards, and those that do not follow each other."""
    names = ("open", "high", "low", "close")
    if len(rows.days) < min(WANDER) or not all(len(rows.columns[name]) for name in names):
        return
    first, high, low, close = (np.log(rows.columns[name]) for name in names)
    before, after = np.abs(first[1:-1] - close[:-2]), np.abs(first[1:-1] - close[2:])
    farther = (before > after).astype(float)
    says = bool((np.abs(_windows(farther, QUARTER - 2).mean(axis=1) - 0.5) > SAYS).any())
    for length, wander in WANDER.items():
        if len(close) < length:
            continue
        backwards = says & (_windows(farther, length - 2).mean(axis=1) > NEARER)
        week, day = (_squares(close, by, length) for by in (WEEK, 1))
        astray = week < wander * WEEK * day
        if not (backwards | astray).any():
            continue
        apart = _medians(before, length)
        backwards &= apart > BACKWARDS * _medians(after, length)
        astray &= apart > APART * _medians((high - low)[1:-1], length)
        for at in np.flatnonzero(backwards | astray):
            if not _tells(*(one[at : at + length] for one in (first, high, low, close))):
                continue
            days = f"{rows.days[at]} to {rows.days[at + length - 1]}"
            if backwards[at]:
                rows.refuse(
                    f"opens of {days} are nearer to the close after than to the one before, as if the bars ran "
                    "backwards or open and close were swapped"
                )
            rows.refuse(
                f"bars of {days} do not follow each other, as if they were in no order or those of another series "
                "stood between them"
            )


def _windows(values: Floats, length: int) -> Floats:
    """Every run of so many values, one a row; none where there are fewer."""
    return np.lib.stride_tricks.sliding_window_view(values, length) if len(values) >= length else values[:0, None]


def _medians(values: Floats, length: int) -> Floats:
    """The median of each window of bars, whose first and last have no neighbour in it."""
    return np.asarray(np.median(_windows(values, length - 2), axis=1))


def _squares(close: Floats, by: int, length: int) -> Floats:
    """The mean square of changes over so many bars, in each window."""
    return np.asarray((_windows(close[by:] - close[:-by], length - by) ** 2).mean(axis=1))


def _tells(first: Floats, high: Floats, low: Floats, close: Floats) -> bool:
    """Whether bars have opens and ranges of their own, and closes that differ and turn."""
    alike, up = max(np.mean(high == low), np.mean(first == close)), np.diff(close) > 0
    varied = len(np.unique(close)) >= VARIED * len(close)
    parts = min(len(np.unique(np.round(one, 6))) for one in (first - close, np.exp(first) - np.exp(close)))
    return bool(alike <= ALIKE and varied and parts >= STEPS and np.mean(up[1:] != up[:-1]) >= TURNS)
