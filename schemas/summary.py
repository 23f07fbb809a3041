"""Phase 7C-D, closing: what is published about one debate."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Delta, Model, NetStance, Probability, Text, Ticker
from schemas.debate import Condition, DebateRound
from schemas.manager import Ruling, WeighedClaim

Status = Literal[
    "unpaid",
    "failed",
    "refused",
    "no_data",
    "stale",
    "contested",
    "degraded",
    "gated",
    "debated",
]
"""Status of a ticker, in order of precedence. Only the last four carry a stance and numbers."""

RATED: tuple[Status, ...] = ("contested", "degraded", "gated", "debated")
"""Statuses that carry a stance and numbers."""


class DebateSummary(Model):
    """What one debate came to. The model's word and the computed change stand side by side."""

    ticker: Ticker
    """Ticker debated."""
    status: Status
    """`debated`, `gated` or `failed`, as the debate alone sees it."""
    reason: Text | None = None
    """Why it was gated or failed."""
    rounds: tuple[DebateRound, ...]
    """The debate as stored, never as retold."""
    bull_thesis: Text | None = None
    """The bull's case; absent unless argued."""
    bear_thesis: Text | None = None
    """The bear's case; absent unless argued."""
    net_stance: NetStance | None = None
    """Who gained, in the manager's word."""
    conviction_delta: Delta | None = None
    """Conviction points the debate moved; absent if it failed."""
    probability_post: Probability | None = None
    """Probability of the event after the debate."""
    decided_by: Literal["code", "tally", "manager"] | None = None
    """Where the delta comes from."""
    points: tuple[WeighedClaim, ...] = ()
    """Every point that was raised, with its weight and what became of it."""
    rulings: tuple[Ruling, ...] = ()
    """The manager's word on claims."""
    would_resolve_if: tuple[Condition, ...] = ()
    """What would settle what is still open, the sides' own words included."""
    micros: Annotated[int, Field(ge=0)] = 0
    """What the debate and its manager cost when they were bought, in millionths of a US dollar."""
    readouts: dict[str, float | int | str | None]
    """Read-outs of the ledger, by name."""
    flags: tuple[Text, ...] = ()
    """What a reader should know."""
