"""Whole nights with all four axes, on real prices and statements and invented news, and the same from the journal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from phases.core.store import Store, open_store
from phases.night import hold_night, replay_night
from phases.outputs.tables import FORMATS
from phases.plan import Words, plan
from phases.sources import SOURCES
from schemas.feed import PortfolioFeed
from tests.phases.test_news import piece
from tests.real_world import RealSource, needs_shared

AXES = {"technical": "0.3", "fundamental": "0.3", "sentiment": "0.2", "news": "0.2"}
SETS = (
    "source=real",
    "question.benchmark=^INDEX",
    "market.families=[fa, news]",
    *(f"analyst.axes.{axis}={weight}" for axis, weight in AXES.items()),
)
DAY = "2025-06-30"
NAMES = ("AAPL", "MSFT", "NVDA")
TITLES = ("beats profit estimates", "cuts outlook", "wins contract")
SECRET = "Zyzzyva"


def news(ticker: str) -> list[dict[str, Any]]:
    told = {"symbols": [ticker], "summary": SECRET}
    return [
        piece(f"{SECRET} {title}", publisher="AP", **{**told, "published": f"2025-06-{28 + at}T12:00:00Z"})
        for at, title in enumerate(TITLES)
    ]


class Holed(RealSource):
    """A source with news, in which one ticker of three has figures without numbers."""

    def fetch(self, dataset: str, params: Mapping[str, str]) -> Any:
        found = super().fetch(dataset, params)
        if dataset == "fundamentals":
            cash = {"name": "free_cash_flow", "period": "year", "ended": "2024-12-31", "known": "2025-03-01"}
            value = None if params["symbol"] == "MSFT" else 5e10
            found = {**found, "figures": [*found["figures"], {**cash, "value": value}]}
        return found


@pytest.fixture(name="store")
def _store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(tmp_path / "out")
    yield store
    store.close()


def held(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: RealSource, *sets: str) -> Any:
    monkeypatch.setitem(SOURCES, "real", lambda settings: source)
    night = plan(Words(tickers=NAMES, sets=(*SETS, *sets), as_of=DAY), None)
    feed = hold_night(night, store, tmp_path / "out", lambda ticker, reason: None).feed
    return night, feed


@needs_shared
def test_D12_three_tickers_finish_and_one_figure_without_a_number_degrades_one_item(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Holed({name: news(name) for name in NAMES})
    night, feed = held(store, tmp_path, monkeypatch, source)
    assert [row.status for row in feed.rows] == ["debated"] * 3
    assert {"news-reader", "fundamental-analyst", "news-analyst"} <= set(night.header.skills)
    assert len({row.evidence_hash for row in feed.rows}) == 3
    again: PortfolioFeed = replay_night(night.header, store, 2, lambda ticker, reason: None)
    assert again == feed
    for name, text in FORMATS.items():
        assert SECRET not in text(feed), name
    whole, seen = "", 0
    with store.read() as connection:
        for name, body, ticker in connection.exec_driver_sql("SELECT name, body, ticker FROM artefacts").all():
            whole += body if name != "news" else ""
            seen += name == "news" and SECRET in body
            if name == "market_snapshot":
                assert ("free_cash_flow of 2024-12-31 is no number" in body) == (ticker == "MSFT")
    assert seen == 3
    assert SECRET not in whole, "kept as it came, and nowhere else"


@needs_shared
def test_an_axis_without_evidence_is_its_own_gap(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Holed({"AAPL": news("AAPL")})
    _, feed = held(store, tmp_path, monkeypatch, source, "held=[MSFT]", "debate.when=gate", "universe.cap=1")
    (row,) = feed.rows
    assert (row.ticker, row.held, row.flags.count("missing_news")) == ("MSFT", True, 1)
    assert row.status == "degraded"
    assert row.stance is not None
