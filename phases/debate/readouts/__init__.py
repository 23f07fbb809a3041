"""Read-outs: pure functions of what is known before a debate, or of its ledger. One line each in the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from phases.debate.readouts import gate, panel
from phases.debate.readouts.base import Seen

Readout = Callable[[Seen], float | int | None]

READOUTS: Mapping[str, Readout] = {
    "gate": gate.gate,
    "panel.margin": panel.margin,
    "panel.spread": panel.spread,
    "panel.conviction": panel.conviction,
    "rounds": panel.rounds,
}
"""Every read-out a rule may name."""


def read_out(seen: Seen) -> dict[str, float | int | None]:
    """All read-outs of what is known so far; an absent one is None."""
    return {name: function(seen) for name, function in READOUTS.items()}
