"""The store: what a commit promises, what a damaged, locked or foreign file gives, and the migrations."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, create_engine, insert, select, text

from phases.core.errors import StoreError, UsageError
from phases.core.store import FILE, HEAD, Store, configured_store, events, metadata, open_store
from tests.phases.core.conftest import KINDS, Start

PAGE = 4096


@pytest.fixture(name="kind", params=KINDS)
def _kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def note(word: str) -> Callable[[Connection], Any]:
    return lambda connection: connection.execute(insert(events), {"run_id": "run", "body": word})


def notes(out: Path) -> list[str]:
    """What another opening of the store sees."""
    store = configured_store(out, create=False)
    with closing(store), store.read() as other:
        return [body for (body,) in other.execute(text("SELECT body FROM events ORDER BY position"))]


# Commits


def test_a_write_is_committed_when_it_returns(store: Store, out: Path) -> None:
    def write(at: int) -> bool:
        store.write(note(f"n{at}"))
        return f"n{at}" in notes(out)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(write, range(80)))
    assert sorted(notes(out)) == sorted(f"n{at}" for at in range(80))


def test_a_write_gives_the_result_of_its_own_work(store: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda at: store.write(lambda _: at), range(80)))
    assert results == list(range(80))


class Bad(Exception):
    """Raised by a write that fails."""


def fails(word: str) -> Callable[[Connection], Any]:
    def work(connection: Connection) -> None:
        note(word)(connection)
        raise Bad(word)

    return work


def _queued_together(store: Store, works: list[Callable[[Connection], Any]]) -> list[object]:
    """Results or errors of writes that waited for one commit together."""
    hold, entered = threading.Event(), threading.Event()

    def first(_: Connection) -> None:
        entered.set()
        assert hold.wait(10)

    def write(work: Callable[[Connection], Any]) -> object:
        try:
            return store.write(work)
        except (Bad, StoreError) as error:
            return error

    with ThreadPoolExecutor(len(works) + 1) as pool:
        before = pool.submit(store.write, first)
        assert entered.wait(10)
        waiting = [pool.submit(write, work) for work in works]
        time.sleep(0.2)
        assert not any(one.done() for one in waiting)
        hold.set()
        before.result()
        return [one.result() for one in waiting]


def test_a_write_that_fails_fails_alone_and_leaves_nothing(store: Store, out: Path) -> None:
    works = [note("a"), fails("x"), note("b"), fails("y"), note("c")]
    results = _queued_together(store, works)
    assert [str(one) for one in results if isinstance(one, Bad)] == ["x", "y"]
    assert sorted(notes(out)) == ["a", "b", "c"]


def test_a_write_the_database_refuses_fails_alone(store: Store, out: Path, kind: str) -> None:
    results = _queued_together(
        store, [note("a"), lambda connection: connection.exec_driver_sql("INSERT INTO nowhere VALUES (1)"), note("b")]
    )
    assert isinstance(results[1], StoreError)
    assert (str(out / FILE) if kind == "sqlite" else "database postgres") in str(results[1])
    assert sorted(notes(out)) == ["a", "b"]


def test_writes_go_on_after_a_failure(store: Store, out: Path) -> None:
    with pytest.raises(Bad):
        store.write(fails("x"))
    store.write(note("a"))
    assert notes(out) == ["a"]


def test_a_reader_sees_only_what_is_committed(store: Store) -> None:
    def work(connection: Connection) -> int:
        note("half")(connection)
        with store.read() as other:
            return len(other.execute(select(events)).all())

    assert store.write(work) == 0
    with store.read() as connection:
        assert len(connection.execute(select(events)).all()) == 1


def test_F113_a_write_that_reads_first_meets_no_snapshot_conflict(store: Store, out: Path) -> None:
    """Two openings of one store, as two processes have them; each write reads, then writes."""
    second = configured_store(out, lock_seconds=10)

    def work(connection: Connection) -> None:
        known = len(connection.execute(select(events)).all())
        time.sleep(0.001)
        note(str(known))(connection)

    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda at: (store, second)[at % 2].write(work), range(40)))
    finally:
        second.close()
    assert [int(word) for word in notes(out)] == list(range(40))


# Files


@pytest.fixture(name="full")
def _full(out: Path) -> Iterator[Path]:
    """The file of a closed store with some hundred kilobytes in it."""
    store = open_store(out)
    store.write(lambda connection: connection.execute(insert(events), [{"run_id": "r", "body": "x" * 900}] * 300))
    store.close()
    yield out / FILE


def test_a_new_folder_is_private_and_deep(tmp_path: Path) -> None:
    out = tmp_path / "a" / "b"
    open_store(out).close()
    assert out.stat().st_mode & 0o777 == 0o700
    assert (out / FILE).is_file()


def test_what_was_written_is_there_after_closing(full: Path) -> None:
    store = open_store(full.parent)
    with store.read() as connection:
        assert len(connection.execute(select(events)).all()) == 300
    store.close()


def _zeroed(page: int) -> Callable[[bytes], bytes]:
    return lambda whole: whole[: PAGE * page] + bytes(PAGE) + whole[PAGE * (page + 1) :]


@pytest.mark.parametrize(
    "harm",
    [
        pytest.param(lambda whole: b"\x8f" * 16 + whole[16:], id="F094 first 16 bytes overwritten"),
        pytest.param(_zeroed(2), id="F095 page near the start zeroed"),
        pytest.param(lambda whole: _zeroed(len(whole) // PAGE // 2)(whole), id="F095 page in the middle zeroed"),
        pytest.param(lambda whole: _zeroed(len(whole) // PAGE - 1)(whole), id="F095 last page zeroed"),
        pytest.param(lambda whole: whole[: len(whole) // 2], id="cut in half"),
        pytest.param(lambda whole: whole[:100], id="header alone"),
        pytest.param(lambda whole: b"no database at all, but text\n" * 99, id="text"),
    ],
)
@pytest.mark.parametrize("create", [True, False], ids=["to write", "to read"])
def test_a_damaged_file_is_named_and_left_as_it_is(full: Path, harm: Callable[[bytes], bytes], create: bool) -> None:
    full.write_bytes(harmed := harm(full.read_bytes()))
    with pytest.raises(StoreError, match="damaged") as caught:
        open_store(full.parent, create=create)
    assert str(full) in str(caught.value)
    assert full.read_bytes() == harmed


@pytest.mark.parametrize("create", [True, False], ids=["to write", "to read"])
def test_F093_an_empty_file_beside_runs_is_no_new_store(full: Path, create: bool) -> None:
    full.write_bytes(b"")
    (full.parent / "2001-02-03-00000000").mkdir()
    (full.parent / "2001-02-03-00000000" / "run.json").write_text("{}")
    with pytest.raises(StoreError, match="empty") as caught:
        open_store(full.parent, create=create)
    assert str(full) in str(caught.value)
    assert full.read_bytes() == b""


def test_an_empty_file_alone_becomes_a_store(out: Path) -> None:
    out.mkdir()
    (out / FILE).touch()
    open_store(out).close()
    assert notes(out) == []


@pytest.mark.parametrize("version", ["0006", "9999"])
def test_F098_a_newer_schema_names_both_versions(full: Path, version: str) -> None:
    connection = sqlite3.connect(full)
    connection.execute("UPDATE alembic_version SET version_num = ?", [version])
    connection.commit()
    connection.close()
    before = full.read_bytes()
    with pytest.raises(StoreError) as caught:
        open_store(full.parent)
    assert all(word in str(caught.value) for word in (str(full), version, HEAD))
    assert full.read_bytes() == before


def test_a_store_that_is_not_there_is_not_made_for_a_reader(tmp_path: Path) -> None:
    for out in (tmp_path, tmp_path / "none"):
        with pytest.raises(UsageError, match=f"--out {out}: no runs here"):
            open_store(out, create=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("inside", [False, True], ids=["a file", "below a file"])
def test_an_output_folder_that_is_a_file_is_named_and_kept(tmp_path: Path, inside: bool) -> None:
    file = tmp_path / "out"
    file.write_text("mine")
    out = file / "deep" if inside else file
    with pytest.raises(UsageError, match=f"--out {out}: cannot be written"):
        open_store(out)
    assert file.read_text() == "mine"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_a_folder_nobody_can_make_is_named() -> None:
    with pytest.raises(UsageError, match="--out /proc/rebuttal: cannot be written"):
        open_store(Path("/proc/rebuttal"))
    assert not Path("/proc/rebuttal").exists()


# Locks


def _locked(process: Start, out: Path, seconds: float, how: str) -> None:
    child = process("lock", out / FILE, seconds, how)
    assert child.stdout is not None
    assert child.stdout.readline() == "locked\n"


def test_F096_a_short_lock_is_waited_for(process: Start, store: Store, out: Path) -> None:
    _locked(process, out, 1, "write")
    store.write(note("a"))
    assert notes(out) == ["a"]


def test_F097_a_long_lock_stops_a_write_and_names_file_and_remedy(process: Start, full: Path) -> None:
    _locked(process, full.parent, 30, "write")
    store = open_store(full.parent, lock_seconds=1)
    try:
        with pytest.raises(StoreError, match="another process holds the store locked") as caught:
            store.write(note("a"))
    finally:
        store.close()
    assert str(full) in str(caught.value)
    assert len(notes(full.parent)) == 300


def test_F097_a_store_nobody_else_may_open_is_named(process: Start, full: Path) -> None:
    _locked(process, full.parent, 30, "all")
    start = time.monotonic()
    with pytest.raises(StoreError, match="another process holds the store locked") as caught:
        open_store(full.parent, lock_seconds=1)
    assert time.monotonic() - start < 10
    assert str(full) in str(caught.value)


def test_processes_that_make_a_store_at_once_make_one(process: Start, out: Path) -> None:
    children = [process("start", out) for _ in range(2)]
    pipes = [(child.stdin, child.stdout) for child in children if child.stdin and child.stdout]
    assert [told.readline() for _, told in pipes] == ["ready\n"] * 2
    for words, _ in pipes:
        words.write("go\n")
        words.flush()
    assert [told.readline() for _, told in pipes] == ["opened\n"] * 2
    assert notes(out) == []


# Schema


def _columns(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    connection = sqlite3.connect(path)
    try:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        kept = sorted(name for name in names if name not in ("alembic_version", "sqlite_sequence"))
        return {name: list(connection.execute(f"PRAGMA table_info({name})")) for name in kept}
    finally:
        connection.close()


def test_migrations_give_the_tables_of_the_program(full: Path, tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{full}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == HEAD
    engine.dispose()
    straight = create_engine(f"sqlite:///{tmp_path / 'straight.db'}")
    metadata.create_all(straight)
    straight.dispose()
    assert _columns(full) == _columns(tmp_path / "straight.db")


@pytest.mark.parametrize(("version", "mode"), [((3, 40, 1), "delete"), ((3, 50, 7), "wal"), ((3, 52, 0), "wal")])
def test_F107_commits_are_safe_against_a_crash_and_a_faulty_log_is_not_used(
    full: Path, monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...], mode: str
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    store = open_store(full.parent)
    with closing(store), store.read() as connection:
        modes = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")]
    assert modes == [mode, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX permissions")
def test_the_database_is_not_readable_for_others(full: Path) -> None:
    assert full.parent.stat().st_mode & 0o077 == 0
