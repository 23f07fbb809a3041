"""Configuration: YAML and `--set` words into one closed, typed record. The only reader of config files.

Scalars stay text until their field's type reads them, so a ticker called `NO` stays `NO`. A key
that stands twice, an unknown key, an alias bomb and an oversized file are errors.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import ValidationError

from phases.core.errors import UsageError
from phases.core.text import nearest, printable
from schemas.base import Model, Section
from schemas.currency import CURRENCY_PATTERN
from schemas.fred_settings import URL_PATTERN
from schemas.grammar import TICKER_PATTERN, VISIBLE
from schemas.settings import BAND_PATTERN, NAMED_SECTIONS, WEIGHT_PATTERN, by_name

FILE_LIMIT = 1024 * 1024
NODE_LIMIT = 100_000
DEPTH_LIMIT = 64

UNSHOWN = (
    "provider.key",
    "provider.headers",
    "provider.proxy",
    "provider.base_url",
    "source.proxy",
    "source.fred.base_url",
)
"""Keys whose values no message repeats: someone may have put a key there."""

PATTERNS: Mapping[str, str] = {
    TICKER_PATTERN: "a symbol such as AAPL or BRK-B",
    VISIBLE: "words that can be seen",
    WEIGHT_PATTERN: "a number such as 0.6 or 3/5",
    CURRENCY_PATTERN: "a currency: its ISO 4217 code such as USD, or GBp, ILA or ZAc for hundredths",
    URL_PATTERN: "an address that begins with https://, or with http:// on a loopback address such as 127.0.0.1",
    BAND_PATTERN: "a number such as 0.02, or a share such as 5%",
    r"^[a-z0-9_-]+$": "a name of small letters, digits, - and _",
    r"^([a-z]+\.([a-z0-9_]+|\*)|\*)$": "the id of an evidence item such as px.ret_63d, or px.*, or *",
    r"^[A-Za-z_][A-Za-z0-9_]*$": "the NAME of an environment variable such as ANTHROPIC_API_KEY",
    r"^[a-z0-9.:-]+$": "a host in small letters such as api.anthropic.com",
    r"^[A-Za-z0-9-]+$": "the name of a header such as X-Team",
}
"""What a text of each pattern is, for a reader."""


COLON = "in braces a colon wants a space after it, as in {KO: GBp}"

_CROWDED = re.compile(r"[{,][^{},\s]+:[^\s,}]")
"""A colon in braces with no space after it."""

M = TypeVar("M", bound=Model)


class _Loader(yaml.CBaseLoader if hasattr(yaml, "CBaseLoader") else yaml.BaseLoader):  # type: ignore[misc]
    """Reads scalars as text and builds nothing but text, lists and mappings."""


def _mapping(loader: Any, node: yaml.MappingNode) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key, line = loader.construct_object(key_node, deep=True), key_node.start_mark.line + 1
        if not isinstance(key, str):
            raise UsageError(f"line {line}: a key must be a word")
        if node.flow_style and ":" in key and not (key_node.style or value_node.style or value_node.value):
            raise UsageError(f"line {line}: {printable(key)!r} is a key without a value; {COLON}")
        if key in found:
            first = next(k.start_mark.line + 1 for k, _ in node.value if k.value == key)
            raise UsageError(f"the key {key!r} stands twice, on lines {first} and {line}; keep one")
        found[key] = loader.construct_object(value_node, deep=True)
    return found


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def secret(name: str) -> str | None:
    """A secret by the name of its environment variable; None where it is not set or empty. Reads the environment."""
    return os.environ.get(name, "").strip() or None


def environment_without(*names: str) -> dict[str, str]:
    """The environment of this process, for another, without these variables. Reads the environment."""
    return {name: value for name, value in os.environ.items() if name not in names}


def load_yaml(path: Path) -> dict[str, Any]:
    """Read one YAML mapping, all scalars as text. Reads a file; raises UsageError naming file and line."""
    return read_mapping(load_text(path), str(path))


def load_text(path: Path) -> str:
    """The text of a file of the user's, without a byte-order mark. Reads a file; raises UsageError naming it."""
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path}: is no file")
        if path.stat().st_size > FILE_LIMIT:
            raise UsageError(f"{path}: larger than {FILE_LIMIT // 1024} kB")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{printable(str(path))}: {getattr(error, 'strerror', None) or error}") from None


def places(section: str, values: Mapping[str, str], files: Iterable[Path], sets: Iterable[str]) -> dict[str, str]:
    """Where each value of a section is written, for a reader: a `--set`, else the line of the first file that has it.

    Reads files, which `load_yaml` has read before.
    """
    said = {word.partition("=")[0].strip() for word in sets}
    found: dict[str, list[str]] = {}
    for key, value in values.items():
        lines = (f"{path}, line {line} ({key})" for path in files if (line := _line(path, section, key)))
        words = (f"--set {name}" for name in (section, f"{section}.{key}") if name in said)
        found.setdefault(value, []).extend([*words, *lines][:1])
    return {value: " and ".join(where) for value, where in found.items() if where}


def _line(path: Path, section: str, key: str) -> int | None:
    """Line of a key of a section; None where the file has none."""
    root = yaml.compose(path.read_text(encoding="utf-8-sig"), Loader=_Loader)
    table = next((value for name, value in getattr(root, "value", ()) if name.value == section), None)
    names = [name for name, _ in table.value if name.value == key] if isinstance(table, yaml.MappingNode) else []
    return names[0].start_mark.line + 1 if names else None


def read_mapping(text: str, where: str) -> dict[str, Any]:
    """Parse one YAML mapping, all scalars as text. Raises UsageError naming `where` and the line."""
    try:
        found = parse_yaml(text)
    except yaml.YAMLError as error:
        words = " ".join(str(error).replace('in "<unicode string>", ', "").split())
        hint = f"; {COLON}" if isinstance(error, yaml.MarkedYAMLError) and _crowded(text, error) else ""
        raise UsageError(f"{where}: {printable(words)}{hint}") from None
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
    if not isinstance(found, dict):
        raise UsageError(f"{where}: must be a mapping of keys to values; write lines such as `key: value`")
    return found


def _crowded(text: str, error: yaml.MarkedYAMLError) -> bool:
    """Whether the line of an error has a colon in braces without a space."""
    lines = text.splitlines()
    marks = (mark.line for mark in (error.problem_mark, error.context_mark) if mark is not None)
    return any(_CROWDED.search(lines[at]) for at in marks if at < len(lines))


def line_of(text: str, key: str) -> int | None:
    """Line of a key such as `debate.rounds` or `loop.0.seats`, or of what is nearest around it; none at all: None.

    >>> line_of("debate:\\n  rounds: 2\\n", "debate.rounds"), line_of("a: 1", "b")
    (2, None)
    """
    try:
        node, line = yaml.compose(text, Loader=_Loader), None
    except yaml.YAMLError:
        return None
    while key and isinstance(node, yaml.CollectionNode):
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        items = [(str(at), one, one) for at, one in enumerate(node.value)] if not pairs else []
        named = items or [(one.value, one, value) for one, value in pairs]
        found = next((one for one in named if key == one[0] or key.startswith(f"{one[0]}.")), None)
        if found is None:
            break
        name, place, node = found
        line, key = place.start_mark.line + 1, key[len(name) + 1 :]
    return line


def parse_yaml(text: str) -> Any:
    """Parse one YAML text into text, lists and mappings. Raises UsageError or yaml.YAMLError."""
    depth = 0
    for nodes, event in enumerate(yaml.parse(text, Loader=_Loader)):
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent):
            raise UsageError(f"line {line}: aliases (*name) are not allowed; write the value out")
        opened = isinstance(event, yaml.CollectionStartEvent)
        depth += opened - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEPTH_LIMIT:
            raise UsageError(f"line {line}: nested deeper than {DEPTH_LIMIT} levels")
        if "\0" in getattr(event, "value", ""):
            raise UsageError(f"line {line}: the character U+0000 is not allowed")
        tag = getattr(event, "tag", None)
        if tag not in (None, "!"):
            raise UsageError(f"line {line}: the tag {tag} is not allowed")
        if nodes > NODE_LIMIT:
            raise UsageError(f"more than {NODE_LIMIT} entries")
    return yaml.load(text, Loader=_Loader)  # noqa: S506 (builds text, lists and mappings only)


def overlay(base: Mapping[str, Any], top: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with the values of `top`; sections are merged, lists and `axes`-like tables of one level too.

    A section's name alone (`source: yahoo`) is its key `name`, and leaves its other keys as they are.
    """
    return _merged(
        *({key: by_name(one) if key in NAMED_SECTIONS else one for key, one in x.items()} for x in (base, top))
    )


def _merged(base: Mapping[str, Any], top: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in top.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def with_words(config: Mapping[str, Any], words: Iterable[str]) -> dict[str, Any]:
    """`config` with `--set a.b=c` words applied; the value is YAML, its scalars text."""
    result = dict(config)
    for word in words:
        if not word.isprintable():
            raise UsageError(f"--set {word!a}: holds a character that cannot be shown")
        path, equals, text = word.partition("=")
        if not equals or not path.strip():
            raise UsageError(f"--set {printable(word)}: write it as key=value, for example debate.rounds=2")
        try:
            value: Any = parse_yaml(text) if text.strip() else ""
        except yaml.YAMLError:
            hint = f"; {COLON}" if _CROWDED.search(text) else ""
            raise UsageError(f"--set {printable(word)}: the value is not YAML{hint}") from None
        except UsageError as error:
            raise UsageError(f"--set {printable(word)}: {str(error).removeprefix('line 1: ')}") from None
        for part in reversed(path.strip().split(".")):
            value = {part: value}
        result = overlay(result, value)
    return result


def named(table: Mapping[str, Any], key: str, name: str) -> Any:
    """What a table has under a name. Raises UsageError naming the key and what there is."""
    if name not in table:
        raise UsageError(f"{key}: {name!r} is unknown{nearest(name, table)} (known: {', '.join(sorted(table))})")
    return table[name]


def read_record(model: type[M], found: Mapping[str, Any], where: str) -> M:
    """Type a mapping of texts as a record. Raises UsageError naming key, value seen and what is allowed."""
    try:
        record = model.model_validate(found)
    except ValidationError as error:
        wrong = error.errors(include_url=False)
        first = next((one for one in wrong if one["type"] == "extra_forbidden"), wrong[0])
        raise UsageError(f"{where}: {_complaint(model, dict(first))}") from None
    for contradiction in record.descending() if isinstance(record, Section) else ():
        raise UsageError(f"{where}: {contradiction}")
    return record


def _complaint(model: type[Model], error: dict[str, Any]) -> str:
    path = [str(part) for part in error["loc"]]
    name = ".".join(path).removesuffix(".[key]")
    if error["type"] == "extra_forbidden":
        known = _keys_at(model, path[:-1])
        options = ", ".join(known)
        return f"unknown key {printable(name)}{nearest(path[-1], known)} (known here: {options})"
    if error["type"] == "missing":
        return f"the key {name} is missing"
    seen = "what stands there" if name.startswith(UNSHOWN) else repr(printable(str(error["input"]))[:60])
    return f"{printable(name)}: {seen} is not allowed: it must be {_allowed(model, path, error)}"


def _allowed(model: type[Model], path: list[str], error: Mapping[str, Any]) -> str:
    """What a value had to be, in words."""
    match error["type"]:
        case "greater_than_equal" | "less_than_equal" | "int_parsing" | "int_type" | "float_parsing" | "float_type":
            low, high, kind = (_bound(model, path, name) for name in ("minimum", "maximum", "type"))
            number = "a number" if kind == "number" else "a whole number"
            return (
                number + (f" from {low:g}" if low is not None else "") + (f" to {high:g}" if high is not None else "")
            )
        case "string_pattern_mismatch":
            pattern = error["ctx"]["pattern"]
            return PATTERNS.get(pattern, f"text like {pattern}")
        case "string_too_short":
            return "a word, not nothing"
        case "too_short":
            return "a list or section with at least one entry"
        case "int_parsing_size":
            return "a smaller number"
        case "tuple_type":
            return f"a list, for example [{_one_word(error['input']) or 'AAPL, IBM'}]"
        case "literal_error":
            allowed, word = error["ctx"]["expected"], str(error["input"])
            known = re.findall("'([^']*)'", allowed)
            return f"{allowed}{nearest(word, known) or nearest(word.upper(), known)}"
        case "dict_type" | "model_type" | "model_attributes_type":
            return "a section with keys of its own"
        case "bool_parsing" | "bool_type":
            return "true or false"
        case "value_error" | "date_from_datetime_parsing":
            return f"a date such as 2012-06-29 ({error['msg'].removeprefix('Value error, ')})"
    message = str(error["msg"])
    return message.removeprefix("Input should be ").removeprefix("String should ")


def _one_word(value: object) -> str | None:
    """What was written where a list should be, if a list may hold it."""
    return value if isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_.^=/-]+", value) else None


def _bound(model: type[Model], path: list[str], name: str) -> Any:
    """What the schema of a numeric field says under a name, such as its `minimum`."""
    schema: Any = model.model_json_schema()
    defs = schema.get("$defs", {})
    for part in path:
        schema = defs.get(str(schema.get("$ref", "")).rpartition("/")[2], schema)
        schema = schema.get("properties", {}).get(part, schema.get("additionalProperties")) or {}
    return next((one[name] for one in (schema, *schema.get("anyOf", ())) if name in one), None)


def _sections(annotation: Any) -> Iterator[type[Model]]:
    """Records that a field holds, however deep in lists and mappings."""
    if isinstance(annotation, type) and issubclass(annotation, Model):
        yield annotation
    for inner in get_args(annotation):
        yield from _sections(inner)


def _keys_at(model: type[Model], path: list[str]) -> list[str]:
    """Field names of the section that a path leads to."""
    for part in path:
        field = model.model_fields.get(part)
        if field is None:  # the key of a mapping, or a place in a list
            continue
        section = next(_sections(field.annotation), None)
        if section is None:
            return []
        model = section
    return list(model.model_fields)
