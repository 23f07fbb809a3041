"""One event loop in one thread of its own, so that a deadline ends what a blocking read would sit out."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError
from typing import Any, TypeVar

from phases.core.errors import Stopped

T = TypeVar("T")


class Loop:
    """A running event loop that other threads hand coroutines to. Starts a thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="model-calls", daemon=True)
        self._thread.start()

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Result of the work. What it raises is raised here; an interrupt here cancels it."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except CancelledError:
            cancelled = True
        except BaseException:
            future.cancel()
            raise
        assert cancelled
        raise Stopped("the provider was closed while a turn was under way")

    def close(self, last: Callable[[], Awaitable[None]]) -> None:
        """Cancel what is under way, do a last thing, and end the thread."""
        asyncio.run_coroutine_threadsafe(_end(last), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _end(last: Callable[[], Awaitable[None]]) -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await last()
