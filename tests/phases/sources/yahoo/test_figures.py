"""Figures of Yahoo: known that night, typed, in one currency, and absent where they are no numbers."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from phases.core.errors import NoData, SourceDown
from phases.evidence.fundamentals import fundamental_items
from schemas.market import Bars, Evidence, Fundamentals, Missing
from tests.phases.sources.yahoo import server as served
from tests.phases.sources.yahoo.asked import DAY, LIVE, STOCK, Make, figures, needs_shared, told_of, values
from tests.phases.sources.yahoo.server import YahooServer, as_json, captured, chart, modules


def test_info_becomes_figures_of_ours_known_that_night(server: YahooServer, source: Make) -> None:
    told = told_of(server, source)
    assert {one.name: one.value for one in told.figures} == LIVE
    assert {one.known for one in told.figures} == {DAY}
    assert (told.kind, told.currency) == ("stock", "USD")
    assert any("ebitda (ebitda)" in note for note in told.notes)


def test_f130_what_is_known_only_now_is_not_told_of_an_earlier_day(server: YahooServer, source: Make) -> None:
    told_of(server, source)
    told = figures(source(), as_of=DAY - timedelta(days=1))
    assert told.figures == () and "5 figures that were known only after 2024-06-27 are left out" in told.notes
    monday = datetime(2024, 7, 1, 15, 0, tzinfo=UTC)  # the market is open again
    assert figures(source(monday)).figures == ()
    assert figures(source(datetime(2024, 6, 30, 12, 0, tzinfo=UTC))).figures != ()


@needs_shared
@pytest.mark.parametrize(
    "name",
    [
        "AAPL_2025-12",
        *(f"{one}_2026-06" for one in ("AAPL", "AMD", "AMZN", "GOOGL", "INTC", "META", "MSFT", "NVDA", "TSLA")),
    ],
)
def test_real_infos_give_typed_figures(server: YahooServer, source: Make, name: str) -> None:
    info = captured(f"info/{name}.json")
    symbol = name.partition("_")[0]
    server.infos[symbol] = modules(info)
    told = figures(source(), symbol)
    found = values(told) | {one.name: one.value for one in told.figures}
    assert (told.kind, told.currency, found["market_cap"]) == ("stock", "USD", info["marketCap"])
    assert found["free_cash_flow"] == info["freeCashflow"] and found["gross_margin"] == info["grossMargins"]
    lacking = {"trailing_pe"} if symbol == "INTC" else set()
    assert ("trailing_pe" in found) == (not lacking) and 0.0 not in found.values()
    assert len(told.earnings) >= 1
    assert bool(lacking) == any("trailing_pe (trailingPE)" in note for note in told.notes)
    _check_items(told, info["currentPrice"], info["currency"])


def _check_items(told: Fundamentals, price: float, currency: str) -> None:
    """No real figure is beyond its limits, and the market value is that of shares and price."""
    evidence, missing = _items(told, price, currency)
    assert {"fa.market_cap", "fa.gross_margin", "fa.roe"} <= {one.id for one in evidence}
    assert not [one for one in missing if "can" in one.reason.split() or "unit" in one.reason]
    assert not [one for one in missing if "by definition" in one.reason]


def _items(told: Fundamentals, price: float, currency: str) -> tuple[list[Evidence], list[Missing]]:
    columns = dict.fromkeys(("open", "high", "low", "close", "adj_close", "volume"), (price,))
    bars = Bars(symbol=told.symbol, currency=currency, exchange="XNYS", days=(DAY,), **columns)
    return fundamental_items(told, bars, DAY, "yahoo")


MULTIPLES = {
    "trailingPE": "pe_trailing",
    "forwardPE": "pe_forward",
    "priceToBook": "pb",
    "enterpriseToEbitda": "ev_ebitda",
}


@needs_shared
@pytest.mark.parametrize("key", MULTIPLES)
@pytest.mark.parametrize("times", [100, 10, 3, 1 / 3, 0.1, 0.01])
def test_a_multiple_that_its_own_answer_contradicts_is_missing(
    server: YahooServer, source: Make, key: str, times: float
) -> None:
    info = captured("info/AAPL_2025-12.json")
    for factor in (1.0, times):
        server.infos["AAPL"] = modules({**info, key: info[key] * factor})
        evidence, missing = _items(figures(source()), info["currentPrice"], "USD")
        assert {one.id for one in missing} == {"fa.earnings_days"} | (
            {f"fa.{MULTIPLES[key]}"} if factor != 1 else set()
        )
        assert len(evidence) == 13 - (factor != 1)
    told = next(one.reason for one in missing if one.id == f"fa.{MULTIPLES[key]}")
    assert f"{info[key] * times:g} of " in told and ("by definition" in told or "100 times" in told)


@pytest.mark.parametrize(
    ("gone", "instead"),
    [
        ("marketCap", "mktCap"),
        ("currency", "ccy"),
        ("quoteType", "type"),
        ("freeCashflow", "free_cash_flow"),
        ("trailingPE", "trailingPe"),
    ],
)
def test_d7_a_renamed_key_is_named_and_never_0(server: YahooServer, source: Make, gone: str, instead: str) -> None:
    with pytest.raises(SourceDown, match=rf"but not {gone}; its shape has changed"):
        told_of(server, source, **{gone: "gone", instead: STOCK[gone]})


def test_d12_a_null_figure_degrades_that_figure_alone(server: YahooServer, source: Make) -> None:
    told = told_of(server, source, freeCashflow=None)
    assert {one.name: one.value for one in told.figures} == {k: v for k, v in LIVE.items() if k != "free_cash_flow"}
    assert any("free_cash_flow (freeCashflow)" in note for note in told.notes)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), "Infinity", "N/A", "", True, {}], ids=repr)
def test_f132_what_is_no_number_is_absent(server: YahooServer, source: Make, value: Any) -> None:
    told = told_of(server, source, trailingPE=value, marketCap=value, profitMargins=value)
    assert {one.name for one in told.figures} == {"shares", "free_cash_flow"}


def test_f133_a_price_in_pence_is_never_divided_by_pounds(server: YahooServer, source: Make) -> None:
    london = {"currency": "GBp", "financialCurrency": "GBP", "currentPrice": 309.0}
    told = told_of(
        server,
        source,
        "OCDO.L",
        **london,
        bookValue=1.668,
        priceToBook=185.25,
        trailingEps=0.26,
        trailingPE=11.9,
        forwardPE=-860.2,
    )
    found = {one.name: one.value for one in told.figures}
    assert (told.currency, found["market_cap"]) == ("GBP", 3e9)
    assert found["price_to_book"] == pytest.approx(1.8525) and found["trailing_pe"] == 11.9
    assert "forward_pe" not in found
    assert {note.partition(":")[0] for note in told.notes} >= {"price_to_book", "forward_pe left out"}


def test_f133_market_value_in_another_currency_than_the_statements_is_left_out(
    server: YahooServer, source: Make
) -> None:
    told = told_of(server, source, "SHEL.L", currency="GBp", financialCurrency="USD", enterpriseToEbitda=4.0)
    assert told.currency == "USD"
    assert {one.name for one in told.figures} == {"shares", "free_cash_flow", "net_margin"}
    assert any(note.startswith("market_cap left out: market value is in GBP") for note in told.notes)


@needs_shared
@pytest.mark.parametrize(
    ("name", "kind", "currency"),
    [
        ("ADH", "fund", None),
        ("QQQ", "fund", "USD"),
        ("BTC-USD", "crypto", "USD"),
        ("EURUSD=X", "currency", "USD"),
        ("WSKT.JK", "fund", "IDR"),
        ("BFLY", "stock", "USD"),
        ("OCDO.L", "stock", "GBP"),
        ("ORSTED.CO", "stock", "DKK"),
    ],
)
def test_real_summaries_give_the_right_kind(
    server: YahooServer, source: Make, name: str, kind: str, currency: str | None
) -> None:
    server.infos[name] = served.recorded(f"quote_summary/quoteSummary-all-{name}.json")
    told = figures(source(), name)
    assert (told.kind, told.currency) == (kind, currency)
    assert bool(told.figures) == (kind == "stock")


@needs_shared
def test_no_figures_at_all_still_say_what_the_symbol_is(server: YahooServer, source: Make) -> None:
    server.infos["WSKT.JK"] = served.recorded("quote_summary/quoteSummary-financialData-WSKT.JK.json")
    with pytest.raises(NoData):
        figures(source(), "WSKT.JK")
    server.charts["WSKT.JK"] = chart(
        "WSKT.JK", served.weekdays(DAY, 9), [202.0] * 9, meta={"instrumentType": "MUTUALFUND"}
    )
    told = figures(source(), "WSKT.JK")
    assert (told.kind, told.figures) == ("fund", ())
    assert "yahoo knows no figures of WSKT.JK" in told.notes[0]


@needs_shared
def test_statements_are_known_a_lag_after_their_quarter(server: YahooServer, source: Make) -> None:
    told_of(server, source, lastFiscalYearEnd=1695945600)
    server.statements["AAPL"] = served.recorded(
        "fundamentals_timeseries/fundamentalsTimeSeries-AAPL-financials-quarterly.json"
    )
    then = datetime(2025, 3, 3, 22, 0, tzinfo=UTC)
    found = {
        one.ended: one
        for one in figures(source(then), as_of=date(2025, 2, 3)).figures
        if one.name == "revenue" and one.period == "quarter"
    }
    assert {day.isoformat(): (one.known.isoformat(), one.value) for day, one in found.items()} == {
        "2024-03-31": ("2024-06-14", 90_753_000_000),
        "2024-06-30": ("2024-09-13", 85_777_000_000),
        "2024-09-30": ("2025-01-08", 94_930_000_000),  # the quarter that ends the year: 100 days
    }


@needs_shared
def test_a_stock_without_statements_has_none_and_says_so(server: YahooServer, source: Make) -> None:
    empty = captured("fundamentals_timeseries/fundamentalsTimeSeries-BTC-USD-financials-quarterly.json")["response"]
    for one in empty["bodyJson"]["timeseries"]["result"]:
        one["meta"]["symbol"] = ["AAPL"]
    server.statements["AAPL"] = as_json(empty["bodyJson"])
    told = told_of(server, source)
    assert {one.name: one.value for one in told.figures} == LIVE
    assert {f"Yahoo has no quarterly {one}" for one in ("income statement", "balance sheet")} <= set(told.notes)


ROW = "<tr><td>AAPL</td><td>Apple</td><td>{} at 4 PM EDT</td><td>1</td><td>1.1</td><td>+3</td></tr>"
TABLE = (
    "<table><tr>"
    + "".join(
        f"<th>{name}</th>"
        for name in ("Symbol", "Company", "Earnings Date", "EPS Estimate", "Reported EPS", "Surprise (%)")
    )
    + "</tr>"
    + ROW.format("July 25, 2024")
    + ROW.format("May 2, 2024")
    + "</table>"
)


def test_earnings_days_are_those_known_by_then(server: YahooServer, source: Make) -> None:
    server.earnings["AAPL"] = TABLE
    assert told_of(server, source).earnings == (date(2024, 5, 2), date(2024, 7, 25))
    assert figures(source(), as_of=date(2024, 6, 3)).earnings == (date(2024, 5, 2),)
    server.earnings["AAPL"] = "<table><tr><th>What</th></tr><tr><td>1</td></tr></table>"
    told = told_of(server, source, earningsTimestamp=1714680000)
    assert told.earnings == (date(2024, 5, 2),)
    assert any("page of earnings dates could not be read" in note for note in told.notes)


@pytest.mark.parametrize("key", ["earningsTimestamp", "mostRecentQuarter", "lastFiscalYearEnd"])
@pytest.mark.parametrize(
    "value", [1790000000000, -1e12, 10**400, 1e300, "x", True, [1], {"a": 1}], ids=lambda one: repr(one)[:20]
)
def test_a_moment_that_cannot_be_costs_itself_alone_and_is_named(
    server: YahooServer, source: Make, key: str, value: Any
) -> None:
    server.earnings["AAPL"] = TABLE
    told = told_of(server, source, **{key: value})
    assert {one.name: one.value for one in told.figures} == LIVE
    assert told.earnings == (date(2024, 5, 2), date(2024, 7, 25))
    assert any(note.startswith(f"{key} is ") and note.endswith("no moment in seconds; left out") for note in told.notes)


def test_a_figure_that_no_float_holds_is_absent(server: YahooServer, source: Make) -> None:
    told = told_of(server, source, freeCashflow=10**400)
    assert {one.name: one.value for one in told.figures} == {k: v for k, v in LIVE.items() if k != "free_cash_flow"}
