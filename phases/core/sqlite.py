"""How this program uses SQLite: whole transactions, a write lock from the start, nothing lost in a crash."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import Connection


def read_only(path: Path) -> sqlite3.Connection:
    """A connection to a store that may not be written, as on an archive. Where no journal lies beside it, none of its
    own is needed either."""
    still = not any(path.with_name(path.name + end).exists() for end in ("-journal", "-wal"))
    place = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' * still}"
    connection = sqlite3.connect(place, uri=True, check_same_thread=False)
    connection.execute("PRAGMA query_only=ON")
    return connection


def on_connect(connection: Any, _: Any) -> None:
    """Set a new connection up."""
    connection.isolation_level = None  # we begin transactions ourselves
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")  # a checksum judges, not the driver
    if connection.execute("PRAGMA query_only").fetchone() == (1,):
        return
    for pragma in (f"journal_mode={'DELETE' if wal_is_faulty() else 'WAL'}", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}")


def wal_is_faulty() -> bool:
    """Whether this SQLite can lose a write in its write-ahead log when two connections meet at a reset of it."""
    version = sqlite3.sqlite_version_info
    return (3, 7, 0) <= version <= (3, 51, 2) and version not in ((3, 44, 6), (3, 50, 7))


def on_begin(connection: Connection) -> None:
    """Begin a transaction; one that writes takes the write lock at once."""
    connection.exec_driver_sql("BEGIN IMMEDIATE" if _writes(connection) else "BEGIN")


def _writes(connection: Connection) -> bool:
    return bool(connection.get_execution_options().get("writes"))
