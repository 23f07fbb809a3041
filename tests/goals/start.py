"""The command line as processes that are forked from a warm one: real processes and signals, without the imports.

A process can be told where it kills itself: at the n-th time it passes a step of the doors.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.goals.warm"])

AS_OF = "2008-09-30"
"""Night of the tickers T0000, T0001 and so on, which the bench's source has."""

STEPS = ("booked", "replied", "kept", "read", "drafted", "closing")
"""Where a process may kill itself: a call is booked and not sent; its reply has come and is not committed; it is
committed, and nothing else is done; it is about to be read; an export is written and not put in its place; all
are in place and the run is not closed."""


class Trap(NamedTuple):
    """A process kills itself at the n-th time that it comes to a step."""

    step: str
    number: int

    def set(self) -> None:
        """Set it in this process."""
        from phases.core import ask, budget, journal, runs
        from phases.outputs import tables

        owner, name, after = {
            "booked": (budget.Budget, "book", True),
            "replied": (journal.Journal, "keep", False),
            "kept": (journal.Journal, "keep", True),
            "read": (ask, "read", False),
            "drafted": (tables.os, "fsync", True),
            "closing": (runs.Runs, "finish", False),
        }[self.step]
        setattr(owner, name, self._armed(getattr(owner, name), after))

    def _armed(self, function: Callable[..., Any], after: bool) -> Callable[..., Any]:
        left = iter(range(self.number - 1, -1, -1))

        def armed(*given: Any, **named: Any) -> Any:
            if after:
                found = function(*given, **named)
            data = self.step in ("replied", "kept") and not given[3]  # an answer of a source, which no event tells of
            if not data and next(left, 1) == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return found if after else function(*given, **named)

        return armed


class Memory(NamedTuple):
    """Most memory of its own that a process may have: so much, or so much more than it has at its start."""

    megabytes: int
    further: bool = False

    def set(self) -> None:
        """Limit this process."""
        lines = Path("/proc/self/status").read_text().splitlines()
        (held,) = (int(line.split()[1]) << 10 for line in lines if line.startswith("VmData:"))
        most = (held if self.further else 0) + (self.megabytes << 20)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


class StillDesk(NamedTuple):
    """The offline desk answers what is asked for the whole run, and then no more; an interrupt waits some seconds."""

    log: Path
    """Gets a line for each prompt."""
    patience: float

    def set(self) -> None:
        """Seat it in this process."""
        from phases.core import runner
        from phases.providers.offline import OfflineDesk

        answer = OfflineDesk.replies

        def replies(desk: OfflineDesk, requests: Sequence[Any]) -> Any:
            with self.log.open("a") as log:
                log.write("prompt\n" * len(requests))
            while requests[0].skill != "macro-bias":
                time.sleep(60)
            return answer(desk, requests)

        OfflineDesk.replies = replies  # type: ignore[method-assign]
        runner.GIVE_UP_SECONDS = self.patience  # type: ignore[assignment]


@dataclass(frozen=True)
class Started:
    """A process that runs, and the files that it writes its words to."""

    process: Any
    words: Path

    @property
    def pid(self) -> int:
        """Its id."""
        return int(self.process.pid)

    def end(self, seconds: float = 120) -> int:
        """Wait for its end; gives its exit code, or less than 0 where a signal ended it."""
        self.process.join(seconds)
        assert self.process.exitcode is not None, f"still running: {self.words.read_text()}"
        return int(self.process.exitcode)

    def kill(self) -> int:
        """Kill it, if it has not ended, and wait for its end."""
        self.process.kill()
        return self.end()


def start(words: Sequence[object], said: Path, *before: Callable[[], None]) -> Started:
    """Start the command line with these words, after other things are done in its process.

    What it prints goes to the file `said`.
    """
    process = _CONTEXT.Process(target=_run, args=([str(word) for word in words], said, before), daemon=True)
    process.start()
    return Started(process, said)


def _run(words: list[str], said: Path, before: Sequence[Callable[[], None]]) -> None:
    line = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(line, stream)
    sys.stdout, sys.stderr = (os.fdopen(stream, "w") for stream in (1, 2))
    tickers = sum(word.startswith("T0") for word in words)
    if tickers:
        from bench.source import BenchSource
        from phases.sources import SOURCES

        SOURCES["bench"] = lambda _: BenchSource(tickers, AS_OF)
    for one in before:
        one()
    from run_pipeline import main

    main(words)
