"""Adjusted closes beside closes: what no split and no dividend explains is refused, and real columns are let through."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import pytest

from phases.core.errors import TickerFailure
from phases.evidence.quality import Checked, checked
from phases.sources.packaged import PackagedSource
from schemas.market import Bars
from tests.faults.test_data import PRICES, scaled, walk
from tests.phases.evidence.test_quality import fetched, judged
from tests.phases.test_market_data import AS_OF, days
from tests.shared import PRICES as FOLDERS
from tests.shared import needs_prices, source_of
from tests.support import settings

N = 280
DAYS = days(N)


def used(bars: dict[str, Any]) -> Checked:
    return checked(Bars.model_validate_json(json.dumps(bars)), "ACME", AS_OF, settings().market)


def adjusted(change: Callable[[list[float]], list[float]]) -> dict[str, Any]:
    """Sound bars whose adjusted closes alone are changed."""
    bars = walk()
    return {**bars, "adj_close": change(list(bars["adj_close"]))}


def stepped(at: int, by: float, to: int = N) -> Callable[[list[float]], list[float]]:
    """The factor before a place, or between two, is another."""
    begin = 0 if to == N else at
    end = at if to == N else to
    return lambda adj: [x * (by if begin <= place < end else 1) for place, x in enumerate(adj)]


WRONG: dict[str, tuple[Callable[[list[float]], list[float]], str]] = {
    "another-stock": (lambda adj: walk(seed=9)["close"], "by a factor of"),
    "reversed": (lambda adj: adj[::-1], "by a factor of"),
    "a-row-late": (lambda adj: adj[:1] + adj[:-1], "by a factor of"),
    "a-row-early": (lambda adj: adj[1:] + adj[-1:], "by a factor of"),
    "constant": (lambda adj: [1.0] * N, "by a factor of"),
    "stuck": (lambda adj: adj[:200] + [adj[200]] * 20 + adj[220:], "by a factor of"),
    "noise": (lambda adj: [x * random.Random(n).uniform(0.9, 1.1) for n, x in enumerate(adj)], "by a factor of"),
    "little-noise": (lambda adj: [x * random.Random(n).uniform(0.99, 1.01) for n, x in enumerate(adj)], "factor of"),
    "newest-up": (lambda adj: [*adj[:-1], adj[-1] * 1.35], f"factor of 1.35 on {DAYS[-1]}"),
    "newest-down": (lambda adj: [*adj[:-1], adj[-1] * 0.95], f"factor of 0.95 on {DAYS[-1]}"),
    "negative-dividend": (stepped(N - 20, 1.25), f"factor of 0.8 on {DAYS[N - 20]}"),
    "halved-before": (stepped(N - 31, 0.5), f"factor of 2 on {DAYS[N - 31]}"),
    "a-fifth-before": (stepped(N - 31, 0.8), f"factor of 1.25 on {DAYS[N - 31]}"),
    "fifty-and-back": (stepped(150, 1.3, 200), f"factor of .* on {DAYS[200]}|{DAYS[150]}"),
    "one-hundred-times": (stepped(N - 3, 0.01), f"on {DAYS[N - 3]}"),
    "wholes": (lambda adj: [round(x / 12) for x in adj], "by a factor of"),
    "each-day": (
        lambda adj: [x * f for x, f in zip(adj, accumulate([1.002] * N, float.__mul__), strict=True)],
        "279 of",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_adjusted_closes_that_leave_the_closes_are_refused_by_day_and_factor(case: str) -> None:
    change, why = WRONG[case]
    with pytest.raises(TickerFailure, match=f"ACME: adjusted closes change against the closes .*{why}") as failure:
        used(adjusted(change))
    assert failure.value.status == "no_data"


def paid(every: int, share: float) -> dict[str, Any]:
    """Closes of a fund that pays a share of its price every so many sessions, which only the adjusted closes know."""
    bars = walk()
    for at in range(every, N, every):
        for name in ("open", "high", "low", "close"):
            bars[name][at:] = [x * (1 - share) for x in bars[name][at:]]
    bars["adj_close"] = [x * bars["close"][-1] / bars["adj_close"][-1] for x in bars["adj_close"]]
    return bars


@pytest.mark.parametrize(("every", "share"), [(63, 0.01), (21, 0.002), (21, 0.01), (5, 0.001), (5, 0.02), (126, 0.07)])
@pytest.mark.parametrize("decimals", [2, 4, 6])
@pytest.mark.parametrize("price", [1.0, 3.0, 50.0, 4000.0])
def test_dividends_that_only_the_adjusted_closes_know_are_let_through(
    every: int, share: float, decimals: int, price: float
) -> None:
    bars = paid(every, share)
    for name in PRICES:
        places = decimals if name == "adj_close" else 4
        bars[name] = [round(x * price / 50, places) for x in bars[name]]
    bars["low"] = [min(x) for x in zip(bars["low"], bars["close"], strict=True)]
    bars["high"] = [max(x) for x in zip(bars["high"], bars["close"], strict=True)]
    found = used(bars)
    assert [note for note in found.notes if "come to" not in note] == []
    assert (len(found.notes), found.flags) == (int(share * N > 0.2 * every), ())


def test_a_large_dividend_that_nobody_states_is_let_through_where_the_price_fell() -> None:
    bars = walk()
    for name in ("open", "high", "low", "close"):
        bars[name][200:] = [x * 0.85 for x in bars[name][200:]]
    bars["adj_close"][:200] = [x * 0.85 for x in bars["adj_close"][:200]]
    bars["adj_close"][200:] = bars["close"][200:]
    assert "taken for a split or a dividend" in used(bars).notes[0]


def test_a_split_that_only_the_closes_show_is_said() -> None:
    for by in (0.5, 0.1, 10.0, 2 / 3):
        bars = walk()
        for name in ("open", "high", "low", "close"):
            bars[name][200:] = [x * by for x in bars[name][200:]]
        note = f"the price changed by a factor of {by:.4g} on {DAYS[200]} and the adjusted close did not"
        assert used(bars).notes[0].startswith(note)
        for name in ("open", "high", "low", "close"):
            bars[name][203:] = [x / by for x in bars[name][203:]]
        with pytest.raises(TickerFailure, match=f"on {DAYS[200]} .*and back on {DAYS[203]}"):
            used(bars)


def test_a_close_in_other_units_than_its_adjusted_close_is_no_split() -> None:
    bars = walk()
    for name in ("open", "high", "low", "close"):
        bars[name][-3:] = [x * 100 for x in bars[name][-3:]]
    with pytest.raises(TickerFailure, match=f"on {DAYS[-3]} .*in other units"):
        used(bars)


# dividends of a year


def paying(days_paid: list[int], amount: float, falls: bool, *, stated: bool, trend: float = 0.0) -> dict[str, Any]:
    """Bars whose adjusted closes know a dividend on each of these days, by which the price fell or did not."""
    bars = walk()
    if trend:
        for name in PRICES:
            bars[name] = [x * (1 + trend) ** at for at, x in enumerate(bars[name])]
    for at in days_paid if falls else []:
        for name in ("open", "high", "low", "close"):
            bars[name][at:] = [x * (1 - amount / 50) for x in bars[name][at:]]
    bars["adj_close"] = list(bars["close"])
    for at in days_paid:
        share = amount / 50 if falls else amount / bars["close"][at - 1]
        bars["adj_close"][:at] = [x * (1 - share) for x in bars["adj_close"][:at]]
    if stated:
        paid = [amount * bars["close"][at - 1] / 50 if falls else amount for at in days_paid]
        told = zip(days_paid, paid, strict=True)
        bars["actions"] = [{"day": DAYS[at], "kind": "dividend", "value": value} for at, value in told]
    return bars


INVENTED: dict[str, tuple[list[int], float]] = {
    "a-yearly-sum-each-day": (list(range(1, N)), 0.24),
    "sixty-days": (list(range(N - 60, N)), 1.15),
    "each-fourth-day": (list(range(4, N, 4)), 3.5),
    "each-tenth-day": (list(range(20, N, 10)), 1.0),
    "once": ([N - 60], 16.0),
    "each-quarter": ([80, 140, 200, 260], 4.0),
}


@pytest.mark.parametrize("case", INVENTED)
@pytest.mark.parametrize("stated", [True, False])
@pytest.mark.parametrize("trend", [0.0, 0.001])
def test_dividends_that_come_to_much_within_a_year_must_be_in_the_closes(case: str, stated: bool, trend: float) -> None:
    at, amount = INVENTED[case]
    with pytest.raises(TickerFailure, match=r"ACME: (dividends of .* days? come to|adjusted closes change against)"):
        used(paying(at, amount, falls=False, stated=stated, trend=trend))


@pytest.mark.parametrize("at", [list(range(1, N)), list(range(N - 60, N))], ids=["all", "a-quarter"])
def test_dividends_of_every_day_are_none_even_where_the_price_falls(at: list[int]) -> None:
    with pytest.raises(TickerFailure, match=r"ACME: dividends of .* days of a quarter"):
        used(paying(at, 0.5, falls=False, stated=True, trend=-0.006))


@pytest.mark.parametrize(
    ("at", "amount", "said"),
    [
        (list(range(5, N, 5)), 0.75, 1),
        (list(range(21, N, 21)), 1.1, 1),
        ([70, 133, 196, 259], 3.0, 1),
        ([200], 15.0, 1),
        ([200], 1.1, 0),
        (list(range(63, N, 63)), 0.4, 0),
    ],
)
def test_dividends_that_the_price_fell_by_are_used_and_said_where_they_are_many(
    at: list[int], amount: float, said: int
) -> None:
    found = used(paying(at, amount, falls=True, stated=True))
    assert sum("come to" in note for note in found.notes) == said
    assert len(found.notes) == said


# stated splits


@pytest.mark.parametrize("ratio", [5 / 4, 4 / 3, 3 / 2, 2.0, 10.0, 0.1, 0.8])
def test_a_stated_split_that_the_adjusted_closes_do_not_know_is_repaired(ratio: float) -> None:
    bars = walk()
    scaled(1 / ratio, slice(200, None), volume=ratio)(bars)
    bars["actions"] = [{"day": DAYS[200], "kind": "split", "value": ratio}]
    found = used(bars)
    assert found.notes == (f"adjusted closes before {DAYS[200]} did not know its split of {ratio:g}: adjusted",)
    assert found.bars.adj_close == pytest.approx([x / ratio for x in walk()["close"]])


@pytest.mark.parametrize("ratio", [1.02, 1.05, 5 / 4, 4 / 3, 3 / 2, 2.0, 0.1])
def test_a_stated_split_that_is_in_the_prices_already_changes_nothing(ratio: float) -> None:
    split = [{"day": DAYS[200], "kind": "split", "value": ratio}]
    assert used({**walk(), "actions": split}).bars.adj_close == tuple(walk()["adj_close"])
    whole = walk()
    scaled(ratio, slice(0, 200), "open", "high", "low", "close", volume=1 / ratio)(whole)
    assert used({**whole, "actions": split}).notes == (), "as traded, and known to the adjusted closes"


@pytest.mark.parametrize("ratio", [5 / 4, 3 / 2, 2.0, 4.0, 0.1])
def test_a_stated_split_that_is_taken_out_twice_is_refused(ratio: float) -> None:
    bars = {**adjusted(stepped(200, 1 / ratio)), "actions": [{"day": DAYS[200], "kind": "split", "value": ratio}]}
    with pytest.raises(TickerFailure, match=rf"on {DAYS[200]}"):
        used(bars)


def moved(at: int, market: float, by: float = 1.0) -> dict[str, Any]:
    """Bars of which one day's market is this, and whose closes before it, not the adjusted ones, are times a factor."""
    bars = walk()
    ahead = bars["close"][at] / bars["close"][at - 1]
    for name in PRICES:
        bars[name][at:] = [x * (1 + market) / ahead for x in bars[name][at:]]
    for name in ("open", "high", "low", "close"):
        bars[name][:at] = [x * by for x in bars[name][:at]]
    return bars


@pytest.mark.parametrize("ratio", [11 / 10, 6 / 5, 5 / 4, 0.9, 0.8])
@pytest.mark.parametrize("share", [-0.7, -0.3, 0.0, 0.3, 0.55, 0.7])
def test_a_small_stated_split_is_known_whatever_the_market_did_that_day(ratio: float, share: float) -> None:
    bars = moved(200, ratio**share - 1, ratio)
    adj = tuple(bars["adj_close"])
    found = used({**bars, "actions": [{"day": DAYS[200], "kind": "split", "value": ratio}]})
    assert found.bars.adj_close == adj
    assert sum("is too small to tell" in note for note in found.notes) == (share > 0.5)


@pytest.mark.parametrize("ratio", [11 / 10, 6 / 5, 5 / 4, 0.9, 0.8, 1.5])
@pytest.mark.parametrize("share", [0.9, 0.0, -0.2])
def test_a_small_stated_split_that_is_taken_out_twice_is_refused(ratio: float, share: float) -> None:
    bars = moved(200, ratio**share - 1)
    bars["adj_close"][:200] = [x / ratio for x in bars["adj_close"][:200]]
    with pytest.raises(TickerFailure, match=f"on {DAYS[200]}, the day of a split of .*, which the closes do not show"):
        used({**bars, "actions": [{"day": DAYS[200], "kind": "split", "value": ratio}]})


# splits and dividends that nobody states


@pytest.mark.parametrize(
    ("ratio", "market"),
    [
        *[(ratio, market) for ratio in (9 / 10, 4 / 5, 3 / 4) for market in (0.0, -0.02, 0.02)],
        *[(1 / 1.11, market) for market in (-0.06, 0.0, 0.06)],
        *[(0.91, market) for market in (-0.06, 0.0, 0.06)],
        (4 / 5, 0.08),
    ],
)
def test_a_step_that_nobody_states_is_used_where_the_price_explains_it(ratio: float, market: float) -> None:
    """Ratios below 1 are shares that became fewer, those above a rights issue or a special dividend."""
    for at, by in ((200, ratio), (N - 1, ratio)):
        bars = moved(at, market, 1 / by if ratio in {1 / 1.11, 0.91} or market == 0.08 else by)
        adj = tuple(bars["adj_close"])
        found = used(bars)
        assert found.bars.adj_close == adj
        assert any(f"on {DAYS[at]} and the adjusted close did not: taken for" in note for note in found.notes)


@pytest.mark.parametrize("by", [0.8, 0.9, 1.1, 1.2, 1.25])
@pytest.mark.parametrize("market", [0.0, -0.015, 0.015])
def test_a_step_that_a_flat_close_does_not_show_is_refused(by: float, market: float) -> None:
    bars = moved(200, market)
    bars["adj_close"][200:] = [x * by for x in bars["adj_close"][200:]]
    with pytest.raises(TickerFailure, match=f"by a factor of {by:.4g} on {DAYS[200]} .*does not explain it"):
        used(bars)


@pytest.mark.parametrize("length", [1, 2, 3, 5, 20])
@pytest.mark.parametrize("to", [150, N])
def test_an_adjusted_close_that_stands_still_is_no_reverse_split(length: int, to: int) -> None:
    """Wherever it is, so that the days it stands still on rise and fall as they do."""
    for end in range(to - 12, to + 1):
        bars = walk()
        first = end - length
        bars["adj_close"][first:end] = [bars["adj_close"][first - 1]] * length
        rises = [b / a - 1 for a, b in zip(bars["close"][first - 1 : end], bars["close"][first:end], strict=False)]
        if max(rises) > 0.01:
            with pytest.raises(TickerFailure, match="adjusted closes change against the closes"):
                used(bars)


# dividends under the day of payment


@pytest.mark.parametrize("later", [1, 5, 20, 25])
@pytest.mark.parametrize("amount", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("every", [N, 63, 21])
def test_a_dividend_stated_on_the_day_of_payment_is_not_counted_twice(later: int, amount: float, every: int) -> None:
    at = list(range(40, N - 30, every))
    amount = min(amount, 10 / len(at))
    bars = paying(at, amount, falls=True, stated=True)
    adj = tuple(bars["adj_close"])
    for one, first in zip(bars["actions"], at, strict=True):
        one["day"] = DAYS[first + later]
    found = used(bars)
    assert found.bars.adj_close == adj
    assert sum(f"adjusted closes know on {DAYS[one]}: not" in note for note in found.notes for one in at) == len(at)


def test_a_dividend_that_the_adjusted_closes_do_not_know_is_not_taken_for_one_that_is_stated() -> None:
    """The older of two of the same amount, known and stated, says nothing of the newer."""
    bars = paying([100, 121], 1.0, falls=True, stated=True)
    price = bars["close"][120]
    bars["adj_close"][:121] = [x / (1 - 1.0 / 50) for x in bars["adj_close"][:121]]
    found = used(bars)
    assert [note for note in found.notes if "did not know it" in note] == [*found.notes]
    assert found.bars.adj_close[120] == pytest.approx(price * (1 - 1.0 / 50))


# real columns


def test_packaged_prices_are_used_over_their_whole_length() -> None:
    """Of Microsoft a split of 2003 and a dividend of a tenth of 2004 are in the adjusted closes alone."""
    source = PackagedSource()
    for symbol, splits in (("AAPL", 2), ("IBM", 0), ("MSFT", 2), ("GOOG", 0)):
        params = {"symbol": symbol, "as_of": "2013-03-01", "sessions": "5000"}
        bars = Bars.model_validate_json(json.dumps(source.fetch("bars", params)))
        found = checked(bars, symbol, bars.days[-1])
        assert sum("taken for a split" in note for note in found.notes) == splits
        assert found.bars.adj_close == bars.adj_close


@needs_prices
@pytest.mark.parametrize("symbol", ["SPY", "TLT", "HYG", "GLD"])
def test_real_funds_are_used_on_every_night(symbol: str) -> None:
    source = source_of(FOLDERS / "etf_crypto", header_rows=3)
    for day in fetched(source, symbol, "2030-01-01", 5000).days[1::97]:
        found = judged(source, symbol, day.isoformat())
        assert isinstance(found, Checked), found
        assert not any("taken for a split" in note for note in found.notes)
