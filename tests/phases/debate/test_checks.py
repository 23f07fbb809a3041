"""What a turn must satisfy beyond its schema: each rule broken alone, what is said, and what is left after the repair."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phases.core.reading import read
from phases.debate.checks import checks_of
from phases.debate.checks.form import sides_stated
from phases.debate.checks.moves import unpaid
from phases.debate.protocol import Step, read_protocol
from phases.plan import CONFIGS
from schemas.base import Model
from schemas.debate import DebateInputs, DebateRoundContribution, Move
from schemas.seats import CriticReport, ModeratorRuling, PersonaAnswer, SupervisorView, TableInputs
from tests.support import QUESTION, TICKER, item

BUNDLE = (
    item("axis.technical", 0.4, value="buy", unit="text"),
    item("px.close", value=178.2, unit="usd"),
    item("px.drawdown_252d", -0.6, value=-0.22),
    item("px.excess_63d", 0.4, value=0.064),
    item("px.ret_252d", 0.7, value=0.315),
    item("px.ret_63d", -0.5, value=-0.051),
    item("px.vol_ratio", -0.5, value=1.25, unit="index"),
)
DESK = read_protocol((CONFIGS / "protocols" / "desk.yaml").read_text(encoding="utf-8"), "desk.yaml")
OPENING, LOOP = DESK.opening[0], DESK.loop[0]

FIRST = DebateInputs(evidence=BUNDLE, question=QUESTION, ticker=TICKER, role="bull", round_number=1)
LATER = DebateInputs.model_validate(
    {
        "evidence": BUNDLE,
        "question": QUESTION,
        "prior_rounds": [
            {
                "round_number": 1,
                "bull_argument": "It leads by 6.4 percent. It is strong. I am bullish.",
                "bear_argument": "It fell 5.1 percent. It swings more. I am bearish.",
            }
        ],
        "open_points": [
            {"id": "bear.1.c1", "text": "It fell 5.1 percent.", "evidence": ["px.ret_63d"]},
            {"id": "bear.1.c2", "text": "It swings more.", "evidence": ["px.vol_ratio"]},
        ],
        "cited_before": ["px.excess_63d", "px.ret_63d", "px.vol_ratio"],
        "last_probability": 0.6,
        "ticker": TICKER,
        "role": "bull",
        "round_number": 2,
    },
    strict=False,
)

GRANTED = {"text": "It swings more.", "evidence": ["px.vol_ratio"], "why_limited": "The lead holds."}
ARGUMENT = "It leads by 6.4 percent over 63 sessions. It has strength. The market helps. I am bullish on ACME."
OPEN: dict[str, Any] = {
    "role": "bull",
    "ticker": TICKER,
    "round_number": 1,
    "argument": ARGUMENT,
    "probability": 0.6,
    "claims": [{"id": "c1", "text": "It leads by 6.4 percent.", "evidence": ["px.excess_63d"]}],
    "acknowledged": GRANTED,
}
REBUTTED = {
    "target": "bear.1.c1",
    "kind": "rebutted",
    "reason": "The year is up 31.5 percent.",
    "evidence": ["px.ret_252d"],
}
CARRIED = {
    "target": "bear.1.c2",
    "kind": "carried",
    "reason": "Open.",
    "evidence": ["px.vol_ratio"],
    "would_change_if": {"evidence": "px.vol_ratio", "comparison": "below", "value": 1.0},
}
CONCEDED = {"target": "bear.1.c2", "kind": "conceded", "reason": "It does.", "evidence": ["px.vol_ratio"]}
MOVED: dict[str, Any] = {
    "role": "bull",
    "ticker": TICKER,
    "round_number": 2,
    "argument": "The year is up 31.5 percent. The bear names one quarter. That is short. I am bullish on ACME.",
    "probability": 0.6,
    "moves": [REBUTTED, CARRIED],
    "acknowledged": GRANTED,
}


def judged(
    said: dict[str, Any],
    inputs: Model = FIRST,
    step: Step = OPENING,
    returns: type[Model] = DebateRoundContribution,
    *,
    last: bool = True,
) -> Any:
    return read(
        json.dumps(said),
        "end_turn",
        returns=returns,
        require=[name for name in step.require if name in returns.model_fields],
        inputs=inputs,
        checks=checks_of(returns, DESK, step),
        last=last,
    )


def first(**changes: Any) -> dict[str, Any]:
    return {**OPEN, **changes}


def later(**changes: Any) -> dict[str, Any]:
    return {**MOVED, **changes}


def test_clean_turns_pass_untouched() -> None:
    for said, inputs, step in ((OPEN, FIRST, OPENING), (MOVED, LATER, LOOP)):
        found = judged(said, inputs, step, last=False)
        assert (found.outcome, found.errors, found.flags, found.dropped) == ("ACCEPT", (), (), ())
        assert found.record == DebateRoundContribution.model_validate_json(json.dumps(said))


# Form: asked again once, then flagged

FORM = [
    ("One sentence, and I am bullish.", "sentences", "has 1 sentences; give 3 to 5"),
    ("It leads. It runs. It holds. It gains. It lasts. I am bullish on ACME.", "sentences", "has 6 sentences"),
    ("# Case\nIt leads. It is strong. I am bullish.", "layout", "heading or a list"),
    ("- It leads.\n- It is strong.\nThe market helps. I am bullish.", "layout", "heading or a list"),
    ("1. It leads.\n2. It is strong.\nThe market helps. I am bullish.", "layout", "heading or a list"),
    ("It leads. It is strong. The market helps.", "stance", "does not restate the bull's stance"),
    ("It leads. My opponent overlooks that. It is strong. I am bullish.", "opponent", "nobody else has spoken"),
    ("It leads. The bear's case ignores that. It is strong. I am bullish.", "opponent", "nobody else has spoken"),
    ('It leads. They say "the lead will surely vanish". It is strong. I am bullish.', "strawman", "nobody wrote"),
]


@pytest.mark.parametrize(("argument", "flag", "words"), FORM)
def test_a_lapse_of_form_is_asked_again_and_then_flagged(argument: str, flag: str, words: str) -> None:
    again = judged(first(argument=argument), last=False)
    assert again.outcome == "RETRY"
    assert words in " ".join(again.errors)
    found = judged(first(argument=argument))
    assert (found.outcome, found.record.argument) == ("ACCEPT", argument)
    assert flag in found.flags


CLEAN = [
    "It leads by 6.4 percent. This is no bear market. The U.S. helps, e.g. in breadth. I am bullish on ACME.",
    "It leads. It is strong vs. the index. The market helps. The bull case stands and I stay bullish on ACME.",
    "It leads. The bear market of the past is over. It is strong. ACME is a buy.",
]


@pytest.mark.parametrize("argument", CLEAN)
def test_tricky_but_clean_form_passes(argument: str) -> None:
    assert judged(first(argument=argument), last=False).outcome == "ACCEPT"


@pytest.mark.parametrize("last", ["I recommend selling it.", "So I am bearish on ACME.", "I am no longer bullish."])
def test_an_argument_that_ends_on_the_other_side_is_void(last: str) -> None:
    said = first(argument=f"It leads. It is strong. The market helps. {last}")
    assert judged(said, last=False).outcome == "RETRY"
    found = judged(said)
    assert found.outcome == "QUARANTINE"
    assert "argues the bear's side; you are the bull" in found.errors[0]


@pytest.mark.parametrize(
    ("sentence", "sides"),
    [
        ("I stay bullish despite the bear case.", {"bull"}),
        ("The bull case is broken, so I stay bearish.", {"bear"}),
        ("It is not a buy.", {"bear"}),
        ("Never bearish on it.", {"bull"}),
        ("The rest is silence.", set()),
        ("A bullish-looking chart is a sell.", {"bull", "bear"}),
    ],
)
def test_the_sides_of_a_sentence(sentence: str, sides: set[str]) -> None:
    assert sides_stated(sentence) == sides


def test_a_missing_acknowledgement_is_flagged() -> None:
    found = judged(first(acknowledged=None))
    assert (found.outcome, found.flags) == ("ACCEPT", ("acknowledged",))


def test_a_turn_that_says_the_same_again_is_flagged() -> None:
    for whose, flag in (("bull_argument", "repeated"), ("bear_argument", "copied")):
        text = "The year is up. The bear names one quarter, which is short. It is strong. I am bullish on ACME."
        inputs = LATER.model_copy(
            update={"prior_rounds": (LATER.prior_rounds[0].model_copy(update={whose: text}),)}  # type: ignore[index]
        )
        assert flag in judged(later(argument=text.replace("short", "brief")), inputs, LOOP).flags


# Claims

UNGROUNDED = {"id": "c9", "text": "It is strong.", "evidence": []}
KNOWN = OPEN["claims"][0]


@pytest.mark.parametrize(
    ("claims", "kept", "flag"),
    [
        ([UNGROUNDED, KNOWN], 1, "ungrounded_claim"),
        ([{**KNOWN, "evidence": ["px.excess_63d", "px.nowhere"]}], 0, "foreign_evidence"),
        ([{**KNOWN, "text": "It leads by 7.4 percent."}], 0, "ungrounded"),
        ([{**KNOWN, "id": f"c{at}"} for at in range(5)], 3, "claims"),
        ([], 0, "no_claims"),
        ([KNOWN, KNOWN], 2, "claim_ids"),
    ],
)
def test_claims(claims: list[dict[str, Any]], kept: int, flag: str) -> None:
    assert judged(first(claims=claims), last=False).outcome == "RETRY"
    found = judged(first(claims=claims))
    assert found.outcome == "ACCEPT"
    assert len(found.record.claims) == kept
    assert flag in found.flags


def test_claims_where_none_are_asked_do_not_count() -> None:
    found = judged(later(claims=OPEN["claims"]), LATER, LOOP)
    assert (found.record.claims, found.flags) == (None, ("late_claims",))
    assert found.dropped == ("/claims: this turn makes moves or only argues; leave claims out",)


# Moves


MOVES = [
    ({**REBUTTED, "evidence": []}, "needs an evidence id of its own that was not cited before"),
    ({**REBUTTED, "evidence": ["px.ret_63d"]}, "needs an evidence id of its own that was not cited before"),
    ({**REBUTTED, "target": "bear.1.c9"}, "awaits no answer from this side (open: bear.1.c1, bear.1.c2)"),
    ({**REBUTTED, "target": "bull.1.c1"}, "awaits no answer from this side"),
    ({**CONCEDED, "evidence": []}, "names no evidence"),
    (CONCEDED, "must lower your probability from 0.6 by at least 0.01; it is 0.6"),
    ({**CARRIED, "would_change_if": None}, "says nothing in would_change_if"),
    (
        {**CARRIED, "would_change_if": {"evidence": "px.vol_ratio", "comparison": "above", "value": 1.0}},
        "would_change_if holds already: px.vol_ratio is 1.25",
    ),
    (
        {**CARRIED, "would_change_if": {"evidence": "axis.technical", "comparison": "above", "value": 1.0}},
        "would_change_if needs an id with a number; axis.technical has none",
    ),
]


@pytest.mark.parametrize(("move", "words"), MOVES)
def test_an_unpaid_move_is_asked_again_and_then_does_not_count(move: dict[str, Any], words: str) -> None:
    said = later(moves=[move])
    assert words in " ".join(judged(said, LATER, LOOP, last=False).errors)
    found = judged(said, LATER, LOOP)
    assert (found.outcome, found.record.moves) == ("ACCEPT", ())
    assert {"unpaid_move", "unaddressed"} <= set(found.flags)
    assert words in " ".join(found.dropped)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"by": "1999-01-01"}, "is over by 1999-01-01; give a later day than 2008-09-30, or none"),
        ({"by": "2008-09-30"}, "is over by 2008-09-30"),
        ({"value": -1e300}, "is out of reach: px.vol_ratio is 1.25"),
        ({"value": -42.7}, "is out of reach"),
    ],
)
def test_a_test_that_cannot_come_true_carries_nothing(more: dict[str, Any], words: str) -> None:
    move = {**CARRIED, "would_change_if": {**CARRIED["would_change_if"], **more}}
    found = judged(later(moves=[REBUTTED, move]), LATER, LOOP)
    assert [one.kind for one in found.record.moves] == ["rebutted"]
    assert words in " ".join(found.dropped)


def test_two_moves_on_one_point_do_not_count() -> None:
    found = judged(later(moves=[REBUTTED, {**CARRIED, "target": "bear.1.c1"}]), LATER, LOOP)
    assert found.record.moves == ()
    assert "bear.1.c1 gets exactly one move, not 2" in found.dropped[0]


@pytest.mark.parametrize(
    ("probability", "counts"), [(0.59, True), (0.5, True), (0.595, False), (0.61, False), (None, False)]
)
def test_a_concession_moves_the_speakers_own_probability(probability: float | None, counts: bool) -> None:
    step = LOOP.model_copy(update={"require": ("moves",)})
    found = judged(later(probability=probability, moves=[REBUTTED, CONCEDED]), LATER, step)
    assert [move.kind for move in found.record.moves] == (["rebutted", "conceded"] if counts else ["rebutted"])


def test_the_bear_concedes_upwards() -> None:
    bear = LATER.model_copy(update={"role": "bear"})
    said = later(
        role="bear",
        argument=MOVED["argument"].replace("bullish", "bearish"),
        probability=0.61,
        moves=[REBUTTED, CONCEDED],
    )
    assert len(judged(said, bear, LOOP).record.moves) == 2


def test_one_unused_id_pays_for_one_rebuttal() -> None:
    other = {**REBUTTED, "target": "bear.1.c2"}
    assert len(judged(later(moves=[REBUTTED, other]), LATER, LOOP).record.moves) == 1
    both = {**REBUTTED, "evidence": ["px.ret_252d", "px.drawdown_252d"]}
    for moves in ([both, other], [other, both]):
        assert len(judged(later(moves=moves), LATER, LOOP).record.moves) == 2, "the one that has a choice gives way"


def test_points_without_a_move_are_named() -> None:
    found = judged(later(moves=[]), LATER, LOOP)
    assert found.flags == ("unaddressed",)
    assert "/moves: bear.1.c1 awaits exactly one move" in judged(later(moves=[]), LATER, LOOP, last=False).errors


def test_a_first_turn_has_nothing_to_move_on() -> None:
    found = judged(first(moves=[REBUTTED]))
    assert found.record.moves == ()
    assert "bear.1.c1 awaits no answer from this side (open: none is open)" in found.dropped[0]


IDS = [one.id for one in BUNDLE]


@given(
    st.lists(
        st.tuples(st.sampled_from(["bear.1.c1", "bear.1.c2", "x"]), st.lists(st.sampled_from(IDS), max_size=4)),
        max_size=4,
    )
)
@settings(max_examples=200, deadline=None)
def test_the_most_rebuttals_are_paid_and_never_two_by_one_id(drawn: list[tuple[str, list[str]]]) -> None:
    moves = tuple(
        Move(target=f"p{at}", kind="rebutted", reason="because", evidence=tuple(ids))
        for at, (_, ids) in enumerate(drawn)
    )
    points = [{"id": f"p{at}", "text": "x", "evidence": []} for at in range(len(moves))]
    inputs = LATER.model_copy(
        update={
            "open_points": tuple(
                DebateInputs.model_validate({**LATER.model_dump(), "open_points": points}, strict=False).open_points
                or ()
            )
        }
    )
    said = DebateRoundContribution.model_validate_json(json.dumps(MOVED)).model_copy(update={"moves": moves})
    paid = [move for at, move in enumerate(moves) if at not in unpaid(said, inputs)]
    unused = set(IDS) - set(LATER.cited_before or ())
    best = max((len(chosen) for chosen in _matchings([set(move.evidence) & unused for move in moves])), default=0)
    assert len(paid) == best


def _matchings(options: list[set[str]]) -> list[list[str]]:
    """Every way to pay: brute force over few moves."""
    found: list[list[str]] = [[]]
    for ids in options:
        found += [[*chosen, name] for chosen in found for name in ids if name not in chosen]
    return found


# Numbers


def test_a_sentence_with_a_number_from_nowhere_is_taken_out() -> None:
    said = first(argument="It closed at 187.20. It leads by 6.4 percent. It is strong. I am bullish on ACME.")
    again = judged(said, last=False)
    assert again.outcome == "RETRY"
    assert "187.20" in again.errors[0]
    assert "178.20 (px.close)" in again.errors[0]
    found = judged(said)
    assert found.record.argument == "It leads by 6.4 percent. It is strong. I am bullish on ACME. [cut]"
    assert found.flags == ("ungrounded",)


def test_an_argument_of_nothing_but_invented_numbers_is_void() -> None:
    said = first(argument="It closed at 187.20. It earns 9.9 percent. It yields 8.8 percent, so I am bullish.")
    assert judged(said).outcome == "QUARANTINE"


def test_an_invented_number_in_a_move_or_a_grant_does_not_count() -> None:
    move = {**REBUTTED, "reason": "Insiders bought for $50M."}
    found = judged(
        later(moves=[move, CARRIED], acknowledged={**GRANTED, "text": "It trades at 99 times sales."}), LATER, LOOP
    )
    assert [one.kind for one in found.record.moves] == ["carried"]
    assert found.record.acknowledged is None
    assert "$50M" in " ".join(found.dropped)


@pytest.mark.parametrize("text", ["Sales grew 60 percent", "It is up 60% over the year"])
def test_what_a_turn_sets_itself_is_no_fact(text: str) -> None:
    found = judged(first(argument=f"{text}. It leads. It is strong. I am bullish on ACME."))
    assert "ungrounded" in found.flags
    move = {
        **CARRIED,
        "reason": "The multiple is 0.9 times.",
        "would_change_if": {**CARRIED["would_change_if"], "value": 0.9},
    }
    assert "carried" not in [one.kind for one in judged(later(moves=[REBUTTED, move]), LATER, LOOP).record.moves]


@pytest.mark.parametrize("marks", ["\u00ab\u00bb", "\u201e\u201c", "\u2018\u2019", "''", '""', "\u201c\u201d"])
def test_quotation_marks_of_every_kind_hold_somebodys_words(marks: str) -> None:
    text = "The year is up 31.5 percent. The bear says {}it never recovers again{}. It can. I am bullish on ACME."
    assert "strawman" in judged(later(argument=text.format(*marks)), LATER, LOOP).flags
    apostrophes = "It's the bear's claim that isn't sound. The year is up 31.5 percent. It lasts. I am bullish on ACME."
    assert "strawman" not in judged(later(argument=apostrophes), LATER, LOOP).flags


@pytest.mark.parametrize(
    "text",
    [
        "My probability is 60 percent",
        "Up 31.5 percent in a year",
        "The 63-session lead is 6.4%",
        "By 2008-10-29, 21 sessions on",
    ],
)
def test_given_numbers_are_no_inventions(text: str) -> None:
    assert (
        judged(first(argument=f"{text}. It leads. It is strong. I am bullish on ACME."), last=False).outcome == "ACCEPT"
    )


# The other seats

TABLE = TableInputs.model_validate(
    {
        "evidence": BUNDLE,
        "statements": [
            {"seat": "cautious", "round_number": 1, "text": "Hold.", "stance": "hold", "evidence": []},
            {"seat": "literal", "round_number": 1, "text": "Buy.", "stance": "buy", "evidence": []},
        ],
        "ticker": TICKER,
        "seat": "cautious",
        "round_number": 2,
    },
    strict=False,
)
PLAIN = Step(seats=("x",), order="sequence", sees=())


@pytest.mark.parametrize(
    ("returns", "said", "outcome", "words"),
    [
        (PersonaAnswer, {"seat": "cautious", "round_number": 2, "answer": "Thin.", "stance": "Bullish"}, "ACCEPT", ""),
        (
            PersonaAnswer,
            {"seat": "cautious", "round_number": 2, "answer": "Thin.", "stance": "maybe"},
            "QUARANTINE",
            "is no ballot",
        ),
        (
            PersonaAnswer,
            {"seat": "literal", "round_number": 2, "answer": "Thin.", "stance": "buy"},
            "QUARANTINE",
            "/seat",
        ),
        (
            CriticReport,
            {"assessments": [{"seat": "cautious", "verdict": "sound"}, {"seat": "literal", "verdict": "sound"}]},
            "ACCEPT",
            "",
        ),
        (CriticReport, {"assessments": [{"seat": "cautious", "verdict": "sound"}]}, "QUARANTINE", "literal has 0"),
        (
            CriticReport,
            {
                "assessments": [
                    {"seat": name, "verdict": "sound"} for name in ("cautious", "cautious", "literal", "judge")
                ]
            },
            "QUARANTINE",
            "judge has 1",
        ),
        (ModeratorRuling, {"summary": "All said.", "status": "settled", "decision": "Hold."}, "ACCEPT", ""),
        (
            ModeratorRuling,
            {"summary": "All said.", "status": "settled"},
            "QUARANTINE",
            "a settled debate needs its decision",
        ),
        (ModeratorRuling, {"summary": "All said.", "status": "NOT SETTLED"}, "QUARANTINE", "/status"),
        (ModeratorRuling, {"summary": "All said.", "status": "settled or continue"}, "QUARANTINE", "/status"),
        (ModeratorRuling, {"summary": "All said."}, "QUARANTINE", "lacks the key status"),
        (
            SupervisorView,
            {"probability": 0.5, "confidence": "low", "because": "Thin.", "evidence": ["px.close", "px.no"]},
            "ACCEPT",
            "",
        ),
        (
            SupervisorView,
            {"probability": 0.5, "confidence": "low", "because": "Thin.", "evidence": ["px.no"]},
            "QUARANTINE",
            "px.no",
        ),
    ],
)
def test_other_seats(returns: type[Model], said: dict[str, Any], outcome: str, words: str) -> None:
    found = judged(said, TABLE, PLAIN, returns)
    assert found.outcome == outcome
    assert words in " ".join(found.errors)


def test_a_flaw_that_is_not_named_is_flagged() -> None:
    said = {"assessments": [{"seat": "cautious", "verdict": "flawed"}, {"seat": "literal", "verdict": "sound"}]}
    assert judged(said, TABLE, PLAIN, CriticReport).flags == ("flaw",)
