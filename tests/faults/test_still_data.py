"""Bars that stand still, that nobody traded, that are of days without a session or of two units: each is said."""

from __future__ import annotations

import json
import random
from datetime import date, timedelta
from typing import Any

import pytest

from phases.core.errors import TickerFailure
from phases.evidence.quality import checked
from schemas.market import Bars
from tests.faults.test_data import PRICES, changed, put, snapshot, walk
from tests.phases.test_market_data import AS_OF, days
from tests.support import settings

COLUMNS = (*PRICES, "volume")
LAST = days(280)[-1]


def frozen(first: int, count: int, *but: str) -> Any:
    """The bars from a place on repeat the one there."""

    def change(bars: dict[str, Any]) -> None:
        for name in set(COLUMNS) - set(but):
            bars[name][first : first + count] = [bars[name][first]] * count

    return change


@pytest.mark.parametrize(("first", "count"), [(269, 10), (100, 10), (0, 10), (200, 5)])
def test_bars_that_repeat_are_flagged_with_their_days(first: int, count: int) -> None:
    found = snapshot(changed(frozen(first, count)))
    assert found.flags == ("frozen",)
    told = f"{count} bars in a row say the same: {days(280)[first]} to {days(280)[first + count - 1]}"
    assert told in found.notes


def test_bars_that_only_resemble_each_other_are_not() -> None:
    assert snapshot(changed(frozen(270, 4))).flags == ()
    assert snapshot(changed(frozen(271, 9, "volume"))).flags == (), "the price stands, and is traded"
    assert snapshot(changed(frozen(270, 10, "volume"))).flags == ("frozen",), "for long, but it is not stale"
    nobody = changed(frozen(200, 10))
    nobody["volume"][200:210] = [0.0] * 10
    assert snapshot(nobody).flags == (), "nobody trades, so the price stands"


def test_closes_alone_repeat_ten_times_before_they_are_flagged() -> None:
    for count, flags in ((9, ()), (10, ("frozen",))):
        bars = changed(frozen(100, count))
        assert snapshot({**bars, "open": [], "high": [], "low": [], "volume": []}).flags == flags


def test_an_index_without_volume_repeats_ten_times_before_it_is_flagged() -> None:
    for count, flags in ((9, ()), (10, ("frozen",))):
        assert snapshot({**changed(frozen(100, count)), "volume": [0.0] * 280}).flags == flags


def test_sessions_without_a_share_traded_are_noted() -> None:
    four = changed(lambda bars: bars["volume"].__setitem__(slice(-4, None), [0.0] * 4))
    found = snapshot(four)
    assert (found.flags, found.notes) == ((), (f"sessions without a share traded: {', '.join(days(280)[-4:])}",))
    assert snapshot(changed(put("volume", 100, 0.0))).notes == (f"sessions without a share traded: {days(280)[100]}",)
    many = changed(lambda bars: bars["volume"].__setitem__(slice(100, 120), [0.0] * 20))
    assert f"{days(280)[119]} (20 in all)" in snapshot(many).notes[0]


def weekly(bars: dict[str, Any], *places: int) -> dict[str, Any]:
    """A bar of the Saturday behind each Friday at a place."""
    for at in sorted(places, reverse=True):
        friday = date.fromisoformat(bars["days"][at])
        assert friday.weekday() == 4
        bars["days"].insert(at + 1, (friday + timedelta(1)).isoformat())
        for name in COLUMNS:
            bars[name].insert(at + 1, bars[name][at] * 1.01)
    return bars


FRIDAYS = [at for at, day in enumerate(days(280)) if date.fromisoformat(day).weekday() == 4]


def test_bars_of_a_weekend_are_left_out_by_day() -> None:
    whole, found = snapshot(walk()), snapshot(weekly(walk(), FRIDAYS[3], FRIDAYS[-1]))
    assert found.evidence == whole.evidence
    told = ", ".join(str(date.fromisoformat(days(280)[at]) + timedelta(1)) for at in (FRIDAYS[3], FRIDAYS[-1]))
    assert found.notes == (f"bars left out, dated on a weekend, when XNYS is closed: {told}",)


def test_what_trades_at_weekends_keeps_its_bars() -> None:
    bars = weekly(walk(exchange="24/7"), *FRIDAYS)
    assert snapshot(bars).notes == ()


def test_sundays_of_riyadh_are_sessions_and_its_calendar_has_an_end() -> None:
    """From 2021 on its calendar is known. The Exchange was closed at both Eids of 2022, three Sundays among the days."""
    bars = walk(exchange="XSAU", last=date(2023, 3, 27))
    weekdays = [day for n in range(392) if (day := date(2023, 3, 27) - timedelta(n)).weekday() < 5]
    bars["days"] = sorted(_riyadh(day.isoformat()) for day in weekdays[:280])
    got = Bars.model_validate_json(json.dumps(bars))
    found = checked(got, "ACME", date(2023, 3, 26), settings().market)
    eids = "dated on a weekend, when XSAU is closed: 2022-05-01, 2022-05-08, 2022-07-10"
    assert (found.flags, found.notes[1:]) == ((), (f"bars left out, {eids}",))
    assert "traded on days when XSAU is closed: 2022-04-28" in found.notes[0], "and weekdays"
    with pytest.raises(
        TickerFailure, match="the sessions of XSAU are known for 2021-01-01 to 2029-12-31 alone, not for 2008"
    ):
        snapshot(walk(exchange="XSAU", last=date(2008, 9, 29)))


def _riyadh(day: str) -> str:
    """Sunday to Thursday, for Monday to Friday."""
    return (date.fromisoformat(day) - timedelta(1)).isoformat()


def test_days_that_are_shifted_by_one_are_refused() -> None:
    """Moments of midnight in London read on the clock of New York are of the evening before."""
    bars = walk()
    bars["days"] = [_riyadh(day) for day in bars["days"]]
    with pytest.raises(
        TickerFailure, match="none on a Monday or a Friday, as if days were shifted by one; check the zone"
    ):
        snapshot(bars)
    with pytest.raises(TickerFailure, match="dated on a weekend, when XNYS is closed"):
        snapshot({**walk(1), "days": ["2008-09-28"]})


@pytest.mark.parametrize("by", [100, 0.01])
def test_two_units_inside_one_series_never_pass(by: float) -> None:
    """Sessions in a row, or here and there, up to half of all; with volume and without."""
    draw, right, seen = random.Random(100), walk()["close"], set()
    for number in range(60):
        bars, share = walk(), (0.005, 0.02, 0.04, 0.4)[number % 4]
        length = 1 if share > 0.1 else draw.randrange(1, 12)
        hits = {at + n for at in range(280) if draw.random() < share for n in range(length)} & {*range(280)}
        for name in PRICES:
            bars[name] = [x * (by if at in hits else 1) for at, x in enumerate(bars[name])]
        if number % 5 == 0:
            bars["volume"] = []
        try:
            found = checked(Bars.model_validate_json(json.dumps(bars)), "ACME", AS_OF, settings().market)
        except TickerFailure as failure:
            assert "in doubt" in failure.reason
            seen.add("refused")
            continue
        assert found.bars.close == pytest.approx(right, rel=1e-9)
        assert bool(found.notes) == bool(hits)
        seen.add("repaired" if hits else "sound")
    assert {"refused", "repaired"} <= seen
