"""Which forecasts of a store have resolved, and how: told by the prices that its own nights hold, by nothing else."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Context, Decimal
from functools import cached_property
from typing import NamedTuple

from pydantic import ValidationError
from sqlalchemy import Text, cast, column, select, table

from phases.core.runs import Known, Runs
from phases.core.store import Store
from phases.maths.scoring import Forecast
from phases.night import stored_bars
from phases.outputs.report.score import Resolution
from schemas.run import RunHeader

NO_NIGHT = "no night since they fell due has prices of the ticker and of its benchmark"
NOT_MADE = "the newest prices lack the day they were made"
NOT_DUE = "the newest prices lack the day they fell due"

EXACT = Context(prec=50)
"""Digits enough for the product of two numbers of 17 digits."""

NAMES = ("run_id", "ticker", "as_of", "probability_pre", "probability_post", "benchmark", "resolves_on")


class _Row(NamedTuple):
    """A row of a feed over a ticker that had prices."""

    run_id: str
    ticker: str
    as_of: str
    before: float | None
    after: float | None
    benchmark: str
    resolves_on: str


class _Night:
    """A finished run as a place that prices may lie in."""

    def __init__(self, known: Known) -> None:
        self.known, self.protocol = known, json.loads(known.record or "")["protocol"]
        self._closes: dict[str, Mapping[date, float]] = {}

    @cached_property
    def header(self) -> RunHeader | None:
        """Header of the run; absent if another version of this program stored it."""
        try:
            return RunHeader.model_validate_json(self.known.header)
        except ValidationError:
            return None

    def closes(self, store: Store, symbol: str) -> Mapping[date, float]:
        """Adjusted closes of a symbol by day; none where the night could use none. Reads the store once a symbol."""
        if symbol not in self._closes:
            bars = stored_bars(self.header, store, symbol) if self.header else None
            self._closes[symbol] = dict(zip(bars.days, bars.adj_close, strict=True)) if bars else {}
        return self._closes[symbol]


def resolved(store: Store, until: date | None = None, engine: str | None = None) -> dict[str, Resolution]:
    """What became of the forecasts of finished nights, by engine. Reads the store.

    With `until`, as it was known after the close of that session: later nights are as if they were not there. Of
    several forecasts of one engine under one protocol over a ticker and a session, that of the run started last counts.
    """
    finished = [one for one in Runs(store).all() if one.state == "finished" and one.record]
    nights = [_Night(one) for one in finished if until is None or one.as_of <= until.isoformat()]
    nights.sort(key=lambda one: one.known.as_of)  # of one session, the one started last stays last
    rows = _rows(store, nights)
    newest = {(row.ticker, row.benchmark): night for night, row in rows}
    latest = nights[-1].known.as_of if nights else ""
    known: defaultdict[str, list[Forecast]] = defaultdict(list)
    waiting, lost = Counter[str](), defaultdict[str, Counter[str]](Counter)
    for night, row in _forecasts(rows, engine):
        speaker = night.known.engine
        if row.resolves_on > latest:
            waiting[speaker] += 1
            continue
        found = _outcome(row, newest[row.ticker, row.benchmark], store)
        if isinstance(found, str):
            lost[speaker][found] += 1
        else:
            known[speaker].append(found)
    speakers = {*known, *waiting, *lost}
    return {one: Resolution(tuple(known[one]), waiting[one], dict(sorted(lost[one].items()))) for one in speakers}


def _rows(store: Store, nights: Sequence[_Night]) -> list[tuple[_Night, _Row]]:
    """Rows of nights over tickers that had prices (their session says so), in the order of the nights."""
    place = {one.known.run_id: at for at, one in enumerate(nights)}
    view = table("feed_rows", *(column(name) for name in (*NAMES, "session")))
    days = ("as_of", "resolves_on")  # a server gives dates
    wanted = select(*(cast(view.c[name], Text) if name in days else view.c[name] for name in NAMES))
    with store.read() as connection:
        found = connection.execute(wanted.where(view.c.session.is_not(None)))
        rows = [_Row(*row) for row in found if row[0] in place]
    return [(nights[place[row.run_id]], row) for row in sorted(rows, key=lambda one: place[one.run_id])]


def _forecasts(rows: Sequence[tuple[_Night, _Row]], engine: str | None) -> list[tuple[_Night, _Row]]:
    """Rows that are forecasts, of one engine or of all; the last for each ticker, session, engine and protocol."""
    found = {
        (row.ticker, row.as_of, night.known.engine, night.protocol): (night, row)
        for night, row in rows
        if row.before is not None and row.after is not None and engine in (None, night.known.engine)
    }
    return [found[key] for key in sorted(found)]


def _outcome(row: _Row, night: _Night, store: Store) -> Forecast | str:
    """The forecast with its outcome by the prices of a night; or why there is none."""
    if night.known.as_of < row.resolves_on:
        return NO_NIGHT
    own, other = night.closes(store, row.ticker), night.closes(store, row.benchmark)
    if not own or not other:
        return NO_NIGHT
    made, due = date.fromisoformat(row.as_of), date.fromisoformat(row.resolves_on)
    for day, lacking in ((made, NOT_MADE), (due, NOT_DUE)):
        if day not in own or day not in other:
            return lacking
    assert row.before is not None and row.after is not None
    beat = _product(own[due], other[made]) > _product(other[due], own[made])
    return Forecast((made, due), row.before, row.after, int(beat))


def _product(one: float, other: float) -> Decimal:
    """The exact product of two numbers as they are written; ratios of whole numbers take ten times as long."""
    return EXACT.multiply(Decimal(repr(one)), Decimal(repr(other)))
