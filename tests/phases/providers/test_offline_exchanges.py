"""The desk's turns whatever the evidence: every move earned, every number quoted, the same for either side."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phases.maths.lean import LEANS, NEUTRAL
from schemas.debate import DebateInputs
from schemas.market import Evidence
from tests.phases.providers.offline_turns import OTHER, ROLES, SIGN, inputs_of, item, point, swapped, turn

IDS = sorted({*LEANS, *NEUTRAL, "fa.fcf_yield", "news.a1b2", "axis.technical", "bias.equity"})


@st.composite
def bundles(draw: st.DrawFn) -> tuple[Evidence, ...]:
    values = (
        st.integers(-3, 3).map(float)
        | st.floats(-1000, 1000).map(lambda x: round(x, 4))
        | st.sampled_from([0.5, 50.0, 1.0, -0.1, 7, True, "profit warning"])
    )
    return tuple(
        item(
            name,
            draw(
                st.sampled_from([0.0, 0.25, -0.25, 0.5, -0.5, 1.0, -1.0]) | st.integers(-99, 99).map(lambda x: x / 100)
            ),
            value=draw(values),
            stale=draw(st.booleans()),
        )
        for name in sorted(draw(st.lists(st.sampled_from(IDS), unique=True, max_size=12)))
    )


@st.composite
def exchanges(draw: st.DrawFn) -> DebateInputs:
    bundle, role = draw(bundles()), draw(st.sampled_from(ROLES))
    cites = st.lists(st.sampled_from([one.id for one in bundle]), max_size=2, unique=True) if bundle else st.just([])
    foreign = [point(f"{OTHER[role]}.1.c{at}", *draw(cites)) for at in range(1, draw(st.integers(0, 3)) + 1)]
    own = [point(f"{role}.1.c{at}", *draw(cites), against=draw(cites)) for at in range(1, draw(st.integers(0, 3)) + 1)]
    return inputs_of(
        bundle,
        role,
        draw(st.integers(1, 3)),
        open_points=tuple(draw(st.permutations([*foreign, *own]))) or None,
        cited_before=draw(st.none() | cites.map(tuple)),
        last_probability=draw(st.none() | st.integers(200, 9800).map(lambda x: x / 10_000)),
    )


@given(exchanges())
@settings(max_examples=400, deadline=None)
def test_every_move_is_earned(inputs: DebateInputs) -> None:
    said, bundle = turn(inputs), {one.id: one for one in inputs.evidence or ()}
    made, points, side = said["moves"] or [], inputs.open_points or (), SIGN[inputs.role]
    assert [one["target"] for one in made] == [one.id for one in points]
    assert (said["claims"] is None) == (said["moves"] is not None) == (bool(points) or inputs.cited_before is not None)
    assert sum(one["kind"] == "conceded" for one in made) <= 1
    brought = [name for one in made if one["kind"] == "rebutted" for name in one["evidence"]]
    assert len(brought) == len(set(brought)) == sum(one["kind"] == "rebutted" for one in made)
    assert not set(brought) & set(inputs.cited_before or ())
    assert all(bundle[name].lean * side > 0 for name in brought)
    assert all(one["evidence"] for one in made if one["kind"] == "conceded")
    before = inputs.last_probability
    if before is None:
        before = turn(inputs.model_copy(update={"open_points": None}))["probability"]
    shift = side * (Fraction(repr(before)) - Fraction(repr(said["probability"])))
    conceded = any(one["kind"] == "conceded" for one in made)
    assert Fraction("0.01") <= shift <= Fraction("0.1") if conceded else shift == 0
    for one in made:
        condition = one.get("would_change_if")
        assert condition is None or one["kind"] == "carried"
        if one["kind"] == "carried":
            numbers = [each for each in bundle.values() if isinstance(each.value, int | float)]
            assert condition is not None or all(isinstance(each.value, bool) for each in numbers)
        if condition is not None:
            now = bundle[condition["evidence"]].value
            assert now < condition["value"] if condition["comparison"] == "above" else now > condition["value"]


@given(exchanges())
@settings(max_examples=300, deadline=None)
def test_a_turn_has_a_mirror(inputs: DebateInputs) -> None:
    said, other = turn(inputs), turn(swapped(inputs))

    def seen(turn: dict[str, Any]) -> Any:
        moves = [(m["kind"], m["evidence"], m.get("would_change_if")) for m in turn["moves"] or ()]
        claims = [one["evidence"] for one in turn["claims"] or ()]
        return moves, claims, turn["acknowledged"]["evidence"], len(turn["argument"].split())

    assert seen(said) == seen(other)
    assert said["probability"] + other["probability"] == pytest.approx(1, abs=1e-4)


@given(exchanges())
@settings(max_examples=100, deadline=None)
def test_every_number_is_quoted(inputs: DebateInputs) -> None:
    """Labels here hold no number but their ids, so what is left must be values of items."""
    said = turn(inputs)
    values = {str(one.value) for one in inputs.evidence or ()}
    for one in inputs.evidence or ():
        if isinstance(one.value, float):
            values |= {f"{100 * one.value:{sign}.{places}f}%" for sign in ("", "+") for places in (1, 2)}
    texts = [
        said["argument"],
        *(one["text"] for one in said["claims"] or ()),
        *(m["reason"] for m in said["moves"] or ()),
    ]
    for text in texts:
        bare = re.sub(r"\b[a-z]+\.[a-z0-9_]+", "", text)
        assert set(re.findall(r"[-+]?\d+(?:\.\d+)?%?", bare)) <= values, text
