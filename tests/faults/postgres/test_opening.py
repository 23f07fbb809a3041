"""Stores that are not let in, with no secret shown, and schemas of another version."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Connection, make_url

from phases.core import store as stores
from phases.core.errors import StoreError, UsageError
from phases.core.store import HEAD, VARIABLE, calls, events
from tests.conftest import DAY, Cli, Desk
from tests.faults.postgres.stores import SECRETS, opened, refused, rows, turn
from tests.phases.core.conftest import Start
from tests.phases.core.scripted import Scripted, reply
from tests.postgres import QUOTED, Server, free_port, query


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
