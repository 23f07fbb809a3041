"""Files of stored debates: JSON Lines or one JSON document with a list of them, plain or gzip.

A bad line, or a bad entry of the list, is named and passed over, never repaired.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from pydantic import ValidationError

from phases.core.errors import UsageError
from phases.core.scanner import Malformed, strict_json
from phases.core.text import printable
from phases.importers import IMPORTERS, Importer
from phases.importers.stored import Reading, SetAside, StoredDebate

LINE_LIMIT = 16 * 1024 * 1024
"""Bytes of a line, and of a document."""
_GZIP = b"\x1f\x8b"

Unit = Literal["line", "entry"]
Entry = tuple[int, bytes]


@dataclass(frozen=True)
class BadLine:
    """A line, or an entry of a list, that holds no debate."""

    number: int
    reason: str


@dataclass(frozen=True)
class Imported:
    """Everything a file held."""

    debates: tuple[StoredDebate, ...]
    set_aside: tuple[SetAside, ...]
    bad_lines: tuple[BadLine, ...]
    unit: Unit
    """What the numbers count."""


def load_debates(path: Path, reading: Reading) -> Imported:
    """Read a file of stored debates. Reads a file; raises UsageError if it cannot be read or holds nothing."""
    with _opened(path) as stream:
        head = stream.read(LINE_LIMIT + 1)
    try:
        listed, broken = _listed(head), ""
    except Malformed as error:
        listed, broken = None, str(error)
    if listed is not None:
        return _imported(path, enumerate(listed, 1), "entry", reading)
    found = _imported(path, _lines(path), "line", reading)
    if broken and _begins_document(head) and not (found.debates or found.set_aside):
        return Imported((), (), (BadLine(1, printable(broken)),), "line")
    return found


def _imported(path: Path, entries: Iterable[Entry], unit: Unit, reading: Reading) -> Imported:
    found: dict[type, list[StoredDebate | SetAside | BadLine]] = {StoredDebate: [], SetAside: [], BadLine: []}
    seen: dict[tuple[str, ...], int] = {}
    for number, raw in entries:
        one = _debate(number, raw, reading)
        if not isinstance(one, BadLine):
            first = seen.setdefault(one.key, number)
            if first != number:
                where = "stands already on line" if unit == "line" else "is already entry"
                one = BadLine(number, f"{printable(one.id)} {where} {first}")
        found[type(one)].append(one)
    if not any(found.values()):
        raise UsageError(
            f"{printable(str(path))}: holds no line or entry; give JSON Lines, one debate a line, or a list of them"
        )
    return Imported(*(tuple(kind) for kind in found.values()), unit)  # type: ignore[arg-type, call-arg]


def _debate(number: int, raw: bytes, reading: Reading) -> StoredDebate | SetAside | BadLine:
    try:
        text = _text(raw, first=number == 1)
        return _importer(strict_json(text)).read(text, reading)
    except ValidationError as error:
        return BadLine(number, "; ".join(_problem(one["loc"], one["msg"]) for one in error.errors()[:3]))
    except ValueError as error:
        return BadLine(number, printable(str(error)))


def _problem(place: tuple[int | str, ...], message: str) -> str:
    return printable(f"{'.'.join(map(str, place))}: {message[0].lower()}{message[1:]}")


def _importer(value: object) -> Importer:
    """The shape of which a debate has most of the needed keys. Raises Malformed if it has none of any."""
    if not isinstance(value, dict):
        raise Malformed("not a JSON object")
    share = _shares(value)
    likeliest = max(share, key=lambda name: share[name])
    if not share[likeliest]:
        shapes = "; ".join(f"{name}: {', '.join(keys)}" for name, keys in _needed().items())
        raise Malformed(f"no debate of a known shape (keys of {shapes})")
    return IMPORTERS[likeliest]


def _needed() -> Mapping[str, list[str]]:
    fields = {name: one.shape.model_fields.items() for name, one in IMPORTERS.items()}
    return {name: [key for key, field in of if field.is_required()] for name, of in fields.items()}


def _shares(value: Mapping[str, object]) -> Mapping[str, float]:
    """How much of each shape's needed keys an object has, 0..1."""
    return {name: sum(key in value for key in keys) / len(keys) for name, keys in _needed().items()}


def _likeness(value: object) -> float:
    """How near an object comes to a debate of any shape, 0..1."""
    return max(_shares(value).values()) if isinstance(value, dict) else 0.0


def _listed(head: bytes) -> list[bytes] | None:
    """Debates of a file that is one JSON document; None for one line that is a debate itself.

    A list is a document, and so is an object that is less like a debate than what one list in it holds.
    A debate alone, over several lines, is a list of one. Raises Malformed if the file is no JSON document.
    """
    value = strict_json(_text(head))
    entries = value if isinstance(value, list) else _entries(value)
    if entries is None:
        return [head] if b"\n" in head.strip() else None
    return [json.dumps(one).encode() for one in entries]


def _entries(value: Any) -> list[Any] | None:
    """The one list in an object that is most like debates, and more than the object is."""
    lists = [one for one in value.values() if isinstance(one, list)] if isinstance(value, dict) else []
    near = [max(map(_likeness, one), default=0.0) for one in lists]
    best = max(near, default=0.0)
    return lists[near.index(best)] if best > _likeness(value) and near.count(best) == 1 else None


def _text(raw: bytes, *, first: bool = True) -> str:
    """Text of a line or document, without the mark a first one may have. Raises Malformed: too long, not UTF-8."""
    if len(raw) > LINE_LIMIT:
        raise Malformed(f"longer than {LINE_LIMIT // 1024**2} MB")
    try:
        return raw.decode("utf-8-sig" if first else "utf-8").strip()
    except UnicodeDecodeError as error:
        raise Malformed(f"not UTF-8 at byte {error.start}") from None


def _begins_document(head: bytes) -> bool:
    """Whether the first line opens an object or list and leaves it to other lines to go on."""
    first = head.removeprefix(b"\xef\xbb\xbf").strip().partition(b"\n")[0].rstrip()
    return first.startswith((b"{", b"[")) and first.endswith((b"{", b"[", b","))


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """The file's bytes, unpacked if need be. Raises UsageError whenever they cannot be read."""
    where = printable(str(path))
    try:
        with path.open("rb") as plain:
            packed = plain.read(2) == _GZIP
            plain.seek(0)
            yield cast("BinaryIO", gzip.GzipFile(fileobj=plain)) if packed else plain
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UsageError(f"{where}: damaged gzip ({printable(str(error))})") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{where}: {getattr(error, 'strerror', None) or printable(str(error))}") from None


def _lines(path: Path) -> Iterator[Entry]:
    with _opened(path) as stream:
        yield from _numbered(stream)


def _numbered(stream: BinaryIO) -> Iterator[Entry]:
    """Lines with their numbers, blank ones left out. A longer one than the limit comes cut, but longer than it."""
    number = 0
    while line := stream.readline(LINE_LIMIT + 1):
        number += 1
        rest = line
        while len(rest) > LINE_LIMIT and not rest.endswith(b"\n"):
            rest = stream.readline(LINE_LIMIT + 1)
        if line.strip():
            yield number, line
