"""What the shipped validator says: the pointer, the value that was seen, and the rule in words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from schemas import CONTRACTS
from schemas.debate import ARGUMENT_LIMIT
from schemas.validation import Problem, problems
from tests.schemas.instances import whole

TURN = {"role": "bull", "ticker": "ACME", "round_number": 1, "argument": "Bullish on ACME."}


def told(contract: str, document: Any) -> list[str]:
    """Every problem as one line."""
    return list(map(str, problems(CONTRACTS[contract], document)))


def turn(**fields: Any) -> dict[str, Any]:
    return {**TURN, **fields}


def evidence(**fields: Any) -> dict[str, Any]:
    return {**whole(CONTRACTS["Evidence"]), **fields}


def record(**fields: Any) -> dict[str, Any]:
    return {**whole(CONTRACTS["RunRecord"]), **fields}


def condition(**fields: Any) -> dict[str, Any]:
    held = {"evidence": "px.a", "comparison": "above", "value": 1, **fields}
    return turn(
        moves=[{"target": "bear.1.c1", "kind": "carried", "reason": "w", "evidence": [], "would_change_if": held}]
    )


def test_four_fields_are_a_valid_turn() -> None:
    assert problems(CONTRACTS["DebateRoundContribution"], TURN) == ()


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (
            turn(argument="x" * 601),
            f'/argument: "{"x" * 78}… has 601 characters; at most 600 are allowed',
        ),
        (turn(argument=""), '/argument: "" has 0 characters; at least 1 are needed'),
        (turn(argument="\u200b \n"), '/argument: "\\u200b \\n" holds no visible character'),
        (turn(round_number=True), "/round_number: true must be a whole number"),
        (turn(round_number="1"), '/round_number: "1" must be a whole number'),
        (turn(round_number=1.0), "/round_number: 1.0 must be a whole number"),
        (turn(round_number=None), "/round_number: null must be a whole number"),
        (turn(round_number=0), "/round_number: 0 must be at least 1"),
        (turn(role="Bull"), '/role: "Bull" must be one of "bull", "bear"'),
        (turn(role=1), '/role: 1 must be one of "bull", "bear"'),
        (
            turn(ticker="acme"),
            '/ticker: "acme" is no symbol; write capitals and digits such as AAPL, BRK-B, 0700.HK, ^GSPC',
        ),
        (
            turn(ticker="ACME\n"),
            '/ticker: "ACME\\n" is no symbol; write capitals and digits such as AAPL, BRK-B, 0700.HK, ^GSPC',
        ),
        (turn(ticker="A" * 21), f'/ticker: "{"A" * 21}" has 21 characters; at most 20 are allowed'),
        (turn(probability=1.5), "/probability: 1.5 must be at most 1"),
        (turn(probability=-0.01), "/probability: -0.01 must be at least 0"),
        (turn(probability="0.5"), '/probability: "0.5" must be a number'),
        (turn(claims={}), "/claims: {} must be a list"),
        (turn(acknowledged=[]), "/acknowledged: [] must be an object"),
        (
            turn(why=1),
            "/why: 1 is an unknown key; known are "
            "role, ticker, round_number, argument, probability, claims, moves, acknowledged",
        ),
        (condition(by="2012-02-30"), '/moves/0/would_change_if/by: "2012-02-30" must be a date'),
        (condition(by="20120629"), '/moves/0/would_change_if/by: "20120629" must be a date'),
        (condition(evidence="px"), '/moves/0/would_change_if/evidence: "px" has 2 characters; at least 3 are needed'),
        (condition(value=False), "/moves/0/would_change_if/value: false must be a number"),
        (
            turn(acknowledged={"text": "a", "evidence": []}),
            '/acknowledged: {"text": "a", "evidence": []} lacks the key why_limited',
        ),
    ],
    ids=lambda value: value.partition(": ")[0] if isinstance(value, str) else "",
)
def test_pointer_value_and_rule_of_a_turn(document: dict[str, Any], said: str) -> None:
    known = [one for one in told("DebateRoundContribution", document) if one == said]
    assert known, told("DebateRoundContribution", document)


@pytest.mark.parametrize(
    ("contract", "document", "said"),
    [
        ("RunRecord", [], "(document): [] must be an object"),
        ("RunRecord", None, "(document): null must be an object"),
        ("Evidence", evidence(stale=0), "/stale: 0 must be true or false"),
        ("Evidence", evidence(label=7), "/label: 7 must be a string"),
        ("Evidence", evidence(id="PX.a"), '/id: "PX.a" must match ^[a-z]+\\.[a-z0-9_]+$'),
        ("Event", {**whole(CONTRACTS["Event"]), "at": "2012-06-29"}, '/at: "2012-06-29" must be a date-time'),
        ("RunRecord", record(statuses={"bought": 1}), '/statuses: "bought" must be one of "unpaid", "failed"'),
        ("RunRecord", record(statuses={"debated": 0}), "/statuses/debated: 0 must be at least 1"),
        ("RunRecord", record(calls={}), "/calls: {} lacks the key made, replayed, repaired, void"),
        ("FeedRow", {**whole(CONTRACTS["FeedRow"]), "schema_version": "2"}, '/schema_version: "2" must be one of "1"'),
        (
            "Universe",
            {"series": [{"symbol": "A", "days": ["x"], "adj_close": []}]},
            '/series/0/days/0: "x" must be a date',
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isalpha() else "",
)
def test_pointer_value_and_rule(contract: str, document: Any, said: str) -> None:
    assert any(one.startswith(said) for one in told(contract, document)), told(contract, document)


def test_missing_keys_are_named_together() -> None:
    assert told("DebateRoundContribution", {"role": "bull"}) == [
        '(document): {"role": "bull"} lacks the key ticker, round_number, argument'
    ]


def test_unknown_keys_are_named_one_by_one() -> None:
    found = problems(CONTRACTS["DebateRoundContribution"], turn(zeta=1, alpha=[2]))
    assert [(one.pointer, one.value) for one in found] == [("/alpha", "[2]"), ("/zeta", "1")]


@pytest.mark.parametrize(("key", "escaped"), [("a/b", "a~1b"), ("a~b", "a~0b"), ("~1", "~01"), ("", ""), ("é", "é")])
def test_pointer_escapes_what_json_pointer_escapes(key: str, escaped: str) -> None:
    """RFC 6901: `~` is written `~0` and `/` is written `~1`."""
    row = {**whole(CONTRACTS["BiasRow"]), "provenance": {key: {"status": "old"}}}
    assert [one.pointer for one in problems(CONTRACTS["BiasRow"], row)] == [f"/provenance/{escaped}/status"]
    assert [one.pointer for one in problems(CONTRACTS["DebateRoundContribution"], turn(**{key: 1}))] == [f"/{escaped}"]


def test_only_an_over_long_text_has_a_limit() -> None:
    contract = CONTRACTS["DebateRoundContribution"]
    assert [one.limit for one in problems(contract, turn(argument="x" * 601))] == [ARGUMENT_LIMIT]
    assert [one.limit for one in problems(contract, turn(argument="", role="x"))] == [None, None, None]


def test_every_problem_is_told_once() -> None:
    found = problems(CONTRACTS["DebateRoundContribution"], turn(role="x", round_number=0, argument="x" * 601, extra=1))
    assert sorted(one.pointer for one in found) == ["/argument", "/extra", "/role", "/round_number"]
    assert len(set(found)) == len(found)


def test_value_is_json_and_shortened_but_says_its_whole_length() -> None:
    (found,) = problems(CONTRACTS["DebateRoundContribution"], turn(argument="\u202e" + "é" * 900))
    assert len(found.value) == 80
    assert found.value.isascii() is False and found.value.endswith("…")
    assert found.value[:-1].isascii()
    assert "901 characters" in found.rule


def test_problem_of_the_whole_document_says_so() -> None:
    assert str(Problem("", "[]", "must be an object")) == "(document): [] must be an object"


DAYS = ("20120629", "2012-6-29", "2012-02-30", "2012-06-29T00:00:00", "2012-06-29Z", "2012-06-29\n", " 2012-06-29", "")
DAYS += ("2012-W26-5", "2012-181", "0000-01-01", "\u0662\u0660\u0661\u0662-06-29", "12-06-29", "2012/06/29")


@pytest.mark.parametrize("day", [*DAYS, 20120629, 15520, None, True])
def test_a_day_is_written_one_way(day: Any) -> None:
    assert any(one.startswith("/as_of: ") for one in told("Evidence", evidence(as_of=day)))


MOMENTS = ("2012-06-29T10:00:00", "2012-06-29T10:00:00+00:00", "2012-06-29T10:00Z", "2012-06-29 10:00:00Z")
MOMENTS += (
    "2012-06-29T24:00:00Z",
    "2012-06-29T10:00:60Z",
    "2012-06-29t10:00:00z",
    "2012-06-29T10:00:00Z\n",
    "2012-06-29",
)


@pytest.mark.parametrize("moment", [*MOMENTS, 1340928000, None])
def test_a_moment_is_written_one_way(moment: Any) -> None:
    assert any(one.startswith("/at: ") for one in told("Event", {**whole(CONTRACTS["Event"]), "at": moment}))


GOOD = ("A", "BRK-B", "BRK.B", "0700.HK", "^GSPC", "BTC-USD", "EURUSD=X", "CON", "TRUE", "NO", "1", "A" * 20)
BAD = (
    "",
    "a",
    "AAPL ",
    " AAPL",
    "AAPL\n",
    "../A",
    "A/B",
    "A\\B",
    ".A",
    "A.",
    "A..B",
    "-A",
    "A-",
    "^",
    "A^",
    "^^A",
    "Å",
)
BAD += ("A" * 21, "A\x00", "\u0410\u0410", "A\u200bB", "A B", "$A", "A:B", "A,B", "\uff21")


@pytest.mark.parametrize("ticker", GOOD)
def test_is_a_ticker(ticker: str) -> None:
    assert problems(CONTRACTS["DebateRoundContribution"], turn(ticker=ticker)) == ()


@pytest.mark.parametrize("ticker", BAD, ids=ascii)
def test_is_no_ticker(ticker: str) -> None:
    assert {one.pointer for one in problems(CONTRACTS["DebateRoundContribution"], turn(ticker=ticker))} == {"/ticker"}


# What was found wrong and is mended

LONG = {"text": "x" * 201, "evidence": []}


def test_everything_wrong_in_an_optional_block_is_told() -> None:
    found = problems(CONTRACTS["DebateRoundContribution"], turn(claims=[{"id": "c1", **LONG}, {"id": "c2", **LONG}]))
    assert [one.pointer for one in found] == ["/claims/0/text", "/claims/1/text"]


def test_complaint_about_a_ledger_event_is_of_its_own_kind() -> None:
    event = {"kind": "spoke", "seat": "bull", "step": "loop.0", "round_number": 1}
    transcript = {**whole(CONTRACTS["DebateTranscript"]), "ledger": [event]}
    assert told("DebateTranscript", transcript) == [f"/ledger/0: {json.dumps(event)} lacks the key contribution"]


def test_complaint_about_one_of_several_types_is_of_the_values_own() -> None:
    assert told("Evidence", evidence(value=" ")) == ['/value: " " holds no visible character']


def test_problems_stand_in_document_order() -> None:
    view = {**whole(CONTRACTS["AxisView"]), "evidence": ["x"] * 12}
    found = problems(CONTRACTS["AxisView"], view)
    assert [one.pointer for one in found if one.limit is None][::2] == [f"/evidence/{at}" for at in range(12)]


def test_values_are_shown_as_json() -> None:
    (found,) = problems(CONTRACTS["Evidence"], evidence(stale={"b": [1, None]}))
    assert json.loads(found.value) == {"b": [1, None]}
