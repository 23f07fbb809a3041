"""Phase 7C-D: the case, and a debater's turn."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from schemas.analyst import AnalystPayload
from schemas.base import Day, EvidenceId, Inputs, Model, Probability, Role, Text, Ticker
from schemas.bias import BiasRow
from schemas.grammar import VISIBLE
from schemas.market import Evidence, Question

ARGUMENT_LIMIT = 600

Argument = Annotated[str, Field(min_length=1, max_length=ARGUMENT_LIMIT, pattern=VISIBLE)]
ClaimId = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[a-z0-9_.-]+$")]
Round = Annotated[int, Field(ge=1)]
MoveKind = Literal["conceded", "rebutted", "carried"]


class Condition(Model):
    """A test on one evidence item that a later night can evaluate."""

    evidence: EvidenceId
    """Item to look at."""
    comparison: Literal["above", "below"]
    """Which side of the value fires it."""
    value: float
    """Threshold, in the item's unit."""
    by: Day | None = None
    """Last day on which it counts; absent for no limit."""


class Claim(Model):
    """One checkable statement of a debater."""

    id: ClaimId
    """Id within the turn, for example `c1`; the engine names it `bull.1.c1`."""
    text: Annotated[str, Field(min_length=1, max_length=200, pattern=VISIBLE)]
    """The statement."""
    evidence: tuple[EvidenceId, ...]
    """Ids it rests on; a claim without one weighs nothing."""


class Move(Model):
    """An answer to one open point of the other side."""

    target: ClaimId
    """Id of the point answered, as given under open_points."""
    kind: MoveKind
    """`conceded`, `rebutted` or `carried`."""
    reason: Annotated[str, Field(min_length=1, max_length=300, pattern=VISIBLE)]
    """Why."""
    evidence: tuple[EvidenceId, ...]
    """Ids it rests on; a rebuttal brings one not used before."""
    would_change_if: Condition | None = None
    """For a carried point: what would change it."""


class Acknowledged(Model):
    """The one genuine point granted to the other side."""

    text: Annotated[str, Field(min_length=1, max_length=300, pattern=VISIBLE)]
    """The point."""
    evidence: tuple[EvidenceId, ...]
    """Ids it rests on."""
    why_limited: Annotated[str, Field(min_length=1, max_length=300, pattern=VISIBLE)]
    """Why it does not decide the matter."""


class DebateRoundContribution(Model):
    """One side, one ticker, one round. The first four fields alone are a valid contribution."""

    role: Role
    """Side fixed by the caller."""
    ticker: Ticker
    """Ticker fixed by the caller."""
    round_number: Round
    """Round fixed by the caller, from 1."""
    argument: Argument
    """Three to five sentences; the last one restates the side's stance."""
    probability: Probability | None = None
    """The speaker's probability of the event."""
    claims: tuple[Claim, ...] | None = None
    """Checkable statements, strongest first."""
    moves: tuple[Move, ...] | None = None
    """Answers to the open points this side must answer."""
    acknowledged: Acknowledged | None = None
    """The one point granted to the other side."""


class OpenPoint(Model):
    """A point that awaits this side's answer: a claim of the other side, or an own one that it rebutted."""

    id: ClaimId
    """Full id, for example `bull.1.c1`."""
    text: Text
    """The claim."""
    evidence: tuple[EvidenceId, ...]
    """Ids it rests on."""
    rebuttal: Move | None = None
    """The other side's rebuttal that awaits an answer: of the own claim, or of the own earlier rebuttal."""


class DebateRound(Model):
    """Both arguments of one round, as stored."""

    round_number: Round
    """Round, from 1."""
    bull_argument: Argument | None = None
    """The bull's argument; absent if void or not yet given."""
    bear_argument: Argument | None = None
    """The bear's argument; absent if void or not yet given."""


class CarriedPoint(Model):
    """A point that an earlier night left open."""

    id: ClaimId
    """Full id in that night's debate."""
    side: Role
    """Who raised it."""
    text: Text
    """The claim."""
    evidence: tuple[EvidenceId, ...]
    """Ids it rests on."""


class CarriedCondition(Condition):
    """A condition that an earlier night set, with what it is worth tonight."""

    now: float | None
    """Value of the item tonight; absent if there is none."""
    fired: bool
    """Whether the value has reached its side of the threshold within its time."""


class Carried(Model):
    """What the last debated night left open for this one."""

    since: Day
    """Session of that night."""
    points: tuple[CarriedPoint, ...]
    """Points left open."""
    conditions: tuple[CarriedCondition, ...]
    """What was to settle them, and which of it happened."""


class Assessment(Model):
    """A critic's word on one answer."""

    seat: Text
    """Whose answer."""
    verdict: Literal["sound", "flawed", "unsupported"]
    """`flawed`: it does not follow; `unsupported`: no evidence carries it."""
    flaw: Annotated[str, Field(min_length=1, max_length=300, pattern=VISIBLE)] | None = None
    """The most important flaw; absent only for a sound answer."""


class CaseInputs(Inputs):
    """What every seat may be shown of the case. A step of a protocol shows a subset."""

    SHARED: ClassVar[tuple[str, ...]] = ("bias_row", "carried")

    bias_row: BiasRow | None = None
    """The macro view of the night."""
    evidence: tuple[Evidence, ...] | None = None
    """The bundle: every item a speaker may cite."""
    analyst_payload: AnalystPayload | None = None
    """The analyst's view under debate."""
    question: Question | None = None
    """The event and its horizon."""
    carried: Carried | None = None
    """What the last debated night left open; absent if nothing."""


class DebateInputs(CaseInputs):
    """What a debater reads, from what the run shares to what this turn alone has.

    A step of a protocol shows a subset; what it does not show is absent.
    """

    SHARED: ClassVar[tuple[str, ...]] = ("bias_row", "carried", "prior_rounds")
    GROWING: ClassVar[tuple[str, ...]] = ("prior_rounds",)

    prior_rounds: tuple[DebateRound, ...] | None = None
    """Finished rounds; absent in round 1."""
    bull_argument: Argument | None = None
    """For the bear: the bull's argument of this round, where the protocol shows it."""
    critique: tuple[Assessment, ...] | None = None
    """A critic's latest word on each speaker's turn."""
    focus: Text | None = None
    """The one question a moderator wants answered in this round."""
    open_points: tuple[OpenPoint, ...] | None = None
    """Points that await this side's answer; absent if there are none."""
    cited_before: tuple[EvidenceId, ...] | None = None
    """Ids that anyone cited in an earlier round; a rebuttal brings one that is not among them."""
    last_probability: Probability | None = None
    """This side's own probability in its latest turn."""
    argument_limit: Annotated[int, Field(ge=1)] | None = None
    """Most characters of the argument, where this debate allows fewer than the contract."""
    ticker: Ticker
    """Ticker under debate."""
    role: Role
    """Side to argue."""
    round_number: Round
    """Round, from 1."""


class Case(Model):
    """What a debate is about. Frozen and hashed; the only thing prompts may quote."""

    ticker: Ticker
    """Ticker under debate."""
    question: Question
    """The event and its horizon."""
    payload: AnalystPayload
    """The analyst's view."""
    bias_row: BiasRow
    """The macro view."""
    bundle: tuple[Evidence, ...]
    """Every item a speaker may cite, sorted by id."""
    carried: Carried | None = None
    """What the last debated night left open."""
    content_hash: Text
    """Digest of everything above."""
