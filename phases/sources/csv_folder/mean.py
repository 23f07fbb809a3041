"""The equal-weight mean of every series of a folder: what a ticker is compared with where there is no index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from phases.sources.csv_folder.table import Days, Floats

ALIVE = 7
"""Days without a bar after which a series does not count towards what most of them do."""

WILDEST = 5.0
"""A daily change by this factor or its inverse is taken for an error in one series and left out of the mean."""


class Mean(NamedTuple):
    """Level of the mean, 100 on its first session."""

    days: Days
    level: Floats
    counted: list[int]
    """Places of the series that have a return in it."""


def mean_of(series: Sequence[tuple[Days, Floats]], count: int) -> Mean:
    """The mean of the daily returns of the series that have both days, on the last sessions of most series.

    A day is a session if more than half of the series with a bar within a week have one on it. The
    level of a day rests on nothing later.
    """
    days = np.unique(np.concatenate([one for one, _ in series]))
    prices = np.full((len(days), len(series)), np.nan)
    for at, (own, closes) in enumerate(series):
        prices[np.searchsorted(days, own), at] = closes
    there = np.isfinite(prices)
    alive = np.zeros(len(days))
    for column in there.T:
        newest = np.maximum.accumulate(np.where(column, days.astype(np.int64), -(10**9)))
        alive += days.astype(np.int64) - newest < ALIVE
    most = there.sum(axis=1) * 2 > alive
    days, prices = days[most][-count:], prices[most][-count:]
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = prices[1:] / prices[:-1]
        counted = np.isfinite(ratios) & (ratios < WILDEST) & (ratios > 1 / WILDEST)
    number = counted.sum(axis=1)
    steps = np.where(number > 0, np.where(counted, ratios, 0.0).sum(axis=1) / np.maximum(number, 1), 1.0)
    level = 100 * np.cumprod(np.concatenate([[1.0], steps]))
    return Mean(days, level, np.flatnonzero(counted.any(axis=0)).tolist())
