"""Degenerate replies: a text that fits the schema and says nothing. The door looks at every reply for them.

A stub is a text without a letter, a template's own mark, words of placeholders alone, the description of its field,
or, where the reply argues, a single word or an example of the skill repeated word for word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from phases.core.reading import Check, Finding
from phases.core.scanner import Malformed, strict_json
from phases.core.skills import Skill
from phases.core.text import printable
from schemas.base import Model
from schemas.generate import json_schema

PROSE = 100
"""A field that may hold as many characters is prose; a shorter one is an id or a word."""

_LISTED = (
    "test tests testing string str text lorem ipsum dolor sit amet consectetur adipiscing elit placeholder todo tbd "
    "tba example sample dummy foo bar baz qux asdf argument answer content value insert xxx"
)
_LITTLE = (
    "a an and any be comes for go goes here i in is it its just my of one only or our please some that the there this "
    "to write your"
)

PLACEHOLDERS = frozenset(_LISTED.split())
"""Words that stand where a text was to come."""

_FILLERS = frozenset(_LITTLE.split())
"""Words that say nothing beside a placeholder."""

_TEMPLATE = re.compile(r"(?:<[^<>]*>|\[[^\[\]]*\]|\{+[^{}]*\}+)[.\s]*\Z")
_EXAMPLE = re.compile(r"^```json\n(.*?)\n```$", re.MULTILINE | re.DOTALL)


def stub_check(skill: Skill) -> Check[Any]:
    """No prose of a reply is a stub; one that still is after the repair voids the turn."""
    examples = _examples(skill)

    def find(said: Any, _: Model) -> Sequence[Finding]:
        return tuple(
            Finding(
                f"{pointer}: {printable(text[:60])!r} is a stub, it {why}; say something of this turn's own",
                "void",
                "degenerate",
            )
            for pointer, text, described in _texts(said, "")
            if (why := _stub(text, described) or _empty_speech(pointer, text, examples))
        )

    return Check("stub", find)


def _texts(said: Model, pointer: str) -> Iterator[tuple[str, str, str]]:
    """(pointer, text, description of its field) of each prose text of a record, at any depth."""
    prose = _prose(type(said))
    for name in type(said).model_fields:
        value = getattr(said, name)
        if isinstance(value, str) and name in prose:
            yield f"{pointer}/{name}", value, prose[name]
        elif isinstance(value, Model):
            yield from _texts(value, f"{pointer}/{name}")
        elif isinstance(value, tuple):
            for at, one in enumerate(value):
                yield from _texts(one, f"{pointer}/{name}/{at}") if isinstance(one, Model) else ()


@cache
def _prose(contract: type[Model]) -> Mapping[str, str]:
    """Descriptions of the fields of a contract that hold prose."""
    found = {}
    for name, field in json_schema(contract)["properties"].items():
        options = [field, *field.get("anyOf", ())]
        if max(one.get("maxLength", 0) for one in options) >= PROSE:
            found[name] = field.get("description", "")
    return found


def _stub(text: str, described: str) -> str:
    """Why a text is a stub; empty if it is none.

    >>> _stub("This is a test.", ""), _stub("...", ""), _stub("It tests the average.", "")
    ('is a placeholder', 'holds no word', '')
    """
    words = _words(text)
    if not any(mark.isalpha() for mark in text):
        return "holds no word"
    if _TEMPLATE.match(text.strip()):
        return "is a template's own mark"
    if PLACEHOLDERS.intersection(words) and PLACEHOLDERS.union(_FILLERS).issuperset(words):
        return "is a placeholder"
    return "repeats the description of its field" if words == _words(described) else ""


def _empty_speech(pointer: str, text: str, examples: frozenset[tuple[str, ...]]) -> str:
    """Why what a whole reply argues is a stub; empty if it is none."""
    if pointer.count("/") > 1:
        return ""
    words = _words(text)
    if len(set(words)) == 1 and text.isascii():
        return "says one word"
    return "repeats an example of the skill" if words in examples else ""


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W_]+", text.lower()))


@cache
def _examples(skill: Skill) -> frozenset[tuple[str, ...]]:
    """What the examples of a skill argue, word by word."""
    speeches = (value for one in _objects(skill.body) for value in one.values() if isinstance(value, str))
    return frozenset(words for text in speeches if len(words := _words(text)) > 1)


def _objects(body: str) -> Iterator[dict[str, Any]]:
    """The JSON objects among the fenced examples of a skill; what is not strict JSON there is only prose."""
    for text in _EXAMPLE.findall(body):
        try:
            found = strict_json(text)
        except Malformed:
            found = None
        if isinstance(found, dict):
            yield found
