"""The desk's research manager: where moves were made it counts what they did, else the weight of the claims.

It never asks who spoke last. A panel without sides is read by its ballots.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from phases.maths.exact import exact
from phases.maths.lean import LEANS
from phases.providers.offline.conditions import crossing
from phases.providers.offline.statements import SIDES, SIGN, ballot, latest
from phases.providers.offline.weighing import pull
from phases.providers.offline.words import first_fit, first_sentence, quote
from schemas.base import NetStance, Role
from schemas.manager import ManagerInputs, PointAnswer, WeighedClaim
from schemas.market import Evidence
from schemas.seats import Statement

BALLOT: Mapping[Role, str] = {"bull": "buy", "bear": "sell"}

LEAD = Fraction(1, 10)
"""Share of all weight by which one side must be ahead to have gained."""

GAIN: Mapping[PointAnswer, Fraction] = {
    "conceded": Fraction(1),
    "withdrawn": Fraction(-1),
    "rebutted": Fraction(-1),
    "unaddressed": Fraction(1, 2),
    "met": Fraction(0),
    "carried": Fraction(0),
}
"""What an answer does for the side that raised the claim, times the claim's weight."""

CLOSED: frozenset[PointAnswer] = frozenset({"conceded", "withdrawn"})

THESIS_LIMIT = 400

CONDITIONS = 6


def manager_reply(inputs: ManagerInputs) -> dict[str, Any]:
    """Theses, net stance, rulings and conditions; symmetric, so that negated evidence negates it."""
    bundle = {item.id: item for item in inputs.evidence}
    return {
        "bull_thesis": _thesis(inputs, "bull", bundle),
        "bear_thesis": _thesis(inputs, "bear", bundle),
        "net_stance": _net_stance(inputs, bundle),
        "rulings": [_ruling(claim) for claim in inputs.claims],
        "would_resolve_if": _conditions(inputs, bundle),
    }


def _net_stance(inputs: ManagerInputs, bundle: Mapping[str, Evidence]) -> NetStance:
    if any(claim.answer != "unaddressed" for claim in inputs.claims):
        gained = [SIGN[claim.side] * exact(claim.weight) * GAIN[claim.answer] for claim in inputs.claims]
        return _word(sum(gained, Fraction(0)))
    if inputs.claims or not inputs.statements:
        bull, bear = _side(inputs, "bull", bundle), _side(inputs, "bear", bundle)
        ahead = (bull - bear) / (bull + bear) if bull + bear else Fraction(0)
        return _word(ahead) if abs(ahead) >= LEAD else "neutral"
    return _vote(latest(inputs.statements))


def _word(gained: Fraction) -> NetStance:
    return "neutral" if not gained else "bullish" if gained > 0 else "bearish"


def _vote(statements: Iterable[Statement]) -> NetStance:
    """The stance with most ballots; neutral if that is hold or shared."""
    stances = [ballot(one) for one in statements]
    buy, sell, hold = (stances.count(word) for word in ("buy", "sell", "hold"))
    if buy > max(sell, hold):
        return "bullish"
    return "bearish" if sell > max(buy, hold) else "neutral"


def _side(inputs: ManagerInputs, side: Role, bundle: Mapping[str, Evidence]) -> Fraction:
    return sum((_pull(claim, bundle) for claim in _claims(inputs, side)), Fraction(0))


def _pull(claim: WeighedClaim, bundle: Mapping[str, Evidence]) -> Fraction:
    """Weight of a claim times the strongest lean of its evidence."""
    leans = [abs(exact(bundle[name].lean)) for name in claim.evidence if name in bundle]
    return exact(claim.weight) * max(leans, default=Fraction(0))


def _claims(inputs: ManagerInputs, side: Role) -> Sequence[WeighedClaim]:
    return [claim for claim in inputs.claims if claim.side == side]


def _thesis(inputs: ManagerInputs, side: Role, bundle: Mapping[str, Evidence]) -> str | None:
    """The side's case in its own words; absent if nobody argued it."""
    direction = "can beat" if side == "bull" else "can fall short of"
    opening = f"{inputs.ticker} {direction} {inputs.question.benchmark}"
    spoke = any(one.bull_argument if side == "bull" else one.bear_argument for one in inputs.rounds)
    voters = [one for one in latest(inputs.statements or ()) if ballot(one) == BALLOT[side]]
    reasons = [claim.text.rstrip(".") for claim in _claims(inputs, side)[:2]] or _reasons(voters, side, bundle)
    if not reasons:
        return f"{opening} though no evidence was named." if spoke else None
    fewer = f"{opening} because of {reasons[0]}."
    return first_fit(THESIS_LIMIT, f"{opening} because of {'; '.join(reasons)}.", fewer)


def _reasons(voters: Sequence[Statement], side: Role, bundle: Mapping[str, Evidence]) -> list[str]:
    """The first two items for their side that its voters cite, else what the first of them said."""
    cited = dict.fromkeys(name for one in voters for name in one.evidence if pull(bundle.get(name), SIGN[side]))
    said = [f"what {one.seat} said: {first_sentence(one.text)}" for one in voters[:1]]
    return [quote(bundle[name]) for name in cited][:2] or said


def _ruling(claim: WeighedClaim) -> dict[str, Any]:
    stands = claim.weight > 0
    because = "its evidence is in the bundle" if stands else "no evidence in the bundle carries it"
    return {"claim": claim.id, "ruling": "stands" if stands else "unsupported", "because": because}


def _conditions(inputs: ManagerInputs, bundle: Mapping[str, Evidence]) -> list[dict[str, Any]]:
    """For each open claim its item crossing zero, where zero is what makes it neutral; the sides' leads first."""
    ranks: dict[str, int] = {}
    for side in SIDES:
        for rank, claim in enumerate(_claims(inputs, side)):
            if claim.evidence and claim.answer not in CLOSED:
                name = claim.evidence[0]
                ranks[name] = min(rank, ranks.get(name, rank))
    items = [bundle[name] for name in sorted(ranks, key=lambda name: (ranks[name], name)) if name in bundle]
    found = [crossing(item) for item in items if item.id in LEANS and LEANS[item.id].centre == 0]
    return [condition for condition in found if condition is not None][:CONDITIONS]
