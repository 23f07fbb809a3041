"""Requests as the Messages API wants them, and messages as our replies. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from phases.core.ask import chosen
from phases.core.provider import Reply, Request
from phases.maths.pricing import worst
from schemas.events import Usage
from schemas.settings import ProviderSettings

MARKS = 4
"""Most cache marks of one request."""

UNSTREAMED = 21_333
"""Longest reply, in tokens, that a server gives in one piece."""

BYTES_PER_TOKEN = 4

USAGE = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_creation_input_tokens",
}
"""Our names of what is counted, and the server's."""


def body_of(request: Request, settings: ProviderSettings) -> dict[str, Any]:
    """The body of one request: no tools, no temperature, the prompt byte for byte."""
    effort = chosen(settings.effort, request.skill, request.seat)
    thinking = chosen(settings.thinking, request.skill, request.seat)
    system, *content = _blocks(request, settings.minimum_cacheable)
    return {
        "model": request.model,
        "max_tokens": settings.max_tokens,
        "system": [system],
        "messages": [{"role": "user", "content": content}],
        "output_config": {
            "format": {"type": "json_schema", "schema": dict(request.schema)},
            **({"effort": effort} if effort else {}),
        },
        **({"thinking": {"type": thinking}} if thinking else {}),
        **({"stream": True} if settings.stream or settings.max_tokens > UNSTREAMED else {}),
    }


def _blocks(request: Request, minimum: int) -> list[dict[str, Any]]:
    """System and parts, marked where a beginning ends that other turns have too, if it is long enough."""
    texts = (request.prompt.system, *request.prompt.parts)
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    for at in (0, *request.prompt.shared)[-MARKS:]:
        if sum(map(_size, texts[: at + 1])) >= minimum * BYTES_PER_TOKEN:
            blocks[at]["cache_control"] = {"type": "ephemeral"}
    return blocks


def message_of(text: str) -> dict[str, Any] | None:
    """The message that a body holds, or None if it is no message."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if is_message(found) else None


def is_message(found: object) -> bool:
    """Whether an object is a message whose text can be read."""
    if not isinstance(found, dict) or found.get("type") != "message" or not isinstance(found.get("content"), list):
        return False
    return all(
        isinstance(block, dict) and (block.get("type") != "text" or isinstance(block.get("text"), str))
        for block in found["content"]
    )


def reply_of(message: Mapping[str, Any], request: Request, settings: ProviderSettings) -> Reply:
    """The reply that a message is. Its stop reason is kept as it is: whoever reads the reply judges it."""
    stop = message.get("stop_reason")
    return Reply(
        text="".join(block["text"] for block in message["content"] if block.get("type") == "text"),
        stop_reason=stop if isinstance(stop, str) else "",
        usage=_usage(message.get("usage"), request, settings),
    )


def _usage(found: object, request: Request, settings: ProviderSettings) -> Usage:
    """What the server counted; where it did not, the most it can have been."""
    counted = found if isinstance(found, dict) else {}
    counts = {ours: counted.get(theirs) for ours, theirs in USAGE.items()}
    for name in ("cache_read_tokens", "cache_write_tokens"):
        counts[name] = counts[name] or 0
    if all(type(count) is int and count >= 0 for count in counts.values()) and any(counts.values()):
        return Usage.model_validate(counts)
    return most(request, settings)


def most(request: Request, settings: ProviderSettings) -> Usage:
    """The most tokens that one try can have had."""
    return worst(request.size, settings.max_tokens)


def largest_part(request: Request) -> str:
    """The largest part of a prompt, by its name and size."""
    named = [("the skill's text", request.prompt.system), *((_name(part), part) for part in request.prompt.parts)]
    name, text = max(named, key=lambda one: _size(one[1]))
    return f"{name} with {_size(text):,} bytes"


def _name(part: str) -> str:
    """The name between the marks of a part."""
    first = part.partition("\n")[0]
    return first.strip("[]").partition(" ")[0] if first.startswith("[") else "the schema of the answer"


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
