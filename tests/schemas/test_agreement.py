"""The models and the shipped validator say the same of every JSON value; neither is laxer than the other.

Both are asked about one JSON text: `model_validate_json` directly, `problems` about the parsed
value. Records that hold `Settings` are the exception by design: their scalars are read from YAML
text, where a whole number is written `21` and arrives as `"21"`. There the validator may only
be the stricter one.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from phases.core.reading import read
from phases.core.scanner import Malformed, strict_json
from schemas import CONTRACTS
from schemas.base import Model, Section, Text, Ticker
from schemas.debate import DebateRoundContribution
from schemas.grammar import VISIBLE
from schemas.settings import Settings
from schemas.validation import problems
from tests.schemas.instances import (
    FOREIGN,
    HUGE,
    edges,
    instances,
    misses,
    models,
    nodes,
    replaced,
    whole,
    without,
)

# Nothing is shrunk: a disagreement says what it is in one line, and shrinking a run's header takes minutes.
EASY = settings(
    max_examples=400 if os.environ.get("REBUTTAL_NIGHTLY") else 12,
    deadline=None,
    phases=[Phase.generate],
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)

READ_FROM_TEXT = [model for model in models() if issubclass(model, Section)]
"""`Settings` and its sections."""

STRICT = [model for model in models() if model not in READ_FROM_TEXT]


def accepts(model: type[Model], text: str) -> bool:
    """The model's verdict on a JSON text."""
    try:
        model.model_validate_json(text)
    except ValidationError:
        return False
    return True


def is_valid(model: type[Model], value: Any) -> bool:
    """The validator's verdict on the parsed value."""
    return not problems(model, value)


def disagreement(model: type[Model], value: Any) -> str | None:
    """What the two verdicts are, if they differ."""
    ours, theirs = is_valid(model, value), accepts(model, json.dumps(value))
    if ours == theirs:
        return None
    said = "; ".join(map(str, problems(model, value))) or "valid"
    return f"{model.__name__}: validator: {said}; model: {'valid' if theirs else 'refused'}: {json.dumps(value)[:300]}"


# Disagreements that the search found, kept as examples


class Found(NamedTuple):
    """A contract's whole example with one value in it."""

    contract: str
    path: tuple[str | int, ...]
    value: Any


FOUND = {
    "a ledger event without its tag": Found(
        "DebateTranscript", ("ledger", 0), {"seat": "bull", "round_number": 1, "reason": "refused"}
    ),
    "an exit code written true": Found("RunRecord", ("exit",), True),
    "an exit code written 1.0": Found("RunRecord", ("exit",), 1.0),
    "a key that is no ticker": Found("RunRecord", ("tickers", "aapl"), "debated"),
    "a key that is no ticker, over a foreign value": Found("RunRecord", ("tickers", "aapl"), {"any": "thing"}),
    "a key that is a ticker and a line end": Found("RunRecord", ("tickers", "AAPL\n"), "debated"),
    "a key that is too long for a ticker": Found("RunRecord", ("tickers", "A" * 21), "debated"),
    "a whole number beyond every double": Found("ManagerReply", ("would_resolve_if", 0, "value"), HUGE),
    "a whole number beyond every double, below": Found("ManagerReply", ("would_resolve_if", 0, "value"), -HUGE),
    "a count beyond every double, below its minimum": Found("RunRecord", ("tokens",), -HUGE),
    "a grade beyond every double, above its maximum": Found("Evidence", ("tier",), HUGE),
    "a number that is none": Found("Evidence", ("lean",), float("nan")),
    "a number without end": Found("Evidence", ("lean",), float("-inf")),
}


@pytest.mark.parametrize("name", FOUND)
def test_disagreement_that_was_found_is_mended(name: str) -> None:
    found = FOUND[name]
    model = CONTRACTS[found.contract]
    assert disagreement(model, replaced(whole(model), found.path, found.value)) is None


# The search


def test_every_contract_is_searched() -> None:
    assert set(CONTRACTS.values()) <= {*STRICT, Settings}


@pytest.mark.parametrize("model", models(), ids=lambda model: model.__name__)
def test_whole_example_is_valid_for_both(model: type[Model]) -> None:
    value = whole(model)
    assert problems(model, value) == ()
    assert accepts(model, json.dumps(value))


@pytest.mark.parametrize("model", STRICT, ids=lambda model: model.__name__)
def test_agree_on_every_field_with_one_thing_wrong(model: type[Model]) -> None:
    """Records inside a record have a sweep of their own."""
    document = whole(model)
    found = []
    for path, schema, value in nodes(model, document, inside=False):
        for wrong in misses(path, schema, value, document):
            found.append(disagreement(model, wrong))
    assert [one for one in found if one] == []
    assert found


@pytest.mark.parametrize("model", READ_FROM_TEXT, ids=lambda model: model.__name__)
def test_validator_of_settings_is_never_the_laxer_one(model: type[Model]) -> None:
    document = whole(model)
    for path, schema, value in nodes(model, document, inside=False):
        for wrong in misses(path, schema, value, document):
            if is_valid(model, wrong):
                assert accepts(model, json.dumps(wrong)), wrong


def _searchable() -> list[type[Model]]:
    return [model for model in CONTRACTS.values() if model not in READ_FROM_TEXT]


@pytest.mark.parametrize("model", _searchable(), ids=lambda model: model.__name__)
def test_agree_on_generated_documents(model: type[Model]) -> None:
    @EASY
    @given(st.data())
    def search(data: st.DataObject) -> None:
        document = data.draw(instances(model))
        assert problems(model, document) == ()
        assert accepts(model, json.dumps(document))
        parts = [one for one in nodes(model, document) if one[0][:1] != ("settings",)]
        for _ in range(3):
            path, schema, value = data.draw(st.sampled_from(parts))
            other = data.draw(st.sampled_from(parts))[2]
            new = data.draw(st.sampled_from([*FOREIGN, *edges(schema, value), other]))
            for wrong in (replaced(document, path, new), *([without(document, path)] if path else [])):
                assert disagreement(model, wrong) is None

    search()


@pytest.mark.parametrize("model", list(CONTRACTS.values()), ids=lambda model: model.__name__)
def test_what_a_model_writes_is_valid_and_reads_the_same(model: type[Model]) -> None:
    @EASY
    @given(instances(model))
    def search(document: Any) -> None:
        record = model.model_validate_json(json.dumps(document))
        text = record.model_dump_json()
        assert problems(model, json.loads(text)) == ()
        assert model.model_validate_json(text) == record
        assert json.loads(model.model_validate_json(text).model_dump_json()) == json.loads(text)

    search()


# Letters and spellings


def test_agree_on_which_letters_can_be_seen() -> None:
    text = TypeAdapter(Text)
    ours = re.compile(VISIBLE)

    def takes(letter: str) -> bool:
        try:
            text.validate_python(letter)
        except ValidationError:
            return False
        return True

    planes = [*range(0xD800), *range(0xE000, 0x10000), *(p << 16 | at for p in range(1, 17) for at in (0, 97, 0xFFFF))]
    assert [hex(at) for at in planes if takes(chr(at)) != bool(ours.search(chr(at)))] == []


EVIDENCE = json.dumps({**whole(CONTRACTS["Evidence"]), "value": "@"})

SPELLINGS = (
    *("1", "1.0", "1.", ".5", "01", "+1", "--1", "-0", "-0.0", "1E0", "1e5", "1e", "0x10", "1_000", "1e-400", "1e308"),
    *("NaN", "nan", "Infinity", "-Infinity", "1e400", "-1e400", "1e999999999999", f"1{'0' * 4300}"),
    *("true", "True", "null", "None", "undefined", "'a'", '""', '" "', '"a\tb"', '"a\x7fb"', '"\\x41"', '"\\/"'),
    *('"\\ud83d\\ude00"', '"\\ud800"', '"\\udc00a"', '"\\u200b"', '"\u2028"', '"a\u0085b"', "[1,]", "1 // one", "1,"),
)


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda text: ascii(text[:12]))
def test_agree_on_how_a_value_is_spelled(spelling: str) -> None:
    text = EVIDENCE.replace('"@"', spelling)
    assert _scanned(text) == accepts(CONTRACTS["Evidence"], text)


def _scanned(text: str) -> bool:
    try:
        return is_valid(CONTRACTS["Evidence"], strict_json(text))
    except Malformed:
        return False


@pytest.mark.parametrize("frame", ["\ufeff{}", "{} x", "{}\x00", "\x0b{}", "\xa0{}", "\n{}\n", "[{}]", ""])
def test_agree_on_what_may_stand_around_a_document(frame: str) -> None:
    text = frame.replace("{}", EVIDENCE)
    assert _scanned(text) == accepts(CONTRACTS["Evidence"], text)


@pytest.mark.parametrize("spelling", ['1,"value":2', '"a\\u0000"', f"1{'0' * 4000}"])
def test_only_the_scanner_refuses_doubled_keys_nul_and_hundreds_of_digits(spelling: str) -> None:
    """The model takes all three; so no text reaches it that was not scanned."""
    text = EVIDENCE.replace('"@"', spelling)
    assert accepts(CONTRACTS["Evidence"], text)
    assert not _scanned(text)


# What the reader makes of an over-long text

TURN = {"role": "bull", "ticker": "ACME", "round_number": 1, "argument": "Bullish on ACME."}
LONG = {"text": "x" * 201, "evidence": []}


class Asked(Model):
    """Who was asked."""

    ticker: Ticker


@pytest.mark.parametrize(
    ("claims", "outcome"),
    [
        pytest.param([{"id": "c1", **LONG}, {"id": "c2", **LONG}], "ACCEPT", id="two claims too long"),
        pytest.param([{"id": "c" * 41, "text": "x", "evidence": []}], "QUARANTINE", id="an id too long"),
    ],
)
def test_no_over_long_reply_makes_validator_and_model_disagree(claims: Any, outcome: str) -> None:
    said = json.dumps({**TURN, "claims": claims})
    found = read(said, "end_turn", returns=DebateRoundContribution, inputs=Asked(ticker="ACME"), last=True)
    assert found.outcome == outcome
