"""Which forecasts of a store have resolved, and how: told by the prices that its own nights hold, by nothing else."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import NamedTuple

from pydantic import ValidationError
from sqlalchemy import Text, cast, column, select, table

from phases.core.runs import Known, Runs
from phases.core.store import Store
from phases.maths.exact import exact
from phases.maths.scoring import Forecast
from phases.night import stored_bars
from phases.outputs.report.score import Resolution
from schemas.run import RunHeader

NO_NIGHT = "no night since they fell due has prices of the ticker and of its benchmark"
NOT_MADE = "the newest prices lack the day they were made"
NOT_DUE = "the newest prices lack the day they fell due"

WITHOUT = {"no_data", "stale"}
"""Statuses of a ticker whose night had no prices to use."""

NAMES = ("run_id", "ticker", "as_of", "probability_pre", "probability_post", "benchmark", "resolves_on")


class _Row(NamedTuple):
    """A forecast as a feed holds it."""

    run_id: str
    ticker: str
    as_of: str
    before: float
    after: float
    benchmark: str
    resolves_on: str


class _Night:
    """A finished run as a place that prices may lie in."""

    def __init__(self, known: Known) -> None:
        record = json.loads(known.record or "")
        self.known, self.tickers, self.protocol = known, record["tickers"], record["protocol"]
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


class _Prices(NamedTuple):
    """Closes of a ticker and of its benchmark, as the newest night that holds both had them."""

    session: str
    own: Mapping[date, float]
    other: Mapping[date, float]


def resolved(store: Store, until: date | None = None, engine: str | None = None) -> dict[str, Resolution]:
    """What became of the forecasts of finished nights, by engine. Reads the store.

    With `until`, as it was known after the close of that session: later nights are as if they were not there. Of
    several forecasts of one engine under one protocol over a ticker and a session, that of the run started last counts.
    """
    finished = [one for one in Runs(store).all() if one.state == "finished" and one.record]
    nights = [_Night(one) for one in finished if until is None or one.as_of <= until.isoformat()]
    newest = sorted(nights, key=lambda one: one.known.as_of)[::-1]
    latest = newest[0].known.as_of if newest else ""
    prices: dict[tuple[str, str], _Prices | None] = {}
    known: defaultdict[str, list[Forecast]] = defaultdict(list)
    waiting, lost = Counter[str](), defaultdict[str, Counter[str]](Counter)
    for speaker, row in _forecasts(store, [one for one in nights if engine in (None, one.known.engine)]):
        if row.resolves_on > latest:
            waiting[speaker] += 1
            continue
        pair = (row.ticker, row.benchmark)
        if pair not in prices:
            prices[pair] = _prices(store, newest, *pair)
        found = _outcome(row, prices[pair])
        if isinstance(found, str):
            lost[speaker][found] += 1
        else:
            known[speaker].append(found)
    speakers = {*known, *waiting, *lost}
    return {one: Resolution(tuple(known[one]), waiting[one], dict(sorted(lost[one].items()))) for one in speakers}


def _forecasts(store: Store, nights: Sequence[_Night]) -> list[tuple[str, _Row]]:
    """Forecasts of nights with their engine, in the order of ticker and session."""
    told = {one.known.run_id: (at, one) for at, one in enumerate(nights)}
    view = table("feed_rows", *(column(name) for name in (*NAMES, "session")))
    words = ("as_of", "resolves_on")  # a server gives dates
    wanted = select(*(cast(view.c[name], Text) if name in words else view.c[name] for name in NAMES)).where(
        *(view.c[name].is_not(None) for name in ("probability_pre", "probability_post", "session"))
    )
    with store.read() as connection:
        rows = [_Row(*row) for row in connection.execute(wanted) if row[0] in told]
    counted: dict[tuple[str, str, str, str], _Row] = {}
    for row in sorted(rows, key=lambda one: told[one.run_id][0]):
        night = told[row.run_id][1]
        counted[row.ticker, row.as_of, night.known.engine, night.protocol] = row
    return [(engine, counted[ticker, day, engine, name]) for ticker, day, engine, name in sorted(counted)]


def _prices(store: Store, newest: Sequence[_Night], ticker: str, benchmark: str) -> _Prices | None:
    for night in newest:
        if night.tickers.get(ticker, "no_data") in WITHOUT or not night.header:
            continue
        if night.header.question.benchmark != benchmark:
            continue
        own, other = night.closes(store, ticker), night.closes(store, benchmark)
        if own and other:
            return _Prices(night.known.as_of, own, other)
    return None


def _outcome(row: _Row, prices: _Prices | None) -> Forecast | str:
    """The forecast with its outcome; or why there is none."""
    if prices is None or prices.session < row.resolves_on:
        return NO_NIGHT
    made, due = date.fromisoformat(row.as_of), date.fromisoformat(row.resolves_on)
    for day, lacking in ((made, NOT_MADE), (due, NOT_DUE)):
        if day not in prices.own or day not in prices.other:
            return lacking
    own, other = ([exact(closes[day]) for day in (made, due)] for closes in (prices.own, prices.other))
    beat = own[1] * other[0] > other[1] * own[0]
    return Forecast((made, due), row.before, row.after, int(beat))
