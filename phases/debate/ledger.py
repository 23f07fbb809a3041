"""The ledger: append-only events, the only state of a debate. Everything else is folded from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from phases.maths.exact import decimals
from phases.maths.weights import claim_weight
from schemas.base import Role
from schemas.debate import Claim, DebateRound, DebateRoundContribution, Spoke, Voided, WeighedClaim
from schemas.market import Evidence

Ledger = Sequence[Spoke | Voided]


@dataclass(frozen=True)
class Void:
    """A turn that does not count, with the reason."""

    reason: str


def round_of(event: Spoke | Voided) -> int:
    """Round of an event."""
    return event.contribution.round_number if isinstance(event, Spoke) else event.round_number


def entry(
    seat: str, round_number: int, turn: DebateRoundContribution | Void, flags: tuple[str, ...] = ()
) -> Spoke | Voided:
    """The ledger event of a turn; its claims get their full ids."""
    if isinstance(turn, Void):
        return Voided(kind="voided", seat=seat, round_number=round_number, reason=turn.reason)
    return Spoke(kind="spoke", seat=seat, contribution=_named(seat, turn), flags=flags)


def _named(seat: str, turn: DebateRoundContribution) -> DebateRoundContribution:
    if turn.claims is None:
        return turn
    claims = tuple(
        Claim(id=f"{seat}.{turn.round_number}.c{at}", text=claim.text, evidence=claim.evidence)
        for at, claim in enumerate(turn.claims, 1)
    )
    return turn.model_copy(update={"claims": claims})


def spoken(ledger: Ledger, role: Role) -> list[DebateRoundContribution]:
    """Valid turns of one side, in order."""
    return [event.contribution for event in ledger if isinstance(event, Spoke) and event.contribution.role == role]


def rounds_of(ledger: Ledger) -> tuple[DebateRound, ...]:
    """Both arguments by round; a round without a valid turn is there without arguments."""
    arguments: dict[int, dict[str, str]] = {round_of(event): {} for event in ledger}
    for event in ledger:
        if isinstance(event, Spoke):
            said = event.contribution
            arguments[said.round_number][f"{said.role}_argument"] = said.argument
    return tuple(DebateRound(round_number=number, **said) for number, said in sorted(arguments.items()))


def weighed_claims(ledger: Ledger, bundle: Mapping[str, Evidence]) -> tuple[WeighedClaim, ...]:
    """Every claim with its weight and the other side's latest move on it."""
    moves = {
        move.target: move.kind
        for event in ledger
        if isinstance(event, Spoke)
        for move in event.contribution.moves or ()
        if not move.target.startswith(f"{event.seat}.")
    }
    return tuple(
        WeighedClaim(
            id=claim.id,
            side=event.contribution.role,
            text=claim.text,
            evidence=claim.evidence,
            weight=decimals(claim_weight(claim.evidence, bundle), 4),
            answer=moves.get(claim.id, "unaddressed"),
        )
        for event in ledger
        if isinstance(event, Spoke)
        for claim in event.contribution.claims or ()
    )
