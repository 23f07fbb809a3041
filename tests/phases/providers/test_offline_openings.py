"""The desk's openings: the probability of its lead, what it grants, and no word of an opponent."""

from __future__ import annotations

import re

import pytest

from schemas.debate import Carried, CarriedCondition, DebateRound
from schemas.market import Evidence
from tests.phases.providers.offline_turns import DAY, inputs_of, item, mirrored, point, turn


@pytest.mark.parametrize(
    ("own", "probability"),
    [
        ([], 0.5),
        ([item("px.ret_63d", 0.5)], 0.55),
        ([item("px.ret_63d", 0.5, stale=True)], 0.525),
        ([item("px.ret_63d", 0.1), item("px.rsi14", 0.7321)], 0.5732),
        ([item("axis.technical", 1.0)], 0.5),  # a summary leads nothing
    ],
)
def test_an_opening_gives_the_probability_of_its_lead(own: list[Evidence], probability: float) -> None:
    bull, bear = turn(inputs_of(own, "bull", 1)), turn(inputs_of(mirrored(own), "bear", 1))
    assert bull["probability"] == probability
    assert bear["probability"] == pytest.approx(1 - probability, abs=1e-9)
    assert bull["moves"] is bear["moves"] is None
    assert len(bull["claims"]) == min(3, sum(one.id.partition(".")[0] != "axis" for one in own))


def test_an_opening_speaks_of_no_opponent() -> None:
    said = turn(inputs_of([item("px.ret_63d", 0.5), item("px.rsi14", -0.4)], "bear", 1))
    assert not re.search(r"\b(bull|opponent|brings|leads with)\b", said["argument"])


def test_a_side_without_anything_to_grant_says_so() -> None:
    said = turn(inputs_of([item("px.ret_63d", 0.5)], "bull", 1))
    assert said["acknowledged"]["evidence"] == []
    assert "speaks against it" in said["acknowledged"]["text"]


def test_a_later_round_without_points_keeps_the_probability() -> None:
    rounds = (DebateRound(round_number=1, bull_argument="For.", bear_argument="Against."),)
    inputs = inputs_of([item("px.ret_63d", 0.5)], prior_rounds=rounds, last_probability=0.5871)
    said = turn(inputs)
    assert (said["probability"], said["moves"], len(said["claims"])) == (0.5871, None, 1)
    said = turn(inputs.model_copy(update={"cited_before": ("px.ret_63d",)}))  # where moves are made, claims are not
    assert (said["probability"], said["moves"], said["claims"]) == (0.5871, [], None)


def test_what_the_last_debate_waited_for_is_named() -> None:
    told = {"evidence": "px.ret_63d", "comparison": "below", "value": 0.0, "now": -0.01}
    first = CarriedCondition.model_validate({**told, "fired": False})
    second = CarriedCondition.model_validate({**told, "evidence": "px.rsi14", "fired": True})
    carried = Carried(since=DAY, points=(), conditions=(first, second))
    assert "px.rsi14" in turn(inputs_of([item("px.ret_63d", 0.5)], round_number=1, carried=carried))["argument"]
    quiet = Carried(since=DAY, points=(), conditions=(first,))
    argument = turn(inputs_of([item("px.ret_63d", 0.5)], round_number=1, carried=quiet))["argument"]
    assert "waited" not in argument


@pytest.mark.parametrize("stale", [False, True])
def test_long_labels_do_not_break_the_limits(stale: bool) -> None:
    long = "label " * 30
    name = "abcdefghij_" * 5
    bundle = [item(f"px.{name}{at}", lean, label=long, stale=stale) for at, lean in enumerate((0.5, 0.4, 0.3, -0.9))]
    turn(inputs_of(bundle, "bull", 1))
    bull = f"px.{name}3"
    turn(inputs_of(bundle, "bull", 2, open_points=(point("bear.1.c1", bull),), last_probability=0.55))
