"""G9, outputs: whatever stands in a night's texts, a page shows it as text and nothing in it acts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from phases.core.text import printable
from tests.browser.conftest import Opened
from tests.browser.hostile import ACTIVE, HOSTILE
from tests.browser.stores import spoil
from tests.conftest import Goal

PageOf = Callable[..., Path]


@pytest.mark.parametrize("words", [("last",), ("--history",)], ids=["night", "history"])
def test_hostile_texts_are_shown_and_do_nothing(
    store: Path, page_of: PageOf, opened: Opened, goal: Goal, words: tuple[str, ...]
) -> None:
    assert len(set(HOSTILE)) == 40
    spoil(store, HOSTILE)
    page = opened(page_of(store, *words)).page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.mouse.move(300, 300)
    page.wait_for_timeout(200)
    found = page.evaluate(ACTIVE)
    assert found == []
    assert page.title() in ("History", "Night of 2008-11-28")
    told = page.locator("main").text_content()
    shown = [text for text in HOSTILE if printable(text) in told]
    assert len(shown) == 40 if words == ("last",) else len(shown) > 10, set(HOSTILE) - set(shown)
    goal(f"G9 outputs, {page.title().split()[0].lower()} page", texts=len(shown), active_nodes=len(found))


def test_the_count_of_active_nodes_counts(opened: Opened, tmp_path: Path) -> None:
    """The measure itself: written without escaping, nearly every one of the texts that hold a tag is found."""
    file = tmp_path / "raw.html"
    for text in (HOSTILE[2], HOSTILE[4], HOSTILE[14], HOSTILE[25], HOSTILE[28]):
        policy = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
        file.write_text(f"<!doctype html><head>{policy}</head><body><p>{text}</p>", encoding="utf-8")
        seen = opened(file)
        assert seen.page.evaluate(ACTIVE), text
        seen.wrong.clear()
        seen.asked.clear()
