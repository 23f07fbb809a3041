"""A page of many tickers: one file below 10 MB that opens in under two seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tests.browser.conftest import Opened
from tests.browser.stores import enlarge, with_health
from tests.conftest import Goal
from tests.shared import NIGHTLY

PageOf = Callable[..., Path]

TICKERS = 500 if NIGHTLY else 60
SECONDS = 2

OPENED = """() => new Promise((tell) => requestAnimationFrame(() => setTimeout(() => tell(Math.max(
  performance.getEntriesByType("navigation")[0].loadEventEnd,
  ...performance.getEntriesByType("paint").map((one) => one.startTime))))))"""
"""Milliseconds from the start of the navigation until the page is loaded, its script has run and it is painted."""


def test_many_tickers_open_fast(store: Path, page_of: PageOf, opened: Opened, goal: Goal) -> None:
    """The best of three openings counts, so that a busy machine is not taken for a slow page."""
    with_health(store)
    enlarge(store, TICKERS)
    begun = time.monotonic()
    path = page_of(store)
    made = time.monotonic() - begun
    size = path.stat().st_size
    assert size < 10_000_000 * TICKERS / 500 + 100_000
    seconds = []
    for _ in range(3):
        page = opened(path).page
        assert page.locator("#all tbody tr:visible").count() == TICKERS
        seconds.append(page.evaluate(OPENED) / 1000)
    assert min(seconds) < SECONDS
    assert page.locator("details.whole").count() == TICKERS * 4 // 5, "every debate has its transcript"
    page.fill("#f-name", "X0042")
    assert page.locator("#f-count").inner_text() == f"1 of {TICKERS}"
    goal(f"report of {TICKERS} tickers", megabytes=size / 1e6, seconds_to_make=made, seconds_to_open=min(seconds))
