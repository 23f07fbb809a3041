"""The runs of a store: what was asked for, how far it came, and what it left for later nights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, insert, select, update

from phases.core.errors import UsageError
from phases.core.store import Store, artefacts, events, feed, runs
from phases.core.text import nearest

ASIDE = "what-if"
"""State of a run that tries something out: it is never `last`, and no later night reads it as its past."""


class Known(NamedTuple):
    """One run of the store."""

    run_id: str
    as_of: str
    engine: str
    state: str
    attempts: int
    header: str
    record: str | None


class FeedEntry(NamedTuple):
    """One row of a run's feed, as it is stored."""

    ticker: str
    status: str
    row: str


class Runs:
    """The table of runs."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def all(self) -> list[Known]:
        """Every run, the one started last at the end. Reads the store."""
        columns = [runs.c[name] for name in Known._fields]
        with self._store.read() as connection:
            return [Known(*row) for row in connection.execute(select(*columns).order_by(runs.c.position))]

    def is_finished(self, run_id: str) -> bool:
        """Whether a run has reached its end. Reads the store."""
        return any(one.run_id == run_id and one.state == "finished" for one in self.all())

    def holds(self, run_id: str) -> bool:
        """Whether a run of that id was started. Reads the store."""
        return any(one.run_id == run_id for one in self.all())

    def find(self, name: str) -> Known:
        """A run by id, or the one started last by the word `last`. Raises UsageError naming what there is."""
        known = self.all()
        if not known:
            raise UsageError(f"run {name!r}: this store holds no run yet; start one with `run`")
        if name == "last":
            return next((one for one in reversed(known) if one.state != ASIDE), known[-1])
        for one in known:
            if one.run_id == name:
                return one
        ids = [one.run_id for one in known]
        shown = ", ".join(ids[-5:])
        raise UsageError(f"run {name!r} is unknown{nearest(name, ids)} (latest: {shown}; or say `last`)")

    def start(self, run_id: str, as_of: str, engine: str, header: str, *, aside: bool = False) -> int:
        """Note that a run starts or goes on; gives the number of this start, from 1. Writes the store.

        Started `aside`, a new run only tries something out, and one that is there stays what it is. The header
        kept is that of the latest start: how that was carried out is how the run goes on.
        """

        def work(connection: Connection) -> int:
            position = (connection.execute(select(func.max(runs.c.position))).scalar() or 0) + 1
            old = connection.execute(select(runs.c.attempts).where(runs.c.run_id == run_id)).scalar()
            place = {"position": position, "state": ASIDE if aside else "running"}
            if old is None:
                values = {"run_id": run_id, "as_of": as_of, "engine": engine, "header": header}
                connection.execute(insert(runs).values(attempts=1, **place, **values))
                return 1
            again = {"attempts": old + 1, "header": header, **({} if aside else place)}
            connection.execute(update(runs).where(runs.c.run_id == run_id).values(**again))
            return int(old) + 1

        return self._store.write(work)

    def finish(
        self,
        run_id: str,
        as_of: str,
        record: str,
        rows: Sequence[FeedEntry],
        told: Sequence[Mapping[str, Any]],
    ) -> None:
        """Keep the feed and close the run, in one transaction. Writes the store."""
        entries = [{"run_id": run_id, "as_of": as_of, "position": at, **row._asdict()} for at, row in enumerate(rows)]

        def work(connection: Connection) -> None:
            connection.execute(delete(feed).where(feed.c.run_id == run_id))
            connection.execute(insert(feed), entries)
            connection.execute(insert(events), list(told))
            connection.execute(update(runs).where(runs.c.run_id == run_id).values(state="finished", record=record))

        self._store.write(work)

    def finish_aside(self, run_id: str, record: str, told: Sequence[Mapping[str, Any]]) -> None:
        """Keep the record of a run that tried something out; it enters no feed. Writes the store."""

        def work(connection: Connection) -> None:
            connection.execute(insert(events), list(told))
            mine = (runs.c.run_id == run_id, runs.c.state == ASIDE)
            connection.execute(update(runs).where(*mine).values(record=record))

        self._store.write(work)

    def stop(self, run_id: str) -> None:
        """Note that a run stopped before its end. Writes the store."""
        self._store.write(
            lambda connection: connection.execute(update(runs).where(runs.c.run_id == run_id).values(state="stopped"))
        )

    def latest_rows(
        self, tickers: Sequence[str], before: str, engine: str, *, holding: Sequence[str] = ()
    ) -> list[str]:
        """Latest earlier feed row of each ticker, of finished runs of that engine. Reads the store.

        With `holding`, the latest that has something in every column named.
        """
        mine = [feed.c.ticker.in_(tickers), feed.c.as_of < before, runs.c.engine == engine]
        mine += [feed.c.row.not_like(f'%"{column}":null%') for column in holding]
        joined = feed.join(runs, runs.c.run_id == feed.c.run_id)
        newest = (
            select(feed.c.ticker, func.max(feed.c.as_of).label("as_of"))
            .select_from(joined)
            .where(*mine)
            .group_by(feed.c.ticker)
            .subquery()
        )
        rows = (
            select(feed.c.ticker, feed.c.row)
            .select_from(joined.join(newest, (newest.c.ticker == feed.c.ticker) & (newest.c.as_of == feed.c.as_of)))
            .where(*mine)
            .order_by(runs.c.position)
        )
        with self._store.read() as connection:
            found = {str(ticker): str(row) for ticker, row in connection.execute(rows)}
        return [found[ticker] for ticker in sorted(found)]

    def artefact(self, run_id: str, ticker: str, name: str) -> str:
        """JSON of what a run made of one ticker. Reads the store."""
        wanted = select(artefacts.c.body).where(
            artefacts.c.run_id == run_id, artefacts.c.ticker == ticker, artefacts.c.name == name
        )
        with self._store.read() as connection:
            return str(connection.execute(wanted).scalar_one())

    def latest_artefacts(self, name: str, tickers: Sequence[str], before: str, engine: str) -> dict[str, str]:
        """What the latest earlier finished run of that engine made of each ticker. Reads the store."""
        wanted = (
            select(artefacts.c.ticker, artefacts.c.body)
            .join(runs, runs.c.run_id == artefacts.c.run_id)
            .where(artefacts.c.name == name, artefacts.c.ticker.in_(tickers))
            .where(runs.c.as_of < before, runs.c.engine == engine, runs.c.state == "finished")
            .order_by(runs.c.as_of, runs.c.position)
        )
        with self._store.read() as connection:
            return {str(ticker): str(body) for ticker, body in connection.execute(wanted)}

    def latest_artefact(self, name: str, before: str, engine: str) -> str | None:
        """A run-wide artefact of the latest earlier finished run of that engine. Reads the store."""
        wanted = (
            select(artefacts.c.body)
            .join(runs, runs.c.run_id == artefacts.c.run_id)
            .where(artefacts.c.name == name, artefacts.c.ticker == "")
            .where(runs.c.as_of < before, runs.c.engine == engine, runs.c.state == "finished")
            .order_by(runs.c.as_of.desc(), runs.c.position.desc())
            .limit(1)
        )
        with self._store.read() as connection:
            body = connection.execute(wanted).scalar()
        return None if body is None else str(body)
