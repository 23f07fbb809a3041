"""What happened during a run, one record an event. Only the recorder makes them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Model, Text, Utc

Count = Annotated[int, Field(ge=0)]


class Usage(Model):
    """Tokens of one call, as the engine counted them."""

    input_tokens: Count = 0
    """Tokens read."""
    output_tokens: Count = 0
    """Tokens written."""
    cache_read_tokens: Count = 0
    """Tokens read from a prompt cache."""
    cache_write_tokens: Count = 0
    """Tokens written to a prompt cache."""
    estimated: bool = False
    """Whether the engine did not count, and the worst case stands here instead."""

    @property
    def tokens(self) -> int:
        """All tokens of the call."""
        return self.input_tokens + self.output_tokens + self.cache_read_tokens + self.cache_write_tokens


class Attempt(Model):
    """One try of a call."""

    status: Text
    """What came of it: an HTTP status, or a few words."""
    request_id: str = ""
    """How the server names it, if it does."""
    waited_seconds: Annotated[float, Field(ge=0)] = 0.0
    """Wait before the try."""
    lost: Usage | None = None
    """The most it can have cost, where no reply came of it and it may have been billed all the same."""


class Outage(Model):
    """A question that no source answered."""

    kind: Literal["down", "unanswered"]
    """`down`: the source itself did not answer; `unanswered`: it gave nothing, and nobody knows why."""
    reason: Text
    """What it said."""


class Turns(Model):
    """The turns of one ticker, or of the run as a whole."""

    keys: tuple[Text, ...]
    """Journal keys in the order they were asked, repair turns included."""
    flags: tuple[Text, ...] = ()
    """What a reader of the row should know about any of them, sorted: `unpriced`, `retry_exhausted`, `degenerate`,
    `macro_down`."""
    outages: dict[Text, Outage] = Field(default_factory=dict)
    """Questions that no source answered, by dataset and parameters; asked again by the next start of the run."""


class Event(Model):
    """One thing that happened."""

    at: Utc
    """When."""
    attempt: Annotated[int, Field(ge=1)]
    """Which start of the run it belongs to."""
    kind: Literal["started", "called", "late", "taken_over", "repaired", "voided", "ticker_ended", "ended"]
    """What happened. `late`: an answer came after its question had gone to another process and was not used.
    `taken_over`: a question is asked that another process left unanswered and may have paid for."""
    ticker: Text | None = None
    """Ticker it concerns."""
    phase: Text | None = None
    """Artefact that was being made."""
    key: Text | None = None
    """Journal key of the call."""
    note: Text | None = None
    """Details, for a reader."""
    usage: Usage | None = None
    """Tokens, for a call."""
