"""The store: one schema; SQLite here, PostgreSQL in `postgres.py`. The only writer of the database.

Writes of many threads are committed together: whoever gets the writer's lock carries out what
the others queued, in one transaction, and a write counts only when its commit has returned.
Times are UTC text. Nothing is pickled; a damaged file is named and kept, never replaced.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from sqlalchemy import (
    URL,
    BigInteger,
    Column,
    Connection,
    Engine,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    create_engine,
    event,
    inspect,
    text,
)
from sqlalchemy.exc import DatabaseError, DBAPIError, OperationalError

from phases.core.config import secret
from phases.core.errors import StoreError, UsageError
from phases.core.sqlite import on_begin, on_connect, read_only

T = TypeVar("T")
FILE = "rebuttal.db"
HEAD = "0005"
VARIABLE = "REBUTTAL_STORE"
"""Environment variable that names another store than the file. Its URL is a credential and is never shown."""
LOCKED = "another process holds the store locked; end it or wait, then run again"

metadata = MetaData()

runs = Table(
    "runs",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("as_of", Text, nullable=False),
    Column("engine", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("header", Text, nullable=False),
    Column("record", Text),
)
calls = Table(
    "calls",
    metadata,
    Column("key", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("lease_until", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("ticker", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("seat", Text, nullable=False),
    Column("request", Text, nullable=False),
    Column("reply", Text),
    Column("checksum", Text),
)
late = Table(
    "late",
    metadata,
    Column("position", Integer, primary_key=True, autoincrement=True),
    Column("key", Text, nullable=False, index=True),
    Column("owner", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("reply", Text, nullable=False),
    Column("checksum", Text, nullable=False),
    Column("at", Text, nullable=False),
)
events = Table(
    "events",
    metadata,
    Column("position", Integer, primary_key=True, autoincrement=True),
    Column("run_id", Text, nullable=False, index=True),
    Column("body", Text, nullable=False),
)
artefacts = Table(
    "artefacts",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("ticker", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("body", Text, nullable=False),
)
spend = Table(
    "spend",
    metadata,
    Column("position", Integer, primary_key=True, autoincrement=True),
    Column("run_id", Text, nullable=False, index=True),
    Column("as_of", Text, nullable=False, index=True),
    Column("attempt", Integer, nullable=False),
    Column("key", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("phase", Text, nullable=False),
    Column("ticker", Text, nullable=False),
    Column("skill", Text, nullable=False),
    Column("seat", Text, nullable=False),
    Column("round_number", Integer, nullable=False),
    Column("model", Text, nullable=False),
    Column("micros", BigInteger, nullable=False),
    Column("usage", Text, nullable=False),
    Column("at", Text, nullable=False),
)
feed = Table(
    "feed",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("ticker", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("as_of", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("row", Text, nullable=False),
    Index("ix_feed_ticker_as_of", "ticker", "as_of"),
)
commits = Table(
    "commits",
    metadata,
    Column("writer", Text, primary_key=True),
    Column("number", Integer, nullable=False),
)
"""The latest commit of each writer on a server: after a lost connection it says whether that commit was made."""


class _Job(Generic[T]):
    def __init__(self, work: Callable[[Connection], T]) -> None:
        self.work = work
        self.done = False
        self.result: T
        self.error: BaseException | None = None


class Store:
    """The tables of one store. Open it with `configured_store`, or as a file with `open_store`."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._writer = engine.execution_options(writes=True)
        self._name = name
        self._queue: list[_Job[Any]] = []
        self._queue_lock = threading.Lock()
        self._writer_lock = threading.Lock()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees what is committed. Reads the store."""
        with self._trouble(), self._engine.connect() as connection:
            yield connection

    def write(self, work: Callable[[Connection], T]) -> T:
        """Carry out `work` in an immediate transaction and return once it is committed. Writes the store."""
        job = _Job(work)
        with self._queue_lock:
            self._queue.append(job)
        with self._writer_lock:
            if not job.done:
                with self._queue_lock:
                    jobs, self._queue = self._queue, []
                self._commit_together(jobs)
        if job.error is not None:
            with self._trouble():
                raise job.error
        return job.result

    def _commit_together(self, jobs: list[_Job[Any]]) -> None:
        """One transaction for all; if any part fails, one for each, so that none fails for another."""
        if not self._commit(jobs) and len(jobs) > 1 and not self._is_lost(jobs[0].error):
            for job in jobs:
                self._commit([job])
        for job in jobs:
            job.done = True

    def _commit(self, jobs: list[_Job[Any]]) -> bool:
        try:
            results = self._carry_out([job.work for job in jobs])
        except BaseException as error:  # raised again by each job's own thread
            for job in jobs:
                job.error = error
            return False
        for job, result in zip(jobs, results, strict=True):
            job.result, job.error = result, None
        return True

    def _carry_out(self, works: Sequence[Callable[[Connection], Any]]) -> list[Any]:
        """Results of works that are committed together."""
        with self._writer.begin() as connection:
            return [work(connection) for work in works]

    def _is_lost(self, error: BaseException | None) -> bool:
        """Whether the store itself is out of reach, so that the parts cannot fare better than the whole."""
        return False

    def _words(self, error: Exception) -> str:
        return _words(error)

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise StoreError(f"{self._name}: {self._words(error)}") from None

    def close(self) -> None:
        """Give back every connection."""
        self._engine.dispose()


def configured_store(out: Path, *, lock_seconds: int = 30, create: bool = True) -> Store:
    """Open the store that the environment names, or else that of an output folder. Errors are those of `open_store`."""
    url = secret(VARIABLE)
    if url is None:
        return open_store(out, lock_seconds=lock_seconds, create=create)
    from phases.core.postgres import open_postgres

    return open_postgres(url, out, lock_seconds, create)


def has_store(out: Path) -> bool:
    """Whether the environment names a store or an output folder holds one. Reads the environment and the folder."""
    return secret(VARIABLE) is not None or (out / FILE).exists()


def open_store(out: Path, *, lock_seconds: int = 30, create: bool = True) -> Store:
    """Open the store of an output folder, making or migrating it where allowed. Reads and writes files.

    With `create=False` a store that cannot be written is opened to be read. Raises UsageError if the folder cannot
    be written or (with `create=False`) does not exist, and StoreError if the store is damaged, locked or newer than
    this program.
    """
    path, url = out / FILE, URL.create("sqlite", database=str(out / FILE))
    if not create and not path.exists():
        raise UsageError(f"--out {out}: no runs here (there is no {FILE})")
    if not create and not is_writable(out, path):
        engine = create_engine(url, creator=lambda: read_only(path))
    else:
        make_folder(out)
        engine = create_engine(url, connect_args={"timeout": lock_seconds})
    event.listen(engine, "connect", on_connect)
    event.listen(engine, "begin", on_begin)
    store = Store(engine, str(path))
    try:
        _check_tables(engine, path)
    except (DatabaseError, sqlite3.DatabaseError) as error:
        store.close()
        raise StoreError(f"{path}: {_words(error)}") from None
    except StoreError:
        store.close()
        raise
    return store


def make_folder(out: Path) -> None:
    """Make an output folder. Writes files; raises UsageError if it, or a store in it, cannot be written."""
    try:
        out.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_file(out, out / FILE)
    except OSError as error:
        raise UsageError(f"--out {out}: cannot be written ({error.strerror}); name another folder") from None


def is_writable(out: Path, path: Path) -> bool:
    """Whether a folder, and the store in it if there is one, can be written."""
    return os.access(out, os.W_OK | os.X_OK) and not (path.exists() and not os.access(path, os.W_OK))


def _check_file(out: Path, path: Path) -> None:
    if not is_writable(out, path):
        raise PermissionError(13, "no permission to write")
    if path.exists() and path.stat().st_size == 0 and any(out.glob("*/run.json")):
        raise StoreError(f"{path}: the store is empty although runs lie beside it; restore it from a copy")


def _check_tables(engine: Engine, path: Path) -> None:
    with engine.connect() as connection:
        damage = connection.execute(text("PRAGMA quick_check(1)")).scalar()
        if damage != "ok":
            raise StoreError(f"{path}: the store is damaged ({damage}); it was left as it is; put a copy back")
        version = schema_version(connection, str(path))
    if version != HEAD:
        _migrate(engine, path)


def schema_version(connection: Connection, name: str) -> str | None:
    """Schema of the tables, absent where there are none. Raises StoreError if it is newer than this program."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    version = cast("str | None", connection.execute(text("SELECT version_num FROM alembic_version")).scalar())
    if version is not None and version > HEAD:
        raise StoreError(f"{name}: the store has schema {version}; this program knows up to {HEAD}")
    return version


def _migrate(engine: Engine, path: Path) -> None:
    """Bring the tables to the newest schema, in one transaction; a copy of an older store is kept beside it."""
    with engine.execution_options(writes=True).begin() as connection:
        version = schema_version(connection, str(path))
        if version == HEAD:  # another process was faster
            return
        if version is not None:
            _copy(path, path.with_name(f"{path.name}.{version}"))
        upgrade(connection)


def upgrade(connection: Connection) -> None:
    """Bring the tables to the newest schema in the transaction of a connection. Writes the store."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _copy(path: Path, to: Path) -> None:
    with closing(sqlite3.connect(path)) as store, closing(sqlite3.connect(to)) as copy:
        store.backup(copy)


def _words(error: Exception) -> str:
    origin = getattr(error, "orig", None) or error
    message = str(origin)
    if isinstance(error, OperationalError) and "locked" in message:
        return LOCKED
    if "malformed" in message or "not a database" in message:
        return f"the store is damaged ({message}); it was left as it is; put a copy back"
    return message
