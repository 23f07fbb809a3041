"""Which files of a folder are price series, and the digest of them all."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from phases.core.errors import SourceDamaged, UsageError
from phases.core.text import printable
from phases.sources.symbols import file_key, symbol_of_file
from schemas.grammar import TICKER_LENGTH

SIBLINGS = ("dividends", "splits")
"""What may lie beside a series in a file of its own, `<series>_dividends.csv`."""

_SIBLING = re.compile(rf"(?P<stem>.+)_(?P<what>{'|'.join(SIBLINGS)})\Z")
_ENDING = re.compile(r"\.csv(?:\.gz)?\Z", re.IGNORECASE)
_STEM = re.compile(
    r"(?P<symbol>(?:\^|%5E)?[A-Z0-9]+?(?:[._=-][A-Z0-9]+?)*?)"
    r"(?:[._-](?:(?:19|20)[0-9]{2}[-_](?:19|20)[0-9]{2}|[0-9]*[a-z].*))?\Z"
)
"""A symbol, and behind it a span of years or words in small letters: `AAPL_2021-2026`, `SPY.daily`."""

_BLOCK = 1 << 20

_OTHER = re.compile(
    r"\.(?:tsv|tab|parquet|feather|arrow|xlsx?|xlsm|ods|zip|7z|rar|tar|tgz|gz|bz2|xz|zst)\Z", re.IGNORECASE
)
"""Endings of files that may hold prices, and are not read."""

MOST_MISFITS = 20
"""Files whose names fit nothing that are named one by one."""


class Found(NamedTuple):
    """The price series of a folder."""

    series: dict[str, list[Path]]
    """Files by the key of their symbol; more than one is an error once it is asked for."""
    siblings: dict[tuple[str, str], list[Path]]
    """Files beside a series, by its key and what they hold."""
    odd: dict[tuple[str, str], tuple[Path, str]]
    """What has the name of such a file and is none, by key and what it would hold; and what it is."""
    vintage: str
    """Digest of names and contents."""
    misfits: list[str]
    """What to say of files that end like a series and are not named for a symbol."""

    def one(self, key: str, what: str = "") -> Path | None:
        """The one file of a series, or beside it.

        Raises UsageError naming all where there are several, SourceDamaged where what has its name is no file.
        """
        files = self.siblings.get((key, what), []) if what else self.series.get(key, [])
        if len(files) > 1:
            names = ", ".join(path.name for path in files)
            held = f"the {what} of one symbol" if what else "one symbol"
            raise UsageError(
                f"source.path: {names} are {held}, {self.symbols()[key]}; take all but one of them out of the folder"
            )
        if not files and (key, what) in self.odd:
            path, kind = self.odd[key, what]
            raise SourceDamaged(f"csv_folder: {path.name} is {kind}; put the file itself there, or take it away")
        return files[0] if files else None

    def symbols(self) -> dict[str, str]:
        """Every key with its symbol as a user would write it, sorted by symbol."""
        first = {key: path for (key, what), (path, _) in self.odd.items() if not what}
        first |= {key: files[0] for key, files in self.series.items()}
        named = {key: symbol_of_file(symbol_part(_stem(path))) for key, path in first.items()}
        return dict(sorted(named.items(), key=lambda one: one[1]))


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(".csv")


def symbol_part(stem: str) -> str:
    """The symbol in a file's name without its endings, or an empty text.

    >>> [symbol_part(one) for one in ("0700_HK", "AAPL_2021-2026", "SPY.multiindex", "_metadata", "CON")]
    ['0700_HK', 'AAPL', 'SPY', '', 'CON']
    """
    match = _STEM.match(stem)
    return match["symbol"] if match and len(match["symbol"]) <= TICKER_LENGTH else ""


def scan(folder: Path) -> Found:
    """The series directly inside a folder. Reads every file of them once, in blocks.

    Raises UsageError if there is no such folder or no series in it, or if a file leads outside.
    """
    shown = printable(str(folder))
    try:
        home = folder.resolve(strict=True)
        entries = sorted(folder.iterdir())
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or "it is a link to itself"
        raise UsageError(f"source.path: {shown} is no folder that can be read ({why})") from None
    found = Found({}, {}, {}, "", _misfits(entries))
    whole, contents = hashlib.sha256(), dict[str, dict[str, str]]()
    for path in entries:
        beside = _SIBLING.match(_stem(path))
        symbol = _symbol_in(path.name)
        if not symbol:
            continue
        key, what = file_key(symbol), beside["what"] if beside else ""
        if not path.is_file():
            kind = (
                "a folder" if path.is_dir() else "a link that leads nowhere" if path.is_symlink() else "no plain file"
            )
            found.odd[key, what] = path, kind
            whole.update(f"{path.name}\0{kind}\0".encode())
            continue
        if path.resolve().parent != home:
            raise UsageError(f"source.path: {shown}: {printable(path.name)} leads outside the folder; copy the file")
        content = _digest(path)
        whole.update(f"{path.name}\0{content}\0".encode())
        if what:
            found.siblings.setdefault((key, what), []).append(path)
        else:
            found.series.setdefault(key, []).append(path)
            contents.setdefault(content, {})[key] = path.name
    found.misfits.extend([*_orphans(found), *_copies(contents)])
    if not found.series:
        named = [f"{printable(path.name)} is {kind}" for path, kind in found.odd.values()]
        told = "; ".join(["name the files SYMBOL.csv or SYMBOL.csv.gz", *named, *found.misfits])
        raise UsageError(f"source.path: {shown} holds no price series; {told}")
    return found._replace(vintage=whole.hexdigest()[:16])


def _symbol_in(name: str) -> str:
    """The symbol that a file is named for, beside a series or as one; an empty text where it is for none."""
    if not name.removesuffix(".gz").endswith(".csv"):
        return ""
    stem = name.removesuffix(".gz").removesuffix(".csv")
    beside = _SIBLING.match(stem)
    return symbol_part(beside["stem"] if beside else stem)


def _misfits(entries: Sequence[Path]) -> list[str]:
    """What to say of files with the ending of a series and another name; `_` and `.` begin names of other things."""
    found = []
    for path in entries:
        match = _ENDING.search(path.name)
        if match is None or path.name.startswith(("_", ".")) or _symbol_in(path.name):
            continue
        stem = path.name[: match.start()]
        beside = _SIBLING.match(stem)
        own, rest = (beside["stem"], f"_{beside['what']}") if beside else (stem, "")
        better = f"{own.upper()}{rest}{match[0].lower()}"
        fits = own.isascii() and symbol_part(own.upper()) == own.upper()
        remedy = f"rename it to {better}" if fits else "name it for its symbol, as AAPL.csv, or take it away"
        found.append(f"{ascii(path.name)[1:-1]} is no symbol name; {remedy}")
    more = len(found) - MOST_MISFITS
    found = [*found[:MOST_MISFITS], *([f"{more} more files are not named for a symbol"] if more > 0 else [])]
    return [*found, *_unread(entries)]


def _unread(entries: Sequence[Path]) -> list[str]:
    """What to say of files that may hold prices in another form."""
    names = [
        ascii(path.name)[1:-1]
        for path in entries
        if _OTHER.search(path.name) and not _ENDING.search(path.name) and not path.name.startswith(("_", "."))
    ]
    more = f" and {len(names) - MOST_MISFITS} more" if len(names) > MOST_MISFITS else ""
    shown = ", ".join(names[:MOST_MISFITS])
    return [f"not read: {shown}{more}; save prices as SYMBOL.csv or SYMBOL.csv.gz"] * bool(names)


def _orphans(found: Found) -> list[str]:
    """What to say of files that lie beside no series."""
    named = found.symbols()
    alone = [path.name for (key, _), paths in sorted(found.siblings.items()) if key not in named for path in paths]
    return (
        [f"{', '.join(alone[:MOST_MISFITS])} lie beside no series of their symbol; nothing reads them"] if alone else []
    )


def _copies(contents: dict[str, dict[str, str]]) -> list[str]:
    """What to say of files of several symbols that hold the same bytes."""
    copies = [", ".join(names.values()) for names in contents.values() if len(names) > 1]
    return [f"the same bytes under several names: {'; '.join(copies[:MOST_MISFITS])}; keep the right one"] * bool(
        copies
    )


def _digest(path: Path) -> str:
    """Digest of a file; of one that cannot be read, why: it is damaged for whoever asks for it, and for nobody else."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        return f"unread: {error.strerror}"
    return digest.hexdigest()
