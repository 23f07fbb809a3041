"""Which tickers a night is about: the ones named, or those of a watchlist file; held names always."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from phases.core.config import load_yaml
from phases.core.errors import UsageError
from schemas.grammar import TICKER_LENGTH, TICKER_PATTERN
from schemas.settings import Settings

_GRAMMAR = re.compile(TICKER_PATTERN.removesuffix("$") + r"\Z")


class Watchlist(NamedTuple):
    """Tickers of a night, in order."""

    tickers: tuple[str, ...]
    left_out: tuple[str, ...]
    """Asked for, but over the cap."""
    notes: tuple[str, ...]
    """What a user should know of how the list came about."""


def is_ticker(word: str) -> bool:
    """Whether a word is a symbol as it stands."""
    return len(word) <= TICKER_LENGTH and _GRAMMAR.match(word) is not None


def read_ticker(word: str, where: str) -> str:
    """A symbol in capitals. Raises UsageError that shows what is wrong without echoing raw text."""
    symbol = word.strip()
    if symbol.isascii():
        symbol = symbol.upper()
    if not is_ticker(symbol):
        shown = ascii(word if len(word) <= 40 else word[:37] + "...")
        why = (
            f"it has {len(word)} characters, at most {TICKER_LENGTH} are allowed"
            if len(word) > TICKER_LENGTH
            else ("write one symbol of capitals and digits, such as AAPL, BRK-B, 0700.HK, ^GSPC")
        )
        raise UsageError(f"{where}: {shown} is no ticker; {why}")
    return symbol


def watchlist(named: Sequence[str], settings: Settings, folder: Path) -> Watchlist:
    """Tickers of a night: the named ones, else the universe file's, then held names; capped. Reads a file."""
    where = "ticker"
    if not named and settings.universe.file is not None:
        path = folder / settings.universe.file
        where = f"{path}: tickers"
        found = load_yaml(path).get("tickers")
        if not isinstance(found, list) or not all(isinstance(word, str) for word in found):
            raise UsageError(f"{path}: needs a list `tickers`")
        named = found
    asked = [read_ticker(word, where) for word in named]
    held = list(settings.held)
    if not asked and not held:
        raise UsageError(f"{where}: the watchlist is empty; name a ticker or add one to the file")
    notes = []
    doubled = sorted(word for word, times in Counter(asked).items() if times > 1)
    if doubled:
        notes.append(f"named more than once, taken once: {', '.join(doubled)}")
    return _capped(list(dict.fromkeys([*asked, *held])), frozenset(held), settings.universe.cap, notes)


def _capped(tickers: list[str], held: frozenset[str], cap: int | None, notes: list[str]) -> Watchlist:
    """The first `cap` tickers, but every held one; held names come before others when the cap binds."""
    if cap is None or len(tickers) <= cap:
        return Watchlist(tuple(tickers), (), tuple(notes))
    others = [word for word in tickers if word not in held]
    left_out = others[max(cap - len(held), 0) :]
    dropped = frozenset(left_out)
    kept = tuple(word for word in tickers if word not in dropped)
    notes.append(f"cap of {cap} binds: {len(kept)} taken ({len(held)} held), left out: {', '.join(left_out)}")
    return Watchlist(kept, tuple(left_out), tuple(notes))
