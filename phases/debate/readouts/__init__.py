"""Read-outs: pure functions of what is known before a debate, or of its ledger. One line each in a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from phases.debate.readouts import exchange, forecast, gap, gate, panel, points, ruling, tally
from phases.debate.readouts.base import Seen

READOUTS: Mapping[str, Callable[[Seen], float | int | None]] = {
    "gate": gate.gate,
    "panel.margin": panel.margin,
    "panel.spread": panel.spread,
    "panel.conviction": panel.conviction,
    "panel.aggregate": forecast.aggregate,
    "rounds": panel.rounds,
    "gap.first": gap.first,
    "gap.last": gap.last,
    "gap.change": gap.change,
    "gap.midpoint": gap.midpoint,
    "forecast.blend": forecast.blend,
    "forecast.final": forecast.final,
    "points.raised": points.raised_points,
    "points.open": points.open_count,
    "convergence": points.converged,
    "cascade": points.cascade,
    "evidence.new": points.new_evidence,
    "turns.repeated": points.repeats,
    "tokens.debate": points.tokens,
    "ruling.settled": ruling.settled,
    "tally.share": tally.share,
    "tally.tied": tally.tied,
    "tally.changed": tally.changed,
    "exchange.tilt": exchange.tilt,
    "exchange.delta": exchange.delta,
    "exchange.net": exchange.net,
}
"""Every read-out a rule may name: a number, or None where it is absent."""

WORDS: Mapping[str, Callable[[Seen], str | None]] = {
    "gap.verdict": gap.verdict,
    "points.verdict": points.resolution,
    "theater": points.theater,
    "ruling.decision": ruling.decision,
    "tally.winner": tally.winner,
    "tally.confidence": tally.confidence,
}
"""Read-outs in words. They are published, and no rule may name them."""


def published(seen: Seen) -> dict[str, float | int | str]:
    """Every read-out that is there."""
    found = {name: function(seen) for name, function in (*READOUTS.items(), *WORDS.items())}
    return {name: value for name, value in found.items() if value is not None}
