"""Errors that a server answers with: which are tried again, which stop the run, and which one ticker's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from phases.core.errors import InfrastructureError, ModelDown, TickerFailure, UsageError
from phases.core.provider import Reply
from phases.providers.anthropic import AnthropicProvider
from tests.phases.providers.anthropic.server import Action, Server, fails, message, says, well
from tests.phases.providers.anthropic.turns import KEY, ended, turn


@pytest.mark.usefixtures("quick")
def test_f056_overloaded_three_times(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [*[fails(529, "overloaded_error")] * 3, well()]
    (reply,) = provider().replies([turn()])
    assert [one.status for one in reply.attempts] == ["529", "529", "529", "200"]


@pytest.mark.parametrize("status", [500, 502, 503, 504, 408, 409, 520])
@pytest.mark.usefixtures("quick")
def test_f058_server_error_once(server: Server, provider: Callable[..., AnthropicProvider], status: int) -> None:
    server.script = [fails(status), well()]
    (reply,) = provider().replies([turn()])
    assert [one.request_id for one in reply.attempts] == [f"req_{status}", "req_ok"]


@pytest.mark.usefixtures("quick")
def test_server_error_for_ever_is_tried_four_times(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [fails(500)]
    said = ended(provider(), ModelDown)
    assert "tries: 4 (4 x 500 req_500)" in said and len(server.seen) == 4


@pytest.mark.parametrize("status", [401, 403])
def test_f059_refused_key(server: Server, provider: Callable[..., AnthropicProvider], status: int) -> None:
    server.script = [fails(status, "authentication_error", f"bad x-api-key {KEY}")]
    said = ended(provider(), InfrastructureError)
    assert "ANTHROPIC_API_KEY" in said and "[key]" in said and len(server.seen) == 1


def test_f060_unknown_model(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [fails(404, "not_found_error", "model: claude-test")]
    said = ended(provider(), UsageError)
    assert "'claude-test'" in said and "`models:`" in said and len(server.seen) == 1


@pytest.mark.parametrize(
    "action",
    [
        fails(413, "request_too_large", "Request exceeds the maximum size"),
        fails(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum"),
        fails(400, "exceed_context_size_error", "the request exceeds the available context size"),
        says(413, b"<html>too large</html>", "text/html"),
    ],
)
def test_f061_too_long_names_the_largest_part(
    server: Server, provider: Callable[..., AnthropicProvider], action: Action
) -> None:
    server.script = [action, well()]
    evidence = "[evidence 0123456789ab]\n" + "x" * 4976
    one = provider()
    said = ended(one, TickerFailure, turn("[case 0123456789ab]\ny", evidence, "Answer."))
    assert "evidence with 5,000 bytes" in said and "research-debate" in said and len(server.seen) == 1
    assert one.replies([turn()])[0].stop_reason == "end_turn", "one ticker's failure concerns no other"


def test_refused_request_concerns_its_ticker_alone(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [fails(400, "invalid_request_error", "schema: not \x1b[31msupported"), well()]
    one = provider()
    said = ended(one, TickerFailure)
    assert "not \\u001b[31msupported" in said and len(server.seen) == 1
    assert one.replies([turn()])


def test_one_failure_costs_no_other_its_reply(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [fails(413, "request_too_large"), says(200, message())]
    found = AnthropicProvider.replies(provider(max_in_flight=1), [turn("a", "end"), turn("b", "end")])
    assert isinstance(found[0], TickerFailure) and not found[0].billed
    assert isinstance(found[1], Reply) and found[1].text == '{"a":1}'
