"""Test sources over real captures of the shared folder: prices of large caps and their statements by fiscal period.

Statements there have no filing dates, so a quarter counts as known 75 days after its end and a year after 100.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from typing import Any

import pandas as pd
import pytest

from phases.core.errors import NoData
from tests.shared import PRICES, SHARED

STATEMENTS = SHARED / "data" / "fundamentals_fiscal"
LARGE = PRICES / "us_and_global"

needs_shared = pytest.mark.skipif(not STATEMENTS.is_dir(), reason=f"no real data at {STATEMENTS}")

LAG = {"quarter": 75, "year": 100}
NAMES = {
    "Total Revenue": "revenue",
    "Gross Profit": "gross_profit",
    "Operating Income": "operating_income",
    "Net Income": "net_income",
    "EBITDA": "ebitda",
    "Total Debt": "total_debt",
    "Cash And Cash Equivalents": "cash",
    "Stockholders Equity": "equity",
    "Ordinary Shares Number": "shares",
}


@cache
def tickers() -> tuple[str, ...]:
    """Names with both prices and statements."""
    return tuple(sorted(path.stem for path in STATEMENTS.glob("*.json") if (LARGE / f"{path.stem}.csv.gz").is_file()))


@cache
def figures(ticker: str) -> tuple[dict[str, Any], ...]:
    """Every figure of a company as a source hands it over; what is no number is absent."""
    found = json.loads((STATEMENTS / f"{ticker}.json").read_text(encoding="utf-8"))
    return tuple(
        {
            "name": NAMES[name],
            "value": value if isinstance(value, float) and value == value else None,
            "period": span,
            "ended": ended,
            "known": (date.fromisoformat(ended) + timedelta(LAG[span])).isoformat(),
        }
        for sheet, span in (("annual", "year"), ("quarterly", "quarter"))
        for kind in ("income", "balance")
        for ended, lines in found.get(f"{sheet}_{kind}", {}).items()
        for name, value in lines.items()
        if name in NAMES
    )


@cache
def prices(ticker: str) -> pd.DataFrame:
    """Daily bars of a company, adjusted."""
    return pd.read_csv(LARGE / f"{ticker}.csv.gz", index_col="Date").dropna()


def columns_of(frame: pd.DataFrame) -> Iterator[tuple[str, list[Any]]]:
    """The columns of bars, with the closes as adjusted closes too."""
    yield "days", [str(day)[:10] for day in frame.index]
    for ours, theirs in (("open", "Open"), ("high", "High"), ("low", "Low"), ("close", "Close"), ("volume", "Volume")):
        yield ours, [float(one) for one in frame[theirs]]
    yield "adj_close", [float(one) for one in frame["Close"]]


class RealSource:
    """Prices, statements and news; with `known_by` everything that became known later is deleted."""

    name, vintage, live = "real", "v", False

    def __init__(
        self, news: Mapping[str, Sequence[Mapping[str, Any]]] | None = None, known_by: date | None = None
    ) -> None:
        self._news, self._until = news or {}, known_by

    def fetch(self, dataset: str, params: Mapping[str, str]) -> Any:
        """Prices up to the as-of date; figures and news all there are: the phases must not use the later ones."""
        match dataset:
            case "bars":
                return self._bars(params["symbol"], params["as_of"], int(params["sessions"]))
            case "fundamentals":
                kept = [one for one in figures(params["symbol"]) if self._kept(one["known"])]
                return {"symbol": params["symbol"], "kind": "stock", "currency": "USD", "figures": kept}
            case "news":
                items = [one for one in self._news.get(params["symbol"], ()) if self._kept(one["published"][:10])]
                return {"symbol": params["symbol"], "items": items}
            case "universe" | "macro":
                return {"series": []}
            case "span":
                return {"first": "2010-01-04", "last": "2025-12-30"}
        raise NoData(f"no {dataset}")

    def _kept(self, known: str) -> bool:
        return self._until is None or known <= self._until.isoformat()

    def _bars(self, symbol: str, as_of: str, sessions: int) -> dict[str, Any]:
        frame = prices("IBM" if symbol.startswith("^") else symbol)
        shown = frame[[str(day)[:10] <= as_of for day in frame.index]].tail(sessions)
        if shown.empty:
            raise NoData(f"no bar of {symbol} at or before {as_of}")
        return {"symbol": symbol, "currency": "USD", "exchange": "XNYS", **dict(columns_of(shown))}
