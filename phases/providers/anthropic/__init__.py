"""Language models behind the Messages API: Anthropic's own, its clouds, and any server that speaks the same protocol.

Deadline, retries, concurrency and the reading of answers are ours; the SDK builds and sends requests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from phases.core.errors import RebuttalError, UsageError
from phases.core.provider import Reply, Request
from phases.providers.anthropic.hosts import check_rest, checked_base, is_loopback
from phases.providers.anthropic.redaction import Redaction
from schemas.settings import ProviderSettings

if TYPE_CHECKING:
    from phases.providers.anthropic.loop import Loop
    from phases.providers.anthropic.sender import SdkSender
    from phases.providers.anthropic.turns import Turns


@dataclass(frozen=True)
class _Started:
    """What there is once a turn was asked."""

    loop: Loop
    sender: SdkSender
    turns: Turns


class AnthropicProvider:
    """Answers turns with language models. Starts a thread with its first turn; `close` ends it."""

    def __init__(
        self, settings: ProviderSettings, key: str | None, places: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """Checks everything and sends nothing. `places` says where each model is configured.

        Raises UsageError naming what is wrong.
        """
        self.engine = f"{settings.name}, models by config"
        self.longest = settings.max_tokens
        self._settings, self._places = settings, places
        self._base = checked_base(settings)
        check_rest(settings)
        self._redaction = Redaction(_checked_key(settings, self._base, key))
        self._lock = Lock()
        self._started: _Started | None = None

    def replies(self, requests: Sequence[Request]) -> Sequence[Reply | RebuttalError]:
        """One reply for each request, in order, or what ended it. Reaches the network.

        InfrastructureError or UsageError is for what stops the run, TickerFailure for what one prompt
        cannot have.
        """
        if not requests:
            return []
        started = self._running()
        return started.loop.wait(started.turns.replies(requests))

    def close(self) -> None:
        """End what is under way, close all connections, and end the thread. May be called more than once."""
        with self._lock:
            started, self._started = self._started, None
        if started is not None:
            started.loop.close(started.sender.close)

    def _running(self) -> _Started:
        from phases.providers.anthropic.clients import client
        from phases.providers.anthropic.loop import Loop
        from phases.providers.anthropic.sender import SdkSender
        from phases.providers.anthropic.turns import Turns

        with self._lock:
            if self._started is None:
                sdk = client(self._settings, self._base, self._redaction.key)
                sender = SdkSender(sdk, self._settings, self._redaction)
                self._started = _Started(Loop(), sender, Turns(self._settings, sender, self._redaction, self._places))
            return self._started


def _checked_key(settings: ProviderSettings, base: str, key: str | None) -> str | None:
    """The key to send. A cloud that has no key of its own named signs its requests instead."""
    if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
        raise UsageError(f"the environment variable {settings.key} holds no key: spaces or characters no key has")
    if settings.name != "anthropic":
        from phases.providers.anthropic.clients import check_extras

        own = key if settings.key != ProviderSettings.model_fields["key"].default else None
        check_extras(settings.name, own)
        return own
    if key is None and not is_loopback(urlsplit(base).hostname or ""):
        raise UsageError(
            f"provider anthropic: the environment variable {settings.key} is not set; set it to your key,"
            " or use --config configs/local.yaml (a model on this machine) or --set provider=offline (no model)"
        )
    return key
