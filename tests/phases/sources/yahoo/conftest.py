"""Yahoo through the real library, against a server on the loopback that speaks Yahoo's formats."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from phases.sources.yahoo import YahooSource
from schemas.settings import SourceSettings
from tests.phases.sources.yahoo import server as served
from tests.phases.sources.yahoo.asked import NOW, Make
from tests.phases.sources.yahoo.server import YahooServer


@pytest.fixture(autouse=True)
def plain_http(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("curl_cffi.requests", reason="curl_cffi is not installed (extra `yahoo`)")
    pytest.importorskip("yfinance", reason="yfinance is not installed (extra `yahoo`)")
    served.plain_http(monkeypatch)


@pytest.fixture
def server() -> Iterator[YahooServer]:
    with YahooServer() as made:
        yield made


@pytest.fixture
def source(server: YahooServer) -> Make:
    """Makes the source for the server, at a moment."""

    def made(now: datetime = NOW, cache: Path | None = None, **more: Any) -> YahooSource:
        deadline = more.pop("deadline_seconds", 20)
        yahoo = {"cache": None if cache is None else str(cache), **more}
        given = {"name": "yahoo", "proxy": server.url, "deadline_seconds": deadline, "yahoo": yahoo}
        return YahooSource(SourceSettings.model_validate(given), lambda: now)

    return made
