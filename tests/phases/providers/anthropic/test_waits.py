"""How long a turn waits: as the server asks, as we wait ourselves, and never beyond the deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from phases.core.errors import ModelDown, RateLimited
from phases.providers.anthropic import AnthropicProvider, retries
from tests.phases.providers.anthropic.server import Action, Server, drips, fails, hangs, later, well
from tests.phases.providers.anthropic.turns import ended, turn


def test_f050_retry_after_is_waited(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [fails(429, "rate_limit_error", retry_after="2"), well()]
    (reply,) = provider().replies([turn()])
    first, second = server.seen
    assert second.at - first.at >= 2
    assert [(one.status, one.request_id) for one in reply.attempts] == [("429", "req_429"), ("200", "req_ok")]
    assert reply.attempts[1].waited_seconds >= 2
    assert first.body == second.body


@pytest.mark.parametrize(
    "asked", ["86400", "1e9", "121", format_datetime(datetime(2099, 1, 1, tzinfo=UTC), usegmt=True)]
)
def test_f051_f052_long_retry_after_stops_the_run(
    server: Server, provider: Callable[..., AnthropicProvider], asked: str
) -> None:
    server.script = [fails(429, "rate_limit_error", retry_after=asked), well()]
    begun = time.monotonic()
    said = ended(provider(), RateLimited)
    assert "rate limited" in said and "provider.retry_after_cap_seconds = 120" in said
    assert time.monotonic() - begun < 30 and len(server.seen) == 1


def test_retry_after_that_the_deadline_does_not_leave_stops_at_once(
    server: Server, provider: Callable[..., AnthropicProvider]
) -> None:
    server.script = [fails(429, "rate_limit_error", retry_after="60")]
    begun = time.monotonic()
    assert "rate limited" in ended(provider(deadline_seconds=30), RateLimited)
    assert time.monotonic() - begun < 30


def test_f052_date_of_the_near_future_is_waited(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=3), usegmt=True)
    server.script = [fails(429, "rate_limit_error", retry_after=soon), well()]
    provider().replies([turn()])
    assert server.seen[1].at - server.seen[0].at >= 1.5


@pytest.mark.parametrize("asked", ["-5", "nan", "soon", "inf", "", "Thu, 99 Jan 2026 00:00:00 GMT", "1" * 400])
@pytest.mark.usefixtures("quick")
def test_f053_nonsense_is_answered_with_our_own_wait(
    server: Server, provider: Callable[..., AnthropicProvider], asked: str
) -> None:
    server.script = [fails(429, "rate_limit_error", retry_after=asked), well()]
    begun = time.monotonic()
    assert provider().replies([turn()])[0].text == '{"a":1}'
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize("action", [pytest.param(hangs, id="F063"), pytest.param(drips, id="F064")])
def test_deadline_ends_the_turn(server: Server, provider: Callable[..., AnthropicProvider], action: Action) -> None:
    server.script = [action]
    begun = time.monotonic()
    said = ended(provider(deadline_seconds=0.7), ModelDown)
    assert 0.65 < time.monotonic() - begun < 20
    assert "provider.deadline_seconds = 0.7" in said and len(server.seen) == 1


def test_deadline_covers_waits_and_retries(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [later(0.2, fails(529, "overloaded_error"))]
    begun = time.monotonic()
    assert "deadline" in ended(provider(deadline_seconds=1.5), ModelDown)
    assert 1.4 < time.monotonic() - begun < 20


def test_waiting_for_a_place_is_not_begun(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [later(0.5, well())]
    assert len(provider(max_in_flight=1, deadline_seconds=2.9).replies([turn(str(at), "end") for at in range(6)])) == 6
    assert server.most == 1 and len(server.seen) == 6


def test_waits_differ_from_turn_to_turn_and_are_the_same_each_time() -> None:
    waits = {retries.backoff(f"turn {at}", 3) for at in range(50)}
    assert len(waits) == 50 and all(1.5 <= wait <= 2 for wait in waits)
    assert [round(retries.backoff("t", tries), 4) for tries in (1, 2, 3)] == [0.403, 0.7526, 1.6282]
