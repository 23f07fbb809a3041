"""Read-outs of the analyst panel and of how far the debate has come."""

from __future__ import annotations

from phases.debate.ledger import loop_rounds_held
from phases.debate.readouts.base import Seen


def margin(seen: Seen) -> float | None:
    """Distance of the unrounded score from the stance boundary."""
    return None if seen.payload is None else seen.payload.panel_margin


def spread(seen: Seen) -> float | None:
    """Highest minus lowest probability of the axes; absent below two."""
    return None if seen.payload is None else seen.payload.panel_spread


def conviction(seen: Seen) -> int | None:
    """Size of the conviction score."""
    return None if seen.payload is None else abs(seen.payload.conviction_score)


def rounds(seen: Seen) -> int:
    """Loop rounds held so far."""
    return loop_rounds_held(seen.ledger)
