"""Highs, lows and opens that no market made, volume in another unit, and changes below the flag."""

from __future__ import annotations

from typing import Any

import pytest

from phases.core.errors import TickerFailure
from tests.faults.test_data import Change, changed, put, scaled, snapshot, walk
from tests.phases.evidence.test_order import judged, real
from tests.phases.test_market_data import days
from tests.shared import needs_prices

DAYS = days(280)
OTHERS = {one.id for one in snapshot(walk()).evidence} - {"px.volume_ratio", "px.up_volume"}


def times(name: str, at: int, by: float) -> Change:
    return lambda bars: bars[name].__setitem__(at, bars[name][at] * by)


WILD = [("high", 10.0), ("high", 2.3), ("low", 0.01), ("low", 0.3), ("open", 1.32), ("open", 10.0), ("open", 0.1)]


@pytest.mark.parametrize(("name", "by"), WILD)
def test_a_price_of_the_day_that_no_market_made_takes_its_bar_out(name: str, by: float) -> None:
    found = snapshot(changed(times(name, 200, by)))
    assert len(found.notes) == 1 and "far" in found.notes[0] and DAYS[200] in found.notes[0]
    with pytest.raises(TickerFailure, match=f"bar of {DAYS[-1]}: open .* cannot be"):
        snapshot(changed(times(name, -1, by)))


@pytest.mark.parametrize(("name", "by"), [("high", 1.3), ("low", 0.7)])
def test_a_wide_day_is_left_alone(name: str, by: float) -> None:
    assert snapshot(changed(times(name, 200, by))).notes == snapshot(changed(times(name, -1, by))).notes == ()


def test_a_wild_day_on_heavy_volume_is_left_alone() -> None:
    bars = changed(times("high", -1, 2.5))
    bars["volume"][-1] *= 10
    assert snapshot(bars).notes == ()


@pytest.mark.parametrize("at", [200, -1])
def test_an_open_a_little_outside_is_said(at: int) -> None:
    found = snapshot(changed(put("open", at, walk()["high"][at] * 1.03)))
    assert found.notes == (f"opens outside low to high: {DAYS[at]}",)


# a column of other days, or in other terms


@needs_prices
@pytest.mark.parametrize("by", [1, -1])
@pytest.mark.parametrize("name", ["Open", "High", "Low", "Close"])
def test_a_column_of_the_next_or_last_day_is_refused_by_that(name: str, by: int) -> None:
    frame = real("KO")
    frame[name] = frame[name].shift(by)
    which = "open" if name == "Open" else "close"
    with pytest.raises(TickerFailure, match=rf"{which} outside low to high in \d+ of the 63 bars .* of other days"):
        judged(frame.iloc[1:-1])


def test_a_close_that_is_not_adjusted_as_the_others_are_is_refused_by_that() -> None:
    bars = changed(scaled(0.97, slice(None, 150), "open", "high", "low"))
    with pytest.raises(TickerFailure, match=r"close outside low to high in 63 of the 63 bars .* not in their terms"):
        snapshot(bars)


@pytest.mark.parametrize(("name", "few"), [("close", 6), ("open", 15)])
def test_some_bars_that_cannot_be_are_left_out_or_said(name: str, few: int) -> None:
    bars = walk()
    for at in range(150, 150 + 4 * few, 4):
        bars[name][at] = bars["high"][at] * 1.004
        bars["adj_close"][at] = bars["close"][at]
    found = snapshot(bars)
    assert len(found.notes) >= 1 and "outside low to high" in found.notes[0]
    for at in (152, 153, 157):
        bars[name][at] = bars["high"][at] * 1.004
        bars["adj_close"][at] = bars["close"][at]
    with pytest.raises(TickerFailure, match=f"{name} outside low to high in"):
        snapshot(bars)


# volume


@pytest.mark.parametrize("by", [1000.0, 0.001, 100.0 * 1.4])
@pytest.mark.parametrize("last", [2, 5, 40])
def test_volume_in_another_unit_is_not_used(by: float, last: int) -> None:
    bars = changed(scaled(1, slice(-last, None), volume=by))
    found = snapshot(bars)
    assert found.flags == ("volume_unit",) and "as in another unit: volume is not used" in found.notes[0]
    missing = {one.id: one.reason for one in found.missing}
    assert set(missing) == {"px.volume_ratio", "px.up_volume"}
    assert set(missing.values()) == {"the source's volume changes its unit within the newest quarter, and is not used"}
    assert {one.id for one in found.evidence} == OTHERS


def test_one_volume_a_million_times_the_others_is_not_used() -> None:
    assert snapshot(changed(times("volume", -3, 1e6))).flags == ("volume_unit",)


def test_volume_of_a_week_in_which_the_price_moves_a_tenth_is_used() -> None:
    bars = changed(scaled(1, slice(-4, None), volume=300.0))
    for name in ("open", "high", "low", "close", "adj_close"):
        bars[name][-4:] = [round(value * 1.12**at, 4) for at, value in enumerate(bars[name][-4:], 1)]
    assert "volume_unit" not in snapshot(bars).flags


def test_volume_of_a_stock_that_hardly_trades_is_used() -> None:
    bars = walk()
    bars["volume"] = [float(30_000 if at % 40 == 0 else 10 + at % 90) for at in range(280)]
    assert snapshot(bars).flags == ()


def test_volume_after_a_stated_split_is_used() -> None:
    bars = changed(scaled(100, slice(-30, None), "open", "high", "low", "close", volume=0.01))
    bars["adj_close"][:-30] = [value * 100 for value in bars["adj_close"][:-30]]
    bars["adj_close"][-30:] = bars["close"][-30:]
    bars["actions"] = [{"day": DAYS[-30], "kind": "split", "value": 0.01}]
    assert "volume_unit" not in snapshot(bars).flags


@pytest.mark.parametrize("by", [30.0, 0.03])
def test_volume_that_a_market_has_is_used(by: float) -> None:
    assert snapshot(changed(scaled(1, slice(-5, None), volume=by))).flags == ()
    assert snapshot(changed(times("volume", -1, 0.005))).flags == ()


def test_volume_that_comes_with_a_price_is_used() -> None:
    bars = changed(scaled(1.35, slice(-3, None), volume=200))
    assert snapshot(bars).flags == ()


@pytest.mark.parametrize("volume", [0.0, 1000.0, 2147483647.0])
def test_volume_that_is_the_same_in_every_bar_says_nothing(volume: float) -> None:
    found = snapshot({**walk(), "volume": [volume] * 280})
    assert (found.flags, found.notes) == (
        (),
        (f"volume is {volume:.0f} in every bar: it says nothing, and is not used",),
    )
    missing = {one.id: one.reason for one in found.missing}
    assert set(missing) == {"px.volume_ratio", "px.up_volume"}
    assert set(missing.values()) == {"the source's volume says nothing, and is not used"}
    assert {one.id for one in found.evidence} == OTHERS


def test_the_largest_number_in_most_bars_is_no_volume() -> None:
    found = snapshot(changed(lambda bars: bars["volume"].__setitem__(slice(0, 270), [4294967295.0] * 270)))
    assert "volume is 4294967295 in 270 bars: it says nothing, and is not used" in found.notes
    assert {one.id for one in found.missing} == {"px.volume_ratio", "px.up_volume"}


# changes below the flag


@pytest.mark.parametrize("by", [0.75, 0.82, 1.2, 1.35])
def test_a_change_without_volume_is_said(by: float) -> None:
    bars: dict[str, Any] = changed(scaled(by, slice(200, None)))
    found, move = snapshot(bars), bars["close"][200] / bars["close"][199] - 1
    assert found.notes == (f"price changed by {move:+.1%} on {DAYS[200]}, without the volume of such a day",)
    alone = {**bars, "open": [], "high": [], "low": [], "volume": []}
    assert snapshot(alone).notes == (f"price changed by {move:+.1%} on {DAYS[200]}",)
    bars["volume"][200] *= 4
    assert snapshot(bars).notes == ()


@pytest.mark.parametrize("by", [0.76, 1.35])
def test_a_spike_that_goes_back_is_said_once(by: float) -> None:
    bars = changed(scaled(by, slice(200, 202)))
    there, back = (bars["close"][at] / bars["close"][at - 1] - 1 for at in (200, 202))
    told = f"price changed by {there:+.1%} on {DAYS[200]} and by {back:+.1%} on {DAYS[202]}"
    assert snapshot(bars).notes == (told,)
