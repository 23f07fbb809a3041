"""Isolation: what a seat is not shown is nowhere in the prompt that is sent for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest
import yaml

from phases.core.skills import load_skills
from phases.debate.ledger import Turn, Void, entry
from phases.debate.protocol import Protocol, read_protocol
from phases.debate.seats import CALLERS, seated
from phases.debate.view import Place, manager_view, view
from phases.plan import SKILLS
from phases.research_debate import debate_transcript
from schemas.base import Role
from schemas.debate import Assessment, Carried, Claim, DebateInputs, DebateRoundContribution, Move
from schemas.ledger import LedgerEvent
from schemas.seats import CriticReport, ModeratorRuling, PersonaAnswer, TableInputs
from schemas.settings import DebateSettings
from tests.support import DAY, ROUNDS, TICKER, Changed, Desk, ask_door, case_of, header_of, settings

CANARY = "zebrafinch"
FIXED = set(CALLERS)
INPUTS = [name for name in DebateInputs.model_fields if name not in FIXED]
TABLE = [name for name in TableInputs.model_fields if name not in FIXED]
SEATS = {
    "bull": {"skill": "research-debate", "side": "bull"},
    "bear": {"skill": "research-debate", "side": "bear"},
    "cautious": {"skill": "persona-cautious", "side": "free"},
    "literal": {"skill": "persona-literal", "side": "free"},
    "critic": {"skill": "debate-critic", "side": "none"},
    "moderator": {"skill": "debate-moderator", "side": "none"},
}
ABOUT = case_of(carried=Carried(since=DAY, points=(), conditions=()))


def protocol(order: str = "sequence", sees: Sequence[str] = INPUTS, table: Sequence[str] = TABLE) -> Protocol:
    """Bull and bear by this order, then critic and moderator; at last the personas."""
    loop = [
        {"seats": ["bull", "bear"], "order": order, "sees": list(sees)},
        {"seats": ["critic", "literal", "moderator"], "order": "sequence", "sees": list(table)},
    ]
    closing = [{"seats": ["cautious", "literal"], "order": "together", "sees": list(table)}]
    told = {"protocol": "test", "seats": SEATS, "loop": loop, "closing": closing, "rounds": 5}
    return read_protocol(json.dumps(told), "test")


def shown(
    name: str, number: int, plan: Protocol | None = None, ledger: Sequence[LedgerEvent] | None = None, at: int = 0
) -> Any:
    """What a seat reads in the loop, or in the closing where it speaks only there."""
    plan = plan or protocol()
    kind = seated(plan, load_skills(SKILLS), "test")[name]
    stage = "closing" if name in ("cautious", "literal") else "loop"
    return view(LEDGER if ledger is None else ledger, ABOUT, plan, name, Place(stage, at, number, 5), kind)


def said(role: Role, round_number: int, **more: Any) -> LedgerEvent:
    argument = f"The {role} speaks in round {round_number}."
    told = {"role": role, "ticker": TICKER, "round_number": round_number, "argument": argument, **more}
    return entry(role, "loop.0", round_number, Turn(DebateRoundContribution(**told)))


def claims(*ids: str) -> dict[str, Any]:
    return {"claims": tuple(Claim(id="c", text=f"claim on {one}", evidence=(one,)) for one in ids)}


FOUND = CriticReport(assessments=(Assessment(seat="bull", verdict="flawed", flaw="It does not follow."),))
ASKED = ModeratorRuling(summary="They differ.", status="continue", focus="What of the trend?")
LEDGER = [
    said("bull", 1, probability=0.6, **claims("px.ret_63d")),
    said("bear", 1, probability=0.4, **claims("px.vol_ratio")),
    entry("critic", "loop.1", 1, Turn(FOUND)),
    entry("moderator", "loop.1", 1, Turn(ASKED)),
    entry("literal", "loop.1", 1, Turn(PersonaAnswer(seat="literal", round_number=1, answer="Hold.", stance="hold"))),
    said("bull", 2),
]


@pytest.mark.parametrize("sees", [(), *((name,) for name in INPUTS), *combinations(INPUTS[:5], 2), tuple(INPUTS)])
def test_a_seat_gets_what_the_step_shows_and_no_more(sees: tuple[str, ...]) -> None:
    found = shown("bear", 2, protocol(sees=sees)).model_dump(exclude_none=True)
    extra = {"cited_before"} if "open_points" in sees else set()  # a rebuttal needs to know what is used
    assert set(found) - FIXED == set(sees) | extra
    assert (found["ticker"], found["role"], found["round_number"]) == (TICKER, "bear", 2)
    assert found["last_probability"] == 0.4


@pytest.mark.parametrize("sees", [(), *((name,) for name in TABLE), tuple(TABLE)])
def test_a_seat_of_the_table_gets_what_the_step_shows_and_no_more(sees: tuple[str, ...]) -> None:
    found = shown("moderator", 2, protocol(table=sees), at=1).model_dump(exclude_none=True)
    assert set(found) - FIXED == set(sees)
    assert (found["ticker"], found["seat"], found["round_number"]) == (TICKER, "moderator", 2)


def test_words_that_stand_for_several_inputs() -> None:
    of_case = {"bias_row", "evidence", "analyst_payload", "question", "carried"}
    for word, inputs in (("case", of_case), ("panel", {"analyst_payload"})):
        assert set(shown("bull", 1, protocol(sees=[word])).model_dump(exclude_none=True)) - FIXED == inputs


def test_what_the_last_speakers_are_shown() -> None:
    bear = shown("bear", 2)
    assert (bear.critique, bear.focus) == (FOUND.assessments, "What of the trend?")
    assert bear.cited_before == ("px.ret_63d", "px.vol_ratio")
    assert [(one.id, one.text) for one in bear.open_points] == [("bull.1.c1", "claim on px.ret_63d")]
    moderator = shown("moderator", 2, at=1)
    assert [(one.seat, one.round_number) for one in moderator.statements] == [
        *(("bull", 1), ("bear", 1), ("literal", 1), ("bull", 2))
    ]
    assert moderator.tally.ballots == {"literal": "hold"}
    assert moderator.rounds == 5


def test_a_rebuttal_is_shown_to_whom_it_awaits() -> None:
    move = Move(target="bear.1.c1", kind="rebutted", reason="It calmed.", evidence=("px.ret_252d",))
    ledger = [*LEDGER[:2], said("bull", 2, moves=(move,)), said("bear", 2, moves=())]
    [own] = [one for one in shown("bear", 3, ledger=ledger).open_points if one.id == "bear.1.c1"]
    assert own.rebuttal == move
    [other] = shown("bear", 3, ledger=ledger).open_points[:1]
    assert (other.id, other.rebuttal) == ("bull.1.c1", None)
    assert shown("bull", 3, ledger=ledger).open_points is None


@pytest.mark.parametrize(
    ("name", "order", "round_number", "seen"),
    [
        ("bear", "sequence", 2, "The bull speaks in round 2."),
        ("bear", "together", 2, None),
        ("bull", "sequence", 2, None),
        ("bear", "sequence", 3, None),  # the bull has not spoken yet
    ],
)
def test_only_the_bear_of_a_sequence_sees_this_rounds_bull(
    name: str, order: str, round_number: int, seen: str | None
) -> None:
    assert shown(name, round_number, protocol(order)).bull_argument == seen


def test_a_round_under_way_is_no_prior_round() -> None:
    for number, prior in ((1, None), (2, [1]), (3, [1, 2])):
        found = shown("bull", number).prior_rounds
        assert (found and [one.round_number for one in found]) == prior


@pytest.mark.parametrize(
    ("name", "number", "order", "rounds", "bull"),
    [
        ("bull", 1, "sequence", [], None),
        ("bull", 3, "sequence", [(2, None, "The bear speaks in round 2.")], None),
        ("bear", 1, "sequence", [], "The bull speaks in round 1."),
        ("bear", 3, "together", [(2, "The bull speaks in round 2.", None)], None),
        ("bull", 4, "together", [(3, None, "The bear speaks in round 3.")], None),
        ("bear", 3, "sequence", [], "The bull speaks in round 3."),
    ],
)
def test_the_last_opponent_is_the_other_sides_latest_word(
    name: str, number: int, order: str, rounds: list[Any], bull: str | None
) -> None:
    ledger = [said(side, at) for at in range(1, number) for side in ("bull", "bear")]
    ledger += [said("bull", number)] if (name, order) == ("bear", "sequence") else []
    found = shown(name, number, protocol(order, ["last_opponent"]), ledger)
    assert [(one.round_number, one.bull_argument, one.bear_argument) for one in found.prior_rounds or ()] == rounds
    assert found.bull_argument == bull


def test_a_void_shows_no_reason() -> None:
    ledger = [said("bull", 1), entry("bear", "loop.0", 1, Turn(Void(CANARY)))]
    for name, at in (("bull", 0), ("bear", 0), ("moderator", 1), ("literal", 0)):
        assert CANARY not in shown(name, 2, ledger=ledger, at=at).model_dump_json()
    assert CANARY not in manager_view(ABOUT, ledger).model_dump_json()


def test_the_manager_reads_what_was_said_and_what_became_of_each_claim() -> None:
    found = manager_view(ABOUT, LEDGER)
    assert [(one.id, one.side, one.weight, one.answer) for one in found.claims] == [
        ("bull.1.c1", "bull", 1.0, "unaddressed"),
        ("bear.1.c1", "bear", 1.0, "unaddressed"),
    ]
    assert [(one.round_number, one.bull_argument, one.bear_argument) for one in found.rounds] == [
        (1, "The bull speaks in round 1.", "The bear speaks in round 1."),
        (2, "The bull speaks in round 2.", None),
    ]
    assert [one.seat for one in found.statements or ()] == ["literal"]
    assert manager_view(ABOUT, LEDGER[:2]).statements is None
    assert found.evidence == ABOUT.bundle


ANY = {"id": "c1", "text": "It rose.", "evidence": ["px.ret_63d"]}


def _with_claims(request: Any, answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "claims": answer["claims"] or [ANY]}


def _with_canary(request: Any, answer: dict[str, Any]) -> dict[str, Any]:
    """The token in every text of a turn."""
    marked = {"argument": f"{CANARY} {answer['argument']}"}
    marked["claims"] = [{**claim, "text": f"{CANARY} {claim['text']}"} for claim in answer["claims"] or [ANY]]
    marked["moves"] = [{**move, "reason": f"{CANARY} {move['reason']}"} for move in answer["moves"] or ()]
    granted = answer["acknowledged"]
    return {**answer, **marked, "acknowledged": granted and {**granted, "why_limited": CANARY}, "probability": 0.123}


def prompts(author: str, order: str, sees: list[str], first: str) -> dict[int, str]:
    """First prompts of the other side by round, where one side's every turn carries the token."""
    seats = sorted(["bull", "bear"], key=lambda name: name != first)
    loop = [{"seats": seats, "order": order, "sees": sees, "require": ["claims"]}]
    text = json.dumps({**yaml.safe_load(ROUNDS), "loop": loop})
    instead: dict[str, Changed] = {"bull": _with_claims, "bear": _with_claims, author: _with_canary}
    desk, chosen = Desk(**instead), settings("debate.rounds=3").debate
    assert isinstance(chosen, DebateSettings)
    debate_transcript(case_of(), header_of().history, header_of(protocol=text), chosen, ask=ask_door(desk))
    other = "bear" if author == "bull" else "bull"
    found: list[Any] = [one for one in desk.requests if one.seat == other]
    return {one.inputs.round_number: one.prompt.text for one in reversed(found)}


ALL = ["bias_row", "evidence", "analyst_payload", "question", "prior_rounds", "bull_argument", "open_points"]
WITHOUT = [name for name in ALL if name not in ("prior_rounds", "bull_argument", "open_points")]
POINTS = [*WITHOUT, "open_points"]


@pytest.mark.parametrize(
    ("author", "order", "sees", "first", "seen_in"),
    [
        ("bull", "together", ALL, "bull", [2, 3]),  # round 1 is sealed
        ("bear", "together", ALL, "bull", [2, 3]),
        ("bull", "together", ALL, "bear", [2, 3]),
        ("bull", "together", WITHOUT, "bull", []),
        ("bear", "together", WITHOUT, "bull", []),
        ("bull", "sequence", ALL, "bull", [1, 2, 3]),  # that the token can be seen at all
        ("bear", "sequence", ALL, "bull", [2, 3]),
        ("bull", "sequence", ALL, "bear", [2, 3]),  # the bear speaks first
        ("bull", "sequence", WITHOUT, "bull", []),
        ("bull", "together", POINTS, "bull", [2, 3]),  # a claim is known once its round is over
        ("bull", "sequence", POINTS, "bull", [2, 3]),
    ],
)
def test_canary(author: str, order: str, sees: list[str], first: str, seen_in: list[int]) -> None:
    found = prompts(author, order, sees, first)
    assert sorted(found) == [1, 2, 3]
    assert [number for number in (1, 2, 3) if CANARY in found[number]] == seen_in
    assert all("0.123" not in text for text in found.values()), "a probability is nobody else's to see"


@pytest.mark.parametrize("round_number", [1, 2])
def test_what_another_said_this_round_is_sealed_in_a_together_step(round_number: int) -> None:
    """The turn of the same step is in no later prompt of that step, even if the ledger already held it."""
    ledger = [said(side, number) for number in range(1, round_number + 1) for side in ("bull", "bear")]
    for name, other in (("bull", "bear"), ("bear", "bull")):
        told = shown(name, round_number, protocol("together"), ledger).model_dump_json()
        assert f"The {other} speaks in round {round_number}" not in told
