"""Two stored panels, and how stances are normalised."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from phases.importers.report import Report, debates_report
from phases.maths.tally import canonical_stance

FILE = "panel_debates.json"

BETTER = {
    "5 cents": "0.05",
    "0.05 dollars": "0.05",
    "$1,000": "1000",
    "+5": "5",
    "1e3": "1000",
    "five cents": "0.05",
    "hold (for now)": "hold",
}
"""Stances that the original fails to merge or mangles."""


@pytest.fixture(scope="module")
def stored(golden: Callable[[str], Path]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(golden(FILE).read_text())
    return found


@pytest.fixture(scope="module")
def report(golden: Callable[[str], Path]) -> Report:
    return debates_report(golden(FILE), "strict")


def test_stances_as_the_original_normalises_them(stored: dict[str, Any]) -> None:
    rows = stored["normalise_vectors"]
    assert len(rows) == 26
    assert {text for text, _ in rows[-7:]} == set(BETTER)
    for text, expected in rows:
        assert canonical_stance(text) == BETTER.get(text, expected), text


@pytest.mark.parametrize("at", range(2))
def test_expected_tallies(stored: dict[str, Any], report: Report, at: int) -> None:
    expected, row = stored["debates"][at]["expected"], report.debates[at]
    found = row.votes
    assert found is not None
    assert (row.id, row.theater) == (stored["debates"][at]["id"], None)
    assert (found.ballots, found.counts) == (expected["ballots"], expected["counts"])
    assert (found.winner, found.votes, found.total) == (
        expected["winner"],
        expected["winner_votes"],
        expected["total"],
    )
    assert found.ratio is not None
    assert (found.tied, round(found.ratio, 4)) == (expected["tied"], expected["consensus_ratio"])
    assert (found.confidence, round(100 * found.ratio)) == (expected["confidence"], expected["confidence_pct"])
    assert list(found.changed) == expected["mind_changed"]
