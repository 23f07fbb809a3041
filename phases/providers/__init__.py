"""Who answers skills: one module and one line here. The contract is `phases.core.ask.Provider`.

Replay is no provider: it is the journal with nobody behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from phases.core.ask import Provider


def _offline() -> Provider:
    from phases.providers.offline import OfflineDesk

    return OfflineDesk()


PROVIDERS: Mapping[str, Callable[[], Provider]] = {"offline": _offline}
"""Providers by the name the configuration uses."""
