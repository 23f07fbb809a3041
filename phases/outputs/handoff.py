"""Views in the form and the unit that a portfolio library reads: PyPortfolioOpt a year, skfolio a session.

A row's view is a return *over the benchmark*; both libraries take expected returns of an asset. So
the benchmark's own expected return is added: the one of the consumer's prior. Without it an excess
of 0 would pull a prior of 8 percent down.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from phases.core.errors import UsageError
from phases.maths.views import YEAR, annual, daily
from schemas.feed import FeedRow, PortfolioFeed
from schemas.summary import RATED

BENCHMARK_RETURN = 0.08
"""Expected return of the benchmark, a year, where the consumer names none: a convention, no forecast."""


def pypfopt_json(feed: PortfolioFeed, benchmark_return: float | None) -> str:
    """`absolute_views` and `view_confidences` for `BlackLittermanModel(..., omega="idzorek")`, returns a year."""
    prior = BENCHMARK_RETURN if benchmark_return is None else benchmark_return
    views = {
        row.ticker: round(prior + annual(view, row.horizon_sessions), 6)
        for row in feed.rows
        if (view := _trusted(row)) is not None
    }
    return _document(feed, benchmark_return, {"unit": "a year", "absolute_views": views})


def skfolio_json(feed: PortfolioFeed, benchmark_return: float | None) -> str:
    """`views` and `view_confidences` for `BlackLitterman`, returns a session; `relative_views` needs no prior."""
    prior = (BENCHMARK_RETURN if benchmark_return is None else benchmark_return) / YEAR
    views = [(row, daily(view, row.horizon_sessions)) for row in feed.rows if (view := _trusted(row)) is not None]
    absolute = [f"{row.ticker} == {prior + view:.9f}" for row, view in views]
    relative = [f"{row.ticker} - {row.benchmark} == {view:.9f}" for row, view in views]
    return _document(feed, benchmark_return, {"unit": "a session", "views": absolute, "relative_views": relative})


HANDOFFS: Mapping[str, Callable[[PortfolioFeed, float | None], str]] = {
    "pypfopt": pypfopt_json,
    "skfolio": skfolio_json,
}
"""Documents by the library that reads them."""


def _trusted(row: FeedRow) -> float | None:
    """The view of a row, if it has one that is trusted at all."""
    return row.view_excess_return if row.view_confidence else None


def _document(feed: PortfolioFeed, benchmark_return: float | None, views: Mapping[str, Any]) -> str:
    """What names the night, the views, their trust in the same order, and every name with its state.

    Raises UsageError for a feed in which no row is rated.
    """
    if not feed.valid:
        raise UsageError(
            f"run {feed.run_id} is invalid: no ticker is rated, so there is nothing to hand to a portfolio"
        )
    first = feed.rows[0]
    document = {
        **feed.model_dump(mode="json", exclude={"rows"}),
        "benchmark": first.benchmark,
        "horizon_sessions": first.horizon_sessions,
        "resolves_on": first.resolves_on.isoformat(),
        "benchmark_return": BENCHMARK_RETURN if benchmark_return is None else benchmark_return,
        "benchmark_return_assumed": benchmark_return is None,
        **views,
        "view_confidences": [row.view_confidence for row in feed.rows if _trusted(row) is not None],
        "names": {row.ticker: _state(row) for row in feed.rows},
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _state(row: FeedRow) -> dict[str, Any]:
    """What a portfolio may do with a name: use its view, leave it at the prior, or leave its weight alone."""
    state = "not_rated" if row.status not in RATED else "no_view" if _trusted(row) is None else "view"
    return {"state": state, "status": row.status, "held": row.held, "flags": list(row.flags), "reason": row.reason}
