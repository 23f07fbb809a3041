"""Figures as a plain table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

TURN = ("render", "key", "journal", "validate", "read the reply", "check", "fold", "indicators")
"""Beginnings of the parts that are looked at as costs of a turn; an evidence item is paid for by its ticker's turns."""


class Figure(NamedTuple):
    """One line: what, how much, in which unit, and what to hold it against."""

    what: str
    value: float
    unit: str
    note: str


def table(figures: Sequence[Figure], raw: Mapping[str, Any]) -> str:
    """Figures, then where a ticker's time goes, then what it was measured on."""
    wide = max(len(one.what) for one in figures)
    lines = [f"{one.what:{wide}}  {_number(one):>10} {one.unit:4} {one.note}".rstrip() for one in figures]
    phases = raw["nights"][0]["phases"]
    tickers = raw["nights"][0]["tickers"]
    lines += ["", "CPU by phase, ms a ticker"]
    lines += [f"  {name:{wide - 2}}  {1e3 * seconds / tickers:10.2f}" for name, seconds in phases.items()]
    parts = raw["parts"]
    lines += ["", "Where a ticker's CPU goes, one thread"]
    lines += [f"  {name:{wide - 2}}  {share:10.1%}" for name, share in parts.items()]
    largest = [f"{name} {share:.0%}" for name, share in parts.items() if name.startswith(TURN)][:3]
    lines += ["", f"The three largest costs of a turn: {', '.join(largest)}"]
    machine = raw["machine"]
    lines += ["", f"{machine['cores']} cores, {machine['system']}, Python {machine['python']}, {raw['seconds']:.0f} s"]
    return "\n".join(lines)


def _number(one: Figure) -> str:
    if one.unit == "x":
        return f"{one.value:.2f}"
    return f"{one.value:,.0f}" if one.value == int(one.value) or one.value >= 100 else f"{one.value:.1f}"
