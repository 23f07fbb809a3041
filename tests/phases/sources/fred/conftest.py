"""FRED on loopback, asked again without long pauses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from phases.sources.fred import web
from tests.phases.sources.fred.server import Server


@pytest.fixture(name="server")
def _server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(web, "PAUSES", (0.01, 0.01))
    server = Server()
    yield server
    server.close()
