"""Claims and their moves, written in a few letters."""

from __future__ import annotations

from fractions import Fraction as F

from phases.maths.exchange import OTHER, Claim, Move
from schemas.base import Role
from schemas.debate import MoveKind

HALF = F(1, 2)
KINDS: dict[str, MoveKind] = {"c": "conceded", "r": "rebutted", "k": "carried"}
SIDES: tuple[Role, ...] = ("bull", "bear")


def moves(text: str, side: Role) -> tuple[Move, ...]:
    """`o1r a2k`: the other side rebutted in round 1, the author carried in round 2."""
    by = {"o": OTHER[side], "a": side}
    return tuple(Move(int(word[1]), by[word[0]], KINDS[word[2]]) for word in text.split())


def claim(text: str = "", *, side: Role = "bull", name: str = "c", on: str | None = "px.a", weight: F = F(1)) -> Claim:
    return Claim(name, side, weight, on, moves(text, side))
