"""A reply in the protocol's words: what the desk says, what an action makes of it, and its bytes. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bench.fake_model.scenario import Action
from bench.fake_model.usage import tokens

PIECE = 64
"""Characters of a text in one event of a stream."""

PAGE = b"<!doctype html><title>Sign in</title><form>Please sign in to use this network.</form>\n"
OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
PROSE = "Here is my answer:\n\n{}\n\nTell me if you need more."


@dataclass(frozen=True)
class Shape:
    """A reply before it is written."""

    texts: tuple[str, ...]
    """One for each block."""
    stop_reason: str = "end_turn"
    usage: bool = True

    @property
    def output_tokens(self) -> int:
        """Tokens of the texts."""
        return tokens(sum(len(one.encode("utf-8", "surrogatepass")) for one in self.texts))


def shape(said: Mapping[str, Any] | str, action: Action | None, most: int) -> Shape:
    """What the desk says, changed by an action, within `most` tokens."""
    if action and action.mutate is not None and not isinstance(said, str):
        said = merged(said, action.mutate)
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False, sort_keys=True)
    text = _worded(text, action)
    kept = text.encode("utf-8", "surrogatepass")[: 4 * most].decode("utf-8", "ignore")
    whole = len(kept) == len(text) or tokens(len(text.encode("utf-8", "surrogatepass"))) <= most
    plain = Shape((text,)) if whole else Shape((kept,) if kept else (), "max_tokens")
    return _shaped(plain, action) if action else plain


def _worded(text: str, action: Action | None) -> str:
    if action is None:
        return text
    if action.text is not None:
        return action.text
    if action.wrap is not None:
        return PROSE.format(text) if action.wrap == "prose" else f"```json\n{text}\n```"
    return text


def _shaped(plain: Shape, action: Action) -> Shape:
    text = "".join(plain.texts)
    half = (text[: len(text) // 2],)
    match action.kind:
        case "truncate":
            return replace(plain, texts=half if action.truncate == "cut" else plain.texts, stop_reason="max_tokens")
        case "refuse":
            return replace(plain, texts=(), stop_reason="refusal")
        case "stop_reason":
            return replace(plain, stop_reason=str(action.stop_reason))
        case "pause_turn":
            return replace(plain, texts=half, stop_reason="pause_turn")
        case "context_exceeded":
            return replace(plain, texts=half, stop_reason="model_context_window_exceeded")
        case "no_usage":
            return replace(plain, usage=False)
        case "empty_content":
            return replace(plain, texts=())
        case "two_blocks":
            return replace(plain, texts=(*half, text[len(text) // 2 :]))
    return plain


def merged(base: Any, patch: Any) -> Any:
    """A JSON merge patch (RFC 7386) applied.

    >>> merged({"a": 1, "b": {"c": 2}}, {"a": None, "b": {"d": 3}})
    {'b': {'c': 2, 'd': 3}}
    """
    if not isinstance(patch, Mapping):
        return patch
    found = dict(base) if isinstance(base, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            found.pop(key, None)
        else:
            found[key] = merged(found.get(key), value)
    return found


def message(id: str, model: str, formed: Shape, usage: Mapping[str, Any]) -> dict[str, Any]:
    """A whole message; `usage` is of the input."""
    refused = {"type": "refusal", "category": "general_harms", "explanation": "A refusal by script."}
    found: dict[str, Any] = {
        "id": id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": text} for text in formed.texts],
        "stop_reason": formed.stop_reason,
        "stop_sequence": None,
        "stop_details": refused if formed.stop_reason == "refusal" else None,
    }
    if formed.usage:
        found["usage"] = {**usage, "output_tokens": formed.output_tokens, "service_tier": "standard"}
    return found


def plain_bytes(found: Mapping[str, Any]) -> bytes:
    """A value as the body of an answer; any text a model may say can be written."""
    return json.dumps(found, separators=(",", ":")).encode()


def events(whole: Mapping[str, Any], action: Action | None) -> list[bytes]:
    """A message as the events of a stream, each as bytes."""
    found = [_event(one) for one in _events(whole)]
    if action and action.kind == "stream_overloaded":
        return [*found[: max(3, len(found) // 2)], _event(OVERLOADED)]
    return found[:-1] if action and action.kind == "stream_no_stop" else found


def _event(found: Mapping[str, Any]) -> bytes:
    return f"event: {found['type']}\ndata: ".encode() + plain_bytes(found) + b"\n\n"


def _events(whole: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    usage = whole.get("usage")
    opening = {**whole, "content": [], "stop_reason": None, "stop_details": None}
    if usage:
        opening["usage"] = {**usage, "output_tokens": 0}
    yield {"type": "message_start", "message": opening}
    yield {"type": "ping"}
    for at, block in enumerate(whole["content"]):
        yield {"type": "content_block_start", "index": at, "content_block": {"type": "text", "text": ""}}
        for start in range(0, len(block["text"]), PIECE):
            delta = {"type": "text_delta", "text": block["text"][start : start + PIECE]}
            yield {"type": "content_block_delta", "index": at, "delta": delta}
        yield {"type": "content_block_stop", "index": at}
    delta = {name: whole[name] for name in ("stop_reason", "stop_sequence", "stop_details")}
    closing: dict[str, Any] = {"type": "message_delta", "delta": delta}
    if usage:
        closing["usage"] = {name: count for name, count in usage.items() if name.endswith("_tokens")}
    yield closing
    yield {"type": "message_stop"}
