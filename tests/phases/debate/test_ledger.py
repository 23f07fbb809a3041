"""The ledger: seven kinds of events, and what is folded from them; turns written out here."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import TypeAdapter

from phases.debate.ledger import (
    EVENTS,
    Turn,
    Void,
    ballots,
    cited,
    entry,
    loop_round,
    loop_rounds_held,
    paired_rounds,
    rounds_of,
    spoken,
    stage_of,
    statements,
)
from schemas.base import Model, Role
from schemas.debate import Acknowledged, Assessment, Claim, Condition, DebateRoundContribution, Move
from schemas.ledger import LedgerEvent, Spoke, Voided
from schemas.seats import CriticReport, ModeratorRuling, PanelAnswer, PersonaAnswer, SupervisorView
from tests.support import TICKER


def claim(*ids: str) -> Claim:
    return Claim(id="x", text=f"claim on {' '.join(ids) or 'nothing'}", evidence=ids)


def turn(role: Role, round_number: int = 1, **more: Any) -> DebateRoundContribution:
    argument = f"The {role} speaks in round {round_number}."
    return DebateRoundContribution(role=role, ticker=TICKER, round_number=round_number, argument=argument, **more)


def said(role: Role, round_number: int = 1, step: str = "loop.0", **more: Any) -> LedgerEvent:
    return entry(role, step, round_number, Turn(turn(role, round_number, **more)))


def answered(seat: str, stance: str, round_number: int = 1, *ids: str) -> LedgerEvent:
    told = {"seat": seat, "round_number": round_number, "answer": f"{seat} says {stance}.", "stance": stance}
    step = "opening.0" if round_number == 1 else "closing.1"
    return entry(seat, step, round_number, Turn(PersonaAnswer(**told, claims=(claim(*ids),))))  # type: ignore


def void(seat: str, round_number: int = 1, step: str = "loop.0", reason: str = "silence") -> LedgerEvent:
    return entry(seat, step, round_number, Turn(Void(reason)))


VIEW = SupervisorView(probability=0.4, confidence="low", because="The whole.", evidence=("px.vol_ratio",))
KINDS: list[tuple[Model | Void, str]] = [
    (turn("bull"), "spoke"),
    (PersonaAnswer(seat="seat", round_number=1, answer="Hold it.", stance="hold"), "answered"),
    (CriticReport(assessments=(Assessment(seat="bull", verdict="sound"),)), "assessed"),
    (ModeratorRuling(summary="They differ.", status="continue"), "ruled"),
    (PanelAnswer(answer="The panel holds."), "judged"),
    (VIEW, "supervised"),
    (Void("refuse: the model refused"), "voided"),
]


@pytest.mark.parametrize(("what", "kind"), KINDS)
def test_a_turn_becomes_the_event_of_its_contract(what: Model | Void, kind: str) -> None:
    event = entry("seat", "closing.1", 3, Turn(what, ("repaired",), ("/moves/0: cheap",), 7))
    assert (event.kind, event.seat, event.step, event.round_number) == (kind, "seat", "closing.1", 3)
    assert (event.flags, event.dropped, event.tokens) == (("repaired",), ("/moves/0: cheap",), 7)
    assert (event.reason if isinstance(event, Voided) else event.contribution) == (
        what.reason if isinstance(what, Void) else what
    )
    adapter: TypeAdapter[LedgerEvent] = TypeAdapter(LedgerEvent)
    assert adapter.validate_json(adapter.dump_json(event)) == event


def test_there_is_an_event_for_every_contract_of_a_seat_and_one_for_a_void() -> None:
    events = get_args(get_args(LedgerEvent)[0])
    assert {made for made, _ in EVENTS.values()} == set(events) - {Voided}
    assert [kind for _, kind in KINDS] == [get_args(event.model_fields["kind"].annotation)[0] for event in events]


def test_claims_get_their_full_ids_in_order() -> None:
    event = entry("bull", "loop.0", 2, Turn(turn("bull", 2, claims=(claim("px.ret_63d"), claim())), ("repaired",)))
    assert isinstance(event, Spoke)
    assert [one.id for one in event.contribution.claims or ()] == ["bull.2.c1", "bull.2.c2"]
    assert [one.text for one in event.contribution.claims or ()] == ["claim on px.ret_63d", "claim on nothing"]
    assert event.flags == ("repaired",)


def test_claims_are_named_for_the_seat_not_for_the_side() -> None:
    event: Any = entry("optimist", "opening.0", 1, Turn(turn("bull", claims=(claim(),))))
    assert [one.id for one in event.contribution.claims] == ["optimist.1.c1"]
    persona: Any = answered("literal", "hold", 2)
    assert [one.id for one in persona.contribution.claims] == ["literal.2.c1"]


@pytest.mark.parametrize("claims", [None, ()])
def test_a_turn_without_claims_stays_without(claims: Any) -> None:
    event = said("bear", claims=claims)
    assert isinstance(event, Spoke)
    assert event.contribution.claims == claims


def test_a_void_keeps_seat_round_and_reason() -> None:
    event = void("bear", 3, reason="refuse: the model refused")
    expected = {"seat": "bear", "step": "loop.0", "round_number": 3, "reason": "refuse: the model refused"}
    assert event == Voided(kind="voided", **expected)  # type: ignore


def test_rounds_hold_what_was_said_and_nothing_of_voids() -> None:
    ledger = [said("bull"), void("bear"), void("bull", 2), said("bear", 2)]
    first, second = rounds_of(ledger)
    assert (first.round_number, first.bull_argument, first.bear_argument) == (1, "The bull speaks in round 1.", None)
    assert (second.round_number, second.bull_argument, second.bear_argument) == (2, None, "The bear speaks in round 2.")
    assert [one.round_number for one in spoken(ledger, "bull")] == [1]
    assert rounds_of([]) == ()


OPENED = [
    *(said("bull", 1, "opening.0"), said("bear", 1, "opening.0")),
    *(said("bull", 2), void("bear", 2)),
    *(said("bull", 3), said("bear", 3)),
    said("bull", 4, "closing.0"),
]
"""An opening, two loop rounds of which the first is unpaired, and a closing word."""

LOOPED = [said("bull"), said("bear"), void("bull", 2), said("bear", 2), entry("sup", "closing.0", 3, Turn(VIEW))]


@pytest.mark.parametrize(
    ("ledger", "stages", "numbers", "held", "paired"),
    [
        (OPENED, ["opening"] * 2 + ["loop"] * 4 + ["closing"], [0, 0, 1, 1, 2, 2, 3], 2, {3}),
        (LOOPED, ["loop"] * 4 + ["closing"], [1, 1, 2, 2, 3], 2, {1}),
        (OPENED[:2], ["opening"] * 2, [0, 0], 0, set()),
        ([], [], [], 0, set()),
    ],
)
def test_loop_rounds_are_counted_from_1_after_the_opening(
    ledger: list[LedgerEvent], stages: list[str], numbers: list[int], held: int, paired: set[int]
) -> None:
    assert [stage_of(event) for event in ledger] == stages
    assert [loop_round(event, ledger) for event in ledger] == numbers
    assert loop_rounds_held(ledger) == held
    assert paired_rounds(ledger) == paired


MOVE = Move(
    target="bear.1.c1",
    kind="carried",
    reason="It may.",
    evidence=("px.ret_252d",),
    would_change_if=Condition(evidence="px.vol_ratio", comparison="above", value=2.0),
)
GRANT = Acknowledged(text="It fell.", evidence=("px.drawdown_252d",), why_limited="Once.")


@pytest.mark.parametrize(
    ("event", "ids"),
    [
        (
            said("bull", claims=(claim("px.ret_63d"), claim("px.ret_63d", "bias.equity")), moves=(MOVE,)),
            {"px.ret_63d", "bias.equity", "px.ret_252d"},  # a test on an item rests on nothing
        ),
        (said("bull", acknowledged=GRANT), {"px.drawdown_252d"}),
        (answered("literal", "buy", 1, "px.ret_63d"), {"px.ret_63d"}),
        (entry("sup", "closing.0", 1, Turn(VIEW)), {"px.vol_ratio"}),
        (entry("mod", "loop.1", 1, Turn(ModeratorRuling(summary="They differ.", status="continue"))), set()),
        (said("bull"), set()),
        (void("bull"), set()),
    ],
)
def test_cited_are_the_ids_that_a_turn_rests_on(event: LedgerEvent, ids: set[str]) -> None:
    assert cited(event) == ids


def test_statements_are_what_debaters_and_personas_said() -> None:
    ledger = [
        said("bull", probability=0.6, claims=(claim("px.ret_63d", "bias.equity"),)),
        void("bear"),
        answered("literal", "Hold.", 1),
        entry("critic", "closing.0", 2, Turn(CriticReport(assessments=()))),
        entry("sup", "closing.0", 2, Turn(VIEW)),
    ]
    bull, literal = statements(ledger)
    assert (bull.seat, bull.round_number, bull.side) == ("bull", 1, "bull")
    assert (bull.text, bull.probability, bull.stance) == ("The bull speaks in round 1.", 0.6, None)
    assert bull.evidence == ("bias.equity", "px.ret_63d")
    assert (literal.seat, literal.side, literal.text) == ("literal", None, "literal says Hold..")
    assert (literal.stance, literal.probability, literal.evidence) == ("Hold.", None, ())


def test_ballots_are_the_first_and_the_latest_of_every_persona() -> None:
    ledger = [answered("a", "Buy"), answered("b", "hold"), void("c"), void("a", 2), answered("b", "sell", 2)]
    assert ballots(ledger) == ({"a": "Buy", "b": "hold"}, {"a": "Buy", "b": "sell"})
    assert ballots([]) == ({}, {})
