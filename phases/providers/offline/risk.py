"""The desk's risk seats: rules over the rated rows, first what makes the night too careful, then too bold."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from phases.maths.exact import exact
from schemas.risk import RiskInputs, RiskRow

SIDE = {"buy": 1, "sell": -1}
MACRO = {"strong_bullish": 1, "bullish": 1, "bearish": -1, "strong_bearish": -1}

MOST_NAMED, MOST_POINTS = 5, 3

EVEN = Fraction(1, 50)
"""A probability within this of even odds says little."""


def _point(rows: Sequence[RiskRow], about: str, because: str) -> list[dict[str, Any]]:
    """One point about the first of these rows; none if there are none."""
    named = [row.ticker for row in rows][:MOST_NAMED]
    return [{"tickers": named, "about": about, "because": because}] if named else []


def _sided(inputs: RiskInputs) -> list[RiskRow]:
    """Rows with a side, the strongest conviction first."""
    return sorted((row for row in inputs.rows if row.stance in SIDE), key=lambda row: -abs(row.conviction))


def _lean(row: RiskRow) -> Fraction:
    return exact(row.probability) - Fraction(1, 2)


def risk_aggressive(inputs: RiskInputs) -> dict[str, Any]:
    """Views that say more than they act on: the strongest, those with the macro view, those left undecided."""
    sided, macro = _sided(inputs), MACRO.get(inputs.bias_row.equity_bias or "", 0)
    undecided = [row for row in inputs.rows if row.stance not in SIDE and abs(_lean(row)) > EVEN]
    agreeing = [row for row in sided if SIDE[row.stance] == macro]
    strongest = [row for row in sided[:1] if _lean(row) * row.conviction > 0]
    points = [
        *_point(
            strongest,
            "strength",
            "".join(
                f"it has the night's strongest conviction, {row.conviction}, and a probability of {row.probability} "
                "that leans the same way"
                for row in strongest
            ),
        ),
        *_point(agreeing, "macro", "the macro view of equities takes the same side as these views"),
        *_point(undecided, "strength", "the probability is away from even odds and the view takes no side"),
    ]
    return {"seat": inputs.seat, "points": points[:MOST_POINTS]}


def risk_conservative(inputs: RiskInputs) -> dict[str, Any]:
    """Views that can fail together or rest on little: those on one side, against the macro view, flagged, near even."""
    sided, macro = _sided(inputs), MACRO.get(inputs.bias_row.equity_bias or "", 0)
    sides = {sign: [row for row in sided if SIDE[row.stance] == sign] for sign in (1, -1)}
    larger = max(sides.values(), key=len)
    against = [row for row in sided if SIDE[row.stance] == -macro]
    flagged = [row for row in sided if row.flags]
    near = [row for row in sided if abs(_lean(row)) <= EVEN or _lean(row) * row.conviction < 0]
    points = [
        *_point(
            larger if len(larger) > 1 else (), "alike", "these views take one side, so one cause can undo them all"
        ),
        *_point(against, "macro", "the macro view of equities takes the other side"),
        *_point(near, "strength", "the probability hardly leans the way the view does"),
        *_point(flagged, "evidence", "the night flagged these rows, so the views rest on less than it seems"),
    ]
    return {"seat": inputs.seat, "points": points[:MOST_POINTS]}
