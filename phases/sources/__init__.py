"""The data sources by name. A new one is one module and one line in the table."""

from __future__ import annotations

from collections.abc import Callable

from phases.sources.base import Source


def _packaged() -> Source:
    from phases.sources.packaged import PackagedSource

    return PackagedSource()


SOURCES: dict[str, Callable[[], Source]] = {"packaged": _packaged}
"""How each source is made. A source is imported only when it is asked for."""
