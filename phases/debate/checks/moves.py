"""No cheap move: what a concession, a rebuttal and a carry cost, and which claims may be made.

A concession names evidence and moves the speaker's own probability towards the other side; a rebuttal brings an
id that nobody cited before, one for each rebuttal; a carry says what would change it, by a test that can fail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from phases.core.reading import Check, Finding
from phases.debate.checks.evidence import known_ids
from phases.debate.conditions import untestable
from phases.maths.exact import exact
from schemas.base import Model
from schemas.debate import DebateInputs, DebateRoundContribution, Move

STEP = Fraction(1, 100)
"""Least change of the speaker's own probability that a concession costs."""

CLAIMS = 3
"""Most claims of one turn."""


def unpaid(said: DebateRoundContribution, inputs: DebateInputs) -> dict[int, str]:
    """The moves that do not count, by their place, each with the reason."""
    moves = said.moves or ()
    awaited = {point.id for point in inputs.open_points or ()}
    targets = [move.target for move in moves]
    paid = _paid(moves, known_ids(inputs) - set(inputs.cited_before or ()))
    found: dict[int, str] = {}
    for at, move in enumerate(moves):
        if move.target not in awaited:
            options = ", ".join(sorted(awaited)) or "none is open"
            found[at] = f"{move.target} awaits no answer from this side (open: {options})"
        elif targets.count(move.target) > 1:
            found[at] = f"{move.target} gets exactly one move, not {targets.count(move.target)}"
        elif lapse := _lapse(move, at in paid, said, inputs):
            found[at] = f"{move.target} {move.kind}: {lapse}"
    return found


def _lapse(move: Move, paid: bool, said: DebateRoundContribution, inputs: DebateInputs) -> str | None:
    if move.kind == "conceded":
        return _conceded(move, said, inputs)
    if move.kind == "rebutted":
        used = ", ".join(inputs.cited_before or ())
        need = f"needs an evidence id of its own that was not cited before (cited: {used})"
        return None if paid else need
    return _carried(move, inputs)


def _conceded(move: Move, said: DebateRoundContribution, inputs: DebateInputs) -> str | None:
    if not move.evidence:
        return "names no evidence"
    before, after = inputs.last_probability, said.probability
    if before is None:
        return None
    towards = -1 if said.role == "bull" else 1
    room = exact(before) if towards < 0 else 1 - exact(before)
    if after is None or (exact(after) - exact(before)) * towards < min(STEP, room):
        way = "lower" if towards < 0 else "raise"
        return f"must {way} your probability from {before} by at least {float(STEP)}; it is {after}"
    return None


def _carried(move: Move, inputs: DebateInputs) -> str | None:
    condition = move.would_change_if
    if condition is None:
        return "says nothing in would_change_if"
    why = untestable(condition, inputs.evidence or ())
    return None if why is None else f"would_change_if {why}"


def _paid(moves: Sequence[Move], unused: frozenset[str] | set[str]) -> set[int]:
    """Rebuttals that an unused id pays for, one id each: the most that can be paid (augmenting paths)."""
    payer: dict[str, int] = {}

    def pay(at: int, tried: set[str]) -> bool:
        for name in dict.fromkeys(moves[at].evidence):
            if name in unused and name not in tried:
                tried.add(name)
                if name not in payer or pay(payer[name], tried):
                    payer[name] = at
                    return True
        return False

    return {at for at, move in enumerate(moves) if move.kind == "rebutted" and pay(at, set())} & set(payer.values())


def _find(said: DebateRoundContribution, inputs: Model) -> Sequence[Finding]:
    if not isinstance(inputs, DebateInputs):
        return ()
    return tuple(Finding(f"/moves/{at}: {why}", "drop", "unpaid_move") for at, why in unpaid(said, inputs).items())


def _mend(said: DebateRoundContribution, inputs: Model) -> DebateRoundContribution:
    wrong: Mapping[int, str] = unpaid(said, inputs) if isinstance(inputs, DebateInputs) else {}
    kept = tuple(move for at, move in enumerate(said.moves or ()) if at not in wrong)
    return said.model_copy(update={"moves": kept})


MOVES: Check[DebateRoundContribution] = Check("moves", _find, _mend)
"""A move that costs nothing does not count; its point is left unaddressed."""


def moves_asked() -> Check[DebateRoundContribution]:
    """Every open point gets a move; one without is left unaddressed."""

    def find(said: DebateRoundContribution, inputs: Model) -> Sequence[Finding]:
        points = inputs.open_points or () if isinstance(inputs, DebateInputs) else ()
        answered = {move.target for move in said.moves or ()}
        return tuple(
            Finding(f"/moves: {point.id} awaits exactly one move", "flag", "unaddressed")
            for point in points
            if point.id not in answered
        )

    return Check("moves_asked", find)


def claims_asked(asked: bool) -> Check[DebateRoundContribution]:
    """Claims are made where the step asks for them: one to three, each on evidence, no id twice."""

    def find(said: DebateRoundContribution, _: Model) -> Sequence[Finding]:
        claims = said.claims or ()
        if not asked:
            late = "/claims: this turn makes moves or only argues; leave claims out"
            return (Finding(late, "drop", "late_claims"),) if claims else ()
        found = [
            Finding(f"/claims/{at}: rests on no evidence id", "drop", "ungrounded_claim")
            for at, claim in enumerate(claims)
            if not claim.evidence
        ]
        if len(claims) > CLAIMS:
            found.append(Finding(f"/claims: {len(claims)} claims; at most {CLAIMS}", "drop", "claims"))
        if not claims and said.claims is not None:
            found.append(Finding("/claims: none; give one to three", "flag", "no_claims"))
        if len({claim.id for claim in claims}) < len(claims):
            found.append(Finding("/claims: two share an id", "flag", "claim_ids"))
        return found

    def mend(said: DebateRoundContribution, _: Model) -> DebateRoundContribution:
        kept: Any = tuple(claim for claim in said.claims or () if claim.evidence)[:CLAIMS] if asked else None
        return said.model_copy(update={"claims": kept})

    return Check("claims", find, mend)
