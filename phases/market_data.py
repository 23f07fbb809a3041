"""Evidence: what is known about the market and about one ticker after the close of a session.

The only users of `fetch`. Nothing dated or released after the as-of date gets in; a missing bar
stays missing; what could not be computed is listed with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any, NamedTuple

import pandas as pd

from phases.core.errors import NoData, SourceDown, TickerFailure
from phases.core.fetch import Fetch
from phases.core.phase import phase
from phases.core.text import canonical, digest
from phases.maths import indicators as ind
from phases.maths.lean import lean
from phases.maths.sessions import sessions_between
from schemas.base import Ticker
from schemas.market import (
    Bars,
    Evidence,
    MacroSeries,
    MacroSeriesSet,
    MacroSnapshot,
    MarketSnapshot,
    Missing,
    Question,
    Unit,
    Universe,
)
from schemas.settings import MarketSettings

SESSIONS = 280
"""Bars asked for: 252 for the longest return, and room for the averages to warm up."""

DIGITS: Mapping[Unit, int] = {"ratio": 4, "usd": 2, "index": 2}
PERIOD_DAYS = {"day": 5, "month": 31, "quarter": 92}
PERIODS_A_YEAR = {"day": 252, "month": 12, "quarter": 4}


Compute = Callable[[Any], "float | None"]


class Item(NamedTuple):
    """One evidence item: its name, words, unit, and how it is computed."""

    id: str
    label: str
    unit: Unit
    compute: Compute


class Prices(NamedTuple):
    """One symbol's bars beside those of the benchmark."""

    frame: pd.DataFrame
    adj: ind.Prices
    benchmark: ind.Prices


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
        own, other = ind.total_return(prices.adj, n), ind.total_return(prices.benchmark, n)
        return None if own is None or other is None else own - other

    return excess


def _up_volume(prices: Prices) -> float | None:
    over_half = ind.up_volume_share(prices.frame, 21)
    return None if over_half is None else over_half + 0.5


def _last_close(prices: Prices) -> float:
    return float(prices.frame["close"].iloc[-1])


def _correlation(prices: Prices) -> float | None:
    return ind.correlation(prices.adj, prices.benchmark, 63)


RETURNS = {
    n: Item(f"px.ret_{n}d", f"{n}-session return", "ratio", _adj(ind.total_return, n)) for n in (5, 21, 63, 126, 252)
}
EXCESS = {n: Item(f"px.excess_{n}d", f"{n}-session excess return", "ratio", _excess(n)) for n in (21, 63, 126, 252)}

PRICE_ITEMS: tuple[Item, ...] = (
    Item("px.close", "last close", "usd", _last_close),
    *RETURNS.values(),
    *EXCESS.values(),
    Item("px.sma50_gap", "gap to the 50-session average", "ratio", _adj(ind.sma_gap, 50)),
    Item("px.sma200_gap", "gap to the 200-session average", "ratio", _adj(ind.sma_gap, 200)),
    Item("px.rsi14", "14-session RSI", "index", _frame(ind.rsi, 14)),
    Item("px.macd", "MACD histogram to price", "ratio", _frame(ind.macd_histogram)),
    Item("px.atr_pct", "14-session average true range", "ratio", _frame(ind.atr_ratio, 14)),
    Item("px.vol_21d", "21-session volatility, annualised", "ratio", _adj(ind.realised_volatility, 21)),
    Item("px.vol_63d", "63-session volatility, annualised", "ratio", _adj(ind.realised_volatility, 63)),
    Item(
        "px.vol_ratio",
        "21/63-session volatility ratio",
        "index",
        _adj(ind.volatility_ratio, 21, 63),
    ),
    Item("px.drawdown_252d", "drawdown from the 252-session high", "ratio", _adj(ind.drawdown, 252)),
    Item(
        "px.volume_ratio",
        "5/63-session dollar volume ratio",
        "index",
        _frame(ind.volume_ratio, 5, 63),
    ),
    Item("px.up_volume", "up-day share of dollar volume", "ratio", _up_volume),
    Item(
        "px.range_ratio",
        "10/63-session range ratio",
        "index",
        _frame(ind.range_ratio, 10, 63),
    ),
    Item("px.corr_63d", "63-session correlation with the benchmark", "index", _correlation),
)

INDEX_ITEMS: tuple[Item, ...] = (
    *(
        Item(f"macro.index_ret_{n}d", f"{n}-session benchmark return", "ratio", _adj(ind.total_return, n))
        for n in (21, 63, 252)
    ),
    Item("macro.index_sma200_gap", "benchmark gap to its 200-session average", "ratio", _adj(ind.sma_gap, 200)),
    Item(
        "macro.index_vol_21d",
        "21-session benchmark volatility, annualised",
        "ratio",
        _adj(ind.realised_volatility, 21),
    ),
    Item(
        "macro.index_vol_ratio",
        "21/63-session benchmark volatility ratio",
        "index",
        _adj(ind.volatility_ratio, 21, 63),
    ),
    Item("macro.breadth_200d", "share of series above their 200-session average", "ratio", _all(ind.breadth, 200)),
    Item(
        "macro.mean_corr_63d",
        "63-session mean pairwise correlation",
        "index",
        _all(ind.mean_pairwise_correlation, 63),
    ),
)


class Released(NamedTuple):
    """One macro item: the series it comes from and how it is computed from the newest values."""

    id: str
    label: str
    series: str
    compute: Callable[[list[float], int], float | None]
    """(values, periods a year) -> value."""


def _change(periods: int | None) -> Callable[[list[float], int], float | None]:
    """Growth over so many periods, or over a year."""

    def growth(values: list[float], a_year: int) -> float | None:
        back = periods or a_year
        return values[-1] / values[-1 - back] - 1 if len(values) > back and values[-1 - back] > 0 else None

    return growth


def _annualised_quarter(values: list[float], _: int) -> float | None:
    return (values[-1] / values[-4]) ** 4 - 1 if len(values) > 3 and values[-4] > 0 else None


def _difference(values: list[float], a_year: int) -> float | None:
    return values[-1] - values[-1 - a_year] if len(values) > a_year else None


MACRO_ITEMS: tuple[Released, ...] = (
    Released("macro.gdp_yoy", "real GDP, 1-year change", "real_gdp", _change(None)),
    Released("macro.core_cpi_yoy", "core CPI, 1-year change", "core_cpi", _change(None)),
    Released("macro.core_cpi_3m", "core CPI, 3-month change, annualised", "core_cpi", _annualised_quarter),
    Released(
        "macro.tbill_3m",
        "3-month bill rate",
        "tbill_3m",
        lambda values, _: values[-1] if values else None,
    ),
    Released("macro.tbill_change_1y", "3-month bill rate, 1-year change", "tbill_3m", _difference),
    Released(
        "macro.unemployment",
        "unemployment rate",
        "unemployment",
        lambda values, _: values[-1] if values else None,
    ),
    Released("macro.unemployed_yoy", "unemployed persons, 1-year change", "unemployed", _change(None)),
    Released("macro.wti_63d", "crude oil, 63-session change", "wti", _change(63)),
)


@phase(scope="run")
def macro_snapshot(as_of: date, question: Question, settings: MarketSettings, *, fetch: Fetch) -> MacroSnapshot:
    """What is known about the market as a whole. Breadth and correlation use every series of the source."""
    day = as_of.isoformat()
    bars = fetch("bars", Bars, symbol=question.benchmark, as_of=day, sessions=str(SESSIONS))
    universe = fetch("universe", Universe, as_of=day, sessions=str(SESSIONS))
    macro = fetch("macro", MacroSeriesSet, as_of=day)
    try:
        _check_bars(bars, as_of, settings)
    except TickerFailure as failure:
        raise SourceDown(f"benchmark {question.benchmark}: {failure.reason}") from None
    market = Market(ind.frame_of(bars)["adj_close"], [ind.series_of(one) for one in universe.series])
    evidence, missing = _computed(INDEX_ITEMS, market, bars.days[-1], bars.source or fetch.source_name)
    by_name = {one.name: one for one in macro.series}
    for item in MACRO_ITEMS:
        found = _released(item, by_name.get(item.series), as_of, settings, fetch.source_name)
        (evidence if isinstance(found, Evidence) else missing).append(found)  # type: ignore[arg-type]
    return MacroSnapshot(as_of=as_of, session=bars.days[-1], **_frozen(evidence, missing, as_of.isoformat()))


@phase(scope="ticker")
def market_snapshot(
    ticker: Ticker, as_of: date, question: Question, settings: MarketSettings, *, fetch: Fetch
) -> MarketSnapshot:
    """What is known about one ticker. Raises NoData or a stale TickerFailure with the reason."""
    if ticker == question.benchmark:
        raise TickerFailure(f"{ticker} is the benchmark, and nothing beats itself", "refused")
    day = as_of.isoformat()
    bars = fetch("bars", Bars, symbol=ticker, as_of=day, sessions=str(SESSIONS))
    _check_bars(bars, as_of, settings)
    benchmark = fetch("bars", Bars, symbol=question.benchmark, as_of=day, sessions=str(SESSIONS))
    frame = ind.frame_of(bars)
    adj = frame["adj_close"]
    prices = Prices(frame, adj, ind.frame_of(benchmark)["adj_close"].loc[: adj.index[-1]])
    evidence, missing = _computed(PRICE_ITEMS, prices, bars.days[-1], bars.source or fetch.source_name)
    return MarketSnapshot(
        ticker=ticker, as_of=as_of, session=bars.days[-1], **_frozen(evidence, missing, f"{ticker} {day}")
    )


def _check_bars(bars: Bars, as_of: date, settings: MarketSettings) -> None:
    """Refuse bars that are out of order, later than the as-of date, not positive, or too old."""
    newest = bars.days[-1]
    if list(bars.days) != sorted(set(bars.days)) or newest > as_of:
        raise NoData(f"bars of {bars.symbol} are out of order or later than {as_of}")
    for name in ("open", "high", "low", "close", "adj_close"):
        for day, price in zip(bars.days, getattr(bars, name), strict=True):
            if price <= 0:
                raise NoData(f"{bars.symbol}: {name} of {day} is {price}; prices must be above 0")
    late = sessions_between(bars.exchange, newest, as_of)
    if late > settings.stale_after_sessions:
        allowed = settings.stale_after_sessions
        raise TickerFailure(
            f"newest bar of {bars.symbol} is {newest}, {late} sessions before {as_of}; {allowed} are allowed",
            "stale",
        )


def _computed(items: Iterable[Item], series: Any, session: date, source: str) -> tuple[list[Evidence], list[Missing]]:
    evidence, missing = [], []
    for item in items:
        value = item.compute(series)
        if value is None:
            missing.append(Missing(id=item.id, reason="too few sessions, or nothing to compare with"))
        else:
            evidence.append(_evidence(item.id, item.label, item.unit, value, session, session, source))
    return evidence, missing


def _released(
    item: Released, series: MacroSeries | None, as_of: date, settings: MarketSettings, source: str
) -> Evidence | Missing:
    if series is None or not series.values:
        return Missing(id=item.id, reason=f"the source {source} has no released {item.series}")
    value = item.compute(list(series.values), PERIODS_A_YEAR[series.period])
    if value is None:
        return Missing(id=item.id, reason=f"too few observations of {item.series}")
    age = (as_of - series.known[-1]).days / PERIOD_DAYS[series.period]
    if age > settings.macro_drop_after_periods:
        return Missing(id=item.id, reason=f"newest {item.series} is of {series.days[-1]}, too old to count")
    unit: Unit = "ratio"
    stale = age > settings.macro_stale_after_periods
    return _evidence(
        item.id, item.label, unit, value, series.days[-1], series.known[-1], series.source or source, stale
    )


def _evidence(
    id: str,
    label: str,
    unit: Unit,
    value: float,
    as_of: date,
    known_at: date,
    source: str,
    stale: bool = False,
) -> Evidence:
    shown = round(value, DIGITS[unit]) + 0.0
    return Evidence(
        id=id,
        label=label,
        value=shown,
        unit=unit,
        lean=lean(id, shown),
        as_of=as_of,
        known_at=known_at,
        source=source,
        tier=1,
        stale=stale,
    )


def _frozen(evidence: list[Evidence], missing: list[Missing], about: str) -> dict[str, Any]:
    items = tuple(sorted(evidence, key=lambda one: one.id))
    absent = tuple(sorted(missing, key=lambda one: one.id))
    parts = [one.model_dump(mode="json") for one in (*items, *absent)]
    return {"evidence": items, "missing": absent, "content_hash": digest(canonical([about, parts]))}
