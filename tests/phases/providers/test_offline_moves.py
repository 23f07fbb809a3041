"""The desk's moves: exactly one a point, each earned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.phases.providers.offline_turns import inputs_of, item, moved, point, swapped, turn

# moves on the other side's points


def test_a_rebuttal_brings_the_strongest_unused_item() -> None:
    bundle = [item("px.ret_63d", 0.9), item("px.macd", 0.4), item("px.ret_21d", 0.3), item("px.rsi14", -0.8)]
    points = (point("bear.1.c1", "px.rsi14"),)
    used = ("px.ret_63d", "px.rsi14")
    said = turn(inputs_of(bundle, open_points=points, cited_before=used, last_probability=0.59))
    [made] = said["moves"]
    assert (made["target"], made["kind"], made["evidence"]) == ("bear.1.c1", "rebutted", ["px.macd"])
    assert "(px.rsi14)" in made["reason"] and "(px.macd)" in made["reason"]
    assert (said["probability"], said["claims"]) == (0.59, None)


def test_an_item_rebuts_once_and_the_order_is_that_of_the_points() -> None:
    bundle = [item("px.ret_63d", 0.5), item("px.rsi14", -0.5), item("px.macd", -0.4)]
    points = (point("bear.1.c2", "px.macd"), point("bear.1.c1", "px.rsi14"))
    assert moved(inputs_of(bundle, open_points=points)) == [
        ("bear.1.c2", "rebutted", ["px.ret_63d"]),
        ("bear.1.c1", "carried", ["px.rsi14"]),
    ]


def test_a_summary_rebuts_nothing() -> None:
    bundle = [item("axis.technical", 1.0), item("bias.equity", 0.5), item("px.rsi14", -0.2)]
    assert moved(inputs_of(bundle, open_points=(point("bear.1.c1", "px.rsi14"),)))[0][1] == "conceded"


def test_a_point_without_evidence_is_rebutted_by_anything_and_never_conceded() -> None:
    free = inputs_of([item("px.macd", 0.1)], open_points=(point("bear.1.c1"),))
    assert moved(free) == [("bear.1.c1", "rebutted", ["px.macd"])]
    assert moved(free.model_copy(update={"cited_before": ("px.macd",)})) == [("bear.1.c1", "carried", [])]
    [made] = turn(inputs_of(None, open_points=(point("bear.1.c1", "px.rsi14"),)))["moves"]
    assert (made["kind"], "would_change_if" in made) == ("carried", False)


def test_what_speaks_against_its_own_author_is_not_conceded() -> None:
    bundle = [item("axis.technical", 0.9), item("px.macd", 0.1)]
    found = moved(inputs_of(bundle, open_points=(point("bear.1.c1", "axis.technical"),), cited_before=("px.macd",)))
    assert found == [("bear.1.c1", "carried", ["axis.technical"])]


@pytest.mark.parametrize(
    ("leans", "last", "after"),
    [
        ((0.5, -0.8), 0.55, 0.52),  # .10 * .3
        ((0.5, -0.51), 0.55, 0.54),  # at least .01
        ((0.3, -1.0, -0.9), 0.63, 0.56),  # .10 * .7: only what outweighs most is conceded
        ((0.5, -0.6, -0.7), 0.55, 0.53),  # wherever it stands
        ((0.0, -1.0), 0.65, 0.55),  # nothing to hold against it
        ((0.3, -1.0), 0.53, 0.5),  # no further than to be undecided
        ((0.3, -1.0), 0.505, 0.495),  # but at least .01
        ((0.3, -1.0), 0.04, 0.03),
        ((0.3, -1.0), 0.015, 0.01),  # never below .01
    ],
)
def test_a_concession_moves_the_probability(leans: Sequence[float], last: float, after: float) -> None:
    bundle = [item(name, lean) for name, lean in zip(("px.ret_63d", "px.rsi14", "px.macd"), leans, strict=False)]
    points = tuple(point(f"bear.1.c{at}", one.id) for at, one in enumerate(bundle[1:], 1))
    inputs = inputs_of(bundle, open_points=points, cited_before=("px.ret_63d",), last_probability=last)
    said = turn(inputs)
    most = min(bundle, key=lambda one: one.lean)
    kinds = [("conceded" if one is most else "carried", [one.id]) for one in bundle[1:]]
    assert [(one["kind"], one["evidence"]) for one in said["moves"]] == kinds
    assert said["probability"] == pytest.approx(after, abs=1e-9)
    other = turn(swapped(inputs))
    assert other["probability"] == pytest.approx(1 - after, abs=1e-9)


def test_claims_are_made_in_openings_only() -> None:
    bundle = [item("px.ret_63d", 0.5), item("px.rsi14", -0.8)]
    said = turn(inputs_of(bundle, "bull", 1, open_points=(point("bear.1.c1", "px.rsi14"),), cited_before=()))
    assert said["claims"] is None
    assert said["moves"][0]["kind"] == "rebutted"


# what would change a carried point


@pytest.mark.parametrize(
    ("id", "value", "condition"),
    [
        ("px.ret_21d", -0.05, ("px.ret_21d", "above", 0.0)),
        ("px.ret_21d", 0.05, ("px.ret_21d", "below", 0.0)),
        ("px.rsi14", 41.0, ("px.rsi14", "above", 50.0)),
        ("macro.index_vol_21d", 0.30, ("macro.index_vol_21d", "below", 0.16)),
        ("fa.pb", -3, ("fa.pb", "above", 0.0)),  # a whole number, no rule
        ("px.rsi14", 50.0, ("px.ret_63d", "below", 0.0)),  # at its centre: the own lead
        ("news.a1b2", "profit warning", ("px.ret_63d", "below", 0.0)),  # no number
        ("news.a1b2", True, ("px.ret_63d", "below", 0.0)),  # nor a truth value
    ],
)
def test_a_carried_point_names_a_crossing_that_has_not_happened(
    id: str, value: Any, condition: tuple[str, str, float]
) -> None:
    bundle = [item("px.ret_63d", 0.5, value=0.1), item(id, -0.5, value=value)]
    points = (point("bear.1.c1", id),)
    inputs = inputs_of(bundle, open_points=points, cited_before=("px.ret_63d",), last_probability=0.55)
    [made] = turn(inputs)["moves"]
    assert made["kind"] == "carried"
    assert tuple(made["would_change_if"].values()) == condition
    assert turn(inputs)["probability"] == 0.55


def test_without_a_lead_in_numbers_the_first_number_is_taken() -> None:
    texts = [item("news.a1b2", 0.5, value="profit up"), item("px.macd", -0.5, value="down")]
    points = (point("bear.1.c1", "px.macd"),)
    numbers = [item("px.close", 0.0, value=91.5), item("px.rsi14", 0.0, value=50.0)]
    [made] = turn(inputs_of([*texts, *numbers], open_points=points, cited_before=("news.a1b2",)))["moves"]
    assert made["would_change_if"] == {"evidence": "px.close", "comparison": "below", "value": 0.0}
    [made] = turn(inputs_of([*texts, numbers[1]], open_points=points, cited_before=("news.a1b2",)))["moves"]
    assert made["would_change_if"] == {"evidence": "px.rsi14", "comparison": "above", "value": 75.0}
    [made] = turn(inputs_of(texts, open_points=points, cited_before=("news.a1b2",)))["moves"]
    assert "would_change_if" not in made


# own claims that were rebutted


@pytest.mark.parametrize(
    ("claim", "rebuttal", "unused", "kind"),
    [
        (0.5, -0.6, 0.3, "rebutted"),
        (0.5, -0.9, 0.1, "rebutted"),
        (0.5, -0.6, None, "conceded"),
        (0.6, -0.6, None, "carried"),
        (0.7, -0.6, None, "carried"),
    ],
)
def test_an_own_claim_is_defended_withdrawn_or_left_open(
    claim: float, rebuttal: float, unused: float | None, kind: str
) -> None:
    bundle = [item("px.ret_63d", claim), item("px.rsi14", rebuttal, value=41.0), item("px.ret_252d", 1.0)]
    bundle += [] if unused is None else [item("px.macd", unused)]
    points = (point("bull.1.c1", "px.ret_63d", against=["px.rsi14"]),)
    used = ("px.ret_63d", "px.ret_252d", "px.rsi14")
    said = turn(inputs_of(bundle, open_points=points, cited_before=used, last_probability=0.6))
    [made] = said["moves"]
    assert made["kind"] == kind
    assert made["evidence"] == (["px.macd"] if kind == "rebutted" else ["px.rsi14"])
    assert (said["probability"] <= 0.59) is (kind == "conceded")
    assert said["probability"] == 0.6 or kind == "conceded"
    assert ("would_change_if" in made) is (kind == "carried")
    if kind == "carried":
        assert made["would_change_if"]["evidence"] == "px.ret_63d"


def test_a_withdrawal_pays_for_what_outweighed_the_claim() -> None:
    bundle = [item("px.ret_63d", 0.2), item("px.rsi14", -0.6), item("px.ret_252d", 1.0)]
    points = (point("bull.1.c2", "px.ret_63d", against=["px.rsi14"]),)
    said = turn(inputs_of(bundle, open_points=points, cited_before=("px.ret_63d", "px.ret_252d"), last_probability=0.6))
    assert said["probability"] == 0.56  # .10 * (.6 - .2)
