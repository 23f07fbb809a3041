"""The data sources by name. A new one is one module and one line in the table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from phases.core.errors import NoData, UsageError
from phases.core.text import nearest
from phases.sources.base import Source
from phases.sources.chain import Chain
from schemas.market import UNIVERSE_MEAN
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


def chain_of(settings: SourceSettings) -> Source:
    """The source that the settings come to: one alone, or several in order. Raises UsageError naming the known."""
    made = {name: SOURCES[name](settings) for name in source_names(settings)}
    return made[settings.name] if len(made) == 1 else Chain(settings.name, made, settings.order)


def source_names(settings: SourceSettings) -> list[str]:
    """Every source that the settings name. Raises UsageError for one that is unknown."""
    ordered = {name: f"source.order.{key}" for key, those in settings.order.items() for name in those}
    for name, where in {**ordered, settings.name: "source.name"}.items():
        if name not in SOURCES:
            known = ", ".join(sorted(SOURCES))
            raise UsageError(f"{where}: {name!r} is unknown{nearest(name, SOURCES)} (known: {known})")
    return [settings.name, *(name for name in ordered if name != settings.name)]


def benchmark_of(source: Source, asked: str, session: date) -> tuple[str, tuple[str, ...]]:
    """The benchmark that a source has: the one asked for, else the mean of its series; and what to say of it.

    A source on a network is not asked beforehand. Raises UsageError if it has neither.
    """
    if source.live:
        return asked, ()
    nothing: list[NoData] = []
    for symbol in dict.fromkeys((asked, UNIVERSE_MEAN)):
        try:
            found = source.fetch("bars", {"symbol": symbol, "as_of": session.isoformat(), "sessions": "1"})
        except NoData as none:
            nothing.append(none)
        else:
            instead = [f"no series of the benchmark {asked}: {symbol} is used"] * bool(nothing)
            return symbol, (*instead, *(found["notes"] if symbol == UNIVERSE_MEAN else ()))
    raise UsageError(f"question.benchmark: {nothing[0].reason}")
