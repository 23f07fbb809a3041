"""Sends one request with the SDK, once, and reads the answer to its end. Reaches the network.

The body is read here and not by the SDK: it takes a sign-in page for an answer, and raises whatever a
half body happens to raise.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import aiohttp
import anthropic
import httpx2

from phases.core.errors import UsageError
from phases.core.provider import Request
from phases.providers.anthropic.faults import Fault, of_connection, of_status, of_stream
from phases.providers.anthropic.redaction import Redaction
from phases.providers.anthropic.turns import Got
from phases.providers.anthropic.wire import body_of, is_message, message_of
from schemas.settings import ProviderSettings

TRANSPORT = (anthropic.APIConnectionError, httpx2.HTTPError, aiohttp.ClientError, OSError)
"""What a connection raises, wrapped or not."""

CUT = "the stream ended before its message_stop"


class SdkSender:
    """Sends through one client. Nothing that comes back holds the key, whatever the server echoes."""

    def __init__(self, client: Any, settings: ProviderSettings, redaction: Redaction) -> None:
        self._client, self._settings, self._redaction = client, settings, redaction

    async def send(self, request: Request) -> Got | Fault:
        """What came of one request. Raises UsageError where the credentials of a cloud are missing."""
        got = await self._tried(request)
        words = self._redaction.words
        request_id = words(got.request_id)[:100]
        if isinstance(got, Fault):
            return replace(got, request_id=request_id, status=words(got.status)[:100], words=words(got.words))
        return Got(got.message, request_id)

    async def _tried(self, request: Request) -> Got | Fault:
        began: list[str] = []
        try:
            return await self._sent(body_of(request, self._settings), began)
        except anthropic.APIStatusError as error:
            return of_status(error.status_code, _body(error), error.response.headers)
        except TRANSPORT as error:
            return replace(of_connection(error, begun=bool(began)), request_id="".join(began))
        except ValueError as error:
            return Fault("garbled", f"an answer that cannot be decoded ({type(error).__name__})", billed=True)
        except (anthropic.AnthropicError, ImportError) as error:
            missing = type(error).__name__
        raise UsageError(f"provider {self._settings.name}: credentials cannot be loaded ({missing}); set provider.key")

    async def _sent(self, body: dict[str, Any], began: list[str]) -> Got | Fault:
        async with self._client.messages.with_streaming_response.create(**body) as answer:
            request_id = answer.headers.get("request-id", "")
            began.append(request_id)
            form = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
            if form == "text/event-stream":
                return await _streamed(answer.http_response, request_id)
            message = message_of((await answer.read()).decode("utf-8", "replace"))
            if message is None:
                return Fault("garbled", f"a body of the form {form or 'unknown'}", request_id=request_id, billed=True)
            return Got(message, request_id)

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()


def _body(error: anthropic.APIStatusError) -> str:
    try:
        return error.response.text
    except (httpx2.HTTPError, httpx2.StreamError):
        return ""


async def _streamed(response: httpx2.Response, request_id: str) -> Got | Fault:
    """The message that a stream of events comes to."""
    message: dict[str, Any] = {}
    async for one in anthropic.AsyncStream.raw_events(response):
        if one.event == "error":
            return of_stream(one.data, request_id)
        if one.event == "message_stop":
            if is_message(message):
                return Got(message, request_id)
            return Fault("garbled", "a stream that is no message", request_id=request_id, billed=True)
        if one.data and not _add(message, json.loads(one.data)):
            return Fault("garbled", "a stream that is no message", request_id=request_id, billed=True)
    return Fault("broken", CUT, request_id=request_id, billed=True)


def _add(message: dict[str, Any], event: Any) -> bool:
    """Add one event to a message; whether it fits."""
    try:
        match event["type"]:
            case "message_start":
                message.update(event["message"])
                message["content"] = []
            case "content_block_start":
                message["content"].append(dict(event["content_block"]))
            case "content_block_delta" if event["delta"]["type"] == "text_delta":
                message["content"][event["index"]]["text"] += event["delta"]["text"]
            case "message_delta":
                message.update(event["delta"])
                message["usage"] = {**(message.get("usage") or {}), **(event.get("usage") or {})}
    except (KeyError, IndexError, TypeError, ValueError):
        return False
    return True
