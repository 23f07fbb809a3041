"""`conduct`: the debate itself, as a generator that never sees a model.

It yields the tuple of turns wanted now (one in a sequence, all of them in a `together` step),
receives contributions or voids in the same order, and returns the stop reason.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass

from phases.debate.ledger import Turn, entry, spoken
from phases.debate.protocol import Protocol, Seat, Step
from phases.debate.readouts import READOUTS
from phases.debate.readouts.base import Seen
from phases.debate.rules import Rule, parse_rule
from phases.debate.seats import Kind
from phases.debate.view import Place, view
from schemas.base import Model
from schemas.debate import Case
from schemas.ledger import LedgerEvent, Voided


@dataclass(frozen=True)
class WantedTurn:
    """A turn the debate waits for."""

    name: str
    """Id of the seat."""
    seat: Seat
    step: Step
    kind: Kind
    inputs: Model


Conversation = Generator[tuple[WantedTurn, ...], tuple[Turn, ...], str]
Steps = Generator[tuple[WantedTurn, ...], tuple[Turn, ...], None]


@dataclass(frozen=True)
class Debate:
    """One debate under way."""

    protocol: Protocol
    kinds: Mapping[str, Kind]
    """Kind of every seat, by its id."""
    case: Case
    rounds: int
    """Loop rounds it may take."""
    ledger: list[LedgerEvent]
    """Every turn is appended here."""

    @property
    def last_round(self) -> int:
        """Round number of the last loop round."""
        return self.rounds + self.protocol.offset

    def seen(self) -> Seen:
        """What read-outs may look at."""
        return Seen.of(self.case, self.ledger, self.protocol.readouts)


def conduct(debate: Debate) -> Conversation:
    """Hold a debate: opening, loop, closing. What is wrong with the opening or with round 1 ends it."""
    protocol, number = debate.protocol, 0
    if protocol.opening:
        number = 1
        yield from _stage(debate, "opening", number)
    stop = _silence(debate) or (number and _fired(debate)) or None
    while stop is None and number < debate.last_round:
        number += 1
        yield from _stage(debate, "loop", number)
        stop = _silence(debate)
        if stop is None:
            stop = f"rounds = {debate.rounds}" if number == debate.last_round else _fired(debate)
    if _silence(debate) is None:
        yield from _stage(debate, "closing", number + 1)
    return _silence(debate) or stop or "its last step"


def _stage(debate: Debate, stage: str, round_number: int) -> Steps:
    for at, step in enumerate(getattr(debate.protocol, stage)):
        place = Place(stage, at, round_number, debate.last_round)
        for group in [step.seats] if step.order == "together" else [(name,) for name in step.seats]:
            turns = yield tuple(_wanted(debate, name, place, step) for name in group)
            debate.ledger.extend(
                entry(name, place.step, round_number, turn, debate.kinds[name].returns)
                for name, turn in zip(group, turns, strict=True)
            )


def _wanted(debate: Debate, name: str, place: Place, step: Step) -> WantedTurn:
    kind = debate.kinds[name]
    inputs = view(debate.ledger, debate.case, debate.protocol, name, place, kind)
    return WantedTurn(name, debate.protocol.seats[name], step, kind, inputs)


def _silence(debate: Debate) -> str | None:
    """Why there is nothing to go on with: a side, or every persona, has been asked and has no valid turn yet."""
    asked = {debate.protocol.seats[event.seat].side for event in debate.ledger}
    silent = [side for side in ("bull", "bear") if side in asked and not spoken(debate.ledger, side)]
    if len(silent) == 1 and {"bull", "bear"} <= asked:
        return f"one_sided: no valid turn of the {silent[0]}"
    voters = [event for event in debate.ledger if debate.protocol.seats[event.seat].side == "free"]
    unanswered = bool(voters) and all(isinstance(event, Voided) for event in voters)
    return "no valid turn" if silent or (unanswered and not asked & {"bull", "bear"}) else None


def _fired(debate: Debate) -> str | None:
    """The first stop rule that holds."""
    rules = [parse_rule(rule, READOUTS, debate.protocol.protocol) for rule in debate.protocol.stop_when]
    held = holding(rules, debate.seen())
    return None if held is None else f"rule: {held}"


def holding(rules: list[Rule], seen: Seen) -> Rule | None:
    """The first of the rules that holds; only the read-outs they name are computed."""
    return next((rule for rule in rules if rule.holds({rule.readout: READOUTS[rule.readout](seen)})), None)
