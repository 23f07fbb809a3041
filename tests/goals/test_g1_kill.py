"""G1, kill anywhere: no turn is lost, only calls in flight are paid again, and the ledger says which."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.fake_model.server import FakeModel
from tests.conftest import Goal, Shared, Shelf, Told
from tests.goals.books import check_books
from tests.goals.start import AS_OF, Started, Trap, start
from tests.phases.core.scripted import NIGHTLY, ROOT

STORES, KILLS = (50, 4) if NIGHTLY else (2, 4)
TICKERS = [f"T{at:04d}" for at in range(12 if NIGHTLY else 3)]
WORKERS = (1, 4, 8)
SCENARIO: dict[str, Any] = {"seed": 1, "latency_ms": {"mean": 15, "jitter": 10}, "minimum_cacheable": 10_000_000}
"""Nothing is cached: what a call costs, which the feed says, must not depend on which call comes first."""

CALLS = ("booked", "replied", "kept", "read")
ENDS = (("drafted", 1), ("drafted", 2), ("drafted", 3), ("closing", 1))


def words(url: str, out: Path, threads: int) -> list[object]:
    chosen = ("source=bench", f"provider.base_url={url}", f"operation.threads={threads}", "debate.rounds=2")
    sets = [part for one in chosen for part in ("--set", one)]
    return ["run", *TICKERS, "--config", ROOT / "configs/anthropic.yaml", "--as-of", AS_OF, *sets, "--out", out]


@pytest.fixture(name="whole")
def _whole(shared: Shared) -> Shelf:
    """The night, never disturbed."""

    def build(place: Path) -> list[Told]:
        with FakeModel(SCENARIO) as server:
            assert start(words(server.url, place / "out", 4), place / "said").end() == 0
        return []

    return shared("whole-paid", build)


def _traps(dice: random.Random, number: int) -> Iterator[Trap | None]:
    """Where one store's processes kill themselves; nothing for those that are killed at a random moment."""
    yield None if number % 2 else Trap(CALLS[number // 2 % 4], dice.randint(1, len(TICKERS)))
    yield Trap(CALLS[(number // 2 + 1) % 4], dice.randint(1, len(TICKERS)))
    yield None
    yield Trap(*ENDS[number % 5]) if number % 5 < len(ENDS) else None


def _await_turns(server: FakeModel, number: int, process: Started) -> None:
    until = time.monotonic() + 60
    while len(server.bodies) < number and process.process.is_alive():
        assert time.monotonic() < until
        time.sleep(0.002)


def _killed(server: FakeModel, process: Started, trap: Trap | None, dice: random.Random, left: int) -> bool:
    """Wait until the process has killed itself, or kill it; whether it was before its end."""
    if trap:
        return process.end() == -9
    if dice.random() < 0.8:
        _await_turns(server, len(server.bodies) + dice.randrange(max(1, left // 3)), process)
    time.sleep(dice.uniform(0, 0.03))
    return process.kill() == -9


def _claimed(shelf: Shelf, look: Path) -> int:
    """Questions that were in flight at the kill; seen in a copy, since the next start must find what the kill left."""
    if not (shelf.path / "rebuttal.db").exists() or not shelf.ask(
        "SELECT 1 FROM sqlite_master WHERE name = 'calls'", spare=look
    ):
        return 0
    query = "SELECT count(*) FROM calls WHERE kind = 'ask' AND state = 'claimed'"
    return int(shelf.ask(query, spare=look)[0][0])


@pytest.mark.parametrize("number", range(STORES))
def test_G1_F078_killed_anywhere_nothing_is_lost_and_only_calls_in_flight_are_paid_again(
    whole: Shelf, tmp_path: Path, number: int, goal: Goal
) -> None:
    dice, shelf, look = random.Random(20080930 + number), Shelf(tmp_path / "out"), tmp_path / "look"
    kills = in_flight = 0
    lost: set[str] = set()
    with FakeModel(SCENARIO) as server:
        for at, trap in enumerate(_traps(dice, number)):
            resume = ("--resume", "last") if at else ()
            process = start(
                [*words(server.url, shelf.path, dice.choice(WORKERS)), *resume],
                tmp_path / "said",
                *([trap.set] if trap else []),
            )
            left = len(whole.replies()) - len({one.body for one in server.made})
            kills += _killed(server, process, trap, dice, left)
            in_flight += _claimed(shelf, look)
            if in_flight or at:
                lost |= _done(shelf, look)
        ended = start([*words(server.url, shelf.path, dice.choice(WORKERS)), "--resume", "last"], tmp_path / "said")
        assert ended.end() == 0, ended.words.read_text()
        repeated = server.stats()["duplicates"]
        books = check_books(shelf, server)
    assert kills == KILLS
    lost -= shelf.replies()
    assert (shelf.replies(), lost) == (whole.replies(), set())
    assert shelf.called() == dict.fromkeys(whole.replies(), 1)
    assert shelf.ask("SELECT count(*) FROM calls WHERE state <> 'done'") == [(0,)]
    assert shelf.feed() == whole.feed()
    assert repeated <= in_flight
    assert books.lost == len(server.made) - len(shelf.replies()) and books.open <= in_flight
    goal(
        "G1 kill anywhere (SQLite)",
        kills=kills,
        turns_lost=len(lost),
        repeated_calls=repeated,
        calls_in_flight_at_a_kill=in_flight,
        settled_calls_equal_the_server=books.spent,
        open_bookings=books.open,
        feeds_byte_identical=1,
    )


def _done(shelf: Shelf, look: Path) -> set[str]:
    """Keys of the answers that are committed."""
    if not (shelf.path / "rebuttal.db").exists():
        return set()
    query = "SELECT key FROM calls WHERE kind = 'ask' AND state = 'done'"
    return {key for (key,) in shelf.ask(query, spare=look)}
