"""The history page in a real browser."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Opened
from tests.browser.stores import DAYS, TICKERS
from tests.browser.widths import wrong_at
from tests.conftest import Night

PageOf = Callable[..., Path]


@pytest.fixture
def feeds(nights: Night) -> dict[str, dict[str, dict[str, Any]]]:
    """Rows by day and ticker, from the exported feeds."""
    files = {day: next(nights.path.glob(f"{day}-*")) / "feed.json" for day in DAYS}
    return {day: {row["ticker"]: row for row in json.loads(file.read_text())["rows"]} for day, file in files.items()}


def test_every_ticker_has_its_nights_with_their_numbers(
    nights: Night, page_of: PageOf, opened: Opened, feeds: dict[str, dict[str, dict[str, Any]]]
) -> None:
    page = opened(page_of(nights.path, "--history")).page
    assert page.locator(".multiples h3").all_inner_texts() == sorted(TICKERS)
    for at, ticker in enumerate(sorted(TICKERS)):
        told = page.locator(".multiples svg").nth(at).get_attribute("aria-label")
        for day in DAYS:
            row = feeds[day][ticker]
            said = (
                f"{day}: {row['stance']}, before {row['probability_pre']:.3f}, after {row['probability_post']:.3f}"
                if row["stance"]
                else f"{day}: no view, {row['status']}"
            )
            assert said in told


def test_the_first_line_tells_sessions_from_runs(nights: Night, store: Path, page_of: PageOf, opened: Opened) -> None:
    """The second night once more under another name: four runs, of which three are drawn."""
    span = f"{DAYS[0]} to {DAYS[-1]}"
    assert f"3 sessions {span}" in _first_line(opened(page_of(nights.path, "--history")).page)
    with closing(sqlite3.connect(store / "rebuttal.db")) as connection, connection:
        ((old,),) = connection.execute("SELECT run_id FROM runs WHERE run_id LIKE ?", (f"{DAYS[1]}-%",))
        new = f"{DAYS[1]}-00000000"
        for table in ("runs", "feed", "artefacts"):
            names = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
            swap = {"run_id": "?1", "position": "position + 10"}
            picked = ", ".join(swap.get(name, f'"{name}"') for name in names)
            connection.execute(f"INSERT INTO {table} SELECT {picked} FROM {table} WHERE run_id = ?2", (new, old))
    page = opened(page_of(store, "--history")).page
    assert f"3 sessions in 4 runs {span}" in _first_line(page)
    assert page.locator(".nights tbody tr").count() == 4
    assert "3 sessions" in page.locator(".multiples figcaption").first.inner_text()


def _first_line(page: Any) -> str:
    return " ".join(page.locator("header .engine").inner_text().split())


def test_the_axis_runs_from_0_to_1_and_days_are_to_scale(
    nights: Night, page_of: PageOf, opened: Opened, feeds: dict[str, dict[str, dict[str, Any]]]
) -> None:
    """31 days and 28 days lie between the three nights."""
    page = opened(page_of(nights.path, "--history")).page
    chart = page.locator(".multiples svg").first
    assert chart.locator("text.axis").all_text_contents() == ["0", "0.5", "1"]
    low, _, high = (float(one.get_attribute("y1")) for one in chart.locator("line.grid").all())
    dots = [
        (float(one.get_attribute("cx")), float(one.get_attribute("cy"))) for one in chart.locator(".after[cx]").all()
    ]
    assert len(dots) == 3
    assert (dots[1][0] - dots[0][0]) / (dots[2][0] - dots[1][0]) == pytest.approx(31 / 28, abs=0.02)
    for (_, y), day in zip(dots, DAYS, strict=True):
        assert (low - y) / (low - high) == pytest.approx(feeds[day]["AAPL"]["probability_post"], abs=0.01)


def test_what_is_open_and_the_nights_are_listed(nights: Night, page_of: PageOf, opened: Opened) -> None:
    page = opened(page_of(nights.path, "--history")).page
    assert page.locator(".nights tbody th").all_inner_texts() == list(reversed(DAYS))
    heads = page.locator(".open-points summary").all_inner_texts()
    assert [head.split()[0] for head in heads if head.split()[0] != "▸"] == ["AAPL", "GOOG", "IBM", "MSFT"]
    assert all(re.search(rf"\d points? open, \d conditions?\s+debated on {DAYS[-1]}", head) for head in heads), heads
    assert "carried from 2008-10-31" in heads[0]
    page.locator(".open-points summary").first.click()
    assert re.search(r"(rises above|falls below) .* then ", page.locator(".open-points").first.inner_text())


def test_a_phone_needs_no_sideways_scrolling(nights: Night, page_of: PageOf, opened: Opened) -> None:
    page = opened(page_of(nights.path, "--history"), width=360).page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_every_width_reads_well(nights: Night, page_of: PageOf, opened: Opened) -> None:
    assert wrong_at(opened(page_of(nights.path, "--history")).page) == {}


def test_every_mark_of_a_stance_has_an_outline_or_a_strong_colour(
    nights: Night, page_of: PageOf, opened: Opened
) -> None:
    """Hold and watch are pale: what shows that there was a view is the line around them, in the colour of text."""
    page = opened(page_of(nights.path, "--history")).page
    style = """kind => {
      const one = document.querySelector(".multiples svg").appendChild(
        document.createElementNS("http://www.w3.org/2000/svg", "rect"));
      one.setAttribute("class", `cell ${kind}`);
      const { fill, stroke } = getComputedStyle(one);
      return [fill, stroke];
    }"""
    text = page.locator(".multiples svg text.axis").first.evaluate("one => getComputedStyle(one).fill")
    for kind in ("hold", "watch"):
        assert page.evaluate(style, kind)[1] == text
    assert page.evaluate(style, "none")[1] not in ("none", text)
