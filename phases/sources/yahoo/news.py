"""News in both shapes of `Ticker.news`, as plain typed text. No link is opened and none is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from phases.core.errors import SourceDown
from phases.core.outside import MOST as LONGEST
from phases.core.outside import clean
from phases.core.text import digest
from phases.sources.yahoo.session import contract
from phases.sources.yahoo.values import entries, fields, moment, written
from schemas.grammar import TICKER_LENGTH, TICKER_PATTERN

MOST = 40
TITLE, SUMMARY, PUBLISHER = 300, 1000, 80
_LINK = re.compile(
    r"""(?: [A-Za-z][A-Za-z0-9+.-]{0,20}://(?=[\w\[])
        | (?<!\S)//(?=[\w-]+\.\w)                    # without a scheme
        | \b[Ww][Ww][Ww]\.(?=\w)
        | \b(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}/(?=[\w-]*(?:[\d_/?=&~%]|\.\w)) )  # a path that is no word
    [^\s<>"]*[^\s<>".,;:!?'()\]{}]""",
    re.VERBOSE,
)
"""An address, but for the marks that end a sentence after it. Names such as Booking.com and C3.ai/Baker are none."""
_TICKER = re.compile(TICKER_PATTERN.removesuffix("$") + r"\Z")


class Piece(NamedTuple):
    """One item, whichever shape it came in."""

    title: Any
    summary: Any
    publisher: Any
    published: datetime | None
    symbols: Sequence[Any]


def news(ticker: Any, symbol: str, closed: datetime, live: bool) -> dict[str, Any]:
    """News published by a moment, newest first, as plain JSON. Undated items only count in a live run.

    Reaches the network.
    """
    told = ticker.get_news(count=MOST)
    pieces = [_piece(fields(one)) for one in told]
    if told and not any(one.title for one in pieces):
        seen = ", ".join(sorted({str(key) for one in told for key in fields(one)}))
        raise SourceDown(contract(f"news about {symbol} have the keys {seen or 'none'}", ["title"]))
    timely = [one for one in pieces if (live if one.published is None else one.published <= closed)]
    readable = [found for one in timely if (found := _item(one, ticker.ticker, symbol)) is not None]
    kept = {found["id"]: found for found in readable}
    dated = sorted(
        (one for one in kept.values() if one["published"]), key=lambda one: str(one["published"]), reverse=True
    )
    undated = [one for one in kept.values() if not one["published"]]
    return {"symbol": symbol, "items": [*dated, *undated], "left_out": len(pieces) - len(readable), "live": live}


def _piece(raw: Mapping[str, Any]) -> Piece:
    """The new shape has everything under `content`, the old one is flat."""
    content = raw.get("content")
    if isinstance(content, dict):
        stocks = entries(fields(content.get("finance")).get("stockTickers"))
        return Piece(
            content.get("title"),
            content.get("summary") or content.get("description"),
            fields(content.get("provider")).get("displayName"),
            written(content.get("pubDate")) or written(content.get("displayTime")),
            [fields(one).get("symbol") for one in stocks],
        )
    return Piece(
        raw.get("title"),
        raw.get("summary"),
        raw.get("publisher"),
        moment(raw.get("providerPublishTime")),
        entries(raw.get("relatedTickers")),
    )


def _item(piece: Piece, vendor: str, symbol: str) -> dict[str, Any] | None:
    """The item with clean text; None where nothing of its title can be read."""
    title, publisher = _text(piece.title, TITLE), _text(piece.publisher, PUBLISHER) or "unknown"
    if title is None:
        return None
    about = [symbol if one == vendor else one for one in piece.symbols if _is_ticker(one)]
    at = piece.published
    return {
        "id": f"n{digest(f'{title}|{publisher}')[:8]}",
        "title": title,
        "summary": _text(piece.summary, SUMMARY),
        "publisher": publisher,
        "published": None if at is None else at.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "symbols": list(dict.fromkeys(about)),
    }


def _text(raw: object, limit: int) -> str | None:
    """Plain text without links; None where nothing is left."""
    if not isinstance(raw, str):
        return None
    return clean(_LINK.sub(" ", clean(raw, LONGEST)[0]), limit)[0] or None


def _is_ticker(raw: object) -> bool:
    return isinstance(raw, str) and len(raw) <= TICKER_LENGTH and _TICKER.match(raw) is not None
