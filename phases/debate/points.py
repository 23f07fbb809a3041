"""Points: every claim of a ledger with what became of it. A claim waits for an answer, an answer passes the duty on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from phases.debate.ledger import Ledger, loop_round
from phases.maths import exchange
from phases.maths.exact import decimals
from phases.maths.weights import claim_weight
from schemas.base import Role
from schemas.debate import Claim, Move, OpenPoint
from schemas.ledger import Spoke
from schemas.manager import WeighedClaim
from schemas.market import Evidence


class Raised(NamedTuple):
    """A claim and the moves that were made on it."""

    claim: Claim
    side: Role
    at: int
    """Loop round in which it was raised; 0 in an opening."""
    moves: tuple[tuple[exchange.Move, Move], ...]
    """In order; the first of each pair says in which loop round and by whom."""
    state: exchange.State
    """What became of it."""

    @property
    def last(self) -> Move | None:
        """The latest move that counted."""
        counted = self.state.moves
        return next((move for made, move in reversed(self.moves) if counted and made == counted[-1]), None)

    @property
    def rebuttal(self) -> Move | None:
        """The rebuttal that awaits an answer; absent if none does."""
        rebuttals = [made for made in self.state.moves if made.kind == "rebutted"]
        if not rebuttals or self.state.awaits is None:
            return None
        return next(move for made, move in self.moves if made == rebuttals[-1])


def raised(ledger: Ledger) -> tuple[Raised, ...]:
    """Every claim in the order it was raised."""
    turns = [event for event in ledger if isinstance(event, Spoke)]
    moves: dict[str, list[tuple[exchange.Move, Move]]] = defaultdict(list)
    for turn in turns:
        for move in turn.contribution.moves or ():
            made = exchange.Move(loop_round(turn, ledger), turn.contribution.role, move.kind)
            moves[move.target].append((made, move))
    return tuple(
        _raised(claim, turn.contribution.role, loop_round(turn, ledger), moves[claim.id])
        for turn in turns
        for claim in turn.contribution.claims or ()
    )


def _raised(claim: Claim, side: Role, at: int, moves: Sequence[tuple[exchange.Move, Move]]) -> Raised:
    return Raised(claim, side, at, tuple(moves), exchange.state_of(side, [made for made, _ in moves]))


def asks_moves(ledger: Ledger) -> bool:
    """Whether anyone was asked for moves: without them nothing can be said of points."""
    return any(isinstance(event, Spoke) and event.contribution.moves is not None for event in ledger)


def open_points(ledger: Ledger, side: str) -> tuple[OpenPoint, ...]:
    """Points that await an answer of this side: the other side's first, each in the order they were raised."""
    awaiting = [one for one in raised(ledger) if one.state.awaits == side]
    return tuple(
        OpenPoint(id=one.claim.id, text=one.claim.text, evidence=one.claim.evidence, rebuttal=one.rebuttal)
        for one in sorted(awaiting, key=lambda one: one.side == side)
    )


def weighed_claims(ledger: Ledger, bundle: Mapping[str, Evidence]) -> tuple[WeighedClaim, ...]:
    """Every claim with its weight and what became of it."""
    return tuple(
        WeighedClaim(
            id=one.claim.id,
            side=one.side,
            text=one.claim.text,
            evidence=one.claim.evidence,
            weight=decimals(claim_weight(one.claim.evidence, bundle), 4),
            answer=one.state.answer,
        )
        for one in raised(ledger)
    )


def exchange_claims(ledger: Ledger, bundle: Mapping[str, Evidence]) -> tuple[exchange.Claim, ...]:
    """The claims of the openings as the exchange counts them."""
    return tuple(
        exchange.Claim(
            one.claim.id,
            one.side,
            claim_weight(one.claim.evidence, bundle),
            heaviest(one.claim.evidence, bundle),
            tuple(made for made, _ in one.moves),
        )
        for one in raised(ledger)
        if one.at == 0
    )


def heaviest(cited: tuple[str, ...], bundle: Mapping[str, Evidence]) -> str | None:
    """The heaviest of the cited ids, ties by id; None if none is in the bundle."""
    known = sorted(name for name in set(cited) if name in bundle)
    return max(known, key=lambda name: claim_weight([name], bundle), default=None)
