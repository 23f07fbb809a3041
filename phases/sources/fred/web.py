"""The key-less download, one request a series: bounded in time and size, tried again, never redirected."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress

import aiohttp

from phases.core.errors import SourceDown
from schemas.settings import SourceSettings

AT_ONCE = 4
"""Requests at a time; a courtesy to a public service."""

PAUSES = (0.5, 2.0)
"""Seconds before each further try."""

LIMIT = 8 * 1024 * 1024
"""Most bytes of one series; thirty years of days are a few hundred thousand."""

CHUNK = 64 * 1024


class _Passing(Exception):
    """A failure that another try may not have."""


def downloaded(settings: SourceSettings, series: Sequence[str], since: str) -> dict[str, str | None]:
    """Body of each series from that day on; None where the server knows no such series. Reaches the network.

    Raises SourceDown naming the series. `deadline_seconds` holds for each series, all its tries included.
    """
    return asyncio.run(_all(settings, series, since))


async def _all(settings: SourceSettings, series: Sequence[str], since: str) -> dict[str, str | None]:
    places = asyncio.Semaphore(AT_ONCE)
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as session:

        async def one(id: str) -> str | None:
            async with places:
                return await _one(session, settings, {"id": id, "cosd": since})

        return dict(zip(series, await asyncio.gather(*map(one, series)), strict=True))


async def _one(session: aiohttp.ClientSession, settings: SourceSettings, query: Mapping[str, str]) -> str | None:
    about, last = f"fred: {query['id']}", "no answer"
    try:
        async with asyncio.timeout(settings.deadline_seconds):
            for pause in (*PAUSES, None):
                try:
                    return await _tried(session, settings, query)
                except (_Passing, aiohttp.ClientError, OSError) as error:
                    last = " ".join(str(error).split())[:200] or type(error).__name__
                if pause is not None:
                    await _wait(pause)
    except TimeoutError:
        last = f"not done within {settings.deadline_seconds:g} seconds ({last})"
    except (ValueError, SourceDown) as error:
        last = str(error)
    raise SourceDown(f"{about}: {last}; check the network, source.proxy and source.fred.base_url")


async def _wait(seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.Event().wait()


async def _tried(session: aiohttp.ClientSession, settings: SourceSettings, query: Mapping[str, str]) -> str | None:
    base = settings.fred.base_url
    async with session.get(base, params=query, proxy=settings.proxy, allow_redirects=False) as answer:
        status = answer.status
        if status == 404:
            return None
        if status == 429 or status >= 500:
            raise _Passing(f"HTTP {status}")
        if status != 200:
            where = answer.headers.get("Location", "")
            raise SourceDown(f"HTTP {status}" + (f", a redirect to {where[:80]}" if where else ""))
        body = b""
        async for chunk in answer.content.iter_chunked(CHUNK):
            body += chunk
            if len(body) > LIMIT:
                raise SourceDown(f"more than {LIMIT // 1024 // 1024} MB")
    return _text(body)


def _text(body: bytes) -> str:
    """The body as text. An empty one, or a page, comes of a passing fault of the server."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _Passing("a body that is no UTF-8 text") from None
    start = text.lstrip()
    if not start:
        raise _Passing("an empty body")
    if start.startswith("<"):
        raise _Passing("a page of HTML instead of data")
    return text
