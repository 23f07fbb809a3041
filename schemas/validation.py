"""The one shipped validator: it says of any JSON value what is wrong with it under a contract.

It agrees with the models to the letter: a whole number is never `1.0` or `true`, formats are
checked, and a pattern ends at the end (`"AAPL\\n"` is no ticker).
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from jsonschema import Draft202012Validator, FormatChecker, ValidationError, validators
from jsonschema.protocols import Validator

from schemas.grammar import FOLDER, TICKER_PATTERN, VISIBLE, parse_day, parse_utc

if TYPE_CHECKING:
    from schemas.base import Model


class Problem(NamedTuple):
    """One thing that is wrong with a document."""

    pointer: str
    """JSON pointer of the value, empty for the whole document."""
    value: str
    """The value seen, as JSON, shortened."""
    rule: str
    """What was allowed."""
    limit: int | None = None
    """Greatest length allowed, where a text is only too long."""

    def __str__(self) -> str:
        return f"{self.pointer or '(document)'}: {self.value} {self.rule}"


PATTERNS_IN_WORDS = {
    VISIBLE: "holds no visible character",
    TICKER_PATTERN: "is no symbol; write capitals and digits such as AAPL, BRK-B, 0700.HK, ^GSPC",
}

FORMATS = FormatChecker(formats=())


@FORMATS.checks("date", raises=ValueError)
def _is_day(value: object) -> bool:
    parse_day(value)
    return True


@FORMATS.checks("date-time", raises=ValueError)
def _is_moment(value: object) -> bool:
    parse_utc(value)
    return True


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Any:
    if isinstance(instance, str) and not _anchored(pattern).search(instance):
        yield ValidationError(f"must match {pattern}")


@cache
def _anchored(pattern: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\$$", r"\\Z", pattern))


def _is_integer(_: Any, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _type(validator: Any, types: Any, instance: Any, schema: Any) -> Any:
    yield from Draft202012Validator.VALIDATORS["type"](validator, types, instance, schema)
    if types == "number" and isinstance(instance, int | float) and not _is_finite(instance):
        yield ValidationError("must be a finite number")


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


_Strict: Any = validators.extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    validators={"pattern": _pattern, "type": _type},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer),
)


@cache
def _validator(contract: type[Model] | str) -> Validator:
    if isinstance(contract, str):
        schema = json.loads((FOLDER / f"{contract}.schema.json").read_text(encoding="utf-8"))
    else:
        from schemas.generate import json_schema

        schema = json_schema(contract)
    checked: Validator = _Strict(schema, format_checker=FORMATS)
    return checked


def published() -> tuple[str, ...]:
    """Names of the published contracts. Reads the folder of committed schemas."""
    return tuple(sorted(path.name.removesuffix(".schema.json") for path in FOLDER.glob("*.schema.json")))


def problems(contract: type[Model] | str, value: Any) -> tuple[Problem, ...]:
    """Everything wrong with a parsed JSON value under a contract, in document order; empty if valid.

    The contract is a model, or the name of a published one, whose committed schema is then read.
    """
    found = [one for error in _validator(contract).iter_errors(value) for one in _problems(error)]
    return tuple(dict.fromkeys(one for _, one in sorted(found, key=lambda pair: pair[0])))


def complaints(contract: str, value: Any) -> tuple[Problem, ...]:
    """What is wrong with a document of a published contract: its problems, else a feed that is not as its hash says."""
    found = problems(contract, value)
    if found or contract != "PortfolioFeed":
        return found
    from schemas.feed import feed_hash

    told, made = value["content_hash"], feed_hash(value)
    rule = f"does not fit the content, whose hash is {made}: something was changed"
    return () if told == made else (Problem("/content_hash", _shorten(told), rule),)


Place = tuple[tuple[bool, int, str], ...]
"""A place in a document, sortable: list positions as numbers, keys as words."""


def _problems(error: Any) -> list[tuple[Place, Problem]]:
    if error.validator in ("anyOf", "oneOf") and error.context:
        return [one for inner in _meant(error) for one in _problems(inner)]
    path = list(error.absolute_path)
    place = tuple((isinstance(part, str), part if isinstance(part, int) else 0, str(part)) for part in path)
    pointer = "".join(f"/{_escape(part)}" for part in path)
    if error.validator == "additionalProperties" and error.validator_value is False:
        known = ", ".join(error.schema.get("properties", {}))
        rule = f"is an unknown key; known are {known}"
        unknown = sorted(set(error.instance) - set(error.schema.get("properties", {})))
        return [(place, Problem(f"{pointer}/{_escape(key)}", _shorten(error.instance[key]), rule)) for key in unknown]
    limit = error.validator_value if error.validator == "maxLength" else None
    return [(place, Problem(pointer, _shorten(error.instance), _rule(error), limit))]


def _meant(error: Any) -> list[Any]:
    """Complaints of the option that the value comes closest to: the right type, then the right tag, then the fewest."""
    options: dict[int, list[Any]] = {}
    for inner in error.context:
        options.setdefault(inner.relative_schema_path[0], []).append(inner)

    def distance(complaints: list[Any]) -> tuple[bool, bool, int]:
        own = [one for one in complaints if not one.relative_path]
        wrong_type = any(one.validator == "type" for one in own)
        wrong_tag = any(one.validator in ("const", "enum") for one in complaints if len(one.relative_path) <= 1)
        return wrong_type, wrong_tag, len(complaints)

    return min(options.values(), key=distance)


def _rule(error: Any) -> str:
    limit, instance = error.validator_value, error.instance
    match error.validator:
        case "maxLength":
            return f"has {len(instance)} characters; at most {limit} are allowed"
        case "minLength":
            return f"has {len(instance)} characters; at least {limit} are needed"
        case "pattern":
            return PATTERNS_IN_WORDS.get(str(limit), f"must match {limit}")
        case "type":
            return f"must be {_article(limit)}"
        case "enum" | "const":
            options = limit if error.validator == "enum" else [limit]
            return f"must be one of {', '.join(json.dumps(option) for option in options)}"
        case "required":
            absent = [name for name in limit if name not in instance]
            return f"lacks the key {', '.join(absent)}"
        case "minimum":
            return f"must be at least {limit}"
        case "maximum":
            return f"must be at most {limit}"
        case "format":
            return f"must be a {limit}"
    return str(error.message)


def _article(kind: object) -> str:
    words = {"integer": "a whole number", "number": "a number", "string": "a string"}
    words |= {"object": "an object", "array": "a list", "boolean": "true or false", "null": "null"}
    return words.get(str(kind), str(kind))


def _escape(part: object) -> str:
    return str(part).replace("~", "~0").replace("/", "~1")


def _shorten(value: object, limit: int = 80) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= limit else text[: limit - 1] + "…"
