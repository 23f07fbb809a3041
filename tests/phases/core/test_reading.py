"""Reading a reply: the outcome words, what is mended and flagged, and what never passes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from phases.core.reading import AfterRepair, Check, Finding, Read, cut_at_sentence, read
from schemas.base import Model
from schemas.debate import DebateInputs, DebateRoundContribution
from schemas.validation import problems
from tests.phases.core.scripted import SEARCH, asked, claim, said


def judged(
    reply: object = None,
    *,
    last: bool = False,
    stop: str = "end_turn",
    inputs: DebateInputs | None = None,
    require: Sequence[str] = (),
    checks: Sequence[Check[DebateRoundContribution]] = (),
) -> Read[DebateRoundContribution]:
    text = reply if isinstance(reply, str) else json.dumps(said() if reply is None else reply)
    contract = DebateRoundContribution
    return read(text, stop, returns=contract, require=require, inputs=inputs or asked(), checks=checks, last=last)


def told(result: Read[Any]) -> str:
    return "; ".join(result.errors)


# The outcome words


@pytest.mark.parametrize("last", [False, True], ids=["first", "repair"])
def test_a_valid_reply_is_accepted_without_a_flag(last: bool) -> None:
    result = judged(last=last)
    assert (result.outcome, result.errors, result.flags) == ("ACCEPT", (), ())
    assert result.record is not None
    assert result.record.model_dump(exclude_none=True) == said()


@pytest.mark.parametrize("text", [json.dumps(said()), '{"role": "bu', ""], ids=["complete", "cut", "empty"])
@pytest.mark.parametrize(
    ("stop", "first", "repair"),
    [
        ("max_tokens", "RETRY", "QUARANTINE"),
        ("model_context_window_exceeded", "RETRY", "QUARANTINE"),
        ("refusal", "REFUSE", "REFUSE"),
        ("brand_new", "ERROR", "ERROR"),
        ("tool_use", "ERROR", "ERROR"),
        ("", "ERROR", "ERROR"),
    ],
)
def test_the_stop_reason_is_judged_before_the_text(stop: str, first: str, repair: str, text: str) -> None:
    for last, word in ((False, first), (True, repair)):
        result = judged(text, stop=stop, last=last)
        assert (result.outcome, result.record) == (word, None)
        assert stop in told(result) or word == "REFUSE"


INVALID: Mapping[str, tuple[object, str]] = {
    "empty": ("", "empty"),
    "not strict": ('{"role": "bull", "role": "bear"}', "'role' stands twice"),
    "missing key": (said(round_number=...), "lacks the key round_number"),
    "unknown key": (said(conviction_delta=2), "/conviction_delta: 2 is an unknown key"),
    "whole number as text": (said(round_number="1"), '/round_number: "1" must be a whole number'),
    "whole number as float": (said(round_number=1.0), "/round_number: 1.0 must be a whole number"),
    "whole number as bool": (said(round_number=True), "/round_number: true must be a whole number"),
    "round 0": (said(round_number=0), "/round_number: 0 must be at least 1"),
    "null": (said(argument=None), "/argument: null must be a string"),
    "probability above 1": (said(probability=1.01), "/probability: 1.01 must be at most 1"),
    "probability as text": (said(probability="0.5"), '/probability: "0.5" must be a number'),
    "unknown role": (said(role="judge"), '/role: "judge" must be one of "bull", "bear"'),
    "spaces": (said(argument=" \u00a0\u3000\n"), "holds no visible character"),
    "zero-width only": (said(argument="\u200b\u2060\ufeff"), "at least 1"),
    "other role": (said(role="bear"), "/role: you were asked for 'bull' and said 'bear'"),
    "other ticker": (said(ticker="MSFT"), "/ticker: you were asked for 'AAPL' and said 'MSFT'"),
    "other round": (said(round_number=2), "/round_number: you were asked for 1 and said 2"),
    "line break after the ticker": (said(ticker="AAPL\n"), '/ticker: "AAPL\\n" is no symbol'),
    "Cyrillic ticker": (said(ticker="\u0410APL"), '"\\u0410APL" is no symbol'),
    "evidence id with a capital": (said(claims=[claim(evidence=["PX.x"])]), "/claims/0/evidence/0"),
    "unknown move": (
        said(moves=[{"target": "a", "kind": "ignored", "reason": "No.", "evidence": []}]),
        '"conceded", "rebutted", "carried"',
    ),
    "half a block": (said(acknowledged={"text": "True.", "evidence": []}), "lacks the key why_limited"),
}


@pytest.mark.parametrize(("reply", "why"), INVALID.values(), ids=INVALID)
def test_an_invalid_reply_is_sent_back_once_then_quarantined(reply: object, why: str) -> None:
    first, repair = judged(reply), judged(reply, last=True)
    assert (first.outcome, repair.outcome, first.record, repair.record) == ("RETRY", "QUARANTINE", None, None)
    assert why in told(first)
    assert why in told(repair)


def test_every_error_is_quoted_at_once() -> None:
    wrong = said(round_number="1", role="judge", extra=1, argument=...)
    assert len(judged(wrong).errors) == 4


@pytest.mark.parametrize("value", [..., None], ids=["absent", "null"])
def test_a_required_block_must_be_there(value: object) -> None:
    result = judged(said(claims=value), require=("claims", "probability"))
    assert result.outcome == "RETRY"
    assert result.errors == ("/claims is required here", "/probability is required here")
    assert judged(said(claims=[], probability=0.5), require=("claims", "probability")).outcome == "ACCEPT"


# Echo


@pytest.mark.parametrize("ticker", ["aapl", "Aapl", "aAPL"])
def test_a_case_only_difference_of_the_ticker_is_normalised_and_noted(ticker: str) -> None:
    result = judged(said(ticker=ticker))
    assert (result.outcome, result.flags) == ("ACCEPT", ("ticker_case",))
    assert result.record is not None
    assert result.record.ticker == "AAPL"


@pytest.mark.parametrize(
    ("ask", "answer"),
    [("BRK-B", "BRK.B"), ("BRK-B", "BRKB"), ("AAPL", "AAPL "), ("AAPL", "APPL"), ("^GSPC", "GSPC")],
)
def test_any_other_difference_of_the_ticker_is_refused(ask: str, answer: str) -> None:
    assert judged(said(ticker=answer), inputs=asked(ticker=ask)).outcome == "RETRY"


@pytest.mark.parametrize(("ask", "answer"), [("IBM", "\u0131BM"), ("MSFT", "M\u017fFT"), ("FISV", "\ufb01sv")])
def test_another_letter_is_no_difference_of_case(ask: str, answer: str) -> None:
    assert judged(said(ticker=answer), inputs=asked(ticker=ask)).outcome == "RETRY"


# Invisible characters

INVISIBLE = {
    "soft hyphen": "\u00ad",
    "zero-width space": "\u200b",
    "zero-width joiner": "\u200d",
    "right-to-left mark": "\u200f",
    "right-to-left override": "\u202e",
    "word joiner": "\u2060",
    "isolate": "\u2066",
    "byte order mark": "\ufeff",
    "tag letter": "\U000e0041",
    "delete": "\x7f",
    "C1 control": "\x85",
    "escape": "\x1b",
}


@pytest.mark.parametrize("mark", INVISIBLE.values(), ids=INVISIBLE)
def test_invisible_characters_are_removed_everywhere_with_a_flag(mark: str) -> None:
    result = judged(said(argument=f"Re{mark}turns lead.{mark}", claims=[claim(text=f"{mark}It out{mark}ran it.")]))
    assert (result.outcome, result.flags) == ("ACCEPT", ("invisible_removed",))
    assert result.record is not None
    assert result.record.argument == "Returns lead."
    assert result.record.claims is not None
    assert result.record.claims[0].text == "It outran it."


@pytest.mark.parametrize(
    "mark",
    ["\u034f", "\u115f", "\u2800", "\u3164", "\uffa0", "\ufff9", "\U000e0100", "\U000e01ef", "\U0001d173"],
    ids=ascii,
)
def test_an_argument_of_nothing_a_reader_sees_is_empty(mark: str) -> None:
    assert judged(said(argument=mark * 3)).outcome == "RETRY"


@pytest.mark.parametrize("argument", ["Line one.\nLine two.", "Tab\there.", "é ü 中文 \U0001f680 −2.3 %"])
def test_visible_text_stays_as_it_is(argument: str) -> None:
    result = judged(said(argument=argument))
    assert result.record is not None
    assert (result.record.argument, result.flags) == (argument, ())


# Length

SENTENCE = "The trend is intact and volume grows. "


def test_an_argument_at_the_limit_is_accepted_in_code_points() -> None:
    argument = "\U0001f680" * 300 + "x" * 300
    result = judged(said(argument=argument))
    assert result.record is not None
    assert (result.record.argument, result.flags) == (argument, ())


def test_one_character_too_many_is_sent_back_with_both_numbers() -> None:
    result = judged(said(argument="x" * 601))
    assert result.outcome == "RETRY"
    assert "has 601 characters; at most 600 are allowed" in told(result)


def test_after_the_repair_a_text_is_cut_at_a_sentence_end_with_mark_and_flag() -> None:
    result = judged(said(argument=(SENTENCE * 20).strip()), last=True)
    assert (result.outcome, result.flags) == ("ACCEPT", ("cut",))
    assert result.record is not None
    assert result.record.argument == (SENTENCE * 15).strip() + " [cut]"


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"round_number": "1"}, id="wrong type"),
        pytest.param({"extra": 1}, id="unknown key"),
        pytest.param({"role": "bear"}, id="wrong echo"),
    ],
)
def test_a_text_is_not_cut_where_something_else_is_wrong(more: dict[str, Any]) -> None:
    assert judged(said(argument=SENTENCE * 20, **more), last=True).outcome == "QUARANTINE"


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        pytest.param(said(claims=[claim(text=SENTENCE * 10), claim(text=SENTENCE * 9)]), "ACCEPT", id="two claims"),
        pytest.param(said(claims=[claim(text=SENTENCE * 10), claim(id="C 2")]), "QUARANTINE", id="claim and id"),
        pytest.param(said(ticker="A" * 25), "QUARANTINE", id="ticker"),
        pytest.param(said(claims=[claim(id="c" * 41)]), "QUARANTINE", id="claim id"),
        pytest.param(said(claims=[claim(evidence=["px." + "x" * 80])]), "QUARANTINE", id="evidence id"),
    ],
)
def test_whatever_is_too_long_after_the_repair_is_mended_or_void(reply: object, outcome: str) -> None:
    assert judged(reply, last=True).outcome == outcome


def test_one_long_claim_is_cut() -> None:
    result = judged(said(claims=[claim(text=SENTENCE * 10)]), last=True)
    assert result.flags == ("cut",)
    assert result.record is not None
    assert result.record.claims is not None
    assert result.record.claims[0].text == (SENTENCE * 5).strip() + " [cut]"


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("One is here. Two is there. Three is far.", 34, "One is here. Two is there. [cut]"),
        ("Is it? It is! So be it then, for ever.", 22, "Is it? It is! [cut]"),
        ("No end in sight for this sentence", 20, "No end in sigh [cut]"),
        ("No end of words here", 12, "No end [cut]"),
    ],
)
def test_cut_at_sentence(text: str, limit: int, cut: str) -> None:
    assert cut_at_sentence(text, limit) == cut
    assert len(cut) <= limit


def test_a_number_is_no_sentence_end() -> None:
    text = "It rose. The gain was 3.5 percent."
    assert cut_at_sentence(text, len("It rose. The gain was 3.") + len(" [cut]")) == "It rose. [cut]"


@SEARCH
@given(st.text(min_size=81, max_size=400), st.integers(80, 399))
def test_a_cut_text_fits_and_begins_like_the_whole(text: str, limit: int) -> None:
    cut = cut_at_sentence(text, limit)
    assert len(cut) <= max(limit, len(" [cut]"))
    assert text.startswith(cut.removesuffix(" [cut]"))


# Checks


def check(
    name: str, after_repair: AfterRepair, *, flag: str = "", fires: bool = True
) -> Check[DebateRoundContribution]:
    def find(record: DebateRoundContribution, inputs: Model) -> Sequence[Finding]:
        return [Finding(f"{name} is wrong", after_repair, flag)] if fires else []

    def mend(record: DebateRoundContribution, inputs: Model) -> DebateRoundContribution:
        return record.model_copy(update={"argument": f"{record.argument} {name} mended."})

    return Check(name, find, mend)


@pytest.mark.parametrize(
    ("checks", "first", "repair", "flags"),
    [
        pytest.param([check("a", "void")], "RETRY", "QUARANTINE", (), id="void"),
        pytest.param([check("a", "drop")], "RETRY", "ACCEPT", ("a",), id="drop"),
        pytest.param([check("a", "drop", flag="lost")], "RETRY", "ACCEPT", ("lost",), id="drop with a flag's name"),
        pytest.param([check("a", "flag"), check("b", "flag", flag="odd")], None, "ACCEPT", ("a", "odd"), id="flag"),
        pytest.param([check("a", "drop"), check("b", "void")], "RETRY", "QUARANTINE", (), id="void beats drop"),
        pytest.param([check("a", "flag"), check("b", "drop")], "RETRY", "ACCEPT", ("a", "b"), id="flag and drop"),
        pytest.param([check("a", "void", fires=False)], "ACCEPT", "ACCEPT", (), id="nothing found"),
    ],
)
def test_what_a_check_finds(
    checks: list[Check[DebateRoundContribution]], first: str | None, repair: str, flags: tuple[str, ...]
) -> None:
    before, after = judged(checks=checks), judged(checks=checks, last=True)
    if first is not None:
        assert before.outcome == first
        assert first == "ACCEPT" or "a is wrong" in told(before)
    assert (after.outcome, after.flags) == (repair, flags)
    assert (after.record is not None) == (repair == "ACCEPT")


def test_only_checks_that_drop_mend() -> None:
    result = judged(checks=[check("a", "flag"), check("b", "drop"), check("c", "drop")], last=True)
    assert result.record is not None
    assert result.record.argument == f"{said()['argument']} b mended. c mended."


def test_checks_see_the_typed_reply_and_its_inputs() -> None:
    seen = []

    def find(record: DebateRoundContribution, inputs: Model) -> Sequence[Finding]:
        seen.append((record, inputs))
        return []

    inputs = asked()
    result = judged(inputs=inputs, checks=[Check("see", find)])
    assert seen == [(result.record, inputs)]


def test_checks_do_not_run_on_what_is_no_record() -> None:
    def find(record: DebateRoundContribution, inputs: Model) -> Sequence[Finding]:
        raise AssertionError("must not run")

    assert judged(said(role="bear"), checks=[Check("never", find)]).outcome == "RETRY"


# Whatever comes

PATHS = ("role", "ticker", "round_number", "argument", "probability", "claims", "moves", "acknowledged", "extra")
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.integers(10**20, 10**21)
    | st.floats(-2, 2)
    | st.sampled_from(["", " ", "bull", "bear", "BULL", "AAPL", "aapl", "MSFT", "1", "\u200b", "\U0001f680", "px.a"])
)
CLAIM_LIKE = st.dictionaries(
    st.sampled_from(["id", "text", "evidence", "target", "kind", "reason", "why_limited", "x"]),
    SCALARS | st.lists(SCALARS, max_size=2),
    max_size=5,
)
ODD = SCALARS | st.lists(SCALARS | CLAIM_LIKE, max_size=3) | CLAIM_LIKE | st.text(max_size=30)
FULL = said(
    probability=0.55,
    claims=[claim(), claim(id="c2", text="Volume grows.")],
    moves=[
        {
            "target": "bear.1.c1",
            "kind": "carried",
            "reason": "Open.",
            "evidence": [],
            "would_change_if": {"evidence": "px.ret_63d", "comparison": "below", "value": 0.0, "by": "2001-03-01"},
        }
    ],
    acknowledged={"text": "It is dear.", "evidence": [], "why_limited": "Growth pays for it."},
)


def _sound(result: Read[DebateRoundContribution]) -> None:
    """Accepted and valid under the published schema with the asked words, or refused with a reason."""
    if result.outcome == "ACCEPT":
        assert result.record is not None
        whole = result.record.model_dump(mode="json", exclude_none=True)
        assert problems(DebateRoundContribution, whole) == ()
        assert (result.record.role, result.record.ticker, result.record.round_number) == ("bull", "AAPL", 1)
    else:
        assert result.record is None or result.outcome == "RETRY"
        assert result.errors


@SEARCH
@given(st.dictionaries(st.sampled_from(PATHS), ODD, min_size=1, max_size=3), st.booleans())
@example({"argument": SENTENCE * 20}, True)
@example({"ticker": "aapl"}, False)
def test_a_contribution_with_odd_values_is_valid_or_refused(odd: dict[str, Any], last: bool) -> None:
    _sound(judged({**FULL, **odd}, last=last))


@SEARCH
@given(
    st.integers(0, len(json.dumps(FULL)) - 1),
    st.integers(0, 12),
    st.sampled_from(
        ["", '"', "{", "}", "[", "]", ",", ":", "\\", "0", "9", "e9", "-", ".", " ", "\n", "\x00", "\ud800"]
    ),
    st.booleans(),
)
def test_a_contribution_with_a_text_edit_is_valid_or_refused(at: int, gone: int, put: str, last: bool) -> None:
    text = json.dumps(FULL)
    _sound(judged(text[:at] + put + text[at + gone :], last=last))


@SEARCH
@given(st.text(st.characters(codec=None)), st.text(max_size=20), st.booleans())
def test_any_text_with_any_stop_reason_has_an_outcome(text: str, stop: str, last: bool) -> None:
    _sound(judged(text, stop=stop or "end_turn", last=last))


@pytest.mark.parametrize("zeros", [309, 4000])
def test_a_whole_number_too_large_for_a_number_is_refused(zeros: int) -> None:
    text = json.dumps(FULL).replace('"value": 0.0', '"value": 1' + "0" * zeros)
    assert judged(text).outcome == "RETRY"


def test_the_largest_floats_are_numbers() -> None:
    text = json.dumps(FULL).replace('"value": 0.0', f'"value": {int(math.ldexp(1, 1023))}')
    assert judged(text).outcome == "ACCEPT"


WORDS = st.text(st.sampled_from("ab .,;%$\n\"\\{}[]'é中\U0001f680"), max_size=60).map(lambda text: f"So{text}")
IDS = st.from_regex(r"[a-z]{1,5}\.[a-z0-9_]{1,9}", fullmatch=True)
NAMES = st.from_regex(r"[a-z0-9_.-]{1,9}", fullmatch=True)
CLAIMS = st.fixed_dictionaries({"id": NAMES, "text": WORDS, "evidence": st.lists(IDS, max_size=3)})
MOVES = st.fixed_dictionaries(
    {
        "target": NAMES,
        "kind": st.sampled_from(["conceded", "rebutted", "carried"]),
        "reason": WORDS,
        "evidence": st.lists(IDS, max_size=3),
    }
)
BLOCKS = st.fixed_dictionaries(
    {"argument": WORDS},
    optional={
        "probability": st.floats(0, 1) | st.sampled_from([0, 1]),
        "claims": st.lists(CLAIMS, max_size=3),
        "moves": st.lists(MOVES, max_size=3),
        "acknowledged": st.fixed_dictionaries({"text": WORDS, "evidence": st.lists(IDS), "why_limited": WORDS}),
    },
)


@SEARCH
@given(BLOCKS, st.booleans())
def test_every_valid_contribution_is_accepted_as_it_is(blocks: dict[str, Any], ascii_only: bool) -> None:
    whole = said(**blocks)
    result = judged(json.dumps(whole, ensure_ascii=ascii_only))
    assert (result.outcome, result.flags) == ("ACCEPT", ())
    assert result.record is not None
    assert result.record.model_dump(mode="json", exclude_none=True) == whole


def test_a_lapse_that_only_flags_is_sent_back_once_too() -> None:
    lapse = Check("lapse", lambda reply, inputs: [Finding("say it in full sentences", "flag")])
    assert judged(checks=[lapse]).outcome == "RETRY"
    accepted = judged(checks=[lapse], last=True)
    assert (accepted.outcome, accepted.flags) == ("ACCEPT", ("lapse",))
