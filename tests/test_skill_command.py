"""One turn alone: what `skill` sends, prints and pays for, and how every wrong word ends."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bench.fake_model.server import FakeModel
from phases.alone import INPUTS_LIMIT
from phases.core.ask import Reply, Request
from phases.core.skills import load_skills
from phases.core.text import canonical, digest
from phases.lint import BINDINGS
from phases.providers.offline import OfflineDesk
from run_pipeline import main
from schemas.generate import wire_text
from schemas.validation import problems
from tests.conftest import DAY, ROOT, Cli, Night, Shared, Shelf, Told
from tests.skills.bindings import BINDINGS as ASKED_AS

RECORDINGS = ROOT / "tests" / "recordings"
BULL, BEAR, MANAGER = (RECORDINGS / f"{name}.json" for name in ("bull_round1", "bear_round2", "manager"))
SKILLS = load_skills(ROOT / "skills")
FURTHER = ("fundamental-analyst", "news-analyst", "news-reader")
"""Skills whose evidence the packaged source does not have."""
ASKED = sorted(set(SKILLS) & set(BINDINGS) - set(FURTHER))
PROTOCOLS = ("desk", "rounds", "forecaster", "moderated", "panel")
"""Protocols that seat every skill between them, in all stages."""

Say = Callable[..., Told]


@pytest.fixture(name="say")
def _say(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    """The command line within this process, started in an empty folder."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)

    def said(*words: object, stdin: str | bytes = "") -> Told:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main([str(word) for word in words])
        told = capsys.readouterr()
        return Told(int(end.value.code or 0), told.out, told.err, 0)

    return said


@pytest.fixture
def nights(shared: Shared) -> Night:
    """One ticker's night under several protocols, in one store."""

    def build(place: Path) -> list[Told]:
        words = ("run", "AAPL", "--as-of", DAY, "--out", place / "out", "--json", "--set", "risk.enabled=true", "--set")
        return [Cli(place)(*words, f"debate.protocol={name}") for name in PROTOCOLS]

    return shared("nights", build)


class Turn(NamedTuple):
    """One call of a night."""

    key: str
    protocol: str
    skill: str
    seat: str
    inputs: dict[str, Any]
    require: list[str]
    reply: dict[str, Any]


def _turns(nights: Night, spare: Path) -> list[Turn]:
    rows = nights.ask(
        "SELECT key, header, name, calls.seat, request, reply FROM calls JOIN runs USING (run_id) WHERE kind = 'ask'",
        spare=spare,
    )
    found = []
    for key, header, name, seat, request, reply in rows:
        asked, protocol = json.loads(request), json.loads(header)["settings"]["debate"]["protocol"]
        assert asked["errors"] == []
        said = json.loads(json.loads(reply)["text"])
        found.append(Turn(key, protocol, name, seat, asked["inputs"], asked["require"], said))
    return found


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


def _bare(value: Any) -> Any:
    """A value without what is absent."""
    if isinstance(value, dict):
        return {key: _bare(part) for key, part in value.items() if part is not None}
    return [_bare(part) for part in value] if isinstance(value, list) else value


# What is sent and what comes back.


def test_every_turn_of_a_night_can_be_asked_again_alone(say: Say, nights: Night, tmp_path: Path) -> None:
    """The same prompt to the letter, so the same key in the journal; so no call, and the same answer."""
    turns = _turns(nights, tmp_path / "spare")
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
        assert told.json == _bare(turn.reply)
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
    turn = next(turn for turn in _turns(nights, tmp_path / "spare") if turn.skill == skill)
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
    desk, free = (_schema(say(*some, "--print-prompt").out) for some in (words[:4], words))
    assert set(desk["required"]) - set(free["required"]) == {"probability", "claims"}


def _schema(prompt: str) -> Any:
    return json.loads(prompt.splitlines()[-1])


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


# Paid once, repaired once.


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
    assert {"bull_thesis", "bear_thesis"} <= set(_schema(say(*words, stdin=json.dumps(inputs)).out)["required"])
    for one in inputs["rounds"]:
        one["bear_argument"] = None
    required = set(_schema(say(*words, stdin=json.dumps(inputs)).out)["required"])
    assert "bull_thesis" in required and "bear_thesis" not in required


# Wrong words.

TAKES = "research-manager takes evidence, rounds, statements, claims, question, ticker"


def _with(file: Path, **changes: Any) -> str:
    found = {**json.loads(file.read_text()), **changes}
    return json.dumps({key: value for key, value in found.items() if value != "(absent)"})


WRONG: dict[str, tuple[tuple[object, ...], str, tuple[str, ...]]] = {
    "unknown skill": (("research-debat",), "{}", ("'research-debat' is no skill; did you mean research-debate?",)),
    "a folder": (("../research-debate",), "{}", ("is no skill", "skills: debate-critic")),
    "a guide": (("run-debate",), "{}", ("'run-debate' is for an agent to follow; no phase asks it",)),
    "another role": (
        ("research-debate", "--role", "bear", "--round", 1),
        _with(BULL),
        ('--role bear differs from role "bull" in the inputs',),
    ),
    "another round": (
        ("research-debate", "--role", "bull", "--round", 2),
        _with(BULL),
        ("--round 2 differs from round_number 1 in the inputs",),
    ),
    "no such role": (
        ("research-debate", "--role", "judge"),
        _with(BULL, role="(absent)"),
        ('/role: "judge" must be one of "bull", "bear"',),
    ),
    "round 0": (("research-debate", "--round", 0), _with(BULL, round_number="(absent)"), ("/round_number: 0", "1")),
    "round 1.5": (("research-debate", "--round", "1.5"), _with(BULL), ("--round", "integer")),
    "a role for a manager": (
        ("research-manager", "--role", "bull"),
        _with(MANAGER),
        ("leave it out; research-manager has none", "research-debate"),
    ),
    "a round for a manager": (
        ("research-manager", "--round", 1),
        _with(MANAGER),
        ("leave it out; research-manager has none", "research-debate"),
    ),
    "unknown input": (
        ("research-manager",),
        _with(MANAGER, evidnce=[]),
        ("unknown input 'evidnce'; did you mean evidence?", TAKES),
    ),
    "missing inputs": (
        ("research-manager",),
        _with(MANAGER, evidence="(absent)", claims="(absent)"),
        ("evidence, claims is missing", TAKES),
    ),
    "missing role": (
        ("research-debate",),
        _with(BULL, role="(absent)"),
        ("role is missing; give it there or with --role (research-debate takes bias_row, evidence",),
    ),
    "a null that must be there": (("research-manager",), _with(MANAGER, ticker=None), ("/ticker: null",)),
    "a whole turn of show": (
        ("research-manager",),
        json.dumps({"skill": "research-manager", "inputs": json.loads(MANAGER.read_text())}),
        ("unknown input 'skill'", TAKES),
    ),
    "a word for a number": (
        ("research-debate",),
        _with(BULL, round_number="1"),
        ('/round_number: "1"', "whole number"),
    ),
    "true for a number": (
        ("research-debate", "--round", 1),
        _with(BULL, round_number=True),
        ("/round_number: true must be a whole number",),
    ),
    "many problems": (
        ("research-manager",),
        _with(MANAGER, claims=[1] * 9),
        ("/claims/0: 1 must be an object", "; and 6 more"),
    ),
    "nothing": (("research-manager",), "", ("--inputs: not JSON",)),
    "prose": (("research-manager",), "Please argue.", ("--inputs: not JSON",)),
    "NaN": (("research-manager",), '{"ticker": NaN}', ("NaN is not a JSON number",)),
    "infinity": (("research-manager",), '{"ticker": -Infinity}', ("-Infinity is not a JSON number",)),
    "too large a number": (("research-manager",), '{"ticker": 1e999}', ("too large",)),
    "a key twice": (("research-manager",), '{"ticker": "A", "ticker": "B"}', ("the key 'ticker' stands twice",)),
    "half a pair": (("research-manager",), '{"ticker": "\\ud800"}', ("half of a surrogate pair",)),
    "NUL": (("research-manager",), '{"ticker": "\\u0000"}', ("NUL",)),
    "deep": (("research-manager",), '{"a":' * 100 + "1" + "}" * 100, ("nested deeper than 64",)),
    "a megabyte": (("research-debate",), _with(BULL, focus="x" * 1_000_000), ("characters; at most 524288",)),
    "a list": (("research-manager",), "[]", ("must be one JSON object", TAKES)),
    "a word": (("research-manager",), '"bull"', ("must be one JSON object", TAKES)),
    "an escape in a key": (("research-manager",), '{"\\u001b[31m": 1}', ("unknown input",)),
    "a config that is not there": (("research-manager", "--config", "nope.yaml"), _with(MANAGER), ("nope.yaml",)),
    "an unknown key": (("research-manager", "--set", "debat.rounds=2"), _with(MANAGER), ("did you mean debate",)),
    "an unknown protocol": (("research-debate", "--set", "debate.protocol=nope"), _with(BULL), ("nope", "rounds")),
    "no model": (("research-manager", "--set", "models=x"), _with(MANAGER), ("models",)),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_words_end_in_one_line_and_ask_nobody(say: Say, tmp_path: Path, name: str) -> None:
    words, given, parts = WRONG[name]
    told = say("skill", *words, "--inputs", "-", "--out", tmp_path / "out", stdin=given)
    assert told.code == 2
    assert [part for part in parts if part not in told.error] == [], told.error
    assert len(told.error) < 1000 and "\x1b" not in told.error
    assert [one.name for one in tmp_path.iterdir()] == ["here"]


def test_an_analyst_judges_its_own_axis(say: Say, nights: Night, tmp_path: Path) -> None:
    given = next(turn.inputs for turn in _turns(nights, tmp_path / "spare") if turn.seat == "sentiment")
    told = say("skill", "technical-analyst", "--inputs", "-", stdin=json.dumps(given))
    assert told.code == 2
    assert "axis 'sentiment' is judged by sentiment-analyst, not by technical-analyst" in told.error


def test_inputs_must_be_a_readable_file(say: Say, tmp_path: Path) -> None:
    for given, part in ((tmp_path / "nope.json", "No such file"), (tmp_path, "Is a directory")):
        told = say("skill", "research-manager", "--inputs", given)
        assert told.code == 2 and part in told.error
    assert "not UTF-8" in say("skill", "research-manager", "--inputs", "-", stdin=b"\xff\xfe{").error
    told = say("skill", "research-manager")
    assert told.code == 2 and "--inputs" in told.error


def test_the_limit_of_inputs_is_far_above_what_a_night_sends(nights: Night, tmp_path: Path) -> None:
    longest = max(len(json.dumps(turn.inputs)) for turn in _turns(nights, tmp_path / "spare"))
    assert longest * 20 < INPUTS_LIMIT


def test_a_broken_store_can_be_gone_on_with_by_the_same_command(say: Say, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "rebuttal.db").write_bytes(b"no database at all" * 100)
    told = say("skill", "research-debate", "--inputs", BULL, "--out", tmp_path / "out")
    assert told.code == 4
    assert told.error.endswith("resumable with the same command")


# The guide for agents.


def test_the_rules_of_the_guide_make_the_inputs_that_a_night_makes(say: Say, nights: Night, tmp_path: Path) -> None:
    """Both roles for two rounds and the manager, driven as `run-debate` says, against the engine's own debate."""
    turns = [turn for turn in _turns(nights, tmp_path / "spare") if turn.protocol == "desk"]
    made = {(turn.seat, turn.inputs.get("round_number")): turn.inputs for turn in turns}
    opening = {side: made[side, 1] for side in ("bull", "bear")}
    spoken: list[dict[str, Any]] = []
    for number in (1, 2, 3):
        inputs = {side: _next_inputs(opening[side], spoken, side, number) for side in opening}
        assert _bare({side: made[side, number] for side in opening}) == _bare(inputs)
        for one in inputs.values():
            told = say("skill", "research-debate", "--inputs", "-", "--out", tmp_path / "out", stdin=json.dumps(one))
            assert told.code == 0, told.err
            spoken.append(told.json)
    assert _bare(_manager_inputs(opening["bull"], spoken)) == _bare(made["manager", None])


def _next_inputs(opening: dict[str, Any], spoken: list[dict[str, Any]], side: str, number: int) -> dict[str, Any]:
    if number == 1:
        return opening
    mine = [one for one in spoken if one["role"] == side]
    awaiting = [point for point in _points(spoken) if point["awaits"] == side]
    points = sorted(awaiting, key=lambda point: point["side"] == side)
    shown = [{key: point[key] for key in ("id", "text", "evidence", "rebuttal") if key in point} for point in points]
    return {
        **opening,
        "round_number": number,
        "prior_rounds": _rounds(spoken),
        "last_probability": mine[-1]["probability"],
        "cited_before": sorted({id for one in spoken for id in _cited(one)}),
        **({"open_points": shown} if shown else {}),
    }


def _rounds(spoken: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for one in spoken:
        number = one["round_number"]
        found.setdefault(number, {"round_number": number})[f"{one['role']}_argument"] = one["argument"]
    return list(found.values())


def _cited(said: dict[str, Any]) -> set[str]:
    parts = [*said.get("claims", ()), *said.get("moves", ()), said["acknowledged"]]
    return {id for part in parts for id in part["evidence"]}


def _points(spoken: list[dict[str, Any]]) -> list[dict[str, Any]]:
    other = {"bull": "bear", "bear": "bull"}
    points = [
        {"id": f"{one['role']}.1.c{at}", "side": one["role"], "text": claim["text"], "evidence": claim["evidence"]}
        | {"awaits": other[one["role"]], "answer": "unaddressed"}
        for one in spoken
        if one["round_number"] == 1
        for at, claim in enumerate(one["claims"], 1)
    ]
    by_id = {point["id"]: point for point in points}
    for one in spoken:
        for move in one.get("moves", ()):
            point, own = by_id[move["target"]], by_id[move["target"]]["side"] == one["role"]
            if point["awaits"] != one["role"]:
                continue
            if move["kind"] == "conceded":
                point |= {"awaits": None, "answer": "withdrawn" if own else "conceded"}
            elif move["kind"] == "rebutted":
                met = own or point["answer"] == "met"
                point |= {"awaits": other[one["role"]], "answer": "met" if met else "rebutted", "rebuttal": move}
            elif point["answer"] == "unaddressed":
                point["answer"] = "carried"
    return points


def _manager_inputs(opening: dict[str, Any], spoken: list[dict[str, Any]]) -> dict[str, Any]:
    items = {one["id"]: one for one in opening["evidence"]}
    worth = {1: 1.0, 2: 0.75, 3: 0.5, 4: 0.25}
    claims = [
        {key: point[key] for key in ("id", "side", "text", "evidence", "answer")}
        | {"weight": max(worth[items[id]["tier"]] / (2 if items[id]["stale"] else 1) for id in point["evidence"])}
        for point in _points(spoken)
    ]
    shared = {key: opening[key] for key in ("ticker", "question", "evidence")}
    return {**shared, "rounds": _rounds(spoken), "claims": claims}


# Money.


def test_F150_a_lone_turn_is_booked_and_held_under_the_ceiling(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k" * 20)
    out, config = tmp_path / "out", ("--config", ROOT / "configs" / "anthropic.yaml")
    with FakeModel({}) as server:
        words = ("--out", out, *config, "--set", f"provider.base_url={server.url}", "--set")
        assert say("skill", "research-debate", "--inputs", BULL, *words, "operation.max_cost=1").code == 0
        refused = say("skill", "research-manager", "--inputs", MANAGER, *words, "operation.max_cost=0.01")
        wrong = say("skill", "research-manager", "--inputs", MANAGER, *words, "models.nosuch=x")
        assert server.stats()["turns"] == 1
    ((run_id, state, micros),) = Shelf(out).ask("SELECT run_id, state, micros FROM spend")
    assert run_id.startswith("skill-") and state == "spent" and micros > 0
    assert refused.code == 3 and "raise --set operation.max_cost and run the same command again" in refused.error
    assert wrong.code == 2 and "nosuch" in wrong.error


def test_F150_a_paid_server_is_not_asked_without_a_ceiling(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k" * 20)
    config = ("--config", ROOT / "configs" / "anthropic.yaml")
    none = ("--set", "operation.max_cost=", "--set", "operation.max_cost_night=")
    told = say("skill", "research-debate", "--inputs", BULL, "--out", tmp_path / "out", *config, *none)
    assert told.code == 2 and "no spend ceiling" in told.error and "--set operation.max_cost=USD" in told.error
    assert not (tmp_path / "out").exists()
