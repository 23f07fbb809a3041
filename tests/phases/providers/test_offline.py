"""The offline desk keeps every contract and check and holds its side, whatever the evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phases.analyst_payload import AXES
from phases.analyst_payload import CHECKS as AXIS_CHECKS
from phases.core.errors import UsageError
from phases.core.provider import Request
from phases.core.reading import Check, read
from phases.core.skills import Rendered
from phases.debate.checks import checks_of
from phases.debate.checks.evidence import EVIDENCE_IDS
from phases.debate.checks.form import ACKNOWLEDGED, COPIED, LAYOUT, QUOTES, SENTENCES, SIDE
from phases.debate.checks.numbers import NUMBERS
from phases.debate.protocol import read_protocol
from phases.macro_bias import NO_NUMBERS
from phases.maths.lean import LEANS
from phases.providers.offline import SKILLS, OfflineDesk
from phases.providers.offline.analysts import axis_view, bias_wording
from phases.providers.offline.debater import contribution
from phases.providers.offline.manager import manager_reply
from phases.providers.offline.weighing import strongest
from phases.research_debate import debate_transcript
from phases.research_manager import CHECKS as MANAGER_CHECKS
from phases.research_manager import debate_summary
from schemas.analyst import AxisInputs, AxisView
from schemas.base import Model, Role
from schemas.bias import BiasInputs, BiasWording
from schemas.debate import DebateInputs, DebateRound, DebateRoundContribution
from schemas.ledger import Voided
from schemas.manager import ManagerInputs, ManagerReply, WeighedClaim
from schemas.market import Evidence
from tests.support import (
    QUESTION,
    ROUNDS,
    TICKER,
    ask_door,
    bundles,
    case_of,
    header_of,
    item,
    row_of_bias,
    shipped,
)

M = TypeVar("M", bound=Model)

OTHER: Mapping[Role, Role] = {"bull": "bear", "bear": "bull"}
WORD = {"bull": "bullish", "bear": "bearish"}
TURN = read_protocol(ROUNDS, "rounds")
TURN_CHECKS = [one for one in checks_of(DebateRoundContribution, TURN, TURN.loop[0]) if one is not COPIED]
"""All but one: with few items a side must repeat itself."""

TEXT_CHECKS = (EVIDENCE_IDS, NUMBERS, SENTENCES, LAYOUT, SIDE, QUOTES, ACKNOWLEDGED)
"""Those that a side without any item can keep."""
SENTENCE_END = re.compile(r"[.!?](?=\s|$)")


def accepted(answer: dict[str, Any], returns: type[M], inputs: Model, *checks: Check[M], require: Any = ()) -> M:
    """The answer as its phase would read it: at once, without repair, without a flag."""
    text = json.dumps(answer)
    found = read(text, "end_turn", returns=returns, require=require, inputs=inputs, checks=checks, last=False)
    assert (found.outcome, found.errors, found.flags) == ("ACCEPT", (), ())
    assert found.record is not None
    return found.record


def debate_inputs(bundle: Sequence[Evidence] | None, role: Role = "bull", round_number: int = 1, **more: Any) -> Any:
    told = {"evidence": None if bundle is None else tuple(bundle), "question": QUESTION, **more}
    return DebateInputs(ticker=TICKER, role=role, round_number=round_number, **told)


# analysts


@pytest.mark.parametrize("axis", AXES)
@given(bundle=bundles())
@settings(max_examples=40)
def test_an_axis_view_fits_and_cites_only_what_it_was_given(axis: Any, bundle: tuple[Evidence, ...]) -> None:
    inputs = AxisInputs(
        bias_row=row_of_bias(), question=QUESTION, evidence=bundle, missing=(), ticker=TICKER, axis=axis
    )
    view = accepted(axis_view(inputs), AxisView, inputs, *AXIS_CHECKS)
    assert set(view.evidence) <= {one.id for one in bundle}
    assert (view.stance_axis == "hold") == (view.conviction_axis < 0.2)


@pytest.mark.parametrize(
    ("leans", "stance", "conviction", "probability"),
    [
        ((), "hold", 0.0, 0.5),
        ((0.0, 0.0), "hold", 0.0, 0.5),
        ((0.13,), "hold", 0.195, 0.5195),  # 1.5 * .13
        ((0.4, 0.2, 0.0), "buy", 0.3, 0.53),
        ((-0.4, -0.2, 0.0), "sell", 0.3, 0.47),
        ((1.0, 0.5), "buy", 1.0, 0.6),
        ((-1.0,), "sell", 1.0, 0.4),
    ],
)
def test_an_axis_is_the_mean_of_its_leans(
    leans: tuple[float, ...], stance: str, conviction: float, probability: float
) -> None:
    evidence = tuple(item(name, lean) for name, lean in zip(sorted(LEANS), leans, strict=False))
    inputs = AxisInputs(
        bias_row=row_of_bias(), question=QUESTION, evidence=evidence, missing=(), ticker=TICKER, axis="technical"
    )
    view = axis_view(inputs)
    assert (view["stance_axis"], view["conviction_axis"], view["probability"]) == (stance, conviction, probability)


BIAS = st.none() | st.sampled_from(["strong_bullish", "bullish", "neutral", "bearish", "strong_bearish"])
REGIME = st.none() | st.just("growth contracting, inflation hot, policy tightening, appetite risk off")


@given(REGIME, BIAS, BIAS, BIAS)
def test_the_wording_of_the_row_holds_no_number(regime: Any, equity: Any, bond: Any, commodity: Any) -> None:
    told = {"macro_regime": regime, "equity_bias": equity, "bond_bias": bond, "commodity_bias": commodity}
    inputs = BiasInputs(bias_row=row_of_bias(**told, vix_level=23.4))
    said = accepted(bias_wording(inputs), BiasWording, inputs, NO_NUMBERS)
    assert all(value is None or value.replace("_", " ") in said.notes for value in (equity, bond, commodity))


# debaters


def two_sided(bundle: Sequence[Evidence]) -> bool:
    """Whether each side has an item to lead with."""
    return bool(strongest(bundle, 1) and strongest(bundle, -1))


def two_rounds(bundle: Sequence[Evidence]) -> dict[tuple[str, int], tuple[DebateInputs, dict[str, Any]]]:
    """A sequence over two rounds as the engine would hold it: inputs and answer of every turn."""
    turns: dict[tuple[str, int], Any] = {}
    prior: tuple[DebateRound, ...] = ()
    for number in (1, 2):
        seen: dict[str, Any] = {"prior_rounds": prior or None}
        for role in ("bull", "bear"):
            inputs = debate_inputs(bundle, role, number, **seen)
            turns[role, number] = (inputs, contribution(inputs))
            seen["bull_argument"] = turns["bull", number][1]["argument"]
        arguments = {f"{role}_argument": turns[role, number][1]["argument"] for role in ("bull", "bear")}
        prior = (*prior, DebateRound(round_number=number, **arguments))
    return turns


@given(bundles())
@settings(max_examples=150)
def test_every_turn_fits_and_holds_its_side(bundle: tuple[Evidence, ...]) -> None:
    known, checks = {one.id for one in bundle}, TURN_CHECKS if two_sided(bundle) else TEXT_CHECKS
    for (role, number), (inputs, answer) in two_rounds(bundle).items():
        said = accepted(answer, DebateRoundContribution, inputs, *checks, require=("claims",))
        ends = SENTENCE_END.findall(said.argument)
        last = SENTENCE_END.split(said.argument.rstrip("."))[-1]
        assert (said.role, said.round_number) == (role, number)
        assert 3 <= len(ends) <= 5
        assert len(said.argument) <= 600
        assert not re.search(r"[\n#*]", said.argument)
        assert WORD[role] in last
        assert WORD[OTHER[role]] not in said.argument
        assert TICKER in last
        quoted = set(re.findall(r"\(([a-z]+\.[a-z0-9_]+)[,)]", said.argument))
        assert quoted <= known
        assert all(len(claim.evidence) == 1 for claim in said.claims or ())
        assert len(said.claims or ()) <= 3


@given(bundles())
def test_claims_speak_for_the_side_and_the_granted_point_against_it(bundle: tuple[Evidence, ...]) -> None:
    leans = {one.id: one.lean for one in bundle}
    for (role, _), (_, answer) in two_rounds(bundle).items():
        side = 1 if role == "bull" else -1
        assert all(leans[name] * side > 0 for claim in answer["claims"] for name in claim["evidence"])
        granted = answer["acknowledged"]["evidence"]
        assert len(granted) == any(leans[one] * side < 0 for one in leans if one[:4] not in ("axis", "bias"))
        assert all(leans[name] * side < 0 for name in granted)


@given(bundles())
def test_the_first_turn_names_no_opponent(bundle: tuple[Evidence, ...]) -> None:
    for role in ("bull", "bear"):
        argument = contribution(debate_inputs(bundle, role))["argument"]
        assert not re.search(rf"\b({OTHER[role]}|opponent|disputed?|leads with)\b", argument)


@pytest.mark.parametrize("bundle", [None, ()])
@pytest.mark.parametrize("role", ["bull", "bear"])
def test_without_evidence_a_side_says_so_and_claims_nothing(role: Role, bundle: Any) -> None:
    inputs = debate_inputs(bundle, role)
    said = accepted(contribution(inputs), DebateRoundContribution, inputs, *TEXT_CHECKS)
    assert said.acknowledged is not None
    assert (said.claims, said.acknowledged.evidence) == ((), ())
    assert f"stays {WORD[role]}" in said.argument


@pytest.mark.parametrize(
    ("own", "other", "outweighed"),
    [
        (item("px.ret_63d", 0.5), item("px.rsi14", -0.51), True),
        (item("px.ret_63d", 0.5), item("px.rsi14", -0.5), False),
        (item("px.ret_63d", 0.5), item("px.rsi14", -0.4), False),
        (item("px.ret_63d", 0.5, stale=True), item("px.rsi14", -0.4), True),  # stale weighs half
        (item("px.ret_63d", 0.5), item("px.rsi14", -0.9, stale=True), False),
        (None, item("px.rsi14", -0.1), True),
    ],
)
@pytest.mark.parametrize("role", ["bull", "bear"])
def test_a_heavier_lead_of_the_other_side_is_conceded(
    role: Role, own: Evidence | None, other: Evidence, outweighed: bool
) -> None:
    sign = 1 if role == "bull" else -1
    bundle = [one.model_copy(update={"lean": sign * one.lean}) for one in (own, other) if one is not None]
    answer = contribution(debate_inputs(bundle, role))
    words = "weighs more than this side's lead"
    assert (words in answer["argument"]) is outweighed
    assert (words in answer["acknowledged"]["why_limited"]) is outweighed
    assert answer["acknowledged"]["evidence"] == [other.id]


def test_a_rebuttal_quotes_the_lead_it_disputes() -> None:
    bundle = [item("px.ret_63d", 0.5), item("px.rsi14", -0.4), item("px.macd", -0.3)]
    turns = two_rounds(bundle)
    assert "The bull leads with" not in turns["bull", 1][1]["argument"]
    assert re.search(r"The bull leads with [^;]*\(px\.ret_63d\).*\(px\.macd\)", turns["bear", 1][1]["argument"])
    assert re.search(r"The bear leads with [^;]*\(px\.rsi14\)", turns["bull", 2][1]["argument"])


@given(bundles())
def test_round_2_brings_an_unused_item(bundle: tuple[Evidence, ...]) -> None:
    turns = two_rounds(bundle)
    for role, sign in (("bull", 1), ("bear", -1)):
        own = {one.id for one in bundle if one.lean * sign > 0 and one.id.partition(".")[0] not in ("axis", "bias")}
        first, second = (_used(turns[role, number][1]) & own for number in (1, 2))
        assert second - first or first == own


def _used(answer: dict[str, Any]) -> set[str]:
    """Ids that a turn claims or names."""
    named = set(re.findall(r"\(([a-z]+\.[a-z0-9_]+)[,)]", answer["argument"]))
    return named | {name for claim in answer["claims"] for name in claim["evidence"]}


NINE = [item(name, -0.9 + at / 100) for at, name in enumerate(sorted(one for one in LEANS if "px." in one)[:9])]
NEGATED = [one.model_copy(update={"lean": -one.lean}) for one in NINE]


@pytest.mark.parametrize(
    ("role", "bundle"),
    [
        ("bull", NEGATED),
        ("bear", NINE),
    ],
)
def test_round_2_claims_nothing_that_round_1_claimed(role: str, bundle: list[Evidence]) -> None:
    turns = two_rounds(bundle)
    first, second = ({name for one in turns[role, n][1]["claims"] for name in one["evidence"]} for n in (1, 2))
    assert len(first) == len(second) == 3
    assert not first & second


# manager


@st.composite
def managers(draw: st.DrawFn) -> ManagerInputs:
    bundle = draw(bundles())
    names = [one.id for one in bundle]
    sides: list[Role] = ["bull", "bear"]
    claims = [
        WeighedClaim(
            id=f"{side}.1.c{at}",
            side=side,
            text=f"claim {at} of the {side}",
            evidence=tuple(draw(st.lists(st.sampled_from(names), max_size=2))) if names else (),
            weight=draw(st.sampled_from([0.0, 0.125, 0.25, 0.5, 0.75, 1.0])),
            answer="unaddressed",
        )
        for side in sides
        for at in range(1, draw(st.integers(0, 3)) + 1)
    ]
    rounds = (DebateRound(round_number=1, bull_argument="For.", bear_argument="Against."),)
    return ManagerInputs(evidence=bundle, rounds=rounds, claims=tuple(claims), question=QUESTION, ticker=TICKER)


@given(managers())
def test_the_manager_rules_on_every_claim_and_swaps_with_the_sides(inputs: ManagerInputs) -> None:
    reply = accepted(manager_reply(inputs), ManagerReply, inputs, *MANAGER_CHECKS)
    assert [ruling.claim for ruling in reply.rulings] == [claim.id for claim in inputs.claims]
    assert all((r.ruling == "stands") == (c.weight > 0) for r, c in zip(reply.rulings, inputs.claims, strict=True))
    swapped = tuple(claim.model_copy(update={"side": OTHER[claim.side]}) for claim in inputs.claims)
    other = manager_reply(inputs.model_copy(update={"claims": swapped}))
    assert (reply.net_stance, other["net_stance"]) in {("bullish", "bearish"), ("bearish", "bullish"), ("neutral",) * 2}


def _managed(*evidence: Evidence) -> ManagerReply:
    claims = tuple(
        WeighedClaim(
            id=f"{side}.1.c{at}", side=side, text=f"claim {at}", evidence=(one.id,), weight=1.0, answer="unaddressed"
        )
        for at, one in enumerate(evidence, 1)
        for side in (("bull",) if one.lean > 0 else ("bear",))
    )
    inputs = ManagerInputs(evidence=evidence, rounds=(), claims=claims, question=QUESTION, ticker=TICKER)
    return ManagerReply.model_validate_json(json.dumps(manager_reply(inputs)))


@pytest.mark.parametrize(
    ("leans", "word"),
    [
        ((), "neutral"),
        ((0.5,), "bullish"),
        ((-0.5,), "bearish"),
        ((0.5, -0.5), "neutral"),
        ((0.55, -0.45), "bullish"),  # ahead by exactly a tenth of all weight
        ((0.54, -0.46), "neutral"),
        ((0.45, -0.55), "bearish"),
    ],
)
def test_a_tenth_of_all_weight_makes_a_gain(leans: tuple[float, ...], word: str) -> None:
    evidence = [item(name, lean) for name, lean in zip(("px.ret_63d", "px.rsi14"), leans, strict=False)]
    assert _managed(*evidence).net_stance == word


@pytest.mark.parametrize(
    "evidence",
    [
        item("px.ret_63d", 0.5, value=0.1),
        item("px.ret_63d", -0.5, value=-0.1),
        item("px.rsi14", 0.8, value=70.0),  # no RSI is below 0
        item("px.vol_ratio", 1.0, value=0.5),  # nor a ratio of volatilities
        item("px.drawdown_252d", -0.6, value=-0.3),  # nor a drawdown above 0
    ],
)
def test_a_condition_is_where_the_lean_of_its_item_turns(evidence: Evidence) -> None:
    [condition] = _managed(evidence).would_resolve_if or [None]
    if condition is not None:
        assert condition.value == LEANS[evidence.id].centre
        assert condition.comparison == ("below" if float(evidence.value) > condition.value else "above")


# the desk as a whole


@pytest.mark.parametrize("protocol", ["desk", "forecaster", "moderated", "panel", "points", "rounds"])
@given(bundle=bundles().filter(two_sided))
@settings(max_examples=25)
def test_no_turn_of_any_seat_is_void_or_loses_a_part(protocol: str, bundle: tuple[Evidence, ...]) -> None:
    header, about = header_of(f"debate.protocol={protocol}", protocol=shipped(protocol)), case_of(bundle)
    ask = ask_door()
    transcript = debate_transcript(about, header.history, header, header.settings.debate, ask=ask)
    assert [event for event in transcript.ledger if isinstance(event, Voided) or event.dropped] == []
    flags = {flag for event in transcript.ledger for flag in event.flags}
    assert flags <= {"repaired", "repeated", "copied"}, "it can only run out of items"
    summary = debate_summary(about, transcript, header.history, header, header.settings.manager, ask=ask)
    assert summary.status in ("debated", "contested")
    assert not [flag for flag in summary.flags if flag.startswith("manager")]


def test_the_same_request_gets_the_same_bytes() -> None:
    inputs = debate_inputs([item("px.ret_63d", 0.5), item("px.rsi14", -0.4)])
    request = Request("research-debate", "bull", "m", Rendered("", ()), {}, (), inputs)
    first, second = OfflineDesk().replies([request, request])
    assert first == second
    assert json.loads(first.text) == contribution(inputs)


def test_an_unknown_skill_is_refused_by_name() -> None:
    inputs = debate_inputs(())
    with pytest.raises(UsageError, match="'research-debat'; did you mean research-debate"):
        OfflineDesk().replies([Request("research-debat", "bull", "m", Rendered("", ()), {}, (), inputs)])


def test_it_says_that_it_is_no_language_model() -> None:
    assert re.fullmatch(r"offline-desk v[0-9]+, llm: none", OfflineDesk.engine)


def test_the_desk_knows_every_seat_and_its_version() -> None:
    assert {"research-debate", "research-manager", "persona-literal", "debate-judge"} <= set(SKILLS)
    assert OfflineDesk.engine == "offline-desk v2, llm: none"
