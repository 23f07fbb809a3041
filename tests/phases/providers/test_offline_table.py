"""The desk's seats without an assigned side: personas, critic, moderator, judge, supervisor."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phases.core.provider import Request
from phases.core.skills import Rendered
from phases.maths.lean import LEANS, NEUTRAL
from phases.providers.offline import SKILLS, OfflineDesk
from phases.providers.offline.judge import judge
from phases.providers.offline.personas import persona_cautious, persona_creative, persona_literal
from phases.providers.offline.table import critic, moderator, supervisor
from schemas.base import Model, Role
from schemas.debate import Assessment
from schemas.market import Evidence
from schemas.seats import (
    CriticReport,
    ModeratorRuling,
    PanelAnswer,
    PersonaAnswer,
    Statement,
    SupervisorView,
    TableInputs,
    Tally,
)
from schemas.validation import problems

DAY = date(2008, 9, 30)
TICKER = "ACME"
IDS = sorted({*LEANS, *NEUTRAL, "fa.fcf_yield", "news.a1b2", "axis.technical", "bias.equity"})
TURNED = {"buy": "sell", "sell": "buy", "bull": "bear", "bear": "bull", "bullish": "bearish", "bearish": "bullish"}
PERSONAS = {"cautious": persona_cautious, "creative": persona_creative, "literal": persona_literal}
CONTRACTS: Mapping[str, type[Model]] = {
    "persona-cautious": PersonaAnswer,
    "persona-creative": PersonaAnswer,
    "persona-literal": PersonaAnswer,
    "debate-critic": CriticReport,
    "debate-moderator": ModeratorRuling,
    "debate-judge": PanelAnswer,
    "forecast-supervisor": SupervisorView,
}


def item(id: str, lean: float = 0.0, value: Any = 0.0123, **more: Any) -> Evidence:
    told: dict[str, Any] = {"unit": "ratio", "label": f"label of {id}", "tier": 1, "stale": False, **more}
    return Evidence(id=id, lean=lean, value=value, as_of=DAY, known_at=DAY, source="packaged", **told)


def leaning(*leans: float) -> list[Evidence]:
    names = ("px.ret_63d", "px.rsi14", "px.macd", "px.ret_21d")
    return [item(name, lean) for name, lean in zip(names, leans, strict=False)]


def inputs_of(
    bundle: Sequence[Evidence] | None = (), seat: str = "seat", round_number: int = 2, **more: Any
) -> TableInputs:
    told = None if bundle is None else tuple(sorted(bundle, key=lambda one: one.id))
    return TableInputs(evidence=told, ticker=TICKER, seat=seat, round_number=round_number, **more)


def said(seat: str, *cited: str, round_number: int = 1, text: str = "It says so.", **more: Any) -> Statement:
    return Statement(seat=seat, round_number=round_number, text=text, evidence=tuple(sorted(cited)), **more)


def answered(skill: str, inputs: TableInputs) -> dict[str, Any]:
    """The desk's answer through its door; it must be what its contract allows."""
    request = Request(skill, inputs.seat, "m", Rendered("", ()), {}, (), inputs)
    [reply] = OfflineDesk().replies([request])
    found: dict[str, Any] = json.loads(reply.text)
    assert problems(CONTRACTS[skill], found) == ()
    CONTRACTS[skill].model_validate_json(reply.text)
    assert found == SKILLS[skill](inputs)
    return found


def quoted(text: str) -> list[str]:
    return re.findall(r"\(([a-z]+\.[a-z0-9_]+)(?:, stale)?\)", text)


# personas


@pytest.mark.parametrize(
    ("leans", "cautious", "creative", "literal"),
    [
        ((), "hold", "hold", "hold"),
        ((0.0, 0.0), "hold", "hold", "hold"),
        ((0.05,), "hold", "buy", "hold"),  # the threshold itself is not beyond it
        ((0.06,), "hold", "buy", "buy"),
        ((0.15,), "hold", "buy", "buy"),
        ((0.16,), "buy", "buy", "buy"),
        ((-0.16,), "sell", "sell", "sell"),
        ((0.9, -0.4, -0.4, -0.4), "hold", "buy", "sell"),  # mean -.075
        ((-0.5, 0.5), "hold", "sell", "hold"),  # as strong: by id
    ],
)
def test_three_temperaments_read_the_same_evidence(
    leans: Sequence[float], cautious: str, creative: str, literal: str
) -> None:
    inputs = inputs_of(leaning(*leans), round_number=1)
    found = {name: answered(f"persona-{name}", inputs)["stance"] for name in PERSONAS}
    assert found == {"cautious": cautious, "creative": creative, "literal": literal}


def test_a_stale_item_counts_half_and_a_summary_not_at_all() -> None:
    bundle = [item("px.ret_63d", 0.08, stale=True), item("axis.technical", 1.0), item("px.close", 0.0, value=90.0)]
    assert persona_literal(inputs_of(bundle))["stance"] == "hold"  # .04
    assert persona_literal(inputs_of([item("px.ret_63d", 0.08)]))["stance"] == "buy"
    assert persona_creative(inputs_of([item("axis.technical", 1.0)]))["stance"] == "hold"


@pytest.mark.parametrize(
    ("leans", "claims"),
    [
        ((0.3, 0.5, 0.4), ["px.rsi14", "px.macd"]),
        ((-0.3, 0.1), ["px.ret_63d"]),
        ((0.2, -0.21), ["px.rsi14", "px.ret_63d"]),  # hold: either side, the stronger first
        ((0.01,), ["px.ret_63d"]),
        ((), []),
    ],
)
def test_claims_are_the_strongest_items_for_the_stance(leans: Sequence[float], claims: list[str]) -> None:
    found = persona_literal(inputs_of(leaning(*leans)))
    assert [one["evidence"] for one in found["claims"]] == [[name] for name in claims]


@pytest.mark.parametrize(
    ("verdict", "seat", "stance"),
    [("flawed", "seat", "sell"), ("unsupported", "seat", "sell"), ("sound", "seat", "buy"), ("flawed", "else", "buy")],
)
def test_only_a_seat_that_was_faulted_takes_the_literal_reading(verdict: Any, seat: str, stance: str) -> None:
    bundle = leaning(0.9, -0.4, -0.4, -0.4)
    flaw = None if verdict == "sound" else "It does not follow."
    critique = (Assessment(seat=seat, verdict=verdict, flaw=flaw),)
    statements = (said("seat", "px.ret_63d", stance="buy"),)
    found = answered("persona-creative", inputs_of(bundle, statements=statements, critique=critique))
    assert found["stance"] == stance
    assert ("objection is taken" in found["answer"]) is (stance == "sell")
    assert ("This seat keeps buy" in found["answer"]) is (stance == "buy")


def test_a_revised_seat_does_not_turn_back() -> None:
    bundle = leaning(0.9, -0.4, -0.4, -0.4)
    critique = (Assessment(seat="seat", verdict="sound"),)
    statements = (said("seat", stance="buy"), said("else", stance="buy"), said("seat", round_number=2, stance="Sell"))
    found = persona_creative(inputs_of(bundle, round_number=3, statements=statements, critique=critique))
    assert (found["stance"], found["round_number"], found["seat"]) == ("sell", 3, "seat")


# critic


@pytest.mark.parametrize(
    ("told", "leans", "verdict"),
    [
        (said("a", "px.ret_63d", side="bull"), (-0.06,), "flawed"),
        (said("a", "px.ret_63d", side="bear"), (0.06,), "flawed"),
        (said("a", "px.ret_63d", side="bull"), (-0.05,), "sound"),
        (said("a", "px.ret_63d", side="bull"), (0.5,), "sound"),
        (said("a", "px.ret_63d", stance="buy"), (-0.5,), "flawed"),
        (said("a", "px.ret_63d", stance="Sell"), (0.5,), "flawed"),
        (said("a", "px.ret_63d", stance="hold"), (0.5,), "sound"),
        (said("a", stance="hold"), (0.5,), "unsupported"),
        (said("a", side="bull"), (-0.5,), "unsupported"),
    ],
)
def test_a_critic_holds_an_answer_against_the_evidence(told: Statement, leans: Any, verdict: str) -> None:
    [found] = answered("debate-critic", inputs_of(leaning(*leans), statements=(told,)))["assessments"]
    assert (found["seat"], found["verdict"], found["flaw"] is None) == ("a", verdict, verdict == "sound")
    assert verdict != "flawed" or quoted(found["flaw"]) == ["px.ret_63d"]


def test_a_critic_judges_the_latest_answer_of_each_seat() -> None:
    statements = (said("a"), said("b", "px.ret_63d", stance="buy"), said("a", "px.ret_63d", round_number=2))
    found = critic(inputs_of(leaning(0.5), statements=statements))["assessments"]
    assert [(one["seat"], one["verdict"]) for one in found] == [("a", "sound"), ("b", "sound")]
    assert answered("debate-critic", inputs_of(None)) == {"assessments": []}


# moderator


def two(
    bull: float | None,
    bear: float | None,
    round_number: int = 1,
    words: str = "",
    cited: Mapping[str, str] | None = None,
) -> list[Statement]:
    sides: list[tuple[Role, float | None]] = [("bull", bull), ("bear", bear)]
    return [
        Statement(
            seat=side,
            side=side,
            round_number=round_number,
            text=f"The {side} speaks{words}.",
            probability=chance,
            evidence=tuple(name for name in [(cited or {}).get(side)] if name),
        )
        for side, chance in sides
    ]


@pytest.mark.parametrize(
    ("bull", "bear", "decision"),
    [
        (0.56, 0.511, "bullish"),
        (0.489, 0.44, "bearish"),
        (0.52, 0.48, "undecided"),
        (0.56, 0.51, None),  # .05 is not below .05
        (0.6, 0.4, None),
        (0.6, None, None),
        (None, None, None),
    ],
)
def test_near_probabilities_settle_a_debate(bull: float | None, bear: float | None, decision: str | None) -> None:
    found = answered("debate-moderator", inputs_of(leaning(0.5), statements=tuple(two(bull, bear))))
    assert found["status"] == ("settled" if decision else "continue")
    assert (found["decision"] or "").partition(":")[0] == (decision or "")
    assert (found["focus"] is None) is bool(decision)


def test_only_the_latest_probabilities_count() -> None:
    statements = (*two(0.52, 0.51), *two(0.6, 0.4, 2, " again"))
    assert moderator(inputs_of(statements=statements))["status"] == "continue"


@pytest.mark.parametrize(
    ("chances", "decision"), [((0.7, 0.4), "bullish"), ((0.6, 0.3), "bearish"), ((None, None), "undecided")]
)
def test_a_round_that_repeats_the_one_before_settles_a_debate(chances: Any, decision: str) -> None:
    statements = (*two(None, None, 1, " first"), *two(None, None, 2), *two(chances[0], chances[1], 3))
    found = answered("debate-moderator", inputs_of(leaning(0.5), statements=statements))
    assert (found["status"], found["decision"].partition(":")[0], found["focus"]) == ("settled", decision, None)
    other = (*statements[:-1], statements[-1].model_copy(update={"text": "Something new."}))
    assert moderator(inputs_of(leaning(0.5), statements=other))["status"] == "continue"


def test_the_focus_is_the_strongest_item_nobody_cited() -> None:
    bundle = leaning(0.9, -0.8, 0.7)
    statements = tuple(two(0.6, 0.4, cited={"bull": "px.ret_63d", "bear": "px.rsi14"}))
    assert "(px.macd)" in moderator(inputs_of(bundle, statements=statements))["focus"]
    both = tuple(two(0.6, 0.4, cited={"bull": "px.rsi14", "bear": "px.rsi14"}))
    assert "(px.rsi14)" in moderator(inputs_of(bundle[:2], statements=(*both, *statements)))["focus"]
    assert "(px.ret_63d)" in moderator(inputs_of(bundle[:2], statements=statements))["focus"]
    assert answered("debate-moderator", inputs_of(None))["focus"]


def test_the_summary_names_what_each_side_led_with() -> None:
    bundle = leaning(0.9, -0.8, -0.9)
    text = "Against it: label of px.rsi14 +1.2% (px.rsi14), then (px.macd)."
    bull = said("bull", "px.ret_63d", side="bull")
    bear = said("bear", "px.macd", "px.rsi14", text=text, side="bear")
    assert quoted(moderator(inputs_of(bundle, statements=(bull, bear)))["summary"]) == ["px.ret_63d", "px.rsi14"]
    assert "bear led with no item" in moderator(inputs_of(bundle, statements=(bull,)))["summary"]


# judge


def tally(**ballots: str) -> Tally:
    counts = {stance: list(ballots.values()).count(stance) for stance in sorted(set(ballots.values()))}
    most = max(counts.values(), default=0)
    leaders = [stance for stance, number in counts.items() if number == most]
    split = {"buy", "sell"} <= set(leaders)
    winner = None if split or not leaders else leaders[0]
    told: dict[str, Any] = {"votes": most, "tied": len(leaders) > 1, "confidence": "low", "changed": ()}
    return Tally(ballots=ballots, winner=winner, **told)


@pytest.mark.parametrize(
    ("ballots", "starts", "dissent"),
    [
        ({"a": "buy", "b": "buy"}, "The panel says buy, with one voice.", None),
        ({"a": "buy", "b": "buy", "c": "sell"}, "The panel says buy, by a majority.", "c says sell: It says so."),
        ({"a": "buy", "b": "sell"}, "The panel has no answer: buy and sell are level.", None),
        ({"a": "buy", "b": "hold"}, "The panel says buy, which is tied", "b says hold: It says so."),
        (
            {"a": "buy", "b": "buy", "c": "sell", "d": "hold", "e": "five"},
            "The panel says buy, by its largest part.",
            "e says five",
        ),
        ({}, "The panel cast no vote", None),
    ],
)
def test_a_judge_words_the_tally(ballots: Mapping[str, str], starts: str, dissent: str | None) -> None:
    statements = tuple(said(seat, "px.ret_63d", stance=stance) for seat, stance in ballots.items())
    found = answered("debate-judge", inputs_of(leaning(0.5), statements=statements, tally=tally(**ballots)))["answer"]
    assert found.startswith(starts)
    assert ("Against it" in found) is (dissent is not None)
    assert dissent is None or dissent in found


def test_a_judge_names_what_the_winners_rest_on() -> None:
    statements = (said("a", "px.macd", "px.rsi14", stance="buy"), said("b", "px.ret_63d", stance="sell"))
    inputs = inputs_of(leaning(-0.9, 0.5, 0.3), statements=statements, tally=tally(a="buy", b="sell", c="buy"))
    assert quoted(judge(inputs)["answer"]) == ["px.rsi14"]


def test_a_judge_keeps_its_limit_and_needs_no_statement() -> None:
    words = said("c", stance="sell", text="x" * 900)
    for statements in ((words,), None):
        inputs = inputs_of(None, statements=statements, tally=tally(a="buy", b="buy", c="sell"))
        assert answered("debate-judge", inputs)["answer"].startswith("The panel says buy, by a majority.")
    assert answered("debate-judge", inputs_of(None))


# supervisor


@pytest.mark.parametrize(
    ("leans", "probability"),
    [
        ((0.2,), 0.53),  # .5 + .10 * 1.5 * .2
        ((-0.2,), 0.47),
        ((0.5, 0.5001), 0.575),  # .0750075
        ((0.9, 0.9), 0.6),
        ((-1.0,), 0.4),
        ((0.3, -0.3), 0.5),
    ],
)
def test_a_supervisor_reads_the_mean_lean(leans: Sequence[float], probability: float) -> None:
    assert answered("forecast-supervisor", inputs_of(leaning(*leans)))["probability"] == probability


@pytest.mark.parametrize(
    ("bull", "bear", "confidence"),
    [(0.55, 0.5, "medium"), (0.5499, 0.5, "low"), (0.4, 0.7, "medium"), (0.6, None, "low")],
)
def test_a_supervisor_counts_only_where_the_sides_differ(
    bull: float | None, bear: float | None, confidence: str
) -> None:
    statements = tuple(two(bull, bear))
    assert answered("forecast-supervisor", inputs_of(leaning(0.5), statements=statements))["confidence"] == confidence


def test_a_supervisor_rests_on_the_strongest_item() -> None:
    found = answered("forecast-supervisor", inputs_of(leaning(0.5, -0.6)))
    assert (found["evidence"], quoted(found["because"])) == (["px.rsi14"], ["px.rsi14"])
    neutral = answered("forecast-supervisor", inputs_of([item("px.close", 0.0), item("axis.technical", 0.2)]))
    assert neutral["evidence"] == ["axis.technical"]
    assert supervisor(inputs_of(None))["evidence"] == []  # nothing to rest on: refused as a whole


# whatever the evidence


@st.composite
def tables(draw: st.DrawFn) -> TableInputs:
    bundle = [
        item(
            name, draw(st.integers(-99, 99)) / 100, value=draw(st.integers(-900, 900)) / 100, stale=draw(st.booleans())
        )
        for name in draw(st.lists(st.sampled_from(IDS), unique=True, min_size=1, max_size=10))
    ]
    cites = st.lists(st.sampled_from([one.id for one in bundle]), max_size=3, unique=True)
    chances = st.none() | st.integers(2000, 8000).map(lambda x: x / 10_000)
    sides: list[Role] = ["bull", "bear"]
    statements = [
        said(
            side,
            *draw(cites),
            round_number=number,
            side=side,
            probability=draw(chances),
            text=draw(st.sampled_from("ab")),
        )
        for number in (1, 2)
        for side in draw(st.permutations(sides))
    ]
    stances = st.sampled_from(["buy", "hold", "sell"])
    statements += [said(seat, *draw(cites), round_number=2, stance=draw(stances)) for seat in PERSONAS]
    verdicts: st.SearchStrategy[Any] = st.sampled_from(["sound", "flawed", "unsupported"])
    critique = tuple(Assessment(seat=seat, verdict=draw(verdicts), flaw="So.") for seat in PERSONAS)
    seat = draw(st.sampled_from(sorted(PERSONAS)))
    ballots = {one.seat: one.stance or "" for one in statements if one.stance}
    told = {"statements": tuple(statements), "critique": draw(st.none() | st.just(critique)), "tally": tally(**ballots)}
    return inputs_of(bundle, seat, 3, **told)


def mirrored(inputs: TableInputs) -> TableInputs:
    """Leans negated, sides and ballots exchanged, probabilities turned round."""

    def turned(one: Statement) -> Statement:
        update: dict[str, Any] = {
            "side": None if one.side is None else TURNED[one.side],
            "seat": TURNED.get(one.seat, one.seat),
            "stance": None if one.stance is None else TURNED.get(one.stance, one.stance),
            "probability": None if one.probability is None else round(1 - one.probability, 4),
        }
        return one.model_copy(update=update)

    evidence = tuple(one.model_copy(update={"lean": -one.lean + 0.0}) for one in inputs.evidence or ())
    return inputs.model_copy(
        update={"evidence": evidence, "statements": tuple(turned(one) for one in inputs.statements or ())}
    )


@given(tables())
@settings(max_examples=150, deadline=None)
def test_every_answer_fits_its_contract_and_quotes_only_values(inputs: TableInputs) -> None:
    values = {f"{100 * float(one.value):{sign}.1f}%" for one in inputs.evidence or () for sign in ("", "+")}
    for skill in CONTRACTS:
        found = answered(skill, inputs)
        for text in (found.get("answer"), found.get("summary"), found.get("focus"), found.get("because")):
            bare = re.sub(r"\b[a-z]+\.[a-z0-9_]+", "", text or "")
            assert set(re.findall(r"[-+]?\d+(?:\.\d+)?%?", bare)) <= values
        if CONTRACTS[skill] is PersonaAnswer:
            kept = found["answer"].startswith("This seat keeps ")
            assert inputs.critique is not None or not kept
            assert len(re.split(r"(?<=[.!?])\s+", found["answer"])) in ((1,) if kept else (2, 3))


READ: Mapping[str, Callable[[dict[str, Any]], list[Any]]] = {
    "persona-cautious": lambda one: [one["stance"], *(claim["evidence"] for claim in one["claims"])],
    "persona-creative": lambda one: [one["stance"], *(claim["evidence"] for claim in one["claims"])],
    "persona-literal": lambda one: [one["stance"], *(claim["evidence"] for claim in one["claims"])],
    "debate-critic": lambda one: sorted((each["seat"], each["verdict"]) for each in one["assessments"]),
    "debate-moderator": lambda one: [one["status"], (one["decision"] or "").partition(":")[0], one["focus"]],
    "forecast-supervisor": lambda one: [one["confidence"], one["evidence"]],
}


@given(tables())
@settings(max_examples=150, deadline=None)
def test_every_seat_has_a_mirror(inputs: TableInputs) -> None:
    other = mirrored(inputs)
    for skill, read in READ.items():
        found, turned = read(SKILLS[skill](inputs)), read(SKILLS[skill](other))
        if skill == "debate-critic":
            assert sorted((TURNED.get(seat, seat), verdict) for seat, verdict in found) == turned
        else:
            assert [TURNED.get(one, one) if isinstance(one, str) else one for one in found] == turned
    assert supervisor(inputs)["probability"] + supervisor(other)["probability"] == pytest.approx(1, abs=1e-4)
