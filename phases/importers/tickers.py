"""Stored runs of a bull and a bear over one ticker (TradingAgents graph server): free prose, no moves."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated

from pydantic import Field

from phases.debate.readouts.theater import Said
from phases.importers.stored import Reading, Shape, StoredDebate


class StoredRound(Shape):
    """Both texts of one round; an absent one was not given."""

    round: Annotated[int, Field(ge=0)]
    bull: str | None = None
    bear: str | None = None


class StoredRun(Shape):
    """One line of the file."""

    source_file: str
    ticker: str
    trade_date: str
    rounds: tuple[StoredRound, ...]


def ticker_debate(record: StoredRun, reading: Reading) -> StoredDebate:
    """One stored run. It holds no moves, so both readings are the same and only its turns are judged."""
    del reading
    return StoredDebate(
        id=f"{record.ticker}/{PurePosixPath(record.source_file).stem}",
        key=("tickers", record.source_file, record.ticker, record.trade_date),
        points=None,
        turns=tuple(
            Said(speaker, one.round, text)
            for one in record.rounds
            for speaker, text in (("bull", one.bull), ("bear", one.bear))
            if text is not None
        ),
    )
