"""Items of one company's figures: valuation, margins, growth, debt, and the days until results are due.

Of every figure the one that was known at the as-of date counts, whatever the source hands over. A figure without
a number is missing with its reason and never 0. Prices in pence become pounds; what would divide one currency by
another is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import NamedTuple

from phases.evidence.base import Origin, item_of
from phases.maths.currency import MINOR_UNITS
from schemas.market import Bars, Evidence, Figure, Fundamentals, Missing, Unit

STALE_AFTER = {"now": 10, "quarter": 200, "ttm": 200, "year": 500}
"""Days after the end of its span from which a figure is stale: the next one should be known by then. After twice
as many it is no evidence any more."""

NOT_THERE = "the source has no"

EARNINGS_WITHIN = 120
"""Days ahead within which a date for results is taken for the next one."""


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

    def spans(self, name: str, *periods: str) -> list[Value]:
        """Values of a figure for such spans, oldest first. Raises Absent where there is none with a number."""
        found = sorted(
            (one for one in self._figures if one.name == name and one.period in periods), key=lambda one: one.ended
        )
        values = [self._value(one, one.value) for one in found if one.value is not None]
        if not values:
            why = f"{name} of {found[-1].ended} is no number in the source" if found else f"{NOT_THERE} {name}"
            raise Absent(why)
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
        return _newest(
            lambda: self.spans(name, "ttm")[-1],
            lambda: _four_quarters(self.spans(name, "quarter"), name),
            lambda: self.spans(name, "year")[-1],
        )

    def growth(self, name: str) -> Value:
        """Growth over the same span a year before: of a quarter, else of a fiscal year."""
        return _newest(
            *(lambda period=period: _grown(self.spans(name, period), name) for period in ("quarter", "year"))
        )

    def comparable(self) -> None:
        """Raise Absent where the price and the statements are not in one currency."""
        price = major(self.quote.currency)[0]
        if self.currency is None:
            raise Absent("the currency of the statements is not known")
        if price != self.currency:
            raise Absent(f"the price is in {price} and the statements in {self.currency}: no ratio of the two")

    def market_value(self) -> Value:
        """What all shares cost, in the currency of the statements."""
        return _newest(self._told_value, self._counted_value)

    def _told_value(self) -> Value:
        told = self.spans("market_cap", "now")[-1]
        return replace(told, amount=told.amount * self._factor)

    def _counted_value(self) -> Value:
        """Shares times price."""
        self.comparable()
        shares, quote = self.level("shares"), self.quote
        if after := [day for day in quote.splits if shares.ended < day <= quote.session]:
            raise Absent(f"a split on {after[-1]} came after the shares of {shares.ended} were counted")
        price = Value(quote.close * major(quote.currency)[1], quote.session, quote.session)
        counted = shares.with_(price, shares.amount * price.amount)
        return replace(counted, ended=quote.session)

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


def _newest(*ways: Callable[[], Value]) -> Value:
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


def _direct(name: str) -> Callable[[Books], Value]:
    """A figure that the source gives as it is."""
    return lambda books: books.spans(name, "now", "ttm", "quarter")[-1]


def _multiple(name: str) -> Callable[[Books], Value]:
    """A multiple that the source gives; one that is not above 0 says nothing."""

    def told(books: Books) -> Value:
        value = books.spans(name, "now", "ttm")[-1]
        if value.amount <= 0:
            raise Absent(f"{name} of {value.ended} is not above 0")
        return value

    return told


def _share(part: str, whole: str) -> Callable[[Books], Value]:
    """One figure of a year over another."""
    return lambda books: books.year(part).over(books.year(whole), whole)


def _growth(name: str) -> Callable[[Books], Value]:
    return lambda books: books.growth(name)


def _earnings_multiple(books: Books) -> Value:
    return books.market_value().over(books.scaled(books.year("net_income")), "net_income")


def _enterprise_multiple(books: Books) -> Value:
    value, debt = books.market_value(), books.scaled(books.debt())
    whole = value.with_(debt, value.amount + debt.amount)
    return whole.over(books.scaled(books.year("ebitda")), "ebitda")


def _book_multiple(books: Books) -> Value:
    return books.market_value().over(books.scaled(books.level("equity")), "equity")


def _cash_yield(books: Books) -> Value:
    return books.scaled(books.year("free_cash_flow")).over(books.market_value(), "market value")


def _leverage(books: Books) -> Value:
    return books.debt().over(books.year("ebitda"), "ebitda")


def _return_on_equity(books: Books) -> Value:
    return books.year("net_income").over(books.level("equity"), "equity")


class Item(NamedTuple):
    """One item: its name, words, unit, and the ways it comes about."""

    id: str
    label: str
    unit: Unit
    ways: tuple[Callable[[Books], Value], ...]
    priced: bool = False
    """Whether it compares a price with statements."""


ITEMS: tuple[Item, ...] = (
    Item("fa.pe_trailing", "price to earnings", "index", (_multiple("trailing_pe"), _earnings_multiple), True),
    Item("fa.pe_forward", "price to expected earnings", "index", (_multiple("forward_pe"),), True),
    Item(
        "fa.ev_ebitda", "enterprise value to EBITDA", "index", (_multiple("ev_to_ebitda"), _enterprise_multiple), True
    ),
    Item("fa.pb", "price to book value", "index", (_multiple("price_to_book"), _book_multiple), True),
    Item("fa.fcf_yield", "free cash flow yield", "ratio", (_cash_yield,), True),
    Item("fa.gross_margin", "gross margin", "ratio", (_direct("gross_margin"), _share("gross_profit", "revenue"))),
    Item(
        "fa.operating_margin",
        "operating margin",
        "ratio",
        (_direct("operating_margin"), _share("operating_income", "revenue")),
    ),
    Item("fa.net_margin", "net margin", "ratio", (_direct("net_margin"), _share("net_income", "revenue"))),
    Item("fa.revenue_growth", "revenue, 1-year change", "ratio", (_direct("revenue_growth"), _growth("revenue"))),
    Item("fa.earnings_growth", "earnings, 1-year change", "ratio", (_direct("earnings_growth"), _growth("net_income"))),
    Item("fa.net_debt_ebitda", "net debt to EBITDA", "index", (_leverage,)),
    Item("fa.roe", "return on equity", "ratio", (_direct("return_on_equity"), _return_on_equity)),
)

MARKET_CAP, EARNINGS = "fa.market_cap", "fa.earnings_days"
IDS = (MARKET_CAP, EARNINGS, *(one.id for one in ITEMS))
"""Every item of the family."""


def fundamental_items(
    record: Fundamentals, bars: Bars, as_of: date, source: str
) -> tuple[list[Evidence], list[Missing]]:
    """Items of what was known of a company, and those that cannot be computed with the reason."""
    if record.kind != "stock":
        return [], no_fundamentals(f"{record.symbol} is of the kind {record.kind}, which has no statements")
    splits = tuple(one.day for one in bars.actions if one.kind == "split")
    books = Books(record, as_of, Quote(bars.close[-1], bars.currency, bars.days[-1], splits))
    spoke = record.source or source
    found = [_made(id, books, spoke, make) for id, make in _makers(books).items()]
    return [one for one in found if isinstance(one, Evidence)], [one for one in found if isinstance(one, Missing)]


def no_fundamentals(reason: str) -> list[Missing]:
    """The whole family as missing."""
    return [Missing(id=id, reason=reason) for id in IDS]


def _makers(books: Books) -> dict[str, Callable[[str], Evidence]]:
    makers = {one.id: (lambda spoke, one=one: _ratio(one, books, spoke)) for one in ITEMS}
    return {**makers, MARKET_CAP: lambda spoke: _size(books, spoke), EARNINGS: lambda spoke: _earnings(books, spoke)}


def _made(id: str, books: Books, spoke: str, make: Callable[[str], Evidence]) -> Evidence | Missing:
    try:
        return make(spoke)
    except Absent as why:
        return Missing(id=id, reason=str(why))


def _ratio(item: Item, books: Books, spoke: str) -> Evidence:
    if item.priced:
        books.comparable()
    value = _newest(*((lambda way=way: way(books)) for way in item.ways))
    return item_of(item.id, item.label, item.unit, value.amount, _origin(value, spoke))


def _size(books: Books, spoke: str) -> Evidence:
    """The market value, in millions where it is not in dollars: the unit then stands in the label."""
    value = books.market_value()
    origin = _origin(value, spoke)
    if books.currency is None:
        raise Absent("the currency of the market value is not known")
    if books.currency == "USD":
        return item_of(MARKET_CAP, "market value", "usd", value.amount, origin)
    return item_of(MARKET_CAP, f"market value in millions of {books.currency}", "index", value.amount / 1e6, origin)


def _earnings(books: Books, spoke: str) -> Evidence:
    """Days until the next results are due."""
    known, as_of = books.record.earnings_known, books.as_of
    if known is None or known > as_of:
        raise Absent(f"no date of coming results was certainly known by {as_of}")
    due = [day for day in books.record.earnings if as_of < day <= as_of + timedelta(EARNINGS_WITHIN)]
    if not due:
        raise Absent(f"the source has no date of results within {EARNINGS_WITHIN} days after {as_of}")
    return item_of(
        EARNINGS, "days until results are due", "days", (min(due) - as_of).days, Origin(known, known, spoke, tier=2)
    )


def _origin(value: Value, spoke: str) -> Origin:
    return Origin(value.ended, value.known, spoke, tier=2, stale=value.stale)
