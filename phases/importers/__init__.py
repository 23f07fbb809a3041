"""Debates stored elsewhere. A shape is one module, and one line in the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from phases.importers.forecaster import StoredTrace, forecaster_debate
from phases.importers.moderated import StoredModerated, moderated_debate
from phases.importers.panel import StoredPanel, panel_debate
from phases.importers.points import StoredPoints, points_debate
from phases.importers.stored import Reading, SetAside, Shape, StoredDebate
from phases.importers.tickers import StoredRun, ticker_debate

Stored = TypeVar("Stored", bound=Shape)


class Importer(NamedTuple):
    """How debates of one shape are read."""

    shape: type[Shape]
    read: Callable[[str, Reading], StoredDebate | SetAside]
    """From the JSON text of one debate. Raises ValueError saying what is wrong with it."""


def _of(shape: type[Stored], make: Callable[[Stored, Reading], StoredDebate | SetAside]) -> Importer:
    return Importer(shape, lambda text, how: make(shape.model_validate_json(text), how))


IMPORTERS: Mapping[str, Importer] = {
    "points": _of(StoredPoints, points_debate),
    "tickers": _of(StoredRun, ticker_debate),
    "forecaster": _of(StoredTrace, forecaster_debate),
    "panel": _of(StoredPanel, panel_debate),
    "moderated": _of(StoredModerated, moderated_debate),
}
"""Every shape that a file of debates may have."""
