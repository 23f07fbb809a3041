"""Testable conditions on an evidence item: whether one has fired, and what it says to a reader."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction

from phases.maths.exact import exact
from phases.maths.lean import LEANS
from schemas.debate import Condition
from schemas.market import Evidence

USUAL = {"ratio": Fraction(1, 10)}
"""Usual size of a value by its unit, where that is not 1."""

REACH = 10


def fires(condition: Condition, value: float | int, day: date | None = None) -> bool:
    """Whether a value lies on the condition's side of its threshold, on a day within its time.

    >>> low = Condition(evidence="px.ret_63d", comparison="below", value=0.0)
    >>> fires(low, -0.01), fires(low, 0.0)
    (True, False)
    """
    if day is not None and condition.by is not None and day > condition.by:
        return False
    distance = exact(value) - exact(condition.value)
    return distance > 0 if condition.comparison == "above" else distance < 0


def untestable(condition: Condition, evidence: Iterable[Evidence]) -> str | None:
    """Why no later night could be surprised by a condition: no number, already true, over, or out of reach.

    Out of reach is what lies further from tonight's value than ten times that value, or than ten usual sizes.
    """
    items = tuple(evidence)
    item = next((one for one in items if one.id == condition.evidence), None)
    if item is None or isinstance(item.value, bool | str):
        return f"needs an id with a number; {condition.evidence} has none"
    if fires(condition, item.value):
        return f"holds already: {condition.evidence} is {item.value}"
    tonight = max(one.known_at for one in items)
    if condition.by is not None and condition.by <= tonight:
        return f"is over by {condition.by}; give a later day than {tonight}, or none"
    size = max(abs(exact(item.value)), USUAL.get(item.unit, Fraction(1)), _usual(item.id))
    if abs(exact(condition.value) - exact(item.value)) > REACH * size:
        return f"is out of reach: {condition.evidence} is {item.value}"
    return None


def _usual(name: str) -> Fraction:
    """Usual size of an item that has a neutral value; 0 for any other."""
    lean = LEANS.get(name)
    return Fraction(0) if lean is None else max(abs(exact(lean.centre)), abs(exact(lean.scale)))


def told(condition: Condition) -> str:
    """The condition as a reader writes it.

    >>> told(Condition(evidence="macro.vix", comparison="above", value=30.0))
    'macro.vix above 30.0'
    """
    until = "" if condition.by is None else f" by {condition.by}"
    return f"{condition.evidence} {condition.comparison} {condition.value}{until}"
