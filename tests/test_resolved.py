"""Forecasts that have resolved: outcomes worked out from the shipped price files, no look-ahead, and what is left out."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from phases.core.runs import ASIDE, Runs
from phases.core.store import open_store
from phases.outputs.report.score import Resolution
from phases.report import history_text, night_text
from phases.resolved import NO_NIGHT, NOT_DUE, NOT_MADE, resolved
from tests.conftest import Cli, Night, Shared, Told

DAYS = ("2012-05-31", "2012-06-29", "2012-08-01")
TICKERS = ("AAPL", "GOOG", "IBM", "MSFT")

CAME = {
    ("AAPL", DAYS[0]): 0,  # 74.2464 to 75.0521, +1.09 %; the index 1310.33 to 1362.16, +3.96 %
    ("GOOG", DAYS[0]): 0,  # 291.3293 to 290.9331, -0.14 %
    ("IBM", DAYS[0]): 0,  # 164.4861 to 166.7713, +1.39 %
    ("MSFT", DAYS[0]): 1,  # 25.1873 to 26.3953, +4.80 %
    ("AAPL", DAYS[1]): 1,  # 75.0521 to 78.4912, +4.58 %; the index 1362.16 to 1379.3199, +1.26 %
    ("GOOG", DAYS[1]): 1,  # 290.9331 to 317.4650, +9.12 %
    ("IBM", DAYS[1]): 0,  # 166.7713 to 167.1124, +0.20 %
    ("MSFT", DAYS[1]): 0,  # 26.3953 to 25.4289, -3.66 %
}
"""Whether each beat the index over 21 sessions: 2012-05-31 to 2012-06-29, and 2012-06-29 to 2012-07-31."""


@pytest.fixture
def months(shared: Shared) -> Night:
    """Three nights of four names; the first falls due in the session of the second."""

    def build(place: Path) -> list[Told]:
        return [Cli(place)("run", *TICKERS, "--as-of", day, "--out", place / "out", "--json") for day in DAYS]

    return shared("months", build)


def of(path: Path, until: str | None = None) -> Resolution:
    """What has resolved in a store of one engine."""
    with closing(open_store(path)) as store:
        found = resolved(store, None if until is None else date.fromisoformat(until))
    assert len(found) <= 1, "one engine spoke"
    return next(iter(found.values()), Resolution())


def said(months: Night, day: str) -> dict[str, tuple[float, float]]:
    """Probabilities before and after by ticker, from the exported feed of a night."""
    rows = json.loads((next(months.path.glob(f"{day}-*")) / "feed.json").read_text())["rows"]
    return {row["ticker"]: (row["probability_pre"], row["probability_post"]) for row in rows}


def test_outcomes_are_those_of_the_price_files(months: Night) -> None:
    found = of(months.path)
    spans = {DAYS[0]: (date(2012, 5, 31), date(2012, 6, 29)), DAYS[1]: (date(2012, 6, 29), date(2012, 7, 31))}
    wanted = {(spans[day], *said(months, day)[ticker], came) for (ticker, day), came in CAME.items()}
    assert set(found.known) == wanted and len(found.known) == len(CAME)
    assert (found.waiting, found.lost) == (4, {})


def test_the_scorecard_is_that_of_the_outcomes(months: Night) -> None:
    """Worked out here from the feeds and the outcomes above, in plain arithmetic."""
    pairs = [(*said(months, day)[ticker], came) for (ticker, day), came in CAME.items()]
    with closing(open_store(months.path)) as store:
        page = history_text(store)
    block = page[page.index("<h2>Scorecard</h2>") : page.index("<h2>Open points</h2>")]
    shown = dict(re.findall(r"<dt>([^<]+)</dt><dd><b>([^<]+)</b>", block))
    before, after = (sum((pair[at] - pair[2]) ** 2 for pair in pairs) / 8 for at in (0, 1))
    right = sum((pair[1] > 0.5) == bool(pair[2]) for pair in pairs)
    assert (shown["resolved"], shown["hit rate"]) == ("8", f"{100 * right / 8:.0f}%")
    assert (shown["Brier before"], shown["Brier after"]) == (f"{before:.4f}", f"{after:.4f}")
    assert shown["after − before"].replace("−", "-") == f"{after - before:+.4f}"
    assert "n = 8: too few to tell" in block and "4 forecasts not due yet" in block
    assert "benefit" not in block and "<svg" not in block, "nothing is concluded and nothing is drawn"


def test_no_night_knows_what_resolved_later(months: Night) -> None:
    assert len(of(months.path, "2012-06-28").known) == 0, "a session before the first falls due"
    known = of(months.path, "2012-06-29").known
    assert len(known) == 4 and all(one.span[1] <= date(2012, 6, 29) for one in known)
    assert len(of(months.path, "2012-07-31").known) == 4, "the night that has those prices was not yet held"


def test_the_page_of_a_night_stays_what_it_was(months: Night) -> None:
    """Each page was written when its night was held; written again after later nights it is the same to the byte."""
    counts = []
    with closing(open_store(months.path)) as store:
        for known in Runs(store).all():
            page = night_text(store, known)
            assert page == (months.path / known.run_id / "report.html").read_text(encoding="utf-8")
            block = page[page.index('id="calibration"') :] if 'id="calibration"' in page else ""
            counts += [re.findall(r"n = (\d+): too few to tell", block)]
    assert counts == [[], ["4"], ["8"]]


def changed(months: Night, place: Path, *statements: str) -> Path:
    """A copy of the store after some SQL."""
    path = months.copy(place).path
    with closing(sqlite3.connect(path / "rebuttal.db")) as connection, connection:
        for statement in statements:
            assert connection.execute(statement).rowcount > 0
    return path


@pytest.mark.parametrize(
    ("statements", "known", "waiting", "lost"),
    [
        pytest.param((f"UPDATE runs SET state = '{ASIDE}' WHERE as_of = '{DAYS[0]}'",), 4, 4, {}, id="what-if"),
        pytest.param((f"UPDATE runs SET state = 'stopped' WHERE as_of = '{DAYS[1]}'",), 4, 4, {}, id="stopped"),
        pytest.param(
            (f"UPDATE feed SET row = json_set(row, '$.session', NULL) WHERE as_of = '{DAYS[0]}' AND ticker = 'IBM'",),
            *(7, 4, {}),
            id="no session",
        ),
        pytest.param(
            (f"UPDATE feed SET row = json_set(row, '$.probability_post', NULL) WHERE as_of = '{DAYS[1]}'",),
            *(4, 4, {}),
            id="no probability",
        ),
        pytest.param(
            ("UPDATE feed SET row = json_set(row, '$.as_of', '2012-06-02') WHERE as_of = '2012-05-31'",),
            *(4, 4, {NOT_MADE: 4}),
            id="made on a Saturday",
        ),
        pytest.param(
            ("UPDATE feed SET row = json_set(row, '$.resolves_on', '2012-07-04') WHERE as_of = '2012-05-31'",),
            *(4, 4, {NOT_DUE: 4}),
            id="due on a holiday",
        ),
        pytest.param(
            (f"UPDATE feed SET row = json_set(row, '$.session', NULL) WHERE as_of = '{DAYS[2]}' AND ticker = 'IBM'",),
            *(7, 3, {NO_NIGHT: 1}),
            id="no prices in the newest night: those of the one before reach the first month alone",
        ),
        pytest.param(
            ("UPDATE feed SET row = json_set(row, '$.benchmark', '^DJI') WHERE as_of = '2012-05-31'",),
            *(4, 4, {NO_NIGHT: 4}),
            id="another benchmark",
        ),
        pytest.param(
            (f"UPDATE runs SET header = '{{}}' WHERE as_of = '{DAYS[2]}'",),
            *(0, 4, {NO_NIGHT: 8}),
            id="a header of another version",
        ),
    ],
)
def test_what_does_not_count(
    months: Night, tmp_path: Path, statements: tuple[str, ...], known: int, waiting: int, lost: dict[str, int]
) -> None:
    found = of(changed(months, tmp_path / "store", *statements))
    assert (len(found.known), found.waiting, found.lost) == (known, waiting, lost)


AGAIN = "INSERT INTO runs SELECT 'again', 99, as_of, engine, 'finished', 1, header, {record} FROM runs WHERE as_of = '{day}'"
ROWS = (
    "INSERT INTO feed SELECT 'again', ticker, position, as_of, status,"
    " json_set(row, '$.run_id', 'again', '$.probability_post', 0.9) FROM feed WHERE as_of = '{day}'"
)


@pytest.mark.parametrize(
    ("record", "number"), [("record", 8), ("json_set(record, '$.protocol', 'other')", 12)], ids=["same", "protocol"]
)
def test_one_forecast_a_ticker_session_engine_and_protocol(
    months: Night, tmp_path: Path, record: str, number: int
) -> None:
    """A night that was held again counts once, with what it said last; under another protocol it counts beside."""
    statements = (AGAIN.format(record=record, day=DAYS[0]), ROWS.format(day=DAYS[0]))
    found = of(changed(months, tmp_path / "store", *statements)).known
    assert len(found) == number
    assert sum(one.after == 0.9 for one in found) == 4


def test_nothing_is_read_of_prices_before_something_is_due(
    months: Night, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prices are read once a ticker and once for the benchmark, of the newest night alone."""
    read: list[tuple[str, str]] = []
    monkeypatch.setattr("phases.resolved.stored_bars", _noting(read))
    of(months.path, "2012-06-28")
    assert read == []
    of(months.path)
    assert sorted(symbol for _, symbol in read) == sorted([*TICKERS, "^GSPC"])
    assert {day for day, _ in read} == {DAYS[2]}


def _noting(read: list[tuple[str, str]]) -> Callable[..., object]:
    from phases.night import stored_bars

    def noted(header, store, symbol):  # type: ignore[no-untyped-def]
        read.append((header.as_of.isoformat(), symbol))
        return stored_bars(header, store, symbol)

    return noted
