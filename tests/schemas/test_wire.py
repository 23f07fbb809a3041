"""The form of a schema that a model API accepts: closed, without limits, and with every wanted block required."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import Field

from bench.fake_model.checks import schema_faults
from phases.core.skills import load_skills
from phases.debate.protocol import STAGES, read_protocol
from phases.lint import BINDINGS
from phases.plan import CONFIGS, SKILLS
from schemas.base import Model
from schemas.debate import DebateRoundContribution
from schemas.generate import UNSUPPORTED, wire_schema, wire_text
from tests.schemas.instances import models, whole

ANSWERS = sorted({returns for _, returns in BINDINGS.values()}, key=lambda model: model.__name__)
"""The contracts a model answers."""

ACCEPTED = {
    *("$defs", "$ref", "additionalProperties", "anyOf", "const", "description", "enum", "format", "items"),
    *("properties", "required", "type"),
}
"""Keywords a model API takes in an output schema."""

WITHOUT_REQUIRED = {"History", "TickerOutcome", "Usage"}
"""Records whose every field may be absent."""


def _id(value: Any) -> str:
    return value.__name__ if isinstance(value, type) else str(value)


def _schemas(node: Any) -> Iterator[Mapping[str, Any]]:
    """Every schema inside a schema, names of fields and definitions passed over."""
    if isinstance(node, list):
        for part in node:
            yield from _schemas(part)
    elif isinstance(node, dict):
        yield node
        for key, part in node.items():
            named = key in ("properties", "$defs") and isinstance(part, dict)
            yield from _schemas(list(part.values()) if named else part)


@pytest.mark.parametrize("model", [one for one in models() if one.__name__ not in WITHOUT_REQUIRED], ids=_id)
def test_is_a_valid_json_schema_without_a_limit(model: type[Model]) -> None:
    schema = wire_schema(model)
    Draft202012Validator.check_schema(schema)
    for part in _schemas(schema):
        assert not UNSUPPORTED & set(part)


@pytest.mark.parametrize("name", sorted(WITHOUT_REQUIRED))
def test_a_record_may_have_no_required_field(name: str) -> None:
    model = next(one for one in models() if one.__name__ == name)
    assert wire_schema(model)["required"] == []


@pytest.mark.parametrize("model", ANSWERS, ids=_id)
def test_answer_uses_only_what_an_api_takes(model: type[Model]) -> None:
    for part in _schemas(wire_schema(model)):
        assert set(part) <= ACCEPTED


@pytest.mark.parametrize("model", ANSWERS, ids=_id)
def test_every_object_of_an_answer_is_closed(model: type[Model]) -> None:
    objects = [part for part in _schemas(wire_schema(model)) if part.get("type") == "object"]
    assert objects
    for part in objects:
        assert part["additionalProperties"] is False
        assert set(part["required"]) <= set(part["properties"])


@pytest.mark.parametrize("model", ANSWERS, ids=_id)
def test_every_reference_of_an_answer_leads_to_a_definition(model: type[Model]) -> None:
    schema = wire_schema(model)
    named = {part["$ref"].removeprefix("#/$defs/") for part in _schemas(schema) if "$ref" in part}
    assert named == set(schema.get("$defs", {}))


OPTIONAL = [(model, name) for model in ANSWERS for name, field in model.model_fields.items() if not field.is_required()]


@pytest.mark.parametrize(("model", "name"), OPTIONAL, ids=_id)
def test_required_block_is_required_and_not_nullable(model: type[Model], name: str) -> None:
    schema = wire_schema(model, (name,))
    Draft202012Validator.check_schema(schema)
    assert name in schema["required"]
    document = {key: value for key, value in whole(model).items() if key in schema["required"]}
    check = Draft202012Validator(schema)
    assert check.is_valid(document)
    assert not check.is_valid({**document, name: None})
    assert not check.is_valid({key: value for key, value in document.items() if key != name})


@pytest.mark.parametrize(("model", "name"), OPTIONAL, ids=_id)
def test_other_blocks_stay_as_they_are(model: type[Model], name: str) -> None:
    plain, wanted = wire_schema(model), wire_schema(model, (name,))
    assert {*wanted["required"]} == {*plain["required"], name}
    assert all(wanted["properties"][key] == part for key, part in plain["properties"].items() if key != name)
    assert wanted["properties"][name]["description"] == plain["properties"][name]["description"]


def _asked() -> Iterator[tuple[str, type[Model], tuple[str, ...]]]:
    """Every (skill, contract, required blocks) that a night under a shipped protocol may ask for."""
    for skill, (_, returns) in BINDINGS.items():
        yield skill, returns, ()
    theses = ("bull_thesis", "bear_thesis")
    for require in ((theses[0],), (theses[1],), theses):
        yield "research-manager", BINDINGS["research-manager"][1], require
    for path in sorted((CONFIGS / "protocols").glob("*.yaml")):
        protocol = read_protocol(path.read_text(encoding="utf-8"), str(path))
        for step in (step for stage in STAGES for step in getattr(protocol, stage)):
            for seat in step.seats:
                returns = BINDINGS[protocol.seats[seat].skill][1]
                yield (
                    protocol.seats[seat].skill,
                    returns,
                    tuple(one for one in step.require if one in returns.model_fields),
                )


EVERY = sorted({(skill, returns, require) for skill, returns, require in _asked()}, key=str)

FORMATS = {"date", "date-time", "time", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
"""Formats of a text that a model API takes."""


def test_every_shipped_skill_is_among_them_with_what_it_says_it_produces() -> None:
    shipped = {name: skill.produces for name, skill in load_skills(SKILLS).items() if skill.produces}
    asked = {skill: returns.__name__ for skill, returns, _ in EVERY}
    assert shipped and {name: asked.get(name) for name in shipped} == shipped


@pytest.mark.parametrize(("skill", "returns", "require"), EVERY, ids=_id)
def test_what_is_asked_of_a_model_has_the_form_an_api_takes(
    skill: str, returns: type[Model], require: tuple[str, ...]
) -> None:
    schema = wire_schema(returns, require)
    Draft202012Validator.check_schema(schema)
    assert list(schema_faults(schema)) == []
    limits = {"minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
    limits |= {"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "multipleOf", "propertyNames"}
    for part in _schemas(schema):
        assert not limits & set(part)
        assert part.get("format", "date") in FORMATS
        assert part.get("type") != "object" or part["additionalProperties"] is False
    assert set(require) <= set(schema["required"])
    assert not _in_a_circle(schema)


def _in_a_circle(schema: Mapping[str, Any]) -> set[str]:
    """Definitions that lead back to themselves."""
    leads = {
        name: {one["$ref"].rpartition("/")[2] for one in _schemas(part) if "$ref" in one}
        for name, part in schema.get("$defs", {}).items()
    }
    for _ in leads:
        leads = {name: to.union(*(leads[one] for one in to)) for name, to in leads.items()}
    return {name for name, to in leads.items() if name in to}


def test_a_circle_is_seen() -> None:
    defined = {"a": {"items": {"$ref": "#/$defs/b"}}, "b": {"anyOf": [{"$ref": "#/$defs/c"}]}, "c": {"type": "null"}}
    assert _in_a_circle({"$defs": defined}) == set()
    assert _in_a_circle({"$defs": {**defined, "c": {"$ref": "#/$defs/a"}}}) == {"a", "b", "c"}


def test_required_stand_in_the_order_of_the_contract_whatever_the_order_asked() -> None:
    blocks = ("moves", "claims", "probability", "acknowledged")
    required = wire_schema(DebateRoundContribution, blocks)["required"]
    assert required == list(DebateRoundContribution.model_fields)


@pytest.mark.parametrize("require", [("claim",), ("claims", "rulings"), ("",)])
def test_unknown_block_is_refused_with_what_there_is(require: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"DebateRoundContribution has no field .*; it has role, ticker, round_number"):
        wire_schema(DebateRoundContribution, require)


def test_local_limits_do_not_reach_the_wire() -> None:
    long = {**whole(DebateRoundContribution), "argument": "x" * 5000, "ticker": "not a ticker", "probability": 7}
    assert Draft202012Validator(wire_schema(DebateRoundContribution)).is_valid(long)


@pytest.mark.parametrize("model", ANSWERS, ids=_id)
def test_text_is_one_line_of_the_same_schema(model: type[Model]) -> None:
    text = wire_text(model)
    assert "\n" not in text
    assert json.loads(text) == wire_schema(model)
    assert text == json.dumps(wire_schema(model), sort_keys=True, ensure_ascii=False)


def test_a_field_may_be_called_like_a_keyword() -> None:
    class Named(Model):
        """A record."""

        title: str
        """A title."""
        pattern: str = Field(pattern="^a$")
        """A pattern."""
        default: int | None = Field(default=None, ge=1)
        """A default."""

    schema = wire_schema(Named, ("default",))
    assert schema["required"] == ["title", "pattern", "default"]
    assert schema["properties"]["pattern"] == {"description": "A pattern.", "type": "string"}
    assert schema["properties"]["default"] == {"description": "A default.", "type": "integer"}
