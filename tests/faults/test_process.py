"""The catalogue's faults of processes: killed, terminated, interrupted, resumed, and stores of another age."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, select

import phases.core.recorder as clock
from phases.core import store as stores
from phases.core.ask import Answer
from phases.core.errors import StoreError
from phases.core.runs import Runs
from phases.core.store import FILE, HEAD, Store, calls, events, open_store
from phases.night import Finished, hold_night
from phases.outputs.tables import write_whole
from phases.plan import Words, resume_plan
from schemas.debate import DebateRoundContribution
from tests.conftest import DAY, ROOT, Cli, Night, Shelf
from tests.goals.start import Started, StillDesk, start
from tests.phases.core.conftest import Start, _process  # noqa: F401  the fixture `process`
from tests.phases.core.scripted import RUN, Scripted, asked, door, spoken


@pytest.fixture(name="out")
def _out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture(name="store")
def _store(out: Path) -> Iterator[Store]:
    store = open_store(out, lock_seconds=5)
    yield store
    store.close()


def turn(store: Store, provider: Scripted) -> Answer[DebateRoundContribution]:
    return door(store, provider)("debater", asked(), returns=DebateRoundContribution, seat="bull")


def told(store: Store) -> list[str]:
    with store.read() as connection:
        return [json.loads(body)["kind"] for (body,) in connection.execute(select(events.c.body))]


def states(store: Store) -> list[str]:
    with store.read() as connection:
        return [state for (state,) in connection.execute(select(calls.c.state))]


# Killed around one call


def test_F074_killed_after_the_claim_the_question_is_asked_once(process: Start, store: Store, out: Path) -> None:
    log = out / "log"
    child = process("turn", out, log, "never", 60, 300)
    while not log.exists():
        time.sleep(0.01)
    child.kill()
    child.wait()
    assert states(store) == ["claimed"]
    provider = Scripted(spoken("up"))
    assert turn(store, provider).record is not None
    assert len(provider.requests) == 1
    assert told(store) == ["taken_over", "called"]


def test_F075_killed_between_reply_and_commit_only_that_call_is_repeated(
    process: Start, store: Store, out: Path
) -> None:
    child = process("turn", out, out / "log", "lost", 0, 300, "kept")
    assert child.wait(20) == -signal.SIGKILL
    provider = Scripted(spoken("up"))
    answer = turn(store, provider)
    assert answer.record is not None and "is up." in answer.record.argument
    assert len(provider.requests) == 1
    assert told(store) == ["taken_over", "called"], "one call that may have been paid for is marked"


def test_F076_killed_between_commit_and_reading_nothing_is_asked(process: Start, store: Store, out: Path) -> None:
    child = process("turn", out, out / "log", "stored", 0, 300, "read")
    assert child.wait(20) == -signal.SIGKILL
    answer = turn(store, Scripted())
    assert answer.record is not None and "is stored." in answer.record.argument
    assert told(store) == ["called"]


# Files


def _letters(file: Path) -> set[str]:
    text = file.read_text()
    assert len(text) == 2_000_000
    return set(text)


def test_F077_killed_while_a_file_is_written_it_is_the_old_or_the_new_one(process: Start, tmp_path: Path) -> None:
    feed = tmp_path / "feed.csv"
    for wait in (0.0, 0.003, 0.007):
        child = process("write", feed)
        assert child.stdout is not None and child.stdout.readline()
        time.sleep(wait)
        child.kill()
        child.wait()
        assert len(_letters(feed)) == 1
    write_whole(feed, "new\n")
    assert feed.read_text() == "new\n"
    assert list(tmp_path.iterdir()) == [feed]


def test_F112_a_reader_sees_the_old_or_the_new_file_whole(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    write_whole(report, "z" * 2_000_000)
    over = threading.Event()

    def write() -> None:
        for letter in "abcdefghij":
            write_whole(report, letter * 2_000_000)
        over.set()

    writer = threading.Thread(target=write)
    writer.start()
    looks = 0
    while not over.is_set() or not looks:
        assert len(_letters(report)) == 1
        looks += 1
    writer.join()


# Terminated and interrupted

UNDER_WAY = 5
"""Prompts at the desk: that of the whole run, and the two that each ticker's axes are asked together."""

WORDS = ("run", "IBM", "MSFT", "--as-of", DAY, "--debate", "none")


def _asked(tmp_path: Path) -> int:
    log = tmp_path / "log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def _under_way(tmp_path: Path, patience: float) -> Started:
    """A run with a call of each ticker under way that does not end, which an interrupt waits for so many seconds."""
    desk = StillDesk(tmp_path / "log", patience)
    started, until = start([*WORDS, "--out", tmp_path / "out"], tmp_path / "said", desk.set), time.monotonic() + 60
    while _asked(tmp_path) < UNDER_WAY:
        assert started.process.is_alive() and time.monotonic() < until
        time.sleep(0.01)
    return started


def _check_left(started: Started, begun: float, patience: float) -> None:
    assert started.end(60) == 130
    assert patience <= time.monotonic() - begun < patience + 30
    complaint = started.words.read_text()
    assert "Traceback" not in complaint
    assert complaint.splitlines()[-1].startswith("interrupted; go on with `run --resume last --out ")


def test_F079_a_terminated_run_gives_up_calls_under_way_in_time(tmp_path: Path) -> None:
    started = _under_way(tmp_path, 0.7)
    begun = time.monotonic()
    os.kill(started.pid, signal.SIGTERM)
    _check_left(started, begun, 0.7)
    assert _asked(tmp_path) == UNDER_WAY, "nothing was asked after the signal"
    assert Shelf(tmp_path / "out").ask("SELECT state FROM runs") == [("stopped",)]


def test_F079_the_time_for_calls_under_way_is_ten_seconds() -> None:
    from phases.core.runner import GIVE_UP_SECONDS

    assert GIVE_UP_SECONDS == 10


def test_F080_ctrl_c_twice_stops_at_once_and_can_be_resumed(tmp_path: Path) -> None:
    started = _under_way(tmp_path, 50)
    begun = time.monotonic()
    os.kill(started.pid, signal.SIGINT)
    time.sleep(0.3)
    assert started.process.is_alive()
    os.kill(started.pid, signal.SIGINT)
    _check_left(started, begun, 0)
    again = start(["run", "--resume", "last", "--out", tmp_path / "out", "--json"], tmp_path / "again")
    assert again.end() == 0, again.words.read_text()
    assert json.loads(again.words.read_text().splitlines()[-1])["calls"]["replayed"] == 1
    assert Shelf(tmp_path / "out").ask("SELECT count(*) FROM calls WHERE state <> 'done'") == [(0,)]


# Resumed


def _again(shelf: Shelf) -> Finished:
    store = open_store(shelf.path)
    try:
        return hold_night(resume_plan(Words(), Runs(store), "last"), store, shelf.path, lambda ticker, reason: None)
    finally:
        store.close()


def test_F084_a_finished_run_that_is_resumed_asks_nothing(three: Night, tmp_path: Path) -> None:
    shelf = three.copy(tmp_path / "out")
    record = _again(shelf).record
    assert (record.exit, record.calls.made, record.calls.replayed) == (0, 0, len(three.replies()))
    assert shelf.feed() == three.feed()


def test_F085_a_clock_set_back_changes_neither_order_nor_date(
    three: Night, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf, now = three.copy(tmp_path / "out"), clock.utc_now
    monkeypatch.setattr(clock, "utc_now", lambda: now() - timedelta(hours=1))
    finished = _again(shelf)
    assert finished.feed.as_of.isoformat() == finished.record.as_of.isoformat() == DAY
    assert (finished.record.calls.made, shelf.feed()) == (0, three.feed())
    happened = [json.loads(body) for (body,) in shelf.ask("SELECT body FROM events ORDER BY position")]
    attempts = [one["attempt"] for one in happened]
    assert attempts == sorted(attempts) and attempts[-1] == 2
    assert happened[-1]["at"] < happened[0]["at"]
    assert [one["kind"] for one in happened if one["attempt"] == 2] == ["started", "ended"]


def test_F087_a_run_that_nobody_reads_goes_on(three: Night, cli: Cli, tmp_path: Path) -> None:
    shelf = three.copy(tmp_path / "out")
    with cli.start("run", "--resume", "last", "--out", shelf.path) as process:
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None
            pipe.close()
    assert process.returncode == 0
    assert shelf.ask("SELECT state, attempts FROM runs") == [("finished", 2)]


# A store of an older program


@pytest.fixture(name="older")
def _older(out: Path) -> Path:
    """A store with the first schema and an answer, an event and a run in it."""
    out.mkdir()
    config = Config()
    config.set_main_option("script_location", str(ROOT / "phases" / "core" / "migrations"))
    engine = create_engine(f"sqlite:///{out / FILE}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
    engine.dispose()
    with closing(sqlite3.connect(out / FILE)) as hand, hand:
        hand.execute("INSERT INTO calls VALUES ('k', 'ask', 'done', 'o', '', ?, 'A', 'n', 's', '{}', 'r', 'c')", [RUN])
        hand.execute("INSERT INTO events (run_id, body) VALUES (?, '{}')", [RUN])
        hand.execute("INSERT INTO runs VALUES (?, 1, ?, 'e', 'finished', 1, '{}', NULL)", [RUN, DAY])
    return out


def _rows(file: Path) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(file)) as hand:
        return {name: hand.execute(f"SELECT * FROM {name}").fetchall() for name in ("calls", "events", "runs", "feed")}


def _version(file: Path) -> str:
    with closing(sqlite3.connect(file)) as hand:
        return str(hand.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def test_F099_an_older_schema_is_migrated_after_a_copy(older: Path) -> None:
    before = _rows(older / FILE)
    open_store(older).close()
    assert _version(older / FILE) == HEAD
    assert _rows(older / FILE) == before
    copy = older / f"{FILE}.0001"
    assert (_version(copy), _rows(copy)) == ("0001", before)


def test_F099_a_migration_that_fails_leaves_the_store_as_it_was(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _rows(older / FILE)

    def broken(config: Config, to: str) -> None:
        real(config, to)
        raise StoreError("the light went out")

    real = command.upgrade
    with monkeypatch.context() as patch:
        patch.setattr(command, "upgrade", broken)
        with pytest.raises(StoreError, match="light"):
            open_store(older)
    assert (_version(older / FILE), _rows(older / FILE)) == ("0001", before)
    open_store(older).close()
    assert _version(older / FILE) == HEAD


def test_F099_without_room_for_a_copy_nothing_is_migrated(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(path: Path, to: Path) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(stores, "_copy", no_room)
        with pytest.raises(StoreError, match="full"):
            open_store(older)
    assert _version(older / FILE) == "0001"
    assert not (older / f"{FILE}.0001").exists()
