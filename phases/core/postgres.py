"""The store on PostgreSQL: one writer at a time, and commits that outlive a lost connection.

Every write transaction begins by taking one lock of the database, so that what holds for SQLite
holds here: what a write reads first, nobody changes before it is committed. Each also notes its
number in the table `commits`. Where the connection is lost, even within the commit, the write is
carried out again on a new one, unless that number says that it was committed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, TypeVar, cast

from sqlalchemy import URL, Connection, Engine, Result, create_engine, make_url, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from phases.core.errors import StoreError, UsageError
from phases.core.recorder import pause, process_name, ticks
from phases.core.store import HEAD, LOCKED, VARIABLE, Store, commits, make_folder, schema_version, upgrade
from phases.core.text import extra

T = TypeVar("T")

POLL_SECONDS = 0.1

CONNECTION = {
    "application_name": "rebuttal",
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
"""How a connection is made, where the URL does not say: a server that is gone is noticed within a minute."""

SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")
FORM = f"{VARIABLE}: must be a URL of the form postgresql://user:password@host:port/database"

_LOCK = int.from_bytes(b"rebuttal", "big")
_TURN = text(
    "SELECT set_config('lock_timeout', :wait, true), set_config('idle_in_transaction_session_timeout', :wait, true),"
    " set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), true),"
    f" pg_advisory_xact_lock({_LOCK})"
)
_NUMBER = select(commits.c.number)
_NOTE = insert(commits)
_NOTE = _NOTE.on_conflict_do_update(index_elements=["writer"], set_={"number": _NOTE.excluded.number})

_opened = count(1)


class PostgresStore(Store):
    """The tables of one database. While its server is away, reads and writes wait for it."""

    def __init__(self, engine: Engine, name: str, patience: int) -> None:
        super().__init__(engine, name)
        self._reader = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._patience = patience
        self._me = f"{process_name()}:{next(_opened)}"
        self._number = 0
        self._given_up = False

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """What stands for a connection: each statement is carried out on one that works. Reads the store."""
        with self._trouble():
            yield cast("Connection", _Reader(self._rows))

    def _rows(self, *statement: Any) -> Result[Any]:
        def attempt() -> Result[Any]:
            with self._reader.connect() as connection:
                return connection.execute(*statement).freeze()()

        return self._patiently(attempt)

    def _carry_out(self, works: Sequence[Callable[[Connection], Any]]) -> list[Any]:
        self._number += 1
        results: list[Any] | None = None

        def attempt() -> list[Any]:
            nonlocal results
            with self.turn() as connection:
                if results is None or not self._was_committed(connection):
                    results = [work(connection) for work in works]
                    connection.execute(_NOTE, {"writer": self._me, "number": self._number})
            return results

        return self._patiently(attempt)

    @contextmanager
    def turn(self) -> Iterator[Connection]:
        """A transaction that no other writer is in. Waits for its turn."""
        with self._writer.begin() as connection:
            connection.execute(_TURN, {"wait": str(self._patience * 1000)})
            yield connection

    def _was_committed(self, connection: Connection) -> bool:
        """Whether the write of this number is in the store: an attempt that may yet commit still has its turn."""
        return connection.execute(_NUMBER.where(commits.c.writer == self._me)).scalar() == self._number

    def _patiently(self, attempt: Callable[[], T]) -> T:
        """What an attempt gives. One that the server was away for is made again, until patience runs out."""
        until: float | None = None
        while True:
            try:
                found = attempt()
            except DBAPIError as error:
                if not self._is_lost(error):
                    raise
                until = until or ticks() + (0 if self._given_up else self._patience)
                self._given_up = ticks() >= until
                if self._given_up:
                    raise
                pause(POLL_SECONDS)
            else:
                self._given_up = False
                return found

    def _is_lost(self, error: BaseException | None) -> bool:
        if not isinstance(error, DBAPIError):
            return False
        nameless = isinstance(error, OperationalError) and getattr(error.orig, "sqlstate", None) is None
        return error.connection_invalidated or nameless

    def _words(self, error: Exception) -> str:
        origin = getattr(error, "orig", None)
        return LOCKED if getattr(origin, "sqlstate", None) == "55P03" else " ".join(str(origin).split())

    def check(self, create: bool) -> None:
        """Make or migrate the tables where allowed. Writes the store; errors are those of `open_postgres`."""
        with self._trouble(), self._reader.connect() as connection:
            encoding = connection.execute(text("SHOW server_encoding")).scalar()
            if encoding != "UTF8":
                raise StoreError(f"{self._name}: the database is encoded in {encoding}; make one in UTF8")
            version = schema_version(connection, self._name)
        if version == HEAD:
            return
        if version is None and not create:
            raise UsageError(f"{self._name}: no runs here (the database holds no store)")
        with self._trouble(), self.turn() as connection:
            if schema_version(connection, self._name) != HEAD:
                upgrade(connection)


class _Reader:
    def __init__(self, execute: Callable[..., Result[Any]]) -> None:
        self.execute = execute


def open_postgres(address: str, out: Path, lock_seconds: int, create: bool) -> Store:
    """Open the store of a database, making or migrating its tables where allowed. Writes the store and a folder.

    Raises UsageError for a URL that is none, a driver that is not installed, or (with `create=False`)
    a database without a store; StoreError if the server does not let us in, or the store is newer than
    this program. No message shows more of the URL than host, database and user.
    """
    url = _url(address)
    if create:
        make_folder(out)
    options = {name: value for name, value in CONNECTION.items() if name not in url.query}
    try:
        engine = create_engine(url, isolation_level="READ COMMITTED", connect_args=options, hide_parameters=True)
    except ImportError:
        raise UsageError(f"{VARIABLE}: the driver psycopg is not installed: {extra('postgres')}") from None
    store = PostgresStore(engine, _shown(url), lock_seconds)
    try:
        store.check(create)
    except BaseException:
        store.close()
        raise
    return store


def _url(address: str) -> URL:
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise UsageError(FORM) from None
    if url.drivername not in SCHEMES or not url.database:
        raise UsageError(FORM)
    if "@" in f"{url.host}{url.database}":  # what follows an unescaped @ of the password would be shown
        raise UsageError(f"{FORM}, with every @ : / in user and password written as %40 %3A %2F")
    return url.set(drivername="postgresql+psycopg")


def _shown(url: URL) -> str:
    host = url.host or url.query.get("host") or "the default host"
    user = url.username or url.query.get("user") or "by default"
    return f"PostgreSQL at {host}{f':{url.port}' if url.port else ''}, database {url.database}, user {user}"
