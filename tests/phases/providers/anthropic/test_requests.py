"""What the provider sends: the prompt, marks for the cache, headers and proxy."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from phases.providers.anthropic import AnthropicProvider
from tests.phases.providers.anthropic.server import Server, well
from tests.phases.providers.anthropic.turns import KEY, SCHEMA, turn


def test_request_is_the_prompt_byte_for_byte(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [well()]
    parts = ("  one \r\n é\u2028", "two\t", "three", "four ")
    provider(effort={"research-debate": "low", "default": "max"}, thinking={"default": "disabled"}).replies(
        [turn(*parts, system=" System\n")]
    )
    (seen,) = server.seen
    body = seen.body
    assert seen.path == "/v1/messages"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert set(body) == {"model", "max_tokens", "system", "messages", "output_config", "thinking"}
    assert [block["text"] for block in body["system"]] == [" System\n"]
    (user,) = body["messages"]
    assert user["role"] == "user" and [block["text"] for block in user["content"]] == list(parts)
    assert body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}, "effort": "low"}
    assert body["thinking"] == {"type": "disabled"}
    assert (body["model"], body["max_tokens"]) == ("claude-test", 2048)


def test_nothing_is_asked_for_that_nobody_configured(
    server: Server, provider: Callable[..., AnthropicProvider]
) -> None:
    server.script = [well()]
    provider().replies([turn()])
    assert set(server.seen[0].body) == {"model", "max_tokens", "system", "messages", "output_config"}
    assert set(server.seen[0].body["output_config"]) == {"format"}


@pytest.mark.parametrize(
    ("parts", "shared", "minimum", "marked"),
    [
        pytest.param(("a" * 400, "b" * 400, "c" * 400, "d"), (1, 3), 0, [0, 1, 3], id="system and what is shared"),
        pytest.param(("a" * 400, "b" * 400, "c" * 400, "d"), (1, 3), 250, [3], id="a short prefix is not marked"),
        pytest.param(("a" * 400, "b"), (1,), 100, [1], id="the prefix counts, not the part"),
        pytest.param(("only",), (), 0, [0], id="the final part never"),
        pytest.param(("é" * 199, "b"), (1,), 100, [], id="bytes count"),
        pytest.param(("a", "b", "c", "d", "e"), (1, 2, 3, 4), 0, [1, 2, 3, 4], id="at most four, the longest"),
    ],
)
def test_marks(
    server: Server,
    provider: Callable[..., AnthropicProvider],
    parts: tuple[str, ...],
    shared: tuple[int, ...],
    minimum: int,
    marked: list[int],
) -> None:
    server.script = [well()]
    asked = turn(*parts, system="s")
    asked = dataclasses.replace(asked, prompt=dataclasses.replace(asked.prompt, shared=shared))
    provider(minimum_cacheable=minimum).replies([asked])
    body = server.seen[0].body
    blocks = [*body["system"], *body["messages"][0]["content"]]
    assert [at for at, block in enumerate(blocks) if "cache_control" in block] == marked
    assert all(block.get("cache_control", {"type": "ephemeral"}) == {"type": "ephemeral"} for block in blocks)


def test_headers_and_nothing_from_the_environment(
    server: Server, provider: Callable[..., AnthropicProvider], monkeypatch: pytest.MonkeyPatch
) -> None:
    server.script = [well()]
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-another-key-altogether")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-smuggled: yes")
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    provider(headers={"X-Team": "desk"}).replies([turn()])
    (seen,) = server.seen
    assert seen.headers["x-team"] == "desk" and seen.headers["authorization"] == f"Bearer {KEY}"
    assert "x-smuggled" not in seen.headers


def test_goes_through_the_configured_proxy(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [well()]
    (reply,) = provider(base_url="http://127.0.0.1:9", proxy=server.url).replies([turn()])
    assert reply.text == '{"a":1}' and server.seen[0].path == "http://127.0.0.1:9/v1/messages"


def test_server_on_this_machine_needs_no_key(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [well()]
    provider(key=None).replies([turn()])
    assert server.seen[0].headers["authorization"] == "Bearer none"
