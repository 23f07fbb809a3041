"""Phase 7C-D, closing: what the research manager reads and may say."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import EvidenceId, Model, NetStance, Role, Text, Ticker
from schemas.debate import ClaimId, Condition, DebateRound
from schemas.grammar import VISIBLE
from schemas.market import Evidence, Question
from schemas.seats import Statement

PointAnswer = Literal["conceded", "withdrawn", "rebutted", "met", "carried", "unaddressed"]
"""What became of a point: `withdrawn` if its author conceded a rebuttal, `rebutted` if one stands unmet, `met` if
its author rebutted the rebuttal; else the other side's latest move."""


class Ruling(Model):
    """The manager's word on one claim."""

    claim: ClaimId
    """Full id of the claim."""
    ruling: Literal["stands", "answered", "unsupported"]
    """`answered` needs a move of the other side on it."""
    move: ClaimId | None = None
    """For `answered`: the turn that answered it, for example `bear.1`."""
    because: Annotated[str, Field(min_length=1, max_length=300, pattern=VISIBLE)]
    """Why."""


class ManagerReply(Model):
    """What the research manager may say; the change itself is computed in code."""

    bull_thesis: Annotated[str, Field(min_length=1, max_length=400, pattern=VISIBLE)] | None = None
    """The bull's case in the bull's own terms; required if anyone argued it."""
    bear_thesis: Annotated[str, Field(min_length=1, max_length=400, pattern=VISIBLE)] | None = None
    """The bear's case in the bear's own terms; required if anyone argued it."""
    net_stance: NetStance
    """Who gained in the exchange."""
    rulings: tuple[Ruling, ...]
    """A word on each claim that needs one."""
    would_resolve_if: tuple[Condition, ...]
    """What would settle what is still open."""


class WeighedClaim(Model):
    """One claim as the manager sees it, folded from the ledger."""

    id: ClaimId
    """Full id."""
    side: Role
    """Who raised it."""
    text: Text
    """The claim."""
    evidence: tuple[EvidenceId, ...]
    """Ids it rests on."""
    weight: Annotated[float, Field(ge=0, le=1)]
    """Trust in its best evidence, fresh counting twice as much as stale."""
    answer: PointAnswer
    """What became of it."""


class ManagerInputs(Model):
    """What the research manager reads: only what was said, and what it rests on."""

    evidence: tuple[Evidence, ...]
    """The bundle."""
    rounds: tuple[DebateRound, ...]
    """The debate, as stored."""
    statements: tuple[Statement, ...] | None = None
    """Answers of seats that argue no assigned side; absent if there are none."""
    claims: tuple[WeighedClaim, ...]
    """All claims with their weight and the answer they got."""
    question: Question
    """The event and its horizon."""
    ticker: Ticker
    """Ticker debated."""
