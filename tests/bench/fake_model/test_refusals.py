"""What the fake model refuses: keys, schemas and models that the protocol does not have."""

from __future__ import annotations

from typing import Any

import anthropic
import httpx2
import pytest

from bench.fake_model.checks import schema_faults
from bench.fake_model.server import FakeModel
from phases.lint import BINDINGS
from schemas.generate import json_schema, wire_schema
from tests.bench.fake_model.turns import HELLO, client


def refused(sdk: anthropic.Anthropic, **more: Any) -> str:
    with pytest.raises(anthropic.BadRequestError) as caught:
        sdk.messages.create(**HELLO, **more)
    assert caught.value.type == "invalid_request_error"
    assert caught.value.request_id and caught.value.request_id.startswith("req_")
    return str(caught.value.api_message)


def test_keys_the_protocol_does_not_have_are_refused(sdk: anthropic.Anthropic) -> None:
    for name in ("temperature", "top_p", "top_k"):
        assert refused(sdk, extra_body={name: 1}) == f"{name}: Extra inputs are not permitted"
    assert "tools" in refused(sdk, tools=[{"name": "t", "input_schema": {"type": "object"}}])
    assert "max_tokens" in refused(sdk, extra_body={"max_tokens": None})
    assert "prefill" in refused(sdk, extra_body={"messages": [{"role": "assistant", "content": "{"}]})
    marks = [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}] * 5
    assert "maximum of 4" in refused(sdk, system=marks)
    with pytest.raises(anthropic.NotFoundError, match="no-such"):
        sdk.messages.create(**{**HELLO, "model": "no-such"})


def closed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "word"),
    [
        *((closed(a={"type": "string", name: 1}), name) for name in ("minLength", "maxLength", "pattern")),
        *((closed(a={"type": "number", name: 1}), name) for name in ("minimum", "maximum", "multipleOf")),
        (closed(a={"type": "array", "items": {"type": "string"}, "maxItems": 3}), "maxItems"),
        (closed(a={"type": "array", "items": {"type": "string"}, "minItems": 2}), "minItems"),
        (closed(a={"oneOf": [{"type": "string"}]}), "oneOf"),
        ({"type": "object", "properties": {}}, "additionalProperties"),
        ({**closed(a={"$ref": "#/$defs/A"}), "$defs": {"A": closed(b={"$ref": "#/$defs/A"})}}, "Recursive"),
        (closed(a={"anyOf": [{"$ref": "#"}, {"type": "null"}]}), "Recursive"),
    ],
)
def test_schemas_the_protocol_does_not_take_are_refused(
    sdk: anthropic.Anthropic, schema: dict[str, Any], word: str
) -> None:
    assert word in refused(sdk, output_config={"format": {"type": "json_schema", "schema": schema}})


def test_our_schemas_and_those_of_the_sdk_are_taken() -> None:
    for _, returns in BINDINGS.values():
        assert list(schema_faults(wire_schema(returns))) == []
        assert list(schema_faults(anthropic.transform_schema(returns))) == []
    assert list(schema_faults(json_schema(BINDINGS["research-debate"][1])))


def test_a_key_is_asked_for_when_the_scenario_names_one() -> None:
    with FakeModel({"keys": ["secret"]}) as server:
        with client(server) as wrong, pytest.raises(anthropic.AuthenticationError):
            wrong.messages.create(**HELLO)
        with client(server, api_key="secret") as right:
            assert right.messages.create(**HELLO).id
        version = {"anthropic-version": "2026-10-21"}
        found = [
            httpx2.post(f"{server.url}/v1/messages", json=HELLO, headers={**version, **more}).status_code
            for more in ({}, {"x-api-key": "other"}, {"x-api-key": "secret"})
        ]
        assert found == [401, 401, 200]
        assert server.stats()["by_status"] == {"200": 2, "401": 3}
