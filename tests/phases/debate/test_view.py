"""Isolation: what a seat is not shown is nowhere in the prompt that is sent for it."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import pytest
import yaml

from phases.debate.ledger import Void, entry
from phases.debate.protocol import Seat, Step
from phases.debate.view import view
from phases.research_debate import debate_transcript
from schemas.base import Role
from schemas.debate import DebateInputs, DebateRoundContribution
from schemas.settings import DebateSettings
from tests.support import ROUNDS, TICKER, Changed, Desk, ask_door, case_of, header_of, settings

CANARY = "zebrafinch"
INPUTS = [name for name in DebateInputs.model_fields if name not in ("ticker", "role", "round_number")]
BULL, BEAR = (Seat(skill="research-debate", side=side) for side in ("bull", "bear"))


def step(order: str = "sequence", sees: tuple[str, ...] = tuple(INPUTS)) -> Step:
    return Step.model_validate({"seats": ("bull", "bear"), "order": order, "sees": sees})


def said(role: Role, round_number: int) -> Any:
    argument = f"The {role} speaks in round {round_number}."
    return entry(
        role,
        round_number,
        DebateRoundContribution(role=role, ticker=TICKER, round_number=round_number, argument=argument),
    )


LEDGER = [said("bull", 1), said("bear", 1), said("bull", 2)]


@pytest.mark.parametrize("sees", [(), *((name,) for name in INPUTS), *combinations(INPUTS[:4], 2), tuple(INPUTS)])
def test_a_seat_gets_what_the_step_shows_and_no_more(sees: tuple[str, ...]) -> None:
    shown = view(LEDGER, case_of(), BEAR, step(sees=sees), 2).model_dump(exclude_none=True)
    assert set(shown) - {"ticker", "role", "round_number"} <= set(sees)
    assert set(sees) - set(shown) <= {"open_points"}
    assert (shown["ticker"], shown["role"], shown["round_number"]) == (TICKER, "bear", 2)


@pytest.mark.parametrize(
    ("seat", "order", "round_number", "seen"),
    [
        (BEAR, "sequence", 2, "The bull speaks in round 2."),
        (BEAR, "together", 2, None),
        (BULL, "sequence", 2, None),
        (BEAR, "sequence", 3, None),  # the bull has not spoken yet
    ],
)
def test_only_the_bear_of_a_sequence_sees_this_rounds_bull(
    seat: Seat, order: str, round_number: int, seen: str | None
) -> None:
    assert view(LEDGER, case_of(), seat, step(order), round_number).bull_argument == seen


def test_a_round_under_way_is_no_prior_round() -> None:
    for number, prior in ((1, None), (2, [1]), (3, [1, 2])):
        found = view(LEDGER, case_of(), BULL, step(), number).prior_rounds
        assert (found and [one.round_number for one in found]) == prior


def test_a_void_shows_no_reason() -> None:
    ledger = [said("bull", 1), entry("bear", 1, Void(CANARY))]
    assert CANARY not in view(ledger, case_of(), BULL, step(), 2).model_dump_json()


def _with_canary(request: Any, answer: dict[str, Any]) -> dict[str, Any]:
    """The token in every text of a turn."""
    marked = {"argument": f"{CANARY} {answer['argument']}"}
    marked["claims"] = [{**claim, "text": f"{CANARY} {claim['text']}"} for claim in answer["claims"]]
    granted = answer["acknowledged"]
    return {**answer, **marked, "acknowledged": granted and {**granted, "why_limited": CANARY}, "probability": 0.123}


CANARIES: dict[str, Changed] = {"bull": _with_canary, "bear": _with_canary}


def prompts(author: str, order: str, sees: list[str], first: str) -> dict[tuple[str, int], str]:
    """Prompts of the other side by round, where one side's every turn carries the token."""
    loop = [{"seats": sorted(["bull", "bear"], key=lambda name: name != first), "order": order, "sees": sees}]
    text = json.dumps({**yaml.safe_load(ROUNDS), "loop": loop})
    desk, chosen = Desk(**{author: CANARIES[author]}), settings("debate.rounds=3").debate
    assert isinstance(chosen, DebateSettings)
    debate_transcript(case_of(), header_of().history, header_of(protocol=text), chosen, ask=ask_door(desk))
    other = "bear" if author == "bull" else "bull"
    found = [one for one in desk.requests if one.seat == other]
    return {(one.seat, at): one.prompt.text for at, one in enumerate(found, 1)}


ALL = ["bias_row", "evidence", "analyst_payload", "question", "prior_rounds", "bull_argument", "open_points"]
WITHOUT = [name for name in ALL if name not in ("prior_rounds", "bull_argument")]


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
    ],
)
def test_canary(author: str, order: str, sees: list[str], first: str, seen_in: list[int]) -> None:
    found = prompts(author, order, sees, first)
    assert [number for (_, number), text in found.items() if CANARY in text] == seen_in
    assert len(found) == 3
    for number in set(range(1, 4)) - set(seen_in):
        assert "0.123" not in found[next(seat for seat, _ in found), number]


@pytest.mark.parametrize("round_number", [1, 2])
def test_what_another_said_this_round_is_sealed_in_a_together_step(round_number: int) -> None:
    """The turn of the same step is in no later prompt of that step, even if the ledger already held it."""
    ledger = [said(side, number) for number in range(1, round_number + 1) for side in ("bull", "bear")]
    for seat in (BULL, BEAR):
        shown = view(ledger, case_of(), seat, step("together"), round_number).model_dump_json()
        assert f"in round {round_number}" not in shown
