"""Who answers skills: one module and one line here. The contract is `phases.core.ask.Provider`.

Replay is no provider: it is the journal with nobody behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from phases.core.config import secret
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


def beside(settings: ProviderSettings) -> Beside | None:
    """Who can be asked about models and tokens, beside turns; None where an engine has no such server."""
    if settings.name != "anthropic":
        return None
    from phases.providers.anthropic.beside import Beside

    return Beside(settings, secret(settings.key))


def check_money(settings: Settings, prices: PriceTable) -> None:
    """Raise UsageError where a server elsewhere, which costs money, is to be asked without a ceiling or a price."""
    if settings.provider.name == "offline" or is_loopback(urlsplit(settings.provider.base_url or "").hostname or ""):
        return
    if settings.operation.max_cost is None and settings.operation.max_cost_night is None:
        raise UsageError(
            "operation.max_cost: no spend ceiling is set, and this night costs money; set --max-cost USD"
            " (--estimate says what it will cost)"
        )
    if not prices.models:
        raise UsageError(f"prices: {settings.prices} lists no model, so that nothing can be priced")
