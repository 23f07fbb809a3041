"""The portfolio hand-off: one row per requested ticker."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from schemas.analyst import AnalystPayload
from schemas.base import Conviction, Day, Delta, Model, Probability, Stance, Text, Ticker
from schemas.events import Turns
from schemas.ledger import DebateTranscript
from schemas.market import MarketSnapshot
from schemas.news import NewsSnapshot
from schemas.summary import DebateSummary, Status

SCHEMA_VERSION = "1"


class Failure(Model):
    """Why a ticker went no further."""

    status: Status
    """Status of its row."""
    reason: Text
    """Why, in one sentence."""
    phase: Text
    """Artefact that could not be made."""


class TickerOutcome(Model):
    """Everything the night made for one ticker. A ticker that failed is present with its reason."""

    failure: Failure | None = None
    """Why it went no further; absent if it did not fail."""
    market_snapshot: MarketSnapshot | None = None
    """Evidence."""
    news_snapshot: NewsSnapshot | None = None
    """Typed news."""
    analyst_payload: AnalystPayload | None = None
    """Analyst view."""
    debate_transcript: DebateTranscript | None = None
    """The debate."""
    debate_summary: DebateSummary | None = None
    """What it came to."""
    turns: Turns | None = None
    """What was asked for it."""


class FeedRow(Model):
    """One ticker, one night. Decision numbers are null unless the status is contested, degraded, gated or debated."""

    schema_version: Literal["1"]
    """Version of these columns; a consumer refuses one it does not know."""
    run_id: Text
    """Run that made the row."""
    as_of: Day
    """The run's as-of date: what was known after that session's close."""
    session: Day | None
    """Session of the newest bar used for this ticker; null without data."""
    ticker: Ticker
    """The ticker as requested."""
    status: Status
    """Exactly one; a consumer refuses one it does not know."""
    reason: Text | None
    """Why conviction moved or did not, why there is no stance or no debate, and which axes are missing."""
    stance: Stance | None
    """View after the debate, from conviction_post."""
    conviction_pre: Conviction | None
    """Conviction before the debate, -5..5."""
    conviction_delta: Delta | None
    """Conviction points the debate moved, -2..2; 0 if there was none to move."""
    conviction_post: Conviction | None
    """conviction_pre + conviction_delta, kept within -5..5."""
    probability_pre: Probability | None
    """Probability of the event before the debate."""
    probability_post: Probability | None
    """Probability of the event after the debate."""
    event: Text
    """The event the probabilities are about."""
    horizon_sessions: Annotated[int, Field(ge=1)]
    """Sessions until it resolves."""
    benchmark: Ticker
    """Series the return is compared with."""
    resolves_on: Day
    """Session on which it resolves."""
    view_excess_return: float | None
    """Expected return over the benchmark within view_period, a ratio (0.01 is 1 percent); null where there is no
    view: status `contested`, flag `split`, a probability within .01 of one half, or no volatility to scale with
    (`px.excess_vol_63d`)."""
    view_period: Text | None
    """Period of view_excess_return, for example `21 sessions`; a year of it is times 252 / 21, a day is over 21."""
    view_confidence: Annotated[float, Field(ge=0, le=1)] | None
    """Trust in the view, 0..0.5, for Idzorek's method; reasoned, not fitted. 0 if the row is split or contested,
    otherwise null where there is no view."""
    gap_first: Annotated[float, Field(ge=0, le=1)] | None
    """Distance of the sides' probabilities in the first round in which both gave one."""
    gap_last: Annotated[float, Field(ge=0, le=1)] | None
    """The same in the last such round."""
    gap_verdict: Literal["panel_agreed", "narrowed", "widened", "held"] | None
    """What the gap did."""
    convergence: Annotated[float, Field(ge=0, le=1)] | None
    """Points conceded or withdrawn, divided by points raised."""
    agreement: Annotated[float, Field(ge=0, le=1)] | None
    """Share of seats with the winning stance, where seats voted."""
    decided_by: Literal["code", "tally", "manager"] | None
    """Where the delta comes from; null without a debate."""
    flags: tuple[Text, ...]
    """What a reader should know, sorted."""
    held: bool
    """True if the configuration lists the ticker as held."""
    engine: Text
    """Which engine spoke."""
    debate_cost_usd: Annotated[float, Field(ge=0)] | None
    """Price of the debate when it was bought, in US dollars; null without a debate."""
    evidence_hash: Text | None
    """Digest of the ticker's evidence."""
    transcript_hash: Text | None
    """Digest of the debate."""


def feed_hash(document: Mapping[str, Any]) -> str:
    """The `content_hash` that a feed must have, from its JSON: header and rows as they stand, whatever it has now."""
    head = {name: value for name, value in document.items() if name not in ("rows", "content_hash")}
    text = json.dumps([head, document["rows"]], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class PortfolioFeed(Model):
    """Header and rows of one night, in the order of the request."""

    schema_version: Literal["1"]
    """Version of the document and its columns."""
    run_id: Text
    """Run that made it."""
    as_of: Day
    """The run's as-of date."""
    engine: Text
    """Which engine spoke."""
    protocol: Text
    """Debate protocol of the run."""
    valid: bool
    """False if no row is rated: a consumer must not use the feed, nor take an older one for it."""
    rows: tuple[FeedRow, ...]
    """One row per requested ticker."""
    content_hash: Text
    """Digest of everything above."""
