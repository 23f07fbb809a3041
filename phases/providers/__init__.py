"""Who answers skills: one module and one line here. The contract is `phases.core.ask.Provider`.

Replay is no provider: it is the journal with nobody behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from phases.core.config import named, secret
from phases.core.errors import UsageError
from phases.core.provider import Provider
from phases.providers.anthropic.hosts import is_loopback
from schemas.settings import PriceTable, ProviderSettings, Settings

if TYPE_CHECKING:
    from phases.providers.anthropic.beside import Beside


def _offline(settings: ProviderSettings, places: Mapping[str, str]) -> Provider:
    from phases.providers.offline import OfflineDesk

    return OfflineDesk()


def _anthropic(settings: ProviderSettings, places: Mapping[str, str]) -> Provider:
    from phases.providers.anthropic import AnthropicProvider

    return AnthropicProvider(settings, secret(settings.key), places)


PROVIDERS: Mapping[str, Callable[[ProviderSettings, Mapping[str, str]], Provider]] = {
    "offline": _offline,
    "anthropic": _anthropic,
    "bedrock": _anthropic,
    "vertex": _anthropic,
}
"""Providers by the name the configuration uses."""


def unasked(settings: ProviderSettings, places: Mapping[str, str]) -> Provider:
    """The provider to plan with where nothing will be asked: a missing key is no fault then."""
    provider = named(PROVIDERS, "provider", settings.name)
    if provider is not _anthropic:
        found: Provider = provider(settings, places)
        return found
    from phases.providers.anthropic import AnthropicProvider

    return AnthropicProvider(settings, secret(settings.key) or "unasked", places)


def beside(settings: ProviderSettings, places: Mapping[str, str] = MappingProxyType({})) -> Beside | None:
    """Who can be asked about models and tokens, beside turns; None where an engine has no such server.

    `places` says where each model is configured, for the message about one that is not there.
    """
    if settings.name != "anthropic":
        return None
    from phases.providers.anthropic.beside import Beside

    return Beside(settings, secret(settings.key), places)


def check_money(
    settings: Settings, prices: PriceTable, remedy: str = "set --max-cost USD (--estimate says what it will cost)"
) -> None:
    """Raise UsageError where a server elsewhere, which costs money, is to be asked without a ceiling or a price."""
    if settings.provider.name == "offline" or is_loopback(urlsplit(settings.provider.base_url or "").hostname or ""):
        return
    if settings.operation.max_cost is None and settings.operation.max_cost_night is None:
        raise UsageError(f"operation.max_cost: no spend ceiling is set, and this costs money; {remedy}")
    if not prices.models:
        raise UsageError(f"prices: {settings.prices} lists no model, so that nothing can be priced")
