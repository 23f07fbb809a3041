"""Which tickers a night is about: those named, else those of a file, else a focus list; held names always.

A file is YAML with a list `tickers`, CSV with a column `ticker` or `symbol`, or text with one symbol a line.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from phases.core.config import load_text, load_yaml
from phases.core.errors import NoData, UsageError
from phases.core.fetch import Source
from phases.evidence.quality import steady
from schemas.grammar import TICKER_LENGTH, TICKER_PATTERN
from schemas.market import Bars, CloseSeries, Universe
from schemas.settings import Settings

_GRAMMAR = re.compile(TICKER_PATTERN.removesuffix("$") + r"\Z")


TICKER_COLUMNS = ("ticker", "symbol", "tickers", "symbols")
"""Names of the column of a CSV file that holds the symbols."""

FOCUS_SESSIONS = 63
"""Sessions over which the focus list compares returns."""


class Focus(NamedTuple):
    """Names chosen from a source's universe, and how."""

    tickers: tuple[str, ...]
    notes: tuple[str, ...]
    """The formula with the score of each name, and who was no candidate."""


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


def watchlist(
    named: Sequence[str], settings: Settings, folder: Path, chosen: Callable[[], Focus] | None = None
) -> Watchlist:
    """Tickers of a night: the named ones, else the universe file's, else a focus list, then held names; capped.

    `chosen` gives the focus list where the configuration wants one. Reads a file. Raises UsageError.
    """
    notes: list[str] = []
    where = "ticker"
    if named:
        asked = [read_ticker(word, where) for word in named]
    elif settings.universe.file is not None:
        path = folder / settings.universe.file
        where = f"{path}: tickers"
        asked = [read_ticker(word, place) for place, word in _of_file(path)]
    else:
        focused = chosen() if chosen is not None and settings.universe.focus is not None else Focus((), ())
        asked = list(focused.tickers)
        notes += focused.notes
    held = list(settings.held)
    if not asked and not held:
        raise UsageError(f"{where}: the watchlist is empty; name a ticker or add one to the file")
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
    over = f", over the cap by {len(kept) - cap}, as held names always come in" if len(kept) > cap else ""
    gone = f", left out: {', '.join(left_out)}" if left_out else ""
    notes.append(f"cap of {cap} binds: {len(kept)} taken ({len(held)} held){over}{gone}")
    return Watchlist(kept, tuple(left_out), tuple(notes))


def _of_file(path: Path) -> Iterator[tuple[str, str]]:
    """Place and word of every symbol of a watchlist file. Reads a file."""
    kind = path.suffix.lower()
    if kind == ".csv":
        yield from _of_csv(path)
    elif kind in (".txt", ""):
        for at, line in enumerate(load_text(path).split("\n"), 1):
            if word := re.sub(r"(^|\s)#.*", "", line).strip():
                yield f"{path}: line {at}", word
    elif kind in (".yaml", ".yml"):
        found = load_yaml(path).get("tickers")
        if not isinstance(found, list) or not all(isinstance(word, str) for word in found):
            raise UsageError(f"{path}: needs a list `tickers`; write `tickers: [AAPL, MSFT]`")
        yield from ((f"{path}: tickers", word) for word in found)
    else:
        raise UsageError(f"{path}: a watchlist is a file .yaml, .csv or .txt")


def _of_csv(path: Path) -> Iterator[tuple[str, str]]:
    """Cells of the one column of symbols; lines that open with # and lines of nothing are passed over."""
    rows = _rows(path)
    first = next(rows, None)
    names = [] if first is None else [name.strip().lower() for name in first[1]]
    columns = [at for at, name in enumerate(names) if name in TICKER_COLUMNS]
    if len(columns) != 1:
        seen = ", ".join(ascii(name)[1:-1][:20] for name in names[:8]) or "nothing"
        raise UsageError(f"{path}: needs one column `ticker` or `symbol`; its first line has {seen}")
    for line, row in rows:
        yield f"{path}: line {line}", row[columns[0]] if len(row) > columns[0] else ""


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Number and cells of each line of a CSV file that says something. Reads a file."""
    reader = csv.reader(io.StringIO(load_text(path)), strict=True)
    try:
        for row in reader:
            if any(cell.strip() for cell in row) and not row[0].lstrip().startswith("#"):
                yield reader.line_num, row
    except csv.Error as error:
        raise UsageError(f"{path}: line {reader.line_num}: {error}") from None


def focus(settings: Settings, source: Source, session: date) -> Focus:
    """The names of a source's universe that moved most against the benchmark. Reads the source.

    The score is the size of the 63-session return less the benchmark's; ties by symbol. A series that is shorter,
    or has no bar of the benchmark's newest session, has no score; one whose closes are in doubt is no candidate.
    Raises UsageError where the source has no universe.
    """
    asked = {"as_of": session.isoformat(), "sessions": str(FOCUS_SESSIONS + 1)}
    benchmark, wanted = settings.question.benchmark, settings.universe.focus or 0
    try:
        universe = Universe.model_validate_json(json.dumps(source.fetch("universe", asked)))
        found = source.fetch("bars", {**asked, "symbol": benchmark})
    except NoData as nothing:
        raise UsageError(f"universe.focus: {nothing.reason}; name tickers or give universe.file") from None
    bars = Bars.model_validate_json(json.dumps(found))
    index = CloseSeries(symbol=benchmark, days=bars.days, adj_close=bars.adj_close)
    market = _move(index, index.days[-1])
    others = [one for one in universe.series if one.symbol != benchmark]
    moves = {one.symbol: _move(one, index.days[-1]) for one in others if steady(one)}
    scores = {name: abs(move - market) for name, move in moves.items() if move is not None and market is not None}
    best = sorted(scores, key=lambda name: (-scores[name], name))[:wanted]
    told = ", ".join(f"{name} {scores[name]:.3f}" for name in best)
    formula = f"size of the {FOCUS_SESSIONS}-session return less that of {benchmark}"
    wild = ", ".join(one.symbol for one in others if one.symbol not in moves)
    doubt = [f"left out of the focus list, their closes jump or have holes: {wild}"] if wild else []
    chosen = f"focus: {len(best)} of {len(moves)} names by the {formula}: {told}"
    return Focus(tuple(best), (chosen, *doubt, *universe.notes))


def _move(series: CloseSeries, newest: date) -> float | None:
    """The return over the sessions of the focus list, up to a day; absent where the series cannot say."""
    prices = series.adj_close[-FOCUS_SESSIONS - 1 :]
    if len(prices) <= FOCUS_SESSIONS or series.days[-1] != newest or min(prices) <= 0:
        return None
    return prices[-1] / prices[0] - 1
