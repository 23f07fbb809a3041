"""Spend: the most a call can cost is booked before it is made, what it did cost replaces that once it is known.

Bookings are rows of the store, so that processes share a ceiling. One that was never settled stays at its worst
case: the call may have been billed. Amounts are whole millionths of a US dollar.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Update, delete, func, insert, select, update

from phases.core.errors import CeilingReached
from phases.core.provider import Reply
from phases.core.recorder import later
from phases.core.store import Store, spend
from phases.maths.pricing import cost
from schemas.events import Usage
from schemas.operation import OperationSettings
from schemas.settings import Rates

MICROS = 1_000_000


@dataclass(frozen=True)
class Booking:
    """One call that is about to be made."""

    key: str
    """Journal key of its question."""
    model: str
    worst: Usage
    """The most tokens it can have."""
    rates: Mapping[str, Rates]
    """Prices by model."""
    about: Mapping[str, Any]
    """phase, ticker, skill, seat and round_number."""

    @property
    def micros(self) -> int:
        """The most it can cost."""
        return cost(self.worst, self.model, self.rates).micros


@dataclass(frozen=True)
class Budget:
    """Ceilings of one run and of its night, over all processes that share the store."""

    store: Store
    run_id: str
    as_of: str
    attempt: int
    run_ceiling: int | None
    """Millionths of a US dollar; absent for none."""
    night_ceiling: int | None
    option: str = "--max-cost"
    """What raises the ceiling of the run."""
    again: str = ""
    """How to go on then; empty for resuming the run."""

    def book(self, bookings: Sequence[Booking]) -> None:
        """Book calls at their worst case, all or none. Writes the store.

        Raises CeilingReached if that could pass a ceiling: nothing is booked then.
        """
        self._insert(bookings)

    def _insert(self, bookings: Sequence[Booking], *before: Callable[[Connection], Any]) -> None:
        """Do something first, in the same transaction, where no ceiling is passed."""
        rows = [self._row(one) for one in bookings]

        def work(connection: Connection) -> None:
            self._check(connection, bookings, self.run_ceiling, spend.c.run_id == self.run_id, self.option)
            night = "--set operation.max_cost_night"
            self._check(connection, bookings, self.night_ceiling, spend.c.as_of == self.as_of, night)
            for step in before:
                step(connection)
            connection.execute(insert(spend), rows)

        self.store.write(work)

    def _check(
        self,
        connection: Connection,
        bookings: Sequence[Booking],
        ceiling: int | None,
        mine: ColumnElement[bool],
        option: str,
    ) -> None:
        if ceiling is None:
            return
        wanted, number = sum(one.micros for one in bookings), len(bookings)
        booked = int(connection.execute(select(func.coalesce(func.sum(spend.c.micros), 0)).where(mine)).scalar_one())
        if booked + wanted > ceiling:
            calls = "call" if number == 1 else f"{number} calls"
            raise CeilingReached(
                f"the next {calls} could cost {dollars(wanted)} and {dollars(booked)} of {dollars(ceiling)} is spent or"
                f" booked; raise {option} and {self.again or f'run it again with --resume {self.run_id}'}"
            )

    def _row(self, one: Booking) -> dict[str, Any]:
        return {
            "run_id": self.run_id,
            "as_of": self.as_of,
            "attempt": self.attempt,
            "key": one.key,
            "state": "booked",
            "model": one.model,
            "micros": one.micros,
            "usage": one.worst.model_dump_json(),
            "at": later(0),
            **one.about,
        }

    def settling(self, key: str, usage: Usage, micros: int) -> Update:
        """What replaces a booking by what the call cost, to be committed together with the answer."""
        told = {
            "state": "estimated" if usage.estimated else "spent",
            "micros": micros,
            "usage": usage.model_dump_json(),
        }
        return update(spend).where(self._open(key)).values(**told)

    def lose(self, one: Booking) -> None:
        """Let a try that may have been billed stand at its worst case, and book another. Writes the store.

        Raises CeilingReached if that could pass a ceiling: nothing is changed then.
        """
        stands = {"state": "estimated", "usage": one.worst.model_dump_json()}
        lost = update(spend).where(self._open(one.key)).values(**stands)
        self._insert([one], lambda connection: connection.execute(lost))

    def release(self, keys: Sequence[str]) -> None:
        """Take bookings back: their calls were certainly not billed. Writes the store."""
        taken = [delete(spend).where(self._open(key)) for key in keys]
        self.store.write(lambda connection: [connection.execute(one) for one in taken])

    def _open(self, key: str) -> ColumnElement[bool]:
        """The one booking of a call that is not settled."""
        mine = (spend.c.run_id == self.run_id) & (spend.c.attempt == self.attempt) & (spend.c.key == key)
        return mine & (spend.c.state == "booked")

    def spent(self) -> int:
        """What this start of the run has spent or booked. Reads the store."""
        mine = (spend.c.run_id == self.run_id) & (spend.c.attempt == self.attempt)
        with self.store.read() as connection:
            return int(connection.execute(select(func.coalesce(func.sum(spend.c.micros), 0)).where(mine)).scalar_one())


def ceilings_of(operation: OperationSettings) -> tuple[int | None, int | None]:
    """Ceilings of a run and of its night, in millionths of a US dollar; absent for none."""
    run, night = operation.max_cost, operation.max_cost_night
    return None if run is None else round(run * MICROS), None if night is None else round(night * MICROS)


class Spent(NamedTuple):
    """What a run has spent over all its starts; a call that is not settled counts at its worst case."""

    calls: int
    usage: Usage
    """Tokens of all of them."""
    micros: int
    """Millionths of a US dollar."""

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.usage.tokens

    def __str__(self) -> str:
        return f"cost: {dollars(self.micros)} ({self.calls} call{'s' * (self.calls != 1)}, {self.tokens:,} tokens)"


def spent_by(store: Store, run_id: str) -> Spent:
    """What a run has spent. Reads the store."""
    with store.read() as connection:
        rows = connection.execute(select(spend.c.usage, spend.c.micros).where(spend.c.run_id == run_id)).all()
    usages = [Usage.model_validate_json(row.usage) for row in rows]
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    usage = Usage(**{name: sum(getattr(one, name) for one in usages) for name in names})
    return Spent(len(rows), usage, sum(row.micros for row in rows))


def billed(replies: Sequence[Reply], model: str, rates: Mapping[str, Rates]) -> dict[str, Any]:
    """tokens, micros and priced of one turn, by its replies; tries that were lost and may have been billed cost too."""
    lost = [one.lost for reply in replies for one in reply.attempts if one.lost is not None]
    usages = [*(reply.usage for reply in replies), *lost]
    prices = [cost(usage, model, rates) for usage in usages]
    return {
        "tokens": sum(reply.usage.tokens for reply in replies),
        "micros": sum(price.micros for price in prices),
        "priced": all(price.known for price in prices) and not any(usage.estimated for usage in usages),
    }


def dollars(micros: int) -> str:
    """Money as a reader writes it.

    >>> dollars(1_234_567), dollars(900)
    ('$1.2346', '$0.0009')
    """
    return f"${micros / MICROS:.4f}"
