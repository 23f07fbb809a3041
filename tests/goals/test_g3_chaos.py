"""G3, API chaos: with one turn in ten going wrong the night ends in time, and every row says what it can."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bench.fake_model.scenario import scenario
from bench.fake_model.server import FakeModel
from bench.source import BenchSource
from phases.core.runs import Runs
from phases.core.store import open_store
from phases.night import Finished, hold_night
from phases.plan import CONFIGS, Words, plan
from phases.portfolio_feed import NUMBERS
from phases.sources import SOURCES
from schemas.feed import FeedRow
from schemas.summary import RATED
from tests.conftest import Goal, Shelf
from tests.goals.start import AS_OF
from tests.phases.core.scripted import NIGHTLY, ROOT

TICKERS = 100 if NIGHTLY else 8
MIXED = ROOT / "bench/scenarios/mixed.yaml"
SPENT = ("debate_cost_usd", "transcript_hash")
"""Columns that a repaired or voided turn before the debate changes, whatever comes of it."""


class Held(NamedTuple):
    finished: Finished
    seconds: float
    stats: dict[str, Any]
    shelf: Shelf


def held(told: dict[str, Any], out: Path, monkeypatch: pytest.MonkeyPatch) -> Held:
    source = BenchSource(TICKERS, AS_OF)
    monkeypatch.setitem(SOURCES, "bench", lambda _: source)
    store = open_store(out)
    try:
        with FakeModel(told) as server:
            sets = ("source=bench", f"provider.base_url={server.url}")
            planned = plan(Words(source.tickers, CONFIGS / "anthropic.yaml", sets, AS_OF), Runs(store))
            begun = time.monotonic()
            finished = hold_night(planned, store, out, lambda ticker, reason: None)
            return Held(finished, time.monotonic() - begun, server.stats(), Shelf(out))
    finally:
        store.close()


def _check_row(row: FeedRow, clean: FeedRow, stops: set[str]) -> None:
    """A row is the clean one, unless a turn of its ticker went wrong for good: then it says so, with numbers or none.

    That a lost try made its cost a guess is said by a flag, and changes nothing else.
    """
    values = row.model_dump()
    values["flags"] = tuple(flag for flag in row.flags if not flag.endswith("unpriced"))
    if row.status not in RATED:
        assert stops and row.reason and all(values[name] is None for name in NUMBERS)
        return
    assert row.conviction_post is not None and row.stance is not None
    if values == {**clean.model_dump(), **{name: values[name] for name in SPENT}}:
        return
    told = row.reason != clean.reason or any(flag.endswith(("void", "repaired")) for flag in row.flags)
    assert stops and told, row


def test_G3_a_night_of_mixed_faults_ends_with_true_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, goal: Goal
) -> None:
    told = scenario(MIXED).model_dump(exclude_none=True)
    clean = held({**told, "fault_share": 0}, tmp_path / "clean", monkeypatch)
    mixed = held(told, tmp_path / "mixed", monkeypatch)
    stored = mixed.shelf.ask("SELECT ticker, reply FROM calls WHERE kind = 'ask'")
    replies = [(ticker, json.loads(reply)) for ticker, reply in stored]
    ends = {"refuse": "refusal", "truncate": "max_tokens"}
    for kind, stop in ends.items():
        assert sum(reply["stop_reason"] == stop for _, reply in replies) == mixed.stats["injected"].get(kind, 0)
    rows = {row.ticker: row for row in clean.finished.feed.rows}
    assert {row.status for row in rows.values()} == {"debated"}
    assert [row.ticker for row in mixed.finished.feed.rows] == list(rows)
    for row in mixed.finished.feed.rows:
        bad = {reply["stop_reason"] for ticker, reply in replies if ticker == row.ticker} - {"end_turn"}
        _check_row(row, rows[row.ticker], bad)
    assert sum(mixed.stats["injected"].values()) > 0.05 * mixed.stats["turns"]
    assert mixed.stats["turns"] <= 1.15 * clean.stats["turns"]
    waits = sum(one["waited_seconds"] for _, reply in replies for one in reply["attempts"])
    if NIGHTLY:
        assert mixed.seconds <= 2 * clean.seconds + waits
    goal(
        f"G3 chaos, {sum(mixed.stats['injected'].values())} faults",
        tickers=TICKERS,
        calls=mixed.stats["turns"],
        ideal_calls=clean.stats["turns"],
        s=mixed.seconds,
        s_when_clean=clean.seconds,
        s_of_honoured_waits=waits,
        hangs=0,
        true_rows=len(rows),
    )
