"""What the provider makes of a good answer: text, usage, stop reason, and the order of many."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from phases.providers.anthropic import AnthropicProvider
from tests.phases.providers.anthropic.server import Seen, Server, well
from tests.phases.providers.anthropic.turns import turn


def test_reply_has_text_usage_stop_reason_and_id(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    content = [
        {"type": "thinking", "thinking": "hm", "signature": "x"},
        {"type": "text", "text": '{"a"'},
        {"type": "text", "text": ":1}"},
    ]
    server.script = [well(content=content)]
    one = provider()
    assert one.engine == "anthropic, models by config"
    (reply,) = one.replies([turn()])
    assert (reply.text, reply.stop_reason, reply.request_id) == ('{"a":1}', "end_turn", "req_ok")
    assert reply.usage.model_dump() == {
        "input_tokens": 11,
        "output_tokens": 5,
        "cache_read_tokens": 3,
        "cache_write_tokens": 2,
        "estimated": False,
    }
    assert [(one.status, one.request_id) for one in reply.attempts] == [("200", "req_ok")]


@pytest.mark.parametrize("stop", ["max_tokens", "refusal", "model_context_window_exceeded", "pause_turn", "brand_new"])
def test_stop_reason_is_handed_on(server: Server, provider: Callable[..., AnthropicProvider], stop: str) -> None:
    server.script = [well(stop=stop)]
    assert provider().replies([turn()])[0].stop_reason == stop


@pytest.mark.parametrize(
    "usage",
    [
        ...,
        None,
        {},
        {"input_tokens": 0, "output_tokens": 0},
        {"input_tokens": -1, "output_tokens": 2},
        {"input_tokens": True},
        3,
    ],
)
def test_f070_missing_usage_is_booked_at_the_worst_case(
    server: Server, provider: Callable[..., AnthropicProvider], usage: Any
) -> None:
    server.script = [well(usage=usage)]
    (reply,) = provider(max_tokens=700).replies([turn("x" * 1000, "y")])
    assert reply.usage.estimated
    assert reply.usage.output_tokens == 700 and 500 < reply.usage.input_tokens < 1000


def test_all_are_under_way_before_any_is_awaited_and_come_back_in_order(
    server: Server, provider: Callable[..., AnthropicProvider]
) -> None:
    together = threading.Barrier(6, timeout=20)

    def once_all_have_come(peer: socket.socket) -> None:
        together.wait()
        well()(peer)

    server.script = [once_all_have_come]
    assert len(provider().replies([turn(str(at), "end") for at in range(6)])) == 6
    assert server.most == 6 and not together.broken


def test_order_of_replies_is_that_of_requests(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    def by_body(peer: socket.socket) -> None:
        with server.lock:
            text = threading.current_thread().name
        well(text)(peer)

    original = server._read

    def read(peer: socket.socket) -> Seen | None:
        seen = original(peer)
        if seen is not None:
            said = seen.body["messages"][0]["content"][0]["text"]
            threading.current_thread().name = said
            time.sleep(0.05 * (5 - int(said)))
        return seen

    server._read = read  # type: ignore[method-assign]
    server.script = [by_body]
    assert [one.text for one in provider().replies([turn(str(at), "end") for at in range(5)])] == list("01234")


def test_nothing_asked_starts_nothing(provider: Callable[..., AnthropicProvider]) -> None:
    before = threading.active_count()
    one = provider()
    assert one.replies([]) == [] and threading.active_count() == before
