"""What the nights of one engine add up to: stance and probability by ticker, what is open, a table of nights."""

from __future__ import annotations

from typing import NamedTuple

from markupsafe import Markup

from phases.outputs.report.charts import Mark, past_chart
from phases.outputs.report.records import Past, PastRun, held
from phases.outputs.report.ticker import Cited, Test, cited, tests
from phases.outputs.report.words import count
from schemas.feed import FeedRow
from schemas.manager import WeighedClaim


class RunLine(NamedTuple):
    """One run in the table of nights."""

    run: PastRun
    statuses: str
    debates: int
    changed: int


class PastTicker(NamedTuple):
    """One ticker over the nights."""

    ticker: str
    chart: Markup
    latest: FeedRow
    nights: int


class Open(NamedTuple):
    """What the latest debate over a ticker left open."""

    row: FeedRow
    points: list[tuple[WeighedClaim, tuple[Cited, ...]]]
    tests: tuple[Test, ...]
    since: str
    """Night from which the oldest of it was carried; that of the debate itself if nothing was."""


def run_lines(past: Past) -> list[RunLine]:
    """The runs, newest first."""
    return [_line(run) for run in reversed(past.runs)]


def nights_told(past: Past) -> str:
    """How many sessions the runs stand for, and how many runs there are where one was run again."""
    sessions, runs = len({run.record.session for run in past.runs}), len(past.runs)
    return count(sessions, "session") + (f" in {count(runs, 'run')}" if runs != sessions else "")


def _line(run: PastRun) -> RunLine:
    debated = [row for row in run.rows if held(row)]
    statuses = ", ".join(f"{number} {status}" for status, number in run.record.statuses.items())
    return RunLine(run, statuses, len(debated), sum(row.conviction_post != row.conviction_pre for row in debated))


def past_tickers(past: Past) -> list[PastTicker]:
    """Every ticker with its nights, by name; of two runs of one session the later one counts."""
    nights: dict[str, dict[str, FeedRow]] = {}
    for run in past.runs:
        for row in run.rows:
            nights.setdefault(row.ticker, {})[row.as_of.isoformat()] = row
    days = [run.record.session for run in past.runs]
    return [
        PastTicker(ticker, past_chart(ticker, marks, min(days), max(days)), rows[-1], len(rows))
        for ticker, found in sorted(nights.items())
        for rows in [[found[day] for day in sorted(found)]]
        for marks in [[_mark(row) for row in rows]]
    ]


def _mark(row: FeedRow) -> Mark:
    return Mark(row.as_of, row.stance, row.status, row.probability_pre, row.probability_post)


def past_waiting(past: Past) -> list[Open]:
    """What is open, by ticker."""
    found = []
    for one in past.waiting:
        known = {item.id: item for item in one.evidence}
        points = [(point, cited(point.evidence, known)) for point in one.points]
        since = one.carried.since if one.carried else one.row.as_of
        found.append(Open(one.row, points, tests(one.conditions, known), str(since)))
    return found
