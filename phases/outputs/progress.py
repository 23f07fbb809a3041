"""How a run goes on, for whoever waits for it: a live block on a terminal, plain lines elsewhere, or nothing."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import TYPE_CHECKING

from phases.core.budget import Spent, dollars
from phases.core.log import LOG, ticker_now
from phases.core.recorder import Recorder, ticks
from phases.core.text import printable
from phases.core.watch import Watch

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.text import Text

EVERY_SECONDS = 30
"""How often a plain line also says what was called and spent."""

BAR, WIDEST_BAR = 8, 30
"""Fewest and most columns of the bar. Where fewer are left, how long it will take is not told; then there is no bar."""

WAITS = 3
"""Most waits shown."""


class Progress(Watch):
    """Counts what a run has done. Told of each ticker that ended, it says nothing."""

    def __init__(self, tickers: int) -> None:
        self.tickers, self.ended = tickers, 0
        self.begun = ticks()
        self._recorder: Recorder | None = None
        self._before, self._ceiling = 0, None  # type: int, int | None

    def started(self, recorder: Recorder, before: Spent, ceiling: int | None) -> None:
        """The run starts."""
        self._recorder, self._before, self._ceiling = recorder, before.micros, ceiling

    def __call__(self, ticker: str, reason: str | None) -> None:
        """A ticker ended; with the reason if it failed."""
        self.ended += 1

    def _line(self, ticker: str, reason: str | None) -> str:
        """One ticker that ended, in a line that names it once."""
        why = f": {printable(reason).removeprefix(f'{ticker}: ')}" if reason else ""
        return f"[{self.ended}/{self.tickers}] {ticker}{why}"

    def shown(self) -> AbstractContextManager[object]:
        """While this lasts, progress is shown."""
        return nullcontext()

    def spent(self) -> str:
        """Calls, tokens and money so far."""
        if self._recorder is None:
            return ""
        calls, (tokens, micros) = self._recorder.calls, self._recorder.billed
        told = [f"{calls.made:,} call{'s' * (calls.made != 1)}"]
        told += [f"{calls.replayed:,} from the journal"] * bool(calls.replayed)
        told += [f"{calls.repaired:,} repaired"] * bool(calls.repaired)
        told += [f"{calls.void:,} void"] * bool(calls.void)
        told += [f"{tokens:,} tokens"] * bool(tokens)
        ceiling = f" of {dollars(self._ceiling)}" if self._ceiling is not None else ""
        told += [f"{dollars(self._before + micros)}{ceiling}"] * bool(tokens or self._before)
        return ", ".join(told)

    def left(self) -> str:
        """About how long it will take; empty while nothing is known."""
        if not self.ended or self.ended == self.tickers:
            return ""
        return _clock((ticks() - self.begun) / self.ended * (self.tickers - self.ended))


class Lines(Progress):
    """One plain line a ticker, in the order they end; now and then with what was called and spent."""

    def __init__(self, tickers: int, tell: Callable[[str], None]) -> None:
        """`tell` prints a line."""
        super().__init__(tickers)
        self._tell, self._told = tell, self.begun

    def __call__(self, ticker: str, reason: str | None) -> None:
        """A ticker ended; with the reason if it failed."""
        super().__call__(ticker, reason)
        line = self._line(ticker, reason)
        if ticks() - self._told >= EVERY_SECONDS:
            self._told, left = ticks(), self.left()
            line += f" ({self.spent()}{f', about {left} left' if left else ''})"
        self._tell(line)


class Block(Progress):
    """A block at the foot of the terminal that says what is at work; a ticker that fails gets a line above it."""

    def __init__(self, tickers: int, tell: Callable[[str], None], console: Console) -> None:
        super().__init__(tickers)
        self._tell, self._console = tell, console
        self._lock = threading.Lock()
        self._at: dict[str, str] = {}
        """Phase by ticker at work."""
        self._order: dict[str, None] = {}
        """Phases in the order they were first seen."""
        self._waits = Waits()

    def began(self, ticker: str, phase: str) -> None:
        """A phase begins."""
        with self._lock:
            self._order.setdefault(phase)
            if ticker:
                self._at.pop("", None)
            self._at[ticker] = phase

    def __call__(self, ticker: str, reason: str | None) -> None:
        """A ticker ended."""
        super().__call__(ticker, reason)
        with self._lock:
            self._at.pop(ticker, None)
        if reason:
            self._tell(self._line(ticker, reason))

    def shown(self) -> AbstractContextManager[object]:
        """While this lasts, the block stands on the terminal; afterwards it is gone."""
        from rich.live import Live

        stack = ExitStack()
        stack.enter_context(self._waits)
        stack.enter_context(Live(get_renderable=self.block, console=self._console, transient=True))
        return stack

    def block(self) -> Group:
        """What stands there now, a line for each thing."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        done, left, took = f"{self.ended}/{self.tickers} tickers", self.left(), _clock(ticks() - self.begun)
        told = f"{took}, about {left} left" if left else took
        if self._room(done, told) < BAR:
            told = took
        room = self._room(done, told)
        if room < BAR:
            return Group(_line(f"{done} {told}"), *self._lines())
        bar = Table.grid(padding=(0, 1))
        bar.add_row(done, ProgressBar(self.tickers, self.ended, width=min(room, WIDEST_BAR)), told)
        return Group(bar, *self._lines())

    def _room(self, done: str, told: str) -> int:
        """Columns left between the two for a bar."""
        return self._console.width - len(f"{done} ") - len(f" {told} ")

    def _lines(self) -> Iterator[Text]:
        with self._lock:
            at, order = dict(self._at), list(self._order)
        yield _line(self.spent())
        for phase in order:
            names = [ticker for ticker, its in at.items() if its == phase]
            if names:
                yield _line(f"{phase.replace('_', ' '):18} {' '.join(names)}".rstrip())
        for told in self._waits.latest():
            yield _line(f"waits: {told}")


class Waits(logging.Handler):
    """Keeps what is being waited for, as it is logged: records that carry `wait`, in seconds."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._until: list[tuple[float, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record while its wait lasts."""
        wait = getattr(record, "wait", None)
        if wait is not None:
            words = f"{ticker_now()} {record.getMessage()}".strip()
            self._until = [*self._lasting(), (ticks() + wait, printable(words))]

    def _lasting(self) -> list[tuple[float, str]]:
        return [one for one in self._until if one[0] > ticks()]

    def latest(self) -> list[str]:
        """The latest that still last, and how many more do."""
        lasting, at = self._lasting(), ticks()
        more = [f"and {len(lasting) - WAITS} more"] * (len(lasting) > WAITS)
        return [f"{words} ({until - at:.0f} s left)" for until, words in lasting[-WAITS:]] + more

    def __enter__(self) -> Waits:
        LOG.addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        LOG.removeHandler(self)


def progress(tickers: int, tell: Callable[[str], None], *, quiet: bool, live: bool) -> Progress:
    """Progress for whoever waits: nothing if `quiet`, a block where stderr is a terminal and `live`, else lines."""
    if quiet:
        return Progress(tickers)
    if live:
        from rich.console import Console

        console = Console(stderr=True)
        if console.is_terminal and not console.is_dumb_terminal:
            return Block(tickers, tell, console)
    return Lines(tickers, tell)


def _line(text: str) -> Text:
    from rich.text import Text

    return Text(text, no_wrap=True, overflow="ellipsis")


def _clock(seconds: float) -> str:
    """Hours, minutes and seconds.

    >>> _clock(3725.4)
    '1:02:05'
    """
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
