"""Read-outs of the exchange: what the moves on the openings' claims did."""

from __future__ import annotations

from phases.debate.ledger import loop_round, paired_rounds
from phases.debate.points import exchange_claims
from phases.debate.readouts.base import Seen
from phases.maths import exchange as maths
from phases.maths.exact import decimals


def paired(seen: Seen) -> frozenset[int]:
    """Loop rounds, from 1, in which both sides' turns are valid."""
    numbers = paired_rounds(seen.ledger)
    return frozenset(loop_round(event, seen.ledger) for event in seen.ledger if event.round_number in numbers)


def exchanged(seen: Seen) -> maths.Exchange | None:
    """The exchange as it stands; absent without an analyst view or without claims of an opening."""
    claims = exchange_claims(seen.ledger, seen.bundle)
    if seen.payload is None or not claims:
        return None
    return maths.exchange(claims, paired(seen), seen.payload.conviction_score)


def tilt(seen: Seen) -> float | None:
    """-1 (all to the bear) to 1 (all to the bull), 4 decimals."""
    found = exchanged(seen)
    return None if found is None else decimals(found.tilt, 4)


def delta(seen: Seen) -> int | None:
    """Conviction points before any ruling."""
    found = exchanged(seen)
    return None if found is None else found.delta


def net(seen: Seen) -> float | None:
    """(B - R) / (B + R) of the weights that stand, 4 decimals. Published, never used for the change."""
    found = maths.net_standing(exchange_claims(seen.ledger, seen.bundle), paired(seen))
    return None if found is None else decimals(found, 4)
