"""Bars of days without a session, of weeks and of months, and dates that are shifted in a part of the year."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest

from phases.core.errors import SourceDown, TickerFailure
from phases.evidence.quality import checked
from phases.market_data import macro_snapshot
from schemas.market import Bars
from tests.faults.test_data import changed, kept, snapshot, walk
from tests.faults.test_still_data import COLUMNS
from tests.phases.test_market_data import AS_OF, Shelf, days, question
from tests.support import fetch_door, settings

DAYS = [date.fromisoformat(day) for day in days(280)]


def with_bar(bars: dict[str, Any], day: str, by: float = 1.01, volume: float = 1e6) -> dict[str, Any]:
    """A bar more, which follows the one before."""
    at = sum(one < day for one in bars["days"])
    for name in COLUMNS:
        bars[name].insert(at, volume if name == "volume" else bars[name][at - 1] * by)
    bars["days"].insert(at, day)
    return bars


@pytest.mark.parametrize(("by", "volume"), [(1.01, 1e6), (1.0, 1e6), (1.01, 0.0)])
def test_a_bar_of_a_holiday_is_left_out_by_day(by: float, volume: float) -> None:
    found = snapshot(with_bar(walk(), "2007-11-22", by, volume))
    assert found.notes == ("bars left out, dated when XNYS is closed: 2007-11-22",)
    assert found.evidence == snapshot(walk()).evidence


def test_bars_filled_over_every_holiday_are_left_out() -> None:
    bars = walk()
    lacking = [DAYS[0] + timedelta(n) for n in range((DAYS[-1] - DAYS[0]).days)]
    for day in sorted({one for one in lacking if one.weekday() < 5} - set(DAYS)):
        with_bar(bars, day.isoformat(), 1.0)
    found = snapshot(bars)
    assert len(bars["days"]) > 285 and found.evidence == snapshot(walk()).evidence
    assert len(found.notes) == 1 and "dated when XNYS is closed" in found.notes[0]


def test_a_stock_of_another_exchange_keeps_its_bars_with_a_note() -> None:
    bars = walk()
    for day in ("2007-11-22", "2008-01-21", "2008-05-26", "2008-09-01"):
        with_bar(bars, day)
    found = snapshot(bars)
    assert "traded on days when XNYS is closed: 2007-11-22, 2008-01-21" in found.notes[0]
    assert "its exchange may be another" in found.notes[0]
    got = checked(Bars.model_validate_json(json.dumps(bars)), "ACME", AS_OF, settings().market)
    assert len(got.bars.days) == 284


@pytest.mark.parametrize("by", [-1, 1])
def test_days_that_are_shifted_in_winter_alone_are_refused(by: int) -> None:
    bars = walk()
    winter = [date(2007, 11, 5) <= day < date(2008, 3, 7) for day in DAYS]
    bars["days"] = [str(day + timedelta(by * cold)) for day, cold in zip(DAYS, winter, strict=True)]
    moved = dict.fromkeys(bars["days"])
    if len(moved) < 280:  # the day where the shift ends stands twice
        bars = {**bars, **{name: bars[name][:280] for name in COLUMNS}}
        at = [n for n in range(280) if bars["days"].index(bars["days"][n]) == n]
        bars = {
            **bars,
            "days": [bars["days"][n] for n in at],
            **{name: [bars[name][n] for n in at] for name in COLUMNS},
        }
    with pytest.raises(TickerFailure, match="shifted by one in a part of the year; check the zone of its dates"):
        snapshot(bars)


def of_period(key: Callable[[date], Any], years: int = 6) -> dict[str, Any]:
    """The last bar of each week or month."""
    count = 252 * years
    bars = walk(count)
    have = [date.fromisoformat(day) for day in bars["days"]]
    last = [at for at in range(count) if at == count - 1 or key(have[at]) != key(have[at + 1])]
    return {**bars, "days": [bars["days"][at] for at in last], **{n: [bars[n][at] for at in last] for n in COLUMNS}}


SPARSE: dict[str, dict[str, Any]] = {
    "weeks": of_period(lambda day: day.isocalendar()[:2]),
    "few-weeks": of_period(lambda day: day.isocalendar()[:2], 1),
    "months": of_period(lambda day: day.month),
    "months-of-a-year": of_period(lambda day: day.month, 1),
    "every-second": changed(kept(lambda at: at % 2 == 1)),
    "three-of-four": changed(kept(lambda at: at % 4 != 0)),
    "no-mondays-and-fridays": changed(kept(lambda at: DAYS[at].weekday() in (1, 2, 3))),
    "thirty-of-sixty": changed(kept(lambda at: at >= 220 and at % 2 == 1)),
}


@pytest.mark.parametrize("case", SPARSE)
def test_bars_that_are_not_daily_are_refused(case: str) -> None:
    with pytest.raises(TickerFailure, match=r"ACME: \d+ bars for the \d+ sessions since .* bars are missing"):
        snapshot(SPARSE[case])
    with pytest.raises(SourceDown, match=r"benchmark .* bars are missing"):
        macro_snapshot(AS_OF, question(), settings().market, fetch=fetch_door(Shelf(walk(), benchmark=SPARSE[case])))


def test_few_sessions_without_a_bar_are_named() -> None:
    """What is counted by bars spans more sessions where some lack; of a benchmark likewise."""
    gone = (277, 265, 250, 235, 220, 200, 170, 140)
    for places in (gone[:3], gone):
        bars = changed(kept(lambda at, out=places: at not in out))  # type: ignore[misc]
        found = snapshot(bars)
        told = ", ".join(str(DAYS[at]) for at in sorted(places)[:5]) + " and 3 more" * (len(places) > 5)
        assert (found.flags, found.notes) == ((), (f"no bars for {len(places)} sessions of XNYS: {told}",))
        shelf = Shelf(walk(), benchmark=bars)
        common = macro_snapshot(AS_OF, question(), settings().market, fetch=fetch_door(shelf))
        assert found.notes[0] in common.notes
    assert snapshot({**changed(kept(lambda at: at != 250)), "exchange_assumed": True}).notes == ()


def test_a_series_that_lacks_one_bar_in_eight_is_thin() -> None:
    found = snapshot(changed(kept(lambda at: at % 8 != 0 or at == 279)))
    assert "thin" in found.flags


def test_a_bar_of_years_ago_is_told_as_older_than_a_year() -> None:
    with pytest.raises(TickerFailure, match="more than 252 sessions before 2008-09-30") as failure:
        snapshot(walk(last=date(2006, 9, 29)))
    assert failure.value.status == "stale"
    holed = walk(600)
    cut = {name: holed[name][:100] + holed[name][500:] for name in ("days", *COLUMNS)}
    assert any("no bars for more than 252 sessions before" in note for note in snapshot({**holed, **cut}).notes)
