"""The desk's turns in an exchange: exactly one move a point, each earned, and the same for either side."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phases.maths.lean import LEANS, NEUTRAL
from phases.providers.offline import SKILLS, OfflineDesk
from phases.providers.offline.debater import contribution
from phases.providers.offline.manager import manager_reply
from schemas.base import Role
from schemas.debate import (
    Carried,
    CarriedCondition,
    DebateInputs,
    DebateRound,
    DebateRoundContribution,
    Move,
    OpenPoint,
)
from schemas.manager import ManagerInputs, ManagerReply, PointAnswer, WeighedClaim
from schemas.market import Evidence, Question
from schemas.seats import Statement
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
IDS = sorted({*LEANS, *NEUTRAL, "fa.fcf_yield", "news.a1b2", "axis.technical", "bias.equity"})


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


# openings


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


# whatever the evidence


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


# the manager's word on an exchange


def claim(id: str, answer: PointAnswer, weight: float = 1.0, cited: Sequence[str] = ("px.ret_63d",)) -> WeighedClaim:
    side: Role = "bull" if id.startswith("bull") else "bear"
    return WeighedClaim(id=id, side=side, text=f"claim {id}.", evidence=tuple(cited), weight=weight, answer=answer)


def managed(*claims: WeighedClaim, evidence: Sequence[Evidence] = (), **more: Any) -> ManagerReply:
    told: dict[str, Any] = {"rounds": (), **more}
    reply = manager_reply(
        ManagerInputs(evidence=tuple(evidence), claims=claims, question=QUESTION, ticker=TICKER, **told)
    )
    assert problems(ManagerReply, reply) == ()
    return ManagerReply.model_validate_json(json.dumps(reply))


@pytest.mark.parametrize(
    ("answers", "word"),
    [
        ({"bull.1.c1": ("conceded", 1.0)}, "bullish"),
        ({"bull.1.c1": ("withdrawn", 0.5)}, "bearish"),
        ({"bull.1.c1": ("rebutted", 0.5)}, "bearish"),
        ({"bull.1.c1": ("met", 1.0)}, "neutral"),
        ({"bull.1.c1": ("carried", 1.0), "bear.1.c1": ("carried", 0.5)}, "neutral"),
        ({"bull.1.c1": ("carried", 1.0), "bear.1.c1": ("unaddressed", 0.25)}, "bearish"),
        ({"bull.1.c1": ("conceded", 0.5), "bear.1.c1": ("conceded", 0.5)}, "neutral"),
        ({"bull.1.c1": ("conceded", 0.5), "bear.1.c1": ("unaddressed", 1.0)}, "neutral"),
        ({"bear.1.c1": ("rebutted", 0.75), "bull.1.c1": ("rebutted", 0.5)}, "bullish"),
        ({"bull.1.c1": ("conceded", 0.0)}, "neutral"),
    ],
)
def test_the_manager_counts_what_the_moves_did(answers: Mapping[str, Any], word: str) -> None:
    claims = [claim(name, *answer) for name, answer in answers.items()]
    assert managed(*claims).net_stance == word
    other = [one.model_copy(update={"side": OTHER[one.side]}) for one in claims]
    assert managed(*other).net_stance == {"bullish": "bearish", "bearish": "bullish"}.get(word, word)


def test_without_a_move_the_manager_goes_by_the_weights() -> None:
    evidence = [item("px.ret_63d", 0.5), item("px.rsi14", -0.4)]
    claims = [claim("bull.1.c1", "unaddressed"), claim("bear.1.c1", "unaddressed", cited=["px.rsi14"])]
    assert managed(*claims, evidence=evidence).net_stance == "bullish"  # .1 of .9 is above a tenth
    claims[1] = claims[1].model_copy(update={"weight": 1.0, "evidence": ("px.ret_63d",)})
    assert managed(*claims, evidence=evidence).net_stance == "neutral"


def test_a_side_that_nobody_argued_has_no_thesis() -> None:
    reply = managed(claim("bull.1.c1", "unaddressed"))
    assert reply.bull_thesis == "ACME can beat ^GSPC because of claim bull.1.c1."
    assert reply.bear_thesis is None
    argued = managed(rounds=(DebateRound(round_number=1, bear_argument="Against."),))
    assert argued.bull_thesis is None
    assert argued.bear_thesis == "ACME can fall short of ^GSPC though no evidence was named."


def test_a_thesis_of_long_claims_fits() -> None:
    long = [claim(f"bull.1.c{at}", "carried").model_copy(update={"text": "x" * 200}) for at in (1, 2)]
    assert len(managed(*long).bull_thesis or "") <= 400


def ballot(seat: str, stance: str, *cited: str, round_number: int = 1) -> Statement:
    text = f"{stance} says {seat}. More."
    return Statement(seat=seat, round_number=round_number, text=text, stance=stance, evidence=cited)


@pytest.mark.parametrize(
    ("stances", "word"),
    [
        (("buy", "buy", "sell"), "bullish"),
        (("sell", "sell", "hold"), "bearish"),
        (("hold", "hold", "buy"), "neutral"),
        (("buy", "hold", "sell"), "neutral"),
        (("buy", "sell"), "neutral"),
        (("buy", "hold"), "neutral"),
        (("Buy",), "bullish"),
    ],
)
def test_a_panel_is_read_by_its_ballots(stances: Sequence[str], word: str) -> None:
    reply = managed(statements=tuple(ballot(f"s{at}", one) for at, one in enumerate(stances)))
    assert reply.net_stance == word
    assert (reply.bull_thesis is None) is ("buy" not in {one.lower() for one in stances})
    assert (reply.bear_thesis is None) is ("sell" not in stances)


def test_a_panel_thesis_rests_on_what_its_voters_cite_for_it() -> None:
    evidence = [item("px.ret_63d", 0.5, value=0.1), item("px.rsi14", -0.4, value=41.0)]
    told = (ballot("literal", "buy", "px.ret_63d", "px.rsi14"), ballot("cautious", "sell"))
    reply = managed(statements=told, evidence=evidence)
    assert reply.bull_thesis == "ACME can beat ^GSPC because of label of px.ret_63d +10.0% (px.ret_63d)."
    assert reply.bear_thesis == "ACME can fall short of ^GSPC because of what cautious said: sell says cautious."


def test_only_the_last_ballot_of_a_seat_counts() -> None:
    told = (ballot("a", "sell"), ballot("b", "buy"), ballot("a", "buy", round_number=2))
    reply = managed(statements=told)
    assert (reply.net_stance, reply.bear_thesis) == ("bullish", None)


def test_conditions_are_for_what_is_still_open() -> None:
    evidence = [
        item("px.excess_21d", 0.5, value=0.1),
        item("px.macd", -0.5, value=-0.1),
        item("px.ret_21d", 0.5, value=0.1),
        item("px.ret_63d", 0.5, value=0.0),  # has no side of its centre
        item("px.rsi14", -0.5, value=41.0),  # centre 50
    ]
    claims = [
        claim("bull.1.c1", "conceded", cited=["px.excess_21d"]),
        claim("bull.1.c2", "met", cited=["px.ret_21d"]),
        claim("bull.1.c3", "carried", cited=["px.ret_63d"]),
        claim("bear.1.c1", "carried", cited=["px.macd"]),
        claim("bear.1.c2", "rebutted", cited=["px.macd"]),
        claim("bear.1.c3", "unaddressed", cited=["px.rsi14"]),
    ]
    found = [(one.evidence, one.comparison, one.value) for one in managed(*claims, evidence=evidence).would_resolve_if]
    assert found == [("px.macd", "above", 0.0), ("px.ret_21d", "below", 0.0)]


def test_at_most_six_conditions_and_no_side_first() -> None:
    names = [name for name, rule in LEANS.items() if rule.centre == 0][:10]
    evidence = [item(name, 0.5, value=0.1) for name in names]
    claims = [claim(f"bull.1.c{at}", "carried", cited=[name]) for at, name in enumerate(names[:5])]
    claims += [claim(f"bear.1.c{at}", "carried", cited=[name]) for at, name in enumerate(names[5:])]
    other = [one.model_copy(update={"side": OTHER[one.side]}) for one in claims]
    found = managed(*claims, evidence=evidence).would_resolve_if
    assert {one.evidence for one in found} == {*names[:3], *names[5:8]}
    assert managed(*other, evidence=evidence).would_resolve_if == found


def test_the_desk_knows_every_seat_and_its_version() -> None:
    assert {"research-debate", "research-manager", "persona-literal", "debate-judge"} <= set(SKILLS)
    assert OfflineDesk.engine == "offline-desk v2, llm: none"
