"""The data sources by name. A new one is one module and one line in the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from itertools import product

from phases.core.errors import NoData, SourceDamaged, TickerFailure, UsageError
from phases.core.text import nearest
from phases.sources.base import Inspected, Source
from phases.sources.chain import Chain
from schemas.market import UNIVERSE_MEAN, Dataset
from schemas.settings import SourceSettings


def _packaged(settings: SourceSettings) -> Source:
    from phases.sources.packaged import PackagedSource

    return PackagedSource()


def _yahoo(settings: SourceSettings) -> Source:
    from phases.sources.yahoo import YahooSource

    return YahooSource(settings)


def _fred(settings: SourceSettings) -> Source:
    from phases.sources.fred import FredSource

    return FredSource(settings)


def _csv_folder(settings: SourceSettings) -> Source:
    from phases.sources.csv_folder import CsvFolder

    return CsvFolder(settings)


def _skfolio(settings: SourceSettings) -> Source:
    from phases.sources.skfolio import SkfolioSource

    return SkfolioSource()


SOURCES: dict[str, Callable[[SourceSettings], Source]] = {
    "packaged": _packaged,
    "yahoo": _yahoo,
    "fred": _fred,
    "csv_folder": _csv_folder,
    "skfolio": _skfolio,
}
"""How each source is made. A source is imported only when it is asked for."""

ANSWERS: Mapping[str, tuple[Dataset, ...]] = {
    "packaged": ("bars", "universe", "macro"),
    "yahoo": ("bars", "fundamentals", "news"),
    "fred": ("macro",),
    "csv_folder": ("bars", "universe"),
    "skfolio": ("bars", "universe"),
}
"""What each source may be asked for; to every other dataset it says NoData."""


def answers(name: str, dataset: str) -> bool:
    """Whether a source may be asked for a dataset."""
    return name not in ANSWERS or dataset in ANSWERS[name]


def chain_of(settings: SourceSettings) -> Source:
    """The source that the settings come to: one alone, or several in order. Raises UsageError naming the known."""
    made = {name: SOURCES[name](settings) for name in source_names(settings)}
    alone = all(those == (settings.name,) for those in settings.order.values())
    return made[settings.name] if alone else Chain(settings.name, made, settings.order)


def source_names(settings: SourceSettings) -> list[str]:
    """Every source that the settings name. Raises UsageError for one that is unknown, or has not what it is for."""
    ordered = {name: f"source.order.{key}" for key, those in settings.order.items() for name in those}
    for name, where in {**ordered, settings.name: "source.name"}.items():
        if name not in SOURCES:
            known = ", ".join(sorted(SOURCES))
            raise UsageError(f"{where}: {name!r} is unknown{nearest(name, SOURCES)} (known: {known})")
    for dataset, those in {"bars": (settings.name,), **settings.order}.items():
        _check_answers(dataset, those, f"source.order.{dataset}" if dataset in settings.order else "source.name")
    return [settings.name, *(name for name in ordered if name != settings.name)]


def _check_answers(dataset: str, names: Sequence[str], where: str) -> None:
    """Raise UsageError where sources do not answer the dataset they are for, or nobody is to answer for bars."""
    able = ", ".join(name for name in sorted(SOURCES) if answers(name, dataset))
    for name in names:
        if not answers(name, dataset):
            further = "" if where != "source.name" else ", or name one in source.order.bars"
            raise UsageError(f"{where}: {name!r} has no {dataset}; name one that has: {able}{further}")
    if dataset == "bars" and not names:
        raise UsageError(f"{where}: no source is named, and a night needs prices; name one: {able}")


def stood_in(source: Source) -> tuple[str, ...]:
    """What to say of sources that were down while another one answered in their place, one line each."""
    return source.stood_in() if isinstance(source, Chain) else ()


def benchmark_of(source: Source, asked: str, session: date) -> tuple[str, tuple[str, ...]]:
    """The benchmark that a source has: the one asked for, else the mean of its series; and what to say of it.

    A source on a network is not asked beforehand. Raises UsageError if it has neither, SourceDamaged if what it has
    of the benchmark is damaged.
    """
    speaking = _of(source, "bars")
    if asked == UNIVERSE_MEAN and all(one.live for one in speaking):
        raise UsageError("question.benchmark: universe is a mean of the files of csv_folder; name an index, as ^GSPC")
    if any(one.live for one in speaking):
        return asked, ()
    nothing: list[NoData] = []
    for symbol in dict.fromkeys((asked, UNIVERSE_MEAN)):
        try:
            found = source.fetch("bars", _newest(symbol, session))
        except NoData as none:
            nothing.append(none)
        except SourceDamaged as damage:
            raise SourceDamaged(f"question.benchmark {symbol}: {damage}") from None
        else:
            instead = [f"no series of the benchmark {asked}: {symbol} is used"] * bool(nothing)
            return symbol, (*instead, *(found["notes"] if symbol == UNIVERSE_MEAN else ()))
    raise UsageError(f"question.benchmark: {nothing[0].reason}")


def faults_of(source: Source) -> tuple[str, ...]:
    """What local sources say is wrong with their own data. Reads files."""
    return tuple(fault for one in _of(source, "bars") if isinstance(one, Inspected) for fault in one.faults())


def check_tickers(source: Source, tickers: Iterable[str], session: date, stops: bool) -> None:
    """Raise for all tickers at once of which local data is damaged, before anything is started. Reads files.

    Raises UsageError where it is not clear which data is a ticker's; and, where that `stops` the run and no other
    source may be asked, SourceDamaged.
    """
    unclear: dict[str, None] = {}
    damaged: dict[str, None] = {}
    asked = _of(source, "bars")
    for one, ticker in product((one for one in asked if not one.live), tickers):
        try:
            with suppress(TickerFailure):  # what is not there becomes the ticker's row
                one.fetch("bars", _newest(ticker, session))
        except UsageError as error:
            unclear[str(error)] = None
        except SourceDamaged as error:
            damaged[str(error)] = None
    if unclear:
        raise UsageError("; ".join([*unclear, *damaged]))
    if damaged and stops and len(asked) == 1:
        further = [fault for fault in faults_of(source) if not any(fault in told for told in damaged)]
        raise SourceDamaged("; ".join([*damaged, *(f"not asked for: {fault}" for fault in further)]))


def _of(source: Source, dataset: str) -> Sequence[Source]:
    """The sources that are asked for a dataset, in order."""
    return source.of(dataset) if isinstance(source, Chain) else (source,)


def _newest(symbol: str, session: date) -> dict[str, str]:
    """The question for the newest bar of a symbol."""
    return {"symbol": symbol, "as_of": session.isoformat(), "sessions": "1"}
