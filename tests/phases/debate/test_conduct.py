"""The debate as a generator, driven with lists: no model, no mock."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
import yaml

from phases.debate.conduct import Turn, WantedTurn, conduct
from phases.debate.ledger import Void
from phases.debate.protocol import Protocol, read_protocol
from schemas.debate import DebateRoundContribution, Spoke, Voided
from tests.support import ROUNDS, TICKER, case_of, payload

SEES = ["evidence", "prior_rounds", "bull_argument"]


def protocol(*steps: tuple[str, Sequence[str]], **changes: Any) -> Protocol:
    """The shipped protocol with other steps: (order, seats)."""
    found = yaml.safe_load(ROUNDS)
    if steps:
        found["loop"] = [{"seats": list(seats), "order": order, "sees": SEES} for order, seats in steps]
    return read_protocol(json.dumps({**found, **changes}), "test")


class Held(NamedTuple):
    """A debate that has ended."""

    asked: list[tuple[str, ...]]
    """Seats wanted at once, in order."""
    turns: list[WantedTurn]
    ledger: list[Spoke | Voided]
    stop: str


def said(turn: WantedTurn) -> Turn:
    side, number = turn.seat.side, turn.inputs.round_number
    argument = f"The {side} speaks in round {number}."
    return Turn(DebateRoundContribution(role=side, ticker=TICKER, round_number=number, argument=argument))


def hold(plan: Protocol, rounds: int, silent: Sequence[tuple[str, int]] = (), **about: Any) -> Held:
    """Drive a debate to its end; the seats in `silent` give no valid turn in that round."""
    ledger: list[Spoke | Voided] = []
    asked, turns = [], []
    conversation = conduct(plan, case_of(**about), rounds, ledger)
    wanted = next(conversation)
    while True:
        asked.append(tuple(turn.name for turn in wanted))
        turns += wanted
        answers = tuple(
            Turn(Void("silence")) if (turn.name, turn.inputs.round_number) in silent else said(turn) for turn in wanted
        )
        try:
            wanted = conversation.send(answers)
        except StopIteration as end:
            return Held(asked, turns, ledger, end.value)


@pytest.mark.parametrize(
    ("steps", "order"),
    [
        ((), [("bull",), ("bear",)]),
        ((("sequence", ("bear", "bull")),), [("bear",), ("bull",)]),
        ((("together", ("bull", "bear")),), [("bull", "bear")]),
        ((("together", ("bear",)), ("sequence", ("bull",))), [("bear",), ("bull",)]),
    ],
)
@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_turns_come_in_the_order_of_the_file(steps: Any, order: list[tuple[str, ...]], rounds: int) -> None:
    held = hold(protocol(*steps), rounds)
    assert held.asked == order * rounds
    spoken = [(event.seat, event.contribution.round_number) for event in held.ledger if isinstance(event, Spoke)]
    assert spoken == [(name, number) for number in range(1, rounds + 1) for group in order for name in group]
    assert held.stop == f"rounds = {rounds}"


def test_the_bear_of_a_sequence_sees_the_bull_of_the_same_round() -> None:
    seen = [(turn.name, turn.inputs.bull_argument) for turn in hold(protocol(), 2).turns]
    first, second = "The bull speaks in round 1.", "The bull speaks in round 2."
    assert seen == [("bull", None), ("bear", first), ("bull", None), ("bear", second)]


@pytest.mark.parametrize("steps", [(), (("together", ("bull", "bear")),)])
def test_prior_rounds_are_whole_rounds_and_none_in_the_first(steps: Any) -> None:
    held = hold(protocol(*steps), 3)
    for turn in held.turns:
        before = turn.inputs.round_number - 1
        prior = turn.inputs.prior_rounds
        assert (prior is None) == (before == 0)
        assert [one.round_number for one in prior or ()] == list(range(1, before + 1))
        assert all(one.bull_argument and one.bear_argument for one in prior or ())


@pytest.mark.parametrize(
    ("silent", "stop", "turns"),
    [
        ([("bear", 1)], "one_sided: no valid turn of the bear", 2),
        ([("bull", 1)], "one_sided: no valid turn of the bull", 2),
        ([("bull", 1), ("bear", 1)], "no valid turn", 2),
        ([("bear", 2)], "rounds = 3", 6),  # a later void ends nothing
        ([("bull", 2), ("bear", 2), ("bull", 3), ("bear", 3)], "rounds = 3", 6),
    ],
)
@pytest.mark.parametrize("steps", [(), (("together", ("bull", "bear")),)])
def test_voids(steps: Any, silent: list[tuple[str, int]], stop: str, turns: int) -> None:
    held = hold(protocol(*steps), 3, silent)
    assert (held.stop, len(held.ledger)) == (stop, turns)
    voids = [(event.seat, event.round_number) for event in held.ledger if isinstance(event, Voided)]
    assert voids == silent


def test_a_void_of_the_bull_leaves_the_bear_without_an_opponent() -> None:
    held = hold(protocol(), 1, [("bull", 1)])
    assert held.turns[1].inputs.bull_argument is None
    assert held.turns[1].inputs.prior_rounds is None


@pytest.mark.parametrize(
    ("stop_when", "rounds", "stop", "executed"),
    [
        (["rounds >= 2"], 4, "rule: rounds >= 2", 2),
        (["rounds >= 9", "rounds >= 1"], 4, "rule: rounds >= 1", 1),
        (["rounds >= 2"], 2, "rounds = 2", 2),  # the cap itself is no early end
        (["panel.margin <= 0.5"], 3, "rule: panel.margin <= 0.5", 1),
        (["panel.margin < 0.5"], 3, "rounds = 3", 3),
        (["panel.spread <= 1"], 3, "rounds = 3", 3),  # an absent read-out
        ([], 3, "rounds = 3", 3),
    ],
)
def test_a_stop_rule_ends_the_debate_after_a_whole_round(
    stop_when: list[str], rounds: int, stop: str, executed: int
) -> None:
    held = hold(protocol(stop_when=stop_when), rounds, payload=payload(panel_margin=0.5))
    assert held.stop == stop
    assert len(held.asked) == 2 * executed


def test_one_answer_for_each_wanted_turn() -> None:
    conversation = conduct(protocol(("together", ("bull", "bear"))), case_of(), 1, [])
    wanted = next(conversation)
    with pytest.raises(ValueError, match="shorter"):
        conversation.send((said(wanted[0]),))
