"""The catalogue's faults of spend, in whole nights: a ceiling that nothing passes, and a ledger that forgets nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.fake_model.server import FakeModel
from phases.core.budget import MICROS
from phases.core.errors import CeilingReached, UsageError
from phases.plan import CONFIGS, Words, plan
from phases.providers.anthropic import retries
from schemas.feed import FeedRow
from tests.faults.nights import Held, night
from tests.phases.core.scripted import NIGHTLY

THREE = ("AAPL", "IBM", "MSFT")
ONE_MODEL = ("models.research-manager=claude-sonnet-5-5",)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Own waits of a few hundredths of a second."""
    monkeypatch.setattr(retries, "FIRST_WAIT", 0.02)
    monkeypatch.setattr(retries, "LONGEST_WAIT", 0.04)


def _decided(row: FeedRow) -> bool:
    return row.conviction_post is not None or row.stance is not None or row.probability_post is not None


def test_F177_a_ceiling_in_mid_run_leaves_the_rest_unpaid(tmp_path: Path) -> None:
    with FakeModel({}) as server:
        held = night(server.url, tmp_path, "operation.threads=1", tickers=THREE, debate="all", ceiling=0.3)
        stats = server.stats()
    statuses = [held.rows[ticker].status for ticker in THREE]
    assert statuses == ["debated", "unpaid", "unpaid"] and held.exit == 3
    for ticker in THREE[1:]:
        assert not _decided(held.rows[ticker]) and "--max-cost" in (held.rows[ticker].reason or "")
    assert len(held.spend) == stats["turns"] and 0 < held.micros <= 0.3 * MICROS
    assert not held.states("booked"), "a call that was not made is not booked"


LOST = ("reset_mid_body", "cut_json", "html", "reset_before")
CEILINGS = [(30, "reset_mid_body"), (45, "cut_json"), (12, "html"), (70, "reset_before")]
"""Hundredths of a US dollar, and what becomes of a try."""


@pytest.mark.parametrize(
    ("cents", "lost"), [(cents, lost) for cents in range(4, 80, 4) for lost in LOST] if NIGHTLY else CEILINGS
)
def test_F177_no_lost_try_passes_the_ceiling_unseen(cents: int, lost: str, tmp_path: Path) -> None:
    """One request in four is lost when the server has done its work: its own bill stays under the ceiling too."""
    script = [{"when": {"attempt": 1, "every": 4}, "do": lost}]
    with FakeModel({"script": script}) as server:
        held = night(server.url, tmp_path, *ONE_MODEL, debate="all", ceiling=cents / 100)
        stats = server.stats()
    assert held.bill(stats) <= held.micros <= cents * MICROS / 100
    if held.error is not None:
        assert isinstance(held.error, CeilingReached) and held.exit == 3
        return
    assert not held.states("booked") or any(row.status == "unpaid" for row in held.rows.values())
    for ticker, row in held.rows.items():
        own = [one for one in held.states("estimated") if one.ticker in (ticker, "")]
        assert row.status == "unpaid" or ("unpriced" in row.flags) == bool(own)


def test_F178_when_every_reply_is_invalid_a_turn_is_asked_twice_and_no_more(tmp_path: Path) -> None:
    with FakeModel({"script": [{"do": {"text": "I would rather not."}}]}) as server:
        held = night(server.url, tmp_path, tickers=THREE, debate="all", ceiling=1)
        stats = server.stats()
    assert {row.status for row in held.rows.values()} == {"failed"} and held.exit == 1
    assert not any(_decided(row) for row in held.rows.values())
    assert stats["turns"] == 2 * (1 + 2 * len(THREE)) and stats["duplicates"] == 0
    assert held.micros <= MICROS
    assert all("retry_exhausted" in row.flags for row in held.rows.values())


def test_F179_a_restart_after_the_ceiling_resets_nothing(tmp_path: Path) -> None:
    with FakeModel({}) as server:
        first = night(server.url, tmp_path, "operation.threads=1", debate="all", ceiling=0.12)
        asked = server.stats()["turns"]
        again = night(server.url, tmp_path, "operation.threads=1", debate="all", ceiling=0.12, resume=True)
        assert server.stats()["turns"] == asked, "the ceiling is where it was"
    assert (first.exit, again.exit) == (3, 3)
    assert again.spend == first.spend
    assert {ticker: row.status for ticker, row in again.rows.items()} == dict.fromkeys(again.rows, "unpaid")


def test_F180_a_model_without_a_price_costs_the_dearest(tmp_path: Path) -> None:
    sets = ("models.default=claude-unheard-of", "models.research-manager=claude-unheard-of")
    with FakeModel({"models": [{"id": "claude-unheard-of"}]}) as server:
        held = night(server.url, tmp_path, *sets)
        assert server.stats()["turns"] == len(held.spend)
    dearest = [max(float(getattr(one, kind)) for one in held.rates.values()) for kind in ("input", "output")]
    assert all(row.micros > 0 for row in held.spend)
    tokens = held.counts("spent")
    assert held.micros >= tokens["input_tokens"] * dearest[0] + tokens["output_tokens"] * dearest[1]
    assert all("unpriced" in row.flags for row in held.rows.values())


def test_F180_a_table_without_any_price_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k" * 20)
    (tmp_path / "none.yaml").write_text("date: 2026-11-01\nmodels: {}\n")
    config = tmp_path / "mine.yaml"
    config.write_text((CONFIGS / "anthropic.yaml").read_text() + "prices: none.yaml\n")
    with pytest.raises(UsageError, match=r"none\.yaml lists no model"):
        plan(Words(("IBM",), config, max_cost=5), None)


def test_F181_attempts_add_up(tmp_path: Path) -> None:
    with FakeModel({}) as server:
        first = night(server.url, tmp_path, "operation.threads=1", *ONE_MODEL, debate="all", ceiling=0.3)
        dear = _of(first, 1)
        second = night(server.url, tmp_path, *ONE_MODEL, debate="all", resume=True)
        third = night(server.url, tmp_path, *ONE_MODEL, debate="all", resume=True)
        stats = server.stats()
    assert (first.exit, second.exit, third.exit) == (3, 0, 0)
    assert _of(third, 1) == dear > 0 and _of(third, 2) > 0 == _of(third, 3)
    assert third.spend == second.spend and third.micros == sum(_of(third, at) for at in (1, 2))
    assert len(third.spend) == stats["turns"] and stats["duplicates"] == 0
    assert third.counts("spent") == {name: stats["tokens"][name] for name in third.counts("spent")}
    assert second.finished is not None and round(second.finished.record.cost_usd * MICROS) == third.micros


def _of(held: Held, attempt: int) -> int:
    """What one start of a run has spent."""
    return sum(row.micros for row in held.spend if row.attempt == attempt)
