"""Risk seats: two looks at the night as a whole, and the one sentence in which they differ. Never a weight."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Conviction, Inputs, Model, Probability, Section, Stance, Text, Ticker
from schemas.bias import BiasRow
from schemas.grammar import VISIBLE
from schemas.market import Question

RiskSeat = Literal["aggressive", "conservative"]


class RiskSettings(Section):
    """Risk seats."""

    enabled: bool = False
    """Whether two seats look at the rated rows as a whole once the feed is made."""


class RiskRow(Model):
    """One rated ticker as the risk seats see it."""

    ticker: Ticker
    """The ticker."""
    stance: Stance
    """View after the debate."""
    conviction: Conviction
    """Conviction after the debate."""
    probability: Probability
    """Probability of the event after the debate."""
    flags: tuple[Text, ...]
    """What the night noticed about the row, in its own fixed words."""


class RiskInputs(Inputs):
    """What a risk seat reads: typed figures of the night, and no text from outside."""

    bias_row: BiasRow
    """The macro view of the night."""
    question: Question
    """The event that every probability is about."""
    rows: tuple[RiskRow, ...]
    """Rated rows: held names first, then the strongest views."""
    unrated: Annotated[int, Field(ge=0)]
    """Tickers of the night that have no view."""
    left_out: Annotated[int, Field(ge=0)]
    """Rated rows beyond those shown."""
    seat: RiskSeat
    """Seat that looks."""


class RiskPoint(Model):
    """One point of a risk seat about named tickers."""

    tickers: Annotated[tuple[Ticker, ...], Field(min_length=1, max_length=5)]
    """Tickers it is about, the most important first."""
    about: Literal["alike", "macro", "evidence", "strength"]
    """`alike`: several views take one side; `macro`: how views and bias row agree; `evidence`: how much a view rests
    on, as its flags tell; `strength`: conviction and probability, strong, weak or apart."""
    because: Annotated[str, Field(min_length=1, max_length=200, pattern=VISIBLE)]
    """Why, in one sentence."""


class RiskView(Model):
    """What one risk seat says: where the night is too careful, or where it is too bold. Never how much to hold."""

    seat: RiskSeat
    """Seat fixed by the caller."""
    points: Annotated[tuple[RiskPoint, ...], Field(max_length=3)]
    """Its points, the strongest first; none if the rows give it none."""


class RiskCase(Model):
    """What the risk seats of a night came to. The feed is the same with and without it."""

    views: tuple[RiskView, ...] = ()
    """What each seat said; a seat whose turn is void is not here."""
    tension: Text | None = None
    """Where the two differ, in one sentence; absent where there is none to tell."""
    reason: Text | None = None
    """Why there is no tension."""
    flags: tuple[Text, ...] = ()
    """What was noticed of the turns, sorted, each with its seat."""
