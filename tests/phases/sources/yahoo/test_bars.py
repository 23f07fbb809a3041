"""Bars of Yahoo: prices as they were traded, days without a price, and every symbol under its own name."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from phases.sources.symbols import yahoo_symbol
from tests.phases.sources.yahoo import server as served
from tests.phases.sources.yahoo.asked import DAY, IDENTITIES, Make, bars
from tests.phases.sources.yahoo.server import YahooServer, chart, rising


def test_bars_of_a_symbol_are_those_of_the_last_sessions(server: YahooServer, source: Make) -> None:
    server.charts["AAPL"] = rising("AAPL", DAY + timedelta(days=10))
    found = bars(source(), sessions=280)
    assert (found.symbol, found.currency, found.exchange, len(found.days)) == ("AAPL", "USD", "XNYS", 280)
    assert (found.days[-1], found.notes) == (DAY, ())
    at = server.charts["AAPL"]["timestamp"].index(int(datetime(2024, 6, 28, 14, 30, tzinfo=UTC).timestamp()))
    assert found.close[-1] == server.charts["AAPL"]["indicators"]["quote"][0]["close"][at]
    assert bars(source(), as_of=DAY + timedelta(days=3)).days[-1] == DAY + timedelta(days=3)


def test_prices_are_as_they_were_traded_whatever_splits_came_later(server: YahooServer, source: Make) -> None:
    days = served.weekdays(date(2024, 7, 12), 40)
    split, paid = date(2024, 6, 20), date(2024, 6, 14)
    adjusted = [10.0 if day < split else 11.0 for day in days]
    server.charts["X"] = chart("X", days, adjusted, splits={split: 4.0}, dividends={paid: 0.25}, volume=[800] * 40)
    before = bars(source(), "X", date(2024, 6, 18))
    assert (set(before.close), set(before.volume), set(before.adj_close)) == ({40.0}, {200.0}, {10.0})
    assert [(one.day, one.kind, one.value) for one in before.actions] == [(paid, "dividend", 1.0)]
    over = bars(source(), "X", date(2024, 6, 21))
    assert over.close[-5:] == (40.0, 40.0, 40.0, 11.0, 11.0)
    assert [(one.day, one.kind, one.value) for one in over.actions] == [(split, "split", 4.0)]


def test_f116_the_newest_bar_without_prices_is_left_out_and_its_date_said(server: YahooServer, source: Make) -> None:
    days = served.weekdays(DAY, 8)
    closes: list[float | None] = [10.0, 11.0, 12.0, None, 14.0, 15.0, 16.0, None]
    server.charts["X"] = chart("X", days, closes, volume=[6527, 6527, 6527, 0, 6527, 6527, 6527, 6527])
    found = bars(source(), "X")
    assert found.close == (11.0, 12.0, 14.0, 15.0, 16.0) and found.days[-1] == days[-2]
    assert found.notes == (f"bars without a price left out: {days[3]}, {days[7]}",)


def test_a_bar_of_a_session_that_is_still_traded_is_left_out(server: YahooServer, source: Make) -> None:
    end = int(datetime(2024, 6, 28, 20, 0, tzinfo=UTC).timestamp())
    period = {"timezone": "EDT", "gmtoffset": -14400, "start": end - 23400, "end": end}
    days = served.weekdays(DAY, 8)
    server.charts["X"] = chart("X", days, [10.0] * 8, meta={"currentTradingPeriod": {"regular": period}})
    early = bars(source(datetime(2024, 6, 28, 18, 0, tzinfo=UTC)), "X")
    assert early.days[-1] == days[-2] and "had not ended" in early.notes[0]
    assert bars(source(), "X").days[-1] == DAY


def test_pence_and_other_exchanges_are_said_as_they_are(server: YahooServer, source: Make) -> None:
    server.charts["SHEL.L"] = chart("SHEL.L", served.weekdays(DAY, 8), [2800.0] * 8)
    elsewhere = {"exchangeName": "CPH", "exchangeTimezoneName": "Europe/Copenhagen"}
    server.charts["^X"] = chart("^X", served.weekdays(DAY, 8), [28.0] * 8, meta=elsewhere)
    assert (bars(source(), "SHEL.L").currency, bars(source(), "SHEL.L").exchange) == ("GBp", "XLON")
    said = "Yahoo lists it at 'CPH' (Europe/Copenhagen); its days are taken for those of XNYS, as its symbol says"
    assert said in bars(source(), "^X").notes and not bars(source(), "SHEL.L").notes


def test_f156_every_symbol_keeps_its_identity(server: YahooServer, source: Make) -> None:
    server.charts |= {yahoo_symbol(one): rising(yahoo_symbol(one), DAY) for one in IDENTITIES}
    asked = source()
    found = {one: bars(asked, one) for one in IDENTITIES}
    assert {one: told.symbol for one, told in found.items()} == {one: one for one in IDENTITIES}
    assert found["BRK.B"].close == found["BRK-B"].close
    assert len({told.close for told in found.values()}) == len(IDENTITIES) - 1
    assert {found[one].exchange for one in ("0700.HK", "RELIANCE.NS", "BTC-USD")} == {"XHKG", "XBOM", "24/7"}
    assert all(told.days[-1] == DAY for told in found.values())


@pytest.mark.parametrize("value", [1718877600000, 10**40, "x", None, True])
@pytest.mark.parametrize("key", ["firstTradeDate", "regularMarketTime"])
def test_a_moment_of_the_metadata_costs_no_bar(server: YahooServer, source: Make, key: str, value: Any) -> None:
    server.charts["AAPL"] = rising("AAPL", DAY)
    expected = bars(source())
    server.charts["AAPL"]["meta"][key] = value
    assert bars(source()) == expected
