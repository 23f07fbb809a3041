"""Whether a night can be trusted and was worth its price, counted from what it left."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Delta, Model, Text

Count = Annotated[int, Field(ge=0)]
Ratio = Annotated[float, Field(ge=0, le=1)]
Dollars = Annotated[float, Field(ge=0)]

AlarmName = Literal[
    "ceiling", "no_view", "one_delta", "tilt", "no_debate", "nothing_moved", "void_turns", "theater", "coverage"
]
"""What an alarm is about."""


class Alarm(Model):
    """Something a reader of the night should look at first."""

    name: AlarmName
    """What it is about."""
    text: Text
    """One sentence with its numbers."""


class DeltaCount(Model):
    """How many debates came to one change."""

    delta: Delta
    """Conviction points."""
    debates: Count
    """Debates that came to it."""


class Share(Model):
    """A share and what it was counted over."""

    share: Ratio | None
    """0..1; absent if nothing was counted."""
    n: Count
    """What it was counted over."""


class SignedTilt(Model):
    """Mean of the signed tilts of the debates: positive for the bull."""

    mean: Annotated[float, Field(ge=-1, le=1)] | None
    """-1..1; absent without a debate."""
    error: Annotated[float, Field(ge=0)] | None
    """Standard error of the mean; absent below two debates."""
    n: Count
    """Debates counted."""


class Turnout(Model):
    """Turns of the debates, the managers included."""

    counted: Count
    """Turns that count."""
    repaired: Count
    """Turns that needed a second reply."""
    void: Count
    """Turns that do not count."""
    dropped: Count
    """Claims, moves and other parts of turns that do not count."""
    ungrounded: Count
    """Of these, the ones dropped for a number that no evidence carries."""


class Coverage(Model):
    """Evidence of the tickers that have a market snapshot."""

    items: Count
    """Items known."""
    missing: Count
    """Items looked for and not known."""
    stale: Count
    """Items known and stale."""
    axes_missing: Count
    """Configured axes without a view, over all tickers."""
    axes_void: Count = 0
    """Of these, the ones that had evidence, but no answer that could be used."""
    bias_fields: Count
    """Fields of the bias row, its notes aside, that carry a value of the night."""
    bias_carried: Count
    """Fields of the bias row that carry an earlier value."""
    bias_missing: Count
    """Fields of the bias row without a value."""


class Bill(Model):
    """What the run read, wrote and cost, over all its starts."""

    input_tokens: Count
    """Tokens read, those of a prompt cache included."""
    output_tokens: Count
    """Tokens written."""
    cache_read_share: Ratio | None
    """Share of the tokens read that came from a prompt cache; absent if none were read."""
    cost_usd: Dollars
    """Money of the run."""
    debates_usd: Dollars
    """What the debates and their managers cost when they were bought, be it for an earlier run."""
    ceiling_usd: Dollars | None
    """Most it might spend; absent for no ceiling."""
    per_changed_usd: Dollars | None
    """Money of the debates for each decision they changed; absent if they changed none."""


class NightHealth(Model):
    """Health of a night."""

    debates: Count
    """Debates held, carried ones included."""
    gated: Count
    """Tickers no debate was bought for."""
    changed: Count
    """Decisions that a debate changed: rows whose conviction after it is not the one before."""
    stances_changed: Count
    """Of these, the ones whose stance changed with it."""
    contested: Count
    """Debates in which the manager's word opposes the moves."""
    deltas: tuple[DeltaCount, ...]
    """Debates by their change, ascending."""
    top_delta_share: Ratio | None
    """Share of the most frequent change; absent without a debate."""
    echo: Share
    """Share of changes with the sign of the conviction before them."""
    tilt: SignedTilt
    """Whether a side is favoured."""
    theater: Share
    """Share of debates in which nobody answered or nothing changed hands."""
    configured_rounds: Count
    """Loop rounds the debates might have had, summed."""
    executed_rounds: Count
    """Loop rounds they had, summed."""
    turns: Turnout
    """Turns of the debates."""
    coverage: Coverage
    """Evidence."""
    bill: Bill
    """Tokens and money."""
    alarms: tuple[Alarm, ...]
    """What to look at first, in the order of the names above."""
