"""Items computed from prices: of one ticker beside its benchmark, and of the market as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from phases.evidence.base import Origin, item_of
from phases.evidence.rows import QUARTER
from phases.maths import indicators as ind
from schemas.market import Evidence, Missing, Unit

Compute = Callable[[Any], "float | None"]


SAME = 1e-5
"""How far the returns of a quarter may be off in all, as noise, where a ticker's bars are those of its benchmark."""


class Item(NamedTuple):
    """One evidence item: its name, words, unit, and how it is computed."""

    id: str
    label: str
    unit: Unit
    compute: Compute
    needs: int
    """Least sessions it can be computed from; with fewer it is missing, and no shorter one takes its name."""
    joined: bool = False
    """Whether it is computed on the days that ticker and benchmark share, and describes the last of those."""


class Prices(NamedTuple):
    """One symbol's bars beside those of the benchmark."""

    frame: pd.DataFrame
    adj: ind.Prices
    benchmark: ind.Prices

    @property
    def shared(self) -> date:
        """Last day that both have."""
        return self.adj.index.intersection(self.benchmark.index)[-1].date()  # type: ignore[no-any-return]

    @property
    def copied(self) -> bool:
        """Whether the newest closes of both, a quarter of them, are the same or change alike: one is a copy."""
        both = pd.concat([self.adj, self.benchmark], axis=1, join="inner").iloc[-QUARTER - 1 :]
        apart = np.log(both.iloc[:, 0] / both.iloc[:, 1])
        return len(both) > QUARTER and bool(np.ptp(apart) <= SAME < np.ptp(np.log(both.iloc[:, 0])))


class Market(NamedTuple):
    """The benchmark beside every series of the source."""

    adj: ind.Prices
    universe: list[ind.Prices]


def _adj(function: Callable[..., float | None], *n: int) -> Compute:
    """An indicator of adjusted closes."""
    return lambda series: function(series.adj, *n)


def _frame(function: Callable[..., float | None], *n: int) -> Compute:
    """An indicator of whole bars."""
    return lambda prices: function(prices.frame, *n)


def _all(function: Callable[..., float | None], n: int) -> Compute:
    """An indicator of every series of the source."""
    return lambda market: function(market.universe, n)


def _excess(n: int) -> Compute:
    def excess(prices: Prices) -> float | None:
        both = pd.concat([prices.adj, prices.benchmark], axis=1, join="inner")  # the same days on both sides
        own, other = ind.total_return(both.iloc[:, 0], n), ind.total_return(both.iloc[:, 1], n)
        return None if own is None or other is None else own - other

    return excess


def _up_volume(prices: Prices) -> float | None:
    over_half = ind.up_volume_share(prices.frame, 21)
    return None if over_half is None else over_half + 0.5


def _last_close(prices: Prices) -> float:
    return float(prices.frame["close"].iloc[-1])


def _excess_volatility(prices: Prices) -> float | None:
    return ind.excess_volatility(prices.adj, prices.benchmark, 63)


def _correlation(prices: Prices) -> float | None:
    return ind.correlation(prices.adj, prices.benchmark, 63)


EXCESS_VOLATILITY = "px.excess_vol_63d"
"""Item that the size of a view is scaled with. A quarter: recent enough to be of now, 63 returns to count it from."""

RETURNS = {
    n: Item(f"px.ret_{n}d", f"{n}-session return", "ratio", _adj(ind.total_return, n), n + 1)
    for n in (5, 21, 63, 126, 252)
}
EXCESS = {
    n: Item(f"px.excess_{n}d", f"{n}-session excess return", "ratio", _excess(n), n + 1, joined=True)
    for n in (21, 63, 126, 252)
}

PRICE_ITEMS: tuple[Item, ...] = (
    Item("px.close", "last close", "usd", _last_close, 1),
    *RETURNS.values(),
    *EXCESS.values(),
    Item("px.sma50_gap", "gap to the 50-session average", "ratio", _adj(ind.sma_gap, 50), 50),
    Item("px.sma200_gap", "gap to the 200-session average", "ratio", _adj(ind.sma_gap, 200), 200),
    Item("px.rsi14", "14-session RSI", "index", _frame(ind.rsi, 14), ind.WARM_UP),
    Item("px.macd", "MACD histogram to price", "ratio", _frame(ind.macd_histogram), ind.WARM_UP),
    Item("px.atr_pct", "14-session average true range", "ratio", _frame(ind.atr_ratio, 14), ind.WARM_UP),
    Item("px.vol_21d", "21-session volatility, annualised", "ratio", _adj(ind.realised_volatility, 21), 22),
    Item("px.vol_63d", "63-session volatility, annualised", "ratio", _adj(ind.realised_volatility, 63), 64),
    Item(
        "px.vol_ratio",
        "21/63-session volatility ratio",
        "index",
        _adj(ind.volatility_ratio, 21, 63),
        64,
    ),
    Item("px.drawdown_252d", "drawdown from the 252-session high", "ratio", _adj(ind.drawdown, 252), 252),
    Item(
        "px.volume_ratio",
        "5/63-session dollar volume ratio",
        "index",
        _frame(ind.volume_ratio, 5, 63),
        63,
    ),
    Item("px.up_volume", "up-day share of dollar volume", "ratio", _up_volume, 22),
    Item(
        "px.range_ratio",
        "10/63-session range ratio",
        "index",
        _frame(ind.range_ratio, 10, 63),
        63,
    ),
    Item(
        EXCESS_VOLATILITY,
        "63-session volatility of the excess return, annualised",
        "ratio",
        _excess_volatility,
        64,
        joined=True,
    ),
    Item("px.corr_63d", "63-session correlation with the benchmark", "index", _correlation, 64, joined=True),
)

RANGED = {
    "px.atr_pct": ["high", "low"],
    "px.range_ratio": ["high", "low"],
    "px.volume_ratio": ["volume"],
    "px.up_volume": ["volume"],
}
"""Columns beside the close that an item is computed from."""

INDEX_ITEMS: tuple[Item, ...] = (
    *(
        Item(f"macro.index_ret_{n}d", f"{n}-session benchmark return", "ratio", _adj(ind.total_return, n), n + 1)
        for n in (21, 63, 252)
    ),
    Item("macro.index_sma200_gap", "benchmark gap to its 200-session average", "ratio", _adj(ind.sma_gap, 200), 200),
    Item(
        "macro.index_vol_21d",
        "21-session benchmark volatility, annualised",
        "ratio",
        _adj(ind.realised_volatility, 21),
        22,
    ),
    Item(
        "macro.index_vol_ratio",
        "21/63-session benchmark volatility ratio",
        "index",
        _adj(ind.volatility_ratio, 21, 63),
        64,
    ),
    Item("macro.breadth_200d", "share of series above their 200-session average", "ratio", _all(ind.breadth, 200), 1),
    Item(
        "macro.mean_corr_63d",
        "63-session mean pairwise correlation",
        "index",
        _all(ind.mean_pairwise_correlation, 63),
        1,
    ),
)

UNIVERSE_ITEMS = ("macro.breadth_200d", "macro.mean_corr_63d")
"""Those that are counted over every series of the source."""


COPIED = "the bars are those of the benchmark, and nothing beats itself"
"""Why what compares the two is missing where they are the same."""


def priced_in(currency: str) -> tuple[Item, ...]:
    """The items of one ticker whose prices are in a currency: only dollars have the unit of dollars."""
    if currency == "USD":
        return PRICE_ITEMS
    close, *others = PRICE_ITEMS
    return (close._replace(label=f"last close in {currency}", unit="index"), *others)


def computed(
    items: Iterable[Item], series: Prices | Market, session: date, source: str
) -> tuple[list[Evidence], list[Missing]]:
    """Items that can be computed from the series, and those that cannot, with the reason."""
    evidence, missing = [], []
    copied = isinstance(series, Prices) and series.copied
    for item in items:
        value = None if copied and item.joined else item.compute(series)
        if value is None:
            missing.append(Missing(id=item.id, reason=COPIED if copied and item.joined else _why(item, series)))
        else:
            day = series.shared if item.joined and isinstance(series, Prices) else session
            evidence.append(item_of(item.id, item.label, item.unit, value, Origin(day, day, source)))
    return evidence, missing


def _why(item: Item, series: Prices | Market) -> str:
    """Why an item cannot be computed."""
    have = len(series.adj)
    if item.id in UNIVERSE_ITEMS and isinstance(series, Market):
        return _why_universe(item, series.universe)
    if have < item.needs:
        return f"too few sessions: {have} of the {item.needs} it needs"
    if isinstance(series, Market):
        return "the benchmark does not move"
    if item.id in RANGED and series.frame[RANGED[item.id]].isna().any(axis=None):
        return f"the source has no {' and '.join(RANGED[item.id])}"
    if item.id == "px.range_ratio":
        return "high is low in the sessions it is computed from"
    if "volume" in RANGED.get(item.id, []):
        return "no share was traded in the sessions it is computed from"
    shared = len(series.adj.index.intersection(series.benchmark.index))
    if item.joined and shared < item.needs:
        return f"too few sessions in common with the benchmark: {shared} of the {item.needs} it needs"
    return "nothing sets it apart from the benchmark" if item.id == EXCESS_VOLATILITY else "the price does not move"


def _why_universe(item: Item, universe: list[ind.Prices]) -> str:
    """Why an item of every series cannot be computed."""
    sessions = 200 if item.id == "macro.breadth_200d" else 64
    least, long = 1 if sessions == 200 else 2, sum(len(one) >= sessions for one in universe)
    if len(universe) < least:
        return (
            "the source has one series, and it takes two" if universe else "the source has no series but the benchmark"
        )
    if long < least:
        return f"too few series of {sessions} sessions: {long} of the {least} it needs"
    return f"fewer than {least} of the series have not ended, move and share {sessions} sessions"
