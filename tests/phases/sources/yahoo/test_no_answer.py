"""What is no answer of Yahoo's: nothing, pages, other symbols, renamed columns, a server that drips."""

from __future__ import annotations

import json
import re
import time
from datetime import date
from typing import Any

import pandas as pd
import pytest

from phases.core.errors import NoData, SourceDown, Unanswered
from phases.sources.yahoo import YahooSource
from phases.sources.yahoo.bars import _rows
from schemas.settings import SourceSettings
from tests.phases.sources.yahoo import server as served
from tests.phases.sources.yahoo.asked import DAY, NOW, Make, bars, figures
from tests.phases.sources.yahoo.server import YahooServer, as_json, chart, page, rising


def empty(symbol: str, error: Any = None) -> Any:
    return as_json(
        {"chart": {"result": [{**chart(symbol, [], []), "timestamp": []}] if error is None else None, "error": error}}
    )


@pytest.mark.parametrize("shape", ["columns", "no columns", "no result"])
def test_f114_nothing_without_a_reason_is_not_called_delisted(server: YahooServer, source: Make, shape: str) -> None:
    told = chart("X", [], [])
    if shape == "no columns":
        told = {"meta": told["meta"], "indicators": {"quote": [{}], "adjclose": [{}]}}
    meta = as_json({"chart": {"result": [told], "error": None}})
    nothing = as_json({"chart": {"result": [], "error": None}})
    turns = iter((meta, nothing if shape == "no result" else meta))
    server.faults["X"] = lambda path: next(turns)
    with pytest.raises(Unanswered, match="the cause is not known") as caught:
        bars(source(), "X")
    assert "delisted" not in str(caught.value) and caught.value.status == "no_data"


def test_an_unknown_symbol_is_known_to_be_unknown_after_one_request(server: YahooServer, source: Make) -> None:
    for symbol, words in (("NOSUCH", "yahoo knows no prices of NOSUCH"), ("US0378331005", "an ISIN")):
        with pytest.raises(NoData, match=words):
            bars(source(), symbol)
    assert len(server.about("NOSUCH")) == 1 and server.about("US0378331005") == []


def test_no_bar_yet_is_no_data(server: YahooServer, source: Make) -> None:
    server.charts["NEW"] = rising("NEW", DAY, 10)
    with pytest.raises(NoData, match="no bar of NEW up to 2024-06-05; its first is of 2024-06-17"):
        bars(source(), "NEW", date(2024, 6, 5))


CUT = json.dumps({"chart": {"result": [rising("AAPL", DAY, 50)]}}).encode()
DOWN = {"code": "Internal Server Error", "description": "try later"}
LENGTH = {"content-type": "application/json", "content-length": str(len(CUT)), "connection": "close"}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (page("<!DOCTYPE html><html>Oops</html>"), "is not an answer: status 200, text/html, begins '<!DOCTYPE"),
        (page("<html>busy</html>", 404), "is not an answer: status 404"),
        (page("<html>gone</html>", 503), "yahoo answered 503 about AAPL"),
        (as_json({"chart": {"result": None, "error": DOWN}}, 500), "yahoo answered 500 about AAPL"),
        (as_json({"chart": {"result": None, "error": DOWN}}), "Internal Server Error: try later"),
        ((200, {"content-type": "application/json"}, CUT[:900]), "is not an answer"),
        ((200, LENGTH, CUT[:900]), "cannot be reached for AAPL"),
        (served.TOO_MANY, "yahoo is rate limited: it refused AAPL"),
        (
            as_json(
                {"finance": {"result": None, "error": {"code": "Unauthorized", "description": "Invalid Cookie"}}}, 401
            ),
            "yahoo answered 401 about AAPL",
        ),
        ((302, {"location": "http://consent.yahoo.com/v2/collectConsent?x=1"}, b""), "is not an answer"),
    ],
    ids=["html", "html-404", "html-503", "json-500", "error-200", "cut-json", "half-body", "429", "401", "consent"],
)
def test_what_is_no_answer_says_so_and_is_tried_again(
    server: YahooServer, source: Make, answer: served.Answer, words: str
) -> None:
    server.charts["AAPL"] = rising("AAPL", DAY)
    server.faults["AAPL"] = lambda path: answer
    with pytest.raises(SourceDown, match=re.escape(words)):
        bars(source(retries=1))
    tries = len(server.about("AAPL"))
    assert tries >= 2
    left = [answer] * 2
    server.faults["AAPL"] = lambda path: left.pop() if left else None
    assert bars(source(retries=2)).days[-1] == DAY


def test_no_name_and_no_server_are_told_from_an_empty_market(
    server: YahooServer, source: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    with YahooServer() as gone:
        pass
    with pytest.raises(SourceDown, match="yahoo cannot be reached for AAPL"):
        bars(YahooSource(SourceSettings(name="yahoo", proxy=gone.url, deadline_seconds=10), lambda: NOW))
    from curl_cffi import requests

    real = requests.Session.request

    def nowhere(self: Any, method: str, url: str, **rest: Any) -> Any:
        return real(self, method, url.replace(".yahoo.com", ".yahoo.invalid"), **rest)

    monkeypatch.setattr(requests.Session, "request", nowhere)
    with pytest.raises(SourceDown, match="yahoo cannot be reached for AAPL: DNSError"):
        bars(YahooSource(SourceSettings(name="yahoo", deadline_seconds=10), lambda: NOW))


def test_a_wait_yahoo_asks_for_is_kept_to_or_the_question_ends(server: YahooServer, source: Make) -> None:
    server.charts["AAPL"] = rising("AAPL", DAY)
    server.faults["AAPL"] = lambda path: (429, {"retry-after": "600"}, b"")
    with pytest.raises(SourceDown, match="rate limited"):
        bars(source(retries=5))
    assert len(server.about("AAPL")) == 2  # the library's own second look, and no third


def test_a_dripping_server_cannot_hold_a_question(server: YahooServer, source: Make) -> None:
    for dripping in ("chart", "/"):
        server.faults["*"] = lambda path, part=dripping: (200, {"drip": "yes"}, b"") if part in path else None
        begun = time.monotonic()
        with pytest.raises(SourceDown, match="AAPL"):
            bars(source(deadline_seconds=0.5))
        assert time.monotonic() - begun < 8  # the library itself would wait for 10 seconds and more


def test_f134_an_answer_about_another_symbol_is_refused(server: YahooServer, source: Make) -> None:
    server.charts["SPY"] = rising("GOOGL", DAY)
    with pytest.raises(Unanswered, match="yahoo answered about GOOGL when SPY was asked"):
        bars(source(), "SPY")
    server.infos["SPY"] = {"quoteType": {"quoteType": "ETF", "symbol": "GOOGL"}}
    with pytest.raises(Unanswered, match="about GOOGL when SPY"):
        figures(source(), "SPY")


@pytest.mark.parametrize(("name", "to"), [("close", "closing"), ("volume", "vol")])
def test_f126_renamed_columns_are_named_with_the_version(server: YahooServer, source: Make, name: str, to: str) -> None:
    told = rising("AAPL", DAY)
    quote = told["indicators"]["quote"][0]
    quote[to] = quote.pop(name)
    server.charts["AAPL"] = told
    with pytest.raises(SourceDown, match=rf"columns .*{to}.* but not {name}.*yfinance \d") as caught:
        bars(source())
    assert "open" in str(caught.value) and len(server.about("AAPL")) == 1


@pytest.mark.parametrize("columns", [["Open", "Price"], pd.MultiIndex.from_product([["Close", "Open"], ["AAPL"]])])
def test_f126_columns_of_the_library_are_looked_at_too(columns: Any) -> None:
    frame = pd.DataFrame([[1.0, 2.0]], columns=columns, index=pd.DatetimeIndex(["2024-06-28"]))
    with pytest.raises(SourceDown, match=r"columns .*Open.* but not Adj Close.*yfinance \d"):
        _rows(frame, "AAPL")
