"""The desk's critic, moderator and supervisor: they hold what was said against the evidence as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from phases.maths.exact import clamp
from phases.providers.offline.statements import CLOSE, SIDES, SIGN, ballot, chances, gap, latest
from phases.providers.offline.weighing import GAIN, chance, heaviest, mean_lean, ranked, strongest
from phases.providers.offline.words import first_fit, first_quoted, label_text, quote
from schemas.base import Role
from schemas.market import Evidence
from schemas.seats import Statement, TableInputs

BALLOT_SIGN: Mapping[str, int] = {"buy": 1, "sell": -1}

CLEAR = Fraction(1, 20)
"""A mean lean beyond this has a sign."""

SUMMARY_LIMIT = 600


def critic(inputs: TableInputs) -> dict[str, Any]:
    """One verdict for each seat that spoke: does its latest word rest on evidence, and on where that leans?"""
    return {"assessments": [_assessment(one, inputs.evidence or ()) for one in latest(inputs.statements or ())]}


def _assessment(statement: Statement, items: Sequence[Evidence]) -> dict[str, Any]:
    if not statement.evidence:
        return {"seat": statement.seat, "verdict": "unsupported", "flaw": "It names no evidence."}
    sign = SIGN[statement.side] if statement.side else BALLOT_SIGN.get(ballot(statement), 0)
    if mean_lean(items) * sign < -CLEAR:
        against = quote(strongest(items, -sign)[0])
        flaw = f"The evidence as a whole leans the other way, above all {against}."
        return {"seat": statement.seat, "verdict": "flawed", "flaw": flaw}
    passed = [one for one in strongest(items, -sign) if one.id not in statement.evidence] if sign else []
    overlooks = f"It passes over {quote(passed[0])}." if passed else None
    return {"seat": statement.seat, "verdict": "sound", "flaw": overlooks}


def moderator(inputs: TableInputs) -> dict[str, Any]:
    """Settled once the sides agree or repeat themselves; else the question that nobody has answered yet."""
    statements, items = inputs.statements or (), inputs.evidence or ()
    told = chances(statements)
    distance, repeats = gap(told), _repeats(statements)
    agreed = distance is not None and distance < CLOSE
    why = "the sides' probabilities agree" if agreed else "the last round repeats the one before it"
    settled = agreed or repeats
    led = [_led(side, statements, items) for side in SIDES]
    ending = f"The debate ends: {why}." if settled else "The sides still differ."
    return {
        "summary": first_fit(SUMMARY_LIMIT, " ".join([*led, ending])),
        "status": "settled" if settled else "continue",
        "decision": f"{_leaning(told)}: {why}." if settled else None,
        "focus": None if settled else _focus(statements, items, inputs.round_number),
    }


def _leaning(told: Mapping[Role, Fraction]) -> str:
    """Where the middle of both sides lies; undecided if it is even, or one has no probability."""
    middle = sum(told.values(), Fraction(0)) / 2
    if len(told) < len(SIDES) or middle == Fraction(1, 2):
        return "undecided"
    return "bullish" if middle > Fraction(1, 2) else "bearish"


def _repeats(statements: Sequence[Statement]) -> bool:
    """Whether the last round says what the round before it said, word for word."""
    rounds: dict[int, dict[str, str]] = {}
    for one in statements:
        rounds.setdefault(one.round_number, {})[one.seat] = one.text
    last = [rounds[number] for number in sorted(rounds)][-2:]
    return len(last) > 1 and last[0] == last[1]


def _led(side: Role, statements: Sequence[Statement], items: Sequence[Evidence]) -> str:
    """What the side's latest word quotes first of what does not speak against it, else the heaviest item it cites."""
    own = {item.id: item for item in items if item.lean * SIGN[side] >= 0}
    said = [one for one in statements if one.side == side][-1:]
    leads = [first_quoted(one.text, own.values()) or heaviest(one.evidence, own, SIGN[side]) for one in said]
    item = next((lead for lead in leads if lead is not None), None)
    return f"The {side} led with {quote(item)}." if item else f"The {side} led with no item of the evidence."


def _focus(statements: Sequence[Statement], items: Sequence[Evidence], round_number: int) -> str:
    """The strongest item that nobody cited, the next one each round; else the strongest that both cite, else of all."""
    cited = {side: {name for one in statements if one.side == side for name in one.evidence} for side in SIDES}
    everyone = {name for one in statements for name in one.evidence}
    known = ranked(items)
    unused = [item for item in known if item.id not in everyone]
    if unused:
        item = unused[(round_number - 1) % len(unused)]
        return f"Nobody has cited {label_text(item)} ({item.id}); which side does it speak for?"
    disputed = [item for item in known if item.id in cited["bull"] & cited["bear"]] or known
    return f"Which side does {quote(disputed[0])} speak for?" if disputed else "Which fact would settle the matter?"


def supervisor(inputs: TableInputs) -> dict[str, Any]:
    """A look of its own: p = .5 + .10 * clip(1.5 * mean lean, +-1); it rests on the strongest item.

    Without any evidence it has no id to rest on, and its answer does not fit the contract.
    """
    items, distance = inputs.evidence or (), gap(chances(inputs.statements or ()))
    led = [*ranked(items), *items][:1]
    because = f"It reads the evidence as a whole, above all {quote(led[0])}." if led else "There is no evidence."
    return {
        "probability": float(chance(clamp(GAIN * mean_lean(items), -1, 1))),
        "confidence": "medium" if distance is not None and distance >= CLOSE else "low",
        "because": because,
        "evidence": [item.id for item in led],
    }
