"""Turns of the offline desk in an exchange: inputs of a few items, and the answer, which must be valid."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from phases.providers.offline.debater import contribution
from schemas.base import Role
from schemas.debate import DebateInputs, DebateRoundContribution, Move, OpenPoint
from schemas.market import Evidence, Question
from schemas.validation import problems

DAY = date(2008, 9, 30)
TICKER = "ACME"
QUESTION = Question(
    event="total return over the next 21 sessions exceeds that of ^GSPC",
    horizon_sessions=21,
    benchmark="^GSPC",
    resolves_on=date(2008, 10, 29),
)
OTHER: Mapping[Role, Role] = {"bull": "bear", "bear": "bull"}
SIGN: Mapping[Role, int] = {"bull": 1, "bear": -1}
WORD: Mapping[Role, str] = {"bull": "bullish", "bear": "bearish"}
ROLES: tuple[Role, ...] = ("bull", "bear")


def item(id: str, lean: float = 0.0, value: Any = 0.0123, **more: Any) -> Evidence:
    told: dict[str, Any] = {"unit": "ratio", "label": f"label of {id}", "tier": 1, "stale": False, **more}
    return Evidence(id=id, lean=lean, value=value, as_of=DAY, known_at=DAY, source="packaged", **told)


def inputs_of(
    bundle: Sequence[Evidence] | None, role: Role = "bull", round_number: int = 2, **more: Any
) -> DebateInputs:
    told = None if bundle is None else tuple(sorted(bundle, key=lambda one: one.id))
    return DebateInputs(evidence=told, ticker=TICKER, role=role, round_number=round_number, **more)


def point(id: str, *cited: str, against: Sequence[str] | None = None) -> OpenPoint:
    rebuttal = None if against is None else Move(target=id, kind="rebutted", reason="No.", evidence=tuple(against))
    return OpenPoint(id=id, text="A claim.", evidence=cited, rebuttal=rebuttal)


def mirrored(bundle: Sequence[Evidence]) -> tuple[Evidence, ...]:
    return tuple(one.model_copy(update={"lean": -one.lean + 0.0}) for one in bundle)


def turn(inputs: DebateInputs) -> dict[str, Any]:
    """The desk's answer, which must be what its contract allows and read well."""
    said = contribution(inputs)
    assert problems(DebateRoundContribution, said) == ()
    DebateRoundContribution.model_validate_json(json.dumps(said))
    sentences = re.split(r"(?<=[.!?])\s+", said["argument"])
    assert 3 <= len(sentences) <= 5, said["argument"]
    assert WORD[inputs.role] in sentences[-1]
    assert WORD[OTHER[inputs.role]] not in said["argument"]
    assert said["acknowledged"] is not None
    assert 0.01 <= said["probability"] <= 0.99
    return said


def moved(inputs: DebateInputs) -> list[tuple[str, str, list[str]]]:
    return [(one["target"], one["kind"], one["evidence"]) for one in turn(inputs)["moves"]]


def swapped(inputs: DebateInputs) -> DebateInputs:
    """The same turn in the mirror: leans negated, roles exchanged."""

    def renamed(one: OpenPoint) -> OpenPoint:
        side, _, rest = one.id.partition(".")
        return one.model_copy(update={"id": f"{'bear' if side == 'bull' else 'bull'}.{rest}"})

    last, points = inputs.last_probability, inputs.open_points
    return inputs.model_copy(
        update={
            "evidence": mirrored(inputs.evidence or ()),
            "role": OTHER[inputs.role],
            "open_points": None if points is None else tuple(map(renamed, points)),
            "last_probability": None if last is None else float(1 - Fraction(repr(last))),
        }
    )
