"""Phase 7C-D: the ledger of a debate and its transcript."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Model, Text, Ticker
from schemas.debate import DebateRound, DebateRoundContribution, Round
from schemas.seats import CriticReport, ModeratorRuling, PanelAnswer, PersonaAnswer, SupervisorView

StepName = Annotated[str, Field(pattern=r"^(opening|loop|closing)\.[0-9]{1,2}$")]


class TurnEvent(Model):
    """What every ledger event says: who was asked, when, and at what price."""

    seat: Text
    """Seat that was asked."""
    step: StepName
    """Step of the protocol, for example `loop.0`."""
    round_number: Round
    """Round it was asked for."""
    flags: tuple[Text, ...] = ()
    """What was noticed while reading it."""
    dropped: tuple[Text, ...] = ()
    """Parts of the reply that do not count, each with the reason."""
    tokens: Annotated[int, Field(ge=0)] = 0
    """Tokens read and written for it, repair included."""
    micros: Annotated[int, Field(ge=0)] = 0
    """What it cost when it was bought, in millionths of a US dollar, repair included."""


class Spoke(TurnEvent):
    """Ledger event: a debater's valid turn."""

    kind: Literal["spoke"]
    """Tag."""
    contribution: DebateRoundContribution
    """The turn, claims under their full ids."""


class Answered(TurnEvent):
    """Ledger event: a persona's valid answer."""

    kind: Literal["answered"]
    """Tag."""
    contribution: PersonaAnswer
    """The answer."""


class Assessed(TurnEvent):
    """Ledger event: a critic's report."""

    kind: Literal["assessed"]
    """Tag."""
    contribution: CriticReport
    """The report."""


class Ruled(TurnEvent):
    """Ledger event: a moderator's ruling."""

    kind: Literal["ruled"]
    """Tag."""
    contribution: ModeratorRuling
    """The ruling."""


class Judged(TurnEvent):
    """Ledger event: the panel's answer in words."""

    kind: Literal["judged"]
    """Tag."""
    contribution: PanelAnswer
    """The answer."""


class Supervised(TurnEvent):
    """Ledger event: a supervisor's view."""

    kind: Literal["supervised"]
    """Tag."""
    contribution: SupervisorView
    """The view."""


class Voided(TurnEvent):
    """Ledger event: a turn that does not count."""

    kind: Literal["voided"]
    """Tag."""
    contract: Text = "DebateRoundContribution"
    """Contract that it was to answer."""
    reason: Text
    """Why it does not count."""


LedgerEvent = Annotated[Spoke | Answered | Assessed | Ruled | Judged | Supervised | Voided, Field(discriminator="kind")]


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
    """Why the debate ended; `gated: ...` or `carried: ...` if none was held."""
    configured_rounds: Annotated[int, Field(ge=0)]
    """Loop rounds the configuration asked for; 0 for a protocol without a loop."""
    executed_rounds: Annotated[int, Field(ge=0)]
    """Loop rounds that took place."""
    content_hash: Text
    """Digest of everything above."""
