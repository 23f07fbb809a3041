"""News in both shapes of `Ticker.news`, as plain typed text. No link is opened and none is kept."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from phases.core.errors import SourceDown
from phases.core.outside import clean
from phases.core.text import digest
from phases.sources.yahoo.session import contract
from schemas.grammar import TICKER_LENGTH, TICKER_PATTERN

MOST = 40
TITLE, SUMMARY, PUBLISHER = 300, 1000, 80
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
    pieces = [_piece(one) for one in told if isinstance(one, dict)]
    if told and not any(one.title for one in pieces):
        seen = ", ".join(sorted({str(key) for one in told if isinstance(one, dict) for key in one}))
        raise SourceDown(contract(f"news about {symbol} have the keys {seen or 'none'}", ["title"]))
    timely = [one for one in pieces if (live if one.published is None else one.published <= closed)]
    kept = {found["id"]: found for one in timely if (found := _item(one, ticker.ticker, symbol)) is not None}
    dated = sorted(
        (one for one in kept.values() if one["published"]), key=lambda one: str(one["published"]), reverse=True
    )
    undated = [one for one in kept.values() if not one["published"]]
    return {"symbol": symbol, "items": [*dated, *undated], "left_out": len(pieces) - len(timely), "live": live}


def _piece(raw: Mapping[str, Any]) -> Piece:
    """The new shape has everything under `content`, the old one is flat."""
    content = raw.get("content")
    if isinstance(content, dict):
        provider = content.get("provider")
        stocks = (content.get("finance") or {}).get("stockTickers") or ()
        return Piece(
            content.get("title"),
            content.get("summary") or content.get("description"),
            provider.get("displayName") if isinstance(provider, dict) else None,
            _written(content.get("pubDate")) or _written(content.get("displayTime")),
            [one.get("symbol") for one in stocks if isinstance(one, dict)],
        )
    return Piece(
        raw.get("title"),
        raw.get("summary"),
        raw.get("publisher"),
        _counted(raw.get("providerPublishTime")),
        raw.get("relatedTickers") or (),
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
    return clean(raw, limit)[0] or None if isinstance(raw, str) else None


def _is_ticker(raw: object) -> bool:
    return isinstance(raw, str) and len(raw) <= TICKER_LENGTH and _TICKER.match(raw) is not None


def _written(raw: object) -> datetime | None:
    """A moment in ISO form; one that names no zone is none."""
    try:
        found = datetime.fromisoformat(raw) if isinstance(raw, str) else None
    except ValueError:
        return None
    return None if found is None or found.tzinfo is None else found.astimezone(UTC)


def _counted(raw: object) -> datetime | None:
    """A moment in seconds since 1970; 0 stands for none."""
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not math.isfinite(raw) or not 0 < raw < 1e11:
        return None
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=raw)
