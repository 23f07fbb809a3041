"""The desk's analysts: an axis view from the mean lean of its items, and the wording of the macro row."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from phases.maths.exact import clamp, decimals, exact
from phases.providers.offline.weighing import GAIN, chance, directed, strongest
from phases.providers.offline.words import quote
from schemas.analyst import AxisInputs
from schemas.bias import BiasInputs, BiasRow

HOLD_BELOW = Fraction(1, 5)


def axis_view(inputs: AxisInputs) -> dict[str, Any]:
    """x = clip(1.5 * mean lean of the directional items, +-1); conviction |x|, p = .5 + .10 x, hold below .20."""
    items = directed(inputs.evidence)
    x = Fraction(0)
    if items:
        mean = sum((exact(item.lean) for item in items), Fraction(0)) / len(items)
        x = exact(decimals(clamp(GAIN * mean, -1, 1), 4))
    stance = "hold" if abs(x) < HOLD_BELOW else "buy" if x > 0 else "sell"
    side = 1 if x >= 0 else -1
    lead, against = strongest(items, side), strongest(items, -side)
    cited = [*lead[:3], *against[:1]]
    return {
        "axis": inputs.axis,
        "ticker": inputs.ticker,
        "stance_axis": stance,
        "conviction_axis": float(abs(x)),
        "probability": float(chance(x)),
        "rationale": _rationale(stance, [quote(item) for item in lead[:3]]),
        "risk": f"Against it: {quote(against[0])}." if against else "No item on this axis speaks against it.",
        "evidence": [item.id for item in cited],
        "sources": sorted({item.source for item in cited}),
    }


def _rationale(stance: str, quotes: list[str]) -> str:
    start = stance.capitalize()
    return f"{start} on {', '.join(quotes)}." if quotes else f"{start}; no item on this axis has a direction."


def bias_wording(inputs: BiasInputs) -> dict[str, Any]:
    """The computed row in one or two sentences, without a number."""
    row = inputs.bias_row
    said = [_regime(row)]
    known = {"Equities": row.equity_bias, "bonds": row.bond_bias, "commodities": row.commodity_bias}
    directions = [f"{name} {value.replace('_', ' ')}" for name, value in known.items() if value is not None]
    if directions:
        said.append(f"{', '.join(directions)}.")
    return {"notes": " ".join(part[0].upper() + part[1:] for part in said)}


def _regime(row: BiasRow) -> str:
    return f"The regime reads {row.macro_regime}." if row.macro_regime else "The regime is not known."
