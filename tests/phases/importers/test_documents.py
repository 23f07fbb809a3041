"""A file may be one JSON document that holds a list of debates: told apart from JSON Lines, entries named alike."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from phases.core.errors import UsageError
from phases.importers import files
from phases.importers.files import Imported, load_debates
from phases.importers.page import report_text
from phases.importers.report import debates_report

PANEL: dict[str, Any] = {"id": "a", "question": "Buy?", "before": {"x": "buy"}, "after": {"x": "hold"}}
OTHER = {**PANEL, "id": "b"}
MODERATED: dict[str, Any] = {
    "question": "Rates up?",
    "max_rounds": 2,
    "rounds": [{"round": 1, "turns": [{"seat": "growth", "text": "Yes."}], "moderator": "STATUS: CONTINUE"}],
}
RUN = {
    "source_file": "r.json",
    "ticker": "X",
    "trade_date": "2025-08-13",
    "rounds": [{"round": 1, "bull": "Buy.", "bear": "Sell."}],
}
TRACE: dict[str, Any] = {
    "run_id": "r1",
    "question": {"question": "Hike?"},
    "agents": [{"p_yes": 0.4}, {"p_yes": 0.6}],
    "debate": {"rounds": [{"round_number": 1, "bull_probability": 0.6, "bear_probability": 0.4}]},
}


def _load(tmp_path: Path, text: str | bytes) -> Imported:
    file = tmp_path / "debates"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_debates(file, "strict")


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize(
    "value",
    [
        [PANEL, OTHER],
        {"debates": [PANEL, OTHER]},
        {"note": "n", "rows": [[1, 2]], "question": "all?", "anything": [PANEL, OTHER], "more": [{"id": 1}]},
    ],
    ids=["list", "object", "object with other lists"],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_lists_of_debates(tmp_path: Path, value: Any, indent: int | None, pack: type[bytes]) -> None:
    found = _load(tmp_path, pack(b"\xef\xbb\xbf" + json.dumps(value, indent=indent).encode() + b"\n"))
    assert ([one.id for one in found.debates], found.bad_lines, found.unit) == (["a", "b"], (), "entry")


@pytest.mark.parametrize("one", [PANEL, MODERATED, RUN, TRACE], ids=["panel", "moderated", "tickers", "forecaster"])
@pytest.mark.parametrize("indent", [None, 2])
def test_one_debate_alone_is_no_list_of_its_rounds(tmp_path: Path, one: dict[str, Any], indent: int | None) -> None:
    found = _load(tmp_path, json.dumps(one, indent=indent))
    assert (len(found.debates), found.bad_lines) == (1, ())


def test_lines_of_every_shape(tmp_path: Path) -> None:
    found = _load(tmp_path, "\n".join(map(json.dumps, (PANEL, MODERATED, RUN, TRACE, OTHER))))
    assert [one.id for one in found.debates] == ["a", "Rates up?", "X/r", "r1", "b"]
    assert found.unit == "line"


def test_bad_entries_are_named_by_their_number(tmp_path: Path) -> None:
    value = [PANEL, 1, PANEL, {**OTHER, "after": {"x": 1}}, {"z": 1}, OTHER]
    found = _load(tmp_path, json.dumps({"debates": value}, indent=1))
    assert [one.id for one in found.debates] == ["a", "b"]
    reasons = {one.number: one.reason for one in found.bad_lines}
    assert reasons[2] == "not a JSON object"
    assert reasons[3] == "a is already entry 1"
    assert reasons[4] == "after.x: input should be a valid string"
    assert reasons[5].startswith("no debate of a known shape (keys of points: pair, ")
    text = report_text(debates_report(tmp_path / "debates", "strict"))
    assert "entry 2: not a JSON object" in text.splitlines()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (json.dumps({"debates": [PANEL, OTHER]}, indent=1)[:-9], "not JSON: "),
        (json.dumps([PANEL, OTHER], indent=1).replace("}", ",}", 1), "not JSON: "),
        ('[\n{"id": "a", "id": "b"}\n]', "the key 'id' stands twice"),
        (json.dumps({"a": [PANEL], "b": [OTHER]}, indent=1), "no debate of a known shape"),
        (json.dumps({"a": [PANEL], "b": [OTHER]}), "no debate of a known shape"),
        ('{\n"debates": []\n}', "no debate of a known shape"),
        (b'[\n"\xff"]', "not UTF-8 at byte 3"),
    ],
)
def test_a_document_that_cannot_be_read_is_one_bad_entry(tmp_path: Path, text: str | bytes, reason: str) -> None:
    found = _load(tmp_path, text)
    (bad,) = found.bad_lines
    assert (bad.number, found.debates) == (1, ())
    assert bad.reason.startswith(reason)


def test_a_first_line_that_is_cut_does_not_cost_the_others(tmp_path: Path) -> None:
    found = _load(tmp_path, '{"id": "z",\n' + json.dumps(PANEL) + "\n" + json.dumps(OTHER)[:-1])
    assert [one.id for one in found.debates] == ["a"]
    assert [one.number for one in found.bad_lines] == [1, 3]
    cut = json.dumps(PANEL)[:-1]
    assert [one.number for one in _load(tmp_path, f"{cut}\n{cut}").bad_lines] == [1, 2]


def test_a_document_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LINE_LIMIT", 200)
    found = _load(tmp_path, json.dumps([PANEL] * 9, indent=1))
    assert [(one.number, one.reason) for one in found.bad_lines] == [(1, "longer than 0 MB")]
    lines = _load(tmp_path, "\n".join(json.dumps({**PANEL, "id": str(at)}) for at in range(9)))
    assert len(lines.debates) == 9


def test_an_empty_list_holds_nothing(tmp_path: Path) -> None:
    for text in ("[]", "[\n]\n"):
        with pytest.raises(UsageError, match="holds no line or entry"):
            _load(tmp_path, text)
