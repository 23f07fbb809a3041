"""The strict JSON scanner: one object, alone, fenced, or the only complete one in prose. Linear in its input."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

SIZE_LIMIT = 256 * 1024
DEPTH_LIMIT = 64

_FENCE = re.compile(r"\s*```[A-Za-z]*[ \t]*\n(.*)\n[ \t]*```\s*\Z", re.DOTALL)


class Malformed(ValueError):
    """A text is not one strict JSON object; the message says why."""


def strict_json(text: str) -> Any:
    """Parse one JSON document that has no duplicate key, NaN, infinity, NUL, lone surrogate or deep nesting.

    Raises Malformed with the reason.
    """
    _check_depth(text)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_closed_object,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
    except json.JSONDecodeError as error:
        raise Malformed(f"not JSON: {error.msg} at character {error.pos}") from None
    except ValueError as error:
        raise Malformed(str(error)) from None
    if any(_UNSTORABLE.search(part) for part in _texts(value)):
        raise Malformed("a text holds NUL or half of a surrogate pair")
    return value


def find_object(text: str) -> dict[str, Any]:
    """The one complete JSON object of a reply: alone, fenced, or the only one in prose.

    Raises Malformed if there is none, more than one, or it is not strict.
    """
    if len(text.encode("utf-8", "surrogatepass")) > SIZE_LIMIT:
        raise Malformed(f"the reply is larger than {SIZE_LIMIT // 1024} kB")
    fenced = _FENCE.match(text)
    body = (fenced.group(1) if fenced else text).strip()
    if not body:
        raise Malformed("the reply is empty")
    if not (body.startswith("{") and body.endswith("}")):
        body = _only_span(body)
    else:
        spans = _spans(body)
        if len(spans) > 1:
            raise Malformed(f"the reply holds {len(spans)} JSON objects; exactly one is allowed")
    value = strict_json(body)
    if not isinstance(value, dict):
        raise Malformed("the reply is not a JSON object")
    return value


def _only_span(text: str) -> str:
    if text.startswith("["):
        raise Malformed("the reply is a list; a JSON object is needed")
    spans = _spans(text)
    if not spans:
        raise Malformed("the reply holds no complete JSON object")
    if len(spans) > 1:
        raise Malformed(f"the reply holds {len(spans)} JSON objects; exactly one is allowed")
    start, end = spans[0]
    if text[:start].rstrip().endswith("["):
        raise Malformed("the reply is a list; a JSON object is needed")
    return text[start:end]


_MARK = re.compile(r'["\\{}]')


def _spans(text: str) -> list[tuple[int, int]]:
    """Outermost balanced braces, quotes inside them respected; an unbalanced opening is Malformed."""
    spans: list[tuple[int, int]] = []
    depth, start, quoted, skip = 0, 0, False, -1
    for match in _MARK.finditer(text):
        at, mark = match.start(), match.group()
        if at == skip:
            continue
        if mark == "\\":
            skip = at + 1 if quoted else skip
        elif mark == '"':
            quoted = (not quoted) if depth else False
        elif quoted:
            continue
        elif mark == "{":
            start = at if depth == 0 else start
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                spans.append((start, at + 1))
    if depth:
        raise Malformed("the reply ends inside a JSON object")
    return spans


def _check_depth(text: str) -> None:
    if text.count("{") + text.count("[") <= DEPTH_LIMIT:
        return
    depth, quoted, skip = 0, False, -1
    for match in re.finditer(r'["\\{}\[\]]', text):
        at, mark = match.start(), match.group()
        if at == skip:
            continue
        if mark == "\\":
            skip = at + 1 if quoted else skip
        elif mark == '"':
            quoted = not quoted
        elif not quoted:
            depth += 1 if mark in "{[" else -1
            if depth > DEPTH_LIMIT:
                raise Malformed(f"nested deeper than {DEPTH_LIMIT} levels")


def _closed_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        doubled = sorted(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise ValueError(f"the key {', '.join(map(repr, doubled))} stands twice in one object")
    return found


_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is too large for a number")
    return value
