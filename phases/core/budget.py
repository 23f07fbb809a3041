"""Spend: the most a call can cost is booked before it is made, what it did cost replaces that once it is known.

Bookings are rows of the store, so that processes share a ceiling. One that was never settled stays at its worst
case: the call may have been billed. Amounts are whole millionths of a US dollar.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update

from phases.core.errors import CeilingReached
from phases.core.recorder import later
from phases.core.store import Store, spend
from schemas.events import Usage

MICROS = 1_000_000


@dataclass(frozen=True)
class Booking:
    """One call that is about to be made."""

    key: str
    """Journal key of its question."""
    model: str
    micros: int
    """The most it can cost."""
    about: Mapping[str, Any]
    """phase, ticker, skill, seat and round_number."""


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

    def book(self, bookings: Sequence[Booking]) -> None:
        """Book calls at their worst case, all or none. Writes the store.

        Raises CeilingReached if that could pass a ceiling: nothing is booked then.
        """
        wanted = sum(one.micros for one in bookings)
        rows = [self._row(one) for one in bookings]

        def work(connection: Connection) -> None:
            self._check(connection, wanted, self.run_ceiling, spend.c.run_id == self.run_id, "--max-cost")
            self._check(connection, wanted, self.night_ceiling, spend.c.as_of == self.as_of, "max_cost_night")
            connection.execute(insert(spend), rows)

        self.store.write(work)

    def _check(
        self, connection: Connection, wanted: int, ceiling: int | None, mine: ColumnElement[bool], name: str
    ) -> None:
        if ceiling is None:
            return
        booked = int(connection.execute(select(func.coalesce(func.sum(spend.c.micros), 0)).where(mine)).scalar_one())
        if booked + wanted > ceiling:
            raise CeilingReached(
                f"the next call could cost {dollars(wanted)} and {dollars(booked)} of {dollars(ceiling)} is spent or"
                f" booked; raise {name} and run it again with --resume {self.run_id}"
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
            "usage": "",
            "at": later(0),
            **one.about,
        }

    def settle(self, key: str, usage: Usage, micros: int) -> None:
        """Replace a booking by what the call cost. Writes the store."""
        told = {
            "state": "estimated" if usage.estimated else "spent",
            "micros": micros,
            "usage": usage.model_dump_json(),
        }
        self._change(key, lambda mine: update(spend).where(mine).values(**told))

    def release(self, keys: Sequence[str]) -> None:
        """Take bookings back: their calls were certainly not billed. Writes the store."""
        for key in keys:
            self._change(key, lambda mine: delete(spend).where(mine))

    def _change(self, key: str, statement: Any) -> None:
        mine = (spend.c.run_id == self.run_id) & (spend.c.attempt == self.attempt) & (spend.c.key == key)
        open_ = mine & (spend.c.state == "booked")
        self.store.write(lambda connection: connection.execute(statement(open_)))

    def spent(self) -> int:
        """What this start of the run has spent or booked. Reads the store."""
        mine = (spend.c.run_id == self.run_id) & (spend.c.attempt == self.attempt)
        with self.store.read() as connection:
            return int(connection.execute(select(func.coalesce(func.sum(spend.c.micros), 0)).where(mine)).scalar_one())


def dollars(micros: int) -> str:
    """Money as a reader writes it.

    >>> dollars(1_234_567), dollars(900)
    ('$1.2346', '$0.0009')
    """
    return f"${micros / MICROS:.4f}"
