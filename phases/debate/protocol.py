"""A debate protocol: one YAML file, typed and closed. Refused at load, with file and key, where it cannot work."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from phases.core.config import read_mapping, read_record
from phases.core.errors import UsageError
from phases.core.skills import Skill
from phases.core.text import nearest
from phases.debate.readouts import READOUTS
from phases.debate.rules import parse_rule
from schemas import CONTRACTS
from schemas.base import Text
from schemas.debate import ARGUMENT_LIMIT, DebateInputs, DebateRoundContribution
from schemas.settings import Section


class Seat(Section):
    """Someone who speaks."""

    skill: Text
    """Skill that is asked."""
    side: Literal["bull", "bear"]
    """Side it argues."""


class Step(Section):
    """Turns that belong together."""

    seats: Annotated[tuple[Text, ...], Field(min_length=1)]
    """Who speaks."""
    order: Literal["sequence", "together"]
    """One after another, or at once and unseen by each other."""
    sees: tuple[Text, ...]
    """Inputs of the skill that the seats are shown."""
    require: tuple[Text, ...] = ()
    """Blocks of the contribution that must be there."""


class Protocol(Section):
    """Who speaks when, what they see, and when it ends."""

    protocol: Text
    """Name, equal to the file's."""
    seats: dict[Text, Seat]
    """Seats by id."""
    start_when: tuple[Text, ...] = ()
    """Rules of which one must hold for a debate to be bought under the gate; none: always."""
    loop: Annotated[tuple[Step, ...], Field(min_length=1)]
    """Steps of one round."""
    rounds: Annotated[int, Field(ge=1, le=5)]
    """Rounds, unless the configuration says otherwise."""
    stop_when: tuple[Text, ...] = ()
    """Rules that end the debate early."""
    delta: Literal["stance_table"]
    """How the change of conviction is computed."""
    argument_limit: Annotated[int, Field(ge=80, le=ARGUMENT_LIMIT)]
    """Longest argument, in characters; never above the contract's."""


@cache
def read_protocol(text: str, where: str) -> Protocol:
    """Type the text of a protocol file. Raises UsageError naming file and key."""
    protocol = read_record(Protocol, read_mapping(text, where), where)
    _check_names(protocol, where)
    for key in ("start_when", "stop_when"):
        for rule in getattr(protocol, key):
            parse_rule(rule, READOUTS, f"{where}: {key}")
    return protocol


def _check_names(protocol: Protocol, where: str) -> None:
    inputs = [name for name in DebateInputs.model_fields if name not in ("ticker", "role", "round_number")]
    blocks = [name for name, field in DebateRoundContribution.model_fields.items() if not field.is_required()]
    known = {"seats": list(protocol.seats), "sees": inputs, "require": blocks}
    for at, step in enumerate(protocol.loop):
        for key, names in known.items():
            for name in getattr(step, key):
                if name not in names:
                    options = f"(known: {', '.join(names)})"
                    raise UsageError(f"{where}: loop.{at}.{key}: {name!r} is unknown{nearest(name, names)} {options}")
    sides = [protocol.seats[name].side for step in protocol.loop for name in step.seats]
    if sorted(sides) != ["bear", "bull"]:
        raise UsageError(f"{where}: loop: each side must speak exactly once a round; it has {', '.join(sides)}")


def check_skills(protocol: Protocol, skills: Mapping[str, Skill], where: str) -> None:
    """Refuse a protocol whose seats name a skill that is not there or that answers something else."""
    for name, seat in protocol.seats.items():
        skill = skills.get(seat.skill)
        if skill is None:
            options = f"(known: {', '.join(sorted(skills))})"
            raise UsageError(
                f"{where}: seats.{name}.skill: {seat.skill!r} is unknown{nearest(seat.skill, skills)} {options}"
            )
        if CONTRACTS.get(skill.produces) is not DebateRoundContribution:
            raise UsageError(
                f"{where}: seats.{name}.skill: {seat.skill} produces {skill.produces}, "
                f"not {DebateRoundContribution.__name__}"
            )


def protocol_file(name: str, folder: Path, further: Path | None) -> Path:
    """The file of a protocol, looked for in the further folder first. Raises UsageError listing what there is."""
    folders = [one for one in (further, folder) if one is not None]
    for one in folders:
        if (one / f"{name}.yaml").is_file():
            return one / f"{name}.yaml"
    known = sorted({path.stem for one in folders for path in one.glob("*.yaml")})
    raise UsageError(f"debate.protocol: {name!r} is unknown{nearest(name, known)} (known: {', '.join(known)})")
