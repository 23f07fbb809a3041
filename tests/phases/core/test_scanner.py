"""The strict scanner: which texts hold exactly one JSON object, why others do not, and at what cost."""

from __future__ import annotations

import json
import sys
import tracemalloc
from contextlib import suppress
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from phases.core import scanner
from phases.core.scanner import DEPTH_LIMIT, SIZE_LIMIT, Malformed, find_object, strict_json
from tests.phases.core.scripted import SEARCH
from tests.support import cpu_seconds

ONE = '{"a": {"b": "}{ \\" [", "c": [1, 2.5, true, null]}}'
VALUE = {"a": {"b": '}{ " [', "c": [1, 2.5, True, None]}}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ONE, id="alone"),
        pytest.param(f"\n\t {ONE}\r\n ", id="white space around"),
        pytest.param(f"\ufeff{ONE}", id="byte order mark"),
        pytest.param(f"```json\n{ONE}\n```", id="fenced"),
        pytest.param(f"```\n{ONE}\n```\n", id="fenced without a language"),
        pytest.param(f"```json\r\n{ONE}\r\n```\r\n", id="fenced, CRLF"),
        pytest.param(f"Here it is:\n```json\n{ONE}\n```\nBye.", id="fence in prose"),
        pytest.param(f"Here is my answer: {ONE}", id="prose before"),
        pytest.param(f"{ONE}\nHope this helps!", id="prose after"),
        pytest.param(f'He said "fine" and it\'s so: {ONE} ("done")', id="quotes in prose"),
        pytest.param(f"See [1] and [2]: {ONE} [3]", id="marks of references in prose"),
        pytest.param(f"{ONE} and a stray }} here", id="closing brace in prose"),
        pytest.param(f"{ONE} and a stray }}", id="F002 closing brace at the end"),
    ],
)
def test_one_object_is_found(text: str) -> None:
    assert find_object(text) == VALUE


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("", "empty", id="nothing"),
        pytest.param(" \n\t ", "empty", id="white space"),
        pytest.param("```json\n\n```", "empty", id="empty fence"),
        pytest.param("I would rather not say.", "no complete JSON object", id="prose alone"),
        pytest.param('"text"', "no complete JSON object", id="a string"),
        pytest.param("17", "no complete JSON object", id="a number"),
        pytest.param("null", "no complete JSON object", id="null"),
        pytest.param(json.dumps(ONE), "ends inside", id="an object in a string"),
        pytest.param(f"{ONE}{ONE}", "2 JSON objects", id="two objects"),
        pytest.param(f"{ONE}\n{ONE}", "2 JSON objects", id="two lines"),
        pytest.param(f"```json\n{ONE}\n```\n```json\n{ONE}\n```", "2 JSON objects", id="two fences"),
        pytest.param(f"First {ONE}, then {ONE}, then {ONE}.", "3 JSON objects", id="three in prose"),
        pytest.param(f"Take {{this}}: {ONE}", "2 JSON objects", id="braces in prose"),
        pytest.param(f"[{ONE}]", "list", id="a list"),
        pytest.param(f"[1, {ONE}]", "list", id="a list, object second"),
        pytest.param(f"```json\n[{ONE}]\n```", "list", id="a list, fenced"),
        pytest.param(f"Here: [\n{ONE}\n]", "list", id="a list in prose"),
        pytest.param(ONE[:-1], "ends inside", id="cut at the end"),
        pytest.param(ONE[:12], "ends inside", id="cut inside a string"),
        pytest.param(f"{{ {ONE}", "ends inside", id="one brace too many"),
        pytest.param('{"a": 1, "a": 2}', "'a' stands twice", id="duplicate key"),
        pytest.param('{"a": 1, "a": 1}', "'a' stands twice", id="duplicate key, same value"),
        pytest.param('{"x": [{"b": 1, "\\u0062": 2}]}', "'b' stands twice", id="duplicate key, nested and escaped"),
        pytest.param('{"a": NaN}', "NaN", id="NaN"),
        pytest.param('{"a": [Infinity]}', "Infinity", id="Infinity"),
        pytest.param('{"a": -Infinity}', "-Infinity", id="-Infinity"),
        pytest.param('{"a": 1e999}', "1e999 is too large", id="1e999"),
        pytest.param('{"a": -1e999}', "-1e999 is too large", id="-1e999"),
        pytest.param('{"a": 1' + "0" * 5000 + "}", "digits|too large", id="5,000 digits"),
        pytest.param('{"a": "b\\u0000c"}', "NUL", id="NUL in a value"),
        pytest.param('{"a\\u0000": "c"}', "NUL", id="NUL in a key"),
        pytest.param('{"a": "b\x00c"}', "not JSON", id="raw NUL"),
        pytest.param('{"a": "\\ud800"}', "surrogate", id="lone high surrogate"),
        pytest.param('{"a": ["\\udc00x"]}', "surrogate", id="lone low surrogate"),
        pytest.param('{"\\udfff": 1}', "surrogate", id="lone surrogate in a key"),
        pytest.param('{"a": "\ud800"}', "surrogate", id="raw lone surrogate"),
        pytest.param('{"a": "one\ntwo"}', "not JSON", id="raw line break in a string"),
        pytest.param("{'a': 1}", "not JSON", id="single quotes"),
        pytest.param('{"a": 1,}', "not JSON", id="trailing comma"),
        pytest.param('{"a": 1 /* x */}', "not JSON", id="comment"),
        pytest.param('{"a": True}', "not JSON", id="Python word"),
        pytest.param('{"a": 01}', "not JSON", id="leading zero"),
        pytest.param('{"a": "\\x41"}', "not JSON", id="unknown escape"),
        pytest.param("{" * 100_000, "ends inside", id="100,000 braces"),
        pytest.param("[" * 100_000 + ONE, "list", id="100,000 brackets before the object"),
        pytest.param(f"well {'[' * 100_000}{ONE}", "list", id="100,000 brackets after a word"),
        pytest.param('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "deeper", id="100,000 brackets inside"),
        pytest.param('{"a": "' + "x" * SIZE_LIMIT + '"}', "larger than 256 kB", id="too large"),
    ],
)
def test_anything_else_is_malformed_and_says_why_within_a_second(text: str, why: str) -> None:
    def refused() -> None:
        with pytest.raises(Malformed, match=why):
            find_object(text)

    assert cpu_seconds(refused) < 1


@pytest.mark.parametrize(
    "text",
    [f"Sure: [null, {ONE}]", f"Both: [\n  1,\n  {ONE}\n]\nDone."],
    ids=["F024 list after a word", "F024 list over lines"],
)
def test_an_object_further_back_in_a_list_in_prose_is_malformed(text: str) -> None:
    with pytest.raises(Malformed):
        find_object(text)


@pytest.mark.parametrize(
    ("over", "fits"),
    [(0, True), (1, False)],
    ids=["at the limit", "one above"],
)
def test_depth_limit(over: int, fits: bool) -> None:
    inside = DEPTH_LIMIT - 1 + over
    text = '{"a": ' + "[" * inside + "]" * inside + "}"
    if fits:
        assert strict_json(text) == find_object(text)
    else:
        with pytest.raises(Malformed, match=f"deeper than {DEPTH_LIMIT} levels"):
            find_object(text)


def test_depth_counts_no_bracket_inside_a_text() -> None:
    assert find_object(json.dumps({"a": '\\"[{' * 1000})) == {"a": '\\"[{' * 1000}


@pytest.mark.parametrize("unit", ["x", "é", "\U0001f600"], ids=["1 byte", "2 bytes", "4 bytes"])
def test_size_limit_is_in_bytes(unit: str) -> None:
    room = SIZE_LIMIT - len('{"a": ""}')
    size = len(unit.encode())
    fits = '{"a": "' + unit * (room // size) + "x" * (room % size) + '"}'
    assert len(fits.encode()) == SIZE_LIMIT
    assert find_object(fits)
    with pytest.raises(Malformed, match="larger"):
        find_object(fits + " ")


def test_5_mb_cost_less_than_50_mb() -> None:
    text = '{"a": "' + "x" * 5_000_000 + '"}'
    tracemalloc.start()
    try:
        with pytest.raises(Malformed, match="larger"):
            find_object(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 50_000_000


def _lines_run(text: str) -> int:
    """How many lines of the scanner run over a text: its work, counted."""
    ran = 0

    def count(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal ran
        if frame.f_code.co_filename != scanner.__file__:
            return None
        ran += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        with suppress(Malformed):
            find_object(text)
    finally:
        sys.settrace(before)
    return ran


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(lambda n: "{" * n, id="opening braces"),
        pytest.param(lambda n: "}" * n, id="closing braces"),
        pytest.param(lambda n: "{}" * n, id="empty objects"),
        pytest.param(lambda n: "[" * n + ONE, id="brackets"),
        pytest.param(lambda n: '{"a": ' + "[" * n, id="brackets inside"),
        pytest.param(lambda n: '{"a": "' + "\\\\" * n + '"}', id="backslashes"),
        pytest.param(lambda n: '{"a": "' + '\\"' * n + '"}', id="escaped quotes"),
        pytest.param(lambda n: '"' * n + ONE, id="quotes in prose"),
        pytest.param(lambda n: "```json\n" + "\n```" * n, id="fences"),
        pytest.param(lambda n: " \n" * n, id="white space"),
        pytest.param(lambda n: '{"a": [' + "{}," * n + "{}]}", id="many parts"),
        pytest.param(lambda n: "{" + ", ".join(f'"k{at}": 1' for at in range(n)) + "}", id="many keys"),
        pytest.param(lambda n: "{" + ", ".join('"k": 1' for _ in range(n)) + "}", id="one key many times"),
    ],
)
def test_work_is_linear(shape: Any) -> None:
    once, twice = (_lines_run(shape(size)) for size in (3000, 6000))
    assert twice <= 2.2 * once + 100


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("```json\n" + " \n" * 100_000 + "x", id="white space in an open fence"),
        pytest.param("```json\n" + "\n```" * 60_000, id="fences"),
        pytest.param("```json\n{}\n```" + " \n" * 100_000 + "x", id="white space after a fence"),
        pytest.param(" \n" * 120_000 + "```", id="white space before a fence"),
    ],
)
def test_the_fence_is_found_or_not_within_a_second(text: str) -> None:
    def sought() -> None:
        with suppress(Malformed):
            find_object(text)

    assert cpu_seconds(sought) < 1


MARKS = st.sampled_from(
    [
        *(
            "{",
            "}",
            "[",
            "]",
            '"',
            "\\",
            ",",
            ":",
            "```",
            "```json\n",
            "\n",
            " ",
            "a",
            '"a"',
            "1",
            "1e999",
            "NaN",
            "null",
        ),
        *("\\u0000", "\\ud800", "\ud800", "\x00", "\ufeff", "é", "\U0001f600", '{"a":1}', '"a":'),
    ]
)
ANY_TEXT = st.text(st.characters(codec=None)) | st.lists(MARKS, max_size=40).map("".join)


@SEARCH
@given(ANY_TEXT)
@example('{"a": "' + "[" * 100)
@example("{" * 70 + "}" * 70)
def test_any_text_is_an_object_or_malformed(text: str) -> None:
    try:
        found = find_object(text)
    except Malformed as error:
        assert str(error)
    else:
        assert isinstance(found, dict)
        json.dumps(found, allow_nan=False, ensure_ascii=False).encode()


STORABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | STORABLE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STORABLE, inner, max_size=4),
    max_leaves=12,
)
PROSE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="{}[]`\x00"))


@SEARCH
@given(st.dictionaries(STORABLE, VALUES, max_size=4), PROSE, PROSE, st.booleans(), st.booleans())
def test_every_object_is_found_in_any_dress(
    value: dict[str, Any], before: str, after: str, ascii_only: bool, fence: bool
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    dressed = f"```json\n{text}\n```" if fence else f"{before}{text}{after}"
    assert find_object(dressed) == value


def test_a_reply_of_countless_values_is_refused_before_it_is_validated() -> None:
    with pytest.raises(Malformed, match="more than 10000 values"):
        find_object(f'{{"claims": [{"1," * 20_000}1]}}')
