"""Whether debates are healthy: the alarms at their limits, and the offline desk over years of real prices."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phases.core.runs import Runs
from phases.core.store import open_store
from phases.maths.health import Rate, echo, mean_tilt, spread
from phases.night import hold_night
from phases.plan import Words, plan
from schemas.feed import FeedRow
from schemas.summary import RATED

STEP = 1 if os.environ.get("REBUTTAL_NIGHTLY") else 12
MONTHS = [f"{year}-{month:02d}-28" for year in range(2004, 2014) for month in range(1, 13)][:110][::STEP]
"""Nights of 2004 to 2013, as far as the packaged prices go: one a year, every month by night."""


def rows(out: Path) -> Iterator[FeedRow]:
    """The rows of the desk's nights over the packaged universe, each night with what the earlier ones left."""
    store = open_store(out)
    try:
        for day in MONTHS:
            planned = plan(Words(as_of=day, sets=("debate.protocol=desk",), debate="all"), Runs(store))
            yield from hold_night(planned, store, out, lambda ticker, reason: None).feed.rows
    finally:
        store.close()


def test_the_changes_of_the_desk_are_not_nearly_all_one(tmp_path: Path) -> None:
    found = list(rows(tmp_path))
    assert len({row.as_of for row in found}) == len(MONTHS)
    debated = [row for row in found if row.status in RATED]
    assert len(debated) >= 0.9 * len(found)
    assert {row.decided_by for row in debated} == {"code"}
    changes = spread([row.conviction_delta or 0 for row in debated])
    assert not changes.alarm, changes
    assert changes.top is not None and changes.top <= 0.8
    assert min(changes.counts) < 0 < max(changes.counts), "either side can gain"


# the alarms


@pytest.mark.parametrize(
    ("deltas", "top", "alarm"),
    [
        ([], None, False),
        ([0] * 9, 1.0, False),  # too few to tell
        ([0] * 10, 1.0, True),
        ([0] * 8 + [1, -1], 0.8, False),  # exactly 4/5
        ([1] * 9 + [0], 0.9, True),
        ([0] * 4 + [1] * 3 + [-1] * 3, 0.4, False),
        ([0] * 401 + [1] * 99, 0.802, True),
    ],
)
def test_one_change_may_take_four_fifths(deltas: list[int], top: float | None, alarm: bool) -> None:
    found = spread(deltas)
    assert (found.top, found.alarm) == (top, alarm)
    assert list(found.counts) == sorted(set(deltas))
    assert sum(found.counts.values()) == len(deltas)


@given(st.lists(st.integers(-2, 2)))
def test_the_spread_is_that_of_the_mirror(deltas: list[int]) -> None:
    found, other = spread(deltas), spread([-one for one in deltas])
    assert (found.top, found.alarm) == (other.top, other.alarm)
    assert found.counts == {-change: count for change, count in other.counts.items()}


@pytest.mark.parametrize(
    ("scores", "deltas", "rate"),
    [
        ([], [], Rate(None, 0)),
        ([0, 3], [2, 0], Rate(None, 0)),  # without a sign there is nothing to echo
        ([3, -2, 4], [1, 1, -1], Rate(0.3333, 3)),
        ([-5, 5], [-1, 1], Rate(1.0, 2)),
    ],
)
def test_an_echo_is_the_scores_own_sign(scores: list[int], deltas: list[int], rate: Rate) -> None:
    assert echo(scores, deltas) == rate


def test_an_echo_needs_a_score_for_each_change() -> None:
    with pytest.raises(ValueError):
        echo([1, 2], [1])


@pytest.mark.parametrize(
    ("tilts", "mean", "error", "alarm"),
    [
        ([], None, None, False),
        ([0.5], 0.5, None, False),
        ([0.5] * 9, 0.5, 0.0, False),  # too few to tell
        ([0.5] * 10, 0.5, 0.0, True),
        ([0.0] * 10, 0.0, 0.0, False),
        ([0.5, -0.5] * 5, 0.0, 0.1667, False),
        ([0.5, -0.2] * 5, 0.15, 0.1167, False),
        ([0.5, 0.1] * 5, 0.3, 0.0667, True),
        ([-0.5, -0.1] * 5, -0.3, 0.0667, True),
    ],
)
def test_a_side_is_favoured_beyond_two_errors(
    tilts: list[float], mean: float | None, error: float | None, alarm: bool
) -> None:
    found = mean_tilt(tilts)
    assert (found.mean, found.error, found.n) == (mean, error, len(tilts))
    assert found.alarm is alarm
