"""Items of one company's figures: valuation, margins, growth, debt, and the days until results are due.

Of every figure the one that was known at the as-of date counts, whatever the source hands over. A figure without
a number is missing with its reason and never 0. Prices in pence become pounds; what would divide one currency by
another is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta
from typing import NamedTuple

from phases.evidence.base import Origin, item_of
from phases.evidence.books import Absent, Books, Quote, Value, newest
from phases.evidence.limits import beyond, off
from schemas.market import Bars, Evidence, Fundamentals, Missing, Unit

EARNINGS_WITHIN = 120
"""Days ahead within which a date for results is taken for the next one."""


def _direct(name: str) -> Callable[[Books], Value]:
    """A figure that the source gives as it is."""
    return lambda books: replace(books.spans(name, "now", "ttm", "quarter")[-1], told=True)


def _multiple(name: str) -> Callable[[Books], Value]:
    """A multiple that the source gives; one that is not above 0 says nothing."""

    def told(books: Books) -> Value:
        value = books.spans(name, "now", "ttm")[-1]
        if value.amount <= 0:
            raise Absent(f"{name} of {value.ended} is not above 0")
        return replace(value, told=True)

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


def _by_parts(name: str) -> Callable[[Books], Value]:
    return lambda books: books.by_parts(name)


def _enterprise_by_definition(books: Books) -> Value:
    return books.scaled(books.spans("enterprise_value", "now")[-1]).over(books.scaled(books.year("ebitda")), "ebitda")


def _book_multiple(books: Books) -> Value:
    return books.market_value().over(books.scaled(books.level("equity")), "equity")


def _cash_yield(books: Books) -> Value:
    cash, value = books.scaled(books.year("free_cash_flow")), books.market_value()
    found = cash.over(value, "market value")
    if 0 < abs(found.amount) < NOTHING:
        raise Absent(
            f"free_cash_flow of {cash.ended} is {cash.amount:.4g}, the market value {value.amount:.4g}: "
            f"{found.amount:.1g} of it would read like 0, and may be in another unit"
        )
    return found


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
    defined: Callable[[Books], Value] | None = None
    """What a multiple that a source gives is by definition, of other figures of the same answer."""


ITEMS: tuple[Item, ...] = (
    Item(
        "fa.pe_trailing",
        "price to earnings",
        "index",
        (_multiple("trailing_pe"), _earnings_multiple),
        True,
        _by_parts("trailing_pe"),
    ),
    Item(
        "fa.pe_forward",
        "price to expected earnings",
        "index",
        (_multiple("forward_pe"),),
        True,
        _by_parts("forward_pe"),
    ),
    Item(
        "fa.ev_ebitda",
        "enterprise value to EBITDA",
        "index",
        (_multiple("ev_to_ebitda"), _enterprise_multiple),
        True,
        _enterprise_by_definition,
    ),
    Item(
        "fa.pb",
        "price to book value",
        "index",
        (_multiple("price_to_book"), _book_multiple),
        True,
        _by_parts("price_to_book"),
    ),
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

NOTHING = 0.00005
"""Free cash flow to market value from which on it does not read like 0."""

GROSS, BELOW = "fa.gross_margin", 0.2
"""The gross margin, and how far it may be below the margins that costs were taken from: gains from elsewhere."""

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
    value = _computed(item, books)
    if item.id == GROSS:
        _check_gross(value, books)
    return item_of(item.id, item.label, item.unit, value.amount, _origin(value, spoke))


def _computed(item: Item, books: Books) -> Value:
    """The newest value of an item. Raises Absent where it cannot be."""
    value = newest(*((lambda way=way: way(books)) for way in item.ways))
    defined = None if item.defined is None else _or_none(item.defined, books)
    if (why := beyond(item.id, value, _or_none(item.ways[-1], books)) or off(value, defined)) is not None:
        raise Absent(why)
    return value


def _or_none(way: Callable[[Books], Value], books: Books) -> Value | None:
    """What an item comes to in one way, where it does."""
    try:
        return way(books)
    except Absent:
        return None


def _check_gross(gross: Value, books: Books) -> None:
    """Raise Absent where less is left before the costs than after them."""
    left = [one for one in ITEMS if one.id in ("fa.operating_margin", "fa.net_margin")]
    known: dict[str, float] = {}
    for one in left:
        with suppress(Absent):
            known[one.label] = _computed(one, books).amount
    if known and min(known.values()) > gross.amount + BELOW:
        told = ", ".join(f"{label} {amount:g}" for label, amount in known.items())
        raise Absent(f"the gross margin of {gross.ended} is {gross.amount:g}, below what is left of it: {told}")


def _size(books: Books, spoke: str) -> Evidence:
    """The market value, in millions where it is not in dollars: the unit then stands in the label."""
    value = books.market_value()
    origin = _origin(value, spoke)
    if books.currency is None:
        raise Absent("the currency of the market value is not known")
    if (why := beyond(MARKET_CAP, value)) is not None and books.currency == "USD":
        raise Absent(why)
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
