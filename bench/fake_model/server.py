"""A server on loopback, in this loop or in a thread of its own."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from aiohttp import web

from bench.fake_model.scenario import scenario
from bench.fake_model.service import Made, Seen, Service

T = TypeVar("T")

LOOPBACK = "127.0.0.1"
BACKLOG = 1024
GRACE = 0.1
"""Seconds that requests under way get when the server stops."""


def listening(port: int) -> socket.socket:
    """A socket that listens on loopback; port 0 is any that is free."""
    line = socket.create_server((LOOPBACK, port), backlog=BACKLOG)
    line.setblocking(False)
    return line


async def serve(service: Service, line: socket.socket, stop: asyncio.Event) -> None:
    """Answer until told to stop."""
    runner = web.AppRunner(service.app(), access_log=None, shutdown_timeout=GRACE, handler_cancellation=True)
    await runner.setup()
    handlers = runner.server
    assert handlers is not None

    def accepted() -> asyncio.Protocol:
        service.stats.connections += 1
        return handlers()

    server = await asyncio.get_running_loop().create_server(accepted, sock=line, backlog=BACKLOG)
    try:
        await stop.wait()
    finally:
        server.close()
        await runner.cleanup()


class FakeModel:
    """A server in a thread, as a context manager. It keeps every request it gets."""

    def __init__(self, told: Mapping[str, Any] | Path) -> None:
        """Reads the scenario and the skills."""
        self._service = Service(scenario(told), keep=True)
        self.url = ""
        """Address, for `base_url`, once the server runs."""

    def __enter__(self) -> FakeModel:
        self._line = listening(0)
        self.url = f"http://{LOOPBACK}:{self._line.getsockname()[1]}"
        self._loop, self._stop = asyncio.new_event_loop(), asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        """The thread: its socket listens already, so whoever comes early waits a moment."""
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(serve(self._service, self._line, self._stop))

    @property
    def bodies(self) -> list[Seen]:
        """Requests to the protocol's paths, in the order they came."""
        return list(self._service.bodies)

    @property
    def made(self) -> list[Made]:
        """Messages that were made, in order."""
        return list(self._service.made)

    def stats(self) -> dict[str, Any]:
        """What the server counted, also after its end."""
        return self._inside(self._service.stats.told)

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Read and answer nothing until the block ends."""
        held, over = threading.Event(), threading.Event()

        def hold() -> None:
            held.set()
            over.wait()

        self._loop.call_soon_threadsafe(hold)
        held.wait()
        try:
            yield
        finally:
            over.set()

    def reset(self) -> None:
        """Forget everything that was counted, cached, kept or scripted so far."""
        self._inside(self._service.clear)

    def _inside(self, work: Callable[[], T]) -> T:
        """Do something where no request is being answered."""
        if not self._thread.is_alive():
            return work()

        async def done() -> T:
            return work()

        return asyncio.run_coroutine_threadsafe(done(), self._loop).result()
