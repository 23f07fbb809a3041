"""One measured night in a process of its own: `python -m bench.night TICKERS THREADS [--again]`, one JSON line out.

The night is the product's: its plan, its pipeline, its journal in a temporary folder, its offline
desk. A small night before it, in another folder, pays for imports and first uses.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from time import perf_counter, process_time, thread_time
from typing import Any

from sqlalchemy import select

from bench.source import BenchSource
from phases import night
from phases.core.phase import Phase
from phases.core.provider import Reply, Request
from phases.core.runs import Runs
from phases.core.store import FILE, Store, calls, open_store
from phases.night import hold_night, replay_night, stored_feed
from phases.pipeline import PIPELINE
from phases.plan import Plan, Words, plan
from phases.providers.offline import OfflineDesk
from phases.sources import SOURCES
from schemas import CONTRACTS
from schemas.base import Model

AS_OF = "2008-09-30"
WARM_UP = 8


class CountedDesk(OfflineDesk):
    """The offline desk with a counter at the far side of the door."""

    def __init__(self) -> None:
        self.asked = 0
        self._lock = Lock()

    def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:
        """One reply for each request, in order."""
        with self._lock:
            self.asked += len(requests)
        return super().replies(requests)


@dataclass
class Spent:
    """What a stretch took."""

    cpu: float
    """Seconds of the whole process, all threads."""
    wall: float


class Clock:
    """Seconds of CPU and wall inside a `with`."""

    def __enter__(self) -> Spent:
        """Start."""
        self._spent = Spent(-process_time(), -perf_counter())
        return self._spent

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._spent.cpu += process_time()
        self._spent.wall += perf_counter()


def timed_pipeline(seconds: dict[str, float]) -> tuple[Phase, ...]:
    """The pipeline, each phase adding its own thread's CPU to `seconds` under its name."""
    lock = Lock()

    def timed(one: Phase) -> Phase:
        def carry_out(**given: Any) -> Any:
            start = thread_time()
            try:
                return one.function(**given)
            finally:
                with lock:
                    seconds[one.name] = seconds.get(one.name, 0.0) + thread_time() - start

        return replace(one, function=carry_out)

    return tuple(map(timed, PIPELINE))


def planned(source: BenchSource, store: Store, threads: int, desk: CountedDesk) -> Plan:
    """The plan of a night over every ticker of the source."""
    SOURCES["bench"] = lambda _: source
    words = Words(source.tickers, sets=("source=bench", f"operation.threads={threads}"), as_of=AS_OF)
    return replace(plan(words, Runs(store)), provider=desk)


def silent(ticker: str, reason: str | None) -> None:
    """No progress lines."""


def warm_up(threads: int) -> None:
    """A small night, thrown away."""
    with TemporaryDirectory(prefix="bench-") as folder:
        store = open_store(Path(folder))
        try:
            hold_night(planned(BenchSource(WARM_UP, AS_OF), store, threads, CountedDesk()), store, Path(folder), silent)
        finally:
            store.close()


def measured(tickers: int, threads: int, again: bool) -> dict[str, Any]:
    """The figures of one night; with `again` also of its second start, of its replay and of the floor."""
    warm_up(threads)
    source, desk, seconds = BenchSource(tickers, AS_OF), CountedDesk(), dict[str, float]()
    vars(night)["PIPELINE"] = timed_pipeline(seconds)
    with TemporaryDirectory(prefix="bench-") as folder:
        store = open_store(Path(folder))
        try:
            with Clock() as planning:
                found = planned(source, store, threads, desk)
            with Clock() as spent:
                finished = hold_night(found, store, Path(folder), silent)
            statuses = dict(finished.record.statuses)
            figures: dict[str, Any] = {
                "tickers": tickers,
                "threads": threads,
                "turns": desk.asked,
                "calls": finished.record.calls.model_dump(),
                "failures": tickers - statuses.get("debated", 0),
                "statuses": statuses,
                "cpu": spent.cpu - source.seconds,
                "wall": spent.wall,
                "plan_cpu": planning.cpu,
                "source_cpu": source.seconds,
                "phases": dict(seconds),
                "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                "store_kb_per_ticker": _size(Path(folder)) / tickers / 1000,
            }
            if again:
                figures |= _again(found, store, Path(folder), desk)
        finally:
            store.close()
    return figures


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob(f"{FILE}*"))


def _again(found: Plan, store: Store, folder: Path, desk: CountedDesk) -> dict[str, Any]:
    before, turns = desk.asked, desk.asked
    first = stored_feed(store, found.header.run_id)
    with Clock() as second:
        finished = hold_night(found, store, folder, silent)
    asked = desk.asked - before
    with Clock() as replayed:
        feed = replay_night(found.header, store, found.header.settings.operation.threads, silent)
    return {
        "again": {"asked": asked, "cpu": second.cpu, "wall": second.wall, "same": finished.feed == first},
        "replay": {"cpu": replayed.cpu, "wall": replayed.wall, "same": feed == first, "turns": turns},
        "floor_cpu": floor(store, folder),
    }


PRODUCED = {
    "macro-bias": "BiasWording",
    "research-debate": "DebateRoundContribution",
    "research-manager": "ManagerReply",
}


def floor(store: Store, folder: Path) -> float:
    """CPU of the least that any turn must do, over the turns just journaled: the control of the same run.

    Write the request as JSON, hash it, parse the reply into its record, and commit both to SQLite
    durably, one transaction a turn, with the standard library and pydantic alone.
    """
    with store.read() as connection:
        rows = connection.execute(
            select(calls.c.name, calls.c.request, calls.c.reply).where(calls.c.kind == "ask")
        ).all()
    turns: list[tuple[type[Model], Any, str]] = [
        (CONTRACTS[PRODUCED.get(name, "AxisView")], json.loads(request), json.loads(reply)["text"])
        for name, request, reply in rows
    ]
    connection_ = sqlite3.connect(folder / "floor.db", isolation_level=None)
    connection_.executescript(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (k TEXT, q TEXT, r TEXT)"
    )
    with Clock() as spent:
        for model, request, reply in turns:
            text = json.dumps(request, sort_keys=True, ensure_ascii=False)
            key = hashlib.sha256(text.encode()).hexdigest()
            model.model_validate_json(reply)
            connection_.execute("BEGIN IMMEDIATE")
            connection_.execute("INSERT INTO t VALUES (?, ?, ?)", (key, text, reply))
            connection_.execute("COMMIT")
    connection_.close()
    return spent.cpu / len(turns)


def main() -> None:
    """Measure one night and print its figures as one JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tickers", type=int)
    parser.add_argument("threads", type=int)
    parser.add_argument("--again", action="store_true")
    said = parser.parse_args()
    print(json.dumps(measured(said.tickers, said.threads, said.again)))


if __name__ == "__main__":
    main()
