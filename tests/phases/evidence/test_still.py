"""Series that were filled forward after they ended, and benchmarks that never move."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from phases.core.errors import SourceDown, TickerFailure
from phases.market_data import macro_snapshot, market_snapshot
from tests.faults.test_data import changed, snapshot, walk
from tests.faults.test_still_data import frozen
from tests.phases.test_market_data import AS_OF, Shelf, days, question
from tests.support import fetch_door, settings

DAYS = days(280)
CLOSES = {"open": [], "high": [], "low": [], "volume": []}


@pytest.mark.parametrize("count", [5, 10, 100])
def test_bars_that_repeat_to_the_newest_are_as_old_as_the_first_of_them(count: int) -> None:
    bars = changed(frozen(280 - count, count))
    told = f"newest bar of ACME that is no copy is {DAYS[280 - count]}, {count - 1} sessions before 2008-09-30"
    with pytest.raises(TickerFailure, match=told) as failure:
        snapshot(bars)
    assert failure.value.status == "stale"
    found = snapshot(changed(frozen(275, 5)), "market.stale_after_sessions=4")
    assert found.flags == ("frozen", "late_bar") and found.session == AS_OF


@pytest.mark.parametrize("count", [10, 100])
def test_closes_alone_and_closes_with_their_volume_are_too(count: int) -> None:
    bars = changed(frozen(280 - count, count))
    with pytest.raises(TickerFailure, match="that is no copy"):
        snapshot({**bars, **CLOSES})
    with pytest.raises(TickerFailure, match="that is no copy"):
        snapshot({**bars, "volume": [0.0] * 280})
    with pytest.raises(TickerFailure, match="that is no copy"):
        wide = changed(frozen(280 - count, count, "open", "high", "low"))
        snapshot({**wide, "high": [x * 1.5 for x in wide["high"]], "low": [x * 0.6 for x in wide["low"]]})
    with pytest.raises(TickerFailure, match="no share of ACME traded"):
        empty = {**bars, "volume": [*bars["volume"][:-count], *[0.0] * count]}
        snapshot(empty)


def test_four_bars_or_nine_closes_may_repeat() -> None:
    assert snapshot(changed(frozen(276, 4))).flags == ()
    assert snapshot({**changed(frozen(271, 9)), **CLOSES}).flags == ()
    assert snapshot(changed(frozen(200, 80, "volume"))).flags == ("frozen",), "the price stands, and is traded"


def fund(step: int) -> dict[str, Any]:
    """Values of a fund that grow by a cent after so many days; nobody tells of trades."""
    values = [10.0 + (at // step) / 100 for at in range(280)]
    return {**walk(), **dict.fromkeys(("open", "high", "low", "close", "adj_close"), values), "volume": [0.0] * 280}


@pytest.mark.parametrize(("step", "flags"), [(1, ()), (5, ()), (15, ("frozen",)), (1000, ("frozen",))])
def test_values_of_a_fund_may_stand_as_they_do_all_the_time(step: int, flags: tuple[str, ...]) -> None:
    assert snapshot(fund(step)).flags == flags, "never stale"


def test_values_that_stand_longer_than_ever_have_ended() -> None:
    ended = fund(5)
    for name in ("open", "high", "low", "close", "adj_close"):
        ended[name] = [*ended[name][:240], *[ended[name][240]] * 40]
    with pytest.raises(TickerFailure, match="that is no copy"):
        snapshot(ended)


def test_copies_with_noise_are_copies() -> None:
    bars = changed(frozen(240, 40))
    for name in ("open", "high", "low", "close", "adj_close"):
        bars[name] = [value * (1 + 1e-6 * (at % 3)) for at, value in enumerate(bars[name])]
    with pytest.raises(TickerFailure, match="that is no copy"):
        snapshot(bars)


def flat(volume: bool) -> dict[str, Any]:
    bars = walk()
    for name in ("open", "high", "low", "close", "adj_close"):
        bars[name] = [100.0] * 280
    return bars if volume else {**bars, "volume": [0.0] * 280}


@pytest.mark.parametrize("volume", [True, False])
def test_a_benchmark_that_never_moves_is_none(volume: bool) -> None:
    shelf = Shelf(walk(), benchmark=flat(volume))
    with pytest.raises(SourceDown, match="64 closes to 2008-09-30 are all 100: what never moves is no benchmark"):
        macro_snapshot(AS_OF, question(), settings().market, fetch=fetch_door(shelf))
    with pytest.raises(TickerFailure, match="what never moves is no benchmark"):
        market_snapshot("ACME", AS_OF, question(), settings().market, fetch=fetch_door(shelf))


def copied(start: int, end: int, source: int, *without: str) -> dict[str, Any]:
    """A walk whose bars from one place to another are those of an earlier place on."""
    bars = walk()
    for name in {"open", "high", "low", "close", "adj_close", "volume"} - {*without}:
        bars[name] = [*bars[name][:start], *bars[name][source : source + end - start], *bars[name][end:]]
    return bars


@pytest.mark.parametrize("count", [5, 21])
def test_the_newest_bars_may_not_be_those_of_earlier_sessions(count: int) -> None:
    told = f"newest bar of ACME that is no copy is {DAYS[279 - count]}, {count} sessions before 2008-09-30"
    with pytest.raises(TickerFailure, match=told) as failure:
        snapshot(copied(280 - count, 280, 258 - count))
    assert failure.value.status == "stale"


def test_a_copy_in_between_is_said_with_where_it_is_from() -> None:
    found = snapshot(copied(260, 270, 245))
    assert found.flags == ("frozen",)
    assert f"10 bars, {DAYS[260]} to {DAYS[269]}, are those of {DAYS[245]} to {DAYS[254]} again" in found.notes


def test_a_few_bars_that_come_again_are_no_copy() -> None:
    assert snapshot(copied(276, 280, 272)).flags == ()
    assert snapshot({**copied(258, 280, 236), **CLOSES}).flags == (), "closes alone may be the same"
    assert snapshot({**copied(270, 280, 260), "volume": [1000.0] * 280}).flags == (), "so may bars whose volume is"
    assert snapshot(copied(270, 280, 260, "volume")).flags == (), "another volume is another session"


def test_a_series_that_repeats_itself_again_and_again_was_made_so() -> None:
    bars = walk()
    period = {name: [*bars[name][:40] * 7] for name in ("open", "high", "low", "close", "adj_close", "volume")}
    assert "frozen" not in snapshot({**bars, **period}).flags
    saw = [100.0 + abs(day.toordinal() % 96 - 48) / 4 for day in map(date.fromisoformat, DAYS)]
    assert "frozen" not in snapshot({**bars, **dict.fromkeys(period, saw)}).flags
