"""Yahoo on the loopback: an HTTP proxy that answers for every host of Yahoo's, with the shapes of its answers.

The real library is pointed at it by the product's own `source.proxy`; the tests only turn `https`
into `http`, so that the proxy can read what it is asked. Captured answers are served as they are.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from tests.shared import SHARED

YAHOO = SHARED / "data" / "yahoo"

NEW_YORK = {"exchangeName": "NMS", "exchangeTimezoneName": "America/New_York", "currency": "USD"}
PLACES: Mapping[str, Mapping[str, str]] = {
    ".HK": {"exchangeName": "HKG", "exchangeTimezoneName": "Asia/Hong_Kong", "currency": "HKD"},
    ".L": {"exchangeName": "LSE", "exchangeTimezoneName": "Europe/London", "currency": "GBp"},
    ".NS": {"exchangeName": "NSI", "exchangeTimezoneName": "Asia/Kolkata", "currency": "INR"},
    "-USD": {"exchangeName": "CCC", "exchangeTimezoneName": "UTC", "instrumentType": "CRYPTOCURRENCY"},
}
NOT_FOUND = {"code": "Not Found", "description": "No data found, symbol may be delisted"}

Answer = tuple[int, Mapping[str, str], bytes]
"""Status, headers and body."""


def plain_http(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library asks over plain http, so that the proxy can read what it is asked; all else is its own."""
    from curl_cffi import requests

    real = requests.Session.request

    def request(self: Any, method: str, url: str, **rest: Any) -> Any:
        return real(self, method, url.replace("https://", "http://"), **rest)

    monkeypatch.setattr(requests.Session, "request", request)
    monkeypatch.setattr("phases.sources.yahoo.client.FIRST_WAIT", 0.01)


def as_json(body: Any, status: int = 200, **headers: str) -> Answer:
    return status, {"content-type": "application/json", **headers}, json.dumps(body).encode()


def page(text: str, status: int = 200) -> Answer:
    return status, {"content-type": "text/html"}, text.encode()


TOO_MANY = (429, {"content-type": "text/plain"}, b"Edge: Too Many Requests")


def weekdays(last: date, number: int) -> list[date]:
    """That many days before and with a day, but weekends."""
    found: list[date] = []
    while len(found) < number:
        if last.weekday() < 5:
            found.append(last)
        last -= timedelta(days=1)
    return found[::-1]


def place(symbol: str) -> dict[str, Any]:
    """What the metadata of a chart says of where a symbol is listed."""
    kind = "INDEX" if symbol.startswith("^") else "EQUITY"
    found = next((told for end, told in PLACES.items() if symbol.endswith(end)), {})
    return {"symbol": symbol, "instrumentType": kind, **NEW_YORK, **found, "validRanges": ["1d", "5d", "max"]}


def chart(symbol: str, days: Sequence[date], closes: Sequence[float | None], **more: Any) -> dict[str, Any]:
    """A result in the format of v8/finance/chart; `splits` and `dividends` map days to amounts."""
    stamps = [int(datetime.combine(day, time(14, 30), UTC).timestamp()) for day in days]
    of = dict(zip(days, stamps, strict=True))

    def scaled(by: float) -> list[float | None]:
        return [None if one is None else one * by for one in closes]

    quote = {"open": scaled(0.995), "high": scaled(1.01), "low": scaled(0.99), "close": list(closes)}
    splits = {of[day]: (ratio, 1) for day, ratio in more.get("splits", {}).items()}
    events = {
        "splits": {str(at): {"date": at, "numerator": up, "denominator": down} for at, (up, down) in splits.items()},
        "dividends": {
            str(of[day]): {"date": of[day], "amount": paid} for day, paid in more.get("dividends", {}).items()
        },
    }
    volume = more.get("volume", [1000 + 10 * at for at in range(len(days))])
    return {
        "meta": {**place(symbol), **more.get("meta", {})},
        "timestamp": stamps,
        "events": {name: told for name, told in events.items() if told},
        "indicators": {
            "quote": [{**quote, "volume": volume}],
            "adjclose": [{"adjclose": more.get("adjclose", list(closes))}],
        },
    }


def rising(symbol: str, last: date, sessions: int = 420) -> dict[str, Any]:
    """A chart of a series that goes its own way up and down."""
    seed = sum(map(ord, symbol))
    steps = [((at * seed) % 17 - 8) / 1000 + 0.0004 for at in range(sessions)]
    closes, price = [], 50.0 + seed % 50
    for step in steps:
        price *= 1 + step
        closes.append(round(price, 4))
    return chart(symbol, weekdays(last, sessions), closes)


def modules(info: Mapping[str, Any]) -> dict[str, Any]:
    """A captured `info` as quoteSummary sends it: nested in modules."""
    about = {"quoteType": info.get("quoteType"), "symbol": info.get("symbol")}
    return {"quoteType": {k: v for k, v in about.items() if v is not None}, "financialData": dict(info)}


def captured(path: str) -> Any:
    return json.loads((YAHOO / path).read_text())


def recorded(path: str) -> Answer:
    """A response that was captured whole."""
    response = captured(path)["response"]
    return as_json(response["bodyJson"], response["status"])


@dataclass
class YahooServer:
    """Answers for Yahoo. What is not given by symbol is not found."""

    charts: dict[str, Any] = field(default_factory=dict)
    infos: dict[str, Any] = field(default_factory=dict)
    """Modules of quoteSummary, or a whole answer."""
    statements: dict[str, Answer] = field(default_factory=dict)
    news: dict[str, Any] = field(default_factory=dict)
    earnings: dict[str, str] = field(default_factory=dict)
    faults: dict[str, Callable[[str], Answer | None]] = field(default_factory=dict)
    """By symbol, or `*` for all: given the path, an answer that stands instead, if any."""
    asked: list[str] = field(default_factory=list)
    """`host/path` of each request."""
    drip: threading.Event = field(default_factory=threading.Event)
    """Set when dripping ends."""

    def __enter__(self) -> YahooServer:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                owner._serve(self, b"")

            def do_POST(self) -> None:
                owner._serve(self, self.rfile.read(int(self.headers.get("content-length", 0))))

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.drip.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def about(self, symbol: str) -> list[str]:
        """Requests for data of a symbol."""
        return [one for one in self.asked if one.rpartition("/")[2] == symbol]

    def _serve(self, handler: BaseHTTPRequestHandler, sent: bytes) -> None:
        parts = urlsplit(handler.path)
        path, query = unquote(parts.path), {name: told[0] for name, told in parse_qs(parts.query).items()}
        symbol = path.rpartition("/")[2]
        if path == "/v7/finance/quote":
            symbol = query["symbols"]
        if path == "/xhr/ncp":
            symbol = json.loads(sent)["serviceConfig"]["s"][0]
        if path == "/calendar/earnings":
            symbol = query["symbol"]
        self.asked.append(f"{parts.hostname}{path}" if symbol in path else f"{parts.hostname}{path}/{symbol}")
        fault = self.faults.get(symbol) or self.faults.get("*")
        answer = (fault(path) if fault else None) or self._answer(path, symbol, query)
        if answer[1].get("drip"):
            self._drip(handler)
            return
        handler.send_response(answer[0])
        for name, value in {"content-length": str(len(answer[2])), **answer[1]}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(answer[2])
        if answer[1].get("connection") == "close":
            handler.close_connection = True

    def _drip(self, handler: BaseHTTPRequestHandler) -> None:
        """A byte now and then, for ever."""
        handler.send_response(200)
        handler.send_header("content-length", "1000000")
        handler.end_headers()
        try:
            while not self.drip.wait(0.05):
                handler.wfile.write(b" ")
        except OSError:
            handler.close_connection = True

    def _answer(self, path: str, symbol: str, query: Mapping[str, str]) -> Answer:
        if path == "/":
            cookie = "A3=d=x; Max-Age=31557600; Domain=.yahoo.com; Path=/; HttpOnly"
            return 404, {"content-type": "text/html", "set-cookie": cookie}, b"<html></html>"
        if path == "/v1/test/getcrumb":
            return 200, {"content-type": "text/plain"}, b"crumb"
        if path.startswith("/v8/finance/chart/"):
            return self._chart(symbol, query)
        if path.startswith("/v10/finance/quoteSummary/"):
            found = self.infos.get(symbol)
            if isinstance(found, tuple):
                return found
            error = {**NOT_FOUND, "description": f"No fundamentals data found for symbol: {symbol}"}
            lost = as_json({"quoteSummary": {"result": None, "error": error}}, 404)
            return lost if found is None else as_json({"quoteSummary": {"result": [found], "error": None}})
        if path == "/v7/finance/quote":
            return as_json({"quoteResponse": {"result": [], "error": None}})
        if "/timeseries/" in path and "trailingPegRatio" in query.get("type", ""):
            return as_json({"timeseries": {"result": [{"meta": {"symbol": [symbol]}}], "error": None}})
        if "/timeseries/" in path:
            return self.statements.get(symbol) or as_json({"timeseries": {"result": [], "error": None}})
        if path == "/xhr/ncp":
            return as_json({"data": {"tickerStream": {"stream": self.news.get(symbol, [])}}})
        if path == "/calendar/earnings":
            return page(self.earnings.get(symbol, "<html><body>No results</body></html>"))
        return page("<html><body>consent</body></html>")

    def _chart(self, symbol: str, query: Mapping[str, str]) -> Answer:
        found = self.charts.get(symbol)
        if isinstance(found, tuple):
            return found
        if found is None:
            return as_json({"chart": {"result": None, "error": NOT_FOUND}}, 404)
        first, last = int(query.get("period1", 0)), int(query.get("period2", 1 << 40))
        keep = [at for at, stamp in enumerate(found["timestamp"]) if first <= stamp < last]

        def cut(columns: Mapping[str, Any]) -> dict[str, Any]:
            return {name: [column[at] for at in keep] for name, column in columns.items()}

        told = {
            **found,
            "timestamp": [found["timestamp"][at] for at in keep],
            "indicators": {name: [cut(columns[0])] for name, columns in found["indicators"].items()},
        }
        return as_json({"chart": {"result": [told], "error": None}})
