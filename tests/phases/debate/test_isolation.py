"""The revelation gate: a token in one seat's turn is in another's prompt only once it is out, and only if it is shown.

Protocols are generated: any seats, stages, orders, seals and words of `sees`. What may be known is worked out
here from the protocol and the order of events, not from the code under test.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import event, given, reject, settings
from hypothesis import strategies as st

from phases.core.errors import UsageError
from phases.core.skills import Skill, load_skills, render
from phases.debate.conduct import Debate, WantedTurn, conduct
from phases.debate.ledger import Turn
from phases.debate.protocol import STAGES, Protocol, Step, read_protocol
from phases.debate.seats import seated
from phases.plan import CONFIGS, SKILLS
from schemas.base import Model
from schemas.debate import Acknowledged, Assessment, Claim, Condition, DebateRoundContribution, Move
from schemas.ledger import LedgerEvent
from schemas.seats import CriticReport, ModeratorRuling, PanelAnswer, PersonaAnswer, SupervisorView
from tests.support import TICKER, case_of

SEATS = {
    "bull": ("research-debate", "bull"),
    "bear": ("research-debate", "bear"),
    "cautious": ("persona-cautious", "free"),
    "creative": ("persona-creative", "free"),
    "critic": ("debate-critic", "none"),
    "moderator": ("debate-moderator", "none"),
    "judge": ("debate-judge", "none"),
    "supervisor": ("forecast-supervisor", "none"),
}
SPEECH = (
    *("prior_rounds", "bull_argument", "last_opponent", "critique", "focus", "open_points", "statements", "tally"),
    *("cited_before", "rounds"),
)
WORDS = ("case", "panel", "evidence", "question", *SPEECH)
TOKEN = re.compile(r"tok_[a-z]+_[a-z]+_[0-9]+_[0-9]+_end")

DEBATER = {"prior_rounds", "bull_argument", "last_opponent", "critique", "focus", "open_points", "cited_before"}
TABLE = {"critique", "statements", "tally", "rounds"}


@cache
def skills() -> dict[str, Skill]:
    return load_skills(SKILLS)


def token(seat: str, step: str, round_number: int) -> str:
    stage, _, at = step.partition(".")
    return f"tok_{seat}_{stage}_{at}_{round_number}_end"


@st.composite
def protocols(draw: st.DrawFn) -> Protocol:
    found: dict[str, Any] = {"protocol": "drawn", "argument_limit": 600}
    names = ["bull", "bear", *draw(st.lists(st.sampled_from(list(SEATS)[2:]), unique=True))]
    for stage in STAGES:
        free, steps = list(draw(st.permutations(names))), []
        while free and draw(st.booleans()):
            taken, free = free[: (size := draw(st.integers(1, 3)))], free[size:]
            readable = set().union(*(DEBATER if one in ("bull", "bear") else TABLE for one in taken))
            allowed = [word for word in WORDS if word not in SPEECH or word in readable]
            steps.append(
                {
                    "seats": taken,
                    "order": draw(st.sampled_from(["sequence", "together"])),
                    "sealed": draw(st.sampled_from(["true", "false"])),
                    "sees": draw(st.lists(st.sampled_from(allowed), unique=True, max_size=6)),
                }
            )
        found[stage] = steps
    if not {"bull", "bear"} <= {one for stage in ("opening", "loop") for step in found[stage] for one in step["seats"]}:
        taken = [
            {**step, "seats": kept}
            for step in found["loop"]
            if (kept := [s for s in step["seats"] if s not in ("bull", "bear")])
        ]
        found["loop"] = [
            {
                "seats": ["bull", "bear"],
                "order": draw(st.sampled_from(["sequence", "together"])),
                "sees": ["case", "prior_rounds"],
            },
            *taken,
        ]
    speaking = {one for stage in STAGES for step in found[stage] for one in step["seats"]}
    found["seats"] = {name: dict(zip(("skill", "side"), SEATS[name], strict=True)) for name in speaking}
    if found["loop"]:
        found["rounds"] = str(draw(st.integers(1, 3)))
    for stage in STAGES:
        for step in found[stage]:
            readable = set().union(*(DEBATER if one in ("bull", "bear") else TABLE for one in step["seats"]))
            step["sees"] = [word for word in step["sees"] if word not in SPEECH or word in readable]
    try:
        return read_protocol(json.dumps(found), "drawn.yaml")
    except UsageError:  # a seat without anything to look at speaks first
        reject()


def turn_of(wanted: WantedTurn, mark: str) -> Model:
    """A turn with its token in every text."""
    number: Any = getattr(wanted.inputs, "round_number", 1)
    claim = Claim(id="c1", text=f"{mark} claim", evidence=("px.ret_63d",))
    makers: dict[type[Model], Callable[[], Model]] = {
        DebateRoundContribution: lambda: DebateRoundContribution(
            role=wanted.seat.side,  # type: ignore[arg-type]
            ticker=TICKER,
            round_number=number,
            argument=f"{mark} argues.",
            probability=0.7 if wanted.seat.side == "bull" else 0.3,
            claims=(claim,),
            moves=tuple(
                Move(
                    target=point.id,
                    kind="rebutted",
                    reason=f"{mark} rebuts",
                    evidence=("px.ret_252d",),
                    would_change_if=Condition(evidence="px.ret_63d", comparison="below", value=0.0),
                )
                for point in getattr(wanted.inputs, "open_points", None) or ()
            ),
            acknowledged=Acknowledged(text=f"{mark} grants", evidence=(), why_limited=f"{mark} limits"),
        ),
        PersonaAnswer: lambda: PersonaAnswer(
            seat=wanted.name, round_number=number, answer=f"{mark} answers", stance=mark[:40], claims=(claim,)
        ),
        CriticReport: lambda: CriticReport(assessments=(Assessment(seat="x", verdict="flawed", flaw=f"{mark} flaw"),)),
        ModeratorRuling: lambda: ModeratorRuling(
            summary=f"{mark} sums", status="continue", decision=f"{mark} decides", focus=f"{mark} asks"
        ),
        PanelAnswer: lambda: PanelAnswer(answer=f"{mark} judges"),
        SupervisorView: lambda: SupervisorView(
            probability=0.5, confidence="low", because=f"{mark} because", evidence=("px.ret_63d",)
        ),
    }
    return makers[wanted.kind.returns]()


def may_know(plan: Protocol, said: LedgerEvent, reader: str, stage: str, at: int, number: int) -> bool:
    """Whether a turn that was given earlier is out for a reader."""
    if said.seat == reader:
        return True
    own_stage, _, own_at = said.step.partition(".")
    if (own_stage, said.round_number) != (stage, number):
        return True
    mine, other = getattr(plan, stage)[at], getattr(plan, own_stage)[int(own_at)]
    return not (mine.sealed and other.sealed) and not (int(own_at) == at and mine.order == "together")


def watched(plan: Protocol) -> int:
    """Hold a debate and look for tokens in every prompt; gives how often something of others was shown."""
    kinds = seated(plan, skills(), "drawn.yaml")
    ledger: list[LedgerEvent] = []
    debate = Debate(plan, kinds, case_of(), plan.rounds or 0, ledger)
    conversation, known = conduct(debate), 0
    wanted = next(conversation)
    try:
        while True:
            for turn in wanted:
                known += _check(plan, turn, ledger)
            step, number = _place(plan, wanted, ledger)
            marks = [token(turn.name, step, number) for turn in wanted]
            wanted = conversation.send(tuple(Turn(turn_of(*both)) for both in zip(wanted, marks, strict=True)))
    except StopIteration:
        pass
    return known


@given(protocols())
@settings(max_examples=250, deadline=None)
def test_a_turn_is_known_only_once_it_is_out_and_shown(plan: Protocol) -> None:
    event("something of others was shown" if watched(plan) else "nothing was")


def _place(plan: Protocol, wanted: tuple[WantedTurn, ...], ledger: list[LedgerEvent]) -> tuple[str, int]:
    """Step and round of the turns that are wanted."""
    number = wanted[0].inputs.model_dump().get("round_number") or 0
    for stage in STAGES:
        for at, step in enumerate(getattr(plan, stage)):
            if step is wanted[0].step:
                return f"{stage}.{at}", number
    raise AssertionError("a step of no stage")


def _check(plan: Protocol, turn: WantedTurn, ledger: list[LedgerEvent]) -> int:
    step, number = _place(plan, (turn,), ledger)
    stage, _, at = step.partition(".")
    prompt = render(skills()[turn.seat.skill], turn.inputs, returns=turn.kind.returns, require=turn.step.require).text
    found = set(TOKEN.findall(prompt))
    out = {
        token(e.seat, e.step, e.round_number) for e in ledger if may_know(plan, e, turn.name, stage, int(at), number)
    }
    assert found <= out, f"{turn.name} in {step} round {number} knows {sorted(found - out)}"
    if not set(turn.step.sees) & set(SPEECH):
        assert not found, f"{turn.name} in {step} is shown nothing that was said"
    return len(found)


SHIPPED = sorted((CONFIGS / "protocols").glob("*.yaml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_shipped_protocols_keep_their_seals(path: Any) -> None:
    plan = read_protocol(path.read_text(encoding="utf-8"), str(path))
    assert watched(plan) > 0, "in the end something is shown"


def test_the_canary_would_be_seen() -> None:
    """Without its seal the other opening is in the prompt."""
    plan = read_protocol((CONFIGS / "protocols" / "desk.yaml").read_text(encoding="utf-8"), "desk.yaml")
    open_step: Step = plan.opening[0].model_copy(
        update={"sealed": False, "order": "sequence", "sees": ("evidence", "bull_argument")}
    )
    loose = plan.model_copy(update={"opening": (open_step,)})
    debate = Debate(loose, seated(loose, skills(), "x"), case_of(), 2, [])
    conversation = conduct(debate)
    bull = next(conversation)
    [bear] = conversation.send((Turn(turn_of(bull[0], token("bull", "opening.0", 1))),))
    assert TOKEN.search(bear.inputs.model_dump_json())
