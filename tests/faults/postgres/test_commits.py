"""The connection dies within a commit, over a wire that is cut: each write is there once."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from phases.core.budget import Booking, Budget
from phases.core.errors import StoreError
from phases.core.journal import Journal, question
from phases.core.provider import Reply, Request
from phases.core.runs import Runs
from phases.core.store import calls, spend
from schemas.events import Usage
from tests.conftest import DAY
from tests.faults.postgres.stores import RATES, bodies, check_one_turn, note, opened, rows, turn
from tests.phases.core.scripted import RUN, Scripted, spoken
from tests.postgres import Cut, Server, Wire, wire_to

COMMIT = b"Q\0\0\0\x0bCOMMIT\0"


def _unsent(words: bytes) -> bytes | None:
    return b"" if COMMIT in words else None


def _sent(words: bytes) -> bytes | None:
    return words if COMMIT in words else None


@pytest.fixture(name="wired", params=[_sent, _unsent], ids=["it was committed", "it was not"])
def _wired(request: pytest.FixtureRequest, database: str, postgres: Server, tmp_path: Path) -> Iterator[Any]:
    """A store behind a wire, and what cuts it once: when the next commit is sent."""
    with wire_to(postgres) as wire:
        address = database.replace(f":{postgres.port}/", f":{wire.port}/")
        with opened(address, tmp_path / "out") as store:
            yield store, lambda: setattr(wire, "cut", once(wire, request.param))
            assert wire.cuts == 1


def once(wire: Wire, cut: Cut) -> Cut:
    def judge(words: bytes) -> bytes | None:
        return cut(words) if not wire.cuts else None

    return judge


def test_F101_a_reply_whose_commit_is_in_doubt_is_stored_once(wired: Any) -> None:
    store, cut = wired

    def replies(_: Request) -> Reply:
        cut()
        return spoken("up")

    provider = Scripted(replies)
    assert turn(store, provider).record is not None
    check_one_turn(store, provider)


def test_F101_a_claim_whose_commit_is_in_doubt_is_held_once(wired: Any) -> None:
    store, cut = wired
    cut()
    wanted = question("ask", {"word": "a"}, ticker="AAPL", name="debater", seat="bull", request="{}")
    assert Journal(store, RUN, 60).take([wanted]) == {}
    assert [row.state for row in rows(store, calls)] == ["claimed"]


def test_F101_a_booking_whose_commit_is_in_doubt_counts_once(wired: Any) -> None:
    store, cut = wired
    about = {"phase": "p", "ticker": "T", "skill": "s", "seat": "", "round_number": 1}
    cut()
    Budget(store, RUN, DAY, 1, 100, 100).book([Booking("k", "m", Usage(output_tokens=60), RATES, about)])
    assert [row.micros for row in rows(store, spend)] == [60]


def test_F101_a_start_whose_commit_is_in_doubt_is_counted_once(wired: Any) -> None:
    store, cut = wired
    cut()
    assert Runs(store).start(RUN, DAY, "engine", "{}") == 1
    assert Runs(store).start(RUN, DAY, "engine", "{}") == 2


@pytest.mark.parametrize("cut", [_sent, _unsent], ids=["it was committed", "it was not"])
def test_F101_a_server_that_comes_back_too_late_finds_no_write_in_doubt_repeated(
    database: str, postgres: Server, tmp_path: Path, cut: Cut
) -> None:
    """Two writes of one commit are in doubt, and the server does not come back in time."""
    with wire_to(postgres) as wire:
        address = database.replace(f":{postgres.port}/", f":{wire.port}/")
        with opened(address, tmp_path / "out", 1) as store:
            hold, entered = threading.Event(), threading.Event()

            def first(connection: Connection) -> None:
                entered.set()
                assert hold.wait(10)

            with ThreadPoolExecutor(3) as pool:
                before = pool.submit(store.write, first)
                assert entered.wait(10)
                both = [pool.submit(store.write, note(word)) for word in "ab"]
                while len(store._queue) < 2:
                    time.sleep(0.001)
                wire.cut = _silent(store, cut)
                hold.set()
                assert isinstance(before.exception(20), StoreError | None)
                assert all(isinstance(one.exception(20), StoreError) for one in both)
    with opened(database, tmp_path / "out") as store:
        assert sorted(bodies(store)) == (["a", "b"] if cut is _sent else [])


def _silent(store: Any, cut: Cut) -> Cut:
    """Lets the first commit pass, cuts the wire at the second, and lets nobody through until the store gives up."""
    seen: list[int] = []

    def judge(words: bytes) -> bytes | None:
        if len(seen) < 2 and COMMIT in words:
            seen.append(1)
            return cut(words) if len(seen) == 2 else None
        return b"" if len(seen) == 2 and not store._given_up else None

    return judge
