"""Debates stored elsewhere, one JSON object a line. A shape is one module, and one line in the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from phases.importers.points import StoredPoints, points_debate
from phases.importers.stored import Reading, SetAside, Shape, StoredDebate
from phases.importers.tickers import StoredRun, ticker_debate


class Importer(NamedTuple):
    """How lines of one shape are read."""

    shape: type[Shape]
    read: Callable[[str, Reading], StoredDebate | SetAside]
    """From the JSON text of one line. Raises ValueError saying what is wrong with it."""


IMPORTERS: Mapping[str, Importer] = {
    "points": Importer(StoredPoints, lambda line, how: points_debate(StoredPoints.model_validate_json(line), how)),
    "tickers": Importer(StoredRun, lambda line, how: ticker_debate(StoredRun.model_validate_json(line), how)),
}
"""Every shape that a file of debates may have."""
