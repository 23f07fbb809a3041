"""One downloaded series, read strictly: plain, or with vintages in columns or in rows.

Anything that is no table of dates and numbers is an error with its line; nothing is guessed.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

DAY_COLUMNS = ("date", "observation_date", "period_start_date")
START, END = ("realtime_start", "realtime_start_date"), ("realtime_end", "realtime_end_date")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
DAY = re.compile(r"\d{4}-\d\d-\d\d")


class Said(NamedTuple):
    """What was said of a period once."""

    day: date
    """The day that stands for the period."""
    since: date
    """First day it was known."""
    value: float | None
    """None where a figure was withdrawn or never came."""
    line: int
    until: date = date.max
    """Last day it stood."""


class Row(NamedTuple):
    """One period: what was said of it, oldest first."""

    day: date
    said: tuple[Said, ...]


class Unreadable(Exception):
    """The text is no such series; the message says where and why."""


def read(text: str, series: str, known: Callable[[date], date]) -> list[Row]:
    """Rows sorted by period. `known` says when a figure of a plain file counts as known. Raises Unreadable."""
    start = text.lstrip("\ufeff \t\r\n")
    if not start:
        raise Unreadable("an empty body")
    if start.startswith("<"):
        raise Unreadable("a page of HTML instead of data")
    lines = csv.reader(io.StringIO(start))
    try:
        head = [cell.strip().lower() for cell in next(lines)]
        return _rows(_said(head, _cells(lines, len(head)), series.lower(), known))
    except csv.Error as error:
        raise Unreadable(f"line {lines.line_num}: {error}") from None


def _cells(lines: Iterable[list[str]], width: int) -> Iterator[tuple[int, list[str]]]:
    for at, cells in enumerate(lines, 2):
        if cells and len(cells) != width:
            raise Unreadable(f"line {at}: {len(cells)} cells where the heading has {width}")
        if cells:
            yield at, [cell.strip() for cell in cells]


def _said(
    head: list[str], lines: Iterator[tuple[int, list[str]]], series: str, known: Callable[[date], date]
) -> list[Said]:
    day = _place(head, DAY_COLUMNS)
    if day is not None and len(head) == 2 and head[1 - day] in ("value", series):
        return [Said(when := _day(one[day], at), known(when), _value(one[1 - day], at), at) for at, one in lines]
    vintages = {at: _vintage(name, series) for at, name in enumerate(head) if at != day}
    if day is not None and vintages and all(vintages.values()):
        return _columns(day, {at: one for at, one in vintages.items() if one}, lines)
    value, start, end = _place(head, ("value", series)), _place(head, START), _place(head, END)
    if day is not None and value is not None and start is not None and len(head) == 3 + (end is not None):
        return _realtime(day, value, start, end, lines)
    raise Unreadable(f"the heading is {', '.join(head)[:80]!r}; it must be date and value, or name vintages")


def _place(head: list[str], names: tuple[str, ...]) -> int | None:
    return next((at for at, name in enumerate(head) if name in names), None)


def _vintage(name: str, series: str) -> date | None:
    found = re.fullmatch(re.escape(series) + r"_(\d{4})(\d\d)(\d\d)", name)
    return _day("-".join(found.groups()), 1) if found else None


def _columns(day: int, vintages: dict[int, date], lines: Iterator[tuple[int, list[str]]]) -> list[Said]:
    """A column a vintage: a figure was said anew where it differs from that of the vintage before."""
    found: list[Said] = []
    for at, cells in lines:
        when, last = _day(cells[day], at), None
        for place, vintage in sorted(vintages.items(), key=lambda one: one[1]):
            value = _value(cells[place], at)
            if value != last:
                found.append(Said(when, vintage, value, at))
            last = value
    return found


def _realtime(day: int, value: int, start: int, end: int | None, lines: Iterator[tuple[int, list[str]]]) -> list[Said]:
    """A row for each span of days on which a figure stood; after the last of them it was withdrawn."""
    found: list[Said] = []
    ends: list[Said] = []
    for at, cells in lines:
        when, since = _day(cells[day], at), _day(cells[start], at)
        until = _day(cells[end], at) if end is not None else date.max
        found.append(Said(when, since, _value(cells[value], at), at, until))
        if since <= until < date(9999, 1, 1):
            ends.append(Said(when, until + timedelta(1), None, at))
    begun = {one[:2] for one in found}
    return [*found, *(one for one in ends if one[:2] not in begun)]


def _rows(said: list[Said]) -> list[Row]:
    rows: list[Row] = []
    for one in sorted(said, key=lambda one: one[:2]):
        if not rows or rows[-1].day != one.day:
            rows.append(Row(one.day, (one,)))
        elif rows[-1].said[-1].since == one.since:
            raise Unreadable(f"{one.day} stands twice; two values of one period need the days they became known")
        else:
            rows[-1] = Row(one.day, (*rows[-1].said, one))
    return rows


def _day(text: str, line: int) -> date:
    try:
        if DAY.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError as error:
        raise Unreadable(f"line {line}: {text!r} is no day: {error}") from None
    raise Unreadable(f"line {line}: {text[:40]!r} is no day such as 2023-03-01")


def _value(text: str, line: int) -> float | None:
    if text in ("", "."):
        return None
    if not NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        raise Unreadable(f"line {line}: {text[:40]!r} is no number")
    return float(text)
