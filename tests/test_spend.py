"""Spend: what is booked, what it cost, and a ceiling that nothing passes; the server counts along."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from bench.fake_model.server import FakeModel
from phases.core.budget import Booking, Budget
from phases.core.errors import CeilingReached
from phases.core.runs import Runs
from phases.core.store import Store, open_store, spend
from phases.night import Finished, hold_night
from phases.plan import CONFIGS, Words, plan, resume_plan
from schemas.events import Usage
from schemas.settings import Rates

KINDS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
RATES = {"m": Rates(input="1", output="1", cache_write="1", cache_read="1")}
SERVER = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def held(url: str, out: Path, ceiling: float | None = None, resume: bool = False) -> tuple[Finished, list[Any]]:
    """A night on the server, and the rows of what it cost."""
    words = Words(
        ("AAPL", "IBM"), CONFIGS / "anthropic.yaml", (f"provider.base_url={url}",), "2012-06-29", max_cost=ceiling
    )
    store = open_store(out)
    try:
        planned = resume_plan(words, Runs(store), "last") if resume else plan(words, Runs(store))
        finished = hold_night(planned, store, out, lambda ticker, reason: None)
        with store.read() as connection:
            return finished, list(connection.execute(select(spend)))
    finally:
        store.close()


def test_the_ledger_is_the_servers_own_count(tmp_path: Path) -> None:
    with FakeModel({}) as server:
        finished, rows = held(server.url, tmp_path)
        stats = server.stats()
    counted = [json.loads(row.usage) for row in rows]
    assert len(rows) == stats["turns"] == finished.record.calls.made
    for kind, name in zip(KINDS, SERVER, strict=True):
        assert sum(usage[kind] for usage in counted) == stats["tokens"][name], kind
    assert {row.state for row in rows} == {"spent"}
    assert sum(row.micros for row in rows) == round(finished.record.cost_usd * 1_000_000)
    debated = [row.micros for row in rows if row.skill in ("research-debate", "research-manager")]
    assert sum(round((row.debate_cost_usd or 0) * 1_000_000) for row in finished.feed.rows) == sum(debated)
    assert all("tools" not in seen.body for seen in server.bodies if seen.path == "/v1/messages")


def test_nothing_passes_the_ceiling_and_a_higher_one_goes_on(tmp_path: Path) -> None:
    with FakeModel({}) as server:
        stopped, rows = held(server.url, tmp_path, ceiling=0.12)
        assert {row.status for row in stopped.feed.rows} == {"unpaid"}
        assert all(row.conviction_post is None and "--max-cost" in (row.reason or "") for row in stopped.feed.rows)
        assert stopped.record.exit == 3
        assert 0 < sum(row.micros for row in rows) <= 120_000
        finished, _ = held(server.url, tmp_path, ceiling=5, resume=True)
        assert {row.status for row in finished.feed.rows} == {"debated"}
        assert (finished.record.exit, finished.record.calls.replayed) == (0, stopped.record.calls.made)
        assert server.stats()["duplicates"] == 0


def test_processes_share_a_ceiling_and_what_is_not_settled_counts_in_full(tmp_path: Path) -> None:
    about = {"phase": "p", "ticker": "T", "skill": "s", "seat": "", "round_number": 1}
    store = open_store(tmp_path)
    try:
        one, other = (Budget(store, "run", "2012-06-29", attempt, 100, None) for attempt in (1, 2))
        one.book([Booking("a", "m", Usage(output_tokens=60), RATES, about)])
        with pytest.raises(CeilingReached, match="raise --max-cost"):
            other.book([Booking("b", "m", Usage(output_tokens=41), RATES, about)])
        other.book([Booking("b", "m", Usage(output_tokens=40), RATES, about)])
        one.settle("a", Usage(input_tokens=5), 10)
        other.book([Booking("c", "m", Usage(output_tokens=50), RATES, about)])
        other.release(["b"])
        with pytest.raises(CeilingReached):
            one.book([Booking("d", "m", Usage(output_tokens=41), RATES, about)])
        assert (one.spent(), other.spent()) == (10, 50)
    finally:
        store.close()


def test_a_try_that_was_lost_stays_at_its_worst_case_and_the_next_is_booked(tmp_path: Path) -> None:
    about = {"phase": "p", "ticker": "T", "skill": "s", "seat": "", "round_number": 1}
    store = open_store(tmp_path)
    try:
        budget = Budget(store, "run", "2012-06-29", 1, 250, None)
        booking = Booking("a", "m", Usage(output_tokens=100, estimated=True), RATES, about)
        budget.book([booking])
        budget.lose(booking)
        with pytest.raises(CeilingReached, match="raise --max-cost"):
            budget.lose(booking)
        assert _ledger(store) == [("estimated", 100), ("booked", 100)], "what cannot be booked changes nothing"
        budget.settle("a", Usage(output_tokens=7), 7)
        assert _ledger(store) == [("estimated", 100), ("spent", 7)] and budget.spent() == 107
        budget.release(["a"])
        assert budget.spent() == 107, "a try that may have been billed is never taken back"
    finally:
        store.close()


def _ledger(store: Store) -> list[tuple[str, int]]:
    with store.read() as connection:
        return [(row.state, row.micros) for row in connection.execute(select(spend).order_by(spend.c.position))]
