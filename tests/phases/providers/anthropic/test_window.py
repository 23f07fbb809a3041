"""How many calls are under way at once, when the circuit opens, and what becomes of them on closing."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from phases.core.errors import ModelDown, Stopped
from phases.core.provider import Reply
from phases.providers.anthropic import AnthropicProvider
from phases.providers.anthropic.window import Window
from tests.phases.providers.anthropic.server import Server, fails, hangs, later, well
from tests.phases.providers.anthropic.turns import ended, turn

# Window


@pytest.mark.usefixtures("quick")
def test_never_more_than_the_window(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [later(0.05, well())]
    provider(max_in_flight=3).replies([turn(str(at), "end") for at in range(15)])
    assert server.most <= 3 and len(server.seen) == 15


def test_window_is_halved_once_for_one_piece_of_news_and_creeps_up() -> None:
    window = Window(16, 8)
    for _ in range(16):
        window.failed(0, overloaded=True, server=True)
    assert (window.size, window.row) == (8, 1)
    window.failed(1, overloaded=True, server=False)
    assert (window.size, window.row) == (4, 1)
    for _ in range(4):
        window.answered()
    assert (window.size, window.row) == (5, 0)
    for _ in range(1000):
        window.answered()
    assert window.size == 16
    for news in range(2, 12):
        window.failed(news, overloaded=True, server=True)
    assert window.size == 1 and window.tripped


@pytest.mark.usefixtures("quick")
def test_overload_by_concurrency_fails_no_turn(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    """A server that can do four things at once, asked for sixteen."""

    def at_most_four(peer: socket.socket) -> None:
        if server.under_way > 4:
            fails(529, "overloaded_error")(peer)
        else:
            later(0.05, well())(peer)

    server.script = [at_most_four]
    one = provider()
    with ThreadPoolExecutor(16) as pool:
        replies = list(pool.map(lambda at: one.replies([turn(str(at), "end")])[0], range(60)))
    assert len(replies) == 60 and len(server.seen) < 150


@pytest.mark.usefixtures("quick")
def test_f057_circuit_opens(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [fails(529, "overloaded_error")]
    one = provider(max_in_flight=4, breaker=3)
    with ThreadPoolExecutor(12) as pool:
        futures = [pool.submit(one.replies, [turn(str(at), "end")]) for at in range(12)]
        errors = [future.exception() for future in futures]
    assert all(isinstance(error, ModelDown) for error in errors)
    made = len(server.seen)
    assert made <= 2 * 4 + 3
    assert any(f"stopped after {made} calls" in str(error) for error in errors)
    assert "3 times in a row" in ended(one, ModelDown) and len(server.seen) == made


# Ends


def test_close_ends_what_is_under_way(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [hangs]
    one = provider()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(one.replies, [turn()])
        while not server.seen:
            time.sleep(0.01)
        one.close()
        one.close()
        assert isinstance(future.exception(30), Stopped)
    assert not [one for one in threading.enumerate() if one.name == "model-calls"]


def test_close_can_be_followed_by_more(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [well()]
    one = provider()
    replies: list[Reply] = [*one.replies([turn()])]
    one.close()
    replies += one.replies([turn()])
    assert replies[0] == replies[1]
