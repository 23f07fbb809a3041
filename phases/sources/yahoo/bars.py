"""Daily bars. What Yahoo says is handed over as it was traded; whether it can be true is for others to judge."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from phases.core.errors import NoData, SourceDown, Unanswered
from phases.core.text import printable
from phases.sources.symbols import listing
from phases.sources.yahoo.session import contract
from phases.sources.yahoo.values import day_of, fields, number

COLUMNS = {
    "open": "Open",
    "high": "High",
    "low": "Low",
    "close": "Close",
    "adj_close": "Adj Close",
    "volume": "Volume",
}
"""Our name of a column and the library's."""

SPLITS, DIVIDENDS = "Stock Splits", "Dividends"
PRICES = ("open", "high", "low", "close", "adj_close")

HOME = ("America/New_York", "America/Chicago")
"""Zones of what has no suffix: indices of Chicago keep the days of New York."""

DAYS_A_SESSION = 1.6
"""Calendar days asked for each session: weekends and the longest row of holidays."""


class Row(NamedTuple):
    """One day as the library gives it, adjusted for every split until now."""

    day: date
    values: Mapping[str, float]
    split: float
    dividend: float

    @property
    def whole(self) -> bool:
        """Whether it has every price."""
        return all(math.isfinite(self.values[name]) for name in PRICES)


def bars(ticker: Any, symbol: str, as_of: date, sessions: int, now: datetime, seconds: float) -> dict[str, Any]:
    """The last `sessions` bars up to a day, as plain JSON. Reaches the network.

    They are fetched until now, so that splits after that day are known and can be taken back out.
    """
    start = as_of - timedelta(days=int(sessions * DAYS_A_SESSION) + 20)
    frame = ticker.history(
        start=start.isoformat(), interval="1d", auto_adjust=False, actions=True, keepna=True, timeout=seconds
    )
    meta = fields(ticker.get_history_metadata())
    rows = _rows(frame, symbol)
    if not rows:
        raise Unanswered(f"yahoo gave no bars of {symbol} and no reason; the cause is not known")
    notes: list[str] = []
    kept = _finished(_until(rows, as_of, symbol), meta, now, notes)
    whole = [row for row in kept if row.whole][-sessions:]
    if not whole:
        raise Unanswered(f"yahoo gave bars of {symbol} without prices up to {as_of}; the cause is not known")
    holes = [row.day.isoformat() for row in kept if not row.whole and row.day > whole[0].day]
    if holes:
        notes.append(f"bars without a price left out: {', '.join(holes)}")
    splits = [row for row in rows if row.split > 0]
    return {
        "symbol": symbol,
        **_place(meta, symbol, notes),
        **_columns(whole, splits),
        "actions": _actions(kept, splits, whole[0].day),
        "notes": notes,
    }


def _rows(frame: Any, symbol: str) -> list[Row]:
    """Days, oldest first. Raises SourceDown naming the columns where one is missing."""
    lacking = {*COLUMNS.values(), SPLITS, DIVIDENDS} - set(map(str, frame.columns))
    if lacking and len(frame):
        seen = ", ".join(map(str, frame.columns))
        raise SourceDown(contract(f"bars of {symbol} have the columns {seen or 'none'}", lacking))
    found = []
    for moment, told in zip(frame.index, frame.to_dict("records"), strict=True):
        values = {ours: math.nan if (one := number(told[theirs])) is None else one for ours, theirs in COLUMNS.items()}
        found.append(Row(moment.date(), values, _amount(told[SPLITS]), _amount(told[DIVIDENDS])))
    return found


def _amount(told: Any) -> float:
    """A split or dividend; 0 where there is none."""
    return number(told) or 0.0


def _until(rows: Sequence[Row], as_of: date, symbol: str) -> list[Row]:
    kept = [row for row in rows if row.day <= as_of]
    if not kept:
        raise NoData(f"yahoo has no bar of {symbol} up to {as_of}; its first is of {rows[0].day}")
    return kept


def _finished(rows: list[Row], meta: Mapping[str, Any], now: datetime, notes: list[str]) -> list[Row]:
    """Without the bar of a session that is still traded."""
    ends: Any = fields(fields(meta.get("currentTradingPeriod")).get("regular")).get("end")
    day = day_of(ends)
    if day is None or ends.tzinfo is None or ends <= now or rows[-1].day != day:
        return rows
    notes.append(f"bar of {rows[-1].day} left out: its session had not ended")
    return rows[:-1]


def _place(meta: Mapping[str, Any], symbol: str, notes: list[str]) -> dict[str, str]:
    """Currency and calendar, with a note where Yahoo means another place than the symbol does. Raises SourceDown
    where there is no currency."""
    currency = meta.get("currency")
    if not isinstance(currency, str) or not currency:
        raise SourceDown(contract(f"metadata of {symbol} has the keys {', '.join(sorted(meta))}", ["currency"]))
    place, said = listing(symbol), meta.get("exchangeTimezoneName")
    zones = (place.zone,) if place.zone else HOME
    if place.kind in ("stock", "index") and isinstance(said, str) and said not in zones:
        where = f"{printable(str(meta.get('exchangeName')))[:20]!r} ({printable(said)[:40]})"
        notes.append(f"Yahoo lists it at {where}; its days are taken for those of {place.exchange}, as its symbol says")
    return {"currency": currency, "exchange": place.exchange}


def _factor(day: date, splits: Sequence[Row]) -> float:
    """New shares for one share of that day, by every split after it."""
    return math.prod(row.split for row in splits if row.day > day)


def _columns(whole: Sequence[Row], splits: Sequence[Row]) -> dict[str, list[Any]]:
    """Prices and volume as they were traded; adjusted closes as Yahoo has them."""
    found: dict[str, list[Any]] = {"days": [], **{name: [] for name in COLUMNS}}
    for row in whole:
        factor = _factor(row.day, splits)
        found["days"].append(row.day.isoformat())
        for name in ("open", "high", "low", "close"):
            found[name].append(row.values[name] * factor)
        found["adj_close"].append(row.values["adj_close"])
        found["volume"].append(row.values["volume"] / factor)
    return found


def _actions(kept: Sequence[Row], splits: Sequence[Row], first: date) -> list[dict[str, Any]]:
    """Splits and dividends from the first bar on; a dividend is what was paid on a share of its day."""
    found = []
    for row in kept:
        day = row.day.isoformat()
        if row.day >= first and row.split > 0:
            found.append({"day": day, "kind": "split", "value": row.split})
        if row.day >= first and row.dividend > 0:
            found.append({"day": day, "kind": "dividend", "value": row.dividend * _factor(row.day, splits)})
    return found
