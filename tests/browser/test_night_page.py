"""The morning page in a real browser: what a reader sees and can do."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Opened
from tests.browser.stores import DAYS, TICKERS, stretch, with_health
from tests.browser.widths import WHOLE, WRONG, wrong_at
from tests.conftest import Night

PageOf = Callable[..., Path]

SHOWN = "one => one.checkVisibility({ contentVisibilityAuto: true })"


@pytest.fixture
def rows(nights: Night) -> dict[str, dict[str, Any]]:
    """Rows of the last night by ticker, from its exported feed."""
    (folder,) = nights.path.glob(f"{DAYS[-1]}-*")
    return {row["ticker"]: row for row in json.loads((folder / "feed.json").read_text())["rows"]}


@pytest.fixture
def page(store: Path, page_of: PageOf, opened: Opened) -> Any:
    with_health(store)
    return opened(page_of(store)).page


def _column(page: Any, number: int) -> list[str]:
    return page.locator(f"#all tbody tr:visible > *:nth-child({number})").all_inner_texts()


def test_it_begins_with_who_spoke_and_which_night(page: Any) -> None:
    first = page.locator("header").inner_text().splitlines()[0]
    assert re.search(rf"^engine: offline-desk v\d+, llm: none\s+night of {DAYS[-1]}\s+session {DAYS[-1]}", first), first


def test_the_top_says_what_moved_and_what_the_debates_brought(page: Any, rows: dict[str, dict[str, Any]]) -> None:
    """4 debates, 2 decisions, $0.3124: $0.1562 each, as the health says."""
    changed = {ticker for ticker, row in rows.items() if row["conviction_pre"] != row["conviction_post"]}
    assert changed
    told = page.locator("#moved").inner_text()
    assert "4 debates changed 2 decisions and cost $0.3124, $0.1562 for each decision changed." in told
    assert "mean tilt −0.13 lies beyond two standard errors of 0.06" in told
    moved = page.locator("#moved .moves li").all_inner_texts()
    assert changed <= {line.split()[0] for line in moved}
    for line in moved:
        assert str(rows[line.split()[0]]["reason"]) in line
    top = page.locator("#moved").bounding_box()
    assert top["y"] + top["height"] < 900, "what moved is seen without scrolling"


def test_the_health_is_rendered_figure_by_figure(page: Any) -> None:
    told = page.locator("#health").inner_text()
    for figure in (
        *("4", "7", "2", "1 of 1", "−0.13", "± 0.09", "1 of 4", "6", "of 8 configured", "28", "3", "1", "5"),
        *("83", "9", "4 of them stale", "2 carried, 7 missing", "1,234,567", "45,678", "61%", "$0.5234", "$5.00"),
    ):
        assert figure in told, figure


def test_a_column_sorts_by_value_both_ways_and_what_has_none_comes_last(
    page: Any, rows: dict[str, dict[str, Any]]
) -> None:
    order = sorted(
        (row["conviction_post"], ticker) for ticker, row in rows.items() if row["conviction_post"] is not None
    )
    head = page.locator("#all thead th").nth(5)
    head.locator("button").click()
    assert _column(page, 1)[:4] == [ticker for _, ticker in order]
    assert (_column(page, 1)[4], head.get_attribute("aria-sort")) == ("FB", "ascending")
    head.locator("button").click()
    numbers = [rows[ticker]["conviction_post"] for ticker in _column(page, 1)[:4]]
    assert numbers == sorted(numbers, reverse=True)
    assert (_column(page, 1)[4], head.get_attribute("aria-sort")) == ("FB", "descending")
    page.locator("#all thead th button").first.click()
    assert _column(page, 1) == sorted(TICKERS)
    assert page.locator("#all [aria-sort]").count() == 1


def test_what_a_row_has_not_comes_last_in_every_column_both_ways(page: Any) -> None:
    heads = page.locator("#all thead th")
    for at in range(heads.count()):
        for _ in ("ascending", "descending"):
            heads.nth(at).locator("button").click()
            found = [cell in ("", "–") for cell in _column(page, at + 1)]
            assert found == sorted(found), heads.nth(at).inner_text()
            assert any(found) == (at not in (0, 1, 10)), "FB has a name, a status and a reason, and no number"


def test_the_table_filters_by_name_status_stance_and_movement(page: Any, rows: dict[str, dict[str, Any]]) -> None:
    page.fill("#f-name", "m")
    assert _column(page, 1) == ["IBM", "MSFT"]
    assert page.locator("#f-count").inner_text() == "2 of 5"
    assert page.locator("details.ticker:visible summary .name").all_inner_texts() == ["IBM", "MSFT"]
    page.fill("#f-name", "")
    page.select_option("#f-status", "no_data")
    assert _column(page, 1) == ["FB"]
    page.select_option("#f-status", "")
    page.select_option("#f-stance", "sell")
    assert _column(page, 1) == [ticker for ticker, row in rows.items() if row["stance"] == "sell"]
    page.select_option("#f-stance", "")
    page.check("#f-moved")
    assert sorted(_column(page, 1)) == sorted(one.split()[0] for one in page.locator(".moves li").all_inner_texts())


def test_a_row_without_a_view_is_never_neutral(page: Any) -> None:
    """Own colour, its status and its reason; no stance and no number."""
    row = page.locator("#all tr.no_data")
    cells = row.locator("td").all_inner_texts()
    assert cells[0] == "no data" and set(cells[1:-1]) == {"–"} and "no bar of FB" in cells[-1]
    colour = "one => getComputedStyle(one).color"
    plain = page.locator("#all tr.debated .st").first.evaluate(colour)
    assert row.locator(".st").evaluate(colour) != plain
    assert "no bar of FB" in page.locator("#moved .others").inner_text()


def test_a_link_unfolds_its_ticker_and_everything_is_in_it(page: Any, rows: dict[str, dict[str, Any]]) -> None:
    block = page.locator("details.ticker", has=page.locator("summary", has_text="IBM"))
    assert not block.evaluate("one => one.open")
    page.locator("#all a", has_text="IBM").click()
    assert block.evaluate("one => one.open")
    told = block.inner_text()
    for part in ("View before and after", "Both theses", "Gap by round", "Points that stand or fell", "left open on"):
        assert part.replace("left open on", "left open") in told
    assert "What would settle it" in told and re.search(r"(rises above|falls below) 0\.0%\s+tonight [+−]\d", told)
    whole = block.locator("details.whole")
    assert not whole.locator("h5").first.evaluate(SHOWN)
    whole.locator("summary").click()
    assert whole.locator("h5").all_inner_texts() == ["Opening", "Round 1", "Round 2"]
    assert block.locator("svg .axis").all_text_contents()[-3:] == ["opening", "round 1", "round 2"]
    assert ", opening and 2 of 2 rounds; ended by" in told


def test_the_keyboard_does_it_all(page: Any) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator("#all thead button").nth(2).focus()
    page.keyboard.press("Enter")
    assert page.locator("#all thead th").nth(2).get_attribute("aria-sort") == "ascending"
    page.locator("details.ticker summary").first.focus()
    page.keyboard.press("Space")
    assert page.locator("details.ticker").first.evaluate("one => one.open")
    page.locator("#theme").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_every_figure_says_its_numbers(page: Any, rows: dict[str, dict[str, Any]]) -> None:
    figures = page.locator("svg").all()
    assert len(figures) == 5, "four gap charts and the distribution"
    for figure in figures:
        assert figure.get_attribute("role") == "img"
        assert len(re.findall(r"\d", figure.get_attribute("aria-label"))) >= 5
    block = page.locator("details.ticker").nth(3)
    told = block.locator("svg").get_attribute("aria-label")
    assert f"gap {rows['IBM']['gap_first']:.3f}" in told
    before = f"{rows['IBM']['probability_pre']:.3f}"
    assert f"Before the debate: {before}." in told
    assert block.locator("svg .name.before").text_content() == f"before {before}", "one number is called before"
    assert before in block.locator("table.small tbody tr").first.text_content()
    for field in page.locator("input, select").all():
        assert field.evaluate("one => one.labels.length") == 1


CONTRAST = """() => {
  const light = (text) => {
    const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
      .map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const poor = [];
  for (const one of document.querySelectorAll("body *")) {
    if (![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    if (one.closest("svg") || one.localName === "script" || one.closest("[hidden]")) continue;
    const [a, b] = [light(getComputedStyle(one).color), light(ground(one))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) poor.push(`${one.localName}.${one.className} ${((a + .05) / (b + .05)).toFixed(2)}`);
  }
  return [...new Set(poor)];
}"""
"""Elements whose text has less than the contrast that WCAG 2 asks for (4.5 to 1)."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_schemes_are_readable(store: Path, page_of: PageOf, opened: Opened, scheme: str) -> None:
    page = opened(page_of(store), color_scheme=scheme).page
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    channels = [float(one) for one in re.findall(r"[\d.]+", ground)[:3]]
    assert (sum(channels) > 600) == (scheme == "light"), ground
    assert page.evaluate(CONTRAST) == []
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != ground
    assert page.evaluate(CONTRAST) == []


def test_a_phone_needs_no_sideways_scrolling(store: Path, page_of: PageOf, opened: Opened) -> None:
    with_health(store)
    page = opened(page_of(store), width=360).page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.locator("#all tbody tr").first.locator("td:visible").count() == 4


def test_every_width_reads_well(store: Path, page_of: PageOf, opened: Opened) -> None:
    """Names of twelve letters that are held, every kind of status, two-digit numbers and long reasons."""
    with_health(store)
    stretch(store)
    page = opened(page_of(store)).page
    assert wrong_at(page) == {}
    shown = {}
    for width in (1400, 1000, 600, 320):
        page.set_viewport_size({"width": width, "height": 900})
        shown[width] = page.locator("#all thead th:visible").all_inner_texts()
    assert len(shown[1400]) == 11
    assert shown[1000] == ["ticker", "status", "stance", "change", "after", "p after", "why"]
    assert shown[600] == ["ticker", "status", "stance", "change", "after"]
    assert shown[320] == ["ticker", "status", "stance", "after"]


def test_the_measure_of_widths_measures(store: Path, page_of: PageOf, opened: Opened) -> None:
    """With every column shown in every window the reasons are crushed and the page must be scrolled."""
    stretch(store)
    page = opened(page_of(store), bypass_csp=True).page
    page.add_style_tag(content=".wide, .wider { display: table-cell !important; }")
    found = wrong_at(page)
    assert any("to scroll sideways" in one for one in found[720])
    assert any("a reason has" in one for one in found[720]) and any("is broken in" in one for one in found[720]), found


def test_it_prints_with_its_blocks_unfolded(page: Any, tmp_path: Path) -> None:
    page.evaluate(
        "addEventListener('beforeprint', () => { window.open_then = document.querySelectorAll('.ticker[open]').length; })"
    )
    file = tmp_path / "page.pdf"
    page.pdf(path=file, format="A4")
    assert file.read_bytes().startswith(b"%PDF-")
    assert page.evaluate("window.open_then") == len(TICKERS)
    assert page.locator(".ticker[open]").count() == 0, "and folds them again"


PAPERS = (698, 718, 740, 794)
"""Pixels across A4 between margins of 12.7 and 10 mm, US letter between the latter, and A4 without margins."""

PLACES = """() => [...document.querySelectorAll("#all tr")].map((row) => [...row.children].map((one) => {
  const range = document.createRange();
  range.selectNodeContents(one);
  const text = range.getBoundingClientRect();
  return { left: text.left, right: text.right, top: text.top, wide: one.getBoundingClientRect().width, told: one.innerText };
}))"""


@pytest.mark.parametrize("paper", PAPERS)
def test_a_printed_reason_has_a_line_of_its_own_and_figures_stand_below_their_heads(
    store: Path, page_of: PageOf, opened: Opened, paper: int
) -> None:
    with_health(store)
    stretch(store)
    page = opened(page_of(store), width=paper).page
    page.emulate_media(media="print")
    assert page.evaluate(WRONG, WHOLE) == []
    head, *rows = page.evaluate(PLACES)
    assert len(head) == 11 and len(rows) == 10
    for row in rows:
        for at, (top, cell) in enumerate(zip(head, row, strict=True)):
            side = "right" if 3 <= at <= 9 else "left"
            assert cell[side] == pytest.approx(top[side], abs=1), (top["told"], cell["told"])
        assert all(one["right"] <= two["left"] for one, two in pairwise(row[:10])), "no figure covers another"
        assert row[10]["wide"] > 0.75 * paper and row[10]["top"] > max(one["top"] for one in row[1:10])


def test_the_printed_head_is_repeated_on_every_page(page: Any) -> None:
    """Chromium repeats a header group, but leaves out what is in the boxes of its buttons."""
    page.emulate_media(media="print")
    display = "one => getComputedStyle(one).display"
    assert page.locator("#all thead").evaluate(display) == "table-header-group"
    assert {one.evaluate(display) for one in page.locator("#all thead button").all()} == {"contents"}


def test_without_scripts_everything_is_still_there(store: Path, page_of: PageOf, opened: Opened) -> None:
    page = opened(page_of(store), java_script_enabled=False).page
    assert _column(page, 1) == list(TICKERS)
    assert not page.locator("#filters").is_visible() and not page.locator("#theme").is_visible()
    page.locator("details.ticker summary").first.click()
    assert page.locator("details.ticker .body").first.is_visible()


def test_a_night_stored_before_health_was_counted_says_so(store: Path, page_of: PageOf, opened: Opened) -> None:
    with closing(sqlite3.connect(store / "rebuttal.db")) as connection, connection:
        connection.execute("UPDATE runs SET record = json_remove(record, '$.health')")
    page = opened(page_of(store)).page
    assert "stored before its health was counted" in page.locator("#health").inner_text()


def test_the_night_itself_leaves_the_page_in_its_folder(nights: Night) -> None:
    for told in nights.told:
        page = Path(told.json["out"]) / "report.html"
        assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
