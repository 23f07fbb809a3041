"""The catalogue's faults of the PostgreSQL store, on a real server that is ended, and over a wire that is cut."""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, insert, make_url, select

import phases.core.recorder as clock
from bench.fake_model.server import FakeModel
from phases.core import store as stores
from phases.core.ask import Answer
from phases.core.budget import Booking, Budget
from phases.core.errors import CeilingReached, RebuttalError, StoreError, UsageError
from phases.core.journal import Journal, question
from phases.core.provider import Reply, Request
from phases.core.runs import Runs
from phases.core.store import HEAD, VARIABLE, Store, calls, configured_store, events, late, spend
from phases.entry import exit_code
from phases.plan import CONFIGS
from phases.show import show_ticker
from run_pipeline import app
from schemas.debate import DebateRoundContribution
from schemas.events import Usage
from schemas.settings import Rates
from tests.conftest import DAY, Cli, Desk, Night, Shelf
from tests.phases.core.conftest import Start, _process  # noqa: F401  the fixture `process`
from tests.phases.core.scripted import NIGHTLY, RUN, Scripted, asked, door, reply, said, spoken
from tests.postgres import PASSWORD, QUOTED, Cut, Server, Wire, free_port, query, wire_to

PATIENCE = 20
RATES = {"m": Rates(input="1", output="1", cache_write="1", cache_read="1")}
RESTARTS = 50 if NIGHTLY else 3
SECRETS = (PASSWORD, QUOTED, "s3cret")


@contextmanager
def opened(url: str, out: Path, patience: int = PATIENCE, *, create: bool = True) -> Iterator[Store]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, url)
        store = configured_store(out, lock_seconds=patience, create=create)
    with closing(store):
        yield store


@pytest.fixture(name="store")
def _store(database: str, tmp_path: Path) -> Iterator[Store]:
    with opened(database, tmp_path / "out") as store:
        yield store


def turn(store: Store, provider: Scripted | None, **changes: Any) -> Answer[DebateRoundContribution]:
    return door(store, provider, **changes)("debater", asked(), returns=DebateRoundContribution, seat="bull")


def rows(store: Store, table: Any) -> list[Any]:
    with store.read() as connection:
        return list(connection.execute(select(table)))


def told(store: Store) -> list[str]:
    return [json.loads(row.body)["kind"] for row in rows(store, events)]


def note(word: str) -> Callable[[Connection], Any]:
    return lambda connection: connection.execute(insert(events), {"run_id": "run", "body": word})


def bodies(store: Store) -> list[str]:
    return [row.body for row in rows(store, events)]


def check_one_turn(store: Store, provider: Scripted) -> None:
    """One call was made, its answer is there once, and one event tells of it."""
    assert len(provider.requests) == 1
    (row,) = rows(store, calls)
    assert row.state == "done" and "is up." in row.reply
    assert (told(store), rows(store, late)) == (["called"], [])


# The server is restarted


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


# The connection dies within the commit

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


# Not let in


def refused(url: str, out: Path, **options: Any) -> RebuttalError:
    with pytest.raises(RebuttalError) as caught, opened(url, out, 1, **options):
        pass
    assert not any(secret in f"{caught.value}{caught.value.__cause__}" for secret in SECRETS)
    return caught.value


def test_F102_down_at_the_start_it_is_refused_before_any_call(
    desk: Callable[[float], Desk], postgres: Server, tmp_path: Path
) -> None:
    port = free_port()
    env = {VARIABLE: postgres.url().replace(f":{postgres.port}/", f":{port}/")}
    watched = desk(0)
    told = watched.cli("run", "IBM", "--as-of", DAY, "--out", tmp_path / "out", env=env)
    assert told.code == 4
    assert f"127.0.0.1:{port}, database postgres, user postgres" in told.error and "refused" in told.error
    assert watched.lines == [] and list((tmp_path / "out").iterdir()) == []
    assert not any(secret in told.err for secret in SECRETS)


def test_F103_a_wrong_password_shows_host_and_user_alone_even_with_a_traceback(
    cli: Cli, postgres: Server, tmp_path: Path
) -> None:
    url = postgres.url().replace(QUOTED, "another-s3cret")
    error = refused(url, tmp_path / "out")
    assert error.exit_code == 4
    told = cli("run", "IBM", "--as-of", DAY, "--out", tmp_path / "out", "--debug", env={VARIABLE: url})
    assert told.code == 4 and "Traceback" in told.err
    for words in (str(error), told.err):
        assert "127.0.0.1" in words and "user postgres" in words and "password authentication failed" in words
        assert "s3cret" not in words and "postgresql://" not in words


@pytest.mark.parametrize(
    "url",
    [
        "s3cret",
        "host=h password=s3cret",
        "mysql://user:s3cret@host/db",
        "sqlite:///s3cret.db",
        "postgresql+asyncpg://user:s3cret@host/db",
        "postgresql://user:s3cret@host",
        "postgresql://user:s3cret@host:s3cret/db",
        "postgresql://user:a@s3cret@host/db",
        "postgresql://user:a@b/s3cret@host/db",
    ],
)
def test_a_url_that_is_none_is_refused_unshown(url: str, tmp_path: Path) -> None:
    error = refused(url, tmp_path / "out")
    assert isinstance(error, UsageError) and VARIABLE in str(error) and "postgresql://" in str(error)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_a_url_may_begin_in_three_ways(scheme: str, database: str, tmp_path: Path) -> None:
    with opened(f"{scheme}://{database.partition('://')[2]}", tmp_path / "out") as store:
        assert rows(store, calls) == []


def test_a_driver_that_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    error = refused("postgresql://user:s3cret@host/db", tmp_path / "out")
    assert error.exit_code == 2 and "psycopg" in str(error)


def test_a_database_of_another_encoding_is_refused(postgres: Server, tmp_path: Path) -> None:
    error = refused(postgres.database("ENCODING 'LATIN1' LOCALE 'C'"), tmp_path / "out")
    assert isinstance(error, StoreError) and "LATIN1" in str(error) and "UTF8" in str(error)


def test_a_store_that_is_not_there_is_not_made_for_a_reader(database: str, tmp_path: Path) -> None:
    error = refused(database, tmp_path / "out", create=False)
    assert isinstance(error, UsageError) and "no runs here" in str(error)
    schema = make_url(database).query["options"].rpartition("=")[2]
    assert query(database, f"SELECT tablename FROM pg_tables WHERE schemaname = '{schema}'") == []
    assert not (tmp_path / "out").exists()


# Schema


def test_F098_a_newer_schema_is_refused_with_both_versions(database: str, tmp_path: Path) -> None:
    with opened(database, tmp_path / "out"):
        query(database, "UPDATE alembic_version SET version_num = '0099'")
    message = str(refused(database, tmp_path / "out"))
    assert "0099" in message and HEAD in message


def test_F099_an_older_schema_is_migrated_in_one_transaction(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(database, tmp_path / "out") as store:
        turn(store, Scripted(reply()))
        before = rows(store, calls), rows(store, events)
    for statement in ("DROP VIEW feed_rows", "DROP TABLE commits", "UPDATE alembic_version SET version_num = '0003'"):
        query(database, statement)

    def broken(connection: Connection) -> None:
        real(connection)
        raise StoreError("the light went out")

    from phases.core import postgres

    real = stores.upgrade
    with monkeypatch.context() as patch:
        patch.setattr(postgres, "upgrade", broken)
        assert "light" in str(refused(database, tmp_path / "out"))
    assert query(database, "SELECT version_num FROM alembic_version") == [("0003",)]
    assert query(database, "SELECT to_regclass('commits')") == [(None,)]
    with opened(database, tmp_path / "out") as store:
        assert (rows(store, calls), rows(store, events)) == before
    assert query(database, "SELECT version_num FROM alembic_version") == [(HEAD,)]


def test_processes_that_make_a_store_at_once_make_one(
    process: Start, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, database)
    children = [process("start", tmp_path / "out") for _ in range(2)]
    pipes = [(child.stdin, child.stdout) for child in children if child.stdin and child.stdout]
    assert [told.readline() for _, told in pipes] == ["ready\n"] * 2
    for words, _ in pipes:
        words.write("go\n")
        words.flush()
    assert [told.readline() for _, told in pipes] == ["opened\n"] * 2
    with opened(database, tmp_path / "out", create=False) as store:
        assert rows(store, calls) == []


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


# Whole nights

WORDS = ("run", "AAPL", "IBM", "MSFT", "--as-of", DAY)


def test_a_night_is_the_same_bytes_and_every_command_finds_it(
    three: Night,
    cli: Cli,
    postgres: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    env, out = {VARIABLE: postgres.database()}, tmp_path / "out"

    def command(*words: str) -> str:
        assert exit_code(app, [*words, "--out", str(out)], True) == 0
        return capsys.readouterr().out

    begun = cli(*WORDS, "--out", out, "--json", env=env)
    again = cli("run", "--resume", "last", "--out", out, "--json", env=env)
    assert (begun.code, again.code) == (0, 0), begun.err + again.err
    assert (begun.json["calls"]["made"], again.json["calls"]["made"]) == (len(three.replies()), 0)
    assert Shelf(out).feed() == three.feed()
    monkeypatch.setenv(VARIABLE, env[VARIABLE])
    assert "same bytes" in command("replay", "last", "--check")
    assert command("feed", "last", "--format", "json").encode() == three.feed()["feed.json"]
    assert begun.json["run_id"] in command("runs")
    shown = command("show", "last", "IBM", "--json")
    with closing(stores.open_store(three.path, create=False)) as file:
        assert shown == f"{show_ticker(file, 'last', 'IBM', True)}\n"
    printed = begun.out + begun.err + again.out + again.err
    files = b"".join(one.read_bytes() for one in out.rglob("*") if one.is_file())
    assert not any(secret in printed or secret.encode() in files for secret in SECRETS)
    assert not list(out.glob("rebuttal.db*"))


def test_F078_a_killed_night_goes_on(
    three: Night, desk: Callable[[float], Desk], database: str, tmp_path: Path
) -> None:
    watched, env, out = desk(0.1), {VARIABLE: database}, tmp_path / "out"
    process = watched.cli.start(*WORDS, "--out", out, "--set", "operation.threads=1", env=env)
    watched.await_lines(12, process)
    process.kill()
    process.communicate()
    ended = watched.cli("run", "--resume", "last", "--out", out, "--json", env=env)
    assert ended.code == 0, ended.err
    assert Shelf(out).feed() == three.feed()
    assert ended.json["calls"]["replayed"] >= 10
    assert sum(watched.asked.values()) - len(watched.asked) <= 2, "no more than was in flight, a pair of openings"


def test_two_processes_share_a_night_and_ask_nothing_twice(cli: Cli, database: str, tmp_path: Path) -> None:
    tickers = ("AAPL", "GOOG", "IBM", "MSFT")  # enough work that neither is done before the other has started
    words = ("run", *tickers, "--as-of", DAY, "--config", CONFIGS / "anthropic.yaml", "--json")
    with FakeModel({"latency_ms": {"mean": 500}}) as server:
        env = {VARIABLE: database, "ANTHROPIC_API_KEY": "x" * 20}
        local = ("--set", f"provider.base_url={server.url}")
        processes = [cli.start(*words, *local, "--out", tmp_path / name, env=env) for name in ("one", "other")]
        ends = [process.communicate(timeout=120) for process in processes]
        stats = server.stats()
    assert [process.returncode for process in processes] == [0, 0], ends
    counts = [json.loads(out)["calls"] for out, _ in ends]
    assert stats["duplicates"] == 0
    assert sum(one["made"] for one in counts) == stats["turns"] == counts[0]["made"] + counts[0]["replayed"]
    assert all(one["made"] for one in counts), "both have worked"
    assert Shelf(tmp_path / "one").feed() == Shelf(tmp_path / "other").feed()
