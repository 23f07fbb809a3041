"""What the fake model counts: tokens, cached prefixes, requests and ids."""

from __future__ import annotations

import json
import time
from typing import Any

import anthropic
import httpx2
import pytest

from bench.fake_model.server import FakeModel
from tests.bench.fake_model.turns import HELLO, MODEL, blocks, body, client, turn, turns


def size(*texts: str) -> int:
    """Tokens by hand: four bytes each, rounded up."""
    count = sum(len(text.encode()) for text in texts)
    return count // 4 + (count % 4 > 0)


def used(message: Any) -> tuple[int, int, int]:
    usage = message.usage
    return usage.cache_read_input_tokens, usage.cache_creation_input_tokens, usage.input_tokens


def test_marked_prefixes_are_written_once_and_then_read() -> None:
    first, second = turn(seat="bull"), turn(seat="bear")
    system, shared = first.prompt.system, first.prompt.parts[0]
    assert shared == second.prompt.parts[0]
    with FakeModel({"minimum_cacheable": 10}) as server, client(server) as sdk:
        whole = size(system, *first.prompt.parts)
        written = size(system, shared)
        assert used(sdk.messages.create(**blocks(first, 1))) == (0, written, whole - written)
        other = size(system, *second.prompt.parts)
        assert used(sdk.messages.create(**blocks(second, 1))) == (written, 0, other - written)
        system_only = size(system)
        assert used(sdk.messages.create(**blocks(second, 0))) == (system_only, 0, other - system_only)
        assert used(sdk.messages.create(**blocks(second, 2))) == (
            written,
            size(system, *second.prompt.parts[:2]) - written,
            other - size(system, *second.prompt.parts[:2]),
        )
        third = sdk.messages.create(**blocks(first), cache_control={"type": "ephemeral", "ttl": "1h"})
        assert used(third) == (size(system), whole - size(system), 0)
        assert third.usage.cache_creation and third.usage.cache_creation.ephemeral_1h_input_tokens == whole - size(
            system
        )
        assert used(sdk.messages.create(**body(first))) == (0, 0, size(system, "\n\n".join(first.prompt.parts)))
        assert used(sdk.messages.create(**{**blocks(first), "model": "claude-haiku-5-5"}))[0] == 0


def test_a_short_prefix_is_not_cached() -> None:
    system = [{"type": "text", "text": "x" * 4092, "cache_control": {"type": "ephemeral"}}]  # 1023 tokens
    with FakeModel({}) as server, client(server) as sdk:
        for _ in range(2):
            assert used(sdk.messages.create(**HELLO, system=system)) == (0, 0, size("x" * 4092, "Hello"))


def test_the_server_counts_what_the_client_saw(sdk: anthropic.Anthropic, clean: FakeModel) -> None:
    asked = [*turns(), *turns()[:3]]
    found = [sdk.messages.create(**body(one)) for one in asked]
    with pytest.raises(anthropic.BadRequestError):
        sdk.messages.create(**HELLO, extra_body={"top_k": 1})
    stats = clean.stats()
    different = len({json.dumps(body(one)) for one in asked})
    assert stats["requests"] == stats["turns"] == len(asked) + 1
    assert stats["by_status"] == {"200": len(asked), "400": 1}
    assert stats["by_model"] == {MODEL: len(asked)}
    assert stats["duplicates"] == len(asked) - different
    assert stats["tokens"]["input_tokens"] == sum(one.usage.input_tokens for one in found)
    assert stats["tokens"]["output_tokens"] == sum(one.usage.output_tokens for one in found)
    assert (stats["in_flight"], stats["peak_in_flight"], stats["injected"]) == (0, 1, {})
    bears = sum(one.skill == "research-debate" and one.seat == "bear" for one in asked)
    assert stats["by_seat"]["research-debate/bear"] == bears
    assert [one.body for one in clean.bodies[:-1]] == [json.loads(json.dumps(body(one))) for one in asked]
    assert clean.bodies[0].headers["authorization"] == "Bearer key"
    over_http = httpx2.get(f"{clean.url}/stats").json()
    assert {**over_http, "connections": 0} == {**stats, "connections": 0}
    assert over_http["connections"] == stats["connections"] + 1


def test_ids_differ_and_stand_in_the_header(sdk: anthropic.Anthropic) -> None:
    found = [sdk.messages.create(**HELLO) for _ in range(3)]
    assert len({one.id for one in found}) == len({one._request_id for one in found}) == 3
    assert all(str(one._request_id).startswith("req_") for one in found)


def test_waits_are_as_long_as_the_scenario_says() -> None:
    with FakeModel({"latency_ms": {"mean": 150, "jitter": 20}}) as server, client(server) as sdk:
        start = time.monotonic()
        sdk.messages.create(**HELLO)
        assert time.monotonic() - start >= 0.13
