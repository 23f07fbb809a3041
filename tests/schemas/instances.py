"""JSON values made from a contract's schema: valid ones for hypothesis, and ones with a single thing wrong."""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

import schemas.contracts  # noqa: F401 (defines every record)
from schemas.base import Model, Section
from schemas.generate import json_schema

Schema = Mapping[str, Any]
Path = tuple[str | int, ...]

DAYS = ("0001-01-01", "2008-02-29", "2012-06-29", "9999-12-31")
MOMENTS = ("0001-01-01T00:00:00Z", "2012-06-29T10:00:00Z", "2012-06-29T23:59:59.5Z", "9999-12-31T23:59:59.999999Z")
LETTERS = st.characters(exclude_categories=("Cs",))
"""Every code point that JSON can carry, NUL and the invisible ones included."""


def models() -> list[type[Model]]:
    """Every record of the package, parts of contracts included, in the order of their names."""

    def below(model: type[Model]) -> Iterator[type[Model]]:
        for child in model.__subclasses__():
            yield child
            yield from below(child)

    found = {one for one in below(Model) if one.__module__.startswith("schemas.") and one is not Section}
    return sorted(found, key=lambda one: one.__name__)


# Valid values


def instances(model: type[Model]) -> st.SearchStrategy[Any]:
    """Values that are valid under the schema of a record."""
    schema = json_schema(model)
    return _values(schema, schema.get("$defs", {}))


def _values(schema: Schema, defs: Mapping[str, Schema]) -> st.SearchStrategy[Any]:
    schema = _resolved(schema, defs)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return st.one_of([_values(option, defs) for option in schema[key]])
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    return _OF_TYPE[schema["type"]](schema, defs)


def _resolved(schema: Schema, defs: Mapping[str, Schema]) -> Schema:
    return defs[str(schema["$ref"]).rpartition("/")[2]] if "$ref" in schema else schema


def _objects(schema: Schema, defs: Mapping[str, Schema]) -> st.SearchStrategy[Any]:
    if "properties" not in schema:
        return _mappings(schema, defs)
    parts = {name: st.deferred(lambda part=part: _values(part, defs)) for name, part in schema["properties"].items()}
    needed = {name: part for name, part in parts.items() if name in _needed(schema)}
    return st.fixed_dictionaries(needed, optional={name: part for name, part in parts.items() if name not in needed})


def _needed(schema: Schema) -> set[str]:
    """Required keys, and the tag of a union: the models do not know an event without one."""
    return {*schema.get("required", ()), *(name for name, part in schema["properties"].items() if "const" in part)}


def _mappings(schema: Schema, defs: Mapping[str, Schema]) -> st.SearchStrategy[Any]:
    keys = {"type": "string", **_of_keys(schema)}
    return st.dictionaries(_values(keys, defs), _values(_of_other_keys(schema), defs), max_size=2)


def _arrays(schema: Schema, defs: Mapping[str, Schema]) -> st.SearchStrategy[Any]:
    return st.lists(
        _values(schema["items"], defs), min_size=schema.get("minItems", 0), max_size=min(schema.get("maxItems", 2), 2)
    )


def _strings(schema: Schema, _: object) -> st.SearchStrategy[Any]:
    if "format" in schema:
        written = {"date": st.dates().map(str), "date-time": _moments()}
        return st.sampled_from(DAYS if schema["format"] == "date" else MOMENTS) | written[schema["format"]]
    low, high = schema.get("minLength", 0), schema.get("maxLength")
    if "pattern" not in schema:
        return st.text(LETTERS, min_size=low, max_size=high)
    pattern = re.compile(re.sub(r"\$$", r"\\Z", schema["pattern"]))
    return st.from_regex(pattern, alphabet=LETTERS).filter(lambda text: low <= len(text) <= (high or len(text)))


def _moments() -> st.SearchStrategy[str]:
    return st.datetimes().map(lambda moment: f"{moment.isoformat()}Z")


def _integers(schema: Schema, _: object) -> st.SearchStrategy[Any]:
    return st.integers(schema.get("minimum"), schema.get("maximum"))


def _numbers(schema: Schema, _: object) -> st.SearchStrategy[Any]:
    low, high = schema.get("minimum"), schema.get("maximum")
    whole = st.integers(*(None if end is None else math.ceil(end) for end in (low, high)))
    return st.floats(low, high, allow_nan=False, allow_infinity=False) | whole.filter(fits_float)


def fits_float(number: float) -> bool:
    """Whether a number is finite once it is a double."""
    try:
        return math.isfinite(float(number))
    except OverflowError:
        return False


_OF_TYPE: Mapping[str, Callable[[Schema, Mapping[str, Schema]], st.SearchStrategy[Any]]] = {
    "object": _objects,
    "array": _arrays,
    "string": _strings,
    "integer": _integers,
    "number": _numbers,
    "boolean": lambda *_: st.booleans(),
    "null": lambda *_: st.none(),
}


# One example of every field, for the sweep

TEXTS = ("A", "a", "px.a", "0.5", "loop.0", "USD", "n0123abcd", "https://a.b", "a visible text")
"""One of them satisfies each pattern of the contracts."""


def whole(model: type[Model]) -> dict[str, Any]:
    """A valid value in which no field of the record is absent or empty; records inside it are as small as can be."""
    schema = json_schema(model)
    value: dict[str, Any] = _example(schema, schema.get("$defs", {}), 0)
    return value


def _example(schema: Schema, defs: Mapping[str, Schema], depth: int) -> Any:
    schema = _meant(schema, defs)
    match schema:
        case {"const": value} | {"enum": [value, *_]}:
            return value
        case {"properties": parts}:
            named = parts if depth == 0 else _needed(schema)
            return {name: _example(part, defs, depth + 1) for name, part in parts.items() if name in named}
        case {"type": "object"}:
            key = _example({"type": "string", **_of_keys(schema)}, defs, depth)
            return {key: _example(_of_other_keys(schema), defs, depth)} if depth < 2 else {}
        case {"type": "array"}:
            return [_example(schema["items"], defs, depth)] if depth < 2 or schema.get("minItems") else []
        case {"type": "string", "format": kind}:
            return DAYS[2] if kind == "date" else MOMENTS[1]
        case {"type": "string"}:
            pattern = re.compile(re.sub(r"\$$", r"\\Z", schema.get("pattern", "")))
            return next(text for text in TEXTS if pattern.search(text) and len(text) >= schema.get("minLength", 0))
        case {"type": "boolean"}:
            return True
    return schema.get("minimum", 1)


def _of_keys(schema: Schema) -> Schema:
    """Schema of the keys of a mapping."""
    patterns = [{"pattern": one} for one in schema.get("patternProperties", {})]
    return {**(patterns or [{}])[0], **schema.get("propertyNames", {})}


def _of_other_keys(schema: Schema) -> Any:
    """Schema of the values whose keys are not fixed."""
    return [*schema.get("patternProperties", {}).values(), schema.get("additionalProperties")][0]


def _meant(schema: Schema, defs: Mapping[str, Schema]) -> Schema:
    schema = _resolved(schema, defs)
    options = [option for key in ("anyOf", "oneOf") for option in schema.get(key, ()) if option != {"type": "null"}]
    return _meant(options[0], defs) if options else schema


# One thing wrong

HUGE = 10**400
"""A whole number that no double can hold."""

FOREIGN: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, -1, 5, 6, -6, 1.0, 0.0, -0.0, 1.5, 1e-320, 1e308, 2**53 + 1, 10**30, HUGE, -HUGE),
    *("", " ", "1", "1.0", "true", "null", "NaN", "Infinity", "\u200b", "\u3000", "\u2800", "\U000e0061", "\x00"),
    *([], [None], [[]], [""], {}, {"": 1}, {"kind": "spoke"}, {"kind": None}),
    *("2012-06-29", "20120629", "2012-6-29", "2012-02-30", "2012-13-01", "0000-01-01", "2012-W26-5", "2012-181"),
    *("2012-06-29T00:00:00", "2012-06-29T00:00:00Z", "2012-06-29T00:00:00+00:00", "2012-06-29 00:00:00Z"),
    *("2012-06-29T24:00:00Z", "2012-06-29T23:59:60Z", "2012-06-29T00:00Z", "2012-06-29T00:00:00.1234567Z"),
    *(
        "2012-06-29\n",
        "2012-06-29Z",
        " 2012-06-29",
        "\u0662\u0660\u0661\u0662-06-29",
        20120629,
        1340928000,
        1340928000.5,
    ),
    *(
        "AAPL",
        "AAPL\n",
        "aapl",
        "\uff21\uff21\uff30\uff2c",
        "BRK-B",
        "^GSPC",
        "^",
        "A..B",
        "A" * 20,
        "A" * 21,
        "px.a\n",
    ),
)
"""Values of every kind, to stand where they do not belong."""

FOREIGN_KEYS = ("", " ", "extra", "a", "A", "AAPL\n", "aapl", "A" * 21, "a/b~c", "\u00e9", "kind")


def edges(schema: Schema, value: Any) -> Iterator[Any]:
    """Values at, just inside and just outside every limit, and near misses of the value that is there."""
    for limit in (schema.get("minimum"), schema.get("maximum")):
        if limit is not None:
            yield from (limit, limit - 1, limit + 1, float(limit), str(limit))
            yield from (math.nextafter(limit, -math.inf), math.nextafter(limit, math.inf))
    if isinstance(value, str):
        yield from (f"{value}\n", f"\n{value}", f"{value} ", value.upper(), value.lower(), value.title(), [value])
        for length in (schema.get("minLength", 1) - 1, schema.get("maxLength"), schema.get("maxLength", 0) + 1):
            if length is not None and value:
                yield from ((value * (length // len(value) + 1))[:length], ("\U0001f600" * length))
    if isinstance(value, list):
        yield from (value * 2, [*value, None], {str(at): item for at, item in enumerate(value)}, None)
    if isinstance(value, dict):
        yield from (list(value), list(value.values()), [value], json.dumps(value))


def nodes(model: type[Model], value: Any, *, inside: bool = True) -> Iterator[tuple[Path, Schema, Any]]:
    """Every part of a value with its path and the schema it was made under; with `inside`, of records in it too."""
    schema = json_schema(model)
    yield from _nodes(schema, schema.get("$defs", {}), value, (), inside)


def _nodes(
    schema: Schema, defs: Mapping[str, Schema], value: Any, path: Path, inside: bool
) -> Iterator[tuple[Path, Schema, Any]]:
    schema = _meant(schema, defs)
    yield path, schema, value
    if path and "properties" in schema and not inside:
        return
    if isinstance(value, list):
        for at, item in enumerate(value):
            yield from _nodes(schema.get("items", {}), defs, item, (*path, at), inside)
    elif isinstance(value, dict):
        for key, item in value.items():
            part = schema.get("properties", {}).get(key, _of_other_keys(schema))
            yield from _nodes(part if isinstance(part, Mapping) else {}, defs, item, (*path, key), inside)


def changed(value: Any, path: Path, change: Callable[[Any, Any], Any]) -> Any:
    """A copy in which `change(container, key)` was carried out where the path leads."""
    whole_ = [copy.deepcopy(value)]
    node: Any = whole_
    keys: Sequence[str | int] = (0, *path)
    for key in keys[:-1]:
        node = node[key]
    change(node, keys[-1])
    return whole_[0]


def replaced(value: Any, path: Path, new: Any) -> Any:
    """A copy with another value where the path leads."""
    return changed(value, path, lambda node, key: node.__setitem__(key, new))


def without(value: Any, path: Path) -> Any:
    """A copy that lacks what the path leads to."""
    return changed(value, path, lambda node, key: node.__delitem__(key))


def misses(path: Path, schema: Schema, value: Any, document: Any) -> Iterator[Any]:
    """Every document in which just this part is replaced, absent, or has a key too many."""
    for new in (*FOREIGN, *edges(schema, value)):
        yield replaced(document, path, new)
    if path:
        yield without(document, path)
    if isinstance(value, dict):
        first = next(iter(value.values()), 1)
        for key in FOREIGN_KEYS:
            yield replaced(document, (*path, key), first)
            yield replaced(document, (*path, key), None)
