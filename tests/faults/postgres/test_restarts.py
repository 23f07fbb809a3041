"""The server is restarted: nothing acknowledged is lost and nothing doubled."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from phases.core.provider import Reply, Request
from phases.core.store import Store
from tests.faults.postgres.stores import bodies, check_one_turn, note, turn
from tests.phases.core.scripted import NIGHTLY, Scripted, spoken
from tests.postgres import Server

RESTARTS = 50 if NIGHTLY else 3


def test_F100_restarted_between_reply_and_commit(store: Store, postgres: Server) -> None:
    def replies(_: Request) -> Reply:
        postgres.restart()
        return spoken("up")

    provider = Scripted(replies)
    assert turn(store, provider).record is not None
    assert turn(store, provider).record is not None
    check_one_turn(store, provider)


def test_F100_nothing_acknowledged_is_lost_and_nothing_doubled(store: Store, postgres: Server) -> None:
    """Threads write all the time; what a write has returned for is there exactly once at the end."""
    over, acknowledged = threading.Event(), [0] * 4
    beats = [threading.Semaphore(0) for _ in acknowledged]

    def write(writer: int) -> None:
        while not over.is_set():
            store.write(note(f"{writer} {acknowledged[writer]}"))
            acknowledged[writer] += 1
            beats[writer].release()

    with ThreadPoolExecutor(len(beats)) as pool:
        writers = [pool.submit(write, writer) for writer in range(len(beats))]
        try:
            for _ in range(RESTARTS):
                assert all(beat.acquire(timeout=60) for beat in beats)
                postgres.restart()
        finally:
            over.set()
        for one in writers:
            one.result(60)
    assert min(acknowledged) >= RESTARTS
    found = sorted(bodies(store))
    assert found == sorted(f"{writer} {at}" for writer, number in enumerate(acknowledged) for at in range(number))
