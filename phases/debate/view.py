"""`view`: the only source of what a seat reads. Isolation is a property of this one function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from phases.debate.ledger import Ledger, cited, rounds_of, spoken, stage_of, statements
from phases.debate.points import open_points, weighed_claims
from phases.debate.protocol import Protocol, Step, inputs_shown
from phases.debate.readouts.tally import tally_of
from phases.debate.seats import CALLERS, Kind
from schemas.base import Model
from schemas.debate import ARGUMENT_LIMIT, Assessment, Case, DebateRound
from schemas.ledger import Assessed, LedgerEvent, Ruled, Spoke, Voided
from schemas.manager import ManagerInputs


class Place(NamedTuple):
    """Where in a debate a turn is."""

    stage: str
    """`opening`, `loop` or `closing`."""
    at: int
    """Number of the step within its stage, from 0."""
    round_number: int
    last_round: int
    """Round number of the last loop round."""

    @property
    def step(self) -> str:
        """Name of the step in the ledger."""
        return f"{self.stage}.{self.at}"


def view(ledger: Ledger, case: Case, protocol: Protocol, name: str, place: Place, kind: Kind) -> Model:
    """Inputs of one turn: what its step shows of the case and of what was said, and nothing else."""
    step: Step = getattr(protocol, place.stage)[place.at]
    seen = visible(ledger, protocol, name, place)
    side = protocol.seats[name].side
    shown = inputs_shown(step.sees)
    if "open_points" in shown:
        shown.add("cited_before")
    folds = _folds(case, seen, side, place)
    if "last_opponent" in step.sees and "prior_rounds" not in step.sees:
        newer = folds["bull_argument"]() is not None
        folds["prior_rounds"] = lambda: None if newer else _last_of_opponent(_prior_rounds(seen, place), side)
    limit = protocol.argument_limit
    fixed = {
        "ticker": case.ticker,
        "role": side,
        "seat": name,
        "round_number": place.round_number,
        "last_probability": _last_probability(seen, name),
        "argument_limit": limit if limit < ARGUMENT_LIMIT else None,
    }
    known = kind.reads.model_fields
    given = {key: folds[key]() for key in shown if key in known}
    return kind.reads.model_validate(given | {key: fixed[key] for key in CALLERS if key in known})


def visible(ledger: Ledger, protocol: Protocol, name: str, place: Place) -> tuple[LedgerEvent, ...]:
    """The events a seat may know of: not the turns beside its own, nor sealed ones while it is sealed, too."""
    mine: Step = getattr(protocol, place.stage)[place.at]

    def hidden(event: LedgerEvent) -> bool:
        if event.seat == name or event.round_number != place.round_number or stage_of(event) != place.stage:
            return False
        other: Step = getattr(protocol, place.stage)[int(event.step.partition(".")[2])]
        beside = event.step == place.step and mine.order == "together"
        return beside or (mine.sealed and other.sealed)

    return tuple(event for event in ledger if not hidden(event))


def manager_view(case: Case, ledger: Ledger) -> ManagerInputs:
    """What the research manager reads: what was said, what became of each claim, and what it rests on."""
    personas = tuple(one for one in statements(ledger) if one.side is None)
    return ManagerInputs(
        evidence=case.bundle,
        rounds=rounds_of([event for event in ledger if isinstance(event, Spoke | Voided)]),
        statements=personas or None,
        claims=weighed_claims(ledger, {one.id: one for one in case.bundle}),
        question=case.question,
        ticker=case.ticker,
    )


def _folds(case: Case, seen: Ledger, side: str, place: Place) -> dict[str, Callable[[], Any]]:
    """Every input that a step can show, as what makes it."""
    return {
        "bias_row": lambda: case.bias_row,
        "evidence": lambda: case.bundle,
        "analyst_payload": lambda: case.payload,
        "question": lambda: case.question,
        "carried": lambda: case.carried,
        "prior_rounds": lambda: _prior_rounds(seen, place),
        "bull_argument": lambda: _bull_argument(seen, place.round_number) if side == "bear" else None,
        "critique": lambda: _critique(seen),
        "focus": lambda: next((e.contribution.focus for e in reversed(seen) if isinstance(e, Ruled)), None),
        "open_points": lambda: open_points(_earlier(seen, place), side) or None,
        "cited_before": lambda: _cited_before(seen, place),
        "statements": lambda: statements(seen) or None,
        "tally": lambda: tally_of(seen),
        "rounds": lambda: place.last_round or None,
    }


def _earlier(seen: Ledger, place: Place) -> Ledger:
    return [event for event in seen if event.round_number < place.round_number]


def _cited_before(seen: Ledger, place: Place) -> tuple[str, ...] | None:
    """Ids cited in earlier rounds, sorted; absent before there was one."""
    earlier = _earlier(seen, place)
    return tuple(sorted({name for event in earlier for name in cited(event)})) if earlier else None


def _prior_rounds(seen: Ledger, place: Place) -> tuple[DebateRound, ...] | None:
    """Rounds before this one; absent in the first, so that nobody answers an opponent who has not spoken."""
    return rounds_of(_earlier(seen, place)) or None


def _bull_argument(seen: Ledger, round_number: int) -> str | None:
    """What the bull said in this round, where the bear may know it."""
    return next((said.argument for said in spoken(seen, "bull") if said.round_number == round_number), None)


def _critique(seen: Ledger) -> tuple[Assessment, ...] | None:
    return next((event.contribution.assessments for event in reversed(seen) if isinstance(event, Assessed)), None)


def _last_of_opponent(rounds: tuple[DebateRound, ...] | None, side: str) -> tuple[DebateRound, ...] | None:
    """The latest round in which the other side spoke, without this side's own words."""
    other = "bear_argument" if side == "bull" else "bull_argument"
    for one in reversed(rounds or ()):
        if said := getattr(one, other):
            return (DebateRound(round_number=one.round_number, **{other: said}),)
    return None


def _last_probability(seen: Ledger, name: str) -> float | None:
    mine = (getattr(event, "contribution", None) for event in reversed(seen) if event.seat == name)
    return next((p for said in mine if (p := getattr(said, "probability", None)) is not None), None)
