"""Faults of prices, each put into sound bars or files and followed to the snapshot, the row or the error."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from phases.core.errors import NoData, SourceDown, TickerFailure, Unanswered
from phases.core.store import open_store
from phases.evidence.quality import checked
from phases.market_data import macro_snapshot, market_snapshot
from phases.night import hold_night
from phases.plan import CONFIGS, Words, plan
from schemas.market import Bars, MarketSnapshot, Question
from tests.phases.test_market_data import AS_OF, Shelf, bars_of, days, question
from tests.shared import source_of
from tests.support import fetch_door, settings

Change = Callable[[dict[str, Any]], None]
PRICES = ("open", "high", "low", "close", "adj_close")


def walk(count: int = 280, seed: int = 7, **more: Any) -> dict[str, Any]:
    """Bars of a price that moves a little every day, with a volume that does too."""
    draw, closes = random.Random(seed), [50.0]
    while len(closes) < count:
        closes.append(round(closes[-1] * (1 + draw.gauss(0, 0.012)), 4))
    bars = bars_of(closes, **more)
    bars["high"], bars["low"] = ([round(x * by, 4) for x in closes] for by in (1.01, 0.99))
    bars["volume"] = [float(draw.randrange(800_000, 1_200_000)) for _ in closes]
    return bars


def snapshot(bars: dict[str, Any], *words: str) -> MarketSnapshot:
    """The real phase over these bars."""
    shelf = Shelf(bars, benchmark=walk(seed=8))
    found: MarketSnapshot = market_snapshot("ACME", AS_OF, question(), settings(*words).market, fetch=fetch_door(shelf))
    return found


def changed(change: Change) -> dict[str, Any]:
    bars = walk()
    change(bars)
    return bars


def scaled(by: float, part: slice, *names: str, volume: float = 1.0) -> Change:
    """Prices of some sessions times a factor, and their volume times another."""

    def change(bars: dict[str, Any]) -> None:
        for name in names or PRICES:
            bars[name][part] = [x * by for x in bars[name][part]]
        bars["volume"][part] = [x * volume for x in bars["volume"][part]]

    return change


def put(name: str, at: int, value: Any) -> Change:
    return lambda bars: bars[name].__setitem__(at, value)


YESTERDAY, LAST, BEFORE = days(280)[-2], days(280)[-1], days(280)[-3]

REFUSED: dict[str, tuple[Change, str, str]] = {
    "F117-zero": (put("close", -4, 0.0), "no_data", "ACME: close of 2008-09-25 is 0.0"),
    "F117-below": (put("low", 5, -1.0), "no_data", "low of .* is -1.0"),
    "F117-volume": (put("volume", 5, -1.0), "no_data", "volume of .* is -1.0"),
    "F118": (
        lambda bars: bars.update(walk(last=date(2008, 9, 12))),
        "stale",
        "newest bar of ACME is 2008-09-12, 12 sessions before 2008-09-30.*last session of XNYS is 2008-09-30",
    ),
    "F120-yesterday": (scaled(0.1, slice(-1, None)), "no_data", f"-[89].* on {LAST}.*split"),
    "F120-two-days": (scaled(0.1, slice(-2, None), volume=10), "no_data", f"on {YESTERDAY}.*{YESTERDAY} to {LAST}"),
    "F120-long-ago": (scaled(0.25, slice(100, None), volume=4), "no_data", "split"),
    "F120-two-for-one": (scaled(0.5, slice(-30, None), volume=2), "no_data", "split"),
    "F120-reverse": (scaled(10, slice(-30, None), volume=0.1), "no_data", r"\+9.*split"),
    "F122": (scaled(100, slice(-3, None)), "no_data", f"units by .*{BEFORE} to {LAST} are in doubt"),
    "F122-smaller": (scaled(0.01, slice(-3, None)), "no_data", f"{BEFORE} to {LAST} are in doubt"),
    "F122-at-first": (scaled(100, slice(0, 90)), "no_data", "units"),
    "F122-block": (scaled(100, slice(100, 140)), "no_data", "units"),
    "F123-other-values": (put("days", -1, YESTERDAY), "no_data", f"two different bars for {YESTERDAY}"),
    "F125-high-low": (lambda b: b.update(high=b["low"], low=b["high"]), "no_data", "bar of .*cannot be"),
    "F125-old-row": (put("high", 30, 10.0), "no_data", rf"bar of {days(280)[30]}.*high 10"),
    "F125-newest": (put("low", -1, 1e3), "no_data", f"bar of {LAST}"),
    "F134": (lambda bars: bars.update(symbol="OTHER"), "no_data", "ACME: the source answered with bars of OTHER"),
    "F135": (lambda bars: bars["volume"].__setitem__(slice(-5, None), [0.0] * 5), "refused", "traded in 5 sessions"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bars_that_are_wrong_are_refused_naming_what(case: str) -> None:
    change, status, why = REFUSED[case]
    with pytest.raises(TickerFailure, match=f"(?s){why}") as failure:
        snapshot(changed(change))
    assert failure.value.status == status
    assert "ACME" in failure.value.reason


def test_the_sound_bars_are_accepted_without_a_word() -> None:
    found = snapshot(walk())
    assert (found.notes, found.flags, found.missing) == ((), (), ())


def test_f114_no_bars_are_no_answer() -> None:
    with pytest.raises(Unanswered, match="nobody knows why"):
        snapshot(bars_of([]))


def test_f115_nothing_for_anyone_stops_the_run_before_any_call(tmp_path: Path) -> None:
    (tmp_path / "prices").mkdir()
    head = "Date,Open,High,Low,Close,Volume\n"
    rows = "".join(f"{day},{n},{n},{n},{n},1\n" for n, day in enumerate(days(280), 100))
    (tmp_path / "prices" / "SPY.csv").write_text(head + rows)
    for name in ("AAA", "BBB"):
        (tmp_path / "prices" / f"{name}.csv").write_text(head)
    sets = (f"source.path={tmp_path / 'prices'}", "question.benchmark=SPY", "bias.wording=false")
    planned = plan(Words(("AAA", "BBB"), CONFIGS / "csv.yaml", sets, "2008-09-30"), None)
    store = open_store(tmp_path / "out")
    try:
        with pytest.raises(SourceDown, match="source outage: none of 2 tickers"):
            hold_night(planned, store, tmp_path / "out", lambda ticker, reason: None)
        with store.read() as connection:
            found = connection.exec_driver_sql("SELECT DISTINCT kind FROM calls").all()
        assert [kind for (kind,) in found] == ["fetch"]
    finally:
        store.close()


def test_f116_a_newest_bar_without_prices_gives_way_to_the_one_before(tmp_path: Path) -> None:
    rows = [f"{day},{n},{n + 1},{n - 1},{n},1000" for n, day in enumerate(days(280), 100)]
    text = "\n".join(["Date,Open,High,Low,Close,Volume", *rows[:-1], f"{LAST},NaN,NaN,NaN,NaN,6527"])
    for name in ("ACME", "OTHER"):
        (tmp_path / f"{name}.csv").write_text(text)
    found = market_snapshot(
        "ACME",
        AS_OF,
        Question.model_validate({**question().model_dump(), "benchmark": "UNIVERSE"}),
        settings().market,
        fetch=fetch_door(source_of(tmp_path)),
    )
    assert found.session.isoformat() == YESTERDAY
    assert {one.as_of.isoformat() for one in found.evidence} == {YESTERDAY}
    assert any(LAST in note and f"newest bar used is of {YESTERDAY}" in note for note in found.notes)
    assert "nan" not in found.model_dump_json().lower()


def test_f119_a_bar_one_session_late_is_used_under_its_own_date() -> None:
    found = snapshot(walk(last=date(2008, 9, 29)))
    assert found.session == date(2008, 9, 29)
    assert {one.as_of for one in found.evidence} == {date(2008, 9, 29)}
    assert "newest bar of ACME is 2008-09-29, 1 session before 2008-09-30" in found.notes[0]
    with pytest.raises(TickerFailure, match="0 are allowed"):
        snapshot(walk(last=date(2008, 9, 29)), "market.stale_after_sessions=0")


def test_f119_the_exchange_of_the_ticker_says_what_is_late() -> None:
    """Tokyo was closed on 2008-09-23, Chinese markets in the first week of October."""
    bars = walk(last=date(2008, 9, 22), exchange="XTKS")
    asked = settings("market.stale_after_sessions=1").market
    got = Bars.model_validate_json(json.dumps(bars))
    assert "1 session before" in checked(got, "ACME", date(2008, 9, 24), asked).notes[-1]
    with pytest.raises(TickerFailure, match="2 sessions before"):
        checked(got.model_copy(update={"exchange": "XNYS"}), "ACME", date(2008, 9, 24), asked)


def test_f120_a_split_that_is_known_explains_the_fall() -> None:
    whole = snapshot(walk())
    bars = changed(scaled(0.1, slice(-20, None), volume=10))
    bars["actions"] = [{"day": days(280)[-20], "kind": "split", "value": 10.0}]
    found = snapshot(bars)
    assert any("did not know its split of 10: adjusted" in note for note in found.notes)
    values, expected = ({one.id: one.value for one in each.evidence} for each in (found, whole))
    assert {**values, "px.close": 0} == {**expected, "px.close": 0}


def test_f121_a_real_fall_on_heavy_volume_is_accepted_with_a_flag() -> None:
    for by, times in ((0.4, 8), (0.4, 5.5), (0.1, 40), (2.6, 6)):
        bars = changed(scaled(by, slice(-1, None)))
        bars["volume"][-1] *= times
        found = snapshot(bars)
        assert found.flags == ("jump",)
        assert LAST in found.notes[-1] and "on heavy volume" in found.notes[-1]
        assert {one.id: one.value for one in found.evidence}["px.close"] == round(bars["close"][-1], 2)


def test_f122_one_session_in_other_units_that_goes_back_is_repaired() -> None:
    for by in (100, 0.01):
        found = snapshot(changed(scaled(by, slice(200, 202))))
        assert found.evidence == snapshot(walk()).evidence
        assert any(f"prices of {days(280)[200]}, {days(280)[201]} were off by 100" in note for note in found.notes)


def test_f123_the_same_bar_twice_counts_once() -> None:
    bars = walk()
    for name in ("days", *PRICES, "volume"):
        bars[name].insert(100, bars[name][100])
    found = snapshot(bars)
    assert found.evidence == snapshot(walk()).evidence
    assert found.notes == (f"bars that stood twice are counted once: {days(280)[100]}",)


def test_f124_descending_rows_give_the_same_snapshot() -> None:
    bars = {name: column[::-1] if isinstance(column, list) else column for name, column in walk().items()}
    assert snapshot(bars) == snapshot(walk())


def test_f125_an_old_close_a_little_outside_its_range_is_left_out_by_name() -> None:
    found = snapshot(changed(put("high", 30, walk()["close"][30] * 0.99)))
    assert found.notes == (f"bars left out, their close outside low to high: {days(280)[30]}",)


def test_f127_later_bars_are_dropped_and_counted() -> None:
    bars, later = walk(), walk(283)
    bars = {**later, "days": [*days(280), "2008-10-01", "2008-10-02", "2008-10-03"]}
    cut = {name: column[:280] if isinstance(column, list) else column for name, column in bars.items()}
    found = snapshot(bars)
    assert found.evidence == snapshot(cut).evidence
    assert found.notes == ("bars later than 2008-09-30 dropped: 3",)
    assert found.session == AS_OF


@pytest.mark.parametrize(("minor", "whole"), [("GBp", "GBP"), ("ZAc", "ZAR"), ("ILA", "ILS")])
def test_f133_hundredths_become_the_currency(minor: str, whole: str) -> None:
    found = snapshot({**walk(), "currency": minor})
    close = next(one for one in found.evidence if one.id == "px.close")
    assert (close.label, close.unit) == (f"last close in {whole}", "index")
    assert close.value == round(walk()["close"][-1] / 100, 2)
    assert found.notes == (f"prices in {minor} divided by 100: {whole}",)
    others = {one.id: one.value for one in found.evidence if one.id != "px.close"}
    assert others == {one.id: one.value for one in snapshot(walk()).evidence if one.id != "px.close"}


def test_f135_a_halted_ticker_goes_on_only_where_the_configuration_says_so() -> None:
    bars = changed(lambda bars: bars["volume"].__setitem__(slice(-5, None), [0.0] * 5))
    found = snapshot(bars, "market.halted=flag")
    assert found.flags == ("halted",)
    assert f"no share of ACME traded in 5 sessions to {LAST}" in found.notes
    four = changed(lambda bars: bars["volume"].__setitem__(slice(-4, None), [0.0] * 4))
    assert snapshot(four).flags == ()
    assert snapshot({**walk(), "volume": [0.0] * 280}).flags == (), "an index has none ever"


def test_f135_the_flag_reaches_the_row(tmp_path: Path) -> None:
    (tmp_path / "prices").mkdir()
    bars = walk()
    for name, halted in (("ACME", 5), ("OTHER", 0)):
        volume = [*bars["volume"][: 280 - halted], *[0.0] * halted]
        cells = zip(*(bars[one] for one in ("days", *PRICES[:4])), volume, strict=True)
        text = "\n".join(["Date,Open,High,Low,Close,Volume", *(",".join(map(str, row)) for row in cells)])
        (tmp_path / "prices" / f"{name}.csv").write_text(text)
    sets = (f"source.path={tmp_path / 'prices'}", "market.halted=flag")
    planned = plan(Words(("ACME", "OTHER"), CONFIGS / "csv.yaml", sets, "2008-09-30"), None)
    store = open_store(tmp_path / "out")
    try:
        rows = hold_night(planned, store, tmp_path / "out", lambda ticker, reason: None).feed.rows
    finally:
        store.close()
    assert ["halted" in row.flags for row in rows] == [True, False]


def test_f137_too_few_bars_make_an_item_missing_and_never_a_shorter_one() -> None:
    found = snapshot(walk(5))
    missing = {one.id: one.reason for one in found.missing}
    assert missing["px.sma200_gap"] == "too few sessions: 5 of the 200 it needs"
    assert missing["px.ret_5d"] == "too few sessions: 5 of the 6 it needs"
    assert {one.id for one in found.evidence} == {"px.close"}


def test_f137_a_source_of_closes_alone_has_no_ranges_and_no_volume() -> None:
    found = snapshot({**walk(), "open": [], "high": [], "low": [], "volume": []})
    assert {one.id: one.reason for one in found.missing} == {
        "px.atr_pct": "the source has no high and low",
        "px.range_ratio": "the source has no high and low",
        "px.up_volume": "the source has no volume",
        "px.volume_ratio": "the source has no volume",
    }


def test_a_wild_series_is_left_out_of_the_market_by_name() -> None:
    def series(name: str, factor: float) -> dict[str, Any]:
        closes = walk()["adj_close"]
        return {"symbol": name, "days": days(280), "adj_close": [*closes[:150], *(x * factor for x in closes[150:])]}

    shelf = Shelf(walk(), universe=[series("A", 1), series("B", 1), series("C", 100)])
    found = macro_snapshot(AS_OF, question(), settings().market, fetch=fetch_door(shelf))
    assert "left out of breadth and correlation, their closes jump or have holes: C" in found.notes


def test_a_source_without_macro_series_or_universe_leaves_them_missing() -> None:
    class Prices(Shelf):
        def fetch(self, dataset: str, params: Any) -> Any:
            if dataset != "bars":
                raise NoData(f"no {dataset}")
            return super().fetch(dataset, params)

    found = macro_snapshot(AS_OF, question(), settings().market, fetch=fetch_door(Prices(walk())))
    assert {"macro.breadth_200d", "macro.wti_63d"} <= {one.id for one in found.missing}


def kept(keep: Callable[[int], bool]) -> Change:
    """Only the bars at these places."""

    def change(bars: dict[str, Any]) -> None:
        for name in ("days", "volume", *PRICES):
            bars[name] = [one for at, one in enumerate(bars[name]) if keep(at)]

    return change


def test_a_hole_is_never_computed_over_and_a_late_bar_is_flagged() -> None:
    holed = snapshot(changed(kept(lambda at: not 150 <= at < 210)))
    assert holed.flags == ("gap",) and any("no bars for 60 sessions" in note for note in holed.notes)
    have, lack = {one.id for one in holed.evidence}, {one.id for one in holed.missing}
    assert "px.ret_63d" in have and {"px.ret_126d", "px.ret_252d", "px.sma200_gap"} <= lack
    assert snapshot(changed(kept(lambda at: at < 278))).flags == ("late_bar",)
    thin = snapshot(changed(kept(lambda at: at % 8 != 0 or at == 279)))
    assert "thin" in thin.flags and any("bars for the" in note for note in thin.notes)
