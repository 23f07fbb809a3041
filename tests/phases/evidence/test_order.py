"""Bars in another order than their dates say, with opens and closes swapped or with another series between them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest

from phases.core.errors import TickerFailure
from phases.evidence.quality import Checked, checked
from schemas.market import Bars
from tests.faults.test_data import snapshot, walk
from tests.shared import PRICES, needs_prices
from tests.support import settings

NIGHT = date(2025, 9, 26)
NAMES = {"open": "Open", "high": "High", "low": "Low", "close": "Close", "adj_close": "Close", "volume": "Volume"}

Change = Callable[[pd.DataFrame], None]


def real(symbol: str) -> pd.DataFrame:
    """The bars of a night, all columns adjusted."""
    frame = pd.read_csv(PRICES / "us_and_global" / f"{symbol}.csv.gz")
    return frame[frame.Date <= NIGHT.isoformat()].tail(280).reset_index(drop=True).astype({"Volume": float})


def judged(frame: pd.DataFrame, symbol: str = "KO", **more: Any) -> Checked:
    """The checked bars of a frame."""
    columns = {name: frame[of].tolist() for name, of in NAMES.items()}
    told = {"symbol": symbol, "currency": "USD", "exchange": "XNYS", "days": frame.Date.tolist(), **columns, **more}
    bars = Bars.model_validate(told, strict=False)
    return checked(bars, symbol, NIGHT, settings().market)


def moved(last: int, order: Callable[[int], Any]) -> Change:
    """The newest rows in another order, under the dates as they were."""

    def change(frame: pd.DataFrame) -> None:
        rows, columns = frame.index[-last:], [name for name in frame if name != "Date"]
        frame.loc[rows, columns] = frame.loc[rows, columns].to_numpy()[order(last)]

    return change


def swapped(last: int) -> Change:
    def change(frame: pd.DataFrame) -> None:
        rows = frame.index[-last:]
        frame.loc[rows, ["Open", "Close"]] = frame.loc[rows, ["Close", "Open"]].to_numpy()

    return change


def mixed(last: int, with_: str) -> Change:
    """Every second of the newest rows is of another series."""

    def change(frame: pd.DataFrame) -> None:
        other, columns = real(with_), [name for name in frame if name != "Date"]
        frame.loc[frame.index[-last::2], columns] = other.loc[other.index[-last::2], columns].to_numpy()

    return change


def _back(count: int) -> Any:
    return np.arange(count)[::-1]


def _shuffled(count: int) -> Any:
    return np.random.default_rng(1).permutation(count)


BACKWARDS: dict[str, tuple[str, Change]] = {
    "reversed": ("WMT", moved(280, _back)),
    "newest-63-reversed": ("WMT", moved(63, _back)),
    "swapped": ("KO", swapped(280)),
    "newest-60-swapped": ("KO", swapped(60)),
}
ASTRAY: dict[str, tuple[str, Change]] = {
    "newest-63-shuffled": ("WMT", moved(63, _shuffled)),
    "newest-252-shuffled": ("JPM", moved(252, _shuffled)),
    "newest-80-mixed": ("KO", mixed(80, "SHEL")),
}


@needs_prices
@pytest.mark.parametrize("case", BACKWARDS)
def test_bars_that_run_backwards_or_have_open_and_close_swapped_are_refused(case: str) -> None:
    symbol, change = BACKWARDS[case]
    frame = real(symbol)
    assert judged(frame, symbol).flags == ()
    change(frame)
    with pytest.raises(TickerFailure, match=f"{symbol}: opens of .* as if the bars ran backwards or open and close"):
        judged(frame, symbol)


@needs_prices
@pytest.mark.parametrize("case", ASTRAY)
def test_bars_that_do_not_follow_each_other_are_refused(case: str) -> None:
    symbol, change = ASTRAY[case]
    frame = real(symbol)
    change(frame)
    with pytest.raises(TickerFailure, match=f"{symbol}: bars of .* do not follow each other"):
        judged(frame, symbol)


def test_bars_that_only_look_odd_are_used() -> None:
    """Opens at the close before, at the close or absent; ranges of nothing; levels that go to and fro; thin trades."""
    draw = np.random.default_rng(3)
    for seed in range(30):
        bars = walk(seed=seed)
        close = np.array(bars["close"])
        before = np.concatenate([close[:1], close[:-1]])
        level = 50 * np.exp(draw.normal(0, 0.01, 280))
        sides = 50 * np.exp(np.cumsum(draw.normal(0, 0.004, 280)))[:, None] * (1 + draw.choice([-0.02, 0.02], (280, 5)))
        for first, last, width in (
            (before, close, 0.01),
            (close, close, 0.0),
            (close, close, 0.0002),
            (level * np.exp(draw.normal(0, 0.004, 280)), level, 0.03),
            (sides[:, 0], sides[:, -1], 0.02),
        ):
            told = {"open": first, "close": last, "adj_close": last}
            told["high"], told["low"] = np.maximum(first, last) * (1 + width), np.minimum(first, last) * (1 - width)
            snapshot({**bars, **{name: values.tolist() for name, values in told.items()}})
        snapshot({**bars, "open": [], "high": [], "low": []})


def test_made_up_bars_are_used() -> None:
    """Lines and waves that fall while each bar closes above its open, or rise below it; opens at a fixed distance."""
    at = np.arange(280)
    draw = np.random.default_rng(5)
    closes = (300 - at * 0.5, 100 + at * 0.3, 100 + 10 * np.sin(at / 20), 100 + draw.normal(0, 1, 280))
    for close in (*closes, 100 * np.exp(np.cumsum(draw.normal(-0.003, 0.005, 280)))):
        for first in (close - 0.5, close + 0.5, close * 0.995, close * 0.999, close * 1.01):
            told = {"open": first, "close": close, "adj_close": close, "high": close * 1.02, "low": close * 0.98}
            snapshot({**walk(), **{name: values.tolist() for name, values in told.items()}})


def test_sound_bars_of_odd_markets_are_used() -> None:
    """Opens as far from the close as a day's move; trades at bid or ask by chance; moves that come overnight."""
    for seed in range(20):
        draw = np.random.default_rng(seed)
        level = 100 * np.exp(np.cumsum(draw.normal(0, 0.01, 280)))
        noise = draw.normal(0, 0.01, 280)
        sides = level * (1 + draw.choice([-0.015, 0.015], (4, 280)))
        premium = level * np.exp(draw.normal(0, 0.005, 280))
        for first, close, high, low in (
            (level, level * (1 + noise), level, level * (1 + noise)),
            (sides[0], sides[-1], sides.max(axis=0), sides.min(axis=0)),
            (premium * np.exp(draw.normal(0, 0.003, 280)), premium, premium * 1.002, premium * 0.998),
        ):
            told = {"open": first, "close": close, "adj_close": close}
            told["high"] = np.maximum.reduce([high, first, close]) * 1.001
            told["low"] = np.minimum.reduce([low, first, close]) * 0.999
            snapshot({**walk(), **{name: values.tolist() for name, values in told.items()}})
