"""Figures of a company: `info` and quarterly statements as typed figures, each with the day it could be known.

What Yahoo says now is known from now on; a statement is known 75 days after its quarter, or 100
after the one that ends a year, since Yahoo does not say when it was filed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from phases.core.errors import NoData, SourceDown
from phases.core.text import printable
from phases.maths.currency import MINOR_UNITS
from phases.sources.yahoo.figures import CASH, FLOWS, INFO, KINDS, LEVELS, QUARTER_LAG, YEAR_LAG, Told
from phases.sources.yahoo.session import contract
from phases.sources.yahoo.values import day_of, fields, moment, number

EARNINGS_DAYS = 12
CLOSE_ENOUGH = 0.05
"""How far a ratio may be from the one computed of its parts, of two quotes at slightly different moments."""


def fundamentals(ticker: Any, symbol: str, as_of: date, known: date) -> dict[str, Any]:
    """What was known by a day, as plain JSON. `known` is the day that what Yahoo says now belongs to.

    Reaches the network.
    """
    notes: list[str] = []
    info, kind = _info(ticker, symbol, notes)
    figures: list[dict[str, Any]] = []
    currency = _whole(info.get("financialCurrency") or info.get("currency"))
    earnings: tuple[date, ...] = ()
    if kind == "stock":
        figures += _of_info(info, currency, known, notes)
        figures += _of_statements(ticker, info, notes)
        earnings = _earnings(ticker, info, notes)
    told = [one for one in figures if one["known"] <= as_of.isoformat()]
    if len(told) < len(figures):
        notes.append(f"{len(figures) - len(told)} figures that were known only after {as_of} are left out")
    days = sorted({day for day in earnings if day <= as_of or known <= as_of})
    return {
        "symbol": symbol,
        "kind": kind,
        "currency": currency,
        "figures": sorted(told, key=lambda one: (one["name"], one["period"], one["ended"], one["known"])),
        "earnings": [day.isoformat() for day in days],
        "earnings_known": min(known, as_of).isoformat(),
        "notes": notes,
    }


def _info(ticker: Any, symbol: str, notes: list[str]) -> tuple[Mapping[str, Any], str]:
    """`info` and the kind of the symbol; where Yahoo has no figures, the metadata of its prices says the kind."""
    try:
        info = ticker.get_info()
    except NoData as nothing:
        notes.append(nothing.reason)
        meta = fields(ticker.get_history_metadata())
        if not meta.get("instrumentType"):
            raise
        return {"currency": meta.get("currency")}, KINDS.get(str(meta["instrumentType"]), "other")
    said = info.get("quoteType")
    if not isinstance(said, str):
        raise SourceDown(contract(f"info of {symbol} has the keys {_some(info)}", ["quoteType"]))
    kind = KINDS.get(said, "other")
    if kind == "stock":
        _check_keys(info, symbol)
    return info, kind


def _check_keys(info: Mapping[str, Any], symbol: str) -> None:
    """Raise SourceDown naming a key that must be there and is not, or that stands there under another spelling."""
    price = number(info.get("currentPrice", info.get("regularMarketPrice")))
    lacking = {"currency"} if price is not None and not isinstance(info.get("currency"), str) else set()
    if price is not None and number(info.get("sharesOutstanding")) is not None and "marketCap" not in info:
        lacking.add("marketCap")
    wanted = {"currency", "financialCurrency", *(one.key for one in INFO)}
    spelled = {_letters(key): key for key in map(str, info) if key not in wanted}
    lacking |= {key for key in wanted - set(info) if _letters(key) in spelled}
    if lacking:
        raise SourceDown(contract(f"info of {symbol} has the keys {_some(info)}", lacking))


def _of_info(info: Mapping[str, Any], currency: str | None, known: date, notes: list[str]) -> Iterator[dict[str, Any]]:
    """Figures of the table that are there; a note names those that are not."""
    listing = _whole(info.get("currency"))
    quarter = _day(info, "mostRecentQuarter", notes)
    absent = []
    for one in INFO:
        value = number(info.get(one.key))
        if value is None:
            absent.append(f"{one.name} ({one.key}{_shown(info.get(one.key))})")
            continue
        if one.sort in ("market", "mixed") and listing != currency:
            notes.append(f"{one.name} left out: market value is in {listing}, statements are in {currency}")
            continue
        if one.sort == "per_price":
            value = _per_price(one, value, info, currency, notes)
            if value is not None and (parts := _by_parts(one, info)) is not None:
                yield _figure(f"{one.name}_by_parts", parts, one.period, known, known)
        if value is not None:
            level = one.sort in ("market", "per_price", "count") or quarter is None or quarter > known
            yield _figure(one.name, value, one.period, known if level or quarter is None else quarter, known)
    if absent:
        notes.append(f"not given by Yahoo: {', '.join(absent)}")


def _per_price(
    one: Told, value: float, info: Mapping[str, Any], currency: str | None, notes: list[str]
) -> float | None:
    """A price to a figure of a share, both in one unit; None, with a note, where that cannot be made sure of."""
    quoted = str(info.get("currency"))
    if quoted not in MINOR_UNITS and quoted == currency:
        return value
    price, below = number(info.get("currentPrice", info.get("regularMarketPrice"))), number(info.get(one.below))
    if MINOR_UNITS.get(quoted) == currency and price and below:
        if math.isclose(value, price / below, rel_tol=CLOSE_ENOUGH):
            notes.append(f"{one.name}: Yahoo divides a price in {quoted} by {currency}; corrected by 100")
            return value / 100
        if math.isclose(value, price / below / 100, rel_tol=CLOSE_ENOUGH):
            return value
    notes.append(f"{one.name} left out: the price is in {quoted}, {one.below} in {currency}")
    return None


def _by_parts(one: Told, info: Mapping[str, Any]) -> float | None:
    """The price over the figure of a share that the same answer has, in one unit."""
    price, below = number(info.get("currentPrice", info.get("regularMarketPrice"))), number(info.get(one.below))
    return number(price / below / (100 if info.get("currency") in MINOR_UNITS else 1)) if price and below else None


def _of_statements(ticker: Any, info: Mapping[str, Any], notes: list[str]) -> Iterator[dict[str, Any]]:
    """Figures of the quarterly statements."""
    ends = _day(info, "lastFiscalYearEnd", notes)
    parts = (
        ("income statement", ticker.get_income_stmt, FLOWS),
        ("cash flow statement", ticker.get_cash_flow, CASH),
        ("balance sheet", ticker.get_balance_sheet, LEVELS),
    )
    for label, read, names in parts:
        rows = _statement(read)
        if not rows:
            notes.append(f"Yahoo has no quarterly {label}")
        told = ((name, day, value) for name, key in names.items() for day, value in rows.get(key, {}).items())
        for name, day, value in told:
            lag = YEAR_LAG if ends is not None and day.month == ends.month else QUARTER_LAG
            yield _figure(name, value, "quarter", day, day + timedelta(days=lag))


def _statement(read: Callable[..., Any]) -> Mapping[str, Mapping[date, float]]:
    """Numbers by Yahoo's key and the end of their quarter; empty where there is no statement."""
    from yfinance.exceptions import YFException

    try:
        frame = read(freq="quarterly")
    except NoData:
        return {}
    except YFException as nothing:
        if "Empty fundamentals-timeseries" not in str(nothing):
            raise
        return {}
    told = {str(key): row.dropna() for key, row in frame.iterrows()}
    return {
        key: {
            day: value
            for end, raw in row.items()
            if (day := day_of(end)) is not None and (value := number(raw)) is not None
        }
        for key, row in told.items()
    }


def _earnings(ticker: Any, info: Mapping[str, Any], notes: list[str]) -> tuple[date, ...]:
    """Days on which results were or are due: of the earnings page, or else of `info` alone."""
    keys = ("earningsTimestamp", "earningsTimestampStart", "earningsTimestampEnd")
    found = [day for key in keys if (day := _day(info, key, notes)) is not None]
    try:
        frame = ticker.get_earnings_dates(limit=EARNINGS_DAYS)
    except (ValueError, LookupError, AttributeError, TypeError, ArithmeticError) as error:
        notes.append(f"Yahoo's page of earnings dates could not be read ({type(error).__name__})")
        return tuple(found)
    if frame is None:
        notes.append("Yahoo's page of earnings dates has no table")
        return tuple(found)
    return (*found, *(day for one in frame.index if (day := day_of(one)) is not None))


def _figure(name: str, value: float, period: str, ended: date, known: date) -> dict[str, Any]:
    return {"name": name, "value": value, "period": period, "ended": ended.isoformat(), "known": known.isoformat()}


def _day(info: Mapping[str, Any], key: str, notes: list[str]) -> date | None:
    """The UTC day of seconds since 1970; none, with a note, where they are no moment."""
    found = moment(info.get(key))
    if found is None and info.get(key) not in (None, 0):
        notes.append(f"{key}{_shown(info.get(key))}, no moment in seconds; left out")
    return None if found is None else found.date()


def _whole(currency: object) -> str | None:
    """The currency of money, where a price may be in its hundredth part."""
    return MINOR_UNITS.get(currency, currency) if isinstance(currency, str) and currency else None


def _shown(raw: object) -> str:
    return "" if raw is None else f" is {printable(str(raw))[:20]!r}"


def _letters(key: str) -> str:
    return re.sub("[^a-z0-9]", "", key.lower())


def _some(keys: Iterable[object]) -> str:
    """Some keys that were seen."""
    seen = sorted(map(str, keys))
    return ", ".join(seen[:12]) + (f" and {len(seen) - 12} more" if len(seen) > 12 else "") or "none"
