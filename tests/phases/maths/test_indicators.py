"""Indicators: expected values come from closed forms, hand counts and published tables."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from phases.maths import indicators as ind

Answers = dict[str, float | None]

START = "2020-01-01"


def series(values: object, start: str = START) -> pd.Series:
    closes = np.asarray(values, dtype=float)
    return pd.Series(closes, index=pd.bdate_range(start, periods=len(closes)))


def frame(close: object, spread: float = 0.01, volume: object = 1e6) -> pd.DataFrame:
    adj = series(close)
    return pd.DataFrame(
        {
            "open": adj,
            "high": adj * (1 + spread),
            "low": adj * (1 - spread),
            "close": adj,
            "adj_close": adj,
            "volume": np.broadcast_to(np.asarray(volume, dtype=float), adj.shape),
        },
        index=adj.index,
    )


def walk(seed: int, n: int = 300, volatility: float = 0.02) -> pd.DataFrame:
    """A random walk with its own spread and volume every day."""
    rng = np.random.default_rng(seed)
    close = 50 * np.exp(np.cumsum(rng.normal(0, volatility, n)))
    made = frame(close, volume=rng.uniform(1e5, 1e6, n))
    made["high"] = close * (1 + rng.uniform(0, 0.03, n))
    made["low"] = close * (1 - rng.uniform(0, 0.03, n))
    return made


BENCHMARK = walk(99, 600)["adj_close"]


def all_of(bars: pd.DataFrame, benchmark: pd.Series = BENCHMARK) -> Answers:
    """Every indicator of one symbol."""
    adj = bars["adj_close"]
    return {
        **{f"ret_{n}": ind.total_return(adj, n) for n in (5, 21, 63, 126, 252)},
        "sma50": ind.sma_gap(adj, 50),
        "sma200": ind.sma_gap(adj, 200),
        "drawdown": ind.drawdown(adj, 252),
        "vol_21": ind.realised_volatility(adj, 21),
        "vol_63": ind.realised_volatility(adj, 63),
        "vol_ratio": ind.volatility_ratio(adj, 21, 63),
        "rsi": ind.rsi(bars),
        "macd": ind.macd_histogram(bars),
        "atr": ind.atr_ratio(bars),
        "volume_ratio": ind.volume_ratio(bars),
        "up_volume": ind.up_volume_share(bars),
        "range_ratio": ind.range_ratio(bars),
        "correlation": ind.correlation(adj, benchmark, 63),
    }


def same(left: Answers, right: Answers, rel: float = 1e-7) -> bool:
    return left.keys() == right.keys() and all(
        right[name] is None if value is None else value == pytest.approx(right[name], rel=rel, abs=1e-10)
        for name, value in left.items()
    )


# --- closed forms -------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [5, 21, 252])
def test_constant_growth_has_the_return_of_its_formula(n: int) -> None:
    adj = series(100 * 1.001 ** np.arange(300))
    assert ind.total_return(adj, n) == pytest.approx(1.001**n - 1)
    assert ind.realised_volatility(adj, n) == pytest.approx(0, abs=1e-9)
    assert ind.drawdown(adj, n) == 0


def test_sma_gap_and_drawdown_of_a_count() -> None:
    adj = series(range(1, 51))
    assert ind.sma_gap(adj, 50) == pytest.approx(50 / 25.5 - 1)
    assert ind.drawdown(series([10, 40, 20, 30]), 4) == -0.25
    assert ind.drawdown(series([100, 40, 20, 30]), 3) == -0.25


def test_alternating_returns_have_the_volatility_of_their_size() -> None:
    size, n = math.log(1.01), 20
    adj = series([100 * 1.01 ** (t % 2) for t in range(n + 1)])
    expected = size * math.sqrt(n / (n - 1)) * math.sqrt(252)
    assert ind.realised_volatility(adj, n) == pytest.approx(expected)


def test_volatility_ratio_of_a_series_whose_moves_doubled() -> None:
    moves = [0.01 * (-1) ** t for t in range(40)] + [0.02 * (-1) ** t for t in range(20)]
    adj = series(100 * np.exp(np.cumsum([0.0, *moves])))
    usual = math.sqrt((40 * 0.01**2 + 20 * 0.02**2) / 59)
    assert ind.volatility_ratio(adj, 20, 60) == pytest.approx(0.02 * math.sqrt(20 / 19) / usual)
    assert ind.volatility_ratio(series([5.0] * 61), 20, 60) is None


def test_rsi_of_one_way_and_still_prices() -> None:
    assert ind.rsi(frame(np.arange(1.0, 201.0))) == 100
    assert ind.rsi(frame(np.arange(200.0, 0.0, -1.0))) == 0
    assert ind.rsi(frame([7.0] * 200)) == 50


def test_rsi_of_a_see_saw_is_a_geometric_series() -> None:
    # rises weigh 1 + (13/14)^2 + ..., falls 13/14 of that: after a rise RSI = 100 * 14 / 27
    assert ind.rsi(frame([100 + t % 2 for t in range(200)])) == pytest.approx(1400 / 27, abs=1e-3)
    assert ind.rsi(frame([100 - t % 2 for t in range(200)])) == pytest.approx(1300 / 27, abs=1e-3)


def test_macd_of_constant_growth_is_the_difference_of_its_lags() -> None:
    growth = 1.002

    def lag(span: int) -> float:
        alpha = 2 / (span + 1)
        return alpha / (1 - (1 - alpha) / growth)

    expected = (lag(12) - lag(26)) * (1 - lag(9))
    measured = ind.macd_histogram(frame(100 * growth ** np.arange(300)))
    assert measured == pytest.approx(expected, abs=2e-6)


def test_atr_of_still_prices_is_their_spread() -> None:
    assert ind.atr_ratio(frame([40.0] * 200, spread=0.015)) == pytest.approx(0.03)


def test_atr_counts_the_gap_from_the_close_before() -> None:
    # every day rises by 10 percent and trades within one: high - previous close is the range
    measured = ind.atr_ratio(frame(1.1 ** np.arange(200), spread=0.01), 1)
    assert measured == pytest.approx((1.1 * 1.01 - 1) / 1.1)


# --- an independent RSI, itself checked against a published table ---------------------------------

TABLE_CLOSES = """44.3389 44.0902 44.1497 43.6124 44.3278 44.8264 45.0955 45.4245 45.8433 46.0826
45.8931 46.0328 45.6140 46.2820 46.2820 46.0028 46.0328 46.4116 46.2222 45.6439 46.2122 46.2521
45.7137 46.4515 45.7835 45.3548 44.0288 44.1783 44.2181 44.5672 43.4205 42.6628 43.1314"""
TABLE_RSI = """70.53 66.32 66.55 69.41 66.36 57.97 62.93 63.26 56.06 62.38 54.71 50.42 39.99 41.46
41.87 45.46 37.30 33.08 37.77"""
"""The worked example of Wilder's RSI(14) on StockCharts' ChartSchool page."""


def wilder_rsi(closes: list[float], n: int = 14) -> list[float]:
    """RSI as Wilder wrote it: a plain mean of n changes, then each new one weighs 1/n."""
    changes = [b - a for a, b in itertools.pairwise(closes)]
    up = sum(max(c, 0) for c in changes[:n]) / n
    down = sum(max(-c, 0) for c in changes[:n]) / n
    answers = [100 * up / (up + down)]
    for change in changes[n:]:
        up = (up * (n - 1) + max(change, 0)) / n
        down = (down * (n - 1) + max(-change, 0)) / n
        answers.append(100 * up / (up + down))
    return answers


def test_the_reference_rsi_gives_the_published_table() -> None:
    measured = wilder_rsi([float(close) for close in TABLE_CLOSES.split()])
    assert measured == pytest.approx([float(value) for value in TABLE_RSI.split()], abs=0.011)


@pytest.mark.parametrize("seed", range(10))
def test_rsi_agrees_with_the_reference_once_its_start_is_forgotten(seed: int) -> None:
    bars = walk(seed, 500)
    assert ind.rsi(bars) == pytest.approx(wilder_rsi(bars["adj_close"].to_list())[-1], abs=0.005)


@pytest.mark.parametrize("seed", range(5))
def test_macd_agrees_with_a_loop(seed: int) -> None:
    bars = walk(seed, 500)
    fast = slow = bars["adj_close"].iloc[0]
    line = signal = 0.0
    for close in bars["adj_close"].iloc[1:]:
        fast += (close - fast) * 2 / 13
        slow += (close - slow) * 2 / 27
        line = fast - slow
        signal += (line - signal) * 2 / 10
    expected = (line - signal) / bars["adj_close"].iloc[-1]
    assert ind.macd_histogram(bars) == pytest.approx(expected, abs=2e-5)


# --- volume and range -----------------------------------------------------------------------------


def test_volume_ratio_of_a_doubled_week() -> None:
    bars = frame([10.0] * 63, volume=[1.0] * 58 + [2.0] * 5)
    assert ind.volume_ratio(bars) == pytest.approx(2 / (68 / 63))
    assert ind.volume_ratio(frame([10.0] * 63, volume=0)) is None


def test_up_volume_share_by_hand() -> None:
    rises = [100.0 + t for t in range(22)]
    assert ind.up_volume_share(frame(rises)) == 0.5
    assert ind.up_volume_share(frame(rises[::-1])) == -0.5
    assert ind.up_volume_share(frame([5.0] * 22)) == 0
    # one rise at 2 * 30 dollars, one fall at 1 * 20, one still day at 1 * 20: (60 + 10) / 100 - .5
    assert ind.up_volume_share(frame([1, 2, 1, 1], volume=[9, 30, 20, 20]), 3) == pytest.approx(0.2)
    assert ind.up_volume_share(frame(rises, volume=0)) is None


def test_range_ratio_by_hand() -> None:
    bars = frame([10.0] * 63)
    bars.loc[bars.index[-10:], ["high", "low"]] = [10.2, 9.8]
    assert ind.range_ratio(bars) == pytest.approx(0.04 / ((53 * 0.02 + 10 * 0.04) / 63))
    assert ind.range_ratio(frame([10.0] * 63, spread=0)) is None


# --- several series -------------------------------------------------------------------------------


def test_correlation_of_a_series_with_itself_its_mirror_and_a_still_one() -> None:
    moves = np.random.default_rng(1).normal(0, 0.01, 63)
    adj, mirror = (series(np.cumprod([100, *(1 + sign * moves)])) for sign in (1, -1))
    assert ind.correlation(adj, 7 * adj, 63) == pytest.approx(1)
    assert ind.correlation(adj, mirror, 63) == pytest.approx(-1)
    assert ind.correlation(adj, series([5.0] * 64), 63) is None


def test_correlation_by_hand() -> None:
    # returns 1, -.5, 0 against 0, 1, -.5, both of mean 1/6: (-.5 - 3/36) / (1.25 - 3/36)
    left, right = series([1, 2, 1, 1]), series([1, 1, 2, 1])
    assert ind.correlation(left, right, 3) == pytest.approx(-0.5)


def test_correlation_spans_the_same_days_on_both_sides_of_a_hole() -> None:
    adj = walk(3, 80)["adj_close"]
    assert ind.correlation(adj.drop(adj.index[40]), 2 * adj, 63) == pytest.approx(1)


def test_correlation_needs_n_common_returns() -> None:
    adj = walk(3, 64)["adj_close"]
    assert ind.correlation(adj, adj, 63) == pytest.approx(1)
    assert ind.correlation(adj, adj.drop(adj.index[10]), 63) is None
    assert ind.correlation(adj, series(range(1, 65), start="2022-01-03"), 63) is None


def test_breadth_counts_only_who_can_say() -> None:
    up, down, still = series(range(1, 201)), series(range(200, 0, -1)), series([1.0] * 200)
    newcomer = up.iloc[-100:]
    assert ind.breadth([up, up, down, still, newcomer], 200) == 0.5
    assert ind.breadth([newcomer, series([])], 200) is None
    assert ind.breadth([], 200) is None


def test_series_that_ended_leave_the_market() -> None:
    moves = walk(5, 300)["adj_close"]
    up, ended = series(range(1, 301)), series(range(300, 0, -1)).iloc[:-10]
    assert ind.breadth([up, ended], 200) == 1
    assert ind.breadth([up, ended.iloc[:0]], 200) == 1
    assert ind.mean_pairwise_correlation([moves, 2 * moves, 300 - moves.iloc[:-10]], 63) == pytest.approx(1)


def test_mean_pairwise_correlation_is_the_mean_over_pairs() -> None:
    closes = [walk(seed)["adj_close"] for seed in range(4)]
    pairs = [
        np.corrcoef(a.pct_change()[-63:], b.pct_change()[-63:])[0, 1] for a, b in itertools.combinations(closes, 2)
    ]
    expected = pytest.approx(sum(pairs) / 6)
    still, newcomer = series([3.0] * 300), closes[0].iloc[-63:]
    assert ind.mean_pairwise_correlation(closes, 63) == expected
    assert ind.mean_pairwise_correlation([*closes, still, newcomer], 63) == expected
    assert ind.mean_pairwise_correlation([closes[0], still], 63) is None
    assert ind.mean_pairwise_correlation(closes[:1], 63) is None


# --- too little, or not a price -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("needed", "measure"),
    [
        (22, lambda bars: ind.total_return(bars["adj_close"], 21)),
        (50, lambda bars: ind.sma_gap(bars["adj_close"], 50)),
        (252, lambda bars: ind.drawdown(bars["adj_close"], 252)),
        (22, lambda bars: ind.realised_volatility(bars["adj_close"], 21)),
        (64, lambda bars: ind.volatility_ratio(bars["adj_close"], 21, 63)),
        (150, ind.rsi),
        (150, ind.macd_histogram),
        (150, ind.atr_ratio),
        (63, ind.volume_ratio),
        (22, ind.up_volume_share),
        (63, ind.range_ratio),
        (64, lambda bars: ind.correlation(bars["adj_close"], BENCHMARK, 63)),
        (200, lambda bars: ind.breadth([bars["adj_close"]], 200)),
        (
            64,
            lambda bars: ind.mean_pairwise_correlation([bars["adj_close"], BENCHMARK.iloc[:64]], 63),
        ),
    ],
)
def test_one_session_too_few_gives_none(needed: int, measure: Callable[[pd.DataFrame], float | None]) -> None:
    bars = walk(1)
    assert measure(bars.iloc[:needed]) is not None
    assert measure(bars.iloc[: needed - 1]) is None
    assert measure(bars.iloc[:0]) is None


@pytest.mark.parametrize("broken", [0.0, -37.0, math.nan, math.inf])
def test_a_price_that_is_no_positive_number_gives_none(broken: float) -> None:
    bars = walk(1)
    bars.iloc[-3] = broken
    answers = all_of(bars)
    assert answers.pop("ret_5") is None
    assert all(value is None for name, value in answers.items() if not name.startswith("ret_"))


# --- invariances ----------------------------------------------------------------------------------


@given(st.integers(0, 500), st.floats(0.001, 1000))
@settings(max_examples=25, deadline=None)
def test_scaling_all_prices_changes_nothing(seed: int, factor: float) -> None:
    bars = walk(seed)
    scaled = bars.copy()
    scaled.loc[:, "open":"adj_close"] *= factor
    assert same(all_of(scaled), all_of(bars))


@given(st.integers(0, 500), st.integers(1, 299) | st.integers(280, 299), st.sampled_from([2, 10, 0.1]))
@example(1, 290, 2)
@example(1, 291, 2)
@example(1, 292, 2)
@settings(max_examples=25, deadline=None)
def test_a_split_changes_nothing(seed: int, day: int, ratio: float) -> None:
    bars = walk(seed)
    split = bars.copy()
    after = split.index[day:]
    split.loc[after, ["open", "high", "low", "close"]] /= ratio
    split.loc[after, "volume"] *= ratio
    assert same(all_of(split), all_of(bars))


@given(st.integers(0, 500), st.floats(0.5, 0.999))
@settings(max_examples=25, deadline=None)
def test_a_later_dividend_changes_nothing(seed: int, factor: float) -> None:
    # a dividend paid later scales every earlier adjusted close: the only way the future reaches back
    bars = walk(seed)
    assert same(all_of(bars.assign(adj_close=bars["adj_close"] * factor)), all_of(bars))


@given(st.integers(0, 500), st.integers(1, 300))
@settings(max_examples=25, deadline=None)
def test_later_rows_change_no_earlier_answer(seed: int, day: int) -> None:
    bars = walk(seed, 400)
    earlier = all_of(bars.iloc[:day], BENCHMARK.iloc[:day])
    changed = bars.copy()
    changed.iloc[day:] *= 3.0
    today = changed.index[day - 1]
    assert all_of(changed.loc[:today], BENCHMARK.loc[:today]) == earlier


def test_answers_do_not_depend_on_how_much_history_was_loaded() -> None:
    bars = walk(4, 600)
    assert all_of(bars.iloc[-253:]) == all_of(bars)


# --- safety ---------------------------------------------------------------------------------------

prices = st.one_of(st.floats(0.001, 1e6), st.just(1.0), st.sampled_from([0.001, 0.0010000000000000002, 1e6]))


@given(
    st.lists(st.tuples(prices, prices, prices, st.floats(0, 1e12)), min_size=1, max_size=12),
    st.integers(1, 30),
)
@settings(max_examples=100, deadline=None)
def test_no_answer_is_ever_nan_or_infinite_and_none_warns(
    rows: list[tuple[float, float, float, float]], repeats: int
) -> None:
    close, adj, high, volume = (np.tile(column, repeats) for column in zip(*rows, strict=True))
    bars = frame(close, volume=volume).assign(adj_close=adj, high=np.maximum(high, close))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answers = all_of(bars)
        answers["breadth"] = ind.breadth([bars["adj_close"], bars["close"]], 5)
        answers["mean_corr"] = ind.mean_pairwise_correlation([bars["adj_close"], bars["close"]], 5)
    assert all(value is None or math.isfinite(value) for value in answers.values())
    assert answers["rsi"] is None or 0 <= answers["rsi"] <= 100
    assert answers["up_volume"] is None or abs(answers["up_volume"]) <= 0.5 + 1e-9
    assert answers["drawdown"] is None or -1 <= answers["drawdown"] <= 0
    for name in ("correlation", "mean_corr"):
        value = answers[name]
        assert value is None or abs(value) <= 1 + 1e-9


def test_the_frame_of_the_caller_is_left_alone() -> None:
    bars = walk(2)
    before = bars.copy(deep=True)
    all_of(bars)
    pd.testing.assert_frame_equal(bars, before)


def test_answers_are_plain_floats() -> None:
    assert {type(value) for value in all_of(walk(2)).values()} == {float}
    closes = [walk(seed)["adj_close"] for seed in range(2)]
    assert type(ind.breadth(closes, 50)) is float
    assert type(ind.mean_pairwise_correlation(closes, 63)) is float
