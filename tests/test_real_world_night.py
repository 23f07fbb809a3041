"""A night in the shape of `configs/nightly.yaml`: Yahoo on loopback with real captures, FRED from files, four axes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from phases.core.store import open_store
from phases.market_data import market_snapshot
from phases.night import hold_night
from phases.plan import CONFIGS, Words, plan
from phases.sources.yahoo import YahooSource
from schemas.settings import SourceSettings
from tests.phases.sources.yahoo import server as served
from tests.phases.sources.yahoo.server import YahooServer, captured, modules, rising
from tests.shared import shared
from tests.support import QUESTION, fetch_door, settings

pytest.importorskip("yfinance", reason="yfinance is not installed (extra `yahoo`)")

DAY = date(2025, 12, 17)
"""A day of the captures, and within the macro files."""

COMPANIES = ("AAPL", "AMD", "AMZN", "GOOGL", "INTC", "META", "MSFT", "NVDA", "TSLA")
CAPTURES = {"AAPL_2025-12": DAY, **{f"{one}_2026-06": date(2026, 6, 18) for one in COMPANIES}}

DIRECT = {
    "fa.market_cap": ("marketCap", 2),
    "fa.pe_trailing": ("trailingPE", 2),
    "fa.pe_forward": ("forwardPE", 2),
    "fa.ev_ebitda": ("enterpriseToEbitda", 2),
    "fa.pb": ("priceToBook", 2),
    "fa.gross_margin": ("grossMargins", 4),
    "fa.operating_margin": ("operatingMargins", 4),
    "fa.net_margin": ("profitMargins", 4),
    "fa.revenue_growth": ("revenueGrowth", 4),
    "fa.earnings_growth": ("earningsGrowth", 4),
    "fa.roe": ("returnOnEquity", 4),
}
"""Items that are a number of Yahoo's, rounded."""


@pytest.fixture(name="server")
def _server(monkeypatch: pytest.MonkeyPatch) -> Iterator[YahooServer]:
    served.plain_http(monkeypatch)
    shared("data/yahoo")
    with YahooServer() as made:
        yield made


def evening(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 22, tzinfo=UTC)


def expected(info: dict[str, Any]) -> dict[str, float]:
    """Items of a capture by hand, but the days until results."""
    found = {id: round(info[key], digits) for id, (key, digits) in DIRECT.items() if info.get(key) is not None}
    debt = (info["totalDebt"] - info["totalCash"]) / info["ebitda"]
    cash = info["freeCashflow"] / info["marketCap"]
    return {**found, "fa.net_debt_ebitda": round(debt, 2), "fa.fcf_yield": round(cash, 4)}


@pytest.mark.parametrize("name", CAPTURES)
def test_every_item_of_a_real_capture_has_the_number_that_stands_there(server: YahooServer, name: str) -> None:
    info, symbol, day = captured(f"info/{name}.json"), name.partition("_")[0], CAPTURES[name]
    server.infos[symbol] = modules(info)
    server.charts |= {one: rising(one, day) for one in (symbol, "^GSPC")}
    source = YahooSource(SourceSettings(name="yahoo", proxy=server.url), lambda: evening(day))
    families = settings("market.families=[fa]", "analyst.axes.fundamental=0.4").market
    found = market_snapshot(symbol, day, QUESTION, families, fetch=fetch_door(source))
    seen = {one.id: one.value for one in found.evidence if one.id.startswith("fa.") and one.id != "fa.earnings_days"}
    assert set(seen) == set(expected(info)), {one.id: one.reason for one in found.missing}
    assert seen == pytest.approx(expected(info))


def stories(symbol: str) -> list[Any]:
    """The captured news, of one company in both shapes, one an hour until the close."""
    new = captured("news/AAPL_news_2026-09-16_excerpt.json") if symbol == "AAPL" else []
    old = captured(f"search_news/search-{symbol}.json")["response"]["bodyJson"]["news"]
    moments = [evening(DAY) - timedelta(hours=n) for n in range(2, len(new) + len(old) + 2)]
    for one, at in zip(new, moments, strict=False):
        one["content"] |= {"pubDate": at.isoformat(), "displayTime": at.isoformat()}
    for one, at in zip(old, moments[len(new) :], strict=True):
        one["providerPublishTime"] = int(at.timestamp())
    return [*new, *old]


def test_a_whole_night_on_what_people_hold_has_all_four_axes(
    server: YahooServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(YahooSource.__init__, "__defaults__", (lambda: evening(DAY),))
    infos = {"AAPL": captured("info/AAPL_2025-12.json"), "AMZN": captured("info/AMZN_2026-06.json")}
    server.infos |= {symbol: modules(info) for symbol, info in infos.items()}
    server.charts |= {one: rising(one, DAY) for one in (*infos, "^GSPC", "BTC-USD")}
    server.news |= {symbol: stories(symbol) for symbol in infos}
    sets = (
        f"source.proxy={server.url}",
        f"source.fred.path={shared('data/macro/fred')}",
        "provider=offline",
        "models.default=offline-desk",
        "models.research-manager=offline-desk",
        "debate.when=all",
    )
    with closing(open_store(tmp_path)) as store:
        night = plan(Words(tuple(infos), CONFIGS / "nightly.yaml", sets, DAY.isoformat()), None)
        feed = hold_night(night, store, tmp_path, lambda ticker, reason: None).feed
        with store.read() as connection:
            rows = connection.exec_driver_sql("SELECT name, ticker, body FROM artefacts").all()
    made = {(name, ticker): json.loads(body) for name, ticker, body in rows}
    assert {row.status for row in feed.rows} == {"debated"}, [row.reason for row in feed.rows]
    for row in feed.rows:
        payload = made["analyst_payload", row.ticker]
        assert {one["axis"] for one in payload["axes"]} == {"technical", "fundamental", "sentiment", "news"}
        assert not payload.get("missing_axes")
        evidence = {one["id"]: one for one in made["market_snapshot", row.ticker]["evidence"]}
        seen = {id: one["value"] for id, one in evidence.items() if id in expected(infos[row.ticker])}
        assert seen == pytest.approx(expected(infos[row.ticker]))
        assert {evidence[id]["source"] for id in seen} == {"yahoo"}
        told = {one["publisher"] for one in made["news", row.ticker]["items"]}
        assert told >= ({"Trefis", "Bloomberg"} if row.ticker == "AAPL" else {"MT Newswires"})
        assert any(one["id"].startswith("news.i") for one in made["news_snapshot", row.ticker]["evidence"])
    (macro,) = [body for (name, _), body in made.items() if name == "macro_snapshot"]
    assert {one["source"] for one in macro["evidence"]} == {"yahoo", "fred"}
    assert {one["id"]: one["reason"] for one in macro["missing"]}["macro.breadth_200d"] == "yahoo has no universe"
