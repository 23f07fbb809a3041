"""The one door to Yahoo's servers: a session that keeps a deadline and lets only answers through.

The library turns much of what can go wrong into an empty result, a lookup of something else or a
guess ("possibly delisted"). So each response is looked at here, before the library sees it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from phases.core.errors import NoData, SourceDown, Unanswered
from phases.core.recorder import ticks
from phases.core.text import printable
from phases.sources.yahoo.values import LAST, entries, fields, number

DATA_PATHS = ("/v7/", "/v8/", "/v10/", "/ws/", "/xhr/")
"""How paths of data begin; every other one is for cookies, consent and the earnings page."""

CHART_COLUMNS = frozenset({"open", "high", "low", "close", "volume"})
MOMENTS = ("firstTradeDate", "regularMarketTime")
"""Moments of a chart's metadata that the library reads and nobody here does."""

LONGEST_WAIT = 3600.0


class Retry(SourceDown):
    """A failure that may pass. `limited` where Yahoo says that it is asked too often."""

    def __init__(self, reason: str, *, limited: bool = False, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.limited, self.wait = limited, wait


class Doorman(threading.local):
    """What this thread's question is about, and what its last response said."""

    symbol = ""
    """As Yahoo spells it."""
    shown = ""
    """As we spell it."""
    until = 0.0
    """When the question must be answered, in ticks."""
    wait = 0.0
    """Seconds Yahoo asked to wait."""
    refused = ""
    """Address that Yahoo refused to these cookies; the library tries it once more with others."""

    def begin(self, symbol: str, shown: str, until: float) -> None:
        """A try of a question begins."""
        self.symbol, self.shown, self.until, self.wait, self.refused = symbol, shown, until, 0.0, ""

    def left(self) -> float:
        """Seconds that are left. Raises Retry where there are none. Reads the clock."""
        left = self.until - ticks()
        if left <= 0:
            raise Retry(f"yahoo gave no answer about {self.shown} in time")
        return left

    def look(self, url: str, response: Any) -> None:
        """Let an answer pass. Raises what else it is: Retry, SourceDown, NoData or Unanswered."""
        status = int(response.status_code)
        if status == 429:
            self.wait = _seconds(response.headers.get("retry-after"))
            return
        parts = urlsplit(url)
        away = (urlsplit(str(response.url)).hostname or "").endswith("consent.yahoo.com")
        if not parts.path.startswith(DATA_PATHS) or away:
            return
        if status in (401, 403) and self.refused != url:
            self.refused = url
            return
        if status >= 500 or status in (401, 403):
            raise Retry(f"yahoo answered {status} about {self.shown}")
        body = _json(response)
        if body is None:
            kind, start = response.headers.get("content-type", "no type"), printable(response.text.strip()[:40])
            raise Retry(f"yahoo's reply about {self.shown} is not an answer: status {status}, {kind}, begins {start!r}")
        _check(parts.path, status, body, self)
        if _mended(parts.path, body):
            response.content = json.dumps(body).encode()


def guarded(session: Any, doorman: Doorman) -> Any:
    """The session, asked through the doorman: no request outlives the question. Reaches the network."""
    plain: Callable[..., Any] = session.request

    def request(method: str, url: str, **rest: Any) -> Any:
        given = rest.pop("timeout", None)
        left = doorman.left()
        timeout = min(left, given) if isinstance(given, int | float) else left
        response = plain(method=method, url=url, timeout=max(timeout, 0.001), **rest)
        doorman.look(url, response)
        return response

    session.request = request
    return session


def _seconds(text: str | None) -> float:
    """What a `Retry-After` header asks for; a date in it asks for nothing."""
    return min(float(text), LONGEST_WAIT) if text and text.strip().isdecimal() else 0.0


def _json(response: Any) -> dict[str, Any] | None:
    try:
        found = json.loads(response.content)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _check(path: str, status: int, body: Mapping[str, Any], about: Doorman) -> None:
    """Look at what a JSON body says of itself: an error, another symbol, another shape."""
    if path.startswith("/xhr/"):
        _check_news(body, about)
        return
    part = next((body[name] for name in ("chart", "quoteSummary", "quoteResponse", "timeseries") if name in body), None)
    error = part.get("error") if isinstance(part, dict) else fields(body.get("finance")).get("error")
    if isinstance(error, dict):
        _check_error(path, status, error, about)
        return
    results = part.get("result") if isinstance(part, dict) else None
    first = results[0] if isinstance(results, list) and results and isinstance(results[0], dict) else {}
    said = _symbol(path, first)
    if said is not None and said.upper() != about.symbol.upper():
        raise Unanswered(f"yahoo answered about {printable(said)[:20]} when {about.shown} was asked; not used")
    if path.startswith("/v8/") and first:
        _check_chart(first, about)


def _check_error(path: str, status: int, error: Mapping[str, Any], about: Doorman) -> None:
    code, told = str(error.get("code")), printable(str(error.get("description")))[:120]
    if code == "Not Found" and path.startswith("/v8/"):
        raise NoData(f"yahoo knows no prices of {about.shown} (it says: {told})")
    if code == "Not Found":
        raise NoData(f"yahoo knows no figures of {about.shown} (it says: {told})")
    if code == "Bad Request" and "doesn't exist for startDate" in told:
        raise NoData(f"yahoo has no prices of {about.shown} in that time (it says: {told})")
    raise Retry(f"yahoo answered {status} about {about.shown}: {code}: {told}")


def _symbol(path: str, first: Mapping[str, Any]) -> str | None:
    """The symbol an answer says it is about."""
    if path.startswith("/v7/"):
        said = first.get("symbol")
    elif path.startswith("/v10/"):
        said = next(
            (first[one].get("symbol") for one in ("quoteType", "price") if isinstance(first.get(one), dict)), None
        )
    else:
        said = fields(first.get("meta")).get("symbol")
        said = said[0] if isinstance(said, list) and said else said
    return said if isinstance(said, str) else None


def _check_chart(first: Mapping[str, Any], about: Doorman) -> None:
    """Columns by the names that the library will look for."""
    quotes = entries(fields(first.get("indicators")).get("quote"))
    seen = set(fields(quotes[0])) if quotes else set()
    if first.get("timestamp") and not seen >= CHART_COLUMNS:
        raise SourceDown(
            contract(
                f"bars of {about.shown} have the columns {', '.join(sorted(seen)) or 'none'}", CHART_COLUMNS - seen
            )
        )


def _check_news(body: Mapping[str, Any], about: Doorman) -> None:
    stream = fields(fields(body.get("data")).get("tickerStream")).get("stream")
    if not isinstance(stream, list):
        seen = ", ".join(sorted(map(str, body)))
        raise SourceDown(
            contract(f"news about {about.shown} have the keys {seen or 'none'}", ["data.tickerStream.stream"])
        )


def _mended(path: str, body: dict[str, Any]) -> bool:
    """Take out single values that would cost the library the whole answer, and whether there were any.

    An entry of the news that is no object becomes one without a title; a moment of a chart's metadata that cannot be
    goes. Nothing is made of either.
    """
    if path.startswith("/xhr/"):
        told = body["data"]["tickerStream"]
        kept = [one if isinstance(one, dict) else {} for one in told["stream"]]
        odd = bool(kept != told["stream"])
        told["stream"] = kept
        return odd
    results = entries(fields(body.get("chart")).get("result"))
    meta = fields(fields(results[0]).get("meta")) if results else {}
    wrong = [key for key in MOMENTS if key in meta and abs(number(meta[key]) or LAST) >= LAST]
    for key in wrong:
        del body["chart"]["result"][0]["meta"][key]
    return bool(wrong)


def contract(seen: str, lacking: Any) -> str:
    """Words for an answer whose shape is not the one this program knows."""
    from yfinance.version import version

    lacks = ", ".join(sorted(lacking))
    return f"yahoo: {printable(seen)[:400]}, but not {lacks}; its shape has changed (yfinance {version})"
