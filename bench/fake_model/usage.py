"""Tokens and the prompt cache, by rule: a token is four bytes, a marked prefix is kept for the server's life."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple


class Block(NamedTuple):
    """A block of a prompt, in the order the cache reads them."""

    text: bytes
    ttl: str | None
    """How long it is kept, if the block carries a mark."""


def tokens(size: int) -> int:
    """Tokens of so many bytes, rounded up.

    >>> tokens(0), tokens(4), tokens(5)
    (0, 1, 2)
    """
    return -(-size // 4)


def blocks(body: Mapping[str, Any]) -> list[Block]:
    """Blocks of system and messages; a mark at the top level is the last block's."""
    contents = [body.get("system") or (), *(one["content"] for one in body.get("messages", ()))]
    found = [block for content in contents for block in _blocks(content)]
    if found and body.get("cache_control") and found[-1].ttl is None:
        found[-1] = found[-1]._replace(ttl=_ttl(body["cache_control"]))
    return found


def _blocks(content: Any) -> Iterator[Block]:
    if isinstance(content, str):
        yield Block(content.encode("utf-8", "surrogatepass"), None)
        return
    for block in content:
        bare = {key: value for key, value in block.items() if key != "cache_control"}
        text = block["text"] if block.get("type") == "text" else json.dumps(bare, sort_keys=True)
        yield Block(text.encode("utf-8", "surrogatepass"), _ttl(block.get("cache_control")))


def _ttl(mark: Any) -> str | None:
    return str(mark.get("ttl") or "5m") if mark else None


def counted(body: Mapping[str, Any]) -> int:
    """Tokens of a whole prompt."""
    return tokens(sum(len(block.text) for block in blocks(body)))


class Cache:
    """Marked prefixes that were seen, a model each."""

    def __init__(self, minimum: int) -> None:
        self._minimum = minimum
        self._seen: set[tuple[str, str]] = set()

    def usage(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Input tokens of a prompt, split into read, written and neither; keeps its marked prefixes."""
        read, written = 0, {"5m": 0, "1h": 0}
        upto = 0
        for key, size, ttl in self._prefixes(body):
            if key in self._seen:
                read, upto, written = size, size, dict.fromkeys(written, 0)
            else:
                written[ttl] += size - upto
                upto = size
            self._seen.add(key)
        return {
            "input_tokens": counted(body) - upto,
            "cache_creation_input_tokens": sum(written.values()),
            "cache_read_input_tokens": read,
            "cache_creation": {f"ephemeral_{ttl}_input_tokens": count for ttl, count in written.items()},
        }

    def _prefixes(self, body: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], int, str]]:
        """Key, tokens and lifetime of every marked prefix that is long enough, shortest first."""
        size, running = 0, hashlib.sha256()
        for block in blocks(body):
            size += len(block.text)
            running.update(b"%d:" % len(block.text) + block.text)
            if block.ttl and tokens(size) >= self._minimum:
                yield (str(body.get("model")), running.copy().hexdigest()), tokens(size), block.ttl
