"""Stores whose pages are looked at: real nights of the offline desk, as they are, spoiled, or many times as large."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import cycle
from pathlib import Path
from typing import Any

from schemas.health import (
    Alarm,
    Bill,
    Coverage,
    DeltaCount,
    NightHealth,
    Share,
    SignedTilt,
    Turnout,
)
from tests.conftest import Cli, Told

TICKERS = ("AAPL", "FB", "GOOG", "IBM", "MSFT")
"""FB has no price before 2012."""

DAYS = ("2008-09-30", "2008-10-31", "2008-11-28")

HEALTH = NightHealth(
    debates=4,
    gated=7,
    changed=2,
    stances_changed=1,
    contested=0,
    deltas=(DeltaCount(delta=-1, debates=1), DeltaCount(delta=0, debates=3)),
    top_delta_share=0.75,
    echo=Share(share=1.0, n=1),
    tilt=SignedTilt(mean=-0.1333, error=0.0882, n=4),
    theater=Share(share=0.25, n=4),
    configured_rounds=8,
    executed_rounds=6,
    turns=Turnout(counted=28, repaired=3, void=1, dropped=5, ungrounded=2),
    coverage=Coverage(items=83, missing=9, stale=4, axes_missing=1, bias_fields=6, bias_carried=2, bias_missing=7),
    bill=Bill(
        input_tokens=1234567,
        output_tokens=45678,
        cache_read_share=0.61,
        cost_usd=0.5234,
        debates_usd=0.3124,
        ceiling_usd=5.0,
        per_changed_usd=0.1562,
    ),
    alarms=(Alarm(name="tilt", text="mean tilt −0.13 lies beyond two standard errors of 0.06"),),
)
"""A health that no night had: every figure is its own."""


def build(place: Path) -> list[Told]:
    """Three nights of five tickers."""
    return [Cli(place)("run", *TICKERS, "--as-of", day, "--out", place / "out", "--json") for day in DAYS]


Change = Callable[[Any], Any]


def rewrite(
    out: Path, *, record: Change | None = None, body: Change | None = None, header: Change | None = None
) -> None:
    """Change what a store holds: the records and headers of runs, and bodies of artefacts and rows of feeds."""
    with closing(sqlite3.connect(out / "rebuttal.db")) as connection, connection:
        _column(connection, "runs", "record", record)
        _column(connection, "runs", "header", header)
        _column(connection, "artefacts", "body", body)
        _column(connection, "feed", "row", body)


def _column(connection: sqlite3.Connection, table: str, column: str, change: Change | None) -> None:
    if change is None:
        return
    for number, text in connection.execute(f"SELECT rowid, {column} FROM {table} ORDER BY rowid").fetchall():
        told = json.dumps(change(json.loads(text)), ensure_ascii=False)
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (told, number))


def with_health(out: Path) -> None:
    """Give every record the made-up health."""
    rewrite(out, record=lambda one: {**one, "health": HEALTH.model_dump(mode="json")})


FREE = {
    *("argument", "bear_argument", "bear_thesis", "because", "bull_argument", "bull_thesis", "event", "label", "notes"),
    *("rationale", "reason", "risk", "source", "stop_reason", "text", "thesis", "why_limited"),
}
"""Fields whose text may come from anywhere: names of companies and headlines are labels of evidence."""


def spoil(out: Path, texts: list[str]) -> None:
    """Put hostile texts, one after another, wherever free text may stand. Every ticker gets each of them."""
    given = cycle(texts)
    change = lambda one: _spoiled(one, given)  # noqa: E731
    rewrite(out, body=change, header=change)


def _spoiled(value: Any, given: Iterator[str]) -> Any:
    if isinstance(value, list):
        return [_spoiled(one, given) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: next(given) if key in FREE and isinstance(one, str) else _spoiled(one, given) for key, one in value.items()
    }


def enlarge(out: Path, number: int, name: str = "X{:04}") -> str:
    """Make the last run one of so many tickers, copies of its own under other names; gives the run's id."""
    with closing(sqlite3.connect(out / "rebuttal.db")) as connection, connection:
        run_id, header, record = connection.execute(
            "SELECT run_id, header, record FROM runs ORDER BY position DESC LIMIT 1"
        ).fetchone()
        names = {name.format(at): TICKERS[at % len(TICKERS)] for at in range(number)}
        kept = connection.execute("SELECT ticker, name, body FROM artefacts WHERE run_id = ?", (run_id,)).fetchall()
        (feed,) = (json.loads(body) for _, name, body in kept if name == "portfolio_feed")
        rows = {row["ticker"]: row for row in feed["rows"]}
        feed["rows"] = [{**rows[old], "ticker": new} for new, old in names.items()]
        connection.execute(
            "UPDATE artefacts SET body = ? WHERE run_id = ? AND name = 'portfolio_feed'", (json.dumps(feed), run_id)
        )
        connection.executemany(
            "INSERT INTO artefacts (run_id, ticker, name, body) VALUES (?, ?, ?, ?)",
            [
                (run_id, new, name, body.replace(f'"ticker":"{old}"', f'"ticker":"{new}"'))
                for new, old in names.items()
                for ticker, name, body in kept
                if ticker == old
            ],
        )
        told = {**json.loads(header), "tickers": list(names)}
        said = {**json.loads(record), "tickers": {new: rows[old]["status"] for new, old in names.items()}}
        connection.execute(
            "UPDATE runs SET header = ?, record = ? WHERE run_id = ?", (json.dumps(told), json.dumps(said), run_id)
        )
    return str(run_id)


def stretch(out: Path) -> None:
    """Make the last run one of long names that are held, each with a status, a stance and numbers that need room."""
    enlarge(out, 10, "ABCDEFG{:02}.HK")
    given = cycle(("contested", "refused", "degraded", "debated", "gated"))

    def row(one: dict[str, Any]) -> dict[str, Any]:
        status = next(given)
        wide = {"stance": "watch", "conviction_pre": -5, "conviction_delta": -2, "view_excess_return": -0.123}
        return {**one, "held": True, "status": status, **(wide if one["stance"] else {"status": "refused"})}

    rewrite(out, body=lambda one: {**one, "rows": [row(each) for each in one["rows"]]} if "rows" in one else one)
