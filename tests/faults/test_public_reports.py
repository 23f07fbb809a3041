"""Faults reported of other systems, by their number in the catalogue: what the same fault comes to here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from phases.core.provider import Reply
from phases.core.reading import read
from phases.core.skills import load_skills, render
from phases.core.store import Store, open_store
from phases.plan import SKILLS
from phases.research_manager import CHECKS as MANAGER_CHECKS
from schemas.debate import Carried, DebateInputs, DebateRound, DebateRoundContribution
from schemas.events import Usage
from schemas.generate import wire_text
from schemas.manager import ManagerReply
from tests.faults.test_reply import DEBATE_CHECKS, GRANTED, MANAGER, ruled
from tests.faults.test_semantic import held
from tests.phases.core.scripted import DAY, Scripted, asked, door, reply, said
from tests.support import constant, update


@pytest.fixture(name="store")
def _store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(tmp_path / "out")
    yield store
    store.close()


D1 = {
    "full-width colon": "Rating\uff1a Buy",
    "no rating word": "The company is doing well.",
    "empty": "",
    "full-width colon in the object": '{"net_stance"\uff1a "bullish"}',
}


@pytest.mark.parametrize("text", D1.values(), ids=D1)
def test_D1_a_reply_that_cannot_be_read_is_void_and_never_neutral(text: str) -> None:
    """No rating is ever looked for in prose, so a colon of any width makes no difference: only one object is read."""
    for last, outcome in ((False, "RETRY"), (True, "QUARANTINE")):
        found = read(text, "end_turn", returns=ManagerReply, inputs=MANAGER, checks=MANAGER_CHECKS, last=last)
        assert (found.outcome, found.record) == (outcome, None)
    _, summary, desk = held(manager=constant(text))
    assert len(desk.prompts("manager")) == 2
    assert (summary.status, summary.net_stance, summary.conviction_delta) == ("failed", None, None)


def test_D1_full_width_marks_inside_a_text_are_kept() -> None:
    thesis = "Rating\uff1a it grows"
    found = read(ruled(bull_thesis=thesis), "end_turn", returns=ManagerReply, inputs=MANAGER, last=False)
    assert found.record is not None
    assert found.record.bull_thesis == thesis


def test_D2_an_opening_is_shown_no_opponent_and_may_not_rebut_one() -> None:
    _, _, desk = held()
    for side in ("bull", "bear"):
        opening = desk.requests[[one.seat for one in desk.requests].index(side)]
        assert not any(part.startswith(("[prior_rounds", "[bull_argument", "[open_points")) for part in _parts(opening))
    move = {"target": "bear.1.c1", "kind": "rebutted", "reason": "It fails on volume.", "evidence": ["px.ret_63d"]}
    told = json.dumps(said(acknowledged=GRANTED, moves=[move]))
    first, repair = (
        read(told, "end_turn", returns=DebateRoundContribution, inputs=asked(), checks=DEBATE_CHECKS, last=last)
        for last in (False, True)
    )
    assert first.outcome == "RETRY"
    assert "bear.1.c1 awaits no answer" in "; ".join(first.errors)
    assert repair.record is not None
    assert (repair.record.moves, "unpaid_move" in repair.flags) == ((), True)


def _parts(request: object) -> tuple[str, ...]:
    prompt = request.prompt  # type: ignore[attr-defined]
    parts: tuple[str, ...] = prompt.parts
    return parts


def test_D5_what_is_absent_has_neither_a_section_nor_a_sentence_that_asks_to_use_it() -> None:
    """The skill is one text for every turn, so its sentence stands under a condition; the turn's own part has none."""
    skill = load_skills(SKILLS)["research-debate"]
    bare = render(skill, asked(), returns=DebateRoundContribution)
    sections = [part.split(" ")[0] for part in bare.parts if part.startswith("[")]
    assert sections == ["[evidence"]
    asked_for = "\n".join(bare.parts).replace(wire_text(DebateRoundContribution, ()), "")
    for word in ("carried", "prior_rounds", "memory", "lesson", "earlier night", "null"):
        assert word not in asked_for
    for sentence in skill.body.replace("\n", " ").split(". "):
        if "take it up first" in sentence:
            assert "If the input `carried` is there" in sentence
    assert "memory" not in skill.body.lower()


def test_D5_what_is_there_has_its_section() -> None:
    skill = load_skills(SKILLS)["research-debate"]
    carried = Carried(since=DAY, points=(), conditions=())
    earlier = (DebateRound(round_number=1, bull_argument="It leads.", bear_argument="It swings."),)
    inputs: DebateInputs = asked(carried=carried, prior_rounds=earlier, round_number=2)
    sections = {part.split(" ")[0] for part in render(skill, inputs, returns=DebateRoundContribution).parts}
    assert {"[carried", "[prior_rounds", "[evidence"} <= sections


def test_D8_the_limit_is_not_on_the_wire_and_is_kept_here(store: Store) -> None:
    assert "maxLength" not in wire_text(DebateRoundContribution)
    long = said(acknowledged=GRANTED, argument="x" * 560 + " grows. It lasts. I stay bullish on AAPL.")
    assert len(long["argument"]) == 601
    short = said(acknowledged=GRANTED)
    provider = Scripted(reply(long), reply(short))
    answer = door(store, provider)("debater", asked(), returns=DebateRoundContribution, checks=DEBATE_CHECKS)
    assert "has 601 characters; at most 600 are allowed" in provider.requests[1].prompt.text
    assert answer.record is not None
    assert (answer.record.argument, answer.flags) == (short["argument"], ("repaired",))


def test_D9_a_cut_reply_is_named_asked_again_shorter_and_counted(store: Store) -> None:
    cut = Reply(json.dumps(said())[:60], "max_tokens", Usage(input_tokens=100, output_tokens=40))
    whole = Reply(json.dumps(said(acknowledged=GRANTED)), "end_turn", Usage(input_tokens=150, output_tokens=30))
    provider = Scripted(cut, whole)
    answer = door(store, provider)("debater", asked(), returns=DebateRoundContribution, checks=DEBATE_CHECKS)
    first, second = (request.prompt.text for request in provider.requests)
    assert second.startswith(first)
    assert "cut off (max_tokens)" in second
    assert "keep it shorter" in second
    assert answer.record is not None
    assert answer.tokens == 320


def test_D9_a_reply_cut_twice_is_void_as_cut(store: Store) -> None:
    cut = reply(json.dumps(said())[:60], "max_tokens")
    answer = door(store, Scripted(cut, cut))("debater", asked(), returns=DebateRoundContribution)
    assert answer.record is None
    assert answer.void is not None
    assert "cut off (max_tokens)" in answer.void


def test_D15_a_documented_synonym_is_mapped_and_another_word_is_sent_back_once() -> None:
    found = read(ruled(net_stance="positive"), "end_turn", returns=ManagerReply, inputs=MANAGER, last=False)
    assert found.record is not None
    assert (found.record.net_stance, found.flags) == ("bullish", ("synonym",))
    for word in ("mixed", "maybe", "positive-ish"):
        _, summary, desk = held(manager=update(net_stance=word))
        assert len(desk.prompts("manager")) == 2
        assert (summary.status, summary.net_stance) == ("failed", None)
