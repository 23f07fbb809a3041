"""G4, runs at once: processes that share a store pay for nothing twice, and who stood still changes nothing."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from bench.fake_model.server import FakeModel
from tests.conftest import Goal, Shelf
from tests.goals.books import check_books, usage_of
from tests.goals.start import AS_OF, start
from tests.phases.core.scripted import NIGHTLY, ROOT

PROCESSES, TICKERS = (8, 50) if NIGHTLY else (3, 4)
MODEL = ("--config", ROOT / "configs/anthropic.yaml", "--as-of", AS_OF)


def test_G4_runs_started_together_share_one_night(tmp_path: Path, goal: Goal) -> None:
    names = [f"T{at:04d}" for at in range(TICKERS)]
    shelf = Shelf(tmp_path / "out")
    with FakeModel({"seed": 4, "latency_ms": {"mean": 10, "jitter": 10}}) as server:
        sets = ("--set", "source=bench", "--set", f"provider.base_url={server.url}")
        words = ("run", *names, *MODEL, *sets, "--out", shelf.path, "--json")
        processes = [start(words, tmp_path / f"said{at}") for at in range(PROCESSES)]
        codes = [process.end(600) for process in processes]
        said = [process.words.read_text() for process in processes]
        stats, books = server.stats(), check_books(shelf, server)
    assert codes == [0] * PROCESSES, said
    records = [json.loads(one.splitlines()[-1]) for one in said]
    assert sum("locked" in one or "Traceback" in one for one in said) == 0
    assert stats["duplicates"] == 0
    assert books.spent == stats["turns"] == sum(one["calls"]["made"] for one in records)
    assert {(one["run_id"], *one["tickers"].values()) for one in records} == {
        (records[0]["run_id"], *records[0]["tickers"].values())
    }
    alone = start((*words[:-1], "--json"), tmp_path / "again")
    before = shelf.feed()
    assert (alone.end(), shelf.feed()) == (0, before), "what every process wrote is what the journal says"
    figures = {"processes": PROCESSES, "tickers": TICKERS, "paid_calls": books.spent}
    goal("G4 runs at once (SQLite)", **figures, duplicate_paid_calls=0, lock_errors=0, feeds=1)


def _stop(pid: int, out: Path) -> None:
    """Stop a process at a moment when it does not hold the store."""
    for _ in range(20):
        os.kill(pid, signal.SIGSTOP)
        with closing(sqlite3.connect(out / "rebuttal.db", timeout=0.1, isolation_level=None)) as hand:
            try:
                hand.execute("BEGIN IMMEDIATE")
                hand.execute("ROLLBACK")
                return
            except sqlite3.OperationalError:
                os.kill(pid, signal.SIGCONT)
                time.sleep(0.05)
    raise AssertionError("the store was never free")


def test_G4_a_paused_run_past_its_lease_changes_nothing(tmp_path: Path, goal: Goal) -> None:
    shelf = Shelf(tmp_path / "out")
    scenario = {"script": [], "latency_ms": {"mean": 1500}}
    with FakeModel(scenario) as server:
        sets = ("--set", "operation.lease_seconds=1", "--set", f"provider.base_url={server.url}")
        words = ("run", "IBM", *MODEL, "--debate", "none", *sets, "--out", shelf.path, "--json")
        paused = start(words, tmp_path / "paused")
        while not any(seen.path == "/v1/messages" for seen in server.bodies):
            assert paused.process.is_alive()
            time.sleep(0.002)
        _stop(paused.pid, shelf.path)
        other = start(words, tmp_path / "other")
        assert other.end() == 0, other.words.read_text()
        feed, replies = shelf.feed(), shelf.ask("SELECT key, reply FROM calls")
        os.kill(paused.pid, signal.SIGCONT)
        assert paused.end() == 0, paused.words.read_text()
        made = server.made
        assert server.stats()["duplicates"] == 1, "what the paused process had asked is paid again, and nothing else"
    assert (shelf.feed(), shelf.ask("SELECT key, reply FROM calls")) == (feed, replies)
    ((late,),) = shelf.ask("SELECT reply FROM late")
    assert json.loads(late)["request_id"] == made[0].id
    assert made[0].id not in {json.loads(reply).get("request_id") for _, reply in replies}
    spent = shelf.ask("SELECT usage FROM spend WHERE state = 'spent'")
    assert sorted(usage for (usage,) in spent) == sorted(usage_of(one).model_dump_json() for one in made)
    counts = json.loads(paused.words.read_text().splitlines()[-1])["calls"]
    assert (counts["made"], counts["replayed"]) == (1, len(made) - 2)
    goal("G4 paused past its lease", paused_processes=1, late_answers_kept=1, late_answers_used=0)
