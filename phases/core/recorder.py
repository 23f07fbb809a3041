"""The only clock of the program, and the record of what happened in one start of a run."""

from __future__ import annotations

import os
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Literal

from sqlalchemy import insert

from phases.core.store import Store, events
from phases.core.text import digest, record_json
from schemas.events import Event
from schemas.run import CallCounts

Counted = Literal["made", "replayed", "repaired", "void"]


def utc_now() -> datetime:
    """This moment. Reads the clock."""
    return datetime.now(UTC)


def today() -> date:
    """The UTC date. Reads the clock."""
    return utc_now().date()


def later(seconds: float) -> str:
    """UTC text of a moment that many seconds from now. Reads the clock."""
    return (utc_now() + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")


def utc_text(seconds: float) -> str:
    """UTC text of a moment that was read as seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def pause(seconds: float) -> None:
    """Wait. Reads the clock."""
    time.sleep(seconds)


def ticks() -> float:
    """Seconds on a clock that only goes forward. Reads the clock."""
    return time.monotonic()


def process_name() -> str:
    """Name of this process that no other process shares: id, start time and host."""
    return f"{os.getpid()}:{_started(os.getpid())}:{_host()}"


def process_lives(name: str) -> bool:
    """Whether the process of that name (a thread's id may follow) still runs, as far as can be known here.

    One of another host counts as running: only its lease can tell.
    """
    pid, started, host = [*name.split(":"), "", ""][:3]
    if host not in ("", _host()):
        return True
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        return True
    return _started(int(pid)) == started


def _host() -> str:
    """Where process ids mean the same: this host, since it was started, in this namespace of ids. Has no - and no :."""
    boot, ids = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")
    found = f"{boot.read_text()}{ids.readlink()}" if boot.exists() and ids.exists() else ""
    return f"{re.sub('[^A-Za-z0-9.]', '_', socket.gethostname()[:40])}_{digest(found)[:8]}"


def _started(pid: int) -> str:
    """When a process started, as the system counts it; `dead` for one that has ended but is not yet collected."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "?"
    return "dead" if state in "ZX" else fields[18]


class Recorder:
    """Counts and appends what happens. Safe to use from many threads."""

    def __init__(self, store: Store | None, run_id: str, attempt: int) -> None:
        self._store, self._run_id, self._attempt = store, run_id, attempt
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._tokens = self._micros = 0

    def count(self, what: Counted, times: int = 1) -> None:
        """Count calls and turns."""
        with self._lock:
            self._counts[what] += times

    def bill(self, tokens: int, micros: int) -> None:
        """Add up what calls read, wrote and cost, in millionths of a US dollar."""
        with self._lock:
            self._tokens += tokens
            self._micros += micros

    @property
    def billed(self) -> tuple[int, int]:
        """Tokens and millionths of a US dollar so far."""
        with self._lock:
            return self._tokens, self._micros

    def event(self, kind: str, **details: object) -> Event:
        """One event, stamped with the clock."""
        return Event.model_validate({"at": utc_now(), "attempt": self._attempt, "kind": kind, **details})

    def rows(self, *happened: Event) -> list[Mapping[str, str]]:
        """Rows of the events table, to be committed with what they tell of."""
        return [{"run_id": self._run_id, "body": record_json(one)} for one in happened]

    def record(self, *happened: Event) -> None:
        """Append events. Writes the store, if the run has one to write."""
        if self._store is not None and happened:
            rows = self.rows(*happened)
            self._store.write(lambda connection: connection.execute(insert(events), rows))

    @property
    def calls(self) -> CallCounts:
        """Calls and turns so far."""
        with self._lock:
            return CallCounts(**{name: self._counts[name] for name in CallCounts.model_fields})
