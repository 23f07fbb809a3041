"""Dividends against adjusted closes: each says what the other must be, and where they differ one is wrong.

A dividend D takes the share D / P off every earlier adjusted close, P being the close before it.
So the adjusted closes say a dividend of their own, and there are these cases:

- both agree: nothing to do
- they differ by a split of the series or by 100, and only the adjusted closes' dividend is a
  plausible share of the price: the dividend is in another unit, and takes their value
- the same, and only the stated dividend is plausible: the adjusted closes are made to follow it
- the adjusted closes know nothing of it, and it is a plausible share: they are made to follow it,
  in the unit that the other dividends of the series turned out to be in
- the same, but they know one of that amount of the sessions before, which nothing states: the day
  stated is that of the payment, and there is nothing to do but say so
- anything else is refused
"""

from __future__ import annotations

from typing import NamedTuple, NoReturn

from phases.evidence.rows import Rows

PLAUSIBLE = 0.25
"""Largest share of the price that a dividend may be, where something else speaks for it."""

UNSEEN = 0.08
"""Largest where nothing does."""

TINY = 5e-4
"""Smaller shares are the rounding of adjusted closes, or a dividend in the wrong unit."""

NEAR = 0.1
"""Relative difference up to which two amounts are the same."""

ROUNDING = 5e-5
"""Share of the price up to which the adjusted closes know of no dividend."""


LATER = 30
"""Sessions after the first without a dividend within which it is paid out."""


class _Paid(NamedTuple):
    """One dividend on the row it is first traded without."""

    entry: int
    """Its place among the actions."""
    at: int
    amount: float
    price: float
    """Close before it, in the same shares."""
    implied: float
    """Amount that the adjusted closes say."""

    @property
    def share(self) -> float:
        return self.amount / self.price

    @property
    def seen(self) -> bool:
        """Whether the adjusted closes say anything."""
        return abs(self.implied) > ROUNDING * self.price

    @property
    def agrees(self) -> bool:
        return abs(self.amount - self.implied) <= NEAR * self.amount + ROUNDING * self.price


def settle_dividends(rows: Rows) -> None:
    """Make dividends and adjusted closes agree, saying so. Raises a TickerFailure where it is not clear how."""
    paid = _paid(rows)
    units = {_settle_seen(rows, one) for one in paid if one.seen and not one.agrees} - {1.0}
    unseen = [one for one in paid if not one.seen and not one.agrees]
    late = _paid_late(rows, unseen)
    for one in reversed(unseen):
        if one.entry not in late:
            _settle_unseen(rows, one, units)


def _paid(rows: Rows) -> list[_Paid]:
    close, adj, splits = rows.columns["close"], rows.columns["adj_close"], rows.splits()
    found = []
    for entry, action in enumerate(rows.actions):
        at = rows.place(action.day)
        if action.kind != "dividend" or not action.value or not 0 < at < len(rows.days):
            continue
        price, step = float(close[at - 1]), float(adj[at - 1] / close[at - 1] / (adj[at] / close[at]))
        split = splits.get(at, 1.0)
        if split != 1 and abs(close[at - 1] / close[at] / split - 1) < abs(close[at - 1] / close[at] - 1):
            price, step = price / split, step * split  # closes as traded: the split is in the step too
        found.append(_Paid(entry, at, action.value, price, price * (1 - step)))
    return found


def _paid_late(rows: Rows, unseen: list[_Paid]) -> set[int]:
    """Entries of dividends that the adjusted closes know on an earlier day, which nothing states: said."""
    close, adj = rows.columns["close"], rows.columns["adj_close"]
    amounts = close[:-1] - close[1:] * adj[:-1] / adj[1:]
    taken, late = {rows.place(one.day) for one in rows.actions}, set()
    for one in sorted(unseen, key=lambda one: one.at):
        for at in range(max(1, one.at - LATER), one.at):
            room = min(NEAR * one.amount + ROUNDING * one.price, one.amount / 2)
            if at not in taken and one.amount > TINY * one.price and abs(amounts[at - 1] - one.amount) <= room:
                taken.add(at)
                late.add(one.entry)
                rows.notes.append(
                    f"dividend of {rows.actions[one.entry].day}, {one.amount:g}, is taken for the one that the "
                    f"adjusted closes know on {rows.days[at]}: not adjusted again"
                )
                break
    return late


def _settle_seen(rows: Rows, one: _Paid) -> float:
    """Settle one of which the adjusted closes say another amount; gives the factor that the amount was off by."""
    said = one.implied / one.price
    off = one.amount / one.implied
    splits = {value for at, value in rows.splits().items() if at >= one.at}
    factors = {100.0: "100", 0.01: "1/100"} | {each: "a split" for value in splits for each in (value, 1 / value)}
    factor = next((each for each in factors if off > 0 and abs(off / each - 1) < NEAR), None)
    if factor is None or min(said, one.share) > PLAUSIBLE:
        return _refuse(rows, one)
    by = factors[factor]
    if said > PLAUSIBLE:
        _follow(rows, one, one.amount, f"had it off by {by}")
        return 1.0
    if not (one.share > PLAUSIBLE or by == "a split" or (factor < 1 and one.share < TINY)):
        _refuse(rows, one)
    _restate(rows, one, one.implied, f"off by {by}: the adjusted closes say {one.implied:.6g}")
    return factor


def _settle_unseen(rows: Rows, one: _Paid, units: set[float]) -> None:
    """Settle one of which the adjusted closes know nothing."""
    amount = one.amount
    if len(units) == 1:
        unit = next(iter(units))
        amount = one.amount / unit
        _restate(rows, one, amount, f"off by {unit:g} like the others of the series")
    if amount / one.price > UNSEEN:
        _refuse(rows, one)
    _follow(rows, one, amount, "did not know it")


def _restate(rows: Rows, one: _Paid, amount: float, why: str) -> None:
    rows.notes.append(f"dividend of {rows.actions[one.entry].day}, {one.amount:g}, is {why}")
    rows.actions[one.entry] = rows.actions[one.entry].model_copy(update={"value": float(f"{amount:.6g}")})


def _follow(rows: Rows, one: _Paid, amount: float, why: str) -> None:
    """Make the adjusted closes before a dividend follow from it."""
    adj = rows.columns["adj_close"]
    adj[: one.at] *= (1 - amount / one.price) / (1 - one.implied / one.price)
    rows.notes.append(
        f"adjusted closes before the dividend of {rows.actions[one.entry].day}, {amount:g}, {why}: adjusted for it"
    )


def _refuse(rows: Rows, one: _Paid) -> NoReturn:
    rows.refuse(
        f"dividend of {rows.actions[one.entry].day} is {one.amount:g}, but the adjusted closes say {one.implied:.4g} "
        f"at a price of {one.price:g}"
    )
