"""The manager words, the code computes; and a manager that cannot be used changes nothing by default."""

from __future__ import annotations

from typing import Any

import pytest

from phases.research_debate import debate_transcript
from phases.research_manager import debate_summary
from schemas.debate import Case
from schemas.settings import ManagerSettings
from schemas.summary import DebateSummary
from tests.support import (
    BUNDLE,
    REFUSAL,
    TICKER,
    Changed,
    Desk,
    ask_door,
    case_of,
    constant,
    header_of,
    item,
    payload,
    settings,
    update,
)

NUMBERS = ("conviction_delta", "probability_post", "decided_by", "net_stance", "bull_thesis", "bear_thesis")


def summary_of(
    *words: str,
    about: Case | None = None,
    desk: Desk | None = None,
    chosen: ManagerSettings | None = None,
    **instead: Changed,
) -> DebateSummary:
    about, header, ask = about or case_of(), header_of(*words), ask_door(desk or Desk(**instead))
    transcript = debate_transcript(about, header.history, header, header.settings.debate, ask=ask)
    manager = chosen or header.settings.manager
    found: DebateSummary = debate_summary(about, transcript, header.history, header, manager, ask=ask)
    assert found.rounds == transcript.rounds, "always as stored"
    return found


# score, word, delta, probability before and after at .02 a point
MOVES = [
    (2, "bullish", 1, 0.55, 0.57),
    (2, "bearish", -1, 0.55, 0.53),
    (2, "neutral", 0, 0.55, 0.55),
    (-3, "bullish", 2, 0.46, 0.5),
    (3, "bearish", -2, 0.55, 0.51),
    (5, "bullish", 1, 0.98, 0.99),
    (-5, "bearish", -1, 0.015, 0.01),
]


@pytest.mark.parametrize(("score", "word", "delta", "before", "after"), MOVES)
def test_the_word_is_the_managers_and_the_change_the_codes(
    score: int, word: str, delta: int, before: float, after: float
) -> None:
    stance = "buy" if score > 0 else "sell"
    about = case_of(payload=payload(score, stance, before))
    found = summary_of(about=about, manager=update(net_stance=word))
    assert (found.status, found.net_stance, found.decided_by) == ("debated", word, "manager")
    assert (found.conviction_delta, found.probability_post) == (delta, after)
    assert found.readouts["effective_conviction"] == max(-5, min(5, score + delta))


def test_the_step_of_the_probability_is_configured() -> None:
    chosen = settings("manager.probability_per_point=1/10").manager
    assert summary_of(chosen=chosen, manager=update(net_stance="bullish")).probability_post == 0.65


def test_the_manager_reads_what_was_said_and_its_weight() -> None:
    desk = Desk()
    summary_of("debate.rounds=2", desk=desk)
    inputs: Any = next(one.inputs for one in desk.requests if one.seat == "manager")
    assert {claim.side for claim in inputs.claims} == {"bull", "bear"}
    assert len(inputs.rounds) == 2
    assert inputs.evidence == case_of().bundle
    shown = set(type(inputs).model_fields)
    assert shown == {"evidence", "rounds", "statements", "claims", "question", "ticker"}, "neither score nor stance"
    assert inputs.statements is None, "debaters are read by their rounds"


def test_the_reason_names_who_gained_and_with_what() -> None:
    found = summary_of(manager=update(net_stance="bearish"))
    lead = next(item_.label for item_ in BUNDLE if item_.id == "px.drawdown_252d")
    assert (found.reason or "").startswith(f"bear gained, says the manager; its lead: {lead}")
    assert summary_of(manager=update(net_stance="neutral")).reason == "neither side gained, says the manager"


RULING = {"claim": "bull.1.c1", "ruling": "stands", "because": "as said"}
CONDITION = {"evidence": "px.ret_63d", "comparison": "below", "value": 0.0}

# what the reply changes, what the repair turn and the reason say
VOID = [
    ({"bear_thesis": "The trend  holds.", "bull_thesis": "the TREND holds."}, "/bear_thesis: the same sentence"),
    ({"rulings": [RULING, {**RULING, "claim": "bull.1.c9"}]}, "there is no claim bull.1.c9"),
    ({"rulings": [{**RULING, "claim": "bull.2.c1"}]}, "there is no claim bull.2.c1"),
    ({"would_resolve_if": [{**CONDITION, "evidence": "px.target"}]}, "px.target is not in the evidence given"),
    ({"net_stance": "buy"}, "/net_stance"),
    ({"bull_thesis": ""}, "/bull_thesis"),
    ({"bull_thesis": None}, "/bull_thesis is required here"),
    ({"bear_thesis": ...}, "/bear_thesis is required here"),
    ({"conviction_delta": 2}, "/conviction_delta"),
    ({"ticker": "OTHER"}, "/ticker"),
    ({"rulings": [{**RULING, "ruling": "wins"}]}, "/rulings/0/ruling"),
]


@pytest.mark.parametrize(("fields", "words"), VOID)
def test_a_reply_that_breaks_a_rule_is_asked_again_and_then_void(fields: dict[str, Any], words: str) -> None:
    desk = Desk(manager=lambda request, answer: {k: v for k, v in {**answer, **fields}.items() if v is not ...})
    found = summary_of(desk=desk)
    assert len(desk.prompts("manager")) == 2
    assert words in desk.prompts("manager")[1]
    assert words in (found.reason or "")
    _failed(found, "failed")


@pytest.mark.parametrize("said", [constant("?"), REFUSAL, constant("[]"), constant("{}")])
def test_a_void_manager_leaves_no_numbers(said: Changed) -> None:
    found = summary_of(manager=said)
    assert (found.reason or "").startswith("manager void: ")
    _failed(found, "failed")


def _failed(found: DebateSummary, status: str) -> None:
    assert found.status == status
    assert all(getattr(found, name) is None for name in NUMBERS)
    assert found.readouts["effective_conviction"] is None
    assert (found.rulings, found.would_resolve_if) == ((), ())


def test_a_repaired_manager_counts_and_says_so() -> None:
    replies = iter([{"net_stance": "buy"}, {}])
    found = summary_of(manager=lambda request, answer: {**answer, **next(replies)})
    assert (found.status, found.flags) == ("debated", ("manager_repaired",))


def test_an_answered_claim_needs_a_move_on_it() -> None:
    found = summary_of(manager=update(rulings=[{**RULING, "ruling": "answered", "move": "bear.1"}]))
    assert (found.status, found.rulings) == ("debated", ())
    assert "manager_answered_claims" in found.flags


@pytest.mark.parametrize(
    "idle",
    [
        {**CONDITION, "comparison": "above"},  # it holds already
        {**CONDITION, "evidence": "axis.technical"},  # a word has no threshold
    ],
)
def test_a_condition_that_could_tell_nothing_is_dropped(idle: dict[str, Any]) -> None:
    about = case_of((*BUNDLE, item("axis.technical", 0.5, value="buy", unit="text")))
    found = summary_of(about=about, manager=update(would_resolve_if=[idle, CONDITION]))
    assert [one.model_dump(exclude_none=True) for one in found.would_resolve_if] == [CONDITION]
    assert (found.status, found.flags) == ("debated", ("manager_repaired", "manager_idle_conditions"))


# debates that are none


@pytest.mark.parametrize(("silent", "spoke"), [("bull", "bear"), ("bear", "bull")])
@pytest.mark.parametrize("rounds", [1, 3])
def test_one_side_alone_moves_nothing(silent: str, spoke: str, rounds: int) -> None:
    desk = Desk(**{silent: REFUSAL})
    found = summary_of(f"debate.rounds={rounds}", desk=desk)
    assert (found.status, found.reason) == ("debated", f"one_sided: no valid turn of the {silent}")
    assert (found.conviction_delta, found.probability_post, found.decided_by) == (0, 0.55, None)
    assert (found.net_stance, found.bull_thesis, found.bear_thesis) == (None, None, None)
    assert {"one_sided", f"{silent}_1_void"} <= set(found.flags)
    assert desk.prompts("manager") == []
    assert getattr(found.rounds[0], f"{spoke}_argument")


@pytest.mark.parametrize(
    ("bull", "bear", "status"),
    [
        (REFUSAL, REFUSAL, "refused"),
        (REFUSAL, constant("?"), "failed"),
        (constant("?"), constant("?"), "failed"),
    ],
)
def test_no_valid_turn_is_a_failure_and_never_neutral(bull: Changed, bear: Changed, status: str) -> None:
    desk = Desk(bull=bull, bear=bear)
    found = summary_of(desk=desk)
    _failed(found, status)
    assert (found.reason or "").startswith("no valid turn: ")
    assert desk.prompts("manager") == []


def test_a_gated_name_keeps_the_analysts_view_and_no_theses() -> None:
    desk = Desk()
    found = summary_of("debate.when=none", desk=desk)
    assert (found.status, found.reason) == ("gated", "gated: debates are switched off")
    assert (found.conviction_delta, found.probability_post, found.decided_by) == (0, 0.55, None)
    assert (found.bull_thesis, found.bear_thesis, found.net_stance, found.rounds) == (None, None, None, ())
    assert desk.requests == []


def test_what_was_noticed_in_a_turn_is_a_flag_of_the_debate() -> None:
    found = summary_of("debate.rounds=2", bull=update(ticker=TICKER.lower()))
    assert [flag for flag in found.flags if flag.startswith("bull")] == ["bull_1_ticker_case", "bull_2_ticker_case"]
    assert "bear_2_repeated" in found.flags, "it has no item left to bring"


def test_an_empty_bundle_gives_a_neutral_word_and_theses_that_differ() -> None:
    found = summary_of(about=case_of((item("px.close"),)))
    assert (found.net_stance, found.conviction_delta) == ("neutral", 0)
    assert found.bull_thesis != found.bear_thesis
