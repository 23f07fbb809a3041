"""A source of as many tickers as asked, each a real series of the packaged source at another time and another price.

Ticker `T0007` is one of the packaged stocks, some sessions earlier, its prices times a factor of its
own and its days those of the newest sessions. So no two tickers have the same evidence, and every
indicator sees real prices.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from time import thread_time
from typing import Any, NamedTuple

from phases.core.errors import NoData
from phases.sources.packaged import BENCHMARK, PackagedSource

STEP = 5
"""Sessions between two tickers of one stock."""

LONGEST = 400
"""Sessions that may be asked for at once."""

PRICES = ("open", "high", "low", "close", "adj_close")


class Real(NamedTuple):
    """What the tickers of one as-of day are made from."""

    days: list[str]
    """Newest sessions of the benchmark."""
    stocks: list[dict[str, Any]]
    """Whole series of every stock that is long enough."""


class BenchSource:
    """Answers like any source. Its own CPU is counted apart in `seconds`, because it is no part of the product."""

    name = "bench"
    live = False

    def __init__(self, tickers: int, as_of: str) -> None:
        """Reads the packaged files."""
        self._packaged, self._as_of = PackagedSource(), as_of
        self.tickers = tuple(f"T{at:04d}" for at in range(tickers))
        self.vintage = f"bench-{tickers}-{self._packaged.vintage}"
        self.seconds = 0.0
        self.asked = 0

    def fetch(self, dataset: str, params: Mapping[str, str]) -> Any:
        """Answer one question with a plain JSON value; see `phases.sources.base`."""
        self.asked += 1
        if dataset in ("span", "macro") or params.get("symbol") == BENCHMARK:
            return self._packaged.fetch(dataset, params)
        start = thread_time()
        count = int(params["sessions"])
        answer = self._universe(count) if dataset == "universe" else self._bars(params["symbol"], count)
        self.seconds += thread_time() - start
        return answer

    @cached_property
    def _real(self) -> Real:
        def bars(symbol: str, sessions: int) -> dict[str, Any]:
            asked = {"symbol": symbol, "as_of": self._as_of, "sessions": str(sessions)}
            found: dict[str, Any] = self._packaged.fetch("bars", asked)
            return found

        listed = self._packaged.fetch("universe", {"as_of": self._as_of, "sessions": "1"})["series"]
        stocks = [bars(one["symbol"], 100_000) for one in listed]
        return Real(bars(BENCHMARK, LONGEST)["days"], [one for one in stocks if len(one["days"]) > 2 * LONGEST])

    def _bars(self, symbol: str, count: int) -> dict[str, Any]:
        if symbol not in self._index:
            raise NoData(f"bench has no series {symbol!r}")
        at, real = self._index[symbol], self._real
        stock = real.stocks[at % len(real.stocks)]
        end = len(stock["days"]) - STEP * (at // len(real.stocks)) % (len(stock["days"]) - count)
        factor = 1 + at % 97 / 97
        columns = {name: [price * factor for price in stock[name][end - count : end]] for name in PRICES}
        about = {"symbol": symbol, "currency": "USD", "exchange": "XNYS", "days": real.days[-count:]}
        return about | columns | {"volume": stock["volume"][end - count : end]}

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self.tickers)}

    def _universe(self, count: int) -> dict[str, Any]:
        kept = ("symbol", "days", "adj_close")
        return {"series": [{key: self._bars(name, count)[key] for key in kept} for name in self.tickers]}
