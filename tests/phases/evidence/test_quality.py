"""Checks of bars on real data: known errors repaired or refused, sound series left alone, and nothing from later."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from phases.core.errors import TickerFailure
from phases.evidence.quality import Checked, checked
from phases.market_data import market_snapshot
from phases.maths import indicators as ind
from phases.sources.csv_folder import CsvFolder
from schemas.market import Bars, Question
from tests.phases.test_market_data import question
from tests.shared import NIGHTLY, PRICES, copied, needs_prices, source_of
from tests.support import fetch_door, settings

pytestmark = needs_prices

QUIRKS = {
    "4063.T": "4063-T-1d-bad-div",
    "8TRA.DE": "8TRA-DE-1d-missing-div-adjust",
    "AET.L": "AET-L-1d-100x-error",
    "ALPHA.PA": "ALPHA-PA-1d-bad-stock-split",
    "LA.V": "LA-V-1d-bad-stock-split",
    "MOB.ST": "MOB-ST-1d-bad-stock-split",
    "REL.L": "REL-L-1d-bad-div",
}
SOUND = ("CALM", "EWG")

FOLDERS = ("us_and_global", "us_recent", "ended", "sector_etf_close")


def fetched(source: CsvFolder, symbol: str, as_of: str, sessions: int = 280) -> Bars:
    params = {"symbol": symbol, "as_of": as_of, "sessions": str(sessions)}
    return Bars.model_validate_json(json.dumps(source.fetch("bars", params)))


def judged(source: CsvFolder, symbol: str, as_of: str, sessions: int = 280, *said: str) -> Checked | str:
    """The checked bars, or why they are refused."""
    bars, chosen = fetched(source, symbol, as_of, sessions), settings(*said).market
    try:
        return checked(bars, symbol, date.fromisoformat(as_of), chosen)
    except TickerFailure as failure:
        return failure.reason


@pytest.fixture(scope="module", name="pairs")
def _pairs(tmp_path_factory: pytest.TempPathFactory) -> tuple[CsvFolder, CsvFolder]:
    """The files as the vendor had them, and as they should be."""
    folder, made = tmp_path_factory.mktemp("quirks"), []
    for ending in ("", "-fixed"):
        files = {f"{symbol}.csv": PRICES / "quirks" / f"{name}{ending}.csv" for symbol, name in QUIRKS.items()}
        files |= {f"{name}.csv": PRICES / "quirks" / f"{name}-1d-no-bad-divs.csv" for name in SOUND}
        made.append(source_of(copied(folder / f"as{ending}", files)))
    return made[0], made[1]


def nights(source: CsvFolder, symbol: str) -> Iterator[str]:
    """The last day of a series, and others on the way there."""
    series = fetched(source, symbol, "2030-01-01", 5000).days
    yield from (series[at].isoformat() for at in range(1, len(series), max(1, len(series) // 12)))
    yield series[-1].isoformat()


@pytest.mark.parametrize("symbol", QUIRKS)
def test_a_known_error_is_repaired_to_what_is_right_or_refused(pairs: tuple[CsvFolder, CsvFolder], symbol: str) -> None:
    wrong, right = pairs
    last = list(nights(wrong, symbol))[-1]
    found, known = judged(wrong, symbol, last, 700), judged(right, symbol, last, 700)
    if isinstance(found, str):
        assert symbol in {"AET.L", "ALPHA.PA"}, found
        assert "in doubt" in found
        return
    assert isinstance(known, Checked), known
    assert len(found.notes) > len(known.notes), "said"
    for name in ("open", "high", "low", "close", "adj_close", "volume"):
        assert getattr(found.bars, name) == pytest.approx(getattr(known.bars, name), rel=1e-6), name
    amounts = [[(one.day, one.kind, pytest.approx(one.value, rel=1e-3)) for one in known.bars.actions]]
    assert [(one.day, one.kind, one.value) for one in found.bars.actions] == amounts[0]


@pytest.mark.parametrize("symbol", ["AET.L", "ALPHA.PA", "LA.V", "MOB.ST"])
def test_a_wrong_price_is_never_used_on_the_way_there(pairs: tuple[CsvFolder, CsvFolder], symbol: str) -> None:
    """On every night: the right prices, or none. The first nights of AET.L show nothing but wrong ones."""
    wrong, right = pairs
    for day in fetched(wrong, symbol, "2030-01-01").days[5 if symbol == "AET.L" else 1 :]:
        found, known = (judged(one, symbol, day.isoformat()) for one in (wrong, right))
        if isinstance(found, Checked) and isinstance(known, Checked):
            assert found.bars.close == pytest.approx(known.bars.close, rel=1e-6), day


@pytest.mark.parametrize("symbol", SOUND)
def test_what_is_right_is_left_alone(pairs: tuple[CsvFolder, CsvFolder], symbol: str) -> None:
    for night in nights(pairs[0], symbol):
        bars = fetched(pairs[0], symbol, night, 700)
        found = judged(pairs[0], symbol, night, 700)
        assert isinstance(found, Checked), found
        assert found.bars == bars
        assert (found.notes, found.flags) == ((), ())


def test_real_series_are_refused_on_fewer_than_one_of_a_hundred_nights(capsys: pytest.CaptureFixture[str]) -> None:
    draw, refused, noted, number = random.Random(20261201), [], 0, 0
    for name in FOLDERS:
        source = source_of(PRICES / name)
        members = source.fetch("universe", {"as_of": "2030-01-01", "sessions": "5000"})["series"]
        for _ in range(500 if NIGHTLY else 125):
            series = draw.choice(members)
            found = judged(source, series["symbol"], draw.choice(series["days"][1:]))
            number += 1
            refused += [found] if isinstance(found, str) else []
            noted += isinstance(found, Checked) and bool(found.flags)
    with capsys.disabled():
        print(f"\nsound ticker-days refused: {len(refused)} of {number}; flagged: {noted}")
    assert number >= 500
    assert len(refused) <= number / 100, refused


# series that ended


@pytest.mark.parametrize("symbol", ["SIVB", "SBNY", "BBBY", "ATVI"])
def test_a_series_that_ended_is_stale_the_year_after(symbol: str) -> None:
    source = source_of(PRICES / "ended")
    assert isinstance(judged(source, symbol, "2022-12-30"), Checked)
    for night in ("2023-01-09", "2023-03-31", "2023-12-29"):
        found = judged(source, symbol, night)
        assert isinstance(found, str)
        assert f"newest bar of {symbol} is 2022-12-30" in found


# indicators, computed again from the files with nothing of ours


def again(path: Path, as_of: str) -> dict[str, float]:
    """Indicators of a file by plain formulas."""
    frame = pd.read_csv(path, index_col="Date").sort_index()[:as_of]
    close, high, low, volume = (frame[name] for name in ("Close", "High", "Low", "Volume"))
    change = close.diff()
    log = np.log(close).diff()
    found = {f"ret_{n}": close.iloc[-1] / close.iloc[-1 - n] - 1 for n in (5, 21, 63, 126, 252)}
    found |= {f"sma_{n}": close.iloc[-1] / close.rolling(n).mean().iloc[-1] - 1 for n in (50, 200)}
    found |= {f"vol_{n}": log.rolling(n).std().iloc[-1] * 252**0.5 for n in (21, 63)}
    found["drawdown"] = close.iloc[-1] / close.rolling(252).max().iloc[-1] - 1
    dollars = close * volume
    found["volume_ratio"] = dollars.rolling(5).mean().iloc[-1] / dollars.rolling(63).mean().iloc[-1]
    span = (high - low) / close
    found["range_ratio"] = span.rolling(10).mean().iloc[-1] / span.rolling(63).mean().iloc[-1]
    found["up_volume"] = 0.5 * (np.sign(change) * dollars).tail(21).sum() / dollars.tail(21).sum()
    recent = close.tail(150)
    moves = recent.diff().fillna(0)
    gain, loss = (
        part.ewm(alpha=1 / 14, adjust=True).mean().iloc[-1] for part in (moves.clip(lower=0), -moves.clip(upper=0))
    )
    found["rsi"] = 100 * gain / (gain + loss)
    line = recent.ewm(span=12, adjust=True).mean() - recent.ewm(span=26, adjust=True).mean()
    found["macd"] = (line - line.ewm(span=9, adjust=True).mean()).iloc[-1] / close.iloc[-1]
    before = recent.shift()
    true = pd.concat([high - low, (high - before).abs(), (low - before).abs()], axis=1).tail(150).max(axis=1)
    found["atr"] = true.ewm(alpha=1 / 14, adjust=True).mean().iloc[-1] / close.iloc[-1]
    return {name: float(value) for name, value in found.items()}


@pytest.mark.parametrize("path", sorted((PRICES / "us_and_global").glob("*.csv.gz")), ids=lambda path: path.name)
def test_indicators_agree_with_plain_formulas_to_nine_digits(path: Path) -> None:
    source, symbol = source_of(PRICES / "us_and_global"), path.name.removesuffix(".csv.gz").replace("_", ".")
    for as_of in ("2012-06-29", "2020-03-23", "2025-11-28") if NIGHTLY else ("2025-11-28",):
        if fetched(source, symbol, as_of).days[0].year > 2011 and as_of.startswith("2012"):
            continue
        frame = ind.frame_of(fetched(source, symbol, as_of))
        adj = frame["adj_close"]
        found = {f"ret_{n}": ind.total_return(adj, n) for n in (5, 21, 63, 126, 252)}
        found |= {f"sma_{n}": ind.sma_gap(adj, n) for n in (50, 200)}
        found |= {f"vol_{n}": ind.realised_volatility(adj, n) for n in (21, 63)}
        found |= {
            "drawdown": ind.drawdown(adj, 252),
            "volume_ratio": ind.volume_ratio(frame),
            "range_ratio": ind.range_ratio(frame),
            "up_volume": ind.up_volume_share(frame),
            "rsi": ind.rsi(frame),
            "macd": ind.macd_histogram(frame),
            "atr": ind.atr_ratio(frame),
        }
        assert found == pytest.approx(again(path, as_of), rel=1e-9, abs=1e-12), (symbol, as_of)


# nothing from later


@cache
def lines(path: Path) -> tuple[str, list[str]]:
    """The heading of a file and its rows."""
    head, *rows = gzip.decompress(path.read_bytes()).decode().splitlines()
    return head, rows


def cut(path: Path, to: Path, night: date) -> None:
    """A file copied without anything later than a night."""
    head, rows = lines(path)
    kept = [row for row in rows if row[:10] <= night.isoformat()]
    (to / path.name.removesuffix(".gz")).write_text("\n".join([head, *kept, ""]))


def test_g6_deleting_what_came_later_changes_no_snapshot(tmp_path: Path) -> None:
    """For 60 pairs of ticker and night, 1,000 of them in the nightly form; the benchmark is cut too."""
    home, draw = PRICES / "us_and_global", random.Random(60)
    whole, benchmark = source_of(home), Question.model_validate({**question().model_dump(), "benchmark": "KO"})
    symbols = [one.name.removesuffix(".csv.gz").replace("_", ".") for one in sorted(home.glob("*.csv.gz"))]
    last = fetched(whole, "KO", "2030-01-01", 5000).days
    chosen = settings().market
    for number in range(1000 if NIGHTLY else 60):
        symbol, night = draw.choice([one for one in symbols if one != "KO"]), draw.choice(last[900:])
        folder = tmp_path / str(number)
        folder.mkdir()
        for one in (symbol, "KO"):
            cut(home / f"{one.replace('.', '_')}.csv.gz", folder, night)
        snapshots = [
            market_snapshot(symbol, night, benchmark, chosen, fetch=fetch_door(source))
            for source in (whole, source_of(folder))
        ]
        assert snapshots[0] == snapshots[1], (symbol, night)
        assert snapshots[0].session <= night
