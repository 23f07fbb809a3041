"""Stored two-reviewer debates: what was published with them is computed again, under both readings."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from phases.debate.readouts.moves import convergence, verdict
from phases.debate.readouts.theater import no_reply, no_substance
from phases.importers import author, strict
from phases.importers.claims import Claim
from phases.importers.files import load_debates
from phases.importers.points import StoredPoints, points_debate
from phases.importers.report import Report, Row, debates_report

Golden = Callable[[str], Path]
FILE = "points_debates.jsonl.gz"


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


@pytest.fixture(scope="module")
def by_author(golden: Golden) -> Report:
    return debates_report(golden(FILE), "author")


@pytest.fixture(scope="module")
def by_strict(golden: Golden) -> Report:
    return debates_report(golden(FILE), "strict")


@pytest.fixture(scope="module")
def replay(golden: Golden) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(golden("golden_vectors.json").read_text())
    return found["replay_adversarial_debate"]["v0.2.1"]


def test_author_totals(by_author: Report, replay: dict[str, Any]) -> None:
    of = by_author.totals
    assert (of.n, of.set_aside, of.bad_lines) == (367, 0, 0) == (replay["debates"], 0, 0)
    assert of.mean_convergence == 0.38326
    assert round(of.mean_convergence, 4) == replay["mean_convergence_author_code"]
    assert (of.points, of.resolved, of.concessions, of.upheld) == (13791, 3, 5227, 72)
    assert (of.cascades, of.no_reply) == (5, 0)
    assert (replay["verdicts"], replay["concessions"], replay["cascades"], replay["theater"]) == (3, 5227, 5, 0)


def test_strict_totals(by_strict: Report, replay: dict[str, Any]) -> None:
    of = by_strict.totals
    assert (of.n, of.mean_convergence) == (367, 0.371617)
    assert round(of.mean_convergence, 4) == replay["mean_convergence_exact_ids"]
    assert (of.concessions, of.rebutted, of.carried, of.mixed, of.unaddressed) == (5152, 1051, 6821, 6, 761)
    assert of.resolved == replay["exact_full_convergence"]


def test_author_is_what_each_debate_recorded(golden: Golden, by_author: Report) -> None:
    records = list(_records(golden(FILE)))
    words = {"verdict": "resolved", "disputed": "disputed"}
    for stored, row in zip(records, by_author.debates, strict=True):
        assert row.id == f"{stored['pair']}/{stored['artifact_id']}"
        assert row.convergence == pytest.approx(stored["convergence_score"], abs=5e-5), row.id
        assert (row.verdict, row.cascade) == (words[stored["verdict_kind"]], stored["capitulation_cascade"]), row.id
        assert (row.theater == "no_reply") == stored["theater"], row.id
        assert (row.conceded, row.conceded + row.upheld) == (stored["concessions_count"], stored["resolved_count"])


def test_author_is_what_was_published(golden: Golden, by_author: Report) -> None:
    with golden("points_debates_published_summary.csv").open(newline="") as lines:
        published = {f"{row['pair']}/{row['artifact_id']}": row for row in csv.DictReader(lines)}
    assert set(published) == {row.id for row in by_author.debates}
    for row in by_author.debates:
        known = published[row.id]
        assert row.convergence == pytest.approx(float(known["convergence_score"]), abs=5.1e-4)
        assert (row.points, row.conceded) == (int(known["total_claims"]), int(known["concessions"]))
        assert row.cascade == (known["capitulation"] == "True")


def test_strict_counts_of_each_debate(golden: Golden, by_strict: Report) -> None:
    columns = ("total_claims", "conceded_exact", "rebutted_exact", "carried_exact", "mixed", "unaddressed")
    with golden("points_debates_moves_strict.csv").open(newline="") as lines:
        known = list(csv.DictReader(lines))
    for row, wanted in zip(by_strict.debates, known, strict=True):
        assert row.id == f"{wanted['pair']}/{wanted['artifact']}"
        got = (row.points, row.conceded, row.rebutted, row.carried, row.mixed, row.unaddressed)
        assert got == tuple(int(wanted[name]) for name in columns), row.id
        assert f"{row.convergence:.4f}" == f"{float(wanted['exact_score']):.4f}", row.id


def test_concessions_that_only_the_prefix_clash_makes(golden: Golden, replay: dict[str, Any]) -> None:
    loose, exact = (load_debates(golden(FILE), how).debates for how in ("author", "strict"))
    flips = []
    for one, other in zip(loose, exact, strict=True):
        answers = {point.id: point.answer for point in other.points or ()}
        conceded = [point.id for point in one.points or () if point.answer == "conceded"]
        flips.append(sum(answers[name] in ("rebutted", "carried") for name in conceded))
    assert sum(flips) == replay["concessions_flipped_by_prefix"]
    assert sum(count > 0 for count in flips) == replay["debates_with_flip"]


@pytest.mark.parametrize(
    ("name", "author_says", "strict_says"),
    [
        ("homogeneous_gpt/kubernetes_kubernetes_PR140871", (4, 0, 0.1, "disputed", False), (4, 9, 25, 0, 2)),
        ("pair3_gpt_mistral/kubernetes_kubernetes_PR140886", (36, 0, 1.0, "resolved", True), (36, 0, 0, 0, 0)),
        ("pair3_gpt_mistral/ir-014", (18, 0, 0.9474, "disputed", True), (18, 0, 1, 0, 0)),
        ("pair3_gpt_mistral/ir-021", (11, 12, 0.9583, "disputed", False), (11, 0, 13, 0, 0)),
        ("pair8_deepseek_gpt_mini/cm-008", (5, 10, 0.5, "disputed", False), (5, 0, 25, 0, 0)),
        ("pair3_gpt_mistral/ir-002", (0, 0, 0.0, "disputed", False), (0, 7, 5, 0, 12)),
        ("pair8_deepseek_gpt_mini/kubernetes_kubernetes_PR141012", (8, 0, 0.186, "disputed", False), (6, 0, 26, 1, 10)),
        (
            "pair8_deepseek_gpt_mini/prometheus_prometheus_PR19513",
            (10, 0, 0.2564, "disputed", False),
            (5, 10, 9, 3, 12),
        ),
        ("pair3_gpt_mistral/cm-013", (33, 0, 0.6875, "disputed", False), (33, 10, 5, 0, 0)),
        ("pair3_gpt_mistral/cm-015", (25, 0, 0.625, "disputed", False), (25, 8, 7, 0, 0)),
        ("pair8_deepseek_gpt_mini/sec-009", (8, 0, None, "disputed", False), (5, None, None, None, None)),
    ],
)
def test_worked_examples(
    by_author: Report, by_strict: Report, name: str, author_says: tuple[Any, ...], strict_says: tuple[Any, ...]
) -> None:
    def of(report: Report) -> Row:
        return next(row for row in report.debates if row.id == name)

    loose, exact = of(by_author), of(by_strict)
    score = round(loose.convergence or 0, 4)
    got = (loose.conceded, loose.upheld, score, loose.verdict, loose.cascade)
    assert all(known is None or one == known for one, known in zip(got, author_says, strict=True)), got
    moved = (exact.conceded, exact.rebutted, exact.carried, exact.mixed, exact.unaddressed)
    assert all(known is None or one == known for one, known in zip(moved, strict_says, strict=True)), moved


def test_as_recorded_is_reported_apart(by_strict: Report) -> None:
    of = by_strict.recorded
    assert (of.n, of.resolved, of.concessions, of.cascades, of.no_reply) == (367, 3, 5227, 5, 0)
    assert of.mean_convergence == pytest.approx(0.38326, abs=1e-6)


def test_a_review_that_is_not_what_was_debated_is_set_aside_and_enters_no_figure(
    golden: Golden, tmp_path: Path
) -> None:
    first, second, *_ = _records(golden(FILE))
    first["review_a"] += "\n- one more claim"
    file = tmp_path / "two.jsonl"
    file.write_text("".join(f"{json.dumps(one)}\n" for one in (first, second)), encoding="utf-8")
    report = debates_report(file, "strict")
    assert (report.totals.n, report.totals.set_aside, report.totals.concessions) == (1, 1, 20)
    (left,) = report.set_aside
    assert left["id"].endswith("PR140871")
    assert left["reason"] == "its reviews hold 41 claims, recorded are 40"


# Rows of golden_vectors.json where the original is wrong


@pytest.fixture(scope="module")
def bugs(golden: Golden) -> list[dict[str, Any]]:
    found: dict[str, Any] = json.loads(golden("golden_vectors.json").read_text())
    return list(found["moves_observed_bugs_0.2.2"])


CLAIMS = [Claim(f"cl_A_{at}", f"obj_initial_a_{at}", "A", "") for at in range(12)]


def test_bug_rows_about_moves(bugs: list[dict[str, Any]]) -> None:
    rows = [row for row in bugs if any(name.startswith("obj_") for name in row.get("ours", ()))]
    rows = [row for row in rows if isinstance(row["ours"], dict)]
    assert len(rows) == 3
    for row in rows:
        for reading, column in ((strict, "ours"), (author, "original")):
            heard = reading.heard(CLAIMS, row["reply"])
            for name, wanted in row[column].items():
                claim = next(one for one in CLAIMS if one.objection == name)
                got = heard[claim.id].answer if claim.id in heard else "unaddressed"
                assert got == wanted, (column, row["reply"], name)


def _one_claim(reply: str, claims: int = 1) -> StoredPoints:
    return StoredPoints.model_validate_json(
        json.dumps(
            {
                "pair": "p",
                "artifact_id": "a",
                "review_a": "\n- a claim" * claims,
                "review_b": "",
                "turns": [{"round": 1, "side": "A", "content": reply, "degraded": False, "error": None}],
                "total_claims": claims,
            }
        )
    )


def test_bug_row_about_a_word_that_holds_another(bugs: list[dict[str, Any]]) -> None:
    (row,) = [one for one in bugs if "DISAGREED" in one.get("reply", "")]
    loose, exact = (points_debate(_one_claim(row["reply"]), how) for how in ("author", "strict"))
    assert [point.answer for point in loose.points] == ["upheld"]
    assert (convergence(loose.points), verdict(loose.points)) == (1, "resolved")
    assert (convergence(exact.points), verdict(exact.points)) == (0, "disputed")


def test_bug_row_about_theater(bugs: list[dict[str, Any]]) -> None:
    (row,) = [one for one in bugs if "theater" in one["ours"] and "reply" in one]
    for how in ("author", "strict"):
        debate = points_debate(_one_claim(row["reply"]), how)
        assert no_reply(debate.points, debate.turns) is row["original"]["theater"]
        assert no_substance(debate.points, debate.turns) is row["ours"]["theater"]


def test_bug_row_about_no_claims(bugs: list[dict[str, Any]], tmp_path: Path) -> None:
    (row,) = [one for one in bugs if one.get("claims") == 0]
    assert row["ours"] == "no score, kind 'empty'"
    assert (convergence([]), verdict([])) == (None, "empty")
    file = tmp_path / "one.jsonl"
    file.write_text(_one_claim("anything", claims=0).model_dump_json())
    (exact,) = debates_report(file, "strict").debates
    assert (exact.convergence, exact.verdict) == (None, "empty")
    (loose,) = debates_report(file, "author").debates
    assert (loose.convergence, loose.verdict, loose.theater) == (1.0, "resolved", "no_reply")
