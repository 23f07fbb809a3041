"""One turn alone: what `skill` sends and what comes back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.fake_model.server import FakeModel
from phases.core.text import canonical, digest
from phases.lint import BINDINGS
from phases.providers.offline import OfflineDesk
from schemas.generate import wire_text
from schemas.validation import problems
from tests.conftest import DAY, ROOT, Cli, Night
from tests.skill_command.turns import ASKED, BEAR, BULL, FURTHER, MANAGER, SKILLS, Say, Turn, bare, schema_of, turns_of
from tests.skills.bindings import BINDINGS as ASKED_AS


def _key(turn: Turn, prompt: str) -> str:
    """Key of a question in the journal, from the prompt that was printed."""
    identity = {
        "kind": "ask",
        "engine": OfflineDesk.engine,
        "model": "offline-desk",
        "skill": digest(SKILLS[turn.skill].text),
        "prompt": digest(prompt),
        "schema": digest(wire_text(BINDINGS[turn.skill][1], tuple(turn.require))),
        "sample": 0,
    }
    return digest(canonical(identity))


def test_every_turn_of_a_night_can_be_asked_again_alone(say: Say, nights: Night, tmp_path: Path) -> None:
    """The same prompt to the letter, so the same key in the journal; so no call, and the same answer."""
    turns = turns_of(nights, tmp_path / "spare")
    assert sorted({turn.skill for turn in turns}) == ASKED, "a skill that no night of these asks"
    out = nights.copy(tmp_path / "copy")
    before = out.called()
    for turn in turns:
        words = ("skill", turn.skill, "--inputs", "-", "--set", f"debate.protocol={turn.protocol}", "--out", out.path)
        given = json.dumps(turn.inputs)
        prompt = say(*words, "--print-prompt", stdin=given)
        assert (prompt.code, prompt.err) == (0, "")
        assert _key(turn, prompt.out.removesuffix("\n")) == turn.key, (turn.skill, turn.protocol, turn.seat)
        told = say(*words, stdin=given)
        assert told.code == 0
        assert told.json == bare(turn.reply)
        assert "calls: 0 made, 1 from the journal" in told.err
    assert out.called() == before


def test_what_show_prints_of_a_bought_night_can_be_asked_again(say: Say, tmp_path: Path) -> None:
    """Every `inputs` of one ticker's turns, against a server: checked JSON on stdout, and nothing is bought twice."""
    with FakeModel({}) as server:
        words: list[object] = ["--config", ROOT / "configs" / "anthropic.yaml", "--out", tmp_path / "out"]
        words += ["--set", f"provider.base_url={server.url}", "--set", "provider.key=NO_SUCH_KEY_IS_SET"]
        assert say("run", "AAPL", "--as-of", DAY, *words).code == 0
        turns = say("show", "last", "AAPL", "--json", "--out", tmp_path / "out").json["turns"]
        bought = server.stats()["turns"]
        for turn in turns:
            told = say("skill", turn["skill"], "--inputs", "-", *words, stdin=json.dumps(turn["inputs"]))
            assert told.code == 0 and told.out.count("\n") == 1, told.err
            assert problems(BINDINGS[turn["skill"]][1], told.json) == ()
            assert "calls: 0 made, 1 from the journal" in told.err
        assert server.stats()["turns"] == bought == len(turns) + 1, "the night's own wording is no ticker's"
    desk = {"technical-analyst", "sentiment-analyst", "research-debate", "research-manager"}
    assert {turn["skill"] for turn in turns} == desk


@pytest.mark.parametrize("skill", ASKED)
def test_each_skill_answers_alone_with_json_and_nothing_else(
    say: Say, nights: Night, tmp_path: Path, skill: str
) -> None:
    """Under the default protocol, which asks for few of them: nothing is then required."""
    turn = next(turn for turn in turns_of(nights, tmp_path / "spare") if turn.skill == skill)
    _answers_alone(say, skill, json.dumps(turn.inputs), tmp_path)


@pytest.mark.parametrize("skill", FURTHER)
def test_each_further_skill_answers_alone_too(say: Say, tmp_path: Path, skill: str) -> None:
    (asked,) = ASKED_AS[skill].asked
    _answers_alone(say, skill, asked.inputs.model_dump_json(), tmp_path)


def _answers_alone(say: Say, skill: str, inputs: str, tmp_path: Path) -> None:
    told = say("skill", skill, "--inputs", "-", "--out", tmp_path / "out", stdin=inputs)
    assert told.code == 0
    assert told.out.count("\n") == 1
    assert problems(BINDINGS[skill][1], told.json) == ()
    lines = told.err.splitlines()
    assert len(lines) == 1 and lines[0].startswith(f"engine: {OfflineDesk.engine} | ")
    assert lines[0].endswith("calls: 1 made, 0 from the journal")


@pytest.mark.parametrize(
    ("file", "words", "contract"),
    [
        (BULL, ("research-debate", "--role", "bull", "--round", 1), "DebateRoundContribution"),
        (BEAR, ("research-debate", "--role", "bear", "--round", 2), "DebateRoundContribution"),
        (MANAGER, ("research-manager",), "ManagerReply"),
    ],
    ids=lambda value: value.stem if isinstance(value, Path) else None,
)
def test_the_recorded_turns_are_answered(
    cli: Cli, tmp_path: Path, file: Path, words: Sequence[object], contract: str
) -> None:
    assert file.stat().st_size < 60_000
    told = cli("skill", *words, "--inputs", file, "--out", tmp_path / "out")
    assert told.code == 0
    assert problems(contract, told.json) == ()


def test_the_recorded_bear_answers_every_open_point(say: Say, tmp_path: Path) -> None:
    points = [one["id"] for one in json.loads(BEAR.read_text())["open_points"]]
    told = say("skill", "research-debate", "--inputs", BEAR, "--out", tmp_path / "out")
    assert [move["target"] for move in told.json["moves"]] == points != []


def test_a_turn_that_no_step_asks_for_may_make_claims_and_need_not(say: Say, tmp_path: Path) -> None:
    words = ("skill", "research-debate", "--inputs", BULL, "--set", "debate.protocol=panel")
    told = say(*words, "--out", tmp_path / "out")
    assert told.code == 0 and len(told.json["claims"]) == 3
    assert "protocol panel does not ask for it, so nothing is required" in told.err
    desk, free = (schema_of(say(*some, "--print-prompt").out) for some in (words[:4], words))
    assert set(desk["required"]) - set(free["required"]) == {"probability", "claims"}


def test_flags_stand_in_for_what_the_json_lacks(say: Say, tmp_path: Path) -> None:
    inputs = json.loads(BULL.read_text())
    whole = say("skill", "research-debate", "--inputs", BULL, "--print-prompt").out
    del inputs["role"], inputs["round_number"]
    bare = json.dumps(inputs)
    words = ("skill", "research-debate", "--inputs", "-", "--print-prompt")
    assert say(*words, "--role", "bull", "--round", 1, stdin=bare).out == whole
    assert '"role":"bear"' in say(*words, "--role", "bear", "--round", 1, stdin=bare).out.splitlines()[-3:][0]
    absent = json.dumps({**inputs, "role": None, "round_number": None})
    assert say(*words, "--role", "bull", "--round", 1, stdin=absent).out == whole


def test_a_prompt_asks_nobody_and_leaves_no_file(say: Say, tmp_path: Path) -> None:
    words = ("skill", "research-debate", "--inputs", BULL, "--set", "provider=nope", "--out", tmp_path / "out")
    assert say(*words, "--print-prompt").code == 0
    assert say(*words).error.startswith("error: provider: 'nope' is unknown")
    assert [one.name for one in tmp_path.iterdir()] == ["here"]
