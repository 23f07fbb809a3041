"""Where a ticker's CPU goes: `python -m bench.parts TICKERS`, one night of one thread, one JSON line out.

Each named part is timed where it is called, less the parts inside it, in CPU of its thread: so the
parts add up, waiting for the disk does not count, and many small calls do not look dearer than
they are, as they do under a profiler. `--functions` shows cProfile's dearest functions instead.
"""

from __future__ import annotations

import cProfile
import json
import pstats
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from time import thread_time
from typing import Any

import phases.market_data
import phases.maths.indicators
import phases.research_debate
import phases.research_manager
from bench.night import AS_OF, CountedDesk, planned, silent, warm_up
from bench.source import BenchSource
from phases.core import ask, reading, runner
from phases.core.fetch import Fetch
from phases.core.journal import Journal
from phases.core.store import open_store
from phases.debate import conduct
from phases.night import hold_night

PARTS: Mapping[str, tuple[tuple[Any, str], ...]] = {
    "indicators": ((phases.market_data, "computed"), (phases.maths.indicators, "frame_of")),
    "type the bars": ((Fetch, "__call__"),),
    "render the prompt": ((ask, "render"),),
    "key of the question (dump, hash)": ((ask.Ask, "_question"),),
    "journal read": ((Journal, "find"),),
    "journal write, claim": ((Journal, "_claim"),),
    "journal write, keep": ((Journal, "keep"),),
    "validate the reply": ((reading, "problems"), (reading, "_tried")),
    "read the reply, but validation": ((ask, "read"),),
    "check the turn": ((reading, "_checked"),),
    "fold the ledger": (
        *((conduct, "view"), (conduct, "entry"), (conduct, "_fired")),
        *((phases.research_manager, "manager_view"), (phases.research_manager, "published")),
        *((phases.research_manager, "weighed_claims"), (phases.research_manager, "change")),
    ),
    "read the protocol": ((phases.research_debate, "read_protocol"),),
    "keep the artefacts": ((runner.Artefacts, "keep"),),
    "(the bench's desk)": ((CountedDesk, "replies"),),
    "(the bench's source)": ((BenchSource, "fetch"),),
    "everything else": ((runner, "_run_ticker"),),
}
"""Parts by the functions they are, each where it is looked up; the last is the whole of a ticker."""


class Spans:
    """CPU of each part, less that of the parts inside it, of one thread."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self._inside: list[float] = []

    def watch(self) -> None:
        """Put a clock around every named function. Raises AttributeError for one that is gone."""
        for part, functions in PARTS.items():
            for owner, name in functions:
                setattr(owner, name, self._timed(part, getattr(owner, name)))

    def _timed(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            if not threading.current_thread().name.startswith("ticker"):
                return function(*args, **kwargs)
            self._inside.append(0.0)
            start = thread_time()
            try:
                return function(*args, **kwargs)
            finally:
                spent = thread_time() - start
                self.seconds[part] += spent - self._inside.pop()
                if self._inside:
                    self._inside[-1] += spent

        return timed


def one_night(tickers: int, begin: Callable[[], None]) -> None:
    """A night of one thread; `begin` is called once everything is warm and planned."""
    warm_up(1)
    with TemporaryDirectory(prefix="bench-") as folder:
        store = open_store(Path(folder))
        try:
            found = planned(BenchSource(tickers, AS_OF), store, 1, CountedDesk())
            begin()
            hold_night(found, store, Path(folder), silent)
        finally:
            threading.setprofile(None)
            store.close()


def shares(tickers: int) -> dict[str, float]:
    """Share of a ticker's CPU by part, largest first."""
    spans = Spans()
    one_night(tickers, spans.watch)
    whole = sum(spans.seconds.values())
    return {part: seconds / whole for part, seconds in sorted(spans.seconds.items(), key=lambda one: -one[1])}


def print_functions(tickers: int) -> None:
    """The dearest functions of the ticker thread, as cProfile sees them."""
    profiles: list[cProfile.Profile] = []

    def begin(*_: Any) -> None:
        profiles.append(cProfile.Profile(thread_time))
        profiles[-1].enable()

    one_night(tickers, lambda: threading.setprofile(begin))
    pstats.Stats(*profiles).sort_stats("tottime").print_stats(40)


def main() -> None:
    """Measure one night and print the shares as one JSON line, or the dearest functions."""
    if "--functions" in sys.argv:
        print_functions(int(sys.argv[1]))
    else:
        print(json.dumps(shares(int(sys.argv[1]))))


if __name__ == "__main__":
    main()
