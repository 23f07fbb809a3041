"""What a webhook or command is told when a run ends."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Day, Model, Text, Utc
from schemas.run import RunRecord


class RunNotice(Model):
    """The end of one start of a run, whatever it was."""

    schema_version: Literal["1"]
    """Version of this document."""
    run_id: Text
    """The run."""
    night: Day
    """Session it stands for."""
    engine: Text
    """Which engine spoke."""
    protocol: Text
    """Debate protocol."""
    ended: Utc
    """When it ended."""
    outcome: Literal["finished", "ceiling", "failed", "interrupted"]
    """`finished`: there is a feed, and every ticker was paid for; `ceiling`: the spend ceiling held; `failed`: data,
    model or store were down, or nothing could start."""
    exit: Annotated[int, Field(ge=0, le=130)]
    """Exit code of the program."""
    reason: Text | None
    """Why it did not finish; absent if it did."""
    alarms: tuple[Text, ...]
    """Alarms of the health of the night, a sentence each."""
    cost_usd: Annotated[float, Field(ge=0)] | None
    """Money of the run over all its starts; absent if the store cannot say."""
    out: Text
    """Folder of the run, which is made when the run ends."""
    feed: Text | None
    """Its feed as CSV; absent if there is none yet."""
    record: RunRecord | None
    """Machine summary, as in `run.json`; absent if the run did not reach its end."""
