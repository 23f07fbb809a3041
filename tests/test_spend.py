"""Spend: calls are booked before they are made, against a ceiling that processes share; whole nights are in goals/."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select

from phases.core.budget import Booking, Budget
from phases.core.errors import CeilingReached
from phases.core.store import Store, open_store, spend
from schemas.events import Usage
from schemas.settings import Rates

RATES = {"m": Rates(input="1", output="1", cache_write="1", cache_read="1")}


def test_processes_share_a_ceiling_and_what_is_not_settled_counts_in_full(tmp_path: Path) -> None:
    about = {"phase": "p", "ticker": "T", "skill": "s", "seat": "", "round_number": 1}
    store = open_store(tmp_path)
    try:
        one, other = (Budget(store, "run", "2012-06-29", attempt, 100, None) for attempt in (1, 2))
        one.book([Booking("a", "m", Usage(output_tokens=60), RATES, about)])
        with pytest.raises(CeilingReached, match="raise --max-cost"):
            other.book([Booking("b", "m", Usage(output_tokens=41), RATES, about)])
        other.book([Booking("b", "m", Usage(output_tokens=40), RATES, about)])
        store.write(lambda connection: connection.execute(one.settling("a", Usage(input_tokens=5), 10)))
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
        store.write(lambda connection: connection.execute(budget.settling("a", Usage(output_tokens=7), 7)))
        assert _ledger(store) == [("estimated", 100), ("spent", 7)] and budget.spent() == 107
        budget.release(["a"])
        assert budget.spent() == 107, "a try that may have been billed is never taken back"
    finally:
        store.close()


def _ledger(store: Store) -> list[tuple[str, int]]:
    with store.read() as connection:
        return [(row.state, row.micros) for row in connection.execute(select(spend).order_by(spend.c.position))]
