"""Phase 7C-D: the case, one turn, the ledger and the transcript."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.analyst import AnalystPayload
from schemas.base import Day, EvidenceId, Model, NetStance, Probability, Role, Text, Ticker
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
    """A claim that awaits this side's answer."""

    id: ClaimId
    """Full id, for example `bull.1.c1`."""
    text: Text
    """The claim."""
    evidence: tuple[EvidenceId, ...]
    """Ids it rests on."""


class DebateRound(Model):
    """Both arguments of one round, as stored."""

    round_number: Round
    """Round, from 1."""
    bull_argument: Argument | None = None
    """The bull's argument; absent if void or not yet given."""
    bear_argument: Argument | None = None
    """The bear's argument; absent if void or not yet given."""


class DebateInputs(Model):
    """What a debater reads, from what the run shares to what this turn alone has.

    A step of a protocol shows a subset; what it does not show is absent.
    """

    bias_row: BiasRow | None = None
    """The macro view of the night."""
    evidence: tuple[Evidence, ...] | None = None
    """The bundle: every item a speaker may cite."""
    analyst_payload: AnalystPayload | None = None
    """The analyst's view under debate."""
    question: Question | None = None
    """The event and its horizon."""
    prior_rounds: tuple[DebateRound, ...] | None = None
    """Finished rounds; absent in round 1."""
    bull_argument: Argument | None = None
    """For the bear: the bull's argument of this round, where the protocol shows it."""
    open_points: tuple[OpenPoint, ...] | None = None
    """Claims of the other side that await an answer; absent if there are none."""
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
    content_hash: Text
    """Digest of everything above."""


class Spoke(Model):
    """Ledger event: a valid turn."""

    kind: Literal["spoke"]
    """Tag."""
    seat: Text
    """Seat that spoke."""
    contribution: DebateRoundContribution
    """The turn, claims under their full ids."""
    flags: tuple[Text, ...] = ()
    """What was noticed while reading it."""


class Voided(Model):
    """Ledger event: a turn that does not count."""

    kind: Literal["voided"]
    """Tag."""
    seat: Text
    """Seat that was asked."""
    round_number: Round
    """Round it was asked for."""
    reason: Text
    """Why it does not count."""


LedgerEvent = Annotated[Spoke | Voided, Field(discriminator="kind")]


class DebateTranscript(Model):
    """A whole debate: the ledger is authoritative, the rounds are its short form."""

    ticker: Ticker
    """Ticker debated."""
    protocol: Text
    """Name of the protocol."""
    case_hash: Text
    """Digest of the case."""
    rounds: tuple[DebateRound, ...]
    """Arguments by round."""
    ledger: tuple[LedgerEvent, ...]
    """Every turn and void, in order."""
    stop_reason: Text
    """Why the debate ended; `gated: ...` if it never began."""
    configured_rounds: Annotated[int, Field(ge=0)]
    """Rounds the configuration asked for."""
    executed_rounds: Annotated[int, Field(ge=0)]
    """Rounds that took place."""
    content_hash: Text
    """Digest of everything above."""


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

    bull_thesis: Annotated[str, Field(min_length=1, max_length=400, pattern=VISIBLE)]
    """The bull's case in the bull's own terms."""
    bear_thesis: Annotated[str, Field(min_length=1, max_length=400, pattern=VISIBLE)]
    """The bear's case in the bear's own terms."""
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
    answer: Literal["conceded", "rebutted", "carried", "unaddressed"]
    """The other side's latest move on it."""


class ManagerInputs(Model):
    """What the research manager reads: only what was said, and what it rests on."""

    evidence: tuple[Evidence, ...]
    """The bundle."""
    rounds: tuple[DebateRound, ...]
    """The debate, as stored."""
    claims: tuple[WeighedClaim, ...]
    """All claims with their weight and the answer they got."""
    question: Question
    """The event and its horizon."""
    ticker: Ticker
    """Ticker debated."""
