"""One turn alone, outside a night: a skill, its inputs as JSON, and the one checked answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from phases.analyst_payload import AXES
from phases.analyst_payload import CHECKS as AXIS_CHECKS
from phases.core.ask import Answer, Ask, Wanted, model_of
from phases.core.budget import Budget, ceilings_of
from phases.core.errors import UsageError
from phases.core.journal import Journal
from phases.core.provider import Provider
from phases.core.reading import Check
from phases.core.recorder import Recorder, today
from phases.core.scanner import Malformed, strict_json
from phases.core.skills import Rendered, Skill, load_skills, render
from phases.core.store import Store, configured_store
from phases.core.text import nearest, printable, record_json
from phases.debate.checks import checks_of
from phases.debate.protocol import Protocol, Step, loop_rounds, read_protocol
from phases.debate.seats import KINDS
from phases.lint import BINDINGS, SEATS
from phases.macro_bias import NO_NUMBERS
from phases.maths.tally import market_stance
from phases.news import CHECKS as NEWS_CHECKS
from phases.plan import SKILLS, check_tables, protocol_text, provider_of
from phases.providers import check_money
from phases.research_manager import CHECKS as MANAGER_CHECKS
from phases.risk import CHECKS as RISK_CHECKS
from phases.risk import SEATS as RISK_SEATS
from schemas.analyst import AxisInputs
from schemas.base import Model
from schemas.bias import BiasInputs
from schemas.debate import ARGUMENT_LIMIT, DebateInputs
from schemas.manager import ManagerInputs
from schemas.news import NewsInputs
from schemas.risk import RiskInputs
from schemas.seats import TableInputs
from schemas.settings import PriceTable, Settings
from schemas.validation import problems

RUN = "skill"
"""What stands for a run's id in the store."""

OPTION = "--set operation.max_cost"
"""What sets the ceiling of all lone turns of a day in a store."""

INPUTS_LIMIT = 512 * 1024
"""Longest text of inputs, in characters: some thirty times that of a debater's last round."""

PROBLEMS_TOLD = 3

FREE = Step(seats=("free",), order="sequence", sees=(), require=("claims", "moves"))
"""How a turn is checked that no step of the protocol asks for: it may make claims and moves, and has to do neither."""


class Manner(NamedTuple):
    """How a phase asks for a turn."""

    seat: str
    require: tuple[str, ...]
    checks: tuple[Check[Any], ...]
    told: str
    """In words, for the user."""


@dataclass(frozen=True)
class Alone:
    """A turn that is asked by itself."""

    skill: Skill
    wanted: Wanted[Model]
    told: str
    """How it is asked, in words."""
    settings: Settings

    @property
    def prompt(self) -> Rendered:
        """Exactly what is sent."""
        wanted = self.wanted
        return render(self.skill, wanted.inputs, returns=wanted.returns, require=wanted.require)


class Said(NamedTuple):
    """What became of it."""

    answer: str | None
    """The answer as one JSON object; absent if the turn is void."""
    notes: tuple[str, ...]
    """Lines for the user: who spoke, what was noticed, and why a turn is void."""


def turn_alone(name: str, text: str, settings: Settings, role: str | None, round_number: int | None) -> Alone:
    """The turn that a skill is asked for with these inputs. Reads files.

    `role` and `round_number` stand in for what the inputs lack. Raises UsageError naming what is
    wrong with the inputs and what the skill takes.
    """
    skill = _skill(name)
    reads, returns = BINDINGS[name]
    found = _given(name, _object(text, name, reads), reads, {"--role": role, "--round": round_number})
    _check_inputs(name, found, reads)
    inputs = reads.model_validate_json(json.dumps(found))
    manner = _manner(name, inputs, settings)
    wanted = Wanted(name, inputs, returns, manner.require, seat=manner.seat, checks=manner.checks)
    return Alone(skill, wanted, manner.told, settings)


def ask_alone(turn: Alone, out: Path, prices: PriceTable) -> Said:
    """Ask the configured provider, unless the journal under `out` has the answer. Writes the store.

    Raises UsageError where that would cost money without a ceiling, CeilingReached where it could pass the ceiling.
    """
    settings = turn.settings
    check_tables(settings, read_protocol(*protocol_text(settings)), "configuration")
    model_of(settings.models, turn.skill.name, turn.wanted.seat)
    with closing(provider_of(settings)) as provider:
        check_money(settings, prices, f"say {OPTION}=USD")
        store = configured_store(out, lock_seconds=settings.operation.lock_seconds)
        with closing(store):
            recorder = Recorder(store, RUN, 1)
            ask = _door(turn, store, provider, recorder, prices)
            (answer,) = ask.all([turn.wanted])
    calls = f"{recorder.calls.made} made, {recorder.calls.replayed} from the journal"
    first = f"engine: {provider.engine} | {turn.told} | calls: {calls}"
    record = None if answer.record is None else record_json(answer.record)
    return Said(record, (first, *_noticed(turn, answer)))


def _door(turn: Alone, store: Store, provider: Provider, recorder: Recorder, prices: PriceTable) -> Ask:
    """The door to models for one turn; what all turns of a day cost together is held under the ceiling."""
    settings, day = turn.settings, today().isoformat()
    ceilings = ceilings_of(settings.operation)
    return Ask(
        {turn.skill.name: turn.skill},
        settings.models,
        provider.engine,
        provider,
        Journal(store, RUN, settings.operation.lease_seconds),
        recorder,
        phase=turn.skill.metadata["phase"],
        ticker=getattr(turn.wanted.inputs, "ticker", ""),
        rates=prices.models,
        budget=Budget(store, f"{RUN}-{day}", day, 1, *ceilings, option=OPTION, again="run the same command again"),
    )


def _noticed(turn: Alone, answer: Answer[Model]) -> list[str]:
    found = [f"note: {flag}" for flag in answer.flags]
    found += [f"note: does not count: {printable(why)}" for why in answer.dropped]
    if answer.record is None:
        found.append(f"error: {turn.skill.name}: the turn is void: {answer.void}")
    return found


def _skill(name: str) -> Skill:
    """A skill that a phase asks."""
    skills = load_skills(SKILLS)
    known = [one for one in skills if one in BINDINGS]
    if name not in known:
        why = "is for an agent to follow; no phase asks it" if name in skills else "is no skill"
        raise UsageError(f"{printable(name)!r} {why}{nearest(name, known)} (skills: {', '.join(known)})")
    skills[name].check_filled()
    return skills[name]


def _takes(name: str, reads: type[Model]) -> str:
    return f"{name} takes {', '.join(reads.model_fields)}"


def _object(text: str, name: str, reads: type[Model]) -> dict[str, Any]:
    if len(text) > INPUTS_LIMIT:
        raise UsageError(f"--inputs: {len(text)} characters; at most {INPUTS_LIMIT} are read")
    try:
        found = strict_json(text)
    except Malformed as error:
        raise UsageError(f"--inputs: {printable(str(error))}") from None
    if not isinstance(found, dict):
        raise UsageError(f"--inputs: must be one JSON object ({_takes(name, reads)})")
    return found


FLAGS = {"--role": "role", "--round": "round_number"}


def _given(
    name: str, found: dict[str, Any], reads: type[Model], flags: Mapping[str, str | int | None]
) -> dict[str, Any]:
    """The inputs with what the flags say. Raises UsageError where they say something else."""
    for flag, value in flags.items():
        field = FLAGS[flag]
        if value is None:
            continue
        if field not in reads.model_fields:
            those = ", ".join(one for one, (inputs, _) in BINDINGS.items() if field in inputs.model_fields)
            raise UsageError(f"{flag} {printable(str(value))}: leave it out; {name} has none (it is for {those})")
        said = found.get(field)
        if said is not None and said != value:
            shown = printable(json.dumps(said))[:60]
            raise UsageError(f"{flag} {printable(str(value))} differs from {field} {shown} in the inputs; keep one")
        found = {**found, field: value if said is None else said}
    return found


def _check_inputs(name: str, found: Mapping[str, Any], reads: type[Model]) -> None:
    """Raise UsageError naming an unknown input, a missing one, or what is wrong with a value."""
    fields = reads.model_fields
    unknown = [one for one in found if one not in fields]
    if unknown:
        hint = nearest(unknown[0], fields)
        raise UsageError(f"--inputs: unknown input {printable(unknown[0])[:60]!r}{hint} ({_takes(name, reads)})")
    missing = [one for one, field in fields.items() if field.is_required() and one not in found]
    if missing:
        flags = [flag for flag, field in FLAGS.items() if field in missing]
        hint = f"; give it there or with {', '.join(flags)}" if flags else ""
        raise UsageError(f"--inputs: {', '.join(missing)} is missing{hint} ({_takes(name, reads)})")
    wrong = [printable(str(one)) for one in problems(reads, found)]
    if wrong:
        more = f"; and {len(wrong) - PROBLEMS_TOLD} more" if len(wrong) > PROBLEMS_TOLD else ""
        raise UsageError(f"--inputs: {'; '.join(wrong[:PROBLEMS_TOLD])}{more}")


def _manner(name: str, inputs: Model, settings: Settings) -> Manner:
    """How the phase of a skill asks for it."""
    match inputs:
        case BiasInputs():
            return Manner("macro", (), (NO_NUMBERS,), "asked as macro_bias asks it")
        case NewsInputs():
            return Manner("reader", (), NEWS_CHECKS, "asked as news asks it")
        case AxisInputs():
            if AXES[inputs.axis].skill != name:
                raise UsageError(
                    f"--inputs: axis {inputs.axis!r} is judged by {AXES[inputs.axis].skill}, not by {name}"
                )
            return Manner(inputs.axis, (), AXIS_CHECKS, "asked as analyst_payload asks it")
        case ManagerInputs():
            theses = tuple(f"{side}_thesis" for side in _argued(inputs))
            return Manner("manager", theses, MANAGER_CHECKS, "asked as research_manager asks it")
        case RiskInputs():
            if RISK_SEATS[name] != inputs.seat:
                raise UsageError(f"--inputs: seat {inputs.seat!r} is that of risk-{inputs.seat}, not of {name}")
            return Manner(inputs.seat, (), RISK_CHECKS, "asked as risk asks it")
        case DebateInputs() | TableInputs():
            return _seated(name, inputs, settings)
    raise AssertionError(f"no phase is known that asks {name}")


def _argued(inputs: ManagerInputs) -> Sequence[str]:
    """Sides that somebody argued: a debater, or a persona whose latest ballot is for it."""
    stances = {one.seat: market_stance(one.stance or "") for one in inputs.statements or ()}.values()
    argued = {
        "bull": any(one.bull_argument for one in inputs.rounds) or "buy" in stances,
        "bear": any(one.bear_argument for one in inputs.rounds) or "sell" in stances,
    }
    return [side for side, said in argued.items() if said]


def _seated(name: str, inputs: DebateInputs | TableInputs, settings: Settings) -> Manner:
    """How the configured protocol asks for a turn; nothing is required where it does not ask for it at all."""
    text, where = protocol_text(settings)
    protocol = read_protocol(text, where)
    returns = KINDS[SEATS[name]].returns
    limit = inputs.argument_limit if isinstance(inputs, DebateInputs) else None
    limited = protocol.model_copy(update={"argument_limit": limit or ARGUMENT_LIMIT})
    seat = inputs.role if isinstance(inputs, DebateInputs) else inputs.seat
    found = _step(name, inputs, protocol, loop_rounds(protocol, settings.debate.rounds, where) + protocol.offset)
    if found is None:
        told = f"protocol {protocol.protocol} does not ask for it, so nothing is required"
        return Manner(seat, (), checks_of(returns, limited, FREE), told)
    seat, stage, step = found
    require = tuple(one for one in step.require if one in returns.model_fields)
    return Manner(seat, require, checks_of(returns, limited, step), f"asked as the {stage} of {protocol.protocol}")


def _step(
    name: str, inputs: DebateInputs | TableInputs, protocol: Protocol, last_round: int
) -> tuple[str, str, Step] | None:
    """Seat, stage and step of a turn, by skill, side or seat, and round."""

    def speaks(id: str) -> bool:
        seat = protocol.seats[id]
        return seat.skill == name and (
            seat.side == inputs.role if isinstance(inputs, DebateInputs) else id == inputs.seat
        )

    first = ["opening"] if inputs.round_number == 1 else ["closing"] if inputs.round_number > last_round else []
    for stage in (*first, "loop", "closing"):
        for step in getattr(protocol, stage):
            for id in filter(speaks, step.seats):
                return id, stage, step
    return None
