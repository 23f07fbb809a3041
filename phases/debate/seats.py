"""Seats: what the contract of a seat's skill says it answers, reads, and which sides it may take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from phases.core.errors import UsageError
from phases.core.skills import Skill
from phases.debate.protocol import STAGES, Protocol, Step, inputs_shown, unknown
from schemas.base import Model
from schemas.debate import DebateInputs, DebateRoundContribution
from schemas.seats import CriticReport, ModeratorRuling, PanelAnswer, PersonaAnswer, SupervisorView, TableInputs

CALLERS = ("ticker", "role", "seat", "round_number", "last_probability", "argument_limit")
"""Inputs that every turn has, whatever its step shows: what the caller fixes, and the speaker's own last word."""


class Kind(NamedTuple):
    """One kind of seat."""

    returns: type[Model]
    """Contract of a turn."""
    reads: type[Model]
    """Record of its inputs."""
    sides: tuple[str, ...]


KINDS: Mapping[str, Kind] = {
    kind.returns.__name__: kind
    for kind in (
        Kind(DebateRoundContribution, DebateInputs, ("bull", "bear")),
        Kind(PersonaAnswer, TableInputs, ("free",)),
        Kind(CriticReport, TableInputs, ("none",)),
        Kind(ModeratorRuling, TableInputs, ("none",)),
        Kind(PanelAnswer, TableInputs, ("none",)),
        Kind(SupervisorView, TableInputs, ("none",)),
    )
}
"""Kinds of seats, by the contract that their skill produces."""


def seated(protocol: Protocol, skills: Mapping[str, Skill], where: str) -> dict[str, Kind]:
    """The kind of every seat. Raises UsageError with file and key for what no seat can do."""
    kinds = {name: _kind(name, protocol, skills, where) for name in protocol.seats}
    for stage in STAGES:
        for at, step in enumerate(getattr(protocol, stage)):
            _check_step(step, [kinds[name] for name in step.seats], stage, f"{where}: {stage}.{at}")
    return kinds


def _kind(name: str, protocol: Protocol, skills: Mapping[str, Skill], where: str) -> Kind:
    seat, place = protocol.seats[name], f"{where}: seats.{name}"
    skill = skills.get(seat.skill)
    if skill is None:
        raise UsageError(f"{place}.skill: {unknown(seat.skill, sorted(skills))}")
    kind = KINDS.get(skill.produces)
    if kind is None:
        raise UsageError(
            f"{place}.skill: {seat.skill} produces {skill.produces or 'nothing'}; a seat answers {', '.join(KINDS)}"
        )
    if seat.side not in kind.sides:
        raise UsageError(f"{place}.side: {seat.side!r} with the skill {seat.skill}; allowed: {', '.join(kind.sides)}")
    return kind


def _check_step(step: Step, kinds: list[Kind], stage: str, place: str) -> None:
    readable = {name for kind in kinds for name in kind.reads.model_fields} - set(CALLERS)
    answerable = {name for kind in kinds for name in kind.returns.model_fields} - {*CALLERS, "argument"}
    for name in step.sees:
        if not inputs_shown((name,)) & readable:
            raise UsageError(f"{place}.sees: {unknown(name, sorted(readable))}")
    for name in step.require:
        if name not in answerable:
            raise UsageError(f"{place}.require: {unknown(name, sorted(answerable))}")
    for block in ("claims", "moves"):
        if block in step.require and "evidence" not in inputs_shown(step.sees):
            raise UsageError(f"{place}.require: {block} rest on evidence; add case or evidence to sees")
    if "moves" in step.require and "probability" not in step.require:
        raise UsageError(f"{place}.require: a concession moves the probability; ask for probability beside moves")
    if "moves" in step.require and stage != "loop":
        raise UsageError(f"{place}.require: moves cannot be asked for in the {stage}; ask for them in the loop")
    if "moves" in step.require and "open_points" not in step.sees:
        raise UsageError(f"{place}.require: moves answer open points; add open_points to sees")
