"""The desk's personas: one reading of the evidence in three temperaments, revised only where a critic is right."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from phases.providers.offline.statements import ballot
from phases.providers.offline.weighing import mean_lean, ranked, strongest
from phases.providers.offline.words import first_fit, quote
from schemas.market import Evidence
from schemas.seats import TableInputs

Ballot = Literal["buy", "hold", "sell"]
Temper = Literal["cautious", "creative", "literal"]

CLEAR = {"literal": Fraction(1, 20), "cautious": Fraction(3, 20)}
"""Mean lean beyond which a temperament takes a side."""

READS = {
    "literal": "It is what the evidence as a whole says.",
    "cautious": "Only a clear lean of the whole evidence moves this seat.",
    "creative": "One strong fact says more than the mean of many.",
}

TAKEN = "The critic's objection is taken, and the evidence is read as a whole."

ANSWER_LIMIT = 600

BALLOTS: tuple[Ballot, ...] = ("buy", "hold", "sell")


def persona_cautious(inputs: TableInputs) -> dict[str, Any]:
    """Takes a side only on a clear mean lean."""
    return _persona(inputs, "cautious")


def persona_creative(inputs: TableInputs) -> dict[str, Any]:
    """Follows the strongest item."""
    return _persona(inputs, "creative")


def persona_literal(inputs: TableInputs) -> dict[str, Any]:
    """Takes the mean lean as it stands."""
    return _persona(inputs, "literal")


def _persona(inputs: TableInputs, temper: Temper) -> dict[str, Any]:
    """A blind answer; later the same one, or the literal reading where a critic found it wanting."""
    items = inputs.evidence or ()
    faulted = any(one.seat == inputs.seat and one.verdict != "sound" for one in inputs.critique or ())
    stance = _reading(items, "literal") if faulted else _last(inputs) or _reading(items, temper)
    reads = TAKEN if faulted else READS[temper]
    named = _named(items, stance)
    again = inputs.critique is not None and not faulted and _last(inputs) is not None
    return {
        "seat": inputs.seat,
        "round_number": inputs.round_number,
        "answer": _kept(stance, named) if again else _answer(items, stance, named, reads),
        "stance": stance,
        "claims": [
            {"id": f"c{at}", "text": f"{quote(item)}.", "evidence": [item.id]} for at, item in enumerate(named, 1)
        ],
    }


def _kept(stance: Ballot, named: Sequence[Evidence]) -> str:
    """A revision that changes nothing says so, and why."""
    carried = f"{quote(named[0])} still carries it" if named else "the evidence still has no direction"
    return f"This seat keeps {stance}: the critique found it sound, and {carried}."


def _last(inputs: TableInputs) -> Ballot | None:
    """The seat's own latest stance; absent if it has not spoken."""
    said = [ballot(one) for one in inputs.statements or () if one.seat == inputs.seat]
    return next((word for word in BALLOTS if word in said[-1:]), None)


def _reading(items: Sequence[Evidence], temper: Temper) -> Ballot:
    if temper == "creative":
        lead = ranked(items)[:1]
        return "hold" if not lead else "buy" if lead[0].lean > 0 else "sell"
    mean = mean_lean(items)
    return "hold" if abs(mean) <= CLEAR[temper] else "buy" if mean > 0 else "sell"


def _named(items: Sequence[Evidence], stance: Ballot) -> list[Evidence]:
    """The two strongest items for a stance; for hold the strongest of either side, the stronger first."""
    if stance == "hold":
        return ranked((*strongest(items, 1)[:1], *strongest(items, -1)[:1]))
    return strongest(items, 1 if stance == "buy" else -1)[:2]


def _answer(items: Sequence[Evidence], stance: Ballot, named: Sequence[Evidence], reads: str) -> str:
    """Two or three sentences: what it rests on, how it was read, and what speaks against it."""
    quotes = " and ".join(quote(item) for item in named)
    if stance == "hold":
        opening = f"Hold, with {quotes} in view." if named else "Hold: no item in the evidence has a direction."
        return first_fit(ANSWER_LIMIT, f"{opening} {reads}")
    opening = f"{stance.capitalize()} on {quotes}." if named else f"{stance.capitalize()}, without an item for it."
    other = strongest(items, -1 if stance == "buy" else 1)
    against = f"Against it stands {quote(other[0])}." if other else "Nothing in the evidence stands against it."
    return first_fit(ANSWER_LIMIT, f"{opening} {reads} {against}", f"{opening} {reads}")
