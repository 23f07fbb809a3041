"""Files of stored debates: JSON Lines, plain or gzip. A bad line is named and passed over, never repaired."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from pydantic import ValidationError

from phases.core.errors import UsageError
from phases.core.scanner import Malformed, strict_json
from phases.core.text import printable
from phases.importers import IMPORTERS, Importer
from phases.importers.stored import Reading, SetAside, StoredDebate

LINE_LIMIT = 16 * 1024 * 1024
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class BadLine:
    """A line that holds no debate."""

    number: int
    reason: str


@dataclass(frozen=True)
class Imported:
    """Everything a file held."""

    debates: tuple[StoredDebate, ...]
    set_aside: tuple[SetAside, ...]
    bad_lines: tuple[BadLine, ...]


def load_debates(path: Path, reading: Reading) -> Imported:
    """Read a file of stored debates. Reads a file; raises UsageError if it cannot be read or holds nothing."""
    found: dict[type, list[StoredDebate | SetAside | BadLine]] = {StoredDebate: [], SetAside: [], BadLine: []}
    seen: dict[tuple[str, ...], int] = {}
    for number, raw in _lines(path):
        one = _debate(number, raw, reading)
        if not isinstance(one, BadLine):
            first = seen.setdefault(one.key, number)
            if first != number:
                one = BadLine(number, f"{printable(one.id)} stands already on line {first}")
        found[type(one)].append(one)
    if not any(found.values()):
        raise UsageError(f"{printable(str(path))}: holds no line; give JSON Lines, one debate a line")
    return Imported(*(tuple(kind) for kind in found.values()))  # type: ignore[arg-type]


def _debate(number: int, raw: bytes, reading: Reading) -> StoredDebate | SetAside | BadLine:
    if len(raw) > LINE_LIMIT:
        return BadLine(number, f"longer than {LINE_LIMIT // 1024**2} MB")
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        return _importer(strict_json(text)).read(text, reading)
    except UnicodeDecodeError as error:
        return BadLine(number, f"not UTF-8 at byte {error.start}")
    except ValidationError as error:
        return BadLine(number, "; ".join(_problem(one["loc"], one["msg"]) for one in error.errors()[:3]))
    except ValueError as error:
        return BadLine(number, printable(str(error)))


def _problem(place: tuple[int | str, ...], message: str) -> str:
    return printable(f"{'.'.join(map(str, place))}: {message[0].lower()}{message[1:]}")


def _importer(value: object) -> Importer:
    """The shape of which a line has most of the needed keys. Raises Malformed if it has none of any."""
    if not isinstance(value, dict):
        raise Malformed("not a JSON object")
    needed = {
        name: [key for key, field in one.shape.model_fields.items() if field.is_required()]
        for name, one in IMPORTERS.items()
    }
    share = {name: sum(key in value for key in keys) / len(keys) for name, keys in needed.items()}
    likeliest = max(share, key=lambda name: share[name])
    if not share[likeliest]:
        shapes = "; ".join(f"{name}: {', '.join(keys)}" for name, keys in needed.items())
        raise Malformed(f"no debate of a known shape (keys of {shapes})")
    return IMPORTERS[likeliest]


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers, blank ones left out. A longer one than the limit comes cut, but longer than it."""
    where = printable(str(path))
    try:
        with path.open("rb") as plain:
            packed = plain.read(2) == _GZIP
            plain.seek(0)
            yield from _numbered(cast("BinaryIO", gzip.GzipFile(fileobj=plain)) if packed else plain)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UsageError(f"{where}: damaged gzip ({printable(str(error))})") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{where}: {getattr(error, 'strerror', None) or printable(str(error))}") from None


def _numbered(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := stream.readline(LINE_LIMIT + 1):
        number += 1
        rest = line
        while len(rest) > LINE_LIMIT and not rest.endswith(b"\n"):
            rest = stream.readline(LINE_LIMIT + 1)
        if line.strip():
            yield number, line
