"""One turn, from its first request to its reply or its end: tries, waits, and one deadline over all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from phases.core.errors import InfrastructureError, ModelDown, RateLimited, RebuttalError, UsageError
from phases.core.log import LOG
from phases.core.provider import Reply, Request
from phases.core.recorder import ticks, utc_now
from phases.core.text import digest
from phases.providers.anthropic.endings import ending, tried
from phases.providers.anthropic.faults import Fault
from phases.providers.anthropic.redaction import Redaction
from phases.providers.anthropic.retries import Kind, asked_wait, backoff, spent
from phases.providers.anthropic.window import Window
from phases.providers.anthropic.wire import most, reply_of
from schemas.events import Attempt
from schemas.settings import ProviderSettings


@dataclass(frozen=True)
class Got:
    """A message as it came."""

    message: dict[str, Any]
    request_id: str


class Sender(Protocol):
    """Sends one request, once."""

    async def send(self, request: Request) -> Got | Fault:
        """What came of it."""
        ...


@dataclass
class Turn:
    """Where one turn stands."""

    request: Request
    begun: float = 0.0
    attempts: list[Attempt] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)
    waited: float = 0.0
    sent: int = 0
    """Requests that were sent, answered or not."""
    owed: bool = False
    """Whether its last try may have been billed."""

    @cached_property
    def key(self) -> str:
        """Names the turn, for waits that differ from turn to turn and are the same each time."""
        return digest(f"{self.request.model} {self.request.seat} {self.request.prompt.text}")


class Turns:
    """Carries out turns through one window. Lives on one event loop."""

    def __init__(
        self, settings: ProviderSettings, sender: Sender, redaction: Redaction, places: Mapping[str, str]
    ) -> None:
        self._settings, self._sender, self._redaction, self._places = settings, sender, redaction, places
        self.window = Window(settings.max_in_flight, settings.breaker)

    async def replies(self, requests: Sequence[Request]) -> list[Reply | RebuttalError]:
        """All turns at once, in order: the reply of each, or what ended it. One that fails costs no other its reply."""
        tasks = [asyncio.create_task(self._reply(request)) for request in requests]
        try:
            found = await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        unforeseen = next((one for one in found if not isinstance(one, Reply | RebuttalError)), None)
        if isinstance(unforeseen, BaseException):
            raise unforeseen
        return [one for one in found if isinstance(one, Reply | RebuttalError)]

    async def _reply(self, request: Request) -> Reply:
        """The reply of one turn. Raises what ends it; whatever concerns more than its ticker ends all others too."""
        turn = Turn(request)
        try:
            return await self._in_time(turn)
        except RebuttalError as error:
            if isinstance(error, InfrastructureError | UsageError):
                kind, words = type(error), str(error)
                self.window.shut(lambda: kind(words))
            error.billed = turn.owed
            raise

    async def _in_time(self, turn: Turn) -> Reply:
        """The deadline runs from the first place on: what waits for a place is not begun."""
        entered = await self.window.enter()
        turn.begun = ticks()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._settings.deadline_seconds):
                return await self._tries(turn, entered)
        raise ModelDown(
            f"no complete answer within provider.deadline_seconds = {self._settings.deadline_seconds:g}"
            f" from {turn.request.model}; the last request may have been billed; requests sent: {turn.sent}"
            + (f"; {tried(turn.attempts)}" if turn.attempts else "")
        )

    async def _tries(self, turn: Turn, entered: int) -> Reply:
        while True:
            turn.owed = True
            turn.sent += 1
            try:
                got = await self._sender.send(turn.request)
            finally:
                self.window.leave()
            turn.owed = isinstance(got, Got) or got.billed
            self._note(turn, got)
            if isinstance(got, Got):
                self.window.answered()
                return self._made(turn, got)
            self._count(got, entered)
            turn.waited = self._wait(turn, got)
            about = (turn.request.seat or turn.request.skill, got.status, turn.waited, turn.sent + 1)
            LOG.info("%s: status %s, waits %.1f s before try %d", *about, extra={"wait": turn.waited})
            await self.window.pause(turn.waited)
            if turn.owed:
                await asyncio.to_thread(turn.request.again)
                turn.owed = False
            entered = await self.window.enter()

    def _note(self, turn: Turn, got: Got | Fault) -> None:
        status = "200" if isinstance(got, Got) else got.status
        waited = round(turn.waited, 3)
        lost = most(turn.request, self._settings) if isinstance(got, Fault) and got.billed else None
        turn.attempts.append(Attempt(status=status, request_id=got.request_id, waited_seconds=waited, lost=lost))

    def _made(self, turn: Turn, got: Got) -> Reply:
        hide = self._redaction.hide
        reply = reply_of(got.message, turn.request, self._settings)
        return replace(
            reply,
            text=hide(reply.text),
            stop_reason=hide(reply.stop_reason),
            request_id=turn.attempts[-1].request_id,
            attempts=tuple(turn.attempts),
        )

    def _count(self, fault: Fault, entered: int) -> None:
        """Tell the window; if that was one failure too many, nobody goes on."""
        overloaded = fault.kind in ("limited", "overloaded")
        server = fault.kind in ("overloaded", "server")
        if overloaded or server:
            self.window.failed(entered, overloaded=overloaded, server=server)
        if self.window.tripped:
            raise ModelDown(
                f"the model's server failed {self.window.row} times in a row, last with {fault.status};"
                f" stopped after {self.window.calls} calls"
            )

    def _wait(self, turn: Turn, fault: Fault) -> float:
        """Seconds until the next try. Raises what ends the turn if there is none."""
        turn.kinds.append(fault.kind)
        if spent(turn.kinds):
            raise self._told(turn, ending(fault, turn.request, self._settings, self._places))
        asked = asked_wait(fault.retry_after, utc_now())
        left = self._settings.deadline_seconds - (ticks() - turn.begun)
        if asked is not None and asked > min(self._settings.retry_after_cap_seconds, left):
            raise self._told(turn, self._too_long_a_wait(fault, asked))
        return max(asked or 0.0, backoff(turn.key, len(turn.attempts)))

    def _too_long_a_wait(self, fault: Fault, asked: float) -> RebuttalError:
        cap, deadline = self._settings.retry_after_cap_seconds, self._settings.deadline_seconds
        return RateLimited(
            f"rate limited, status {fault.status}: the model's server asks to wait {asked:,.0f} s; allowed are"
            f" provider.retry_after_cap_seconds = {cap:g} within provider.deadline_seconds = {deadline:g}"
        )

    def _told(self, turn: Turn, error: RebuttalError) -> RebuttalError:
        """The error with the tries it took, where there was more than one."""
        if len(turn.attempts) > 1 and isinstance(error, InfrastructureError):
            return type(error)(f"{error}; {tried(turn.attempts)}")
        return error
