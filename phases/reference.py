"""What is made from the tree: docs/configuration.md, from the models and the default configuration, and skills.lock.

`python -m phases.reference` writes them in a checkout; with `--check` it only says which is stale.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from phases.core.bundle import BUNDLE
from phases.core.config import PATTERNS, load_yaml
from phases.core.skills import LOCK, load_skills, lock_text
from phases.plan import CONFIGS, SKILLS
from schemas.generate import json_schema
from schemas.settings import Settings

PAGE = BUNDLE / "docs" / "configuration.md"

HEAD = """# Configuration

<!-- Made by `make schemas` from the models and configs/default.yaml; change those. -->

A night is configured by three layers, each over the one before: [configs/default.yaml](../configs/default.yaml),
which has every key; the file of `--config F`, which holds only what differs; and words such as
`--set debate.rounds=3`. The options `--as-of`, `--debate`, `--protocols`, `--max-cost` and `--offline` say the same
as the keys `as_of`, `debate.when`, `debate.protocols`, `operation.max_cost` and `operation.offline`.

An unknown key is an error that names the nearest known one, and a value that is not allowed is one that says what is.
Tables such as `models` are merged key by key; lists are replaced. Keys decide what a run says and so name it, but for
`operation` and for how `source` and `provider` are reached.
"""


def configuration_page() -> str:
    """The whole page. Reads the default configuration."""
    schema = json_schema(Settings)
    parts = [HEAD, *_section("", schema, schema["$defs"], load_yaml(CONFIGS / "default.yaml"))]
    return "\n".join(parts)


def _section(path: str, schema: Mapping[str, Any], defs: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[str]:
    """Lines of one section: its own keys as a table, then the sections inside it."""
    inner: dict[str, Any] = {}
    rows = []
    for name, node in schema["properties"].items():
        key = f"{path}.{name}" if path else name
        if "$ref" in node:
            inner[key] = {**defs[node["$ref"].rpartition("/")[2]], **node, "values": values[name]}
            continue
        rows.append(f"| `{key}` | {_cell(kind(node))} | {_cell(_shown(values[name]))} | {_cell(node['description'])} |")
    if rows:
        heading = f"{'#' * (2 + path.count('.'))} `{path}`" if path else "## Top level"
        about = [schema["description"], ""] if path else []
        yield from (heading, "", *about, "| key | what it takes | default | meaning |", "|---|---|---|---|", *rows, "")
    for key, part in inner.items():
        yield from _section(key, part, defs, part["values"])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _shown(value: Any) -> str:
    """A default as it is written."""
    return "(empty)" if value == "" else f"`{_flow(value)}`"


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(one)}" for key, one in value.items()) + "}"
    return f"[{', '.join(map(_flow, value))}]" if isinstance(value, list) else str(value)


def kind(node: Mapping[str, Any]) -> str:
    """What a field takes, in plain words.

    >>> kind({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]})
    'a whole number from 1, or empty'
    >>> kind({"type": "array", "items": {"enum": ["fa", "news"]}})
    'a list, each `fa` or `news`'
    """
    if "anyOf" in node:
        options = [kind(one) for one in node["anyOf"] if one.get("type") != "null"]
        return " or ".join(options) + (", or empty" if len(options) < len(node["anyOf"]) else "")
    if "enum" in node:
        words = [f"`{one}`" for one in node["enum"]]
        return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
    return _TYPES[node["type"]](node)


def _number(node: Mapping[str, Any]) -> str:
    ends = [(word, node[name]) for word, name in (("from", "minimum"), ("to", "maximum")) if name in node]
    bounds = [f" {word} {int(end):,}" if end == int(end) else f" {word} {end:g}" for word, end in ends]
    return f"a {'whole ' if node['type'] == 'integer' else ''}number{''.join(bounds)}"


def _text(node: Mapping[str, Any]) -> str:
    if node.get("format") == "date":
        return "a date such as 2012-06-29"
    pattern = node.get("pattern", "")
    return "text" if pattern.startswith("[^") or not pattern else PATTERNS[pattern]


def _table(node: Mapping[str, Any]) -> str:
    names = node.get("propertyNames", {})
    key = kind({"type": "string", **names})
    keys = " by name" if key == "text" else f" by {key}"
    return f"a table{keys}, each {kind(node['additionalProperties'])}"


_TYPES = {
    "integer": _number,
    "number": _number,
    "boolean": lambda node: "`true` or `false`",
    "string": _text,
    "array": lambda node: f"a list, each {kind(node['items'])}",
    "object": _table,
}


def main() -> None:
    """Write the page and the lock of the skills; with `--check` only say which is stale. Writes files."""
    wanted = {PAGE: configuration_page(), SKILLS / LOCK: lock_text(load_skills(SKILLS))}
    stale = [file for file, text in wanted.items() if not file.is_file() or file.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv and stale:
        sys.exit(f"stale, run `make schemas`: {', '.join(file.name for file in stale)}")
    for file in stale:
        file.write_text(wanted[file], encoding="utf-8")


if __name__ == "__main__":
    main()
