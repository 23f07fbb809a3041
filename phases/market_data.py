"""Evidence: what is known about the market and about one ticker after the close of a session.

The only users of `fetch`. Nothing dated or released after the as-of date gets in; a missing bar
stays missing; what could not be computed is listed with its reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import TypeVar

from phases.core.errors import NoData, SourceDown, TickerFailure, Unanswered
from phases.core.fetch import Fetch
from phases.core.phase import phase
from phases.evidence.base import Origin, frozen, item_of, left_out
from phases.evidence.fundamentals import fundamental_items, no_fundamentals
from phases.evidence.macro import macro_items, no_macro, refusal_notes
from phases.evidence.prices import COPIED, INDEX_ITEMS, UNIVERSE_ITEMS, Market, Prices, computed, priced_in
from phases.evidence.quality import Checked, checked, steady
from phases.evidence.redated import settled_figures, settled_news, settled_series
from phases.evidence.rows import SESSIONS
from phases.evidence.volumes import volume_missing
from phases.maths import indicators as ind
from schemas.base import Model, Ticker
from schemas.market import (
    Bars,
    Body,
    Evidence,
    Fundamentals,
    MacroSeriesSet,
    MacroSnapshot,
    MarketSnapshot,
    Missing,
    News,
    Question,
    Universe,
)
from schemas.run import History, Told
from schemas.settings import MarketSettings

M = TypeVar("M", bound=Model)

NOTHING = History()
"""What earlier nights left, where there were none."""

LATE, CLOSURE = "late_bar", "probable_closure"
"""Flags of a newest bar that is not of the as-of session: of one ticker, or of all that the exchange trades."""

BEHIND, DOUBTFUL = "late_benchmark", "doubtful_benchmark"
"""Flags of a ticker whose benchmark has no bar of its newest session, so that what compares the two ends earlier; and
of one whose benchmark has a flag of IN_DOUBT itself."""

IN_DOUBT = frozenset({"frozen", "gap", "jump", "thin"})

CRYPTO_DAYS = 90
"""A quarter of calendar days: crypto assets trade on every one."""


@phase(scope="run")
def macro_snapshot(
    as_of: date, question: Question, settings: MarketSettings, *, history: History = NOTHING, fetch: Fetch
) -> MacroSnapshot:
    """What is known about the market as a whole. Breadth and correlation use every series of the source.

    Where no source answers for the macro series, each item that any source has is missing with what was said.
    """
    day, name = as_of.isoformat(), question.benchmark
    bars = fetch("bars", Bars, symbol=name, as_of=day, sessions=str(SESSIONS))
    universe, no_universe = _or_none(fetch, "universe", Universe(series=()), as_of=day, sessions=str(SESSIONS))
    known, nothing, down = _macro_series(as_of, fetch)
    known, bodies, redated = settled_series(known, history.macro)
    released, absent = macro_items(known, as_of, settings, fetch.source_name)
    try:
        sound_bars = checked(bars, name, as_of, settings, benchmark=True)
    except TickerFailure as failure:
        raise SourceDown(f"benchmark {name}: {failure.reason}") from None
    bars = sound_bars.bars
    others = [one for one in universe.series if one.symbol != name]
    sound = {one.symbol: one for one in others if steady(one)}
    wild = ", ".join(one.symbol for one in others if one.symbol not in sound)
    notes = (
        *dict.fromkeys((*bars.notes, *universe.notes)),
        *([f"left out of breadth and correlation, their closes jump or have holes: {wild}"] if wild else []),
        *(["a probable closure, or the prices are late"] if LATE in sound_bars.flags else []),
        *([f"no source answered for the macro series: {nothing}"] if down else []),
        *redated,
        *refusal_notes(known),
    )
    market = Market(ind.frame_of(bars)["adj_close"], [ind.series_of(one) for one in sound.values()])
    evidence, missing = computed(INDEX_ITEMS, market, bars.days[-1], bars.source or fetch.source_name)
    coin = [] if settings.crypto is None else [_crypto(settings.crypto, as_of, settings, fetch)]
    evidence += [*released, *(one for one in coin if isinstance(one, Evidence))]
    missing = [
        *(one for one in missing if one.id not in UNIVERSE_ITEMS),
        *_because([one for one in missing if one.id in UNIVERSE_ITEMS], no_universe),
        *(no_macro(nothing) if down and nothing else _because(absent, nothing)),
        *(one for one in coin if isinstance(one, Missing)),
    ]
    made = frozen(evidence, missing, as_of.isoformat())
    return MacroSnapshot(as_of=as_of, session=bars.days[-1], notes=notes, bodies=bodies or history.macro, **made)


def _macro_series(as_of: date, fetch: Fetch) -> tuple[MacroSeriesSet, str | None, bool]:
    """The macro series; why there are none; and whether that is because nobody answered."""
    try:
        return fetch("macro", MacroSeriesSet, as_of=as_of.isoformat()), None, False
    except TickerFailure as nothing:
        return MacroSeriesSet(series=()), nothing.reason, isinstance(nothing, Unanswered)


def _or_none(fetch: Fetch, dataset: str, none: M, **params: str) -> tuple[M, str | None]:
    """What the sources have, or nothing and why."""
    try:
        return fetch(dataset, type(none), **params), None
    except TickerFailure as nothing:
        return none, nothing.reason


def _because(missing: list[Missing], why: str | None) -> list[Missing]:
    """Missing items with the reason of the source where that is why."""
    return [one if why is None else one.model_copy(update={"reason": why}) for one in missing]


def _crypto(symbol: str, as_of: date, settings: MarketSettings, fetch: Fetch) -> Evidence | Missing:
    """Change of a crypto asset. A bar of the as-of day itself is left out: it ends after the close."""
    id = "macro.crypto_90d"
    try:
        day = as_of.isoformat()
        found = fetch("bars", Bars, symbol=symbol, as_of=day, sessions=str(SESSIONS))
        bars = checked(found, symbol, as_of, settings).bars
    except TickerFailure as nothing:
        return Missing(id=id, reason=nothing.reason)
    closes = [close for one, close in zip(bars.days, bars.adj_close, strict=True) if one < as_of]
    if len(closes) <= CRYPTO_DAYS:
        return Missing(id=id, reason=f"too few bars of {symbol}")
    newest = max(one for one in bars.days if one < as_of)
    origin = Origin(newest, newest + timedelta(1), bars.source or fetch.source_name)
    return item_of(id, f"{symbol}, 90-day change", "ratio", closes[-1] / closes[-1 - CRYPTO_DAYS] - 1, origin)


@phase(scope="ticker")
def market_snapshot(
    ticker: Ticker,
    as_of: date,
    question: Question,
    settings: MarketSettings,
    *,
    history: History = NOTHING,
    fetch: Fetch,
) -> MarketSnapshot:
    """What is known about one ticker. Raises NoData or a stale TickerFailure with the reason."""
    if ticker == question.benchmark:
        raise TickerFailure(f"{ticker} is the benchmark, and nothing beats itself", "refused")
    day = as_of.isoformat()
    asked = fetch("bars", Bars, symbol=ticker, as_of=day, sessions=str(SESSIONS))
    try:
        own = checked(asked, ticker, as_of, settings)
    except TickerFailure as failure:
        failure.reason = "; ".join([failure.reason, *left_out(asked.notes)])
        raise
    benchmark = fetch("bars", Bars, symbol=question.benchmark, as_of=day, sessions=str(SESSIONS))
    other = checked(benchmark, question.benchmark, as_of, settings, benchmark=True)
    frame, bars = ind.frame_of(own.bars), own.bars
    prices = Prices(frame, frame["adj_close"], ind.frame_of(other.bars)["adj_close"].loc[: frame.index[-1]])
    evidence, missing = computed(priced_in(bars.currency), prices, bars.days[-1], bars.source or fetch.source_name)
    if asked.volume and not bars.volume:
        missing = volume_missing(missing, own.flags)
    beside = _beside(own, other)
    told = history.told.get(ticker, Told()).figures
    redated: list[str] = []
    if "fa" in settings.families:
        further, absent, told, redated = _fundamentals(bars, as_of, told, fetch)
        evidence, missing = evidence + further, missing + absent
    return MarketSnapshot(
        ticker=ticker,
        as_of=as_of,
        session=bars.days[-1],
        flags=tuple(sorted({*_flags(own, other), *beside})),
        notes=(*own.notes, *beside.values(), *_copied(missing, question.benchmark), *redated),
        bodies=told,
        **frozen(evidence, missing, f"{ticker} {day}"),
    )


def _copied(missing: Iterable[Missing], benchmark: str) -> list[str]:
    """What is to be said of a ticker whose bars are the benchmark's own."""
    told = f"the bars are those of the benchmark {benchmark}: nothing is compared with it"
    return [told] if any(one.reason == COPIED for one in missing) else []


def _flags(own: Checked, benchmark: Checked) -> tuple[str, ...]:
    """Flags of a ticker; one that is late with the whole exchange is not late by itself."""
    ends = {(one.bars.exchange, one.bars.days[-1]) for one in (own, benchmark)}
    if len(ends) > 1 or LATE not in own.flags or LATE not in benchmark.flags:
        return own.flags
    return tuple(sorted({*own.flags, CLOSURE} - {LATE}))


def _beside(own: Checked, benchmark: Checked) -> dict[str, str]:
    """Flags of what compares a ticker with its benchmark, and the note of each."""
    name, newest = benchmark.bars.symbol, benchmark.bars.days[-1]
    found = {}
    if newest < own.bars.days[-1]:
        found[BEHIND] = f"newest bar of {name} is {newest}: what compares the two ends there"
    if odd := sorted(IN_DOUBT.intersection(benchmark.flags)):
        found[DOUBTFUL] = f"the benchmark {name} is in doubt: {', '.join(odd)}"
    return found


def _fundamentals(
    bars: Bars, as_of: date, told: dict[str, Body], fetch: Fetch
) -> tuple[list[Evidence], list[Missing], dict[str, Body], list[str]]:
    """Items of the company's figures, all missing where the source has certainly none; what was said, and notes."""
    try:
        record = fetch("fundamentals", Fundamentals, symbol=bars.symbol, as_of=as_of.isoformat())
        _check_symbol(record.symbol, bars.symbol)
    except NoData as nothing:
        return [], no_fundamentals(nothing.reason), told, []
    settled, bodies, redated = settled_figures(record, as_of, told)
    return *fundamental_items(settled, bars, as_of, fetch.source_name), bodies, redated


@phase(scope="ticker")
def news(
    market_snapshot: MarketSnapshot, settings: MarketSettings, *, history: History = NOTHING, fetch: Fetch
) -> News:
    """News of one ticker as it came; none where the night looks for no news, or the source has certainly none."""
    ticker = market_snapshot.ticker
    if "news" not in settings.families:
        return News(symbol=ticker, items=())
    try:
        found = fetch("news", News, symbol=ticker, as_of=market_snapshot.as_of.isoformat())
        _check_symbol(found.symbol, ticker)
    except NoData:
        return News(symbol=ticker, items=(), source=fetch.source_name)
    found = settled_news(found, history.told.get(ticker, Told()).news)
    return found if found.source else found.model_copy(update={"source": fetch.source_name})


def _check_symbol(answered: str, asked: str) -> None:
    """Refuse an answer about another symbol."""
    if answered != asked:
        raise NoData(f"the source was asked for {asked} and answered for {answered}")
