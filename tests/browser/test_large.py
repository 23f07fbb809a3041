"""A page of many tickers: one file below 10 MB that opens in under two seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.browser.conftest import Opened
from tests.browser.stores import enlarge, with_health
from tests.conftest import Goal
from tests.shared import NIGHTLY

PageOf = Callable[..., Path]

TICKERS = 500 if NIGHTLY else 60
SECONDS = 2

OPENED = """() => new Promise((tell) => requestAnimationFrame(() => setTimeout(() => tell(
  performance.getEntriesByType("navigation")[0].loadEventEnd / 1000))))"""
"""Seconds by the clock from the start of the navigation until the page is loaded, its script run, and it is painted."""


def _opening(chromium: Any, path: Path) -> tuple[float, float]:
    """Seconds of the page's own thread at work, and by the clock; the second grows with whatever else runs."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Performance.enable")
    page.goto(path.as_uri())
    clock = page.evaluate(OPENED)
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    context.close()
    return metrics["ThreadTime"], clock


def test_many_tickers_open_fast(store: Path, page_of: PageOf, opened: Opened, chromium: Any, goal: Goal) -> None:
    """Work is held to the limit, so that a busy machine is not taken for a slow page; the best of three counts."""
    with_health(store)
    enlarge(store, TICKERS)
    begun = time.monotonic()
    path = page_of(store)
    made = time.monotonic() - begun
    size = path.stat().st_size
    assert size < 10_000_000 * TICKERS / 500 + 100_000
    openings = [_opening(chromium, path) for _ in range(3)]
    work, clock = map(min, zip(*openings, strict=True))
    assert 0.01 < work < SECONDS
    page = opened(path).page
    assert page.locator("#all tbody tr").count() == TICKERS
    assert page.locator("details.whole").count() == TICKERS * 4 // 5, "every debate has its transcript"
    page.fill("#f-name", "X0042")
    assert page.locator("#f-count").inner_text() == f"1 of {TICKERS}"
    goal(
        f"report of {TICKERS} tickers",
        megabytes=size / 1e6,
        seconds_to_make=made,
        seconds_of_work=work,
        seconds_to_open=clock,
    )
