"""A moderator's replies as the original reads them, and as ours must where that is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from phases.importers.report import debates_report
from phases.importers.rulings import parse_ruling

OURS: list[tuple[bool, str | None, str]] = [
    (False, None, "a."),
    (False, None, "a."),
    (False, None, "a."),
    (True, "go", "a."),
    (True, "go", "a."),
    (False, None, "The STATUS: of the market is weak."),
]
"""settled, decision and summary where the original is wrong, in the order of its rows."""


@pytest.fixture(scope="module")
def observed(golden: Callable[[str], Path]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(golden("golden_vectors.json").read_text())
    return dict(found["moderator_parse_observed"])


@pytest.mark.parametrize("at", range(7))
def test_rows_that_the_original_reads_right(observed: dict[str, Any], at: int) -> None:
    assert len(observed["rows"]) == 7
    reply, number, cap, settled, decision = observed["rows"][at]
    found = parse_ruling(reply, number, cap)
    assert (found.settled, found.decision) == (settled, decision)
    assert found.forced == (settled and "STATUS" not in reply)


@pytest.mark.parametrize("at", range(6))
def test_rows_that_the_original_reads_wrong(observed: dict[str, Any], at: int) -> None:
    assert len(observed["known_wrong_in_original"]) == 6
    reply, number, cap, *_ = observed["known_wrong_in_original"][at]
    found = parse_ruling(reply, number, cap)
    assert (found.settled, found.decision, found.summary) == OURS[at]


def test_a_debate_of_those_replies(observed: dict[str, Any], tmp_path: Path) -> None:
    replies = [row[0] for row in observed["rows"] if row[2] == 3][2:5]
    rounds = [
        {"round": at, "turns": [{"seat": "growth", "text": f"Point {at}."}], "moderator": reply}
        for at, reply in enumerate(replies, 1)
    ]
    file = tmp_path / "one.json"
    file.write_text(json.dumps({"question": "Rates up?", "max_rounds": 3, "rounds": rounds}, indent=1))
    (row,) = debates_report(file, "strict").debates
    assert [(one.settled, one.forced) for one in row.rulings or ()] == [(False, False), (False, False), (True, True)]
