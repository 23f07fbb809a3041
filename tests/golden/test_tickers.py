"""Real bull and bear runs: a turn that repeats the speaker's last one is found, and no other."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from phases.importers.report import Report, debates_report

FILE = "ticker_debates.jsonl.gz"


@pytest.fixture(scope="module")
def report(golden: Callable[[str], Path]) -> Report:
    return debates_report(golden(FILE), "strict")


def test_every_identical_turn_is_flagged_and_every_genuine_one_is_not(
    golden: Callable[[str], Path], report: Report
) -> None:
    with gzip.open(golden(FILE), "rt", encoding="utf-8") as lines:
        runs = [json.loads(line) for line in lines]
    assert len(runs) == len(report.debates) == 41
    pairs = 0
    for run, row in zip(runs, report.debates, strict=True):
        same = set()
        for before, after in zip(run["rounds"], run["rounds"][1:], strict=False):
            pairs += 2
            same |= {f"{side}.{after['round']}" for side in ("bull", "bear") if before[side] == after[side]}
        assert set(row.repeated) == same, row.id
        assert (row.theater == "no_substance") == bool(same), row.id
    assert pairs == 50


def test_rates_with_their_n(report: Report) -> None:
    of = report.repeats
    assert (of.turns, of.identical, of.hits, of.others_flagged) == (50, 25, 25, 0)
    assert (of.hit_rate, of.false_alarm_rate) == (1.0, 0.0)


def test_prose_without_moves_has_no_score(report: Report) -> None:
    assert report.totals.mean_convergence is None
    assert {(row.points, row.convergence, row.verdict) for row in report.debates} == {(0, None, "empty")}
