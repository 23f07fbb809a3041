"""What every source must satisfy, whichever it is."""

from __future__ import annotations

import importlib.util
import json
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from phases.core.errors import NoData
from phases.maths.sessions import is_closed
from phases.sources import SOURCES
from phases.sources.base import Source
from schemas.market import Bars, MacroSeriesSet, Span, Universe
from schemas.settings import SourceSettings

FOLDER: list[Path] = []
"""A folder of three price series, made once, for the source that reads one."""


def settings() -> SourceSettings:
    return SourceSettings(name="packaged", path=str(FOLDER[0]))


@pytest.fixture(scope="session", autouse=True)
def _folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("prices")
    for at, name in enumerate(("BRK-B", "0700_HK", "AAPL")):
        days = (date(2020, 1, 1) + timedelta(n + 50 * at) for n in range(800))
        prices = ((day, 100 + at + day.day % 7) for day in days if not is_closed("XNYS", day) | is_closed("XHKG", day))
        rows = [f"{day},{close},{close + 1},{close - 1},{close},{close - 0.5},1000" for day, close in prices]
        text = "\n".join(["Date,Open,High,Low,Close,Adj Close,Volume", *rows])
        (folder / f"{name}.csv").write_text(text + "\n")
    FOLDER[:] = [folder]


REACHED = {"yahoo", "fred"}
"""Over a network: they have tests of their own, with a server that answers."""


@pytest.fixture(name="source", params=sorted(set(SOURCES) - REACHED))
def _source(request: pytest.FixtureRequest) -> Source:
    if request.param == "skfolio" and importlib.util.find_spec("skfolio") is None:
        pytest.skip("the package skfolio is not installed (extra `skfolio`)")
    return SOURCES[request.param](settings())


def _days(source: Source) -> list[str]:
    """Five as-of days inside the span of the source, with its last day."""
    span = Span.model_validate_json(json.dumps(source.fetch("span", {})))
    step = (span.last - span.first) / 5
    return [(span.last - step * part).isoformat() for part in range(5)]


def _macro(source: Source, as_of: str) -> bool:
    """Whether the source has macro series."""
    try:
        source.fetch("macro", {"as_of": as_of})
    except NoData:
        return False
    return True


def _universe(source: Source, as_of: str, sessions: int = 40) -> Universe:
    answer = source.fetch("universe", {"as_of": as_of, "sessions": str(sessions)})
    return Universe.model_validate_json(json.dumps(answer))


def _bars(source: Source, symbol: str, as_of: str, sessions: int = 40) -> Bars:
    params = {"symbol": symbol, "as_of": as_of, "sessions": str(sessions)}
    return Bars.model_validate_json(json.dumps(source.fetch("bars", params)))


def _questions(source: Source) -> list[tuple[str, dict[str, str]]]:
    asked: list[tuple[str, dict[str, str]]] = [("span", {})]
    for as_of in _days(source):
        if _macro(source, as_of):
            asked.append(("macro", {"as_of": as_of}))
        asked.append(("universe", {"as_of": as_of, "sessions": "40"}))
        for series in _universe(source, as_of).series:
            asked.append(("bars", {"symbol": series.symbol, "as_of": as_of, "sessions": "40"}))
    return asked


def test_stands_in_the_table_under_its_name(source: Source) -> None:
    assert source.name in SOURCES
    assert SOURCES[source.name](settings()).name == source.name
    assert source.vintage == SOURCES[source.name](settings()).vintage != ""


def test_bars_increase_and_never_pass_the_as_of_day(source: Source) -> None:
    for as_of in _days(source):
        for series in _universe(source, as_of).series:
            bars = _bars(source, series.symbol, as_of)
            assert bars.symbol == series.symbol
            assert all(a < b for a, b in pairwise(bars.days))
            assert bars.days[-1] <= date.fromisoformat(as_of)
            assert 1 <= len(bars.days) <= 40


def test_bar_columns_have_one_entry_a_session(source: Source) -> None:
    for series in _universe(source, _days(source)[0]).series:
        bars = _bars(source, series.symbol, _days(source)[0])
        columns = (bars.open, bars.high, bars.low, bars.close, bars.adj_close, bars.volume)
        assert {len(column) for column in columns if column} == {len(bars.days)} == {len(bars.close)}
        assert min(min(column) for column in columns[:5] if column) > 0


def test_fewer_sessions_are_the_tail_of_more(source: Source) -> None:
    as_of = _days(source)[0]
    symbol = _universe(source, as_of).series[0].symbol
    many, few = _bars(source, symbol, as_of, 40), _bars(source, symbol, as_of, 3)
    assert few.days == many.days[-3:]
    assert few.close == many.close[-3:]


def test_an_earlier_as_of_day_sees_a_prefix(source: Source) -> None:
    late = date.fromisoformat(_days(source)[0])
    symbol = _universe(source, late.isoformat()).series[0].symbol
    then = _bars(source, symbol, (late - timedelta(30)).isoformat(), 40)
    now = _bars(source, symbol, late.isoformat(), 80)
    at = now.days.index(then.days[-1]) + 1
    assert now.days[at - 40 : at] == then.days
    assert now.close[at - 40 : at] == then.close


def test_universe_is_sorted_and_agrees_with_bars(source: Source) -> None:
    for as_of in _days(source):
        series = _universe(source, as_of).series
        symbols = [entry.symbol for entry in series]
        assert symbols == sorted(set(symbols))
        for entry in series:
            bars = _bars(source, entry.symbol, as_of)
            assert (entry.days, entry.adj_close) == (bars.days, bars.adj_close)


def test_macro_is_sorted_and_known(source: Source) -> None:
    for as_of in _days(source) if _macro(source, _days(source)[0]) else ():
        answer = json.dumps(source.fetch("macro", {"as_of": as_of}))
        series = MacroSeriesSet.model_validate_json(answer).series
        names = [entry.name for entry in series]
        assert names == sorted(set(names))
        for entry in series:
            assert len(entry.days) == len(entry.values) == len(entry.known)
            assert all(a < b for a, b in pairwise(entry.days))
            assert all(day < known for day, known in zip(entry.days, entry.known, strict=True))
            assert all(known <= date.fromisoformat(as_of) for known in entry.known)


def test_same_question_same_answer_as_plain_json(source: Source) -> None:
    other = SOURCES[source.name](settings())
    for dataset, params in _questions(source):
        first: Any = source.fetch(dataset, params)
        text = json.dumps(first, sort_keys=True, allow_nan=False)
        assert json.loads(text) == first
        assert json.dumps(other.fetch(dataset, params), sort_keys=True) == text


def test_an_answer_can_be_changed_without_changing_the_next(source: Source) -> None:
    for dataset, params in _questions(source)[1:]:
        text = json.dumps(source.fetch(dataset, params))
        answer = source.fetch(dataset, params)
        for column in (answer.get("series") or [answer])[0].values():
            if isinstance(column, list):
                column.clear()
        assert json.dumps(source.fetch(dataset, params)) == text


def test_unknown_symbol_is_no_data(source: Source) -> None:
    params = {"symbol": "NOSUCH", "as_of": _days(source)[0], "sessions": "5"}
    with pytest.raises(NoData, match="NOSUCH") as caught:
        source.fetch("bars", params)
    assert caught.value.status == "no_data"
