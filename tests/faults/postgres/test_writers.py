"""One writer at a time, whatever the server says, and workers that died with their lease."""

from __future__ import annotations

import signal
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, insert, make_url, select

import phases.core.recorder as clock
from phases.core import store as stores
from phases.core.budget import Booking, Budget
from phases.core.errors import CeilingReached, StoreError
from phases.core.store import VARIABLE, Store, calls, events, spend
from schemas.events import Usage
from tests.conftest import DAY
from tests.faults.postgres.stores import RATES, bodies, note, opened, rows, told, turn
from tests.phases.core.conftest import Start
from tests.phases.core.scripted import RUN, Scripted, reply, said, spoken
from tests.postgres import Server, query

# One writer at a time


def test_F113_a_write_sees_what_the_one_before_it_committed_whatever_the_server_says(
    postgres: Server, tmp_path: Path
) -> None:
    """Two openings of one database whose transactions would see an old state by default."""
    url = postgres.database()
    name = make_url(url).database
    query(postgres.url(), f"ALTER DATABASE {name} SET default_transaction_isolation = 'repeatable read'")
    with opened(url, tmp_path / "out") as one, opened(url, tmp_path / "out") as other:

        def work(connection: Connection) -> None:
            note(str(len(connection.execute(select(events)).all())))(connection)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda at: (one, other)[at % 2].write(work), range(40)))
        assert [int(body) for body in bodies(one)] == list(range(40))


def test_a_ceiling_is_not_passed_by_processes_that_book_at_once(database: str, tmp_path: Path) -> None:
    about = {"phase": "p", "ticker": "T", "skill": "s", "seat": "", "round_number": 1}
    with (
        opened(database, tmp_path / "out") as one,
        opened(database, tmp_path / "out") as other,
        ThreadPoolExecutor() as pool,
    ):
        mine = Budget(one, RUN, DAY, 1, 100, None)._row(Booking("a", "m", Usage(output_tokens=60), RATES, about))

        def work(connection: Connection) -> Future[None]:
            """Another process begins to book while this booking is not committed."""
            connection.execute(insert(spend), mine)
            booked = pool.submit(
                Budget(other, RUN, DAY, 2, 100, None).book, [Booking("b", "m", Usage(output_tokens=41), RATES, about)]
            )
            assert wait([booked], 0.3).not_done
            return booked

        assert isinstance(one.write(work).exception(10), CeilingReached)
        assert [row.micros for row in rows(one, spend)] == [60]


def test_F026_a_reply_with_u0000_meets_the_same_decision_on_both(store: Store, tmp_path: Path) -> None:
    hostile = said(argument="Returns lead the index.\0 I stay bullish on AAPL.")
    with closing(stores.open_store(tmp_path / "file")) as file:
        found = [turn(one, Scripted(reply(hostile), reply(hostile))) for one in (store, file)]
    assert found[0] == found[1]
    assert found[0].record is None or "\0" not in found[0].record.argument


def test_commits_wait_for_the_disk_whatever_the_server_says(postgres: Server, tmp_path: Path) -> None:
    url = postgres.database()
    query(postgres.url(), f"ALTER DATABASE {make_url(url).database} SET synchronous_commit = 'off'")
    with opened(url, tmp_path / "out") as store:
        assert store.write(lambda one: one.exec_driver_sql("SHOW synchronous_commit").scalar()) == "on"


def test_F097_a_store_held_for_long_stops_a_write(database: str, tmp_path: Path) -> None:
    with opened(database, tmp_path / "out", 60) as holder, opened(database, tmp_path / "out", 1) as store:
        hold, entered = threading.Event(), threading.Event()

        def work(_: Connection) -> None:
            entered.set()
            assert hold.wait(30)

        with ThreadPoolExecutor(1) as pool:
            held = pool.submit(holder.write, work)
            assert entered.wait(10)
            with pytest.raises(StoreError, match="another process holds the store locked"):
                store.write(note("a"))
            hold.set()
            held.result(10)
        store.write(note("b"))
        assert bodies(store) == ["b"]


def test_a_writer_that_stands_still_loses_its_turn_and_writes_once(database: str, tmp_path: Path) -> None:
    with opened(database, tmp_path / "out", 1) as slow, opened(database, tmp_path / "out", 30) as other:
        entered, tries = threading.Event(), []

        def work(connection: Connection) -> None:
            tries.append(1)
            note("slow")(connection)
            if len(tries) == 1:
                entered.set()
                other.write(note("other"))

        slow.write(work)
        assert entered.is_set() and len(tries) == 2
        assert bodies(other) == ["other", "slow"]


# Leases


def test_F110_a_worker_of_another_host_that_died_is_taken_over_when_its_lease_ran_out(
    process: Start, store: Store, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, database)
    log = tmp_path / "log"
    child = process("turn", tmp_path / "out", log, "never", 60, 3)
    while not log.exists():
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()
    (claim,) = rows(store, calls)
    monkeypatch.setattr(clock, "_host", lambda: "elsewhere_00000000")
    provider = Scripted(lambda _: spoken("up" if clock.later(0) > claim.lease_until else "early"))
    assert turn(store, provider).record is not None
    assert len(provider.requests) == 1
    assert told(store) == ["taken_over", "called"], "the call that may have been paid for is marked"
    assert "is up." in rows(store, calls)[0].reply


def test_F110_a_worker_of_this_host_that_died_is_taken_over_at_once(
    process: Start, store: Store, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, database)
    log = tmp_path / "log"
    child = process("turn", tmp_path / "out", log, "never", 60, 3600)
    while not log.exists():
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()
    provider = Scripted(spoken("up"))
    assert turn(store, provider).record is not None
    assert told(store) == ["taken_over", "called"]
