"""What a server is asked beside turns: what it knows of a model, how many tokens a prompt has. Nothing is billed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from types import MappingProxyType, TracebackType
from typing import Any, TypeVar

import anthropic

from phases.core.errors import InfrastructureError, KeyRefused, ModelDown, UsageError
from phases.core.provider import Request
from phases.providers.anthropic.clients import client
from phases.providers.anthropic.endings import ends_in_version, quoted
from phases.providers.anthropic.faults import Fault, of_connection, of_status
from phases.providers.anthropic.hosts import check_rest, checked_base
from phases.providers.anthropic.loop import Loop
from phases.providers.anthropic.redaction import Redaction
from phases.providers.anthropic.sender import TRANSPORT
from phases.providers.anthropic.wire import body_of
from schemas.settings import ProviderSettings

T = TypeVar("T")
R = TypeVar("R")

PATIENCE = 10.0
"""Seconds a server may take for one answer."""

COUNTED = ("model", "system", "messages", "output_config", "thinking")
"""Parts of a turn's body that a count of its tokens takes."""


@dataclass(frozen=True)
class Known:
    """What a server says of one model."""

    model: str
    lifecycle: str
    """active, deprecated or retired; `unknown` if it has no such model, `unsaid` if it lists none."""
    retires: date | None = None


class Beside:
    """Asks one server. A context manager: it holds connections and a thread."""

    def __init__(
        self, settings: ProviderSettings, key: str | None, places: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """Checks everything and sends nothing. `places` says where each model is configured.

        Raises UsageError naming what is wrong.
        """
        check_rest(settings)
        self.base = checked_base(settings)
        """Address of the server."""
        self._settings, self._redaction = settings, Redaction(key)
        self._client = client(settings, self.base, key)
        self._places, self._room = places, asyncio.Semaphore(settings.max_in_flight)
        self._loop = Loop()

    def __enter__(self) -> Beside:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._loop.close(self._client.close)

    def models(self, names: Sequence[str]) -> list[Known]:
        """What the server says of each model. Reaches the network.

        Raises ModelDown if it does not answer, KeyRefused if it refuses the key.
        """
        return self._loop.wait(_all(self._model, names))

    def tokens(self, requests: Sequence[Request]) -> list[int]:
        """Tokens that the server counts in each prompt, its schema included. Reaches the network."""
        return self._loop.wait(_all(self._count, requests))

    async def _model(self, name: str) -> Known:
        found = await self._asked(partial(self._client.models.with_raw_response.retrieve, name))
        if isinstance(found, Fault) and found.kind == "no_model":
            return Known(name, "unknown" if name in found.words else "unsaid")
        if isinstance(found, Fault):
            raise self._error(found, name)
        return Known(name, str(found.get("lifecycle") or "unsaid"), _day(found.get("retires_at")))

    async def _count(self, request: Request) -> int:
        body = body_of(request, self._settings)
        counted = {name: body[name] for name in COUNTED if name in body}
        found = await self._asked(partial(self._client.messages.with_raw_response.count_tokens, **counted))
        if isinstance(found, Fault):
            raise self._error(found, request.model)
        number = found.get("input_tokens")
        if type(number) is not int:
            raise ModelDown("the model's server counts no tokens; estimate without --count")
        return number

    async def _asked(self, work: Callable[[], Awaitable[Any]]) -> dict[str, Any] | Fault:
        try:
            async with self._room, asyncio.timeout(PATIENCE):
                found = (await work()).http_response.json()
        except anthropic.APIStatusError as error:
            return of_status(error.status_code, error.response.text, error.response.headers)
        except TimeoutError:
            return Fault("unreached", f"no answer within {PATIENCE:g} s")
        except TRANSPORT as error:
            return of_connection(error, begun=False)
        except (ValueError, RecursionError, anthropic.AnthropicError):
            return Fault("garbled", "200")
        return found if isinstance(found, dict) else Fault("garbled", "200")

    def _error(self, fault: Fault, model: str) -> InfrastructureError | UsageError:
        words = quoted(self._redaction.words(fault.words))
        told = f"{self._redaction.words(fault.status)}{f' ({words})' if words else ''}"
        if fault.kind == "denied":
            return KeyRefused(f"the key is refused, status {told}")
        if fault.kind == "no_model" and ends_in_version(self._settings):
            return UsageError(f"provider.base_url: status {told}; leave out /v1, which is added to it")
        if fault.kind == "no_model":
            place = self._places.get(model, "the configuration")
            return UsageError(
                f"models: the server knows no model {model!r} ({words}); correct it under `models:` in {place}"
            )
        return ModelDown(f"what answers is no model's server: {told}" if fault.kind == "garbled" else told)


async def _all(ask: Callable[[T], Coroutine[Any, Any, R]], about: Iterable[T]) -> list[R]:
    """All questions at once, in order; the first that fails ends the others."""
    tasks = [asyncio.create_task(ask(one)) for one in about]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _day(text: object) -> date | None:
    try:
        return datetime.fromisoformat(str(text)).date()
    except ValueError:
        return None
