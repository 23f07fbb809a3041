"""A debate protocol: one YAML file, typed and closed. Refused at load, with file and key, where it cannot work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from phases.core.config import read_mapping, read_record
from phases.core.errors import UsageError
from phases.core.text import nearest
from phases.debate.readouts import READOUTS
from phases.debate.readouts.base import ReadoutSettings
from phases.debate.rules import parse_rule
from schemas.base import Section, Text
from schemas.debate import ARGUMENT_LIMIT

STAGES = ("opening", "loop", "closing")

SeatName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,19}$")]

SHORTHANDS: Mapping[str, frozenset[str]] = {
    "case": frozenset({"bias_row", "evidence", "analyst_payload", "question", "carried"}),
    "panel": frozenset({"analyst_payload"}),
    "last_opponent": frozenset({"prior_rounds", "bull_argument"}),
}
"""Words of `sees` that stand for several inputs. `last_opponent` shows only the other side's latest argument."""


class Seat(Section):
    """Someone who speaks."""

    skill: Text
    """Skill that is asked."""
    side: Literal["bull", "bear", "free", "none"]
    """Side it argues: `free` answers as it sees fit, `none` answers nothing itself."""


class Step(Section):
    """Turns that belong together."""

    seats: Annotated[tuple[SeatName, ...], Field(min_length=1)]
    """Who speaks."""
    order: Literal["sequence", "together"]
    """One after another, or at once and unseen by each other."""
    sealed: bool = False
    """Whether its turns stay unseen by each other, and by other sealed steps of the same stage, until it is over."""
    sees: tuple[Text, ...]
    """Inputs of the skills that the seats are shown."""
    require: tuple[Text, ...] = ()
    """Fields of the seats' contracts that must be there."""


class Protocol(Section):
    """Who speaks when, what they see, and when it ends."""

    protocol: Annotated[str, Field(pattern=r"^[a-z0-9_-]+$")]
    """Name, equal to the file's."""
    seats: Annotated[dict[SeatName, Seat], Field(min_length=1)]
    """Seats by id."""
    start_when: tuple[Text, ...] = ()
    """Rules of which one must hold for a debate to be bought under the gate; none: always."""
    opening: tuple[Step, ...] = ()
    """Steps before the loop, all in round 1."""
    loop: tuple[Step, ...] = ()
    """Steps of one round."""
    rounds: Annotated[int, Field(ge=1, le=5)] | None = None
    """Loop rounds, unless the configuration says otherwise; absent without a loop."""
    closing: tuple[Step, ...] = ()
    """Steps after the loop."""
    stop_when: tuple[Text, ...] = ()
    """Rules that end the debate early."""
    delta: Literal["stance_table", "exchange", "tally"] = "stance_table"
    """How the change of conviction is computed."""
    probability_after: Literal["per_point", "midpoint", "blend"] = "per_point"
    """How the probability follows: by conviction points, by the sides' midpoint, or as the blend."""
    readouts: ReadoutSettings = ReadoutSettings()
    """Parameters of the read-outs."""
    argument_limit: Annotated[int, Field(ge=80, le=ARGUMENT_LIMIT)] = ARGUMENT_LIMIT
    """Longest argument, in characters; never above the contract's."""
    reading: Literal["strict"] = "strict"
    """How moves are read: by exact ids. Prose is read otherwise only by `debates FILE --reading author`."""

    @property
    def offset(self) -> int:
        """Rounds before the first loop round: 1 with an opening."""
        return int(bool(self.opening))


@cache
def read_protocol(text: str, where: str) -> Protocol:
    """Type the text of a protocol file. Raises UsageError naming file and key."""
    protocol = read_record(Protocol, read_mapping(text, where), where)
    _check_seats(protocol, where)
    _check_stages(protocol, where)
    loop_rounds(protocol, None, f"{where}: rounds")
    _check_delta(protocol, where)
    for key in ("start_when", "stop_when"):
        for rule in getattr(protocol, key):
            parse_rule(rule, READOUTS, f"{where}: {key}")
    return protocol


def inputs_shown(sees: Iterable[str]) -> set[str]:
    """Inputs that the words of `sees` stand for.

    >>> sorted(inputs_shown(["panel", "open_points"]))
    ['analyst_payload', 'open_points']
    """
    return {name for word in sees for name in SHORTHANDS.get(word, {word})}


def unknown(name: str, known: Sequence[str]) -> str:
    """A name that is none of the known ones, in words."""
    return f"{name!r} is unknown{nearest(name, known)} (known: {', '.join(known)})"


def loop_rounds(protocol: Protocol, asked: int | None, where: str) -> int:
    """Loop rounds of a debate; 0 without a loop. Raises UsageError where loop and rounds do not fit."""
    if not protocol.loop:
        if protocol.rounds is not None or asked is not None:
            raise UsageError(f"{where}: protocol {protocol.protocol} has no loop to repeat; leave it out")
        return 0
    rounds = asked if asked is not None else protocol.rounds
    if rounds is None:
        raise UsageError(f"{where}: is missing; a loop without it cannot stop (1 to 5)")
    if protocol.delta == "exchange" and not 2 <= rounds <= 4:
        raise UsageError(f"{where}: {rounds}; delta `exchange` takes 2 to 4, so that a rebuttal can be answered")
    return rounds


def _check_stages(protocol: Protocol, where: str) -> None:
    known = list(protocol.seats)
    for stage in STAGES:
        steps: Sequence[Step] = getattr(protocol, stage)
        for at, step in enumerate(steps):
            for name in step.seats:
                if name not in known:
                    raise UsageError(f"{where}: {stage}.{at}.seats: {unknown(name, known)}")
        spoken = Counter(name for step in steps for name in step.seats)
        sides = Counter(protocol.seats[name].side for name in spoken if protocol.seats[name].side in ("bull", "bear"))
        twice = next((name for name, times in [*spoken.items(), *sides.items()] if times > 1), None)
        if twice is not None:
            raise UsageError(f"{where}: {stage}: {twice} speaks twice; a seat and a side speak at most once a round")
    if any("moves" in step.require for step in protocol.loop):
        for at, step in enumerate(protocol.opening):
            if "claims" in step.require and "probability" not in step.require:
                raise UsageError(f"{where}: opening.{at}.require: moves follow; ask for probability beside claims")
    silent = [name for name in known if not any(name in step.seats for step in _steps(protocol))]
    if silent:
        raise UsageError(f"{where}: seats.{silent[0]}: never speaks; name it in a step or take it out")


def _check_seats(protocol: Protocol, where: str) -> None:
    for name, seat in protocol.seats.items():
        if name == "manager" or (name in ("bull", "bear") and seat.side != name):
            raise UsageError(f"{where}: seats.{name}: a seat of this name would be taken for another; rename it")
    first = next(iter(_steps(protocol)), None)
    speaks_first = () if first is None else first.seats if first.order == "together" else first.seats[:1]
    idle = [name for name in speaks_first if name in protocol.seats and protocol.seats[name].side == "none"]
    if idle:
        raise UsageError(f"{where}: seats.{idle[0]}: comes first, when nobody has spoken; let others speak before")


def _steps(protocol: Protocol) -> tuple[Step, ...]:
    return (*protocol.opening, *protocol.loop, *protocol.closing)


def _check_delta(protocol: Protocol, where: str) -> None:
    def whole(steps: Sequence[Step], block: str, sealed: bool) -> bool:
        """Whether one step asks both sides for a block, unseen by each other."""
        for step in steps:
            sides = {protocol.seats[name].side for name in step.seats}
            apart = step.order == "together" or (sealed and step.sealed)
            if {"bull", "bear"} <= sides and apart and block in step.require:
                return True
        return False

    sides = [protocol.seats[name].side for step in (*protocol.opening, *protocol.loop) for name in step.seats]
    if protocol.delta == "tally":
        voters = {name for step in _steps(protocol) for name in step.seats if protocol.seats[name].side == "free"}
        if len(voters) < 2:
            raise UsageError(f"{where}: delta: `tally` counts votes; it needs at least two seats of side free")
    elif not {"bull", "bear"} <= set(sides):
        raise UsageError(f"{where}: delta: `{protocol.delta}` needs a bull and a bear in the opening or the loop")
    if protocol.delta == "exchange" and not whole(protocol.opening, "claims", sealed=True):
        raise UsageError(f"{where}: opening: delta `exchange` needs a step in which bull and bear give claims together")
    if protocol.delta == "exchange" and not whole(protocol.loop, "moves", sealed=False):
        raise UsageError(
            f"{where}: loop: delta `exchange` needs a step in which bull and bear make moves, order together"
        )


def protocol_file(name: str, folder: Path, further: Path | None) -> Path:
    """The file of a protocol, looked for in the further folder first. Raises UsageError listing what there is."""
    folders = [one for one in (further, folder) if one is not None]
    for one in folders:
        if (one / f"{name}.yaml").is_file():
            return one / f"{name}.yaml"
    known = sorted({path.stem for one in folders for path in one.glob("*.yaml")})
    raise UsageError(f"debate.protocol: {unknown(name, known)}")
