"""Who answers skills: one module and one line here. The contract is `phases.core.ask.Provider`.

Replay is no provider: it is the journal with nobody behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from phases.core.config import secret
from phases.core.provider import Provider
from schemas.settings import ProviderSettings

if TYPE_CHECKING:
    from phases.providers.anthropic.beside import Beside


def _offline(settings: ProviderSettings) -> Provider:
    from phases.providers.offline import OfflineDesk

    return OfflineDesk()


def _anthropic(settings: ProviderSettings) -> Provider:
    from phases.providers.anthropic import AnthropicProvider

    return AnthropicProvider(settings, secret(settings.key))


PROVIDERS: Mapping[str, Callable[[ProviderSettings], Provider]] = {
    "offline": _offline,
    "anthropic": _anthropic,
    "bedrock": _anthropic,
    "vertex": _anthropic,
}
"""Providers by the name the configuration uses."""


def beside(settings: ProviderSettings) -> Beside | None:
    """Who can be asked about models and tokens, beside turns; None where an engine has no such server."""
    if settings.name != "anthropic":
        return None
    from phases.providers.anthropic.beside import Beside

    return Beside(settings, secret(settings.key))
