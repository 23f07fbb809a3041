"""Leases: a slow call keeps its question, a process that stood still loses it, and what it paid for is not lost."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table, select, text

from phases.core.ask import Answer
from phases.core.errors import StoreError
from phases.core.fetch import Fetch
from phases.core.journal import Journal, Question, question
from phases.core.provider import Reply, Request
from phases.core.recorder import Recorder
from phases.core.runner import heartbeat
from phases.core.store import Store, calls, configured_store, events, late
from phases.core.text import digest
from schemas.base import Model
from schemas.debate import DebateRoundContribution
from tests.phases.core.conftest import KINDS, Start
from tests.phases.core.scripted import RUN, Scripted, asked, door, spoken


@pytest.fixture(name="kind", params=KINDS)
def _kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def about(word: str) -> Question:
    return question("ask", {"word": word}, ticker="AAPL", name="debater", seat="bull", request="{}")


def rows(store: Store, table: Table) -> list[Any]:
    with store.read() as connection:
        return list(connection.execute(select(table)))


def told(store: Store) -> list[str]:
    return [json.loads(row.body)["kind"] for row in rows(store, events)]


def turn(store: Store, provider: Scripted, journal: Journal) -> Answer[DebateRoundContribution]:
    ask = door(store, provider, journal=journal)
    return ask("debater", asked(), returns=DebateRoundContribution, seat="bull")


def in_thread(work: Callable[..., Any], *given: Any) -> Any:
    """What another thread gets: to the journal it is someone else."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(work(*given)))
    thread.start()
    thread.join(60)
    return found[0]


# Renewed


def test_a_renewed_claim_has_a_whole_lease_again(store: Store) -> None:
    journal = Journal(store, RUN, 60)
    journal.take([about("a")])
    before = rows(store, calls)[0].lease_until
    time.sleep(0.02)
    journal.renew()
    assert rows(store, calls)[0].lease_until > before


@pytest.mark.parametrize("end", ["kept", "released", "taken over"])
def test_what_is_no_longer_asked_is_not_renewed(store: Store, end: str) -> None:
    journal = Journal(store, RUN, 1)
    journal.take([about("a"), about("b")])
    if end == "kept":
        journal.keep({about("a").key: "A"}, Recorder(store, RUN, 1), ())
    elif end == "released":
        journal.release([about("a")])
    else:
        time.sleep(1.1)
        assert in_thread(Journal(store, RUN, 60).take, [about("a")]) == {}
    before = {row.key: row.lease_until for row in rows(store, calls)}
    time.sleep(0.02)
    journal.renew()
    after = {row.key: row.lease_until for row in rows(store, calls)}
    assert after.get(about("a").key) == before.get(about("a").key)
    assert after[about("b").key] > before[about("b").key]


def test_the_heartbeat_ends_with_the_run(store: Store) -> None:
    with heartbeat(Journal(store, RUN, 60)):
        assert "heartbeat" in {thread.name for thread in threading.enumerate()}
    assert "heartbeat" not in {thread.name for thread in threading.enumerate()}


def test_a_beat_that_fails_is_told_and_the_next_one_comes(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    journal = Journal(store, RUN, 1)
    journal.beat_seconds = 0.05
    journal.take([about("a")])
    before = rows(store, calls)[0].lease_until

    def rename(old: str, new: str) -> None:
        store.write(lambda connection: connection.execute(text(f"ALTER TABLE {old} RENAME TO {new}")))

    with heartbeat(journal):
        rename("calls", "gone")
        _await(lambda: "claims were not renewed" in caplog.text)
        rename("gone", "calls")
        _await(lambda: rows(store, calls)[0].lease_until > before)


def _await(seen: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not seen():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.01)


def test_a_slow_call_is_paid_once_by_two_processes(process: Start, store: Store, out: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    children = [process("turn", out, log, word, 4, 3) for word in ("up", "intact")]
    said = [child.communicate(timeout=60)[0] for child in children]
    assert len(log.read_text().splitlines()) == 1
    assert said[0] == said[1] and f"is {log.read_text().strip()}." in said[0]
    assert told(store) == ["called"]
    assert rows(store, late) == []


# Late


def _stop(child: subprocess.Popen[Any], out: Path) -> None:
    """Stop a process at a moment when it does not hold the store."""
    for _ in range(20):
        child.send_signal(signal.SIGSTOP)
        try:
            store = configured_store(out, lock_seconds=1)
            store.write(lambda connection: None)
            store.close()
            return
        except StoreError:
            child.send_signal(signal.SIGCONT)
            time.sleep(0.05)
    raise AssertionError("the store was never free")


def test_a_process_that_stood_still_uses_the_answer_of_who_took_over(
    process: Start, store: Store, out: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    child = process("turn", out, log, "late", 3, 1)
    while not log.exists():
        time.sleep(0.01)
    _stop(child, out)
    answer = turn(store, Scripted(spoken("early")), Journal(store, RUN, 60))
    assert answer.record is not None and "is early." in answer.record.argument
    child.send_signal(signal.SIGCONT)
    said, _ = child.communicate(timeout=60)
    assert said.strip() == answer.record.argument
    (kept,) = rows(store, late)
    (row,) = rows(store, calls)
    assert (kept.key, kept.run_id) == (row.key, RUN)
    assert "is late." in kept.reply and digest(kept.reply) == kept.checksum
    assert "is early." in row.reply
    assert kept.owner.startswith(f"{child.pid}:") and kept.owner != row.owner
    assert told(store) == ["taken_over", "called", "late"]
    assert json.loads(rows(store, events)[2].body)["usage"] is not None


def _outlived(store: Store, then: Callable[[Journal], object], taker: Journal) -> Callable[[Request], Reply]:
    """A call that outlives its lease: someone else takes its question over, and then does something."""

    def answer(_: Request) -> Reply:
        time.sleep(1.1)
        (row,) = rows(store, calls)
        wanted = Question(row.key, row.kind, row.ticker, row.name, row.seat, row.request)

        def other() -> None:
            assert taker.take([wanted]) == {}
            then(taker)

        in_thread(other)
        return spoken("late")

    return answer


def test_an_answer_whose_question_is_free_again_is_used_however_late(store: Store) -> None:
    def give_up(taker: Journal) -> None:
        taker.release([Question(row.key, row.kind, "", "", "", "") for row in rows(store, calls)])

    provider = Scripted(_outlived(store, give_up, Journal(store, RUN, 60)))
    answer = turn(store, provider, Journal(store, RUN, 1))
    assert answer.record is not None and "is late." in answer.record.argument
    assert rows(store, late) == []
    assert [(row.state, row.ticker, row.seat) for row in rows(store, calls)] == [("done", "AAPL", "bull")]


def test_a_question_that_nobody_answered_after_all_is_asked_again(store: Store) -> None:
    """Who took over stands still, too: its short lease runs out while the late one waits for it."""
    provider = Scripted(_outlived(store, lambda taker: None, Journal(store, RUN, 1)), spoken("again"))
    answer = turn(store, provider, Journal(store, RUN, 1))
    assert answer.record is not None and "is again." in answer.record.argument
    assert len(provider.requests) == 2
    assert [("is late." in row.reply) for row in rows(store, late)] == [True]
    assert told(store) == ["late", "taken_over", "called"]


class Price(Model):
    close: float


class SlowMarket:
    """A source that answers after its question went to someone else, who has answered already."""

    name, vintage = "example", "v1"

    def __init__(self, store: Store) -> None:
        self.store = store

    def fetch(self, dataset: str, params: Any) -> Any:
        """One close, late."""
        time.sleep(1.1)
        (row,) = rows(self.store, calls)
        wanted = Question(row.key, row.kind, row.ticker, row.name, row.seat, row.request)
        taker = Journal(self.store, RUN, 60)

        def other() -> None:
            taker.take([wanted])
            taker.keep({row.key: '{"data":{"close":1.0}}'}, Recorder(self.store, RUN, 1), ())

        in_thread(other)
        return {"close": 2.0}


def test_late_data_gives_way_and_is_kept(store: Store) -> None:
    fetch = Fetch("example", "v1", SlowMarket(store), Journal(store, RUN, 1), Recorder(store, RUN, 1), "AAPL")
    assert fetch("bars", Price, symbol="AAPL") == Price(close=1.0)
    assert [row.reply for row in rows(store, late)] == ['{"data":{"close":2.0}}']
    assert told(store) == ["late"]
