"""The text of one file, decompressed and cut into cells: bounded, whatever the file unpacks to."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from phases.core.errors import SourceDamaged
from phases.core.text import printable

LIMIT = 16 * 1024 * 1024
"""Most bytes of one file, unpacked; sixty years of days are two million."""

MOST_CELLS = 2_000_000
"""Most lines times columns; sixty years of days with forty columns are less than half of it."""

_GZIP = b"\x1f\x8b"
_WIDER = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
_FIRST = re.compile(r"[^\r\n]*")


def _damaged(path: Path, why: str, remedy: str = "copy or download it again") -> NoReturn:
    raise SourceDamaged(printable(f"csv_folder: {path.name}: damaged ({why}); {remedy}")) from None


def _bytes(path: Path) -> bytes:
    """The bytes of a file, unpacked. Raises SourceDamaged that says what else it is, OSError, EOFError, zlib.error."""
    with path.open("rb") as file:
        raw = file.read(LIMIT + 1)
    packed = raw.startswith(_GZIP)
    if packed and path.suffix != ".gz":
        _damaged(path, "it is gzip", f"rename it to {path.name}.gz")
    if packed and len(raw) <= LIMIT:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as unpacked:
            raw = unpacked.read(LIMIT + 1)
    if len(raw) > LIMIT:
        _damaged(path, f"more than {LIMIT // 1024 // 1024} MB of text", "keep daily bars of one symbol in it")
    if packed and raw.startswith(_GZIP):
        _damaged(path, "it was packed with gzip twice", "unpack it once")
    if raw.startswith(b"PK\x03\x04"):
        _damaged(path, "it is a ZIP archive or a workbook", "unpack it, or save it as CSV")
    if path.suffix == ".gz" and not packed and raw.strip():
        _damaged(path, "it is plain text, not gzip", f"rename it to {path.name.removesuffix('.gz')}")
    return raw


def _text(path: Path) -> str:
    """The text of a file. Raises as `_bytes` does."""
    raw = _bytes(path)
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in raw[:100]:
        _damaged(path, "it is UTF-16 or no text", "save it as UTF-8")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        _damaged(path, f"line {line} holds {raw[error.start]:#04x}, which is no UTF-8", "save it as UTF-8")
    if not text.strip():
        _damaged(path, "it is empty")
    return text


class Rows(NamedTuple):
    """Rows of a file that say anything, the heading among them."""

    cells: npt.NDArray[np.object_]
    lines: npt.NDArray[np.int64]
    """Line of each row in the file, from 1."""
    whole: bool
    """Whether the file is packed or ends with its line: else it may have been cut off."""


def read_rows(path: Path) -> Rows:
    """The rows of a file as text. Reads it; raises SourceDamaged naming the file."""
    try:
        text = _text(path)
        body = text.lstrip("\r\n")
        skipped = text[: len(text) - len(body)].count("\n")
        first = _FIRST.match(body)[0]  # type: ignore[index]
        separator = max(",;\t", key=first.count)
        lines, columns = max(body.count("\n"), body.count("\r")) + 1, first.count(separator) + 1
        if lines * columns > MOST_CELLS:
            _damaged(path, f"{lines} lines of {columns} columns", "keep daily bars of one symbol in it")
        frame = pd.read_csv(
            io.StringIO(body),
            header=None,
            dtype=str,
            keep_default_na=False,
            na_filter=False,
            skip_blank_lines=False,
            sep=separator,
            skipinitialspace=True,
        )
    except (
        OSError,
        EOFError,
        zlib.error,
        pd.errors.ParserError,
        pd.errors.EmptyDataError,
    ) as error:
        if wider := _WIDER.search(str(error)):
            told = f"line {int(wider[2]) + skipped} has {wider[3]} columns, the first has {wider[1]}"
            _damaged(path, told, "mend that line, or take away what stands above the heading")
        _damaged(path, printable(str(error).strip().splitlines()[-1]))
    rows = frame.to_numpy(dtype=object)
    says = (rows != "").any(axis=1)
    if not says.any():
        _damaged(path, "it is empty")
    whole = path.suffix == ".gz" or body.endswith(("\n", "\r"))
    return Rows(rows[says], np.flatnonzero(says) + 1 + skipped, whole)
