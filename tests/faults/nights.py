"""Whole nights on a server that does what a test says, and what an operator sees of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import select

from phases.core.errors import RebuttalError
from phases.core.runs import Runs
from phases.core.store import calls, events, open_store, runs, spend
from phases.maths.pricing import cost
from phases.night import Finished, hold_night
from phases.plan import CONFIGS, Words, plan, resume_plan
from schemas.events import Usage
from schemas.feed import FeedRow
from schemas.settings import Rates
from tests.conftest import DAY

TICKERS = ("AAPL", "IBM")
ASKED = 5
"""Turns of a night without debates over two tickers: the macro view, and two axes of each ticker."""

COUNTED = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_creation_input_tokens",
}
"""Our names of what a server counts, and the server's."""


@dataclass(frozen=True)
class Held:
    """A night that was started, whatever became of it."""

    finished: Finished | None
    error: RebuttalError | None
    spend: list[Any]
    """Rows of the ledger of all starts."""
    notes: list[str]
    """Notes of the calls, in order."""
    stored: int
    """Replies in the journal."""
    state: str
    """State of the run."""
    rates: dict[str, Rates] = field(default_factory=dict)

    @property
    def exit(self) -> int:
        """What the command line returns for it."""
        if self.error is not None:
            return self.error.exit_code
        assert self.finished is not None
        return self.finished.record.exit

    @property
    def said(self) -> str:
        """What stopped it."""
        assert self.error is not None, "the night was not stopped"
        return str(self.error)

    @property
    def rows(self) -> dict[str, FeedRow]:
        """Rows of the feed by ticker."""
        assert self.finished is not None, self.error
        return {row.ticker: row for row in self.finished.feed.rows}

    def states(self, state: str) -> list[Any]:
        """Rows of the ledger in one state."""
        return [row for row in self.spend if row.state == state]

    @property
    def micros(self) -> int:
        """Everything that is spent or booked."""
        return sum(row.micros for row in self.spend)

    def counts(self, *states: str) -> dict[str, int]:
        """Tokens of the ledger under the server's names."""
        usages = [json.loads(row.usage) for row in self.spend if row.state in states]
        return {theirs: sum(one[ours] for one in usages) for ours, theirs in COUNTED.items()}

    def bill(self, stats: dict[str, Any]) -> int:
        """What the server's own count comes to, if one model answered all."""
        (model,) = stats["by_model"]
        counted = {ours: stats["tokens"].get(theirs, 0) for ours, theirs in COUNTED.items()}
        return cost(Usage(**counted), model, self.rates).micros


def night(
    url: str,
    out: Path,
    *sets: str,
    tickers: tuple[str, ...] = TICKERS,
    debate: str | None = "none",
    ceiling: float | None = 5,
    resume: bool = False,
    config: Path = CONFIGS / "anthropic.yaml",
) -> Held:
    """A night on the server at an address."""
    words = Words(tickers, config, (f"provider.base_url={url}", *sets), DAY, debate, max_cost=ceiling)
    store = open_store(out)
    finished, error = None, None
    try:
        planned = resume_plan(words, Runs(store), "last") if resume else plan(words, Runs(store))
        try:
            finished = hold_night(planned, store, out, lambda ticker, reason: None)
        except RebuttalError as stopped:
            error = stopped
        with store.read() as connection:
            rows = list(connection.execute(select(spend).order_by(spend.c.position)))
            happened = [json.loads(body) for (body,) in connection.execute(select(events.c.body))]
            asked = select(calls.c.key).where(calls.c.kind == "ask", calls.c.state == "done")
            stored = len(connection.execute(asked).all())
            state = connection.execute(select(runs.c.state)).scalar_one()
        notes = [one["note"] for one in happened if one["kind"] == "called" and one.get("note")]
        return Held(finished, error, rows, notes, stored, state, dict(planned.header.prices.models))
    finally:
        store.close()
