"""Texts that must always come out the same: canonical JSON, digests, and words for people."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schemas.base import Model

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)


DEFAULT_OUT = Path("runs")
"""Folder of the store and the runs where none is named."""


def canonical(value: Any) -> str:
    """One JSON text for one value: sorted keys, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def record_json(record: Model) -> str:
    """One JSON text for one record, absent fields left out."""
    return canonical(record.model_dump(mode="json", exclude_none=True))


def digest(text: str) -> str:
    """First 32 hex digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def printable(text: str) -> str:
    r"""A text that cannot forge a line or colour a terminal: control and invisible characters escaped.

    >>> print(printable("a\u061cb\U000e0041\x1b[31m"))
    a\u061cb\ue0041\u001b[31m
    """
    return _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", text.replace("\n", " "))


def extra(name: str) -> str:
    """How an optional part of the program is installed.

    >>> extra("yahoo")
    "pip install '.[yahoo]' in the folder of the program"
    """
    return f"pip install '.[{name}]' in the folder of the program"


def go_on(name: str, out: Path) -> str:
    """The command that goes on with a run of a folder.

    >>> go_on("last", Path("runs")), go_on("last", Path("my runs"))
    ('run --resume last', "run --resume last --out 'my runs'")
    """
    return f"run --resume {name}" + ("" if out == DEFAULT_OUT else f" --out {shlex.quote(str(out))}")


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean X?` for the closest known word, or nothing.

    >>> nearest("debat", ["debate", "market"])
    '; did you mean debate?'
    """
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""
