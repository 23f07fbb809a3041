"""Hostile replies: valid replies of every contract a model answers, bent in twelve ways from a fixed seed.

Two thousand of them by default, ten thousand with REBUTTAL_NIGHTLY=1, each read as a first and as a repaired reply.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import FrameType
from typing import Any, Literal, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from phases.core.reading import Read, read
from schemas.base import Model
from schemas.debate import DebateRoundContribution
from schemas.grammar import FOLDER
from schemas.validation import problems
from tests.phases.core.scripted import NIGHTLY, asked, claim, said
from tests.schemas.test_wire import ANSWERS
from tests.skills.asked import SKILLS, Asked, contract_of, examples_of
from tests.skills.bindings import BINDINGS

MUTATIONS = 10_000 if NIGHTLY else 2_000
SEED = 20_120_629

Must = Literal["kept", "refused", "either"]
"""What has to become of a bent reply; `either` where it depends on what was hit."""

MENDED = {"synonym", "ticker_case", "invisible_removed", "cut"}
"""Flags of a reply that was made valid by a documented rule, and says so."""


class Valid(NamedTuple):
    """A reply that fits its contract and passes its checks, and how it was asked for."""

    returns: type[Model]
    value: dict[str, Any]
    asked: Asked

    @property
    def text(self) -> str:
        return json.dumps(self.value, ensure_ascii=False)

    def judged(self, text: str, last: bool) -> Read[Any]:
        told = self.asked
        return read(
            text,
            "end_turn",
            returns=self.returns,
            require=told.require,
            inputs=told.inputs,
            checks=told.checks,
            last=last,
        )


REPLIES = [
    Valid(contract_of(SKILLS[name]), example, one)
    for name, binding in BINDINGS.items()
    for example, one in zip(examples_of(SKILLS[name]), binding.asked, strict=True)
]

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.0, 1.5, 10**20, 1e308, "", " ", "1", "\u200b", "mixed", "Bullish ", "concession"),
    *([], {}, [[]], [None], {"a": 1}, "x" * 700, ["px.excess_63d"] * 50, "\u202eabc", "\uff42ull", "BULL", "acme"),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Path of every value inside a value."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*path, key)
        yield from places(part, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy with another value at a path."""
    whole = json.loads(json.dumps(value))
    node = whole
    for part in path[:-1]:
        node = node[part]
    node[path[-1]] = new
    return whole


def truncated(one: Valid, draw: random.Random) -> tuple[str, Must]:
    raw = one.text.encode()
    return raw[: draw.randrange(len(raw))].decode("utf-8", "surrogateescape"), "refused"


def deleted(one: Valid, draw: random.Random) -> tuple[str, Must]:
    at, size = draw.randrange(len(one.text)), draw.randint(1, 12)
    return one.text[:at] + one.text[at + size :], "either"


def inserted(one: Valid, draw: random.Random) -> tuple[str, Must]:
    at = draw.randrange(len(one.text))
    mark = draw.choice(['"', "{", "}", "[", "]", ",", ":", "\\", "0", "e9", "-", ".", "\n", "```", "\\u0000", "//"])
    return one.text[:at] + mark + one.text[at:], "either"


def doubled_key(one: Valid, draw: random.Random) -> tuple[str, Must]:
    key = draw.choice(sorted(one.value))
    other = json.dumps(draw.choice([*ODD, one.value[key]]), ensure_ascii=False)
    pair = f"{json.dumps(key)}: {other}"
    return ("{" + f"{pair}, {one.text[1:]}" if draw.random() < 0.5 else f"{one.text[:-1]}, {pair}" + "}"), "refused"


def swapped(one: Valid, draw: random.Random) -> tuple[str, Must]:
    path = draw.choice(list(places(one.value)))
    held = _at(one.value, path)
    new = draw.choice([held.upper(), f" {held}"]) if isinstance(held, str) and len(held) < 12 else draw.choice(ODD)
    return json.dumps(replaced(one.value, path, new), ensure_ascii=draw.random() < 0.5), "either"


def unicode_trick(one: Valid, draw: random.Random) -> tuple[str, Must]:
    mark = draw.choice(["\u200b", "\u202e", "\ufeff", "\u00ad", "\U000e0041", "\u0131", "\uff1a", "\uff5b", "\u201c"])
    at = draw.randrange(len(one.text) + 1)
    return one.text[:at] + mark + one.text[at:], "either"


def unstorable(one: Valid, draw: random.Random) -> tuple[str, Must]:
    texts = [path for path in places(one.value) if isinstance(_at(one.value, path), str)]
    path = draw.choice(texts)
    bad = _at(one.value, path) + draw.choice(["\x00", "\ud800", "\udfff"])
    return json.dumps(replaced(one.value, path, bad)), "refused"


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        value = value[part]
    return value


def nested(one: Valid, draw: random.Random) -> tuple[str, Must]:
    depth = draw.choice([65, 200, 1_000, 20_000])
    opened, closed = draw.choice([("[", "]"), ('{"a":', "}")])
    inner = opened * depth + "1" + closed * draw.choice([depth, depth - 1, 0])
    key = draw.choice(sorted(one.value))
    return draw.choice([f'{one.text[:-1]}, "x": {inner}' + "}", f'{{"{key}": {inner}}}', opened * depth]), "refused"


def huge(one: Valid, draw: random.Random) -> tuple[str, Must]:
    texts = [path for path in places(one.value) if isinstance(_at(one.value, path), str)]
    filler = draw.choice(["x", "a. ", "\u00e9", "{", '\\"', "\n"]) * draw.choice([300_000, 400_000])
    return json.dumps(replaced(one.value, draw.choice(texts), filler)), "refused"


def not_a_number(one: Valid, draw: random.Random) -> tuple[str, Must]:
    path = draw.choice(list(places(one.value)))
    bad = draw.choice([float("nan"), float("inf"), float("-inf")])
    text = json.dumps(replaced(one.value, path, bad))
    return (text if draw.random() < 0.7 else text.replace("Infinity", "1e999").replace("NaN", "1e999")), "refused"


BEFORE = ("", "Here is my answer:\n", "Sure! I read [1] and [2].\n\n", 'He said "buy" and I say: ', "Answer (JSON) - ")
AFTER = ("", "\nHope this helps!", "\n\nLet me know; I can do more [see above].", '\nThat is "all".', "\n- done")
FENCES = (("```json\n", "\n```"), ("```\n", "\n```"), ("  ```JSON \n", "\n```  \n"), ("", ""), ("\n\n\t", " \n"))


def wrapped(one: Valid, draw: random.Random) -> tuple[str, Must]:
    indent, (opened, closed) = draw.choice([None, 0, 2]), draw.choice(FENCES)
    body = json.dumps(one.value, ensure_ascii=draw.random() < 0.5, indent=indent)
    return f"{draw.choice(BEFORE)}{opened}{body}{closed}{draw.choice(AFTER)}", "kept"


def doubled(one: Valid, draw: random.Random) -> tuple[str, Must]:
    other = draw.choice([one.text, "{}", '{"a": 1}', json.dumps({**one.value, "x": 1})])
    joined = draw.choice(
        ["{0}{1}", "{0}\n{1}", "{1} or {0}", "[{0}, {1}]", "[{0}]", "```json\n{0}\n```\n```json\n{1}\n```"]
    )
    return joined.format(one.text, other), "refused"


def extra_key(one: Valid, draw: random.Random) -> tuple[str, Must]:
    key = draw.choice(["conviction_delta", "Role", "role ", "", "__class__", "\u200b", "\u0430rgument", "$ref"])
    inside = [(), *(path for path in places(one.value) if isinstance(_at(one.value, path), dict))]
    path = draw.choice(inside)
    return json.dumps(replaced(one.value, (*path, key), draw.choice(ODD))), "refused"


WAYS: tuple[Callable[[Valid, random.Random], tuple[str, Must]], ...] = (
    *(truncated, deleted, inserted, doubled_key, swapped, unicode_trick, unstorable, nested, not_a_number, wrapped),
    *(doubled, extra_key),
)
RARE = 40
"""One mutation in so many is a text of hundreds of kilobytes."""


def strictly_valid(contract: type[Model], text: str) -> bool:
    """What the committed schema says of a text, judged by the library alone."""
    try:
        value = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except (ValueError, RecursionError):
        return False
    return bool(committed(contract).is_valid(value))


@cache
def committed(contract: type[Model]) -> Draft202012Validator:
    return Draft202012Validator(json.loads((FOLDER / f"{contract.__name__}.schema.json").read_text(encoding="utf-8")))


def wrong(one: Valid, text: str, must: Must, last: bool) -> str:
    """What is wrong with how a bent reply was read; empty if nothing is."""
    try:
        found = one.judged(text, last)
    except Exception as error:  # any escape is the failure that is looked for
        return f"escaped: {type(error).__name__}"
    if found.outcome != "ACCEPT":
        sound = found.outcome == ("QUARANTINE" if last else "RETRY") and found.errors
        return "" if sound and must != "kept" else "lost" if must == "kept" else f"outcome {found.outcome}"
    if must == "refused" or found.record is None:
        return "accepted what must be refused"
    if problems(one.returns, found.record.model_dump(mode="json", exclude_none=True)):
        return "accepted a record that breaks its contract"
    for name in ("role", "ticker", "round_number", "seat", "axis"):
        if getattr(found.record, name, None) != getattr(one.asked.inputs, name, None) and hasattr(found.record, name):
            return f"accepted another {name}"
    return "" if MENDED & set(found.flags) or strictly_valid(one.returns, text) else "mended without a flag"


def test_every_contract_that_a_model_answers_is_bent() -> None:
    assert {one.returns for one in REPLIES} == set(ANSWERS)
    assert all(one.judged(one.text, False).outcome == "ACCEPT" for one in REPLIES)


def test_hostile_replies_are_refused_and_valid_ones_kept() -> None:
    draw = random.Random(SEED)
    tried: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    failed: Counter[tuple[str, str]] = Counter()
    shown: dict[tuple[str, str], str] = {}
    for number in range(MUTATIONS):
        way = huge if number % RARE == 0 else WAYS[number % len(WAYS)]
        one = draw.choice(REPLIES)
        text, must = way(one, draw)
        tried[must] += 1
        for last in (False, True):
            why = wrong(one, text, must, last)
            outcomes[why or "as it must"] += 1
            if why:
                failed[way.__name__, why] += 1
                shown.setdefault((way.__name__, why), f"{one.returns.__name__}: {text[:300]!r}")
    lost = sum(times for (_, why), times in failed.items() if why == "lost")
    kept = 1 - lost / (2 * tried["kept"])
    figures = f"{MUTATIONS} mutations: {dict(tried)}; {dict(outcomes)}; valid kept {kept:.2%}; {dict(failed)}; {shown}"
    assert not [why for _, why in failed if why != "lost"], figures
    assert kept >= 0.99, figures
    assert min(tried.values()) >= MUTATIONS // 20, figures


# Linear in the size of the reply


def steps(text: str, last: bool) -> int:
    """Lines of Python carried out while a reply is read."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        read(text, "end_turn", returns=DebateRoundContribution, inputs=asked(), last=last)
    finally:
        sys.settrace(before)
    return count


LONG: Mapping[str, Callable[[int], str]] = {
    "objects": lambda size: '{"a": 1} ' * size,
    "open braces": lambda size: "{" * size,
    "closing braces": lambda size: "}" * size,
    "quotes": lambda size: '{"' * size,
    "backslashes": lambda size: '{"' + "\\" * size,
    "fences": lambda size: "```json\n" * size,
    "brackets in prose": lambda size: "[x] " * size + json.dumps(said()),
    "sentences": lambda size: json.dumps(said(argument="So. " * size)),
    "claims": lambda size: json.dumps(said(claims=[claim(id=f"c{at}") for at in range(size // 10)])),
    "wrong claims": lambda size: json.dumps(said(claims=[claim(text=1) for _ in range(size // 10)])),
    "unknown keys": lambda size: json.dumps({**said(), **{f"k{at}": at for at in range(size // 10)}}),
    "moves with synonyms": lambda size: json.dumps(
        said(moves=[{"target": "c", "kind": "Carry", "reason": "Open.", "evidence": []}] * (size // 10))
    ),
}


@pytest.mark.parametrize("last", [False, True], ids=["first", "repair"])
@pytest.mark.parametrize("long", LONG.values(), ids=LONG)
def test_reading_takes_steps_in_proportion_to_the_size(long: Callable[[int], str], last: bool) -> None:
    steps(long(200), last)
    small, large = steps(long(1_000), last), steps(long(4_000), last)
    assert large <= 4 * small + 2_000, f"{small} steps for a size, {large} for four times that size"
