"""What a debate changes: conviction and probability, by the rule its protocol names."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, NamedTuple

from phases.debate.ledger import ballots, spoken
from phases.debate.points import exchange_claims
from phases.debate.protocol import Protocol
from phases.debate.readouts import exchange as exchanges
from phases.debate.readouts import forecast, gap
from phases.debate.readouts import tally as votes
from phases.debate.readouts.base import Seen
from phases.maths import exchange
from phases.maths.conviction import effective_conviction, probability_after, stance_table
from phases.maths.exact import centred, clamp, exact, round_half_away
from phases.maths.tally import market_stance
from schemas.base import NetStance, Role
from schemas.manager import ManagerReply

NET: dict[str, NetStance] = {"buy": "bullish", "hold": "neutral", "sell": "bearish"}

SHARE = {"high": Fraction(1), "medium": Fraction(1, 2), "low": Fraction(0)}
"""How much of the stance table a panel's confidence earns."""


class Change(NamedTuple):
    """What a debate did to the conviction."""

    delta: int
    decided_by: Literal["code", "tally", "manager"]
    contested: bool = False
    """Whether code and manager disagree; the change is then 0."""
    flags: tuple[str, ...] = ()


def change(protocol: Protocol, seen: Seen, reply: ManagerReply) -> Change:
    """Conviction points that a debate moved, -2..2. `seen` holds the analyst view and the whole ledger."""
    assert seen.payload is not None
    score = seen.payload.conviction_score
    if protocol.delta == "exchange":
        return _exchange(seen, score, reply)
    if protocol.delta == "tally":
        return _tally(seen, score)
    return Change(stance_table(reply.net_stance, score), "manager")


def _exchange(seen: Seen, score: int, reply: ManagerReply) -> Change:
    """The exchange decides; rulings make it smaller; a manager who disagrees makes it contested."""
    found = exchanges.exchanged(seen)
    if found is None:
        return Change(0, "code")
    if exchange.contested(reply.net_stance, found.delta):
        return Change(0, "code", contested=True)
    claims = exchange_claims(seen.ledger, seen.bundle)
    rulings = [(ruling.claim, ruling.ruling) for ruling in reply.rulings]
    return Change(exchange.ruled(claims, exchanges.paired(seen), score, rulings), "code")


def _tally(seen: Seen, score: int) -> Change:
    """The winner's stance through the table: whole at high confidence, half (a half is 1) at medium, 0 at low."""
    found = votes.tally_of(seen.ledger)
    if found is None or found.confidence is None:
        return Change(0, "tally", flags=("no_quorum",))
    net = NET[market_stance(found.winner or "") or "hold"]
    return Change(round_half_away(stance_table(net, score) * SHARE[found.confidence]), "tally")


def probability_post(protocol: Protocol, seen: Seen, moved: Change, per_point: Fraction) -> float:
    """Probability of the event after a debate: equal to that before where nothing moved, or where it is contested."""
    assert seen.payload is not None
    before = seen.payload.probability
    if moved.contested:
        return before
    if protocol.probability_after == "per_point":
        return probability_after(before, moved.delta, per_point)
    if protocol.probability_after == "blend":
        after = forecast.final(seen)
        return before if after is None else after
    drift = gap.drift(seen)
    return shifted(before, Fraction(0) if drift is None else drift)


def shifted(before: float, by: Fraction) -> float:
    """A probability moved, within .01...99; one that lies outside is not pulled in.

    >>> shifted(0.98, Fraction(1, 10)), shifted(0.995, Fraction(0))
    (0.99, 0.995)
    """
    start = exact(before)
    low, high = min(start, Fraction(1, 100)), max(start, Fraction(99, 100))
    return centred(clamp(start + by, low, high))


SETTLED = {
    "conceded": "{other} conceded",
    "unaddressed": "{other} never answered",
    "withdrawn": "{other} withdrew",
    "rebutted": "{other} left a rebuttal unmet on",
}
"""How a point was gained from the other side, by what became of it."""


def gained_by(seen: Seen, delta: int) -> str:
    """Which side gained in the exchange, and the heaviest point that made it so; or why nothing came of it."""
    found = exchanges.exchanged(seen)
    if found is None or not found.tilt or seen.payload is None:
        return "neither side gained"
    side, sign = ("bull", 1) if found.tilt > 0 else ("bear", -1)
    if not delta:
        score = seen.payload.conviction_score
        if found.delta:
            return f"{side} gained, but the rulings take it back"
        if effective_conviction(score, sign) == score:
            return f"{side} gained; {score:+d} is the {'lowest' if sign < 0 else 'highest'}"
        return f"{side} gained too little to move a conviction of {score:+d}"
    claims = {claim.id: claim for claim in exchange_claims(seen.ledger, seen.bundle)}
    worth = {name: sign * exchange.SIGN[one.side] * one.weight * found.settles[name] for name, one in claims.items()}
    lead = max(seen.raised, key=lambda one: worth.get(one.claim.id, Fraction(0)))
    told = SETTLED[lead.state.answer].format(other="bear" if side == "bull" else "bull")
    return f"{side} gained, {told}: {lead.claim.text}"


def sides_argued(seen: Seen) -> tuple[Role, ...]:
    """Sides that somebody argued: a debater, or a persona that votes for it."""
    stances = {market_stance(stance) for stance in ballots(seen.ledger)[1].values()}
    argued = {"bull": spoken(seen.ledger, "bull") or "buy" in stances}
    argued["bear"] = spoken(seen.ledger, "bear") or "sell" in stances
    return tuple(side for side in ("bull", "bear") if argued[side])
