"""Phase 6: the macro bias row. Code computes every field; a skill may only word the notes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Day, EvidenceId, Model, Probability, Text

Bias = Literal["strong_bullish", "bullish", "neutral", "bearish", "strong_bearish"]


class Provenance(Model):
    """Where one field of the bias row comes from."""

    status: Literal["fresh", "carried", "missing"]
    """`fresh`: computed tonight; `carried`: the last known value; `missing`: no source has it."""
    as_of: Day | None = None
    """Day of the oldest figure the value was computed from; absent if missing."""
    evidence: tuple[EvidenceId, ...] = ()
    """Evidence ids the value was computed from."""
    reason: Text | None = None
    """Why it is missing or carried, or what stands in for a better source."""
    missing_nights: Annotated[int, Field(ge=1)] | None = None
    """For a missing field that has a source: nights in a row without a value, this one included."""


class Coverage(Model):
    """How much of a bias row there is: shares of its fields, `notes` aside."""

    fresh: Probability
    """Share computed tonight."""
    carried: Probability
    """Share that is the last known value."""
    missing: Probability
    """Share without a value."""
    long_missing: tuple[Text, ...] = ()
    """Fields that have a source and have had no value for many nights in a row."""
    stale: Text | None = None
    """Why the row as a whole is stale; absent if it is not."""


class FedOdds(Model):
    """Market-implied odds of the next policy meeting."""

    meeting_date: Day
    """Day of the meeting."""
    most_likely: Text
    """Outcome with the highest probability, for example `unchanged`."""
    probability: Probability
    """Probability of that outcome."""


class OnchainPositioning(Model):
    """Net positioning of traders whose books are public."""

    smart_net_bias: Bias
    """Net side of historically profitable traders."""
    crowd_net_bias: Bias
    """Net side of all traders."""


class BiasRow(Model):
    """The macro view of one night: sixteen fields, each fresh, carried or missing with a reason."""

    date: Day
    """As-of date of the run."""
    run_type: Literal["baseline", "delta", "monthly"]
    """`baseline` without an earlier night, `delta` after one."""
    macro_regime: Text | None
    """Growth, inflation, policy and risk appetite in fixed words."""
    equity_bias: Bias | None
    """Direction of the equity market from index trend and breadth."""
    crypto_bias: Bias | None
    """Direction of crypto assets."""
    bond_bias: Bias | None
    """Direction of government bonds; falling short rates are bullish."""
    commodity_bias: Bias | None
    """Direction of commodities, from crude oil."""
    forex_bias: Bias | None
    """Direction of the dollar."""
    vix_level: Annotated[float, Field(ge=0)] | None
    """Implied index volatility in index points; where a source has none, realised volatility times 100."""
    inst_flow: Bias | None
    """Direction of institutional flows."""
    options_sentiment: Bias | None
    """Direction read from option markets."""
    cta_direction: Bias | None
    """Direction of trend-following funds."""
    hf_consensus: Bias | None
    """Direction of hedge-fund positioning."""
    fed_odds: FedOdds | None
    """Odds of the next policy meeting."""
    onchain_positioning: OnchainPositioning | None
    """Positioning visible on chain."""
    notes: Text | None
    """One or two sentences that word the fields above; never a number."""
    provenance: dict[str, Provenance]
    """Origin of each field but `date` and `run_type`, keyed by field."""
    coverage: Coverage | None = None
    """How much of it there is; absent in rows of older versions."""


SOURCED_FIELDS: tuple[str, ...] = tuple(
    name for name in BiasRow.model_fields if name not in ("date", "run_type", "provenance", "coverage")
)
"""The fourteen fields of the row that need a source."""


class BiasWording(Model):
    """What the macro-bias skill may say about the computed row."""

    notes: Annotated[str, Field(min_length=1, max_length=400, pattern=r"[A-Za-z]")]
    """One or two sentences in plain words, without any digit."""


class BiasInputs(Model):
    """What the macro-bias skill reads."""

    bias_row: BiasRow
    """The computed row, its notes still absent."""
