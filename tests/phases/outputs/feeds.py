"""Feeds for tests of the outputs: any rows, by their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from schemas.feed import FeedRow, PortfolioFeed
from schemas.summary import RATED
from tests.support import DAY, QUESTION

UNRATED_REASON = "no source has it"


def row(ticker: str, status: str = "debated", **more: Any) -> FeedRow:
    """A row; a rated one with the numbers of the design's hand calculation, any other with none."""
    rated = status in RATED
    numbers: dict[str, Any] = {
        "stance": "buy",
        "conviction_pre": 2,
        "conviction_delta": 1,
        "conviction_post": 3,
        "probability_pre": 0.54,
        "probability_post": 0.56,
        "view_excess_return": 0.010895,
        "view_period": "21 sessions",
        "view_confidence": 0.3,
        "gap_first": 0.2,
        "gap_last": 0.1,
        "gap_verdict": "narrowed",
        "convergence": 0.5,
        "agreement": None,
        "decided_by": "code",
        "debate_cost_usd": 0.0,
    }
    told: dict[str, Any] = {
        "schema_version": "1",
        "run_id": "2008-09-30-00000000",
        "as_of": DAY,
        "session": DAY if rated else None,
        "ticker": ticker,
        "status": status,
        "reason": "bull gained" if rated else UNRATED_REASON,
        **(numbers if rated else dict.fromkeys(numbers)),
        "event": QUESTION.event,
        "horizon_sessions": 21,
        "benchmark": "^GSPC",
        "resolves_on": QUESTION.resolves_on,
        "flags": (),
        "held": False,
        "engine": "offline-desk v2, llm: none",
        "evidence_hash": "e" * 32 if rated else None,
        "transcript_hash": "t" * 32 if rated else None,
    }
    return FeedRow.model_validate({**told, **more})


def feed(rows: Sequence[FeedRow], **more: Any) -> PortfolioFeed:
    """The feed of these rows."""
    told: Mapping[str, Any] = {
        "schema_version": "1",
        "run_id": "2008-09-30-00000000",
        "as_of": DAY,
        "engine": "offline-desk v2, llm: none",
        "protocol": "desk",
        "valid": any(one.status in RATED for one in rows),
        "content_hash": "c" * 32,
    }
    return PortfolioFeed.model_validate({**told, "rows": tuple(rows), **more})


def many(count: int) -> PortfolioFeed:
    """A night of so many rows of every kind, with numbers that need every digit and texts that bite."""
    texts = ("=1+1", 'a, "b"; c', "two\nlines", "a\u202eb", "'quoted", "plain", "-1", "\u00e9\U0001f600")
    rows = []
    for at in range(count):
        status = ("debated", "gated", "degraded", "contested", "failed", "no_data")[at % 6]
        numbers = {
            "conviction_post": at % 11 - 5,
            "probability_post": (at + 0.1) / (count + 1) / 3,
            "view_excess_return": ((at * 7919) % 10007 - 5003) / 123457 if at % 5 else None,
            "view_confidence": 1 / (at + 3),
            "debate_cost_usd": at * 0.1 + 1e-07,
        }
        more = numbers if status in RATED else {}
        flags = ("late_bar", "thin")[: at % 3]
        rows.append(row(f"T{at}.HK", status, reason=texts[at % 8], flags=flags, held=at % 2 == 0, **more))
    return feed(rows)


LATER = date(2008, 10, 1)
