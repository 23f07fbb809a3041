"""The desk's research manager: weighs the claims by their evidence only, never by who spoke last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from phases.maths.exact import exact
from phases.maths.lean import LEANS
from schemas.base import Role
from schemas.debate import ManagerInputs, WeighedClaim
from schemas.market import Evidence

SIDES: tuple[Role, Role] = ("bull", "bear")

LEAD = Fraction(1, 10)
"""Share of all weight by which one side must be ahead to have gained."""


def manager_reply(inputs: ManagerInputs) -> dict[str, Any]:
    """Net stance from (B - R) / (B + R), the sides' weighted claims; symmetric, so negated evidence negates it."""
    bundle = {item.id: item for item in inputs.evidence}
    bull, bear = _side(inputs, "bull", bundle), _side(inputs, "bear", bundle)
    total = bull + bear
    ahead = (bull - bear) / total if total else Fraction(0)
    net = "neutral" if abs(ahead) < LEAD else "bullish" if ahead > 0 else "bearish"
    return {
        "bull_thesis": _thesis(inputs, "bull"),
        "bear_thesis": _thesis(inputs, "bear"),
        "net_stance": net,
        "rulings": [_ruling(claim) for claim in inputs.claims],
        "would_resolve_if": _conditions(inputs, bundle),
    }


def _side(inputs: ManagerInputs, side: Role, bundle: Mapping[str, Evidence]) -> Fraction:
    return sum((_pull(claim, bundle) for claim in inputs.claims if claim.side == side), Fraction(0))


def _pull(claim: WeighedClaim, bundle: Mapping[str, Evidence]) -> Fraction:
    """Weight of a claim times the strongest lean of its evidence."""
    leans = [abs(exact(bundle[name].lean)) for name in claim.evidence if name in bundle]
    return exact(claim.weight) * max(leans, default=Fraction(0))


def _claims(inputs: ManagerInputs, side: Role) -> Sequence[WeighedClaim]:
    return [claim for claim in inputs.claims if claim.side == side]


def _thesis(inputs: ManagerInputs, side: Role) -> str:
    named = "; ".join(claim.text.rstrip(".") for claim in _claims(inputs, side)[:2])
    direction = "can beat" if side == "bull" else "can fall short of"
    because = f"because of {named}" if named else "though no evidence was named"
    return f"{inputs.ticker} {direction} {inputs.question.benchmark} {because}."


def _ruling(claim: WeighedClaim) -> dict[str, Any]:
    stands = claim.weight > 0
    because = "its evidence is in the bundle" if stands else "no evidence in the bundle carries it"
    return {"claim": claim.id, "ruling": "stands" if stands else "unsupported", "because": because}


def _conditions(inputs: ManagerInputs, bundle: Mapping[str, Evidence]) -> list[dict[str, Any]]:
    """For the lead of each side: its item crossing zero, where zero is what makes it neutral."""
    found = []
    for side in SIDES:
        claims = _claims(inputs, side)
        item = bundle.get(claims[0].evidence[0]) if claims and claims[0].evidence else None
        if item is not None and isinstance(item.value, float) and item.id in LEANS and LEANS[item.id].centre == 0:
            comparison = "below" if item.value > 0 else "above"
            found.append({"evidence": item.id, "comparison": comparison, "value": 0.0})
    return found
