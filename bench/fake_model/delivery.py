"""How bytes leave the server, or do not: whole, drop by drop, cut short, or with the line torn."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Sequence

from aiohttp import web

from bench.fake_model.scenario import Action

STREAM = "text/event-stream"

ID = web.RequestKey("id", str)
DIGEST = web.RequestKey("digest", str)
"""Digest of the body of a turn that is being answered."""
OUTCOME = web.RequestKey("outcome", str)
"""What becomes of a request that gets no status."""

_TORN = struct.pack("ii", 1, 0)


async def deliver(
    request: web.Request, chunks: Sequence[bytes], kind: str, action: Action | None
) -> web.StreamResponse:
    """Send the chunks of an answer, the way an action says."""
    how = action.kind if action else ""
    if how == "cut_json":
        body = b"".join(chunks)
        chunks = [body[: len(body) // 2]]
    if how == "drip":
        chunks = [bytes((byte,)) for chunk in chunks for byte in chunk]
    if how not in ("drip", "reset_mid_body") and kind != STREAM:
        return web.Response(body=b"".join(chunks), content_type=kind, headers=_id(request))
    answer = web.StreamResponse(headers={"content-type": kind, **_id(request)})
    if kind != STREAM:
        answer.content_length = sum(map(len, chunks))
    await answer.prepare(request)
    if how == "reset_mid_body":
        body = b"".join(chunks)
        await answer.write(body[: len(body) // 2])
        await asyncio.sleep(0.02)
        return tear(request)
    for chunk in chunks:
        await answer.write(chunk)
        if how == "drip" and action:
            await asyncio.sleep((action.drip or 0) / 1000)
    await answer.write_eof()
    return answer


def tear(request: web.Request) -> web.StreamResponse:
    """Reset the connection. What is returned never leaves."""
    request[OUTCOME] = "reset"
    if request.transport is not None:
        line: socket.socket | None = request.transport.get_extra_info("socket")
        if line is not None:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _TORN)
        request.transport.abort()
    return web.Response(status=200)


def _id(request: web.Request) -> dict[str, str]:
    return {"request-id": request[ID]}
