"""Read-outs of a panel's votes."""

from __future__ import annotations

from phases.debate.ledger import Ledger, awaited, ballots
from phases.debate.readouts.base import Seen
from phases.maths.exact import decimals
from phases.maths.tally import agreement, market_stance, tally
from schemas.seats import PersonaAnswer, Tally


def tally_of(ledger: Ledger) -> Tally | None:
    """The votes as they stand: each persona's latest stance; absent before the first answer.

    A persona without a valid answer abstains; one whose revision is void keeps its earlier answer.
    """
    first, last = ballots(ledger)
    if not last:
        return None
    judged = {seat: market_stance(stance) or stance for seat, stance in last.items()}
    before = {seat: market_stance(stance) or stance for seat, stance in first.items()}
    return tally(judged, _silent(ledger, set(last)), before=before)


def _silent(ledger: Ledger, answered: set[str]) -> int:
    """Personas that were asked and never answered."""
    return len({event.seat for event in ledger if awaited(event, PersonaAnswer)} - answered)


def share(seen: Seen) -> float | None:
    """Votes of the winner / ballots, 4 decimals; absent without a ballot."""
    found = tally_of(seen.ledger)
    part = None if found is None else agreement(found)
    return None if part is None else decimals(part, 4)


def changed(seen: Seen) -> int | None:
    """Seats whose stance changed, measured; absent without a ballot."""
    found = tally_of(seen.ledger)
    return None if found is None else len(found.changed)


def winner(seen: Seen) -> str | None:
    """Stance with most votes; absent where a tie has none."""
    found = tally_of(seen.ledger)
    return None if found is None else found.winner


def confidence(seen: Seen) -> str | None:
    """high, medium or low; absent below two ballots."""
    found = tally_of(seen.ledger)
    return None if found is None else found.confidence


def tied(seen: Seen) -> int | None:
    """1 if another stance has as many votes as the winner, else 0."""
    found = tally_of(seen.ledger)
    return None if found is None else int(found.tied)
