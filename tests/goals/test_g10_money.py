"""G10, money: nothing passes a ceiling at any time, and the ledger is the server's own count."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bench.fake_model.server import FakeModel
from phases.core.runs import Runs
from phases.core.store import open_store
from phases.night import Finished, hold_night
from phases.plan import CONFIGS, Words, plan, resume_plan
from tests.conftest import Goal, Shelf
from tests.goals.books import KINDS, check_books
from tests.goals.start import AS_OF, STEPS, Trap, start
from tests.phases.core.scripted import NIGHTLY

TICKERS = ("AAPL", "IBM")
WHOLE = 0.4
"""US dollars that a night of the two costs, about."""

TORN = ("reset_before", "reset_mid_body", "cut_json")
"""Faults whose tries may have been billed: they stand in the ledger at their worst case."""

FAULTS = ({"status": 429, "retry_after": "0"}, {"status": 500}, {"status": 529}, *TORN)
PEAKS = """
CREATE TABLE peaks (micros INTEGER);
CREATE TRIGGER booked AFTER INSERT ON spend BEGIN INSERT INTO peaks SELECT sum(micros) FROM spend; END;
CREATE TRIGGER settled AFTER UPDATE ON spend BEGIN INSERT INTO peaks SELECT sum(micros) FROM spend; END;
"""


def watched(out: Path) -> Shelf:
    """A new store that notes what is spent and booked after each change."""
    open_store(out).close()
    with closing(sqlite3.connect(out / "rebuttal.db")) as hand:
        hand.executescript(PEAKS)
    return Shelf(out)


def peak(shelf: Shelf) -> int:
    """The most that was ever spent or booked, in millionths of a US dollar; starts again from now."""
    ((most,),) = shelf.ask("SELECT coalesce(max(micros), 0) FROM peaks")
    shelf.ask("DELETE FROM peaks")
    return int(most)


def held(url: str, out: Path, ceiling: float | None = None, resume: bool = False) -> Finished:
    sets = (f"provider.base_url={url}",)
    words = Words(TICKERS, CONFIGS / "anthropic.yaml", sets, "2012-06-29", max_cost=ceiling)
    store = open_store(out)
    try:
        planned = resume_plan(words, Runs(store), "last") if resume else plan(words, Runs(store))
        return hold_night(planned, store, out, lambda ticker, reason: None)
    finally:
        store.close()


def test_G10_the_ledger_is_the_servers_own_count(tmp_path: Path, goal: Goal) -> None:
    with FakeModel({}) as server:
        finished = held(server.url, tmp_path)
        stats, books = server.stats(), check_books(Shelf(tmp_path), server)
    rows = Shelf(tmp_path).ask("SELECT skill, micros, usage FROM spend")
    assert len(rows) == books.spent == stats["turns"] == finished.record.calls.made
    for ours, theirs in KINDS.items():
        assert sum(json.loads(usage)[ours] for *_, usage in rows) == stats["tokens"][theirs] > 0, ours
    assert books.micros == round(finished.record.cost_usd * 1_000_000)
    debated = sum(micros for skill, micros, _ in rows if skill in ("research-debate", "research-manager"))
    assert sum(round((row.debate_cost_usd or 0) * 1_000_000) for row in finished.feed.rows) == debated
    assert all("tools" not in seen.body for seen in server.bodies if seen.path == "/v1/messages")
    goal("G10 ledger and server", turns=stats["turns"], tokens=sum(stats["tokens"].values()), differences=0)


@pytest.mark.parametrize("faulty", [False, True], ids=["clean", "faults"])
@pytest.mark.parametrize("seed", range(10 if NIGHTLY else 1))
def test_G10_nothing_passes_a_ceiling_and_a_higher_one_goes_on(
    tmp_path: Path, seed: int, faulty: bool, goal: Goal
) -> None:
    dice, shelf = random.Random(seed), watched(tmp_path / "out")
    faults: dict[str, Any] = {"seed": seed, "fault_share": 0.1, "faults": FAULTS} if faulty else {}
    costs, stopped, ceiling = [], 0, 0.0
    with FakeModel(faults) as server:
        for at in range(4):
            ceiling += dice.uniform(0.1, 0.6) * WHOLE
            finished = held(server.url, shelf.path, ceiling if at < 3 else 10, resume=at > 0)
            assert peak(shelf) <= round(ceiling * 1_000_000) or at == 3
            costs.append(round(finished.record.cost_usd * 1_000_000))
            unpaid = [row for row in finished.feed.rows if row.status == "unpaid"]
            assert all(row.conviction_post is None and "--max-cost" in (row.reason or "") for row in unpaid)
            assert finished.record.exit == (3 if unpaid else 0)
            stopped += bool(unpaid)
            assert faulty or check_books(shelf, server).lost == 0
        books, stats = check_books(shelf, server), server.stats()
    assert {row.status for row in finished.feed.rows} == {"debated"}
    assert stopped >= 1 and stats["duplicates"] <= books.lost, "only what was lost on its way is paid again"
    assert books.spent + books.lost == len(server.made)
    assert faulty or (books.lost, books.open) == (0, 0)
    attempts = shelf.ask("SELECT attempt, sum(micros) FROM spend GROUP BY attempt")
    own = dict(attempts)
    assert costs == [sum(micros for at, micros in own.items() if at <= start) for start in range(1, 5)]
    assert costs[-1] == books.micros
    goal("G10 ceilings", nights=1, starts=4, stops_at_a_ceiling=stopped, times_above_it=0, calls=books.spent)


@pytest.mark.parametrize("seed", range(10 if NIGHTLY else 1))
def test_G10_processes_of_a_night_share_its_ceiling_killed_or_not(tmp_path: Path, seed: int, goal: Goal) -> None:
    dice, shelf = random.Random(seed), watched(tmp_path / "out")
    scenario: dict[str, Any] = {"seed": seed, "latency_ms": {"mean": 10, "jitter": 10}}
    ceiling, kills, stops = 0.0, 0, 0
    with FakeModel({**scenario, "fault_share": 0.05, "faults": FAULTS}) as server:
        for at in range(4):
            ceiling = 20 if at == 3 else ceiling + dice.uniform(0.2, 0.7) * WHOLE
            sets = ("source=bench", f"provider.base_url={server.url}", f"operation.max_cost_night={ceiling}")
            rest = [part for one in sets for part in ("--set", one)]
            rest += ["--config", CONFIGS / "anthropic.yaml", "--as-of", AS_OF, "--out", shelf.path, "--json"]
            both = [
                start(["run", *names, *rest], tmp_path / f"said{at}{names[0]}", *traps)
                for names, traps in (
                    (["T0000", "T0001"], [Trap(STEPS[at], dice.randint(1, 3) if at else 1).set] if at < 3 else []),
                    (["T0001", "T0000"], []),
                )
            ]
            codes = [one.end() for one in both]
            assert set(codes) <= {0, 3, -9}, [one.words.read_text() for one in both]
            kills += codes.count(-9)
            stops += codes.count(3)
            assert peak(shelf) <= round(ceiling * 1_000_000)
        books, injected = check_books(shelf, server), server.stats()["injected"]
    torn = sum(injected.get(kind, 0) for kind in TORN)
    assert codes == [0, 0] and kills and stops
    assert books.lost <= books.open <= 4 * kills + torn
    assert books.spent == len(server.made) - books.lost
    goal("G10 processes", starts=8, kills=kills, stops_at_a_ceiling=stops, times_above_it=0, open_bookings=books.open)
