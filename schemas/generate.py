"""JSON Schemas from the models: the published contract, and the form a model API accepts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from schemas.base import Model
from schemas.grammar import FOLDER

UNSUPPORTED = frozenset(
    {
        "minLength",
        "maxLength",
        "pattern",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
        "default",
        "title",
        "discriminator",
    }
)
"""Keywords that model APIs refuse in an output schema; local validation alone enforces them."""


def _without(node: Any, keywords: Iterable[str]) -> Any:
    """Drop schema keywords, but never a property that happens to carry such a name."""
    if isinstance(node, list):
        return [_without(item, keywords) for item in node]
    if not isinstance(node, dict):
        return node
    node = _closed_keys(node)
    kept = {}
    for key, value in node.items():
        if key in ("properties", "$defs"):
            kept[key] = {name: _without(part, keywords) for name, part in value.items()}
        elif key not in keywords:
            kept[key] = _without(value, keywords)
    return kept


def _closed_keys(node: dict[str, Any]) -> dict[str, Any]:
    """A pattern of keys, moved to where it refuses other keys instead of letting them through."""
    if "patternProperties" not in node:
        return node
    [(pattern, part)] = node["patternProperties"].items()
    rest = {key: value for key, value in node.items() if key != "patternProperties"}
    names = {**node.get("propertyNames", {}), "pattern": pattern}
    return {**rest, "additionalProperties": part, "propertyNames": names}


def json_schema(model: type[Model]) -> dict[str, Any]:
    """The published JSON Schema (draft 2020-12) of a contract."""
    schema = _without(model.model_json_schema(), ("title",))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{model.__name__}.schema.json",
        "title": model.__name__,
        **schema,
    }


def schema_text(model: type[Model]) -> str:
    """The committed file of a contract, byte for byte."""
    return json.dumps(json_schema(model), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _non_null(schema: dict[str, Any]) -> dict[str, Any]:
    options = [option for option in schema.get("anyOf", ()) if option != {"type": "null"}]
    if len(options) != 1:
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**options[0], **rest}


@cache
def wire_schema(model: type[Model], require: tuple[str, ...] = ()) -> dict[str, Any]:
    """The schema sent to a model: no limits, the blocks this step requires required, closed.

    Raises ValueError if `require` names a field the contract does not have.
    """
    unknown = sorted(set(require) - set(model.model_fields))
    if unknown:
        known = ", ".join(model.model_fields)
        raise ValueError(f"{model.__name__} has no field {', '.join(unknown)}; it has {known}")
    schema: dict[str, Any] = _without(model.model_json_schema(), UNSUPPORTED)
    for name in require:
        schema["properties"][name] = _non_null(schema["properties"][name])
    required = [name for name in schema["properties"] if name in {*schema.get("required", ()), *require}]
    return {**schema, "required": required}


@cache
def wire_text(model: type[Model], require: tuple[str, ...] = ()) -> str:
    """The wire schema as one line of sorted JSON, as it stands in a prompt."""
    return json.dumps(wire_schema(model, require), sort_keys=True, ensure_ascii=False)


def stale(folder: Path) -> list[str]:
    """Files of the folder that differ from what the models give, strays and absent ones included."""
    from schemas.contracts import CONTRACTS

    wanted = {f"{name}.schema.json": schema_text(model) for name, model in CONTRACTS.items()}
    found = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.json")}
    return sorted(name for name in {*wanted, *found} if wanted.get(name) != found.get(name))


def main() -> None:
    """Write `schemas/json/`, one file a contract and no other, and the tables of docs; `--check` says what differs."""
    from schemas.contracts import CONTRACTS
    from schemas.pages import PAGE, written

    different, page = stale(FOLDER), PAGE.read_text(encoding="utf-8")
    if "--check" in sys.argv:
        different += ["docs/feed.md"] if written(page) != page else []
        sys.exit(f"stale, run `make schemas`: {', '.join(different)}" if different else 0)
    for name in different:
        model = CONTRACTS.get(name.removesuffix(".schema.json"))
        if model is None:
            (FOLDER / name).unlink()
        else:
            (FOLDER / name).write_text(schema_text(model), encoding="utf-8")
    PAGE.write_text(written(page), encoding="utf-8")


if __name__ == "__main__":
    main()
