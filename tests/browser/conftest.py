"""A real Chromium that asks for nothing but the page, and stores to make pages from."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from phases.entry import exit_code
from run_pipeline import app
from tests.browser.stores import build
from tests.conftest import Night, Shared

NAMES = ("chromium", "chromium-browser", "google-chrome")


def found_browser() -> str | None:
    """Path of a Chromium: $CHROMIUM, else what is on the PATH."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The browser, which runs an event loop meanwhile. Without one the test is skipped, but fails where CI is true."""
    path = found_browser()
    if path is None:
        told = f"no browser: none of {', '.join(NAMES)} is on the PATH, and CHROMIUM names none"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(told)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


class Seen:
    """What a page did besides being shown."""

    def __init__(self, context: Any, path: Path) -> None:
        self.wrong: list[str] = []
        """Errors and warnings of the console, and errors of scripts."""
        self.asked: list[str] = []
        """Requests for anything but the page."""
        address = path.as_uri()

        def routed(route: Any) -> None:
            if route.request.url == address:
                route.continue_()
                return
            self.asked.append(route.request.url)
            route.abort()

        context.route("**/*", routed)
        self.page = context.new_page()
        self.page.on("console", lambda told: self.wrong.append(told.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.wrong.append(dialog.message), dialog.dismiss()))
        self.page.goto(address)


Opened = Callable[..., Seen]


@pytest.fixture
def opened(chromium: Any) -> Iterator[Opened]:
    """Opens a file in a window of its own, 1280 wide if nothing is said; in the end it must have done no harm."""
    seen, contexts = [], []

    def open_page(path: Path, *, width: int = 1280, **more: Any) -> Seen:
        contexts.append(chromium.new_context(viewport={"width": width, "height": 900}, **more))
        seen.append(Seen(contexts[-1], path))
        return seen[-1]

    yield open_page
    for context in contexts:
        context.close()
    assert [one.wrong for one in seen] == [[] for _ in seen]
    assert [one.asked for one in seen] == [[] for _ in seen]


@pytest.fixture
def nights(shared: Shared) -> Night:
    """Three nights of five tickers, one of which has no data. Read only."""
    return shared("report", build)


@pytest.fixture
def store(nights: Night, tmp_path: Path) -> Path:
    """The same three nights, to be changed."""
    return nights.copy(tmp_path / "store").path


def write_page(out: Path, to: Path, *words: str) -> Path:
    """The page that the command line writes."""
    assert exit_code(app, ["report", *words, "--out", str(out), "--to", str(to)], False) == 0
    return to


@pytest.fixture
def page_of(tmp_path: Path) -> Callable[..., Path]:
    """Writes the page of a store: of its last run, or what the words say."""

    def written(out: Path, *words: str) -> Path:
        return write_page(out, tmp_path / "page.html", *(words or ("last",)))

    return written
