"""How Yahoo is asked in tests: one night, and the bars, figures and headlines of a symbol."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any

import pytest

from phases.sources.yahoo import YahooSource
from schemas.market import Bars, Fundamentals, News
from tests.phases.sources.yahoo import server as served
from tests.phases.sources.yahoo.server import YahooServer, modules

needs_shared = pytest.mark.skipif(not served.YAHOO.is_dir(), reason="the shared data folder is not there")

DAY = date(2024, 6, 28)
NOW = datetime(2024, 6, 28, 22, 0, tzinfo=UTC)
"""An hour or two after the close in New York."""

Make = Callable[..., YahooSource]


def bars(source: YahooSource, symbol: str = "AAPL", as_of: date = DAY, sessions: int = 5) -> Bars:
    params = {"symbol": symbol, "as_of": as_of.isoformat(), "sessions": str(sessions)}
    return Bars.model_validate_json(json.dumps(source.fetch("bars", params), allow_nan=False))


def figures(source: YahooSource, symbol: str = "AAPL", as_of: date = DAY) -> Fundamentals:
    answer = source.fetch("fundamentals", {"symbol": symbol, "as_of": as_of.isoformat()})
    return Fundamentals.model_validate_json(json.dumps(answer, allow_nan=False))


def headlines(source: YahooSource, symbol: str = "AAPL", as_of: date = DAY) -> News:
    answer = source.fetch("news", {"symbol": symbol, "as_of": as_of.isoformat()})
    return News.model_validate_json(json.dumps(answer, allow_nan=False))


def values(told: Fundamentals, *periods: str) -> dict[str, float]:
    """Figures by name, of these spans; without spans, all but those of quarterly statements."""
    return {
        one.name: one.value for one in told.figures if one.period in periods or (not periods and one.known > one.ended)
    }


IDENTITIES = ("BRK-B", "BRK.B", "0700.HK", "SHEL.L", "RELIANCE.NS", "^GSPC", "BTC-USD", "CON", "TRUE", "NULL")

STOCK: Mapping[str, Any] = {
    "symbol": "AAPL",
    "quoteType": "EQUITY",
    "currency": "USD",
    "financialCurrency": "USD",
    "currentPrice": 200.0,
    "marketCap": 3_000_000_000,
    "sharesOutstanding": 15_000_000,
    "freeCashflow": 100_000_000,
    "trailingPE": 30.0,
    "profitMargins": 0.25,
}
LIVE = {"market_cap": 3e9, "shares": 1.5e7, "free_cash_flow": 1e8, "trailing_pe": 30.0, "net_margin": 0.25}


def told_of(server: YahooServer, source: Make, symbol: str = "AAPL", **changed: Any) -> Fundamentals:
    info = {**STOCK, "symbol": symbol, **changed}
    server.infos[symbol] = modules({key: value for key, value in info.items() if value != "gone"})
    return figures(source(), symbol)
