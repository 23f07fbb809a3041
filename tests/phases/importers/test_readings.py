"""Both readings on small made-up turns; the expected answers are worked out by hand from the reading rules."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from phases.debate.readouts.moves import Point
from phases.importers import author, strict
from phases.importers.claims import Claim, claims_of
from phases.importers.points import StoredPoints, points_debate
from phases.importers.prose import Backing, backings
from phases.importers.stored import Reading, SetAside, StoredDebate

CLAIMS = [Claim(f"cl_A_{at}", f"obj_initial_a_{at}", "A", "") for at in range(40)]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("- a claim", "a claim"),
        ("  * an indented one", "an indented one"),
        ("• bullet", "bullet"),
        ("12. numbered", "numbered"),
        ("1234 no list. mark", None),
        ("123. three digits", "three digits"),
        ("Below: follows", "Below: follows"),
        ("### Severity: High", "### Severity: High"),
        ("# heading", None),
        ("---", None),
        ("- 1.) (x", None),
        ("- fours", "fours"),
        ("plain prose", None),
        ("", None),
        ("- " + "x" * 400, "x" * 300),
        ("- windows line\r", "windows line"),
    ],
)
def test_claim_lines(line: str, text: str | None) -> None:
    found = claims_of(f"\n{line}", "B")
    assert [one.text for one in found] == ([] if text is None else [text])
    assert all((one.id, one.objection) == ("cl_B_1", "obj_initial_b_0") for one in found)


def test_claims_are_numbered_by_line_and_objections_by_turn() -> None:
    found = claims_of("# r\n- first one\nprose\n- second one", "A")
    assert [(one.id, one.objection) for one in found] == [("cl_A_1", "obj_initial_a_0"), ("cl_A_3", "obj_initial_a_1")]


@pytest.mark.parametrize(
    ("reply", "by_strict", "by_author"),
    [
        ("conceded: obj_initial_a_1", "conceded", "conceded"),
        ("OBJ_INITIAL_A_1 REBUTTED", "rebutted", None),
        ("cl_A_1 CARRIED", "carried", "carried"),
        ("obj_initial_a_1 UNCONCEDED", None, "conceded"),
        ("obj_initial_a_1x CONCEDED", None, "conceded"),
        ("obj_initial_a_01 CONCEDED", None, None),
        ("xobj_initial_a_1 CONCEDED", None, "conceded"),
        ("obj_initial_b_1 CONCEDED", None, None),
        ("obj_initial_a_1 CARRIED, not conceded", "carried", "conceded"),
        ("obj_initial_a_1 CARRIED, never  conceded", "carried", "conceded"),
        ("obj_initial_a_1 CARRIED as conceded earlier", "mixed", "conceded"),
        ("obj_initial_a_1 CARRIED\ncl_A_1 REBUTTED", "rebutted", "rebutted"),
        ("cl_A_1 REBUTTED\nobj_initial_a_1 CARRIED", "carried", "rebutted"),
        ("obj_initial_a_1 CARRIED\nobj_initial_a_1 REBUTTED", "mixed", "rebutted"),
        ("obj_initial_a_1\nREBUTTED: so", "rebutted", None),
        ("obj_initial_a_1\n\nREBUTTED: so", None, None),
        ("obj_initial_a_1\nobj_initial_a_2 REBUTTED", None, None),
        ("obj_initial_a_1 is NOT\nCONCEDED", None, None),
        ("obj_initial_a_15 CONCEDED", None, "conceded"),
        ("obj_initial_a_1, obj_initial_a_2: CONCEDED", "conceded", "conceded"),
        ("I have CONCEDED nothing.", None, None),
        ("", None, None),
    ],
)
def test_answers(reply: str, by_strict: str | None, by_author: str | None) -> None:
    for heard, wanted in ((strict.heard(CLAIMS, reply), by_strict), (author.heard(CLAIMS, reply), by_author)):
        got = heard["cl_A_1"].answer if "cl_A_1" in heard else None
        assert got == wanted, reply


@pytest.mark.parametrize(
    ("text", "reasoned", "evidenced"),
    [
        ("CONCEDED obj_initial_a_0", False, False),
        ("CONCEDED obj_initial_a_0: fine", False, False),
        ("3. CONCEDED obj_initial_a_0: you are right about the lock", True, False),
        ("REBUTTED obj_initial_a_0: it is held in line 12", True, True),
        ("REBUTTED obj_initial_a_0:\n\nit is held by `run` itself", True, True),
        ("REBUTTED obj_initial_a_0 and cl_A_3: CONCEDED, REBUTTED", False, False),
    ],
)
def test_backing(text: str, reasoned: bool, evidenced: bool) -> None:
    assert backings(text.split("\n"))[0] == Backing(reasoned, evidenced)


def _record(**changed: Any) -> dict[str, Any]:
    turns = [_turn(1, "A", "obj_initial_a_0 CARRIED"), _turn(1, "B", "obj_initial_b_0 REBUTTED")]
    record = {"pair": "p", "artifact_id": "a", "review_a": "- alpha", "review_b": "- bravo", "total_claims": 2}
    return {**record, "turns": turns, **changed}


def _turn(number: int, side: str, content: str | None, error: str | None = None) -> dict[str, Any]:
    return {"round": number, "side": side, "degraded": False, "error": error, "content": content}


def _read(record: dict[str, Any], reading: Reading) -> StoredDebate:
    found = points_debate(StoredPoints.model_validate_json(json.dumps(record)), reading)
    assert isinstance(found, StoredDebate)
    return found


def _answers(debate: StoredDebate) -> list[str]:
    return [point.answer for point in debate.points or ()]


def test_a_side_answers_for_its_own_claims_only() -> None:
    turns = [_turn(1, "A", "obj_initial_b_0 CONCEDED"), _turn(1, "B", "obj_initial_a_0 CONCEDED")]
    for how in ("strict", "author"):
        assert _answers(_read(_record(turns=turns), how)) == ["unaddressed", "unaddressed"]


def test_nothing_in_round_two_moves_a_point_but_it_may_uphold_or_rebut() -> None:
    late = [_turn(2, "A", "cl_A_0 CONCEDED and REBUTTED, agreed"), _turn(2, "B", "nothing")]
    record = _record(turns=[_turn(1, "A", "x"), _turn(1, "B", "y"), *late])
    assert _answers(_read(record, "strict")) == ["unaddressed", "unaddressed"]
    by_author = _read(record, "author")
    assert _answers(by_author) == ["upheld", "unaddressed"]
    assert by_author.rebuttal_words


def test_author_stops_after_an_error_and_once_all_is_conceded() -> None:
    late = [_turn(2, "A", "cl_B_0 agreed"), _turn(2, "B", "more")]
    failed = _record(turns=[_turn(1, "A", "x"), _turn(1, "B", None, "HTTP 429"), *late])
    assert [(turn.speaker, turn.round_number) for turn in _read(failed, "author").turns] == [("A", 1)]
    assert _answers(_read(failed, "author")) == ["unaddressed", "unaddressed"]
    done = [_turn(1, "A", "cl_A_0 CONCEDED"), _turn(1, "B", "cl_B_0 CONCEDED"), *late]
    assert len(_read(_record(turns=done), "author").turns) == 2
    assert len(_read(_record(turns=done), "strict").turns) == 4


def test_an_answer_knows_its_round_and_what_backs_it() -> None:
    turns = [_turn(1, "A", "cl_A_0 CONCEDED since the lock is not held"), _turn(1, "B", None, "down")]
    first, second = _read(_record(turns=turns), "strict").points or ()
    assert first == Point("cl_A_0", "A", "conceded", answered=1, reasoned=True)
    assert second == Point("cl_B_0", "B", "unaddressed")


def test_the_recorders_canary_line_is_no_part_of_a_turn() -> None:
    turns = [_turn(1, "A", "hello\n\nCANARY_ISOLATION_CHECK_1a2b"), _turn(1, "B", "\n\nCANARY_ISOLATION_CHECK_1")]
    assert [turn.text for turn in _read(_record(turns=turns), "strict").turns] == ["hello"]


def test_another_number_of_claims_is_set_aside() -> None:
    found = points_debate(StoredPoints.model_validate_json(json.dumps(_record(total_claims=3))), "strict")
    assert isinstance(found, SetAside)
    assert found.reason == "its reviews hold 2 claims, recorded are 3"


def test_a_turn_stored_twice_is_refused() -> None:
    doubled = _record(turns=[_turn(1, "B", "x"), _turn(1, "B", "y")])
    with pytest.raises(ValueError, match="B1 is stored more than once"):
        points_debate(StoredPoints.model_validate_json(json.dumps(doubled)), "strict")


@pytest.mark.parametrize(
    "hostile",
    [
        "cl_A_1 " * 150_000,
        "NOT " * 250_000 + "cl_A_1",
        "NOT" + " " * 1_000_000 + "x",
        "obj_initial_a_" + "1" * 1_000_000,
        "cl_A_1\n" * 150_000,
        "CONCEDED\ncl_A_1\n" * 60_000,
        "x" * 1_000_000,
        "a." * 500_000,
    ],
    ids=["ids", "denials", "space", "digits", "lines", "pairs", "word", "dots"],
)
def test_reading_is_linear(hostile: str) -> None:
    begun = time.monotonic()
    for reading in (strict, author):
        reading.heard(CLAIMS, hostile)
    claims_of(hostile, "A")
    assert time.monotonic() - begun < 20
