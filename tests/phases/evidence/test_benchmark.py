"""A benchmark that does what a share may and a market does not, and a ticker that is the benchmark by another name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from phases.evidence.quality import checked
from phases.market_data import macro_snapshot, market_snapshot
from schemas.market import Bars
from tests.faults.test_data import PRICES, scaled, walk
from tests.phases.test_market_data import AS_OF, SOURCE, Shelf, days, question
from tests.shared import PRICES as FOLDERS
from tests.shared import needs_prices, source_of
from tests.support import fetch_door, settings

DAYS = days(280)


def stepped(by: float, heavy: float = 1.0, **more: Any) -> dict[str, Any]:
    """A benchmark whose closes before the newest 30 are in other units."""
    bars = walk(seed=8)
    scaled(by, slice(None, -30))(bars)
    bars["volume"][-30] *= heavy
    return {**bars, **more}


def beside(benchmark: dict[str, Any]) -> Any:
    return beside_of(walk(), benchmark)


def beside_of(bars: dict[str, Any], benchmark: dict[str, Any]) -> Any:
    """The snapshot of a ticker beside a benchmark."""
    shelf = Shelf(bars, benchmark=benchmark)
    return market_snapshot("ACME", AS_OF, question(), settings().market, fetch=fetch_door(shelf))


UNKNOWN: tuple[dict[str, Any], ...] = ({"volume": [0.0] * 280}, {"volume": []})


@pytest.mark.parametrize(
    ("by", "volume"),
    [*((by, {}) for by in (1.17, 0.9, 1.3, 0.8)), *((by, one) for by in (1.3, 0.8) for one in UNKNOWN)],
)
def test_a_market_that_moves_like_a_share_is_in_doubt(by: float, volume: dict[str, Any]) -> None:
    benchmark = stepped(by, **volume)
    found = beside(benchmark)
    assert found.flags == ("doubtful_benchmark",)
    assert "the benchmark ^GSPC is in doubt: jump" in found.notes
    common = macro_snapshot(AS_OF, question(), settings().market, fetch=fetch_door(Shelf(walk(), benchmark=benchmark)))
    change = benchmark["close"][-30] / benchmark["close"][-31] - 1
    assert sum(f"price changed by {change:+.1%} on {DAYS[-30]}" in note for note in common.notes) == 1


def test_a_crash_is_none() -> None:
    assert beside(stepped(1.17, heavy=3.0)).flags == (), "on heavy volume"
    assert beside(stepped(1.03)).flags == ()
    assert {beside(stepped(by, **one)).flags for by in (1.17, 0.87) for one in UNKNOWN} == {()}, "nothing is known"
    bars = stepped(1.1)
    scaled(1.05, slice(None, -32), *PRICES)(bars)
    assert beside({**bars, "volume": []}).flags == (), "after a day that fell too"


def test_no_crash_of_the_index_since_2000_is_in_doubt() -> None:
    got = Bars.model_validate(
        SOURCE.fetch("bars", {"symbol": "^GSPC", "as_of": "2013-03-01", "sessions": "9999"}), strict=False
    )
    found = checked(got, "^GSPC", got.days[-1], benchmark=True)
    assert np.abs(np.diff(np.log(got.adj_close))).max() > 0.1 and "jump" not in found.flags


@needs_prices
def test_no_crash_of_the_fund_of_the_market_is_in_doubt() -> None:
    params = {"symbol": "SPY", "as_of": "2030-01-01", "sessions": "9999"}
    got = Bars.model_validate(source_of(FOLDERS / "etf_crypto").fetch("bars", params), strict=False)
    assert "jump" not in checked(got, "SPY", got.days[-1], benchmark=True).flags


COMPARED = {"px.corr_63d", "px.excess_vol_63d", *(f"px.excess_{n}d" for n in (21, 63, 126, 252))}


@pytest.mark.parametrize("by", [1.0, 10.0])
def test_nothing_compares_a_benchmark_with_itself_under_another_name(by: float) -> None:
    """Neither the file itself nor one in other units, nor where only the newest quarter is a copy."""
    benchmark = walk()
    scaled(by, slice(None))(benchmark)
    for first in (0, 100):
        bars = {**walk(), "close": [x + n % 2 * (n < first) / 5 for n, x in enumerate(walk()["close"])]}
        found = beside_of({**bars, "adj_close": bars["close"]}, benchmark)
        reasons = {one.id: one.reason for one in found.missing}
        assert set(reasons) == COMPARED
        assert set(reasons.values()) == {"the bars are those of the benchmark, and nothing beats itself"}
        assert "the bars are those of the benchmark ^GSPC: nothing is compared with it" in found.notes


def test_a_fund_that_follows_the_benchmark_closely_is_compared() -> None:
    close = [x * (1 + (n % 2) * 2e-4) for n, x in enumerate(walk()["close"])]
    found = beside_of(walk(), {**walk(), "close": close, "adj_close": close})
    assert {one.id for one in found.evidence} >= COMPARED


def test_what_cannot_be_computed_says_which_of_its_causes_it_is() -> None:
    flat = {**walk(), **{name: [50.0] * 280 for name in PRICES}}
    still = {one.id: one.reason for one in beside_of(flat, walk(seed=8)).missing}
    assert still["px.corr_63d"] == still["px.vol_ratio"] == "the price does not move"
    untraded = walk()
    untraded["volume"][-64:] = [0.0] * 64
    found = market_snapshot(
        "ACME",
        AS_OF,
        question(),
        settings("market.halted=flag").market,
        fetch=fetch_door(Shelf(untraded, benchmark=walk(seed=8))),
    )
    reasons = {one.id: one.reason for one in found.missing}
    assert reasons["px.up_volume"] == "no share was traded in the sessions it is computed from"
    few = {one.id: one.reason for one in beside_of(walk(), walk(40, seed=8)).missing}
    told = "too few sessions in common with the benchmark: 40 of the 64 it needs"
    assert few["px.corr_63d"] == few["px.excess_vol_63d"] == few["px.excess_63d"] == told


@pytest.mark.parametrize(
    ("closes", "breadth", "correlation"),
    [
        ([], "the source has no series but the benchmark", "the source has no series but the benchmark"),
        ([280], None, "the source has one series, and it takes two"),
        (
            [40, 40],
            "too few series of 200 sessions: 0 of the 1 it needs",
            "too few series of 64 sessions: 0 of the 2 it needs",
        ),
    ],
)
def test_a_market_of_few_series_says_so(closes: list[int], breadth: str | None, correlation: str) -> None:
    series = [
        {"symbol": f"S{at}", "days": days(count), "adj_close": walk(count, at)["close"]}
        for at, count in enumerate(closes)
    ]
    shelf = Shelf(walk(), universe=series)
    found = macro_snapshot(AS_OF, question(), settings().market, fetch=fetch_door(shelf))
    reasons = {one.id: one.reason for one in found.missing}
    assert reasons.get("macro.breadth_200d") == breadth and reasons["macro.mean_corr_63d"] == correlation
