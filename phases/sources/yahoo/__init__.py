"""Source `yahoo`: prices, figures and news of Yahoo Finance, through yfinance, one ticker at a time.

Yahoo grants no licence for its data; whoever uses this source answers for that. It is reached
over a network, so what it answered is kept in the journal and later runs of the same night read
it there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from phases.core.errors import NoData
from phases.core.recorder import utc_now
from phases.maths.sessions import closed_session, session_close, session_open_after
from phases.sources.yahoo.bars import bars
from phases.sources.yahoo.client import Client
from phases.sources.yahoo.fundamentals import fundamentals
from phases.sources.yahoo.news import news
from schemas.settings import SourceSettings

FIRST = date(1960, 1, 1)

CALENDAR = "XNYS"
"""Exchange whose close ends a night."""


class YahooSource:
    """Yahoo. Safe to use from many threads."""

    name = "yahoo"
    vintage = "kept"
    """Answers are kept in the journal: its row of a question is the vintage."""
    live = True

    def __init__(self, settings: SourceSettings, now: Callable[[], datetime] = utc_now) -> None:
        """Raises UsageError where the library is not installed."""
        self._client, self._now = Client(settings), now

    def fetch(self, dataset: str, params: Mapping[str, str]) -> Any:
        """Answer one question. Raises NoData, Unanswered or SourceDown. Reads the clock; reaches the network."""
        now = self._now()
        latest = closed_session(CALENDAR, now)
        if dataset == "span":
            return {"first": FIRST.isoformat(), "last": latest.isoformat()}
        symbol, as_of = params.get("symbol", ""), date.fromisoformat(params["as_of"])
        if dataset == "bars":
            sessions = int(params["sessions"])
            return self._client.ask(symbol, lambda ticker, left: bars(ticker, symbol, as_of, sessions, now, left))
        if dataset == "fundamentals":
            known = latest if now < session_open_after(CALENDAR, latest) else now.date()
            return self._client.ask(symbol, lambda ticker, _: fundamentals(ticker, symbol, as_of, known))
        if dataset == "news":
            closed = session_close(CALENDAR, as_of) or _end(as_of)
            return self._client.ask(symbol, lambda ticker, _: news(ticker, symbol, closed, live=as_of >= latest))
        raise NoData(f"yahoo has no {dataset}")


def _end(day: date) -> datetime:
    """The end of a day that is no session in New York."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)
