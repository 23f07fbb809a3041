"""The hand-off: one row per requested ticker. A failure is a status with a reason, never a neutral view."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, cast

from phases.core.phase import phase
from phases.core.text import canonical, digest, printable
from phases.evidence.prices import EXCESS_VOLATILITY
from phases.maths.conviction import effective_conviction, stance_of
from phases.maths.exact import exact
from phases.maths.views import Verdict, excess_view, view_confidence
from schemas.analyst import AnalystPayload
from schemas.base import Stance, Ticker
from schemas.feed import SCHEMA_VERSION, FeedRow, PortfolioFeed, TickerOutcome, feed_hash
from schemas.market import MarketSnapshot, Question
from schemas.run import RunHeader
from schemas.settings import AnalystSettings
from schemas.summary import RATED, DebateSummary, Status

MICROS = 1_000_000
"""Parts of a US dollar that costs are counted in."""

READOUTS = {
    "gap_first": "gap.first",
    "gap_last": "gap.last",
    "gap_verdict": "gap.verdict",
    "convergence": "convergence",
    "agreement": "tally.share",
}
"""Columns that are a read-out of the debate."""

NUMBERS = (
    *("stance", "conviction_pre", "conviction_delta", "conviction_post", "probability_pre", "probability_post"),
    *("view_excess_return", "view_period", "view_confidence"),
    *READOUTS,
    *("decided_by", "debate_cost_usd"),
)
"""Columns that are null unless the row is rated."""


@phase(scope="run", keys=lambda feed: [row.ticker for row in feed.rows])
def portfolio_feed(
    tickers: tuple[Ticker, ...],
    outcomes: Mapping[Ticker, TickerOutcome],
    question: Question,
    header: RunHeader,
    settings: AnalystSettings,
) -> PortfolioFeed:
    """All rows of the night, in the order of the request."""
    held = frozenset(header.settings.held)
    rows = tuple(_row(name, outcomes[name], name in held, question, header, settings) for name in tickers)
    head = {
        "schema_version": SCHEMA_VERSION,
        "run_id": header.run_id,
        "as_of": header.as_of,
        "engine": header.engine,
        "protocol": header.settings.debate.protocol,
        "valid": any(row.status in RATED for row in rows),
    }
    told = {**head, "as_of": header.as_of.isoformat(), "rows": [row.model_dump(mode="json") for row in rows]}
    return PortfolioFeed.model_validate({**head, "rows": rows, "content_hash": feed_hash(told)})


def _row(
    ticker: Ticker, outcome: TickerOutcome, held: bool, question: Question, header: RunHeader, settings: AnalystSettings
) -> FeedRow:
    status, reason = _status(outcome)
    payload, summary, snapshot = outcome.analyst_payload, outcome.debate_summary, outcome.market_snapshot
    numbers: dict[str, Any] = dict.fromkeys(NUMBERS)
    if status in RATED and payload is not None and summary is not None:
        numbers |= _numbers(payload, summary, exact(settings.watch_spread))
    flags = _flags(status, numbers, outcome, header)
    if payload is not None and numbers["probability_post"] is not None:
        disputed = status == "contested" or "split" in flags
        if not disputed:
            numbers |= _view(numbers["probability_post"], snapshot, question.horizon_sessions)
        numbers["view_confidence"] = 0.0 if disputed else _trust(status, numbers, flags, payload, settings)
    transcript = outcome.debate_transcript
    row = {
        "schema_version": SCHEMA_VERSION,
        "run_id": header.run_id,
        "as_of": header.as_of,
        "session": snapshot.session if snapshot else None,
        "ticker": ticker,
        "status": status,
        "reason": None if reason is None else printable(reason),
        "event": question.event,
        "horizon_sessions": question.horizon_sessions,
        "benchmark": question.benchmark,
        "resolves_on": question.resolves_on,
        "flags": flags,
        "held": held,
        "engine": header.engine,
        "evidence_hash": _evidence_hash(outcome),
        "transcript_hash": transcript.content_hash if transcript and transcript.ledger else None,
        **numbers,
    }
    return FeedRow.model_validate(row)


def _evidence_hash(outcome: TickerOutcome) -> str | None:
    """Digest of what was known of the ticker itself, typed news included where there is any."""
    own, told = outcome.market_snapshot, outcome.news_snapshot
    if own is None or told is None or not told.evidence:
        return own.content_hash if own else None
    return digest(canonical([own.content_hash, told.content_hash]))


def _status(outcome: TickerOutcome) -> tuple[Status, str | None]:
    """Exactly one status, in the order of precedence, and its reason."""
    payload, summary = outcome.analyst_payload, outcome.debate_summary
    if outcome.failure is not None:
        return outcome.failure.status, outcome.failure.reason
    if payload is None or summary is None:
        return "failed", "the night made no summary for this ticker"
    if summary.status in ("debated", "gated") and payload.missing_axes:
        absent = "; ".join(f"{one.axis} axis missing: {one.reason}" for one in payload.missing_axes)
        return "degraded", "; ".join(filter(None, (summary.reason, absent)))
    return summary.status, summary.reason


def _numbers(payload: AnalystPayload, summary: DebateSummary, watch_spread: Fraction) -> dict[str, Any]:
    delta = summary.conviction_delta or 0
    after = effective_conviction(payload.conviction_score, delta)
    debated = summary.status in ("debated", "contested")
    return {
        "stance": _stance_after(payload, after, watch_spread),
        "conviction_pre": payload.conviction_score,
        "conviction_delta": delta,
        "conviction_post": after,
        "probability_pre": payload.probability,
        "probability_post": summary.probability_post,
        "decided_by": summary.decided_by,
        **{column: summary.readouts.get(name) for column, name in READOUTS.items()},
        "debate_cost_usd": summary.micros / MICROS if debated else None,
    }


def _view(probability: float, snapshot: MarketSnapshot | None, sessions: int) -> dict[str, Any]:
    """The expected excess return and its period; nothing without a volatility."""
    seen = {one.id: one.value for one in snapshot.evidence} if snapshot else {}
    volatility = seen.get(EXCESS_VOLATILITY)
    if not isinstance(volatility, int | float):
        return {}
    view = excess_view(probability, volatility, sessions)
    return {} if view is None else {"view_excess_return": view, "view_period": f"{sessions} sessions"}


def _trust(
    status: Status,
    numbers: Mapping[str, Any],
    flags: tuple[str, ...],
    payload: AnalystPayload,
    settings: AnalystSettings,
) -> float | None:
    """Trust in the view; absent without one."""
    if numbers["view_excess_return"] is None:
        return None
    weights = {axis: exact(weight) for axis, weight in settings.axes.items()}
    absent = {one.axis for one in payload.missing_axes}
    present = sum((weight for axis, weight in weights.items() if axis not in absent), Fraction(0))
    gap, verdict = numbers["gap_last"], cast("Verdict | None", numbers["gap_verdict"])
    if status == "gated" or "gated" in flags:
        gap, verdict = None, "gated"
    spread = payload.panel_spread or 0.0  # a lone axis has nobody to differ from
    return view_confidence(present / sum(weights.values()), spread if gap is None else gap, verdict)


def _stance_after(payload: AnalystPayload, after: int, watch_spread: Fraction) -> Stance:
    """The stance of the conviction after the debate, by the rule that gave the one before."""
    if after == payload.conviction_score:
        return payload.stance
    spread = None if payload.panel_spread is None else exact(payload.panel_spread)
    return stance_of(after, tie=False, spread=spread, watch_spread=watch_spread)


def _flags(status: Status, numbers: Mapping[str, Any], outcome: TickerOutcome, header: RunHeader) -> tuple[str, ...]:
    """What a reader should know, sorted."""
    payload, summary, seen = outcome.analyst_payload, outcome.debate_summary, outcome.market_snapshot
    found = {
        *(seen.flags if seen else ()),
        *(summary.flags if summary else ()),
        *(outcome.turns.flags if outcome.turns else ()),
    }
    if header.changed_skills:
        found.add("changed_skills")
    if status == "degraded" and summary is not None and summary.status == "gated":
        found.add("gated")
    if payload is not None:
        found |= {f"missing_{one.axis}" for one in payload.missing_axes}
    conviction, probability = numbers["conviction_post"], numbers["probability_post"]
    if conviction and probability is not None and conviction * (exact(probability) - Fraction(1, 2)) < 0:
        found.add("split")
    return tuple(sorted(found))
