"""How many requests may be under way: fewer when the server is overloaded, more while it is not, none once it is down.

Lives on one event loop; nothing here is called from another thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from phases.core.errors import RebuttalError


class Window:
    """Places for requests. After `breaker` server failures in a row, or once shut, nobody gets one any more.

    A failure counts only for a request begun after the one before had failed: a hundred refusals of
    one moment are one piece of news.
    """

    def __init__(self, most: int, breaker: int) -> None:
        self.size = most
        self.calls = 0
        self.under_way = 0
        self.row = 0
        self._most, self._breaker = most, breaker
        self._news = 0
        self._well = 0
        self._ending: Callable[[], RebuttalError] | None = None
        self._changed, self._shut = asyncio.Event(), asyncio.Event()

    @property
    def tripped(self) -> bool:
        """Whether there were too many failures in a row."""
        return self.row >= self._breaker

    async def enter(self) -> int:
        """Wait for a place and take it; gives what `failed` wants to know. Raises what the window was shut with."""
        while self._ending is None and self.under_way >= self.size:
            await self._changed.wait()
        self._check()
        self.under_way += 1
        self.calls += 1
        return self._news

    def leave(self) -> None:
        """Give the place back."""
        self.under_way -= 1
        self._wake()

    def answered(self) -> None:
        """A request got its answer. A whole window of answers makes one more place."""
        self.row = 0
        self._well += 1
        if self._well >= self.size:
            self.size, self._well = min(self._most, self.size + 1), 0
            self._wake()

    def failed(self, entered: int, *, overloaded: bool, server: bool) -> None:
        """A request was refused: `overloaded` halves the window, `server` counts as a failure in the row."""
        if entered != self._news:
            return
        self._news += 1
        self._well = 0
        self.row += server
        if overloaded:
            self.size = max(1, self.size // 2)

    def shut(self, ending: Callable[[], RebuttalError]) -> None:
        """Let nobody in any more; the first reason stands."""
        self._ending = self._ending or ending
        self._shut.set()
        self._wake()

    async def pause(self, seconds: float) -> None:
        """Wait outside. Raises at once what the window is shut with."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._shut.wait()
        self._check()

    def _check(self) -> None:
        if self._ending is not None:
            raise self._ending()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
