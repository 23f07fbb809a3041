"""Yahoo through the real library, against a server on the loopback that speaks Yahoo's formats."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from phases.core.errors import NoData, SourceDown, Unanswered, UsageError
from phases.core.runs import Runs
from phases.core.store import open_store
from phases.market_data import macro_snapshot
from phases.night import Finished, hold_night
from phases.plan import Words, plan, resume_plan
from phases.sources.symbols import yahoo_symbol
from phases.sources.yahoo import YahooSource
from phases.sources.yahoo.bars import _rows
from schemas.market import Bars, Fundamentals, News
from schemas.settings import SourceSettings
from tests.phases.sources import yahoo_server as served
from tests.phases.sources.yahoo_server import YahooServer, as_json, captured, chart, modules, page, rising
from tests.support import QUESTION, fetch_door, settings

requests = pytest.importorskip("curl_cffi.requests", reason="curl_cffi is not installed (extra `yahoo`)")
pytest.importorskip("yfinance", reason="yfinance is not installed (extra `yahoo`)")

needs_shared = pytest.mark.skipif(not served.YAHOO.is_dir(), reason="the shared data folder is not there")

DAY = date(2024, 6, 28)
NOW = datetime(2024, 6, 28, 22, 0, tzinfo=UTC)
"""An hour or two after the close in New York."""


@pytest.fixture(autouse=True)
def plain_http(monkeypatch: pytest.MonkeyPatch) -> None:
    served.plain_http(monkeypatch)


@pytest.fixture
def server() -> Iterator[YahooServer]:
    with YahooServer() as made:
        yield made


Make = Callable[..., YahooSource]


@pytest.fixture
def source(server: YahooServer) -> Make:
    """Makes the source for the server, at a moment."""

    def made(now: datetime = NOW, cache: Path | None = None, **more: Any) -> YahooSource:
        deadline = more.pop("deadline_seconds", 20)
        yahoo = {"cache": None if cache is None else str(cache), **more}
        given = {"name": "yahoo", "proxy": server.url, "deadline_seconds": deadline, "yahoo": yahoo}
        return YahooSource(SourceSettings.model_validate(given), lambda: now)

    return made


def bars(source: YahooSource, symbol: str = "AAPL", as_of: date = DAY, sessions: int = 5) -> Bars:
    params = {"symbol": symbol, "as_of": as_of.isoformat(), "sessions": str(sessions)}
    return Bars.model_validate_json(json.dumps(source.fetch("bars", params), allow_nan=False))


def figures(source: YahooSource, symbol: str = "AAPL", as_of: date = DAY) -> Fundamentals:
    answer = source.fetch("fundamentals", {"symbol": symbol, "as_of": as_of.isoformat()})
    return Fundamentals.model_validate_json(json.dumps(answer, allow_nan=False))


def headlines(source: YahooSource, symbol: str = "AAPL", as_of: date = DAY) -> News:
    answer = source.fetch("news", {"symbol": symbol, "as_of": as_of.isoformat()})
    return News.model_validate_json(json.dumps(answer, allow_nan=False))


def values(told: Fundamentals, *periods: str) -> dict[str, float]:
    """Figures by name, of these spans; without spans, all but those of quarterly statements."""
    return {
        one.name: one.value for one in told.figures if one.period in periods or (not periods and one.known > one.ended)
    }


# Bars


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


IDENTITIES = ("BRK-B", "BRK.B", "0700.HK", "SHEL.L", "RELIANCE.NS", "^GSPC", "BTC-USD", "CON", "TRUE", "NULL")


def test_f156_every_symbol_keeps_its_identity(server: YahooServer, source: Make) -> None:
    server.charts |= {yahoo_symbol(one): rising(yahoo_symbol(one), DAY) for one in IDENTITIES}
    asked = source()
    found = {one: bars(asked, one) for one in IDENTITIES}
    assert {one: told.symbol for one, told in found.items()} == {one: one for one in IDENTITIES}
    assert found["BRK.B"].close == found["BRK-B"].close
    assert len({told.close for told in found.values()}) == len(IDENTITIES) - 1
    assert {found[one].exchange for one in ("0700.HK", "RELIANCE.NS", "BTC-USD")} == {"XHKG", "XBOM", "24/7"}
    assert all(told.days[-1] == DAY for told in found.values())


# What is no answer


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
    with pytest.raises(SourceDown, match="yahoo cannot be reached for AAPL") as caught:
        bars(YahooSource(SourceSettings(name="yahoo", proxy=gone.url, deadline_seconds=10), lambda: NOW))
    assert isinstance(caught.value, SourceDown)
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


# Breaker, folder, library


def test_a_dead_source_is_taken_to_be_down_and_further_questions_fail_at_once(
    server: YahooServer, source: Make
) -> None:
    server.faults["*"] = lambda path: page("gone", 503)
    asked = source(retries=0, breaker=3)
    for symbol in ("A", "B", "C"):
        with pytest.raises(SourceDown, match=f"503 about {symbol}"):
            bars(asked, symbol)
    with pytest.raises(SourceDown, match="D was not asked for: yahoo is taken to be down after 3 failures in a row"):
        bars(asked, "D")
    assert server.about("D") == []


def test_questions_are_as_far_apart_as_the_settings_say(
    server: YahooServer, source: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("phases.sources.yahoo.client.pause", waits.append)
    monkeypatch.setattr("phases.sources.yahoo.client.ticks", lambda: 100.0)
    monkeypatch.setattr("phases.sources.yahoo.session.ticks", lambda: 100.0)
    server.charts["AAPL"] = rising("AAPL", DAY)
    asked = source(pause_seconds=7)
    for _ in range(3):
        bars(asked)
    assert waits == [7.0, 14.0]


def test_refusals_in_a_row_do_not_keep_the_others_from_their_answers(server: YahooServer, source: Make) -> None:
    server.charts["GOOD"] = rising("GOOD", DAY)
    server.faults |= {f"BAD{at}": lambda path: served.TOO_MANY for at in range(6)}
    asked = source(retries=1, breaker=3)
    for at in range(6):
        with pytest.raises(SourceDown, match=f"rate limited: it refused BAD{at}"):
            bars(asked, f"BAD{at}")
    assert [len(server.about(f"BAD{at}")) for at in range(6)] == [4, 4, 4, 2, 2, 2]  # no second try from then on
    assert bars(asked, "GOOD").days[-1] == DAY


def test_an_unknown_symbol_is_no_failure_of_the_source(server: YahooServer, source: Make) -> None:
    asked = source(breaker=2)
    for symbol in ("A", "B", "C"):
        with pytest.raises(NoData):
            bars(asked, symbol)


def test_f176_the_librarys_folder_is_private_to_the_run_and_goes_with_it(
    server: YahooServer, source: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.charts["AAPL"] = rising("AAPL", DAY)
    bars(source())
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    asked = source()
    bars(asked)
    (folder,) = tmp_path.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700 and (folder / "cookies.db").is_file()
    del asked
    assert not list(tmp_path.iterdir())


def test_f176_a_folder_of_ones_own_is_kept_and_used_again(server: YahooServer, source: Make, tmp_path: Path) -> None:
    server.charts["AAPL"] = rising("AAPL", DAY)
    bars(source(cache=tmp_path / "made" / "cache"))
    assert stat.S_IMODE((tmp_path / "made" / "cache").stat().st_mode) == 0o700
    before = len(server.asked)
    bars(source(cache=tmp_path / "made" / "cache"))
    assert not any(one.startswith("fc.yahoo.com") for one in server.asked[before:])


@pytest.mark.parametrize("fault", ["folder open", "file open", "link", "other owner", "folder is a link"])
def test_f176_a_folder_that_others_could_write_is_refused(
    server: YahooServer, source: Make, tmp_path: Path, fault: str
) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(0o700)
    planted = folder / "cookies.db"
    if fault == "folder open":
        folder.chmod(0o770)
    elif fault == "link":
        planted.symlink_to(tmp_path / "elsewhere")
    elif fault == "folder is a link":
        (tmp_path / "link").symlink_to(folder)
        folder = tmp_path / "link"
    else:
        planted.write_bytes(b"no database")
        planted.chmod(0o666 if fault == "file open" else 0o600)
        if fault == "other owner":
            if os.geteuid() != 0:
                pytest.skip("only root can give a file away")
            os.chown(planted, 12345, 12345)
    with pytest.raises(UsageError, match=r"source\.yahoo\.cache: .* name a private folder"):
        bars(source(cache=folder))
    assert server.asked == []


def test_a_missing_library_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=re.escape("pip install '.[yahoo]' in the folder of the program")):
        YahooSource(SourceSettings(name="yahoo"))


# Figures


STOCK: Mapping[str, Any] = {
    "symbol": "AAPL",
    "quoteType": "EQUITY",
    "currency": "USD",
    "financialCurrency": "USD",
    "currentPrice": 200.0,
    "marketCap": 3_000_000_000,
    "sharesOutstanding": 15_000_000,
    "freeCashflow": 100_000_000,
    "trailingPE": 30.0,
    "profitMargins": 0.25,
}
LIVE = {"market_cap": 3e9, "shares": 1.5e7, "free_cash_flow": 1e8, "trailing_pe": 30.0, "net_margin": 0.25}


def told_of(server: YahooServer, source: Make, symbol: str = "AAPL", **changed: Any) -> Fundamentals:
    info = {**STOCK, "symbol": symbol, **changed}
    server.infos[symbol] = modules({key: value for key, value in info.items() if value != "gone"})
    return figures(source(), symbol)


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


# News


def article(title: str, at: str | None, **more: Any) -> dict[str, Any]:
    content = {"title": title, "summary": "Sum.", "pubDate": at, "provider": {"displayName": "Paper"}, **more}
    return {"id": title, "content": content}


@needs_shared
def test_real_news_of_both_shapes_become_items_without_links(server: YahooServer, source: Make) -> None:
    new = captured("news/AAPL_news_2026-09-16_excerpt.json")
    old = captured("search_news/search-AAPL.json")["response"]["bodyJson"]["news"]
    server.news["AAPL"] = [*new, *old]
    then = datetime(2026, 9, 17, 22, 0, tzinfo=UTC)
    before = len(server.asked)
    found = headlines(source(then), as_of=date(2026, 9, 17))
    assert len(found.items) == len(new) + len(old) and found.left_out == 0
    assert [one.published for one in found.items] == sorted((one.published for one in found.items), reverse=True)
    assert {one.title for one in found.items} >= {"Did AI Servers Really Quadruple Dell Stock?"}
    assert any("AAPL" in one.symbols for one in found.items)
    assert "http" not in found.model_dump_json()
    hosts = {one.partition("/")[0] for one in server.asked[before:]}
    assert hosts <= {"fc.yahoo.com", "query1.finance.yahoo.com", "finance.yahoo.com"}


def test_f128_news_after_the_close_is_left_out_and_counted(server: YahooServer, source: Make) -> None:
    server.news["AAPL"] = [article("late", "2024-06-28T20:00:01Z"), article("in time", "2024-06-28T20:00:00Z")]
    found = headlines(source())
    assert ([one.title for one in found.items], found.left_out) == (["in time"], 1)


def test_f129_undated_news_counts_in_a_live_run_alone(server: YahooServer, source: Make) -> None:
    server.news["AAPL"] = [
        article("undated", None),
        article("zoneless", "2024-06-20T10:00:00"),
        article("dated", "2024-06-20T10:00:00Z"),
    ]
    live = headlines(source())
    assert [(one.title, one.published is None) for one in live.items] == [
        ("dated", False),
        ("undated", True),
        ("zoneless", True),
    ]
    back = headlines(source(), as_of=DAY - timedelta(days=1))
    assert ([one.title for one in back.items], back.left_out) == (["dated"], 2)


def test_f173_outside_text_is_plain_and_no_link_in_it_is_opened(server: YahooServer, source: Make) -> None:
    title = "Up\u202e 5\u200b% <b>now</b> <script>x()</script>&amp; \uff21\uff21\uff30\uff2c\x1b[31m"
    link = {
        "canonicalUrl": {"url": "http://169.254.169.254/latest/meta-data"},
        "clickThroughUrl": {"url": "file:///etc/passwd"},
    }
    server.news["AAPL"] = [
        article(title, "2024-06-20T10:00:00Z", **link),
        article("long " * 200, "2024-06-19T10:00:00Z"),
    ]
    first, second = headlines(source()).items
    assert first.title == "Up 5% now & AAPL" and (first.summary, first.publisher) == ("Sum.", "Paper")
    assert len(second.title) == 300 and second.title.endswith("…")
    assert not any("169.254" in one or "passwd" in one for one in server.asked)


def test_no_news_is_an_answer_and_an_unknown_shape_is_none(server: YahooServer, source: Make) -> None:
    assert headlines(source()).items == ()
    server.news["AAPL"] = [{"id": "1", "story": {"headline": "x"}}]
    with pytest.raises(SourceDown, match="news about AAPL have the keys id, story, but not title"):
        headlines(source())
    server.faults["AAPL"] = lambda path: as_json({"data": {"stream": []}})
    with pytest.raises(SourceDown, match=r"but not data\.tickerStream\.stream"):
        headlines(source())


# Days


@pytest.mark.parametrize(
    ("now", "last"),
    [
        ("2024-06-29T12:00:00Z", "2024-06-28"),
        ("2024-07-04T20:30:00Z", "2024-07-03"),
        ("2024-06-29T02:00:00Z", "2024-06-28"),
        ("2024-06-28T19:59:59Z", "2024-06-27"),
        ("2024-06-28T20:00:00Z", "2024-06-28"),
        ("2024-11-29T18:00:00Z", "2024-11-29"),
        ("2024-11-29T17:59:00Z", "2024-11-27"),
        ("2024-11-04T20:59:00Z", "2024-11-01"),
        ("2024-11-04T21:00:00Z", "2024-11-04"),
        ("2025-01-01T00:30:00Z", "2024-12-31"),
    ],
    ids=["F140-saturday", "F140-holiday", "F141", "open", "closed", "F143", "F143-open", "F142", "F142-closed", "year"],
)
def test_the_last_day_is_the_last_session_that_closed(source: Make, server: YahooServer, now: str, last: str) -> None:
    assert source(datetime.fromisoformat(now)).fetch("span", {}) == {"first": "1960-01-01", "last": last}
    assert server.asked == []


def test_f140_a_night_that_names_no_day_is_that_of_the_last_session(
    server: YahooServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    saturday = datetime(2024, 6, 29, 2, 0, tzinfo=UTC)
    monkeypatch.setattr("phases.sources.yahoo.utc_now", lambda: saturday)
    monkeypatch.setattr(YahooSource.__init__, "__defaults__", (lambda: saturday,))
    monkeypatch.setattr("phases.origin.today", saturday.date)
    for said, notes in ((None, 0), ("2024-06-29", 1)):
        planned = plan(words(server, "as_of=", as_of=said), None)
        assert planned.header.as_of == DAY and len(planned.notes) == notes
    with pytest.raises(UsageError, match="2024-07-01 is outside the source yahoo"):
        plan(words(server, as_of="2024-07-01"), None)


# Whole nights


def words(
    server: YahooServer, *more: str, tickers: tuple[str, ...] = ("AAPL",), as_of: str | None = DAY.isoformat()
) -> Words:
    sets = (
        "source.name=yahoo",
        f"source.proxy={server.url}",
        "source.yahoo.retries=0",
        "source.deadline_seconds=20",
        "debate.when=none",
    )
    return Words(tickers, None, (*sets, *more), as_of)


def night(out: Path, words: Words, resume: bool = False) -> Finished:
    store = open_store(out)
    try:
        planned = resume_plan(words, Runs(store), "last") if resume else plan(words, Runs(store))
        return hold_night(planned, store, out, lambda ticker, reason: None)
    finally:
        store.close()


def answered(out: Path) -> int:
    """Answers of sources in the journal."""
    with closing(sqlite3.connect(out / "rebuttal.db")) as connection:
        return connection.execute("SELECT count(*) FROM calls WHERE kind = 'fetch' AND state = 'done'").fetchone()[0]


FORTY = tuple(f"T{at:02}" for at in range(40))


def test_half_of_a_watchlist_refused_is_named_and_asked_for_again(server: YahooServer, tmp_path: Path) -> None:
    server.charts |= {one: rising(one, DAY) for one in (*FORTY, "^GSPC")}
    refused = set(FORTY[:20])
    server.faults |= {one: lambda path: served.TOO_MANY for one in refused}
    said = words(server, "source.on_failure=degrade", tickers=FORTY)
    first = night(tmp_path, said)
    assert {row.ticker for row in first.feed.rows if row.status == "failed"} == refused
    assert all(
        "rate limited" in (row.reason or "") and row.ticker in (row.reason or "")
        for row in first.feed.rows
        if row.ticker in refused
    )
    finished = {row.ticker: row for row in first.feed.rows if row.status == "gated"}
    assert set(finished) == set(FORTY) - refused
    server.faults.clear()
    before = len(server.asked)
    second = night(tmp_path, said)
    assert {row.status for row in second.feed.rows} == {"gated"}
    assert {one: row for one, row in ((row.ticker, row) for row in second.feed.rows) if one in finished} == finished
    assert {one.rpartition("/")[2] for one in server.asked[before:] if "chart" in one} == refused


def test_a_dead_source_stops_the_night_by_its_name_and_leaves_no_answer(server: YahooServer, tmp_path: Path) -> None:
    server.__exit__()
    with pytest.raises(SourceDown, match="yahoo") as caught:
        night(tmp_path, words(server, tickers=("AAPL", "MSFT")))
    assert caught.value.exit_code == 4 and answered(tmp_path) == 0


def test_f115_nothing_for_anyone_is_an_outage_and_no_model_is_asked(server: YahooServer, tmp_path: Path) -> None:
    server.charts["^GSPC"] = rising("^GSPC", DAY)
    nothing = as_json({"chart": {"result": [chart("X", [], [], meta={"symbol": None})], "error": None}})
    server.faults |= {one: lambda path: nothing for one in ("AAPL", "MSFT")}
    with pytest.raises(SourceDown, match="source outage: none of 2 tickers"):
        night(tmp_path, words(server, "bias.wording=false", tickers=("AAPL", "MSFT")))


def test_a_night_goes_on_from_its_stored_answers_when_yahoo_is_gone(server: YahooServer, tmp_path: Path) -> None:
    server.charts |= {yahoo_symbol(one): rising(yahoo_symbol(one), DAY) for one in (*IDENTITIES, "^DJI")}
    said = ("question.benchmark=^DJI", "market.stale_after_sessions=5")
    first = night(tmp_path, words(server, *said, tickers=IDENTITIES))
    assert [row.ticker for row in first.feed.rows] == list(IDENTITIES)
    assert {row.status for row in first.feed.rows} == {"gated"}
    kept = answered(tmp_path)
    server.__exit__()
    for resume in (False, True):
        again = night(tmp_path, words(server, *said, "operation.offline=true", tickers=IDENTITIES), resume)
        assert again.feed == first.feed and answered(tmp_path) == kept
    other = words(server, *said, "operation.offline=true", tickers=("NEW",))
    with pytest.raises(SourceDown, match="yahoo: no stored answer"):
        night(tmp_path, other)


def test_a_source_without_a_market_leaves_breadth_missing_with_the_reason(server: YahooServer, source: Make) -> None:
    server.charts["^GSPC"] = rising("^GSPC", DAY)
    found = macro_snapshot(DAY, QUESTION, settings().market, fetch=fetch_door(source()))
    reasons = {one.id: one.reason for one in found.missing}
    assert reasons["macro.breadth_200d"] == reasons["macro.mean_corr_63d"] == "yahoo has no universe"
    assert reasons["macro.core_cpi_yoy"] == "yahoo has no macro"
    assert "macro.index_ret_63d" in {one.id for one in found.evidence}
