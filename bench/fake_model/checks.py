"""What the protocol refuses: who asks, the body's keys, the model, the schema of the answer. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from bench.fake_model.scenario import Scenario


def words(text: str) -> frozenset[str]:
    """The words of a text as a closed set."""
    return frozenset(text.split())


KNOWN = words(
    "cache_control container diagnostics inference_geo max_tokens messages metadata model output_config service_tier "
    "speed stop_sequences stream system thinking tool_choice tools user_profile_id"
)
"""Keys a body may have. The sampling keys of older protocols are not among them."""

MARKS = 4
EFFORTS = ("low", "medium", "high", "xhigh", "max")

SCHEMA_KEYS = words(
    "$defs $id $ref $schema additionalProperties allOf anyOf const default definitions description enum format items "
    "minItems properties required title type"
)
"""Keywords an answer's schema may have; limits of length, size and number, and `oneOf`, are not among them."""

FORMATS = words("date-time time date duration email hostname uri ipv4 ipv6 uuid")

TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


class Refused(Exception):
    """A request is answered with an error."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str | None = None,
        code: str | None = None,
        retry_after: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message = status, message
        self.kind = kind or TYPES.get(status, "invalid_request_error" if status < 500 else "api_error")
        self.code, self.retry_after = code, retry_after

    def body(self, request_id: str) -> dict[str, Any]:
        """The error as the protocol writes it."""
        error: dict[str, Any] = {"type": self.kind, "message": self.message}
        if self.code is not None:
            error["details"] = {"error_code": self.code}
        return {"type": "error", "error": error, "request_id": request_id}


def parsed(raw: bytes) -> dict[str, Any]:
    """The body of a request as one JSON object."""
    try:
        found = json.loads(raw)
    except ValueError:
        raise Refused(400, "The request body is not valid JSON") from None
    if not isinstance(found, dict):
        raise Refused(400, "The request body is not a JSON object")
    return found


def check_headers(headers: Mapping[str, str], told: Scenario) -> None:
    """Refuse a key that is absent or wrong, and a request without its version.

    A key comes in a header of its own or, as newer clients send it, as a bearer's.
    """
    key = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
    if told.keys and not key:
        raise Refused(401, "x-api-key header is required")
    if told.keys and key not in told.keys:
        raise Refused(401, "invalid x-api-key")
    if "anthropic-version" not in headers:
        raise Refused(400, "anthropic-version: header is required")


def check_body(body: Mapping[str, Any], told: Scenario, *, counting: bool = False) -> None:
    """Refuse a body the protocol does not take. A count of tokens needs no `max_tokens`."""
    for key in body:
        if key not in KNOWN:
            raise Refused(400, f"{key}: Extra inputs are not permitted")
    for key in ("model", "messages") if counting else ("model", "max_tokens", "messages"):
        if key not in body:
            raise Refused(400, f"{key}: Field required")
    most = body.get("max_tokens", 0)
    if not isinstance(most, int) or isinstance(most, bool) or most < 0:
        raise Refused(400, "max_tokens: Input should be a whole number, at least 0")
    if "tools" in body and not told.tools:
        raise Refused(400, "tools: not allowed here")
    if not isinstance(body.get("system") or "", str | list) or not isinstance(body.get("output_config") or {}, dict):
        raise Refused(400, "system: Input should be a text or blocks; output_config: an object")
    _check_messages(body["messages"])
    _check_contents(body)
    _check_model(body["model"], told)
    _check_output(body.get("output_config") or {})


def _check_model(model: Any, told: Scenario) -> None:
    if not any(one.id == model and one.lifecycle != "retired" for one in told.models):
        raise Refused(404, f"model: {model}")


def _check_messages(messages: Any) -> None:
    if not isinstance(messages, list) or not messages:
        raise Refused(400, "messages: at least one message is required")
    for at, one in enumerate(messages):
        if not isinstance(one, dict) or one.get("role") not in ("user", "assistant"):
            raise Refused(400, f"messages.{at}.role: Input should be 'user' or 'assistant'")
        if not isinstance(one.get("content"), str | list) or not one["content"]:
            raise Refused(400, f"messages.{at}: must have non-empty content")
    if messages[-1]["role"] == "assistant":
        raise Refused(400, "This model does not support assistant message prefill; end with a user message")


def _check_contents(body: Mapping[str, Any]) -> None:
    """Blocks are objects with a type, texts say something, and not too many are marked."""
    marks = _marked(body)
    for content in (body.get("system") or (), *(one["content"] for one in body["messages"])):
        for block in content if isinstance(content, list) else ():
            if not isinstance(block, dict) or "type" not in block:
                raise Refused(400, "content: a block needs a type")
            if block["type"] == "text" and not (isinstance(block.get("text"), str) and block["text"]):
                raise Refused(400, "messages: text content blocks must be non-empty")
            marks += _marked(block)
    if marks > MARKS:
        raise Refused(400, f"A maximum of {MARKS} blocks with cache_control may be provided. Found {marks}.")


def _marked(part: Mapping[str, Any]) -> int:
    """1 if a part is marked for the cache, 0 if not."""
    mark = part.get("cache_control")
    if not mark:
        return 0
    if not isinstance(mark, dict) or mark.get("type") != "ephemeral" or mark.get("ttl") not in (None, "5m", "1h"):
        raise Refused(400, "cache_control: Input should have the type ephemeral and a ttl of 5m or 1h")
    return 1


def _check_output(config: Mapping[str, Any]) -> None:
    for key in config:
        if key not in ("effort", "format"):
            raise Refused(400, f"output_config.{key}: Extra inputs are not permitted")
    if config.get("effort") not in (None, *EFFORTS):
        raise Refused(400, f"output_config.effort: Input should be one of {', '.join(EFFORTS)}")
    form = config.get("format")
    if form is None:
        return
    if not isinstance(form, dict) or form.get("type") != "json_schema" or not isinstance(form.get("schema"), dict):
        raise Refused(400, "output_config.format: Input should have the type json_schema and a schema")
    for wrong in schema_faults(form["schema"]):
        raise Refused(400, f"output_config.format.schema: {wrong}")


def schema_faults(schema: Mapping[str, Any]) -> Iterator[str]:
    """What an answer's schema holds that is not supported."""
    yield from _faults(schema)
    tables = [schema[name] for name in ("$defs", "definitions") if isinstance(schema.get(name), dict)]
    defined = {name: set(_refs(part)) for table in tables for name, part in table.items()}
    if "" in _refs(schema) or any(name in _reached(name, defined) for name in defined):
        yield "Recursive schemas are not supported"


def _faults(node: Any) -> Iterator[str]:
    if not isinstance(node, dict):
        yield f"{json.dumps(node)[:40]} is no schema"
        return
    for key in sorted(set(node) - SCHEMA_KEYS):
        yield f"For '{node.get('type', 'schema')}' type, property '{key}' is not supported"
    if node.get("minItems", 0) not in (0, 1):
        yield "For 'array' type, 'minItems' values other than 0 or 1 are not supported"
    if "format" in node and node["format"] not in FORMATS:
        yield f"format '{node['format']}' is not supported"
    if node.get("type") == "object" and node.get("additionalProperties") is not False:
        yield "For 'object' type, 'additionalProperties' must be explicitly set to false"
    if not str(node.get("$ref", "#")).startswith("#"):
        yield f"external $ref {node['$ref']} is not supported"
    if any(isinstance(option, dict | list) for option in node.get("enum", ())):
        yield "complex types within enum are not supported"
    for part in _children(node):
        yield from _faults(part)


def _children(node: Mapping[str, Any]) -> Iterator[Any]:
    for name in ("properties", "$defs", "definitions"):
        yield from node.get(name, {}).values()
    for name in ("anyOf", "allOf"):
        yield from node.get(name, ())
    if "items" in node:
        yield node["items"]


def _refs(node: Any) -> Iterator[str]:
    """Names that a schema refers to, its own definitions apart; the empty name is the whole schema."""
    if not isinstance(node, dict):
        return
    if "$ref" in node:
        yield str(node["$ref"]).removeprefix("#").rpartition("/")[2]
    for part in _children({key: value for key, value in node.items() if key not in ("$defs", "definitions")}):
        yield from _refs(part)


def _reached(name: str, defined: Mapping[str, set[str]]) -> set[str]:
    """Every definition that can be reached from one, itself only if by a way round."""
    found: set[str] = set()
    ahead = set(defined.get(name, ()))
    while ahead:
        found |= ahead
        ahead = {far for near in ahead for far in defined.get(near, ())} - found
    return found
