"""The catalogue's faults of the SQLite store, met through the doors that a run uses."""

from __future__ import annotations

import base64
import errno
import os
import pickle
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert

from phases.core.ask import Answer
from phases.core.errors import NotJournaled, RebuttalError, StoreError, UsageError
from phases.core.fetch import Fetch
from phases.core.journal import Journal
from phases.core.recorder import Recorder
from phases.core.runs import Runs
from phases.core.store import FILE, HEAD, Store, events, open_store
from phases.outputs.tables import write_whole
from schemas.base import Model
from schemas.debate import DebateRoundContribution
from tests.phases.core.scripted import RUN, Scripted, asked, door, reply, said

PAGE = 4096


@pytest.fixture(name="out")
def _out(tmp_path: Path) -> Path:
    """Folder of a store with one turn and some hundred kilobytes in it."""
    out = tmp_path / "out"
    store = open_store(out)
    turn(store, Scripted(reply()))
    store.write(lambda connection: connection.execute(insert(events), [{"run_id": "r", "body": "x" * 900}] * 300))
    store.close()
    return out


def turn(store: Store, provider: Scripted | None, round_number: int = 1) -> Answer[DebateRoundContribution]:
    ask = door(store, provider)
    return ask("debater", asked(round_number=round_number), returns=DebateRoundContribution, seat="bull")


@contextmanager
def opened(out: Path, lock_seconds: int = 5) -> Iterator[Store]:
    store = open_store(out, lock_seconds=lock_seconds)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def hand(out: Path) -> Iterator[sqlite3.Connection]:
    """A hand in the file."""
    connection = sqlite3.connect(out / FILE, isolation_level=None, check_same_thread=False)
    try:
        yield connection
    finally:
        connection.close()


def refused(out: Path, provider: Scripted) -> str:
    """What a run is told that cannot have its store; it never comes to a call."""
    before = (out / FILE).read_bytes()
    with pytest.raises((StoreError, UsageError)) as caught, opened(out, 1) as store:
        turn(store, provider, 2)
    assert (out / FILE).read_bytes() == before
    assert provider.requests == []
    return str(caught.value)


# Full


@contextmanager
def full(store: Store) -> Iterator[None]:
    """No room for another page."""

    def limit(pages: int) -> None:
        store.write(lambda connection: connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}"))

    limit(1)  # SQLite makes that the present size
    yield
    limit(1_000_000)


LONG = reply('{"pad": "' + "x" * 200_000 + '"}')


def test_F089_a_full_disk_stops_the_run_names_the_file_and_can_be_resumed(out: Path) -> None:
    provider = Scripted(LONG, reply(said(round_number=2)))
    with opened(out) as store:
        with full(store):
            with pytest.raises(StoreError, match="full") as caught:
                turn(store, provider, 2)
            assert str(out / FILE) in str(caught.value)
            assert len(provider.requests) == 1
            assert turn(store, None).record is not None
        with hand(out) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        answer = turn(store, provider, 2)
    assert answer.record is not None
    assert len(provider.requests) == 2


def test_F089_the_lost_reply_is_reported_with_its_request_id(out: Path) -> None:
    with opened(out) as store, full(store), pytest.raises(StoreError, match="req_1"):
        turn(store, Scripted(LONG), 2)


def test_F090_a_full_disk_leaves_the_previous_feed_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    feed = tmp_path / "feed.csv"
    write_whole(feed, "old\n")

    def no_room(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", no_room)
        with pytest.raises(OSError, match="No space left"):
            write_whole(feed, "new\n" * 1000)
    assert [one.name for one in tmp_path.iterdir()] == ["feed.csv"]  # the draft does not keep the disk full
    assert feed.read_text() == "old\n"
    write_whole(feed, "new\n")
    assert feed.read_text() == "new\n"
    assert list(tmp_path.iterdir()) == [feed]


# Not writable


@pytest.fixture(name="nobody")
def _nobody() -> Iterator[Path]:
    """A folder that a user without rights can reach; root becomes that user."""
    base = Path(tempfile.mkdtemp(prefix="rebuttal-"))
    base.chmod(0o755)
    root = os.geteuid() == 0
    yield base
    if root:
        os.setresuid(0, 0, 0)
    for path in (base, *base.rglob("*")):
        path.chmod(0o755)
    shutil.rmtree(base)


READ_ONLY = [
    pytest.param({"": 0o777, FILE: 0o444}, id="F091 file read-only"),
    pytest.param({"": 0o555, FILE: 0o666}, id="F092 folder read-only"),
    pytest.param({"": 0o555, FILE: 0o444}, id="F091 both"),
]


@pytest.mark.skipif(not hasattr(os, "setresuid"), reason="POSIX permissions")
@pytest.mark.parametrize("modes", READ_ONLY)
def test_what_cannot_be_written_can_be_read(out: Path, nobody: Path, modes: Mapping[str, int]) -> None:
    with closing(open_store(out)) as store:
        Runs(store).start(RUN, "2012-06-29", "desk", "{}")
    place = nobody / "out"
    shutil.copytree(out, place)
    for name, mode in modes.items():
        (place / name).chmod(mode)
    if os.geteuid() == 0:
        os.setresuid(65534, 65534, 0)
    with closing(open_store(place, create=False)) as store:
        assert [one.run_id for one in Runs(store).all()] == [RUN]
        with pytest.raises(StoreError, match="readonly"):
            Runs(store).start("another", "2012-06-29", "desk", "{}")
    assert [one.name for one in place.iterdir()] == [FILE], "no file is made beside it"


@pytest.mark.skipif(not hasattr(os, "setresuid"), reason="POSIX permissions")
@pytest.mark.parametrize("modes", READ_ONLY)
def test_what_cannot_be_written_is_refused_before_any_call(out: Path, nobody: Path, modes: Mapping[str, int]) -> None:
    place = nobody / "out"
    shutil.copytree(out, place)
    for name, mode in modes.items():
        (place / name).chmod(mode)
    if os.geteuid() == 0:
        os.setresuid(65534, 65534, 0)
    message = refused(place, Scripted())
    assert f"--out {place}: cannot be written" in message


# Damaged


def _zeroed(whole: bytes) -> bytes:
    middle = len(whole) // PAGE // 2
    return whole[: PAGE * middle] + bytes(PAGE) + whole[PAGE * (middle + 1) :]


DAMAGE = {
    "F094": lambda whole: b"overwritten here" + whole[16:],
    "F094-zeroes": lambda whole: bytes(16) + whole[16:],
    "F095": _zeroed,
    "F095-cut": lambda whole: whole[: len(whole) // PAGE // 2 * PAGE],
}


@pytest.mark.parametrize("harm", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_store_is_refused_by_name_before_any_call(out: Path, harm: Any) -> None:
    (out / FILE).write_bytes(harm((out / FILE).read_bytes()))
    message = refused(out, Scripted())
    assert str(out / FILE) in message
    assert "damaged" in message


def test_F093_an_emptied_store_beside_its_runs_is_refused(out: Path) -> None:
    (out / RUN).mkdir()
    (out / RUN / "run.json").write_text("{}")
    (out / FILE).write_bytes(b"")
    assert "empty" in refused(out, Scripted())


# Locked


def test_F097_a_store_locked_for_long_stops_the_run_before_any_call(out: Path) -> None:
    with hand(out) as other:
        other.execute("BEGIN IMMEDIATE")
        message = refused(out, Scripted())
    assert "another process holds the store locked" in message
    assert str(out / FILE) in message


def test_F096_a_lock_that_is_given_back_is_not_noticed(out: Path) -> None:
    provider = Scripted(reply(said(round_number=2)))
    with hand(out) as other, opened(out) as store:
        other.execute("BEGIN IMMEDIATE")
        later = threading.Timer(0.5, other.execute, ["ROLLBACK"])
        later.start()
        assert turn(store, provider, 2).record is not None
        later.join()


# Schema


def test_F098_a_newer_schema_is_refused_with_both_versions(out: Path) -> None:
    with hand(out) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0099'")
    message = refused(out, Scripted())
    assert "0099" in message
    assert HEAD in message


# Entries


class Price(Model):
    close: float


class Market:
    """A source that counts what it is asked."""

    name, vintage = "example", "v1"

    def __init__(self) -> None:
        self.asked = 0

    def fetch(self, dataset: str, params: Mapping[str, str]) -> Any:
        """One close."""
        self.asked += 1
        return {"close": 178.2}


def test_F104_fetched_data_cut_in_half_is_fetched_again(out: Path) -> None:
    market = Market()
    with opened(out) as store:
        fetch = Fetch("example", "v1", market, Journal(store, RUN, 60), Recorder(store, RUN, 1), "AAPL")
        assert [fetch("bars", Price, symbol="AAPL") for _ in range(2)] == [Price(close=178.2)] * 2
        assert market.asked == 1
        with hand(out) as connection:
            connection.execute("UPDATE calls SET reply = substr(reply, 1, length(reply) / 2) WHERE kind = 'fetch'")
        with pytest.raises(NotJournaled):
            replace(fetch, source=None)("bars", Price, symbol="AAPL")
        assert fetch("bars", Price, symbol="AAPL") == Price(close=178.2)
        assert market.asked == 2


class Revived:
    """Unpickled, it makes a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.mkdir, (str(self.path),))


@pytest.mark.parametrize("kind", ["pickle", "pickle in text", "constructor"])
def test_F174_nothing_that_is_stored_or_answered_is_revived(out: Path, tmp_path: Path, kind: str) -> None:
    there = tmp_path / "revived"
    pickled = pickle.dumps(Revived(there))
    answers: dict[str, Any] = {
        "pickle": pickled,
        "pickle in text": {"close": base64.b64encode(pickled).decode()},
        "constructor": {"lc": 1, "type": "constructor", "id": ["os", "mkdir"], "kwargs": {"path": str(there)}},
    }
    market = Market()
    with opened(out) as store:
        fetch = Fetch("example", "v1", market, Journal(store, RUN, 60), Recorder(store, RUN, 1), "AAPL")
        assert fetch("bars", Price, symbol="AAPL") == Price(close=178.2)
        with hand(out) as connection:
            connection.execute("UPDATE calls SET reply = ? WHERE kind = 'fetch'", (pickled,))
        market.fetch = lambda dataset, params: answers[kind]  # type: ignore[method-assign]
        with pytest.raises((RebuttalError, TypeError, ValueError)):
            fetch("bars", Price, symbol="AAPL")
    assert not there.exists()


@pytest.mark.parametrize(
    "edit",
    [
        "replace(reply, 'intact', 'broken')",
        "replace(reply, 'bull', 'bear')",
        "'{}'",
        "reply || ' '",
        "NULL",
        "CAST(reply AS BLOB)",
        "CAST(x'7bff7d' AS TEXT)",
    ],
)
def test_F105_a_reply_edited_by_hand_is_not_served(out: Path, edit: str) -> None:
    with hand(out) as connection:
        connection.execute(f"UPDATE calls SET reply = {edit} WHERE kind = 'ask'")
    with opened(out) as store:
        with pytest.raises(NotJournaled):
            turn(store, None)
        provider = Scripted(reply())
        assert turn(store, provider).record is not None
        assert len(provider.requests) == 1


def test_F106_a_reply_to_another_prompt_model_or_sample_is_a_miss(out: Path) -> None:
    with opened(out) as store:
        assert turn(store, None).record is not None
        for changes in ({"models": {"default": "m2"}}, {"engine": "another"}):
            with pytest.raises(NotJournaled):
                door(store, None, **changes)("debater", asked(), returns=DebateRoundContribution, seat="bull")
        with pytest.raises(NotJournaled):
            door(store, None)("debater", asked(), returns=DebateRoundContribution, seat="bull", sample=1)
        with pytest.raises(NotJournaled):
            turn(store, None, 2)
