"""Four stored probability debates: every expected figure is computed again from the probabilities alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from phases.importers.report import Report, debates_report
from phases.importers.stored import Forecast

FILE = "forecaster_traces.json"


@pytest.fixture(scope="module")
def traces(golden: Callable[[str], Path]) -> list[dict[str, Any]]:
    return list(json.loads(golden(FILE).read_text())["traces"])


@pytest.fixture(scope="module")
def report(golden: Callable[[str], Path]) -> Report:
    return debates_report(golden(FILE), "strict")


def _of(report: Report, at: int) -> Forecast:
    found = report.debates[at].forecast
    assert found is not None
    return found


def test_all_are_read(report: Report, traces: list[dict[str, Any]]) -> None:
    assert (len(report.debates), report.bad_lines, report.set_aside) == (4, (), ())
    assert [row.id for row in report.debates] == [Path(one["trace"]).stem for one in traces]
    assert {row.theater for row in report.debates} == {None}


@pytest.mark.parametrize("at", range(4))
def test_expected_figures(report: Report, traces: list[dict[str, Any]], at: int) -> None:
    found, expected, stored = _of(report, at), traces[at]["expected"], traces[at]
    assert found.spread == expected["panel_disagreement"]
    assert list(found.gaps) == expected["gaps"]
    assert list(found.midpoints) == expected["midpoints"]
    assert found.gap_change == expected.get("gap_change", 0)
    assert found.verdict == expected.get("verdict", "panel_agreed")
    assert found.consensus is stored["debate"]["consensus_reached"] is expected.get("consensus", False)
    assert found.early_termination is stored["debate"]["early_termination"]
    assert found.blend == expected.get("blend", expected.get("post_debate"))
    final = expected.get("final", expected.get("final_medium", found.blend))
    assert found.final == pytest.approx(final, abs=5e-7)
    assert found.final == pytest.approx(stored["final_probability"], abs=5e-5)
    assert found.recorded_final == stored["final_probability"]


@pytest.mark.parametrize("at", range(4))
def test_the_aggregate_is_what_each_recorded(report: Report, traces: list[dict[str, Any]], at: int) -> None:
    found, stored = _of(report, at), traces[at]["aggregation"]
    assert (found.mean, found.aggregate) == (stored["raw_probability"], stored["extremized_probability"])


def test_the_design_table(report: Report) -> None:
    rows = [(one.verdict, one.blend, one.final) for one in (_of(report, at) for at in range(4))]
    assert rows == [
        ("held", 0.43331, 0.43331),
        ("held", 0.35612, 0.273672),
        ("panel_agreed", 0.17162, 0.174972),
        ("panel_agreed", 0.06, 0.008444),
    ]


def test_no_stored_figure_is_an_input(traces: list[dict[str, Any]], report: Report, tmp_path: Path) -> None:
    """The debate's and the aggregate's own figures are overwritten; nothing but what is as recorded changes."""
    file = tmp_path / "other.jsonl"
    lines = []
    for one in traces:
        debate = {**one["debate"], "consensus_reached": True, "bull_final_probability": 0.99}
        aggregation = {**one["aggregation"], "raw_probability": 0.99, "extremized_probability": 0.99}
        lines.append(json.dumps({**one, "debate": debate, "aggregation": aggregation, "expected": {}}))
    file.write_text("\n".join(lines))
    assert [row.forecast for row in debates_report(file, "strict").debates] == [row.forecast for row in report.debates]


@pytest.mark.parametrize(("outcome", "scores"), [(1, (0.344217, 0.321138)), (0.0, (0.170817, 0.187758))])
def test_brier_scores_once_the_outcome_is_known(
    traces: list[dict[str, Any]], tmp_path: Path, outcome: float, scores: tuple[float, float]
) -> None:
    first = {**traces[0], "question": {**traces[0]["question"], "resolved_outcome": outcome}}
    file = tmp_path / "one.json"
    file.write_text(json.dumps([first]))
    found = _of(debates_report(file, "strict"), 0)
    assert (found.outcome, found.brier_before, found.brier_after) == (outcome, *scores)
