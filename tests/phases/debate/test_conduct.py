"""The debate as a generator, driven with lists: no model, no mock."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import pytest
import yaml

from phases.core.skills import Skill, load_skills
from phases.debate.conduct import Debate, WantedTurn, conduct
from phases.debate.ledger import Turn, Void
from phases.debate.protocol import Protocol, read_protocol
from phases.debate.seats import seated
from phases.plan import CONFIGS, SKILLS
from schemas.base import Model
from schemas.debate import Assessment, Claim, DebateRoundContribution
from schemas.ledger import LedgerEvent, Spoke, Voided
from schemas.seats import CriticReport, ModeratorRuling, PanelAnswer, PersonaAnswer, SupervisorView
from tests.support import ROUNDS, TICKER, case_of, payload

SEES = ["evidence", "prior_rounds", "bull_argument"]
PAIR = {"bull": ("research-debate", "bull"), "bear": ("research-debate", "bear")}
TABLE = {
    **PAIR,
    "cautious": ("persona-cautious", "free"),
    "creative": ("persona-creative", "free"),
    "literal": ("persona-literal", "free"),
    "moderator": ("debate-moderator", "none"),
    "supervisor": ("forecast-supervisor", "none"),
}


@cache
def skills() -> Mapping[str, Skill]:
    return load_skills(SKILLS)


def steps(*made: tuple[str, Sequence[str]], **more: Any) -> list[dict[str, Any]]:
    return [{"seats": list(seats), "order": order, "sees": SEES, **more} for order, seats in made]


def protocol(*made: tuple[str, Sequence[str]], **changes: Any) -> Protocol:
    """The shipped protocol with another loop: (order, seats)."""
    found = yaml.safe_load(ROUNDS)
    if made:
        found["loop"] = steps(*made)
    return read_protocol(json.dumps({**found, **changes}), "test")


def staged(**changes: Any) -> Protocol:
    """A protocol of these stages; its seats are those that speak."""
    told = {"protocol": "staged", "argument_limit": 600, **changes}
    names = {name for stage in ("opening", "loop", "closing") for step in told.get(stage, ()) for name in step["seats"]}
    seats = {name: dict(zip(("skill", "side"), TABLE[name], strict=True)) for name in TABLE if name in names}
    return read_protocol(json.dumps({**told, "seats": seats}), "staged")


def shipped(name: str) -> Protocol:
    file = CONFIGS / "protocols" / f"{name}.yaml"
    return read_protocol(file.read_text(encoding="utf-8"), str(file))


class Held(NamedTuple):
    """A debate that has ended."""

    asked: list[tuple[str, ...]]
    """Seats wanted at once, in order."""
    turns: list[WantedTurn]
    ledger: list[LedgerEvent]
    stop: str

    @property
    def places(self) -> list[tuple[str, int, str]]:
        return [(event.step, event.round_number, event.seat) for event in self.ledger]


def said(turn: WantedTurn, **fields: Any) -> Turn:
    """A valid turn of any kind."""
    side, number = turn.seat.side, getattr(turn.inputs, "round_number", 0)
    text = f"The {side if side in ('bull', 'bear') else turn.name} speaks in round {number}."
    told: dict[type[Model], dict[str, Any]] = {
        DebateRoundContribution: {"role": side, "ticker": TICKER, "round_number": number, "argument": text},
        PersonaAnswer: {"seat": turn.name, "round_number": number, "answer": text, "stance": "buy"},
        CriticReport: {"assessments": (Assessment(seat="literal", verdict="sound"),)},
        ModeratorRuling: {"summary": text, "status": "continue"},
        PanelAnswer: {"answer": text},
        SupervisorView: {"probability": 0.5, "confidence": "low", "because": text, "evidence": ("px.ret_63d",)},
    }
    returns = turn.kind.returns
    known = {name: value for name, value in fields.items() if name in returns.model_fields}
    return Turn(returns(**{**told[returns], **known}))


Said = Callable[[WantedTurn], Turn]


def hold(plan: Protocol, rounds: int, silent: Sequence[tuple[str, int]] = (), say: Said = said, **about: Any) -> Held:
    """Drive a debate to its end; the seats in `silent` give no valid turn in that round."""
    ledger: list[LedgerEvent] = []
    asked, turns = [], []
    conversation = conduct(Debate(plan, seated(plan, skills(), "test"), case_of(**about), rounds, ledger))
    wanted = next(conversation)
    while True:
        asked.append(tuple(turn.name for turn in wanted))
        turns += wanted
        answers = tuple(
            Turn(Void("silence")) if (turn.name, turn.inputs.round_number) in silent else say(turn)  # type: ignore
            for turn in wanted
        )
        try:
            wanted = conversation.send(answers)
        except StopIteration as end:
            return Held(asked, turns, ledger, end.value)


@pytest.mark.parametrize(
    ("made", "order"),
    [
        ((), [("bull",), ("bear",)]),
        ((("sequence", ("bear", "bull")),), [("bear",), ("bull",)]),
        ((("together", ("bull", "bear")),), [("bull", "bear")]),
        ((("together", ("bear",)), ("sequence", ("bull",))), [("bear",), ("bull",)]),
    ],
)
@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_turns_come_in_the_order_of_the_file(made: Any, order: list[tuple[str, ...]], rounds: int) -> None:
    held = hold(protocol(*made), rounds)
    assert held.asked == order * rounds
    spoken = [(event.seat, event.contribution.round_number) for event in held.ledger if isinstance(event, Spoke)]
    assert spoken == [(name, number) for number in range(1, rounds + 1) for group in order for name in group]
    assert [(seat, number) for _, number, seat in held.places] == spoken
    assert held.stop == f"rounds = {rounds}"


STAGED: dict[str, Any] = {
    "opening": steps(("together", ("bull", "bear")), sealed=True),
    "loop": [
        *steps(("sequence", ("bear", "bull"))),
        *steps(("sequence", ("moderator",)), sees=["evidence", "rounds"]),
    ],
    "closing": steps(("sequence", ("supervisor",)), ("together", ("cautious", "creative")), sees=["evidence"]),
}


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_the_stages_follow_each_other_and_an_opening_is_round_1(rounds: int) -> None:
    held = hold(staged(**STAGED, rounds=2), rounds)
    looped = [("bear",), ("bull",), ("moderator",)]
    assert held.asked == [("bull", "bear"), *looped * rounds, ("supervisor",), ("cautious", "creative")]
    looped_at = [("loop.0", "bear"), ("loop.0", "bull"), ("loop.1", "moderator")]
    assert held.places == [
        *[("opening.0", 1, name) for name in ("bull", "bear")],
        *[(step, number, name) for number in range(2, rounds + 2) for step, name in looped_at],
        ("closing.0", rounds + 2, "supervisor"),
        *[("closing.1", rounds + 2, name) for name in ("cautious", "creative")],
    ]
    assert [turn.inputs.model_dump()["round_number"] for turn in held.turns] == [number for _, number, _ in held.places]
    assert held.stop == f"rounds = {rounds}"


def test_a_moderator_is_told_the_round_of_the_forced_close() -> None:
    for plan, last in ((staged(**STAGED, rounds=2), 3), (shipped("moderated"), 2)):
        held = hold(plan, 2)
        told = [turn.inputs.model_dump()["rounds"] for turn in held.turns if turn.name == "moderator"]
        assert told == [last, last]


def test_without_a_loop_the_last_step_ends_it() -> None:
    held = hold(shipped("panel"), 0)
    panel = ("cautious", "creative", "literal")
    assert (held.asked, held.stop) == ([panel, ("critic",), panel, ("judge",)], "its last step")
    assert [number for _, number, _ in held.places] == [1] * 3 + [2] * 5


def test_the_bear_of_a_sequence_sees_the_bull_of_the_same_round() -> None:
    seen = [(turn.name, turn.inputs.model_dump()["bull_argument"]) for turn in hold(protocol(), 2).turns]
    first, second = "The bull speaks in round 1.", "The bull speaks in round 2."
    assert seen == [("bull", None), ("bear", first), ("bull", None), ("bear", second)]


@pytest.mark.parametrize("made", [(), (("together", ("bull", "bear")),)])
def test_prior_rounds_are_whole_rounds_and_none_in_the_first(made: Any) -> None:
    held = hold(protocol(*made), 3)
    for turn in held.turns:
        inputs: Any = turn.inputs
        before = inputs.round_number - 1
        assert (inputs.prior_rounds is None) == (before == 0)
        assert [one.round_number for one in inputs.prior_rounds or ()] == list(range(1, before + 1))
        assert all(one.bull_argument and one.bear_argument for one in inputs.prior_rounds or ())


FIRST = "The bull speaks in round 1."


@pytest.mark.parametrize(
    ("opening", "seen"),
    [
        (steps(("sequence", ("bull", "bear"))), FIRST),
        (steps(("sequence", ("bull", "bear")), sealed=True), None),
        (steps(("together", ("bull", "bear"))), None),
        (steps(("sequence", ("bull",)), ("sequence", ("bear",))), FIRST),
        (steps(("sequence", ("bull",)), ("sequence", ("bear",)), sealed=True), None),
        # a seal binds those who are sealed themselves
        ([*steps(("sequence", ("bull",)), sealed=True), *steps(("sequence", ("bear",)))], FIRST),
    ],
)
def test_a_sealed_turn_is_unseen_by_sealed_turns_until_its_stage_is_over(opening: Any, seen: str | None) -> None:
    held = hold(staged(opening=opening, loop=steps(("sequence", ("bull", "bear"))), rounds=1), 1)
    bear = next(turn for turn in held.turns if turn.name == "bear")
    assert bear.inputs.model_dump()["bull_argument"] == seen
    later: Any = next(turn.inputs for turn in held.turns[2:] if turn.name == "bear")
    assert [(one.bull_argument, one.bear_argument) for one in later.prior_rounds] == [
        (FIRST, "The bear speaks in round 1.")
    ]


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
@pytest.mark.parametrize("made", [(), (("together", ("bull", "bear")),)])
def test_voids(made: Any, silent: list[tuple[str, int]], stop: str, turns: int) -> None:
    held = hold(protocol(*made), 3, silent)
    assert (held.stop, len(held.ledger)) == (stop, turns)
    voids = [(event.seat, event.round_number) for event in held.ledger if isinstance(event, Voided)]
    assert voids == silent


def test_a_void_of_the_bull_leaves_the_bear_without_an_opponent() -> None:
    inputs: Any = hold(protocol(), 1, [("bull", 1)]).turns[1].inputs
    assert inputs.bull_argument is None
    assert inputs.prior_rounds is None


@pytest.mark.parametrize(
    ("silent", "stop"),
    [
        ([("bull", 1)], "one_sided: no valid turn of the bull"),
        ([("bear", 1)], "one_sided: no valid turn of the bear"),
        ([("bull", 1), ("bear", 1)], "no valid turn"),
    ],
)
def test_what_is_wrong_with_the_opening_ends_the_debate_without_loop_and_closing(silent: Any, stop: str) -> None:
    held = hold(staged(**STAGED, rounds=2), 2, silent)
    assert (held.asked, held.stop) == ([("bull", "bear")], stop)


@pytest.mark.parametrize("silent", [[("bull", 2)], [("bull", 2), ("bear", 2)], [("bear", 3), ("moderator", 2)]])
def test_a_void_after_a_whole_opening_ends_nothing(silent: Any) -> None:
    held = hold(staged(**STAGED, rounds=2), 2, silent)
    assert held.stop == "rounds = 2"
    assert held.asked[-1] == ("cautious", "creative")


@pytest.mark.parametrize(
    ("silent", "stop"),
    [
        ([("bull", 1)], "one_sided: no valid turn of the bull"),
        ([("bull", 1), ("bear", 1)], "no valid turn"),
    ],
)
def test_a_closing_is_skipped_where_a_side_said_nothing_in_the_loop(silent: Any, stop: str) -> None:
    held = hold(shipped("forecaster"), 3, silent)
    assert (held.asked, held.stop) == ([("bull",), ("bear",)], stop)


PANEL = ("cautious", "creative", "literal")


@pytest.mark.parametrize(("void", "stop", "groups"), [(1, "its last step", 4), (2, "its last step", 4), (3, "no v", 1)])
def test_a_panel_goes_on_while_anyone_has_answered(void: int, stop: str, groups: int) -> None:
    held = hold(shipped("panel"), 0, [(name, 1) for name in PANEL[:void]])
    assert held.stop.startswith(stop)
    assert len(held.asked) == groups


def test_three_void_personas_are_no_valid_turn() -> None:
    assert hold(shipped("panel"), 0, [(name, 1) for name in PANEL]).stop == "no valid turn"


def test_void_personas_of_a_closing_are_no_valid_turn_either() -> None:
    late = staged(closing=steps(("together", PANEL), sees=["evidence"]), delta="tally")
    assert hold(late, 0, [(name, 1) for name in PANEL]).stop == "no valid turn"


def test_the_only_side_that_was_asked_is_no_debate_without_a_valid_turn() -> None:
    alone = staged(opening=steps(("sequence", ("bull",))), loop=steps(("sequence", ("bull", "bear"))), rounds=1)
    assert hold(alone, 1, [("bull", 1)]).stop == "no valid turn"
    assert hold(alone, 1, [("bear", 2)]).stop == "one_sided: no valid turn of the bear"
    assert hold(alone, 1).stop == "rounds = 1"


@pytest.mark.parametrize("silent", [[(name, 2) for name in PANEL], [("critic", 2)], [("judge", 2)]])
def test_a_panel_that_has_answered_is_heard_to_its_end(silent: Any) -> None:
    held = hold(shipped("panel"), 0, silent)
    assert (held.stop, len(held.ledger)) == ("its last step", 8)


def test_personas_beside_two_debaters_may_all_be_void() -> None:
    both = staged(loop=steps(("together", ("bull", "bear", "cautious", "creative")), sees=["evidence"]), rounds=2)
    assert hold(both, 2, [(name, number) for name in PANEL for number in (1, 2)]).stop == "rounds = 2"
    assert hold(both, 2, [("bull", 1)]).stop == "one_sided: no valid turn of the bull"


def settles(in_round: int) -> Said:
    """The moderator settles in that round."""

    def say(turn: WantedTurn) -> Turn:
        over = turn.inputs.model_dump()["round_number"] == in_round
        return said(turn, status="settled", decision="Enough.") if over else said(turn, focus="What of the trend?")

    return say


def test_a_ruling_ends_the_debate_and_a_void_one_goes_on() -> None:
    settled = hold(shipped("moderated"), 3, say=settles(2))
    assert (settled.stop, len(settled.asked)) == ("rule: ruling.settled = 1", 4)
    void = hold(shipped("moderated"), 3, [("moderator", 2)], say=settles(2))
    assert (void.stop, len(void.asked)) == ("rounds = 3", 6)
    first = hold(shipped("moderated"), 3, [("moderator", 1)], say=settles(2))
    assert (first.stop, len(first.asked)) == ("rule: ruling.settled = 1", 4)


def test_the_moderators_question_is_put_to_the_next_round() -> None:
    held = hold(shipped("moderated"), 2, say=settles(9))
    focus = [turn.inputs.model_dump()["focus"] for turn in held.turns if turn.seat.side != "none"]
    assert focus == [None, None, "What of the trend?", "What of the trend?"]


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


def chances(**told: float) -> Said:
    """Every turn of a side with its probability, and one claim in the opening."""

    def say(turn: WantedTurn) -> Turn:
        claim = Claim(id="c", text="It trends.", evidence=("px.ret_63d",))
        opening = turn.inputs.model_dump()["round_number"] == 1
        return said(turn, probability=told.get(turn.name, 0.5), claims=(claim,) if opening else None)

    return say


@pytest.mark.parametrize(
    ("bull", "bear", "stop", "looped"),
    [
        (0.52, 0.48, "rule: gap.last < 0.05", 0),
        (0.53, 0.48, "rule: evidence.new = 0", 1),  # exactly at the limit is not below it
        (0.6, 0.4, "rule: evidence.new = 0", 1),
    ],
)
def test_a_stop_rule_may_hold_after_the_opening(bull: float, bear: float, stop: str, looped: int) -> None:
    held = hold(shipped("desk"), 2, say=chances(bull=bull, bear=bear))
    assert (held.stop, len(held.asked)) == (stop, 1 + looped)


def test_a_closing_is_held_after_a_stop_rule_too() -> None:
    held = hold(staged(**STAGED, rounds=3, stop_when=["gap.last < 0.05"]), 3, say=chances(bull=0.5, bear=0.5))
    assert held.stop == "rule: gap.last < 0.05"
    assert held.places[2:] == [
        ("closing.0", 2, "supervisor"),
        ("closing.1", 2, "cautious"),
        ("closing.1", 2, "creative"),
    ]


def test_tokens_may_end_a_debate() -> None:
    def dear(turn: WantedTurn) -> Turn:
        return Turn(said(turn, probability=0.6 if turn.name == "bull" else 0.4).said, tokens=15_000)

    held = hold(shipped("forecaster"), 3, say=dear)
    assert held.stop == "rule: tokens.debate >= 60000"
    assert held.asked == [("bull",), ("bear",)] * 2 + [("supervisor",)]


def test_what_was_noticed_of_a_turn_is_in_the_ledger() -> None:
    def noted(turn: WantedTurn) -> Turn:
        return Turn(said(turn).said, ("repaired",), ("/moves/0: cheap",), 12)

    [event, _] = hold(protocol(), 1, say=noted).ledger
    assert (event.flags, event.dropped, event.tokens) == (("repaired",), ("/moves/0: cheap",), 12)


def test_one_answer_for_each_wanted_turn() -> None:
    plan = protocol(("together", ("bull", "bear")))
    conversation = conduct(Debate(plan, seated(plan, skills(), "test"), case_of(), 1, []))
    wanted = next(conversation)
    with pytest.raises(ValueError, match="shorter"):
        conversation.send((said(wanted[0]),))
