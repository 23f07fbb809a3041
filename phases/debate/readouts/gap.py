"""Read-outs of the gap between the sides' probabilities, over the rounds in which both gave one."""

from __future__ import annotations

from fractions import Fraction

from phases.debate.ledger import stage_of
from phases.debate.readouts.base import Seen
from phases.maths import aggregation
from phases.maths.exact import decimals, exact
from schemas.ledger import Spoke

CONSENSUS = Fraction(1, 20)
"""Gap below which the sides agree."""


def by_round(seen: Seen) -> list[tuple[float | None, float | None]]:
    """(bull, bear) of every round of opening and loop; absent where a side's turn is void or gave none."""
    rounds: dict[int, dict[str, float | None]] = {}
    for event in seen.ledger:
        if stage_of(event) != "closing":
            said = rounds.setdefault(event.round_number, {})
            if isinstance(event, Spoke):
                said[event.contribution.role] = event.contribution.probability
    return [(said.get("bull"), said.get("bear")) for _, said in sorted(rounds.items())]


def gaps(seen: Seen) -> aggregation.Gaps:
    """Gaps and midpoints of the debate."""
    rounds = by_round(seen)
    return aggregation.gaps(rounds, threshold=CONSENSUS, cap=len(rounds))


def first(seen: Seen) -> float | None:
    """|bull - bear| of the first such round, 4 decimals."""
    found = gaps(seen).gaps
    return decimals(found[0], 4) if found else None


def last(seen: Seen) -> float | None:
    """|bull - bear| of the last such round, 4 decimals."""
    found = gaps(seen).gaps
    return decimals(found[-1], 4) if found else None


def change(seen: Seen) -> float | None:
    """Last gap minus first, 4 decimals."""
    found = gaps(seen).change
    return None if found is None else decimals(found, 4)


def midpoint(seen: Seen) -> float | None:
    """(bull + bear) / 2 of the last such round, 4 decimals."""
    found = gaps(seen).midpoints
    return decimals(found[-1], 4) if found else None


def drift(seen: Seen) -> Fraction | None:
    """Last midpoint minus first; absent without a round in which both gave a probability."""
    found = gaps(seen).midpoints
    return found[-1] - found[0] if found else None


def verdict(seen: Seen) -> aggregation.Verdict | None:
    """panel_agreed, narrowed, widened or held; absent without a gap."""
    found, limits = gaps(seen), seen.settings.verdict
    if found.change is None:
        return None
    spread = None if seen.payload is None else seen.payload.panel_spread
    return aggregation.verdict(
        spread, found.change, min_panel=exact(limits.min_panel), min_closure=exact(limits.min_closure)
    )
