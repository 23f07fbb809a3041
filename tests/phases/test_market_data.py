"""Evidence: nothing later than the night, nothing of other tickers, and a reason for everything refused."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from statistics import stdev
from typing import Any

import numpy as np
import pytest

from phases.core.errors import NoData, SourceDown, TickerFailure
from phases.core.store import open_store
from phases.evidence.macro import MACRO_ITEMS
from phases.evidence.prices import INDEX_ITEMS, PRICE_ITEMS
from phases.macro_bias import bias_row
from phases.market_data import macro_snapshot, market_snapshot
from phases.maths.sessions import is_closed
from phases.night import hold_night
from phases.plan import Words, plan
from phases.sources.packaged import BENCHMARK, PackagedSource
from schemas.market import MacroSnapshot, MarketSnapshot, Question
from tests.support import QUESTION, Desk, ask_door, fetch_door, header_of, settings, through_phases

SOURCE = PackagedSource()
AS_OF = date(2008, 9, 30)
BEGUN = {  # NOTICE.md
    "AAPL": date(2000, 3, 1),
    "FB": date(2012, 5, 18),
    "GOOG": date(2004, 8, 19),
    "IBM": date(2000, 3, 1),
    "MSFT": date(2000, 3, 1),
}
FIRST, LAST = date(2000, 3, 1), date(2013, 3, 1)
STOCKS = ("AAPL", "GOOG", "IBM", "MSFT")
"""Those that trade on 2008-09-30."""


def question(benchmark: str = BENCHMARK) -> Question:
    return QUESTION.model_copy(update={"benchmark": benchmark})


def prompts(source: PackagedSource, day: date, tickers: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Every prompt of the night as rendered, by ticker and for the run; a ticker without data has its reason."""
    header = header_of(tickers=tickers)
    desk, fetch, chosen = Desk(), fetch_door(source), header.settings
    ask = ask_door(desk)
    common = macro_snapshot(day, question(), chosen.market, fetch=fetch)
    row = bias_row(common, header.history, chosen.bias, ask=ask)
    found = {"": tuple(desk.prompts())}
    for ticker in tickers:
        desk.requests.clear()
        try:
            own = market_snapshot(ticker, day, question(), chosen.market, fetch=fetch)
            through_phases(own, common, row, header, ask=ask)
            found[ticker] = tuple(desk.prompts())
        except TickerFailure as failure:
            found[ticker] = (failure.reason,)
    return found


def nights() -> dict[date, list[str]]:
    """Random days, each with the stocks that trade on it: 200 pairs at the least."""
    draw, found = random.Random(20080930), dict[date, list[str]]()
    while sum(map(len, found.values())) < 200:
        day = FIRST + timedelta(draw.randrange((LAST - FIRST).days + 1))
        found[day] = [ticker for ticker, begun in BEGUN.items() if begun <= day]
    return found


@pytest.mark.parametrize(("day", "tickers"), nights().items(), ids=str)
def test_what_came_later_is_in_no_prompt(day: date, tickers: list[str]) -> None:
    """Deleting every bar and figure known after the night leaves the bytes of every prompt unchanged."""
    whole, cut = prompts(SOURCE, day, tickers), prompts(PackagedSource(until=day), day, tickers)
    assert whole == cut
    assert len(whole[""]) == 1, "the wording of the bias row"
    assert all(len(whole[ticker]) >= 4 for ticker in tickers), "an axis, two sides, a manager"


def test_the_cut_is_a_cut() -> None:
    """That the test above can fail: one session less is another night."""
    day = date(2008, 9, 30)
    assert prompts(PackagedSource(until=day - timedelta(1)), day, ["IBM"]) != prompts(SOURCE, day, ["IBM"])


def test_nothing_depends_on_which_others_were_asked(tmp_path: Any) -> None:
    rows, asked = [], []
    for at, tickers in enumerate((("IBM",), ("MSFT", "IBM", "AAPL", "NOSUCH"))):
        out = tmp_path / str(at)
        store = open_store(out)
        try:
            feed = hold_night(plan(Words(tickers=tickers), None), store, out, lambda ticker, reason: None).feed
        finally:
            store.close()
        rows.append(next(row for row in feed.rows if row.ticker == "IBM").model_dump(exclude={"run_id"}))
        asked.append(prompts(SOURCE, date(2008, 9, 30), tickers)["IBM"])
    assert rows[0] == rows[1]
    assert asked[0] == asked[1]


# what the evidence says


def own_items(ticker: str, day: date) -> MarketSnapshot:
    found: MarketSnapshot = market_snapshot(ticker, day, question(), settings().market, fetch=fetch_door(SOURCE))
    return found


def common_items(day: date) -> MacroSnapshot:
    found: MacroSnapshot = macro_snapshot(day, question(), settings().market, fetch=fetch_door(SOURCE))
    return found


@pytest.mark.parametrize("day", [date(2001, 9, 15), date(2004, 12, 31), date(2008, 9, 30), date(2012, 6, 29)], ids=str)
def test_every_item_is_known_by_the_night_and_every_id_accounted_for(day: date) -> None:
    wanted = ((common_items(day), (*INDEX_ITEMS, *MACRO_ITEMS)), (own_items("IBM", day), PRICE_ITEMS))
    for snapshot, items in wanted:
        found = [one.id for one in snapshot.evidence] + [one.id for one in snapshot.missing]
        assert sorted(found) == sorted(one.id for one in items)
        assert all(one.as_of <= one.known_at <= day for one in snapshot.evidence)
        assert [one.id for one in snapshot.evidence] == sorted(one.id for one in snapshot.evidence)
        assert snapshot.session <= day


def test_items_follow_from_the_bars() -> None:
    evidence = {one.id: one for one in own_items("IBM", AS_OF).evidence}
    bars = SOURCE.fetch("bars", {"symbol": "IBM", "as_of": "2008-09-30", "sessions": "300"})
    adj = bars["adj_close"]
    assert evidence["px.close"].value == bars["close"][-1]
    assert evidence["px.ret_63d"].value == round(adj[-1] / adj[-64] - 1, 4)
    assert evidence["px.drawdown_252d"].value == round(adj[-1] / max(adj[-252:]) - 1, 4)
    assert evidence["px.close"].as_of == date(2008, 9, 30)
    assert {one.tier for one in evidence.values()} == {1}
    assert {one.source for one in evidence.values()} == {"packaged"}


def test_the_volatility_of_the_excess_return_is_that_of_the_difference_of_daily_returns() -> None:
    params = {"as_of": "2008-09-30", "sessions": "64"}
    own, other = (SOURCE.fetch("bars", {"symbol": name, **params}) for name in ("IBM", "^GSPC"))
    assert own["days"] == other["days"]
    moves = [math.log(now / then) for now, then in zip(own["adj_close"][1:], own["adj_close"], strict=False)]
    market = [math.log(now / then) for now, then in zip(other["adj_close"][1:], other["adj_close"], strict=False)]
    excess = [mine - theirs for mine, theirs in zip(moves, market, strict=True)]
    [found] = [one for one in own_items("IBM", AS_OF).evidence if one.id == "px.excess_vol_63d"]
    assert found.value == round(stdev(excess) * math.sqrt(252), 4)
    assert (found.unit, found.lean) == ("ratio", 0.0)


def test_breadth_and_correlation_use_every_series() -> None:
    evidence = {one.id: one.value for one in common_items(AS_OF).evidence}
    closes = {
        ticker: SOURCE.fetch("bars", {"symbol": ticker, "as_of": "2008-09-30", "sessions": "200"})["adj_close"]
        for ticker in STOCKS
    }
    above = [series[-1] > float(np.mean(series)) for series in closes.values()]
    returns = [np.diff(series[-64:]) / np.asarray(series[-64:-1]) for series in closes.values()]
    pairs = np.corrcoef(returns)[np.triu_indices(len(returns), 1)]
    assert evidence["macro.breadth_200d"] == round(sum(above) / len(above), 4)
    assert evidence["macro.mean_corr_63d"] == round(float(pairs.mean()), 2)


# a source of our own


def days(count: int, last: date = date(2008, 9, 30)) -> list[str]:
    """Sessions of New York up to a day, as text."""
    back = (last - timedelta(n) for n in range(2 * count + 9))
    found = sorted(day.isoformat() for day in back if not is_closed("XNYS", day))
    return found[len(found) - count :]


def bars_of(closes: Sequence[float], last: date = date(2008, 9, 30), **columns: Any) -> dict[str, Any]:
    """Bars with one price a day."""
    prices = {name: [float(x) for x in closes] for name in ("open", "high", "low", "close", "adj_close")}
    told = {"days": days(len(closes), last), **prices, "volume": [1e6] * len(closes)}
    return {"symbol": "ACME", "currency": "USD", "exchange": "XNYS", **told, **columns}


class Shelf:
    """A source that answers from what it was given; the benchmark has the ticker's bars or its own."""

    name, vintage = "shelf", "v"

    def __init__(
        self,
        bars: dict[str, Any],
        universe: Sequence[Any] = (),
        macro: Sequence[Any] = (),
        benchmark: dict[str, Any] | None = None,
    ) -> None:
        self._bars = {"ACME": bars, BENCHMARK: {**(benchmark or bars), "symbol": BENCHMARK}}
        self._rest = {"universe": {"series": list(universe)}, "macro": {"series": list(macro)}}

    def fetch(self, dataset: str, params: Mapping[str, str]) -> Any:
        return self._bars[params["symbol"]] if dataset == "bars" else self._rest[dataset]


RISING = [100 + n for n in range(280)]


OTHER = [100 + n + n % 3 for n in range(280)]


def own_snapshot(bars: dict[str, Any]) -> MarketSnapshot:
    shelf = Shelf(bars, benchmark=bars_of(OTHER))
    return market_snapshot("ACME", AS_OF, question(), settings().market, fetch=fetch_door(shelf))


def common_snapshot(macro: Sequence[Any] = (), universe: Sequence[Any] = ()) -> MacroSnapshot:
    shelf = Shelf(bars_of(RISING), universe, macro)
    return macro_snapshot(AS_OF, question(), settings().market, fetch=fetch_door(shelf))


def _changed(column: str, at: int, value: Any) -> dict[str, Any]:
    bars = bars_of(RISING)
    bars[column][at] = value
    return bars


@pytest.mark.parametrize(
    ("bars", "status", "reason"),
    [
        # three sessions late are allowed: the 25th, then 26th, 29th and 30th
        (bars_of(RISING, date(2008, 9, 24)), "stale", "newest bar of ACME is 2008-09-24, 4 sessions before 2008-09-30"),
        (_changed("close", 3, 0.0), "no_data", "close of 2007-08-27 is 0.0; prices must be above 0"),
        (_changed("low", -1, -1.0), "no_data", "low of 2008-09-30 is -1.0"),
        (_changed("adj_close", 0, -0.01), "no_data", "adj_close of 2007-08-22"),
        (bars_of(RISING, days=[*days(280)[:-1], days(280)[-2]]), "no_data", "two different bars for 2008-09-29"),
        (bars_of([100.0], date(2008, 10, 1)), "no_data", "every bar is later than 2008-09-30"),
    ],
)
def test_bars_that_cannot_be_used_are_refused_with_the_reason(bars: dict[str, Any], status: str, reason: str) -> None:
    with pytest.raises(TickerFailure) as refused:
        own_snapshot(bars)
    assert refused.value.status == status
    assert reason in refused.value.reason
    assert "ACME" in refused.value.reason


@pytest.mark.parametrize("last", [date(2008, 9, 25), date(2008, 9, 30)], ids=str)
def test_a_lag_within_the_tolerance_is_told_by_the_session(last: date) -> None:
    snapshot = own_snapshot(bars_of(RISING, last))
    assert (snapshot.as_of, snapshot.session) == (AS_OF, last)
    assert {one.as_of for one in snapshot.evidence} == {last}


def test_a_symbol_without_bars_is_no_data() -> None:
    for ticker, reason in (("NOSUCH", "no series 'NOSUCH'"), ("FB", "no bar of FB at or before 2008-09-30")):
        with pytest.raises(NoData, match=reason):
            market_snapshot(ticker, AS_OF, question(), settings().market, fetch=fetch_door(SOURCE))


def test_a_short_history_lists_what_it_cannot_say() -> None:
    snapshot = own_snapshot(bars_of(RISING[:70]))
    missing = {one.id: one.reason for one in snapshot.missing}
    assert {"px.ret_126d", "px.ret_252d", "px.sma200_gap"} <= set(missing)
    assert missing.pop("px.range_ratio") == "high is low in the sessions it is computed from"
    assert all("too few sessions" in reason for reason in missing.values())
    assert "px.ret_63d" in {one.id for one in snapshot.evidence}


def test_an_excess_return_compares_the_same_days() -> None:
    """The ticker's newest bar is three sessions late; what the index did since is no part of the comparison."""
    same = [float(x) for x in RISING[:277]]
    other = [*same[:240], same[240] + 1, *same[241:], 500.0, 501.0, 500.0]
    shelf = Shelf(bars_of(same, date(2008, 9, 25)), benchmark=bars_of(other))
    snapshot = market_snapshot("ACME", AS_OF, question(), settings().market, fetch=fetch_door(shelf))
    assert {one.id: one.value for one in snapshot.evidence}["px.excess_21d"] == 0.0


def test_an_index_that_ended_months_ago_stops_the_run() -> None:
    shelf = Shelf(bars_of(RISING, date(2008, 6, 30)))
    with pytest.raises(SourceDown, match="64 sessions before 2008-09-30"):
        macro_snapshot(AS_OF, question(), settings().market, fetch=fetch_door(shelf))


def test_breadth_counts_all_series_and_none_asked_for() -> None:
    falling = RISING[::-1]
    series = [
        {"symbol": name, "days": days(280), "adj_close": [float(x) for x in closes]}
        for name, closes in (("A", RISING), ("B", falling), ("C", RISING))
    ]
    evidence = {one.id: one for one in common_snapshot(universe=series).evidence}
    assert evidence["macro.breadth_200d"].value == 0.6667
    assert evidence["macro.breadth_200d"].lean == 0.1667  # half of (2/3 - .5) / .5
    assert {one.id for one in common_snapshot().missing} >= {"macro.breadth_200d", "macro.mean_corr_63d"}


# macro figures


def released(known: date, period: str = "month", name: str = "core_cpi", count: int = 30) -> dict[str, Any]:
    """A series that grows by one percent a period, its last figure known on a day."""
    values = [(10_000 if name == "real_gdp" else 100) * 1.01**n for n in range(count)]
    past = [_period(known, period, count - n).isoformat() for n in range(count)]
    about = {"name": name, "label": name, "unit": "index", "period": period}
    return {**about, "days": past, "values": values, "known": [*past[1:], known.isoformat()]}


def _period(known: date, period: str, back: int) -> date:
    """First day of a period so many before the one a day is in."""
    if period == "day":
        return known - timedelta(back)
    months = known.year * 12 + known.month - 1 - back * {"month": 1, "quarter": 3}[period]
    return date(months // 12, months % 12 + 1, 1)


# period, days since the release, stale, dropped: 2 and 4 periods of 31, 92 and 5 days
AGES = [
    ("month", 0, False, False),
    ("month", 62, False, False),
    ("month", 63, True, False),
    ("month", 124, True, False),
    ("month", 125, True, True),
    ("quarter", 184, False, False),
    ("quarter", 185, True, False),
    ("quarter", 368, True, False),
    ("quarter", 369, True, True),
    ("day", 10, False, False),
    ("day", 11, True, False),
    ("day", 21, True, True),
]


@pytest.mark.parametrize(("period", "age", "stale", "dropped"), AGES)
def test_an_old_figure_is_stale_and_then_no_evidence(period: str, age: int, stale: bool, dropped: bool) -> None:
    name, id = {"month": ("core_cpi", "macro.core_cpi_yoy"), "quarter": ("real_gdp", "macro.gdp_yoy")}.get(
        period, ("wti", "macro.wti_63d")
    )
    known = AS_OF - timedelta(age)
    snapshot = common_snapshot([released(known, period, name, 70)])
    evidence = {one.id: one for one in snapshot.evidence}
    assert (id in evidence) is not dropped
    if dropped:
        assert next(one.reason for one in snapshot.missing if one.id == id).endswith("too old to count")
    else:
        assert (evidence[id].stale, evidence[id].known_at) == (stale, known)


def test_a_yearly_change_is_over_twelve_months() -> None:
    evidence = {one.id: one.value for one in common_snapshot([released(AS_OF)]).evidence}
    assert evidence["macro.core_cpi_yoy"] == round(1.01**12 - 1, 4)
    assert evidence["macro.core_cpi_3m"] == round(1.01**12 - 1, 4)


@pytest.mark.parametrize(
    ("macro", "reason"),
    [
        ([], "the source shelf has no released core_cpi"),
        ([released(AS_OF, count=12)], "too few observations of core_cpi"),
        ([{**released(AS_OF), "days": [], "values": [], "known": []}], "no released core_cpi"),
    ],
)
def test_a_figure_that_cannot_be_computed_is_missing_with_its_reason(macro: list[Any], reason: str) -> None:
    missing = {one.id: one.reason for one in common_snapshot(macro).missing}
    assert reason in missing["macro.core_cpi_yoy"]


def test_the_benchmark_is_refused_as_a_ticker() -> None:
    with pytest.raises(TickerFailure, match="nothing beats itself") as failed:
        market_snapshot(BENCHMARK, AS_OF, question(), settings().market, fetch=fetch_door(Shelf(bars_of(RISING))))
    assert failed.value.status == "refused"
