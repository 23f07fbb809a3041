"""The key: refused unseen if it is none, and shown in no reply, log or message."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from phases.core.errors import InfrastructureError, UsageError
from phases.plan import Words, settings_of
from phases.providers import PROVIDERS
from phases.providers.anthropic import AnthropicProvider
from schemas.settings import ProviderSettings
from tests.phases.providers.anthropic.server import Server, fails, well
from tests.phases.providers.anthropic.turns import KEY, ended, turn


def test_key_in_an_answer_goes_no_further(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [well(f"you sent {KEY}", request_id=KEY)]
    assert KEY not in repr(provider().replies([turn()]))


def test_key_is_in_no_log(
    server: Server, provider: Callable[..., AnthropicProvider], caplog: pytest.LogCaptureFixture
) -> None:
    server.script = [fails(401, "authentication_error", KEY)]
    with caplog.at_level(logging.INFO):
        ended(provider(), InfrastructureError)
    assert KEY not in caplog.text


@pytest.mark.parametrize("key", ["two words", "line\nend", "é", "\x00"])
def test_key_that_is_none_is_refused_unseen(provider: Callable[..., AnthropicProvider], key: str) -> None:
    with pytest.raises(UsageError) as caught:
        provider(key=key)
    assert key not in str(caught.value)


def test_missing_key_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OUR_KEY", raising=False)
    settings = ProviderSettings(name="anthropic", key="OUR_KEY")
    with pytest.raises(UsageError) as caught:
        PROVIDERS["anthropic"](settings, {})
    assert all(word in str(caught.value) for word in ("OUR_KEY", "configs/local.yaml", "provider=offline"))
    monkeypatch.setenv("OUR_KEY", f" {KEY}\n")
    PROVIDERS["anthropic"](settings, {}).close()


@pytest.mark.parametrize("word", [f"provider.key={KEY}", f"provider.headers.x-a:={KEY}", f"provider.headers={KEY}"])
def test_key_pasted_into_the_configuration_is_not_repeated(word: str) -> None:
    with pytest.raises(UsageError) as caught:
        settings_of(Words(sets=(word,)))
    assert KEY not in str(caught.value)
