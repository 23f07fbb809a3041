"""Models by skill and seat: a whole night on a server that is asked for three, and names that nobody answers to; samples of one seat."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from bench.fake_model.server import FakeModel
from bench.prefixes import hold
from phases.core.ask import Wanted
from phases.core.errors import UsageError
from phases.core.store import open_store
from phases.plan import Words, plan
from schemas.debate import DebateRoundContribution
from tests.phases.core.scripted import Scripted, asked, door, spoken

BULL, BEAR, MANAGER = "claude-opus-5-5", "claude-haiku-5-5", "claude-sonnet-5-5"


def _asked(body: Any) -> tuple[str, str]:
    """Skill, by its title, and role of a prompt."""
    whole = "\n".join(block["text"] for block in [*body["system"], *body["messages"][0]["content"]])
    side = re.search(r'Your turn: .*"role":"(\w+)"', whole)
    return whole.partition("\n")[0].strip("# "), side[1] if side else ""


def test_each_seat_of_a_night_is_asked_of_its_own_model() -> None:
    models = f"models={{default: {MANAGER}, research-debate: {BEAR}, research-debate/bull: {BULL}}}"
    with FakeModel({}) as server:
        assert hold(server.url, models, f"models.research-manager={MANAGER}") == {"debated": 1}
        by_seat = {_asked(seen.body): seen.body["model"] for seen in server.bodies}
    assert by_seat["Research debate", "bull"] == BULL
    assert by_seat["Research debate", "bear"] == BEAR
    assert {model for (skill, _), model in by_seat.items() if skill != "Research debate"} == {MANAGER}
    assert len(by_seat) == 6


WRONG = [
    pytest.param(
        "reserch-debate", "there is no skill 'reserch-debate'; did you mean research-debate? (default, ", id="skill"
    ),
    pytest.param(
        "defualt", "there is no skill 'defualt'; did you mean default? (default, debate-critic, ", id="default"
    ),
    pytest.param("run-debate", "there is no skill 'run-debate'", id="a guide"),
    pytest.param("default/bull", "there is no skill 'default'", id="seat of the default"),
    pytest.param("research-debate/bul", "has no seat 'bul'; did you mean bull? (seats: bull, bear)", id="seat"),
    pytest.param("research-manager/bull", "has no seat 'bull' (seats: manager)", id="seat of another"),
    pytest.param("technical-analyst/sentiment", "has no seat 'sentiment' (seats: technical)", id="another axis"),
    pytest.param("research-debate/", "has no seat '' (seats: bull, bear)", id="no seat"),
]


@pytest.mark.parametrize(("key", "said"), WRONG)
def test_a_name_that_nobody_answers_to_is_refused(tmp_path: Path, key: str, said: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"models:\n  {key}: claude-haiku-5-5\n", encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        plan(Words(config=file), None)
    assert str(refused.value).startswith(f"{file}: models.{key}: ") and said in str(refused.value)


@pytest.mark.parametrize("key", ["effort", "thinking"])
def test_the_other_tables_by_seat_are_held_to_the_same_names(key: str) -> None:
    value = {"effort": "low", "thinking": "disabled"}[key]
    with pytest.raises(UsageError, match=f"--set provider.{key}.debate: there is no skill 'debate'"):
        plan(Words(sets=(f"provider.{key}.debate={value}",)), None)
    plan(Words(sets=(f"provider.{key}.research-debate/bear={value}",)), None)


def test_a_seat_is_looked_for_in_the_protocol_of_the_night() -> None:
    words = ("models.debate-moderator/moderator=x", "models.persona-literal=x")
    for protocol in ("moderated", "desk"):
        plan(Words(sets=(*words, f"debate.protocol={protocol}")), None)
    with pytest.raises(UsageError, match="debate-moderator has no seat 'chair'"):
        plan(Words(sets=("models.debate-moderator/chair=x", "debate.protocol=moderated")), None)


def test_samples_of_one_prompt_are_turns_of_their_own(tmp_path: Path) -> None:
    """Each is bought once, kept under its own key, and comes back from the journal as what it was."""
    store = open_store(tmp_path)
    try:
        votes = [Wanted("debater", asked(), DebateRoundContribution, seat="bull", sample=at) for at in range(3)]
        provider = Scripted(*(spoken(word) for word in ("up", "down", "flat")))
        ask = door(store, provider)
        bought = ask.all(votes)
        assert len({request.prompt.text for request in provider.requests}) == 1
        assert (len(provider.batches), len(provider.requests), len(set(ask.used))) == (1, 3, 3)
        said = [one.record.argument for one in bought if one.record is not None]
        assert [word in one for word, one in zip(("up", "down", "flat"), said, strict=True)] == [True] * 3
        again = door(store, None).all(list(reversed(votes)))
        assert [one.record.argument for one in again if one.record is not None] == said[::-1]
    finally:
        store.close()
