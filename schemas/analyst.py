"""Phase 7C: one view per axis, and the analyst payload joined from them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from schemas.base import Conviction, Day, EvidenceId, Inputs, Model, Probability, Stance, Text, Ticker
from schemas.bias import BiasRow
from schemas.grammar import VISIBLE
from schemas.market import Evidence, Missing, Question

Axis = Literal["technical", "fundamental", "sentiment", "news"]


class AxisView(Model):
    """One specialist's view of one ticker, on one axis, blind to the book."""

    axis: Axis
    """The axis asked for."""
    ticker: Ticker
    """The ticker asked for."""
    stance_axis: Stance
    """View on this axis alone; `watch` and `hold` weigh nothing."""
    conviction_axis: Annotated[float, Field(ge=0, le=1)]
    """0 no edge, 1 strongest."""
    probability: Probability
    """Probability of the event; at least .5 for buy, at most .5 for sell, within .05 of .5 otherwise."""
    rationale: Annotated[str, Field(min_length=1, max_length=400, pattern=VISIBLE)]
    """Why, with exact values."""
    risk: Annotated[str, Field(min_length=1, max_length=200, pattern=VISIBLE)]
    """What would prove the view wrong; always stated."""
    evidence: tuple[EvidenceId, ...]
    """Ids the view rests on, strongest first."""
    sources: tuple[Text, ...]
    """Sources of those ids."""


class AxisInputs(Inputs):
    """What an axis analyst reads: its own evidence and the macro row, nothing of the book."""

    SHARED: ClassVar[tuple[str, ...]] = ("question",)

    bias_row: BiasRow
    """The macro view of the night."""
    question: Question
    """The event that the probability is about, and its horizon."""
    evidence: tuple[Evidence, ...]
    """The items of this axis."""
    missing: tuple[Missing, ...]
    """Items of this axis that were looked for and not found."""
    ticker: Ticker
    """Ticker to judge."""
    axis: Axis
    """Axis to judge it on."""


class MissingAxis(Model):
    """A configured axis without a view."""

    axis: Axis
    """The axis."""
    reason: Text
    """Why it has no view."""
    asked: bool = False
    """Whether there was evidence and its analyst was asked, but no answer could be used."""


class AnalystPayload(Model):
    """The analyst's view of one ticker, joined from its axes in exact arithmetic."""

    ticker: Ticker
    """The ticker."""
    as_of: Day
    """The run's as-of date."""
    conviction_score: Conviction
    """round-half-away(5 x sum of weight x conviction x stance) over the configured axes."""
    stance: Stance
    """Follows from the score alone, so the two cannot disagree."""
    thesis: Text
    """The axes' rationales, strongest first."""
    risks: Text
    """The axes' risks; never empty."""
    sources: tuple[Text, ...]
    """Union of the axes' sources, sorted."""
    axes: tuple[AxisView, ...]
    """Views of the axes that have one, in configured order."""
    missing_axes: tuple[MissingAxis, ...]
    """Configured axes without a view; each pulls the score towards 0."""
    probability: Probability
    """Probability of the event, pooled over the configured axes."""
    panel_spread: Annotated[float, Field(ge=0, le=1)] | None
    """Highest minus lowest axis probability; absent below two axes."""
    panel_margin: Annotated[float, Field(ge=0)]
    """Distance of the unrounded score's size from the stance boundary 1.5."""
