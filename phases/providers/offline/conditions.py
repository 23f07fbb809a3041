"""What would change the desk's mind: an item that crosses the value at which it is neutral."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from phases.maths.lean import LEANS
from schemas.market import Evidence


def number(item: Evidence) -> float | None:
    """The item's value where it is a number; a truth value is none."""
    return float(item.value) if isinstance(item.value, int | float) and not isinstance(item.value, bool) else None


def crossing(item: Evidence) -> dict[str, Any] | None:
    """The item crossing its neutral value, which it has not done tonight; absent if it has no side of it."""
    value = number(item)
    centre = LEANS[item.id].centre if item.id in LEANS else 0.0
    if value is None or value == centre:
        return None
    return {"evidence": item.id, "comparison": "below" if value > centre else "above", "value": centre}


def leaving(item: Evidence) -> dict[str, Any] | None:
    """For an item that lies at its neutral value: rising to a full lean; absent if it is no number."""
    rule = LEANS.get(item.id)
    value = rule.centre + rule.scale if rule else 1.0
    return None if number(item) is None else {"evidence": item.id, "comparison": "above", "value": value}


def first_condition(items: Iterable[Evidence]) -> dict[str, Any] | None:
    """The first crossing that the items allow, else the first number leaving its neutral value; absent without one."""
    given = list(items)
    crossings = (crossing(item) for item in given)
    found = next((one for one in crossings if one is not None), None)
    return found or next((one for item in given if (one := leaving(item)) is not None), None)
