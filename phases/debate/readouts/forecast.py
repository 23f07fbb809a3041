"""Read-outs of the forecast: the panel's probabilities as one, and what the debate and a supervisor add."""

from __future__ import annotations

from fractions import Fraction

from phases.debate.readouts import gap
from phases.debate.readouts.base import Seen
from phases.maths import aggregation
from phases.maths.exact import centred, clamp, decimals, exact
from schemas.ledger import Supervised

LOWEST, HIGHEST = Fraction(1, 100), Fraction(99, 100)


def _panel(seen: Seen) -> list[float]:
    """Probabilities of the analyst's axes."""
    return [] if seen.payload is None else [view.probability for view in seen.payload.axes]


def mean(seen: Seen) -> float | None:
    """Mean of the panel's probabilities, 4 decimals; absent without a panel."""
    found = _panel(seen)
    return centred(sum(map(exact, found), Fraction(0)) / len(found)) if found else None


def aggregate(seen: Seen) -> float | None:
    """The panel's probabilities as one, by the protocol's rule, 4 decimals; absent without a panel."""
    found, rule = _panel(seen), seen.settings.aggregate
    if not found or rule.rule == "mean":
        return mean(seen)
    if rule.rule == "log_odds":
        return round(aggregation.log_odds(exact(mean(seen) or 0.0)), 4)
    return aggregation.neyman(found, exact(rule.rho), exact(rule.base)).aggregate


def _blended(seen: Seen) -> Fraction | None:
    """(1 - w) * aggregate + w * last midpoint; absent without a panel."""
    rule, found = seen.settings.blend, gap.gaps(seen)
    return aggregation.blend(
        aggregate(seen),
        found.midpoints[-1] if found.midpoints else None,
        mean=mean(seen),
        weight=exact(rule.weight),
        only_if=rule.only_if,
        consensus=found.consensus,
        verdict=gap.verdict(seen),
    )


def blend(seen: Seen) -> float | None:
    """The blend of aggregate and debate, 5 decimals; absent without a panel."""
    found = _blended(seen)
    return None if found is None else decimals(found, 5)


def final(seen: Seen) -> float | None:
    """The blend after the supervisor's word, within .01...99, 4 decimals; absent without a panel."""
    view = next((event.contribution for event in reversed(seen.ledger) if isinstance(event, Supervised)), None)
    said = aggregation.supervised(
        _blended(seen), None if view is None else view.probability, None if view is None else view.confidence
    )
    return None if said is None else centred(clamp(said, LOWEST, HIGHEST))
