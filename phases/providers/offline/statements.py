"""How the desk reads what other seats said: the latest word of each, its ballot, and the sides' probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from phases.maths.exact import exact
from schemas.base import Role
from schemas.seats import Statement

SIDES: tuple[Role, Role] = ("bull", "bear")

SIGN: Mapping[Role, int] = {"bull": 1, "bear": -1}

CLOSE = Fraction(1, 20)
"""Probabilities nearer than this agree."""


def latest(statements: Iterable[Statement]) -> list[Statement]:
    """The last statement of each seat."""
    return list({one.seat: one for one in statements}.values())


def ballot(statement: Statement) -> str:
    """A persona's stance in small letters; empty for a seat without one."""
    return (statement.stance or "").strip().lower()


def chances(statements: Sequence[Statement]) -> dict[Role, Fraction]:
    """Mean of the latest probabilities of each side's seats; a side without one is not here."""
    found: dict[Role, list[Fraction]] = {}
    for one in latest(said for said in statements if said.probability is not None):
        if one.side is not None and one.probability is not None:
            found.setdefault(one.side, []).append(exact(one.probability))
    return {side: sum(told, Fraction(0)) / len(told) for side, told in found.items()}


def gap(told: Mapping[Role, Fraction]) -> Fraction | None:
    """Distance of the sides' probabilities; absent unless both have one."""
    return abs(told["bull"] - told["bear"]) if len(told) == len(SIDES) else None
