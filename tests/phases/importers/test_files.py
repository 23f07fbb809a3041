"""Files of stored debates: what is wrong with a line is told by its number, what is wrong with a file stops."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from phases.core.errors import UsageError
from phases.importers import files
from phases.importers.files import load_debates
from phases.importers.page import report_json, report_text
from phases.importers.report import debates_report

POINTS = {
    "pair": "p",
    "artifact_id": "a",
    "review_a": "- alpha",
    "review_b": "- bravo",
    "total_claims": 2,
    "turns": [
        {"round": 1, "side": "A", "content": "cl_A_0 CONCEDED", "error": None},
        {"round": 1, "side": "B", "content": None, "error": "HTTP 429"},
    ],
}
RUN = {
    "source_file": "logs/results_X_1.json",
    "ticker": "X",
    "trade_date": "2025-08-13",
    "rounds": [
        {"round": 1, "bull": "Buy it, for the margin grows.", "bear": "Sell."},
        {"round": 2, "bull": "BUY it: for the margin grows", "bear": None},
        {"round": 3, "bull": "Something else entirely.", "bear": "sell"},
    ],
}
GOOD = json.dumps(POINTS)


def _written(tmp_path: Path, *lines: str | bytes) -> Path:
    file = tmp_path / "debates.jsonl"
    file.write_bytes(b"\n".join(line.encode() if isinstance(line, str) else line for line in lines))
    return file


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"pair": "p"', "not JSON: Expecting ',' delimiter at character 12"),
        ("[1]", "not a JSON object"),
        ("{}", "no debate of a known shape"),
        ('{"pair": "p", "pair": "q"}', "the key 'pair' stands twice"),
        ("[" * 100_000, "nested deeper than 64 levels"),
        (b'{"pair": "\xff"}', "not UTF-8 at byte 10"),
        (json.dumps({**POINTS, "total_claims": True}), "total_claims: input should be a valid integer"),
        (json.dumps({**POINTS, "total_claims": -1}), "total_claims: input should be greater than or equal to 0"),
        (json.dumps({**POINTS, "review_b": None}), "review_b: input should be a valid string"),
        (json.dumps({k: v for k, v in POINTS.items() if k != "review_b"}), "review_b: field required"),
        (json.dumps({**POINTS, "turns": [{"round": 1, "side": "C", "content": ""}]}), "turns.0.side: "),
        (json.dumps({**POINTS, "turns": POINTS["turns"] * 2}), "turns: A1, B1 is stored more than once"),
        (GOOD, "p/a stands already on line 1"),
        (json.dumps({**POINTS, "total_claims": 9, "artifact_id": "a\x1b[31m"}) + GOOD, "not JSON: Extra data"),
    ],
)
def test_a_bad_line_is_named_with_its_reason(tmp_path: Path, line: str | bytes, reason: str) -> None:
    found = load_debates(_written(tmp_path, GOOD, "", line), "strict")
    assert (len(found.debates), found.set_aside) == (1, ())
    (bad,) = found.bad_lines
    assert bad.number == 3
    assert bad.reason.startswith(reason)
    report = debates_report(_written(tmp_path, GOOD, "", line), "strict")
    assert f"line 3: {reason}" in report_text(report)
    assert json.loads(report_json(report))["bad_lines"] == [{"number": 3, "reason": bad.reason}]


def test_a_line_that_is_too_long_is_one_bad_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LINE_LIMIT", 2000)
    found = load_debates(_written(tmp_path, "x" * 9001, GOOD, "y" * 2001, ""), "strict")
    assert [bad.number for bad in found.bad_lines] == [1, 3]
    assert len(found.debates) == 1


@pytest.mark.parametrize("make", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_plain_and_gzip_with_any_line_end_and_a_mark_in_front(tmp_path: Path, make: type[bytes], end: bytes) -> None:
    file = tmp_path / "debates"
    file.write_bytes(make(b"\xef\xbb\xbf" + GOOD.encode() + end + json.dumps(RUN).encode() + end))
    found = load_debates(file, "author")
    assert [debate.id for debate in found.debates] == ["p/a", "X/results_X_1"]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(GOOD.encode() * 50)[:-20])
    (tmp_path / "empty").touch()
    (tmp_path / "wrong.gz").write_bytes(b"\x1f\x8bnothing")
    cases = {
        "missing": "No such file",
        ".": "Is a directory",
        "cut.gz": "damaged gzip",
        "wrong.gz": "damaged gzip",
        "empty": "holds no line",
        "a\0b": "null byte",
    }
    for name, words in cases.items():
        with pytest.raises(UsageError, match=words):
            load_debates(tmp_path / name, "strict")


def test_an_unknown_reading_is_refused_with_what_is_known(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--reading strickt: unknown; did you mean strict\? \(known: strict, author"):
        debates_report(_written(tmp_path, GOOD), "strickt")


def test_the_report_has_every_figure_and_the_same_bytes_twice(tmp_path: Path) -> None:
    report = debates_report(_written(tmp_path, GOOD, json.dumps(RUN)), "strict")
    first, second = report.debates
    assert (first.points, first.conceded, first.unaddressed, first.convergence) == (2, 1, 1, 0.5)
    assert (first.verdict, first.theater, first.cascade) == ("disputed", "no_substance", False)
    assert (second.points, second.convergence, second.theater) == (0, None, "no_substance")
    assert second.repeated == ("bull.2", "bear.3")
    assert (report.totals.n, report.totals.mean_convergence, report.totals.empty) == (2, 0.5, 1)
    of = report.repeats
    assert (of.turns, of.identical, of.others_flagged, of.hit_rate, of.false_alarm_rate) == (3, 0, 2, None, 0.666667)
    assert report_json(report) == report_json(debates_report(tmp_path / "debates.jsonl", "strict"))
    assert "mean convergence 0.5000" in report_text(report)


def test_an_empty_stored_debate_enters_the_mean_as_its_shape_says(tmp_path: Path) -> None:
    empty = {**POINTS, "artifact_id": "b", "review_a": "", "review_b": "", "total_claims": 0}
    for how, row in (("strict", (None, "empty")), ("author", (1.0, "resolved"))):
        report = debates_report(_written(tmp_path, GOOD, json.dumps(empty)), how)
        assert (report.debates[1].convergence, report.debates[1].verdict) == row
        assert (report.totals.mean_convergence, report.totals.empty) == (0.75, 1)


def test_a_name_cannot_forge_a_line(tmp_path: Path) -> None:
    forged = {**POINTS, "artifact_id": "a\nline 9: \x1b[31mforged", "total_claims": 2}
    text = report_text(debates_report(_written(tmp_path, json.dumps(forged)), "strict"))
    assert "\x1b" not in text
    assert not any(line.startswith("line 9") for line in text.splitlines())
