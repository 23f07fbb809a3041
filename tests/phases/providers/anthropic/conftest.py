"""The provider with the real SDK, against a server on loopback that does what a test says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import phases.providers.anthropic.clients  # noqa: F401  the SDK is loaded before any clock runs
from phases.providers.anthropic import AnthropicProvider, retries
from schemas.settings import ProviderSettings
from tests.phases.providers.anthropic.server import Server
from tests.phases.providers.anthropic.turns import KEY, Raising


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    yield one
    one.close()


@pytest.fixture
def provider(server: Server) -> Iterator[Callable[..., AnthropicProvider]]:
    made = []

    def make(key: str | None = KEY, **changes: Any) -> AnthropicProvider:
        told = {"name": "anthropic", "base_url": server.url, "minimum_cacheable": 0, **changes}
        made.append(Raising(ProviderSettings.model_validate(told), key))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Own waits of a few hundredths of a second."""
    monkeypatch.setattr(retries, "FIRST_WAIT", 0.02)
    monkeypatch.setattr(retries, "LONGEST_WAIT", 0.04)
