"""The desk's answers to open points: it rebuts with an unused item, else concedes what outweighs its own,
else carries the point and says what would change it. Which side speaks makes no difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from phases.maths.exact import clamp, decimals, exact
from phases.providers.offline.conditions import first_condition
from phases.providers.offline.weighing import PER_LEAN, chance, heaviest, pull, strength, strongest
from phases.providers.offline.words import first_fit, quote
from schemas.debate import DebateInputs, MoveKind, OpenPoint
from schemas.market import Evidence

REASON_LIMIT = 300

HALF, LEAST, MOST = Fraction(1, 2), Fraction(1, 100), Fraction(1, 10)
"""How far the concessions of one turn move the speaker's probability."""


@dataclass(frozen=True)
class Answer:
    """The answer to one open point, and what it was weighed by."""

    point: OpenPoint
    kind: MoveKind
    disputed: Evidence | None
    """Heaviest item brought against this side: the point's, or the rebuttal's for an own claim."""
    held: Evidence | None
    """What this side holds against it: its lead, or the item of its own claim."""
    brought: Evidence | None
    """Unused item of a rebuttal."""
    evidence: tuple[str, ...]
    """Ids that the move rests on."""
    outweighed_by: Fraction
    """Strength of the disputed item less that of the held one."""


def answers(inputs: DebateInputs, side: int) -> list[Answer]:
    """One answer for each open point, in order. An item rebuts once a turn; only what outweighs most is conceded."""
    bundle = {item.id: item for item in inputs.evidence or ()}
    own = strongest(bundle.values(), side)
    unused = [item for item in own if item.id not in (inputs.cited_before or ())]
    found: list[Answer] = []
    for point in inputs.open_points or ():
        found.append(_answer(point, side, bundle, own, unused))
        unused = [item for item in unused if item is not found[-1].brought]
    conceded = [one for one in found if one.kind == "conceded"]
    given_up = max(conceded, key=lambda one: one.outweighed_by, default=None)
    return [replace(one, kind="carried") if one in conceded and one is not given_up else one for one in found]


def _answer(
    point: OpenPoint, side: int, bundle: Mapping[str, Evidence], own: Sequence[Evidence], unused: Sequence[Evidence]
) -> Answer:
    against = point.evidence if point.rebuttal is None else point.rebuttal.evidence
    disputed = heaviest(against, bundle, -side)
    held = next(iter(own), None) if point.rebuttal is None else heaviest(point.evidence, bundle, side)
    weight = pull(disputed, -side)
    brought = next((item for item in unused if item.id not in against), None)
    by = exact(weight) - exact(pull(held, side))
    kind: MoveKind = "rebutted" if brought else "conceded" if by > 0 else "carried"
    rests_on = (brought.id,) if brought else tuple(name for name in against if name in bundle)
    return Answer(point, kind, disputed, held, brought, rests_on, by)


def move(answer: Answer, inputs: DebateInputs, side: int) -> dict[str, Any]:
    """The answer as a move of the contract."""
    said = {"target": answer.point.id, "kind": answer.kind, "evidence": list(answer.evidence)}
    if answer.kind != "carried":
        return {**said, "reason": _reason(answer)}
    bundle = {item.id: item for item in inputs.evidence or ()}
    subject = answer.disputed if answer.point.rebuttal is None else answer.held
    condition = first_condition(_subjects(subject, bundle, side))
    if condition is None:
        return {**said, "reason": "It stays open: no item in the evidence has a value that could settle it."}
    settles = quote(bundle[condition["evidence"]])
    return {**said, "reason": f"It stays open until {settles} passes the value set here.", "would_change_if": condition}


def _subjects(subject: Evidence | None, bundle: Mapping[str, Evidence], side: int) -> Iterable[Evidence]:
    """What a condition may be set on: the point's item, this side's lead, then any."""
    if subject is not None:
        yield subject
    yield from strongest(bundle.values(), side)[:1]
    yield from sorted(bundle.values(), key=lambda item: item.id)


def _reason(answer: Answer) -> str:
    if answer.brought is not None:
        other = f"{quote(answer.brought)} points the other way."
        accurate = f"{quote(answer.disputed)} is accurate, but" if answer.disputed else "It rests on no evidence, and"
        return first_fit(REASON_LIMIT, f"{accurate} {other}", other)
    assert answer.disputed is not None  # only an item can outweigh another
    against = "this side's lead" if answer.point.rebuttal is None else "the claim it was brought against"
    short = f"{quote(answer.disputed)} weighs more than {against}."
    return first_fit(REASON_LIMIT, f"{short[:-1]}, {quote(answer.held)}.", short) if answer.held else short


def probability(inputs: DebateInputs, side: int, given: Iterable[Answer]) -> float:
    """The speaker's own probability of the event, moved towards the other side by what it concedes in this turn.

    It starts at .5 + .10 * strength of the own lead. What is conceded moves it by .10 * what it was
    outweighed by, up to .10 a turn and no further than .5, but always by .01; within .01...99.
    """
    lead = strongest(inputs.evidence or (), side)[:1]
    last = inputs.last_probability
    start = chance(side * exact(strength(lead[0])) if lead else Fraction(0)) if last is None else exact(last)
    outweighed = [answer.outweighed_by for answer in given if answer.kind == "conceded"]
    if not outweighed:
        return float(start)
    shift = exact(decimals(PER_LEAN * sum(outweighed, Fraction(0)), 4))
    undecided = max((start - HALF) * side, Fraction(0))
    shift = clamp(min(shift, undecided), LEAST, MOST)
    return float(clamp(start - side * shift, min(LEAST, start), max(1 - LEAST, start)))
