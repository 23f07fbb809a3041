"""Price, volume and breadth indicators of one symbol, or of a list of symbols.

Shapes. `frame` has one row a session, oldest first, and the columns open high low close adj_close
volume, all as traded but adj_close; `adj` is one adjusted close a session. Lengths `n` count
sessions, 252 to a year.

Answers are ratios (.05 is 5 percent) unless a docstring says otherwise, and never rounded.

Absent. An answer is None, never NaN or infinite, when there are too few sessions (a shorter window
never goes under the same name), when a price in the window is no positive number, or when the
formula divides by nothing (no volume, no variance).

Splits and dividends. Returns come from adjusted closes; true ranges from high and low scaled by
adj_close / close; volume is counted in dollars, where a split cancels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from stockstats import wrap

from schemas.market import Bars, CloseSeries

Prices: TypeAlias = "pd.Series[float]"
Floats: TypeAlias = npt.NDArray[np.float64]

YEAR = 252
"""Sessions in a year."""

WARM_UP = 150
"""Sessions an exponential average is given, no more and no fewer.

An average that starts at its first value still carries (13/14)**150 = 1.5e-5 of that start after
150 sessions of RSI14 or ATR14, and (25/27)**150 = 1e-5 for the slow line of MACD: less than shows.
Taking exactly as many makes the answer independent of how much history was loaded.
"""

STALE_AFTER = pd.Timedelta(days=7)
"""A series that ends this long before the newest one is not part of the market any more."""

FLAT = 1e-12
"""A daily standard deviation at or below this is rounding noise of a constant series."""


def frame_of(bars: Bars) -> pd.DataFrame:
    """Bars as a frame: index `session` (n,), six float columns (n, 6); NaN where the source has no such column.

    >>> bars = Bars(symbol="A", currency="USD", exchange="XNYS", days=("2024-01-02",), open=(1.0,),
    ...             high=(3.0,), low=(1.0,), close=(2.0,), adj_close=(1.5,), volume=(10.0,))
    >>> frame_of(bars).iloc[-1].to_list()
    [1.0, 3.0, 1.0, 2.0, 1.5, 10.0]
    """
    columns = ("open", "high", "low", "close", "adj_close", "volume")
    return pd.DataFrame(
        {name: getattr(bars, name) or math.nan for name in columns},
        index=pd.DatetimeIndex(bars.days, name="session"),
        dtype=float,
    )


def series_of(closes: CloseSeries) -> Prices:
    """Adjusted closes as a series (n,), index `session`, name the symbol.

    >>> series_of(CloseSeries(symbol="A", days=("2024-01-02",), adj_close=(1.5,))).to_list()
    [1.5]
    """
    index = pd.DatetimeIndex(closes.days, name="session")
    return pd.Series(closes.adj_close, index=index, name=closes.symbol, dtype=float)


def total_return(adj: Prices, n: int) -> float | None:
    """Return over the last n sessions, dividends included; needs n + 1 sessions.

    >>> total_return(pd.Series([100.0, 90.0, 110.0]), 2)
    0.1
    >>> total_return(pd.Series([100.0, 90.0, 110.0]), 3) is None
    True
    """
    window = _last(adj, n + 1)
    return None if window is None else _ratio(window[-1] - window[0], window[0])


def sma_gap(adj: Prices, n: int) -> float | None:
    """Distance of the price from its simple moving average: price / mean of n closes - 1.

    >>> sma_gap(pd.Series([1.0, 2.0, 3.0]), 3)
    0.5
    """
    window = _last(adj, n)
    return None if window is None else _ratio(window[-1] - window.mean(), window.mean())


def drawdown(adj: Prices, n: int) -> float | None:
    """Distance from the highest of the last n closes, today's included: 0 at a high, else below 0.

    >>> drawdown(pd.Series([50.0, 80.0, 60.0]), 3)
    -0.25
    """
    window = _last(adj, n)
    return None if window is None else _ratio(window[-1] - window.max(), window.max())


def realised_volatility(adj: Prices, n: int) -> float | None:
    """Sample standard deviation of n daily log returns, a year: times the root of 252.

    >>> round(realised_volatility(pd.Series([1.0, 1.01, 1.0]), 2), 6)
    0.223384
    """
    window = _last(adj, n + 1)
    if window is None or n < 2:
        return None
    return _finite(float(np.diff(np.log(window)).std(ddof=1)) * math.sqrt(YEAR))


def volatility_ratio(adj: Prices, short: int, long: int) -> float | None:
    """Realised volatility of the last `short` sessions over that of the last `long`; 1 is unchanged.

    >>> volatility_ratio(pd.Series([1.0, 1.01, 1.0, 1.01]), 3, 3)
    1.0
    """
    recent, usual = realised_volatility(adj, short), realised_volatility(adj, long)
    if recent is None or usual is None or usual <= FLAT * math.sqrt(YEAR):
        return None
    return _finite(recent / usual)


def rsi(frame: pd.DataFrame, n: int = 14) -> float | None:
    """Relative strength index of adjusted closes, 0..100 (Wilder 1978); 50 if no price moved.

    Needs WARM_UP sessions and uses exactly those.

    >>> rising = pd.Series(range(1, 151), dtype=float)
    >>> rsi(pd.DataFrame({"adj_close": rising}))
    100.0
    """
    close = _last(frame["adj_close"], WARM_UP)
    return None if close is None else _stockstats(f"rsi_{n}", close=close)


def macd_histogram(frame: pd.DataFrame) -> float | None:
    """MACD (12, 26) less its signal line (9) on adjusted closes, as a ratio of the price.

    Needs WARM_UP sessions and uses exactly those.

    >>> macd_histogram(pd.DataFrame({"adj_close": [5.0] * 150}))
    0.0
    """
    close = _last(frame["adj_close"], WARM_UP)
    histogram = None if close is None else _stockstats("macdh", close=close)
    return None if close is None or histogram is None else _ratio(histogram, close[-1])


def atr_ratio(frame: pd.DataFrame, n: int = 14) -> float | None:
    """Average true range (Wilder 1978) of adjusted prices, as a ratio of the price.

    Needs WARM_UP sessions and uses exactly those.

    >>> frame = pd.DataFrame({"high": [5.5] * 150, "low": [5.0] * 150, "close": [5.0] * 150})
    >>> round(atr_ratio(frame.assign(adj_close=2.5)), 9)
    0.1
    """
    bars = [_last(frame[name], WARM_UP) for name in ("high", "low", "close", "adj_close")]
    high, low, close, adj = bars
    if high is None or low is None or close is None or adj is None:
        return None
    scale = adj / close
    average = _stockstats(f"atr_{n}", high=high * scale, low=low * scale, close=adj)
    return None if average is None else _ratio(average, adj[-1])


def volume_ratio(frame: pd.DataFrame, short: int = 5, long: int = 63) -> float | None:
    """Mean dollar volume of the last `short` sessions over that of the last `long`; 1 is usual.

    >>> volume_ratio(pd.DataFrame({"close": [2.0, 1.0, 1.0], "volume": [1.0, 2.0, 8.0]}), 1, 3)
    2.0
    """
    dollars = _dollar_volume(frame, max(short, long))
    return None if dollars is None else _ratio(dollars[-short:].mean(), dollars[-long:].mean())


def up_volume_share(frame: pd.DataFrame, n: int = 21) -> float | None:
    """Share of n sessions' dollar volume that fell on days of a rising adjusted close, less .5.

    Runs from -.5 (all on falling days) to .5; an unchanged day counts half, so that a mirrored
    series has the opposite sign. Needs n + 1 sessions.

    >>> frame = pd.DataFrame({"close": [1.0, 2.0, 1.0], "volume": [9.0, 3.0, 2.0]})
    >>> up_volume_share(frame.assign(adj_close=frame["close"]), 2)
    0.25
    """
    adj, dollars = _last(frame["adj_close"], n + 1), _dollar_volume(frame, n)
    if adj is None or dollars is None:
        return None
    return _ratio(0.5 * float(np.sign(np.diff(adj)) @ dollars), float(dollars.sum()))


def range_ratio(frame: pd.DataFrame, short: int = 10, long: int = 63) -> float | None:
    """Mean (high - low) / close of the last `short` sessions over that of the last `long`.

    >>> range_ratio(pd.DataFrame({"high": [2.0, 4.0], "low": [1.0, 1.0], "close": 1.0}), 1, 2)
    1.5
    """
    bars = [_last(frame[name], max(short, long)) for name in ("high", "low", "close")]
    high, low, close = bars
    if high is None or low is None or close is None:
        return None
    ranges = (high - low) / close
    return _ratio(ranges[-short:].mean(), ranges[-long:].mean())


def correlation(adj: Prices, benchmark_adj: Prices, n: int) -> float | None:
    """Pearson correlation of the last n daily returns, -1..1.

    Prices are joined on common sessions before returns are taken, so that both returns span the
    same days even where one of the two has a hole.

    >>> correlation(pd.Series([1.0, 2.0, 1.0]), pd.Series([4.0, 3.0, 6.0]), 2)
    -1.0
    """
    return _mean_correlation([adj, benchmark_adj], n)


def excess_volatility(adj: Prices, benchmark_adj: Prices, n: int) -> float | None:
    """Sample standard deviation of n daily log returns in excess of the benchmark's, a year: times the root of 252.

    Prices are joined on common sessions first, as for `correlation`. None where nothing sets the two apart.

    >>> round(excess_volatility(pd.Series([1.0, 1.01, 1.0]), pd.Series([5.0, 5.0, 5.0]), 2), 6)
    0.223384
    """
    if n < 2:
        return None
    joined = pd.concat([adj, benchmark_adj], axis=1, join="inner")
    own, other = _last(joined.iloc[:, 0], n + 1), _last(joined.iloc[:, 1], n + 1)
    if own is None or other is None:
        return None
    deviation = float(np.diff(np.log(own / other)).std(ddof=1))
    return _finite(deviation * math.sqrt(YEAR)) if deviation > FLAT else None


def breadth(series: Sequence[Prices], n: int) -> float | None:
    """Share of series above their n-session simple average, 0..1, among those that can say.

    A series counts if it has n sessions and has not ended (STALE_AFTER).

    >>> days = pd.DatetimeIndex(["2024-01-02", "2024-01-03"])
    >>> breadth([pd.Series([1.0, 2.0], days), pd.Series([2.0, 1.0], days)], 2)
    0.5
    """
    gaps = [gap for adj in _current(series) if (gap := sma_gap(adj, n)) is not None]
    return sum(gap > 0 for gap in gaps) / len(gaps) if gaps else None


def mean_pairwise_correlation(series: Sequence[Prices], n: int) -> float | None:
    """Mean correlation of n daily returns over all pairs of series, -1..1.

    A series counts if it has n + 1 sessions, has not ended (STALE_AFTER) and moved; all are read
    on the sessions they have in common. None below two series or n common returns.

    >>> days = pd.DatetimeIndex(["2024-01-02", "2024-01-03", "2024-01-04"])
    >>> up_down, down_up = pd.Series([1.0, 2.0, 1.0], days), pd.Series([2.0, 1.0, 2.0], days)
    >>> round(mean_pairwise_correlation([up_down, up_down, down_up], 2), 9)
    -0.333333333
    """
    return _mean_correlation([adj for adj in _current(series) if len(adj) > n], n)


def _mean_correlation(series: Sequence[Prices], n: int) -> float | None:
    """Mean over pairs of the Pearson correlation of n returns, on the sessions all have in common."""
    if len(series) < 2 or n < 2:
        return None
    joined = pd.concat(series, axis=1, join="inner")
    window = np.asarray(joined, dtype=np.float64)[-(n + 1) :]
    if len(window) <= n or not _positive(window):
        return None
    returns = window[1:] / window[:-1] - 1
    moved = returns[:, returns.std(axis=0) > FLAT]
    count = moved.shape[1]
    if count < 2:
        return None
    matrix = np.asarray(np.corrcoef(moved, rowvar=False))
    return _finite(float(matrix[np.triu_indices(count, k=1)].mean()))


def _current(series: Sequence[Prices]) -> list[Prices]:
    """Series that have a price and have not ended."""
    newest = max((adj.index[-1] for adj in series if len(adj)), default=None)
    return [adj for adj in series if len(adj) and newest - adj.index[-1] <= STALE_AFTER]


def _stockstats(indicator: str, **columns: Floats) -> float | None:
    """Last value of a stockstats indicator, computed on a frame of its own: it adds columns."""
    return _finite(float(wrap(pd.DataFrame(columns))[indicator].iloc[-1]))


def _dollar_volume(frame: pd.DataFrame, n: int) -> Floats | None:
    """Close times volume, both as traded, of the last n sessions (n,); zero volume is allowed."""
    close = _last(frame["close"], n)
    return None if close is None else close * np.asarray(frame["volume"], dtype=np.float64)[-n:]


def _last(prices: Prices, n: int) -> Floats | None:
    """The last n prices (n,), or None if there are fewer or one is no positive number."""
    window = np.asarray(prices, dtype=np.float64)[-n:]
    return window if len(window) == n and _positive(window) else None


def _positive(prices: Floats) -> bool:
    return bool((np.isfinite(prices) & (prices > 0)).all())


def _ratio(part: float, whole: float) -> float | None:
    return _finite(float(part) / float(whole)) if whole else None


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
