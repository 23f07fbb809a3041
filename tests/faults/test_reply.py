"""The catalogue's faults of replies, read with the real contracts and the checks of the real phases."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from phases.core.reading import Check, Outcome, Read, read
from phases.core.skills import Skill
from phases.core.store import Store, open_store
from phases.debate.checks import checks_of
from phases.debate.protocol import Protocol, read_protocol
from phases.plan import CONFIGS
from phases.research_manager import CHECKS as MANAGER_CHECKS
from schemas.base import Model
from schemas.debate import DebateRoundContribution
from schemas.ledger import Voided
from schemas.manager import ManagerInputs, ManagerReply
from schemas.market import Question
from tests.faults.test_semantic import held
from tests.phases.core.scripted import DAY, Scripted, asked, door, evidence, reply, said
from tests.support import REFUSAL, Changed, constant, cpu_seconds, update

PROTOCOL = CONFIGS / "protocols" / "rounds.yaml"


def checked(protocol: Protocol) -> tuple[Check[Any], ...]:
    """The checks of a debater's turn in the loop."""
    return checks_of(DebateRoundContribution, protocol, protocol.loop[0])


DEBATE_CHECKS = checked(read_protocol(PROTOCOL.read_text(encoding="utf-8"), str(PROTOCOL)))

GRANTED = {"text": "It swings.", "evidence": ["px.ret_63d"], "why_limited": "It always did."}
VALID = json.dumps(said(acknowledged=GRANTED))
SENTENCE = "The trend is intact and volume grows. "
STANCE = "I stay bullish on AAPL."
LONGEST = "\U0001f680é" * 277 + f". The trend is intact. {STANCE}"
BOTH: tuple[Outcome, Outcome] = ("RETRY", "QUARANTINE")
ACCEPT: tuple[Outcome, Outcome] = ("ACCEPT", "ACCEPT")
REFUSE: tuple[Outcome, Outcome] = ("REFUSE", "REFUSE")


class Fault(NamedTuple):
    """A reply, what becomes of it before and after the repair turn, and what is said of it."""

    text: str
    outcomes: tuple[Outcome, Outcome]
    words: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    stop: str = "end_turn"


def bull(**changes: Any) -> str:
    return json.dumps(said(**{"acknowledged": GRANTED, **changes}))


DEBATER = {
    "F001": Fault(f"```json\n{VALID}\n```", ACCEPT),
    "F002": Fault(f"{VALID}\nHope this helps!", ACCEPT),
    "F003": Fault(f"{VALID}\n{bull(role='bear')}", BOTH, ("2 JSON objects", "exactly one")),
    "F004": Fault(f"Here is my answer: {VALID} That is all.", ACCEPT),
    "F005": Fault(VALID[:60], BOTH, ("cut off", "max_tokens", "keep it shorter"), stop="max_tokens"),
    "F005-context": Fault(VALID[:60], BOTH, ("cut off", "shorter"), stop="model_context_window_exceeded"),
    "F006": Fault(VALID, BOTH, ("cut off", "max_tokens", "keep it shorter"), stop="max_tokens"),
    "F007": Fault("", REFUSE, ("refused",), stop="refusal"),
    "F008": Fault("", BOTH, ("empty",)),
    "F009": Fault("".join((VALID[:60], VALID[60:])), ACCEPT),
    "F009-three": Fault("".join((VALID[:60], VALID, VALID[60:])), BOTH, ("not JSON",)),
    "F010": Fault(bull(role="bear"), BOTH, ("/role", "'bull'", "'bear'")),
    "F011": Fault(bull(ticker="MSFT"), BOTH, ("/ticker", "'AAPL'", "'MSFT'")),
    "F012": Fault(bull(ticker="aapl"), ACCEPT, flags=("ticker_case",)),
    "F012-other": Fault(bull(ticker="aap1"), BOTH, ("/ticker", "aap1")),
    "F013": Fault(bull(round_number=2), BOTH, ("/round_number", "asked for 1", "said 2")),
    "F014-string": Fault(bull(round_number="1"), BOTH, ("/round_number", '"1"', "whole number")),
    "F014-float": Fault(bull(round_number=1.0), BOTH, ("/round_number", "1.0", "whole number")),
    "F014-bool": Fault(bull(round_number=True), BOTH, ("/round_number", "true", "whole number")),
    "F016": Fault(bull(argument=LONGEST), ACCEPT),
    "F017-nothing": Fault(bull(argument=""), BOTH, ("/argument",)),
    "F017-spaces": Fault(bull(argument="  \t\n"), BOTH, ("/argument", "no visible character")),
    "F017-zero-width": Fault(bull(argument="\u200b"), BOTH, ("/argument",)),
    "F018": Fault('{"role": "bear", ' + VALID[1:], BOTH, ("'role'", "twice")),
    "F019": Fault(bull(conviction_delta=2), BOTH, ("/conviction_delta", "unknown key")),
    "F020": Fault(bull(round_number=...), BOTH, ("lacks the key", "round_number")),
    "F021-NaN": Fault(bull(probability=float("nan")), BOTH, ("NaN",)),
    "F021-Infinity": Fault(bull(probability=float("inf")), BOTH, ("Infinity",)),
    "F022": Fault("[" * 100_000 + VALID, BOTH, ("list",)),
    "F022-inside": Fault(f'{VALID[:-1]}, "x": {"[" * 100_000}{"]" * 100_000}}}', BOTH, ("deeper than 64",)),
    "F022-braces": Fault("{" * 100_000 + VALID, BOTH, ("ends inside",)),
    "F023": Fault(bull(argument="x" * 5_000_000), BOTH, ("larger than 256 kB",)),
    "F024": Fault(f"[{VALID}]", BOTH, ("list", "object is needed")),
    "F025": Fault(
        bull(argument=f"Re\u202eturns\u200b lead. They last. {STANCE}"), ACCEPT, flags=("invisible_removed",)
    ),
    "F026": Fault(bull(argument="a\x00b"), BOTH, ("NUL",)),
    "F027": Fault(bull(argument="a\ud800b"), BOTH, ("surrogate",)),
}


def judge(fault: Fault, last: bool) -> Read[DebateRoundContribution]:
    contract = DebateRoundContribution
    return read(fault.text, fault.stop, returns=contract, inputs=asked(), checks=DEBATE_CHECKS, last=last)


@pytest.mark.parametrize("fault", DEBATER.values(), ids=DEBATER)
def test_debater(fault: Fault) -> None:
    both = [judge(fault, last) for last in (False, True)]
    assert cpu_seconds(lambda: judge(fault, True)) < 1
    assert tuple(result.outcome for result in both) == fault.outcomes
    for result in both:
        assert all(word in "; ".join(result.errors) for word in fault.words), result.errors
        assert result.flags == fault.flags
        assert (result.record is not None) == (result.outcome == "ACCEPT")
        if result.record is not None:
            assert (result.record.role, result.record.ticker, result.record.round_number) == ("bull", "AAPL", 1)


def test_F015_over_long() -> None:
    fault = Fault(bull(argument=(SENTENCE * 16)[:601]), BOTH)
    first, repair = judge(fault, False), judge(fault, True)
    assert first.outcome == "RETRY"
    assert "601" in first.errors[0]
    assert "600" in first.errors[0]
    assert (repair.outcome, repair.flags) == ("ACCEPT", ("cut", "sentences", "stance"))
    assert repair.record is not None
    assert repair.record.argument == (SENTENCE * 15).strip() + " [cut]"


def test_F015_over_the_lower_limit_of_a_protocol() -> None:
    text = PROTOCOL.read_text(encoding="utf-8").replace("argument_limit: 600", "argument_limit: 90")
    checks = checked(read_protocol(text, "short.yaml"))
    long = bull(argument=SENTENCE * 2 + STANCE)

    def judged(last: bool) -> Read[DebateRoundContribution]:
        return read(long, "end_turn", returns=DebateRoundContribution, inputs=asked(), checks=checks, last=last)

    assert judged(False).outcome == "RETRY"
    assert "has 99 characters; at most 90" in judged(False).errors[0]
    repair = judged(True)
    assert (repair.outcome, repair.flags) == ("ACCEPT", ("cut",))
    assert repair.record is not None
    assert repair.record.argument == (SENTENCE * 2).strip() + " [cut]"


def test_F023_memory() -> None:
    text = DEBATER["F023"].text
    tracemalloc.start()
    try:
        judge(DEBATER["F023"], False)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(text) > 5_000_000
    assert peak < 50_000_000


def test_F025_nothing_hidden_is_left() -> None:
    record = judge(DEBATER["F025"], False).record
    assert record is not None
    assert record.argument == f"Returns lead. They last. {STANCE}"


# The manager


MANAGER = ManagerInputs(
    evidence=(evidence("px.ret_63d"),),
    rounds=(),
    claims=(),
    question=Question(event="it rises", horizon_sessions=21, benchmark="^GSPC", resolves_on=DAY),
    ticker="AAPL",
)


def ruled(**changes: Any) -> str:
    told = {"bull_thesis": "It grows.", "bear_thesis": "It is dear.", "net_stance": "bullish"}
    return json.dumps({**told, "rulings": [], "would_resolve_if": [], **changes})


RULED = {
    "valid": Fault(ruled(), ACCEPT),
    "F028": Fault(ruled(conviction_delta=3), BOTH, ("/conviction_delta", "3", "unknown key")),
    "F029-fraction": Fault(ruled(conviction_delta=1.5), BOTH, ("/conviction_delta", "1.5", "unknown key")),
    "F029-text": Fault(ruled(conviction_delta="+1"), BOTH, ("/conviction_delta", "+1", "unknown key")),
    "F030": Fault(ruled(net_stance="Bullish "), ACCEPT, flags=("synonym",)),
    "F030-synonym": Fault(ruled(net_stance="positive"), ACCEPT, flags=("synonym",)),
    "F030-other": Fault(ruled(net_stance="mixed"), BOTH, ("/net_stance", '"mixed"', '"bullish", "neutral", "bearish"')),
    "F031": Fault(ruled(rounds=[{"round_number": 1, "bull_argument": "Else."}]), BOTH, ("/rounds", "unknown key")),
}


@pytest.mark.parametrize("fault", RULED.values(), ids=RULED)
def test_manager(fault: Fault) -> None:
    for last in (False, True):
        result = read(fault.text, fault.stop, returns=ManagerReply, inputs=MANAGER, checks=MANAGER_CHECKS, last=last)
        assert result.outcome == fault.outcomes[last]
        assert all(word in "; ".join(result.errors) for word in fault.words), result.errors
        assert result.flags == fault.flags
        if result.record is not None:
            assert result.record.net_stance == "bullish"


@pytest.mark.parametrize(
    "said", [update(conviction_delta=3), update(conviction_delta=1.5), update(conviction_delta="+1")]
)
def test_F028_F029_a_manager_who_states_a_number_is_void_and_the_row_says_so(said: Changed) -> None:
    _, summary, desk = held(manager=said)
    assert len(desk.prompts("manager")) == 2
    assert (summary.status, summary.conviction_delta, summary.net_stance) == ("failed", None, None)
    assert "conviction_delta" in (summary.reason or "")


def test_F030_a_word_of_no_table_never_reaches_the_summary_nor_ends_the_run() -> None:
    _, summary, desk = held(manager=update(net_stance="mixed"))
    assert len(desk.prompts("manager")) == 2
    assert (summary.status, summary.net_stance) == ("failed", None)


def test_F031_stored_rounds_win() -> None:
    """The altered rounds are an unknown key: the turn is sent back once, and the stored rounds stand either way."""
    altered = [{"round_number": 1, "bull_argument": "Else.", "bear_argument": "Else."}]
    transcript, summary, desk = held(manager=update(rounds=altered))
    assert len(desk.prompts("manager")) == 2
    assert summary.rounds == transcript.rounds
    assert summary.rounds
    assert "/rounds" in (summary.reason or "")


def test_F007_a_refused_debater_is_void_and_never_neutral() -> None:
    transcript, summary, desk = held(bull=REFUSAL, bear=REFUSAL)
    assert (len(desk.prompts("bull")), len(desk.prompts("bear"))) == (1, 1)
    assert all("refuse" in event.reason for event in transcript.ledger if isinstance(event, Voided))
    assert (summary.net_stance, summary.conviction_delta) == (None, None)
    assert summary.status in ("refused", "failed")


def test_F008_one_empty_opening_ends_one_sided_and_two_fail() -> None:
    transcript, summary, desk = held(bull=constant(""))
    assert len(desk.prompts("bull")) == 2
    assert transcript.stop_reason.startswith("one_sided")
    assert (summary.conviction_delta, "one_sided" in summary.flags) == (0, True)
    _, summary, _ = held(bull=constant(""), bear=constant(""))
    assert (summary.status, summary.conviction_delta, summary.net_stance) == ("failed", None, None)


def test_F033_form_is_sent_back_once_and_then_flagged() -> None:
    for argument, flag in (
        (f"{STANCE}", "sentences"),
        (f"- Returns lead.\n- They last.\n{STANCE}", "layout"),
        ("Returns lead. They last. It is so.", "stance"),
    ):
        fault = Fault(bull(argument=argument), BOTH)
        assert judge(fault, False).outcome == "RETRY"
        assert judge(fault, True).outcome == "ACCEPT"
        assert flag in judge(fault, True).flags


# Through the door


@pytest.fixture(name="store")
def _store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(tmp_path / "out")
    yield store
    store.close()


@pytest.mark.parametrize("name", [name for name, fault in DEBATER.items() if fault.outcomes == BOTH])
def test_a_fault_costs_one_more_turn_and_then_the_turn_is_void(store: Store, name: str) -> None:
    fault = DEBATER[name]
    provider = Scripted(reply(fault.text, fault.stop), reply(fault.text, fault.stop))
    answer = door(store, provider)("debater", asked(), returns=DebateRoundContribution, checks=DEBATE_CHECKS)
    assert len(provider.requests) == 2
    assert answer.record is None
    assert answer.void is not None
    assert answer.void.startswith("quarantine: ")


@pytest.mark.parametrize("name", [name for name, fault in DEBATER.items() if fault.outcomes == ACCEPT])
def test_an_accepted_turn_is_read_back_unchanged_from_the_store(store: Store, name: str) -> None:
    fault = DEBATER[name]
    inputs: Model = asked()
    first = door(store, Scripted(reply(fault.text)))("debater", inputs, returns=DebateRoundContribution)
    again = door(store, None)("debater", inputs, returns=DebateRoundContribution)
    assert first == again
    assert first.record is not None
    if name == "F016":
        assert first.record.argument == LONGEST
        assert len(LONGEST) == 600


def test_F007_a_refusal_costs_no_second_turn(store: Store) -> None:
    provider = Scripted(reply("", "refusal"))
    answer = door(store, provider)("debater", asked(), returns=DebateRoundContribution, checks=DEBATE_CHECKS)
    assert len(provider.requests) == 1
    assert answer.void == "refuse: the model refused"


@pytest.mark.parametrize("stop", ["pause_turn", "brand_new", "tool_use"])
def test_a_stop_that_is_none_of_the_protocol_costs_no_second_turn_and_is_named(store: Store, stop: str) -> None:
    provider = Scripted(reply(VALID, stop))
    answer = door(store, provider)("debater", asked(), returns=DebateRoundContribution, checks=DEBATE_CHECKS)
    assert len(provider.requests) == 1
    assert answer.record is None
    assert answer.void is not None
    assert answer.void.startswith("error: ")
    assert stop in answer.void


STUBS = {
    "test": "test",
    "string": "string",
    "repeated": "Test, test, test.",
    "sentence": "This is a test argument.",
    "lorem": "Lorem ipsum dolor sit amet.",
    "template": "<your argument here>",
    "braces": "{{argument}}",
    "dots": "...",
    "word": "Buy.",
    "description": "Three to five sentences; the last one restates the side's stance.",
    "example": "ACME leads its index over the year. It is strong. I am bullish on ACME.",
}
EXAMPLE = json.dumps({"role": "bull", "argument": STUBS["example"]}, indent=2)
WITH_EXAMPLE = Skill("debater", f"---\nname: debater\n---\nArgue your side.\n\n```json\n{EXAMPLE}\n```\n")


@pytest.mark.parametrize("argument", STUBS.values(), ids=STUBS)
def test_F032_a_stub_is_sent_back_once_and_then_void(store: Store, argument: str) -> None:
    """That it was sent back and failed again is the word `quarantine` and the flag `repaired`."""
    provider = Scripted(reply(bull(argument=argument)), reply(bull(argument=argument)))
    ask = door(store, provider, skills=[WITH_EXAMPLE])
    answer = ask("debater", asked(), returns=DebateRoundContribution, checks=DEBATE_CHECKS)
    assert len(provider.requests) == 2
    assert "/argument" in provider.requests[1].prompt.text.split("That reply was not accepted:")[1]
    assert answer.record is None
    assert answer.void is not None
    assert answer.void.startswith("quarantine: ")
    assert "say something of this turn's own" in answer.void
    assert "is a stub" in answer.void
    assert "repaired" in answer.flags


def test_F032_a_debate_of_stubs_is_no_debate() -> None:
    transcript, summary, _ = held(bull=update(argument="test"), bear=update(argument="test"))
    assert all(one.bull_argument is None and one.bear_argument is None for one in transcript.rounds)
    assert (summary.status, summary.conviction_delta, summary.net_stance) == ("failed", None, None)


def test_F032_a_stub_inside_a_turn_is_named_with_its_place(store: Store) -> None:
    said = bull(claims=[{"id": "c1", "text": "string", "evidence": ["px.ret_63d"]}])
    provider = Scripted(reply(said), reply(VALID))
    answer = door(store, provider)("debater", asked(), returns=DebateRoundContribution)
    assert "/claims/0/text" in provider.requests[1].prompt.text
    assert answer.record is not None


@pytest.mark.parametrize(
    "argument",
    [
        "The price tests its average. The test held. I stay bullish on AAPL.",
        "\u80a1\u4ef7\u5f3a\u52bf",
        "Content is king. The value of its text answers the argument. I stay bullish on AAPL.",
    ],
    ids=["tests", "Chinese", "words of both kinds"],
)
def test_F032_a_text_that_says_something_is_no_stub(store: Store, argument: str) -> None:
    answer = door(store, Scripted(reply(bull(argument=argument))))("debater", asked(), returns=DebateRoundContribution)
    assert answer.record is not None
