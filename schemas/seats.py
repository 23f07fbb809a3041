"""Phase 7C-D: the seats that argue no assigned side, and what they read."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from schemas.base import EvidenceId, Model, Probability, Role, Text, Ticker
from schemas.debate import Assessment, CaseInputs, Claim, Round
from schemas.grammar import VISIBLE

Prose = Annotated[str, Field(min_length=1, max_length=600, pattern=VISIBLE)]
Line = Annotated[str, Field(min_length=1, max_length=300, pattern=VISIBLE)]
Ballot = Annotated[str, Field(min_length=1, max_length=40, pattern=VISIBLE)]


class PersonaAnswer(Model):
    """One persona's answer to the case: blind at first, then revised only if persuaded."""

    seat: Text
    """Seat fixed by the caller."""
    round_number: Round
    """Round fixed by the caller, from 1."""
    answer: Prose
    """The answer and its reasons."""
    stance: Ballot
    """The answer in one canonical word: `buy`, `hold` or `sell`."""
    claims: Annotated[tuple[Claim, ...], Field(max_length=3)] | None = None
    """Checkable statements the answer rests on, strongest first."""


class CriticReport(Model):
    """A critic's verdict on every answer. A critic answers nothing itself."""

    assessments: tuple[Assessment, ...]
    """Exactly one for each seat that answered."""


class ModeratorRuling(Model):
    """A moderator's word after a round."""

    summary: Prose
    """What the round brought and what was conceded."""
    status: Literal["continue", "settled"]
    """`settled` ends the debate."""
    decision: Line | None = None
    """What was decided; required when settled."""
    focus: Line | None = None
    """The one question for the next round, when the debate goes on."""


class PanelAnswer(Model):
    """The panel's answer in words; the votes are counted in code."""

    answer: Prose
    """What the panel says and why, with the strongest dissent."""


class SupervisorView(Model):
    """A supervisor's own look at what two forecasters disagree on."""

    probability: Probability
    """Probability of the event."""
    confidence: Literal["high", "medium", "low"]
    """`high` replaces the forecast, `medium` is blended in, `low` changes nothing."""
    because: Line
    """Why."""
    evidence: Annotated[tuple[EvidenceId, ...], Field(min_length=1)]
    """Ids it rests on."""


class Statement(Model):
    """What one seat said in its latest turns, as the others may read it."""

    seat: Text
    """Who spoke."""
    round_number: Round
    """In which round."""
    side: Role | None = None
    """Assigned side; absent for a persona."""
    text: Text
    """The argument or answer."""
    stance: Text | None = None
    """A persona's ballot."""
    probability: Probability | None = None
    """The speaker's probability of the event."""
    evidence: tuple[EvidenceId, ...]
    """Ids cited in the turn, sorted."""


class Tally(Model):
    """Votes of a panel, counted in code."""

    ballots: dict[Text, Text]
    """Canonical stance by seat; a void seat abstains and is not here."""
    winner: Text | None
    """Stance with most votes; absent where a tie has none."""
    votes: Annotated[int, Field(ge=0)]
    """Votes of the winner."""
    tied: bool
    """Whether another stance has as many."""
    confidence: Literal["high", "medium", "low"] | None
    """high if unanimous without a void seat, medium above half and untied, else low; absent below two ballots."""
    changed: tuple[Text, ...]
    """Seats whose canonical stance changed, sorted."""


class TableInputs(CaseInputs):
    """What a persona, critic, moderator, judge or supervisor reads. A step shows a subset."""

    SHARED: ClassVar[tuple[str, ...]] = ("bias_row", "carried", "statements")
    GROWING: ClassVar[tuple[str, ...]] = ("statements",)

    statements: tuple[Statement, ...] | None = None
    """What was said, in order; absent if nothing was, or if the seat answers blind."""
    critique: tuple[Assessment, ...] | None = None
    """The critic's latest word on each answer."""
    tally: Tally | None = None
    """Votes of the panel."""
    rounds: Annotated[int, Field(ge=1)] | None = None
    """Round at which the debate is closed by force."""
    ticker: Ticker
    """Ticker under debate."""
    seat: Text
    """Seat that answers."""
    round_number: Round
    """Round, from 1."""
