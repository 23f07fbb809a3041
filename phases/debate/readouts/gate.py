"""Whether a debate is worth its price, from the analyst view alone."""

from __future__ import annotations

from phases.debate.readouts.base import Seen


def gate(seen: Seen) -> int:
    """1 if a debate should be bought, else 0.

    Without an analyst view, 1. For a held name, 1 if its stance changed since the last night. For
    any other, 1 if the stance is sell or the conviction has a size of at least 3.
    """
    if seen.payload is None:
        return 1
    if seen.held:
        return int(seen.payload.stance != seen.last_stance)
    return int(seen.payload.stance == "sell" or abs(seen.payload.conviction_score) >= 3)
