"""The strict JSON scanner: one object, alone, fenced, or the only complete one in prose. Linear in its input."""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from phases.core.errors import UsageError
from phases.core.text import printable

SIZE_LIMIT = 256 * 1024
DEPTH_LIMIT = 64
DIGITS_LIMIT = 400
VALUES_LIMIT = 10_000
INPUT_LIMIT = 64 * 1024 * 1024

_FENCE = re.compile(r"\s*```[A-Za-z]*[ \t]*\n(.*)\n[ \t]*```\s*\Z", re.DOTALL)


class Malformed(ValueError):
    """A text is not one strict JSON object; the message says why."""


def read_input(file: str) -> str:
    """Text of a file, or of standard input for `-`. Reads a file; raises UsageError where it is no UTF-8 text."""
    try:
        with sys.stdin.buffer if file == "-" else Path(file).open("rb") as source:
            raw = source.read(INPUT_LIMIT + 1)
        if len(raw) > INPUT_LIMIT:
            raise UsageError(f"{printable(file)}: larger than {INPUT_LIMIT // 1024 // 1024} MB")
        return raw.decode("utf-8")
    except (OSError, ValueError) as error:
        reason = f"not UTF-8 at byte {error.start}" if isinstance(error, UnicodeDecodeError) else error
        remedy = "; name a file that is there, or - for standard input" if isinstance(error, FileNotFoundError) else ""
        raise UsageError(f"{printable(file)}: {getattr(error, 'strerror', None) or reason}{remedy}") from None


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
            parse_int=_not_huge,
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
    if text.count(",") > VALUES_LIMIT:
        raise Malformed(f"the reply holds more than {VALUES_LIMIT} values")
    fenced = _FENCE.match(text)
    body = (fenced.group(1) if fenced else text).strip()
    if not body:
        raise Malformed("the reply is empty")
    if not (body.startswith("{") and body.endswith("}")):
        body = _only_span(body)
    try:
        value = strict_json(body)
    except Malformed:
        span = _only_span(body)  # braces at both ends may still be prose
        if span == body:
            raise
        value = strict_json(span)
    if not isinstance(value, dict):
        raise Malformed("the reply is not a JSON object")
    return value


def _only_span(text: str) -> str:
    """The one complete object of a text. Raises Malformed if there is none, another, or it stands in a list."""
    spans = _spans(text)
    if not spans:
        raise Malformed("the reply holds no complete JSON object")
    if len(spans) > 1:
        raise Malformed(f"the reply holds {len(spans)} JSON objects; exactly one is allowed")
    return text[slice(*spans[0])]


def _spans(text: str) -> list[tuple[int, int]]:
    """Outermost objects by their brackets; one that does not end, or stands in a list, is Malformed."""
    spans: list[tuple[int, int]] = []
    start, outside = -1, 0
    for at, depth, opens in _nesting(text):
        if start < 0 and opens and text[at] == "{":
            start, outside = at, depth - 1
        elif start >= 0 and depth == outside:
            spans.append((start, at + 1))
            start = -1
            if outside:
                raise Malformed("the object stands in a list; a JSON object is needed, alone")
    if start >= 0:
        raise Malformed("the reply ends inside a JSON object")
    return spans


def _check_depth(text: str) -> None:
    if text.count("{") + text.count("[") <= DEPTH_LIMIT:
        return
    if any(depth > DEPTH_LIMIT for _, depth, _ in _nesting(text)):
        raise Malformed(f"nested deeper than {DEPTH_LIMIT} levels")


_BRACKETS = re.compile(r'["\\{}\[\]]')


def _nesting(text: str) -> Iterator[tuple[int, int, bool]]:
    """(position, depth after it, whether it opens) of each bracket that is not inside a quoted text.

    Outside any bracket a quote is prose and quotes nothing; a closing bracket there is prose, too.
    """
    depth, quoted, skip = 0, False, -1
    for match in _BRACKETS.finditer(text):
        at, mark = match.start(), match.group()
        if at == skip:
            continue
        if mark == "\\":
            skip = at + 1 if quoted else skip
        elif mark == '"':
            quoted = not quoted and depth > 0
        elif not quoted and (mark in "{[" or depth):
            depth += 1 if mark in "{[" else -1
            yield at, depth, mark in "{["


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


def _not_huge(text: str) -> int:
    if len(text) > DIGITS_LIMIT or math.isinf(float(text)):
        raise ValueError(f"a whole number of {len(text)} digits is too large")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is too large for a number")
    return value
