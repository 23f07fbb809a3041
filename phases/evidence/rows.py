"""Bars on their way through the checks: columns that can be cut and repaired, and what was said of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from phases.core.errors import TickerFailure
from phases.maths.sessions import MOST
from schemas.market import Action, Bars

SESSIONS = 280
"""Bars a night asks for: 252 for the longest return, and room for the averages to warm up."""

QUARTER = 63
"""Sessions of a quarter."""

PRICES = ("open", "high", "low", "close", "adj_close")
COLUMNS = (*PRICES, "volume")

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass
class Rows:
    """Bars under repair. A column the source does not have is empty."""

    bars: Bars
    """As they came."""
    days: list[date]
    columns: dict[str, Floats]
    actions: list[Action]
    currency: str
    notes: list[str]
    flags: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, bars: Bars) -> Rows:
        """The rows of bars."""
        columns = {name: np.array(getattr(bars, name), dtype=np.float64) for name in COLUMNS}
        return cls(bars, list(bars.days), columns, list(bars.actions), bars.currency, list(bars.notes))

    def take(self, places: Sequence[int]) -> None:
        """Keep these rows, in this order."""
        self.days = [self.days[at] for at in places]
        self.columns = {name: values[list(places)] if len(values) else values for name, values in self.columns.items()}

    def place(self, day: date) -> int:
        """The first row on or after a day."""
        return int(np.searchsorted(np.array(self.days, dtype="datetime64[D]"), np.datetime64(day)))

    def splits(self) -> dict[int, float]:
        """Split ratios by the row each is first traded on; those outside the rows are not among them."""
        found = {self.place(one.day): one.value for one in self.actions if one.kind == "split" and one.value > 0}
        return {at: value for at, value in found.items() if 0 < at < len(self.days)}

    def refuse(self, why: str) -> NoReturn:
        """Raise the failure of this ticker, with the remedy."""
        refuse(f"{self.bars.symbol}: {why}; correct it at the source {self.bars.source or ''}".rstrip())

    def checked(self) -> Bars:
        """The bars as they are now."""
        changed: dict[str, Any] = {name: tuple(values.tolist()) for name, values in self.columns.items()}
        told = {"days": tuple(self.days), "actions": tuple(self.actions), "currency": self.currency}
        return self.bars.model_copy(update={**changed, **told, "notes": tuple(self.notes)})


def refuse(why: str) -> NoReturn:
    """Raise the failure of a ticker whose bars cannot be used."""
    raise TickerFailure(why, "no_data")


def listed(days: Sequence[date]) -> str:
    """The first days of several, and how many there are."""
    return ", ".join(map(str, days[:5])) + (f" and {len(days) - 5} more" if len(days) > 5 else "")


def counted(number: int, what: str = "session") -> str:
    """A number of sessions, or of something else, with its word; sessions are counted up to a year.

    >>> counted(1), counted(7), counted(MOST + 1), counted(1, "bar")
    ('1 session', '7 sessions', 'more than 252 sessions', '1 bar')
    """
    if what == "session" and number > MOST:
        return f"more than {MOST} sessions"
    return f"{number} {what}{'s' * (number != 1)}"
