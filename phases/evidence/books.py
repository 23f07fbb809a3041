"""The figures of one company as they were known on a day, and what they come to: a year, growth, its market value."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from phases.evidence.statements import odd_statements
from phases.maths.currency import MINOR_UNITS
from schemas.market import Figure, Fundamentals

STALE_AFTER = {"now": 10, "quarter": 200, "ttm": 200, "year": 500}
"""Days after the end of its span from which a figure is stale: the next one should be known by then. After twice
as many it is no evidence any more."""

NOT_THERE = "the source has no"

OTHER_UNIT = 30.0
"""How many times shares at their price the market value may be, or the reverse. A second class of shares made it 2
times, and can make it 10; another unit is 100 at the least."""


class Absent(Exception):
    """Why an item cannot be computed."""


@dataclass(frozen=True)
class Value:
    """A value on its way to an item."""

    amount: float
    ended: date
    """Last day of the span it describes."""
    known: date
    stale: bool = False
    told: bool = False
    """Whether a source gave the ratio as it is, not its parts."""

    def over(self, other: Value, words: str) -> Value:
        """The ratio to another value. Raises Absent where that is not above 0: such a ratio says nothing."""
        if other.amount <= 0:
            raise Absent(f"{words} of {other.ended} is not above 0")
        return self.with_(other, self.amount / other.amount)

    def with_(self, other: Value, amount: float) -> Value:
        """What two values come to: as old as the older, known as late as the later."""
        ended, known = min(self.ended, other.ended), max(self.known, other.known)
        return Value(amount, ended, known, self.stale or other.stale)


class Quote(NamedTuple):
    """What is needed of the prices."""

    close: float
    """Last close, in `currency`."""
    currency: str
    session: date
    splits: tuple[date, ...]


class Books:
    """The figures of one company, as they were known on a day."""

    def __init__(self, record: Fundamentals, as_of: date, quote: Quote) -> None:
        self.record, self.as_of, self.quote = record, as_of, quote
        currency, self._factor = major(record.currency) if record.currency else (None, 1.0)
        self.currency = currency
        known: dict[tuple[str, str, date], Figure] = {}
        for one in sorted(record.figures, key=lambda one: one.known):
            if max(one.known, one.ended) <= as_of:
                known[one.name, one.period, one.ended] = one
        self._figures = tuple(known.values())
        self._odd = odd_statements(self._figures)

    def spans(self, name: str, *periods: str) -> list[Value]:
        """Values of a figure for such spans, oldest first. Raises Absent where there is none with a number."""
        odd = [self._odd[name, one] for one in periods if (name, one) in self._odd]
        sound = [one for one in periods if (name, one) not in self._odd]
        found = sorted(
            (one for one in self._figures if one.name == name and one.period in sound), key=lambda one: one.ended
        )
        values = [self._value(one, one.value) for one in found if one.value is not None]
        if not values:
            why = f"{name} of {found[-1].ended} is no number in the source" if found else f"{NOT_THERE} {name}"
            raise Absent(odd[0] if odd else why)
        if (self.as_of - values[-1].ended).days > 2 * STALE_AFTER[found[-1].period]:
            raise Absent(f"the newest {name} is of {values[-1].ended}, too old to count")
        return values

    def _value(self, one: Figure, amount: float) -> Value:
        age = (self.as_of - one.ended).days
        return Value(amount, one.ended, max(one.known, one.ended), age > STALE_AFTER[one.period])

    def level(self, name: str) -> Value:
        """The newest value of what has no span of its own, such as debt."""
        return self.spans(name, "now", "quarter", "year")[-1]

    def year(self, name: str) -> Value:
        """The newest value of a whole year: twelve months, four quarters in a row, or a fiscal year."""
        return newest(
            lambda: self.spans(name, "ttm")[-1],
            lambda: _four_quarters(self.spans(name, "quarter"), name),
            lambda: self.spans(name, "year")[-1],
        )

    def growth(self, name: str) -> Value:
        """Growth over the same span a year before: of a quarter, else of a fiscal year."""
        return newest(*(lambda period=period: _grown(self.spans(name, period), name) for period in ("quarter", "year")))

    def comparable(self) -> None:
        """Raise Absent where the price and the statements are not in one currency."""
        price = major(self.quote.currency)[0]
        if self.currency is None:
            raise Absent("the currency of the statements is not known")
        if price != self.currency:
            raise Absent(f"the price is in {price} and the statements in {self.currency}: no ratio of the two")

    def market_value(self) -> Value:
        """What all shares cost, in the currency of the statements."""
        value = newest(self._told_value, self._counted_value)
        told = counted = value
        with suppress(Absent):
            told = self._told_value()
            if told.amount > 0:
                counted = self._counted_value()
        if told.amount <= 0:
            raise Absent(f"market_cap of {told.ended} is {told.amount:g}, not above 0")
        if not 1 / OTHER_UNIT < told.amount / counted.amount < OTHER_UNIT:
            raise Absent(
                f"market_cap of {told.ended} is {told.amount:.4g}, shares at their price are {counted.amount:.4g}: "
                "one of them is in another unit"
            )
        return value

    def _told_value(self) -> Value:
        told = self.spans("market_cap", "now")[-1]
        return replace(told, amount=told.amount * self._factor)

    def _counted_value(self) -> Value:
        """Shares times price."""
        self.comparable()
        shares, quote = self.level("shares"), self.quote
        if shares.amount <= 0:
            raise Absent(f"shares of {shares.ended} are {shares.amount:g}, not above 0")
        if after := [day for day in quote.splits if shares.ended < day <= quote.session]:
            raise Absent(f"a split on {after[-1]} came after the shares of {shares.ended} were counted")
        price = Value(quote.close * major(quote.currency)[1], quote.session, quote.session)
        counted = shares.with_(price, shares.amount * price.amount)
        return replace(counted, ended=quote.session)

    def by_parts(self, name: str) -> Value:
        """A multiple as the price and the figure of a share of the same answer make it. Raises Absent."""
        found = [one for one in self._figures if one.name == f"{name}_by_parts" and one.value is not None]
        if not found:
            raise Absent(f"{NOT_THERE} parts of {name}")
        last = max(found, key=lambda one: one.ended)
        return self._value(last, last.value or 0.0)

    def debt(self) -> Value:
        """Debt less cash, in the currency of the statements as it was written."""
        debt, cash = self.level("total_debt"), self.level("cash")
        return debt.with_(cash, debt.amount - cash.amount)

    def scaled(self, value: Value) -> Value:
        """An amount of the statements in whole units of their currency."""
        return replace(value, amount=value.amount * self._factor)


def major(currency: str) -> tuple[str, float]:
    """A currency by its whole unit, and how many of those one unit of what was written is.

    >>> major("GBp"), major("USD")
    (('GBP', 0.01), ('USD', 1.0))
    """
    return (MINOR_UNITS[currency], 0.01) if currency in MINOR_UNITS else (currency, 1.0)


def newest(*ways: Callable[[], Value]) -> Value:
    """The newest of what several ways give, the first at a tie. Raises Absent where none gives any, with a reason that
    says more than that a figure is not there, if there is one."""
    found: list[Value] = []
    absent: list[Absent] = []
    for way in ways:
        try:
            found.append(way())
        except Absent as why:
            absent.append(why)
    if not found:
        raise min(absent, key=lambda one: str(one).startswith(NOT_THERE))
    return max(found, key=lambda one: one.ended)


def _four_quarters(quarters: list[Value], name: str) -> Value:
    last = quarters[-4:]
    if len(last) < 4 or not 250 <= (last[-1].ended - last[0].ended).days <= 300:
        raise Absent(f"the source has no four quarters of {name} in a row")
    return replace(last[-1], amount=sum(one.amount for one in last), known=max(one.known for one in last))


def _grown(values: list[Value], name: str) -> Value:
    last = values[-1]
    before = [one for one in values if abs((last.ended - one.ended).days - 365) <= 20]
    if not before:
        raise Absent(f"no {name} of the same span a year before {last.ended}")
    ratio = last.over(before[-1], f"{name} a year before,")
    return replace(ratio, amount=ratio.amount - 1, ended=last.ended, stale=last.stale)
