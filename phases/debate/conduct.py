"""`conduct`: the debate itself, as a generator that never sees a model.

It yields the tuple of turns wanted now (one in a sequence, all of them in a `together` step),
receives contributions or voids in the same order, and returns the stop reason.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from phases.debate.ledger import Void, entry, spoken
from phases.debate.protocol import Protocol, Seat, Step
from phases.debate.readouts import READOUTS, read_out
from phases.debate.readouts.base import Seen
from phases.debate.rules import parse_rule
from phases.debate.view import view
from schemas.debate import Case, DebateInputs, DebateRoundContribution, Spoke, Voided


@dataclass(frozen=True)
class WantedTurn:
    """A turn the debate waits for."""

    name: str
    """Id of the seat."""
    seat: Seat
    step: Step
    inputs: DebateInputs


@dataclass(frozen=True)
class Turn:
    """What came back for a wanted turn."""

    said: DebateRoundContribution | Void
    flags: tuple[str, ...] = ()


Conversation = Generator[tuple[WantedTurn, ...], tuple[Turn, ...], str]


def conduct(protocol: Protocol, case: Case, rounds: int, ledger: list[Spoke | Voided]) -> Conversation:
    """Hold a debate of at most `rounds` rounds, appending every turn to `ledger`."""
    stops = [parse_rule(rule, READOUTS, protocol.protocol) for rule in protocol.stop_when]
    for round_number in range(1, rounds + 1):
        for step in protocol.loop:
            yield from _step(protocol, case, step, round_number, ledger)
        silent = [side for side in ("bull", "bear") if not spoken(ledger, side)]
        if round_number == 1 and silent:
            return f"one_sided: no valid turn of the {silent[0]}" if len(silent) == 1 else "no valid turn"
        values = read_out(Seen(case.payload, held=False, last_stance=None, ledger=ledger))
        fired = next((rule for rule in stops if rule.holds(values)), None)
        if fired is not None and round_number < rounds:
            return f"rule: {fired}"
    return f"rounds = {rounds}"


def _step(
    protocol: Protocol, case: Case, step: Step, round_number: int, ledger: list[Spoke | Voided]
) -> Generator[tuple[WantedTurn, ...], tuple[Turn, ...], None]:
    groups = [step.seats] if step.order == "together" else [(name,) for name in step.seats]
    for group in groups:
        seats = {name: protocol.seats[name] for name in group}
        wanted = tuple(
            WantedTurn(name, seat, step, view(ledger, case, seat, step, round_number)) for name, seat in seats.items()
        )
        turns = yield wanted
        ledger.extend(entry(name, round_number, turn.said, turn.flags) for name, turn in zip(seats, turns, strict=True))
