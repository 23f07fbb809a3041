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
    shelf = Shelf(walk(), benchmark=benchmark)
    return market_snapshot("ACME", AS_OF, question(), settings().market, fetch=fetch_door(shelf))


@pytest.mark.parametrize("volume", [{}, {"volume": [0.0] * 280}, {"volume": []}])
@pytest.mark.parametrize("by", [1.17, 0.9, 1.3, 0.8])
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
