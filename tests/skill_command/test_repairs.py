"""One turn alone is paid once and repaired once; what stays void says why."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from phases.core.ask import Reply, Request
from phases.providers.offline import OfflineDesk
from tests.conftest import Shelf
from tests.skill_command.turns import BULL, MANAGER, Say, schema_of


def test_asking_twice_makes_one_call(say: Say, tmp_path: Path) -> None:
    words = ("skill", "research-debate", "--inputs", BULL, "--out", tmp_path / "out")
    first, again = say(*words), say(*words)
    assert first.out == again.out != ""
    assert [re.search(r"calls: (.*)", one.err)[1] for one in (first, again)] == [  # type: ignore[index]
        "1 made, 0 from the journal",
        "0 made, 1 from the journal",
    ]
    assert list(Shelf(tmp_path / "out").called().values()) == [1]


def test_a_store_with_a_lone_turn_holds_no_run(say: Say, tmp_path: Path) -> None:
    say("skill", "research-debate", "--inputs", BULL, "--out", tmp_path / "out")
    assert say("runs", "--out", tmp_path / "out").out == ""
    assert "holds no run yet" in say("show", "last", "--out", tmp_path / "out").error


@pytest.fixture(name="replies")
def _replies(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Request]]:
    """Makes the desk give these replies, one after another; a function is given the desk's own answer."""
    answer = OfflineDesk.replies

    def scripted(*script: Any) -> list[Request]:
        left, seen = list(script), []

        def replies(self: OfflineDesk, requests: Sequence[Request]) -> Sequence[Reply]:
            (own,) = answer(self, requests)
            seen.extend(requests)
            said = left.pop(0)
            return [said if isinstance(said, Reply) else Reply(json.dumps(said(json.loads(own.text))), "end_turn")]

        monkeypatch.setattr(OfflineDesk, "replies", replies)
        return seen

    return scripted


JUNK = Reply("I would rather not say.", "end_turn")


def test_a_reply_is_repaired_once(say: Say, replies: Any, tmp_path: Path) -> None:
    seen = replies(JUNK, lambda own: own)
    told = say("skill", "research-debate", "--inputs", BULL, "--out", tmp_path / "out")
    assert (told.code, len(seen)) == (0, 2)
    assert JUNK.text in seen[1].prompt.text
    assert told.json["role"] == "bull"
    assert "note: repaired" in told.err.splitlines()


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ((JUNK, JUNK), "quarantine: the reply holds no complete JSON object"),
        ((Reply("", "refusal"),), "refuse: the model refused"),
        ((lambda own: {**own, "role": "bear"},) * 2, "you were asked for 'bull' and said 'bear'"),
    ],
    ids=["junk", "refusal", "the other role"],
)
def test_a_void_turn_is_exit_1_with_its_reason(say: Say, replies: Any, tmp_path: Path, script: Any, why: str) -> None:
    seen = replies(*script)
    told = say("skill", "research-debate", "--inputs", BULL, "--out", tmp_path / "out")
    assert (told.code, told.out, len(seen)) == (1, "", len(script))
    last = told.err.splitlines()[-1]
    assert last.startswith("error: research-debate: the turn is void: ") and why in last


def test_what_does_not_count_is_left_out_and_said(say: Say, replies: Any, tmp_path: Path) -> None:
    idle = {"id": "c9", "text": "It will go well.", "evidence": []}
    replies(*(lambda own: {**own, "claims": [own["claims"][0], idle]},) * 2)
    told = say("skill", "research-debate", "--inputs", BULL, "--out", tmp_path / "out")
    assert told.code == 0
    assert [claim["id"] for claim in told.json["claims"]] == ["c1"]
    assert "note: does not count: /claims/1: rests on no evidence id" in told.err.splitlines()
    assert "note: ungrounded_claim" in told.err.splitlines()


def test_a_manager_is_held_to_the_theses_of_the_sides_that_were_argued(say: Say) -> None:
    words = ("skill", "research-manager", "--inputs", "-", "--print-prompt")
    inputs = json.loads(MANAGER.read_text())
    assert {"bull_thesis", "bear_thesis"} <= set(schema_of(say(*words, stdin=json.dumps(inputs)).out)["required"])
    for one in inputs["rounds"]:
        one["bear_argument"] = None
    required = set(schema_of(say(*words, stdin=json.dumps(inputs)).out)["required"])
    assert "bull_thesis" in required and "bear_thesis" not in required
