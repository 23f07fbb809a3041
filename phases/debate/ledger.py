"""The ledger: append-only events, the only state of a debate. Everything else is folded from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.base import Model, Role
from schemas.debate import Claim, DebateRound, DebateRoundContribution
from schemas.ledger import Answered, Assessed, Judged, LedgerEvent, Ruled, Spoke, Supervised, TurnEvent, Voided
from schemas.seats import CriticReport, ModeratorRuling, PanelAnswer, PersonaAnswer, Statement, SupervisorView

Ledger = Sequence[LedgerEvent]

EVENTS: Mapping[type[Model], tuple[type[TurnEvent], str]] = {
    DebateRoundContribution: (Spoke, "spoke"),
    PersonaAnswer: (Answered, "answered"),
    CriticReport: (Assessed, "assessed"),
    ModeratorRuling: (Ruled, "ruled"),
    PanelAnswer: (Judged, "judged"),
    SupervisorView: (Supervised, "supervised"),
}
"""The event and its tag that a valid turn becomes, by the contract of the turn."""


@dataclass(frozen=True)
class Void:
    """A turn that does not count, with the reason."""

    reason: str


@dataclass(frozen=True)
class Turn:
    """What came back for a wanted turn."""

    said: Model | Void
    flags: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    tokens: int = 0
    micros: int = 0


def entry(
    seat: str, step: str, round_number: int, turn: Turn, contract: type[Model] = DebateRoundContribution
) -> LedgerEvent:
    """The ledger event of a turn that was to answer a contract; its claims get their full ids."""
    about: dict[str, Any] = {
        "seat": seat,
        "step": step,
        "round_number": round_number,
        "flags": turn.flags,
        "dropped": turn.dropped,
        "tokens": turn.tokens,
        "micros": turn.micros,
    }
    if isinstance(turn.said, Void):
        return Voided(kind="voided", contract=contract.__name__, reason=turn.said.reason, **about)
    event, tag = EVENTS[type(turn.said)]
    made: LedgerEvent = event(kind=tag, contribution=_named(seat, round_number, turn.said), **about)  # type: ignore
    return made


def _named(seat: str, round_number: int, turn: Model) -> Model:
    if not isinstance(turn, DebateRoundContribution | PersonaAnswer) or turn.claims is None:
        return turn
    claims = tuple(
        Claim(id=f"{seat}.{round_number}.c{at}", text=claim.text, evidence=claim.evidence)
        for at, claim in enumerate(turn.claims, 1)
    )
    return turn.model_copy(update={"claims": claims})


def awaited(event: LedgerEvent, contract: type[Model]) -> bool:
    """Whether an event is a void turn that was to answer a contract."""
    return isinstance(event, Voided) and event.contract == contract.__name__


def stage_of(event: LedgerEvent) -> str:
    """`opening`, `loop` or `closing`."""
    return event.step.partition(".")[0]


def loop_round(event: LedgerEvent, ledger: Ledger) -> int:
    """Loop round of an event, from 1; 0 in an opening. Claims of an opening are first open in loop round 1."""
    opened = any(stage_of(one) == "opening" for one in ledger)
    return 0 if stage_of(event) == "opening" else event.round_number - opened


def loop_rounds_held(ledger: Ledger) -> int:
    """Loop rounds that took place."""
    return max((loop_round(event, ledger) for event in ledger if stage_of(event) == "loop"), default=0)


def paired_rounds(ledger: Ledger) -> frozenset[int]:
    """Round numbers of the loop in which both sides' turns are valid."""
    spoke = {
        side: {e.round_number for e in ledger if isinstance(e, Spoke) and _loops(e) and e.contribution.role == side}
        for side in ("bull", "bear")
    }
    return frozenset(spoke["bull"] & spoke["bear"])


def _loops(event: LedgerEvent) -> bool:
    return stage_of(event) == "loop"


def spoken(ledger: Ledger, role: Role) -> list[DebateRoundContribution]:
    """Valid turns of one side, in order."""
    return [event.contribution for event in ledger if isinstance(event, Spoke) and event.contribution.role == role]


def rounds_of(ledger: Ledger) -> tuple[DebateRound, ...]:
    """Both arguments by round; a round without a valid turn of a debater is there without arguments."""
    arguments: dict[int, dict[str, str]] = {
        event.round_number: {}
        for event in ledger
        if isinstance(event, Spoke) or awaited(event, DebateRoundContribution)
    }
    for event in ledger:
        if isinstance(event, Spoke):
            said = event.contribution
            arguments[event.round_number][f"{said.role}_argument"] = said.argument
    return tuple(DebateRound(round_number=number, **said) for number, said in sorted(arguments.items()))


def cited(event: LedgerEvent) -> frozenset[str]:
    """Evidence ids that a valid turn cites."""
    if isinstance(event, Supervised):
        return frozenset(event.contribution.evidence)
    if not isinstance(event, Spoke | Answered):
        return frozenset()
    parts: list[Any] = [*(event.contribution.claims or ())]
    if isinstance(event, Spoke):
        said = event.contribution
        parts += [*(said.moves or ()), *([said.acknowledged] if said.acknowledged else [])]
    return frozenset(name for part in parts for name in part.evidence)


def statements(ledger: Ledger) -> tuple[Statement, ...]:
    """What debaters and personas said, in order."""
    found = []
    for event in ledger:
        if isinstance(event, Spoke):
            said = event.contribution
            about = {"side": said.role, "text": said.argument, "probability": said.probability}
        elif isinstance(event, Answered):
            about = {"text": event.contribution.answer, "stance": event.contribution.stance}
        else:
            continue
        ids = tuple(sorted(cited(event)))
        found.append(Statement(seat=event.seat, round_number=event.round_number, evidence=ids, **about))  # type: ignore
    return tuple(found)


def ballots(ledger: Ledger) -> tuple[dict[str, str], dict[str, str]]:
    """The first and the latest stance of every persona that gave one, as it was written."""
    said = [(event.seat, event.contribution.stance) for event in ledger if isinstance(event, Answered)]
    return dict(reversed(said)), dict(said)
