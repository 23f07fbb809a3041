"""Faults that the fake model commits when told: errors, odd messages, torn lines, broken streams."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import anthropic
import httpx2
import pytest

from bench.fake_model.scenario import KINDS
from bench.fake_model.server import FakeModel
from tests.bench.fake_model.turns import HELLO, body, client, desk, text_of, turn


def acted(action: Any, see: Callable[[anthropic.Anthropic], Any], **more: Any) -> Any:
    """What comes of one action, and that the server counted it."""
    with FakeModel({"script": [{"do": action}]}) as server, client(server, **more) as sdk:
        found = see(sdk)
        kind = action if isinstance(action, str) else next(name for name in action if name in KINDS)
        assert server.stats()["injected"] == {kind: 1}
    return found


def failing(error: type[Exception], stream: bool = False) -> Callable[[anthropic.Anthropic], Any]:
    """The error that a turn raises."""

    def see(sdk: anthropic.Anthropic) -> Any:
        with pytest.raises(error) as caught:
            streamed(sdk) if stream else sdk.messages.create(**body(turn()))
        return caught.value

    return see


def streamed(sdk: anthropic.Anthropic) -> Any:
    with sdk.messages.stream(**body(turn())) as stream:
        return stream.get_final_message()


def created(sdk: anthropic.Anthropic) -> Any:
    return sdk.messages.create(**body(turn()))


@pytest.mark.parametrize(
    ("status", "error", "type"),
    [
        (400, anthropic.BadRequestError, "invalid_request_error"),
        (401, anthropic.AuthenticationError, "authentication_error"),
        (402, anthropic.PaymentRequiredError, "billing_error"),
        (403, anthropic.PermissionDeniedError, "permission_error"),
        (404, anthropic.NotFoundError, "not_found_error"),
        (408, anthropic.RequestTimeoutError, "timeout_error"),
        (409, anthropic.ConflictError, "conflict_error"),
        (413, anthropic.ContentTooLargeError, "request_too_large"),
        (429, anthropic.RateLimitError, "rate_limit_error"),
        (500, anthropic.InternalServerError, "api_error"),
        (502, anthropic.InternalServerError, "api_error"),
        (503, anthropic.ServiceUnavailableError, "api_error"),
        (529, anthropic.OverloadedError, "overloaded_error"),
    ],
)
def test_a_status_is_the_error_it_is(status: int, error: Any, type: str) -> None:
    found = acted({"status": status}, failing(error))
    assert (found.status_code, found.type) == (status, type)
    assert found.request_id == found.body["request_id"]


def test_a_status_carries_its_words() -> None:
    told = {"status": 429, "retry_after": "Wed, 21 Oct 2099 07:28:00 GMT", "type": "rate_limit_error"}
    found = acted({**told, "message": "Slower", "error_code": "too_fast"}, failing(anthropic.RateLimitError))
    assert (found.api_message, found.error_code) == ("Slower", "too_fast")
    assert found.response.headers["retry-after"] == told["retry_after"]


@pytest.mark.parametrize(
    ("action", "reason", "part"),
    [
        ({"truncate": "cut"}, "max_tokens", 0.5),
        ({"truncate": "whole"}, "max_tokens", 1),
        ("refuse", "refusal", 0),
        ({"stop_reason": "a_new_word"}, "a_new_word", 1),
        ("pause_turn", "pause_turn", 0.5),
        ("context_exceeded", "model_context_window_exceeded", 0.5),
        ("empty_content", "end_turn", 0),
        ("two_blocks", "end_turn", 1),
        ("no_usage", "end_turn", 1),
    ],
)
def test_a_message_may_differ(action: Any, reason: str, part: float) -> None:
    text = desk(turn()).text
    found = acted(action, created)
    assert (found.stop_reason, text_of(found)) == (reason, text[: int(len(text) * part)])
    assert (found.usage is None) == (action == "no_usage")
    assert len(found.content) == (2 if action == "two_blocks" else 1 if part else 0)
    assert (found.stop_details is not None) == (action == "refuse")
    if action != "no_usage":
        again = acted(action, streamed)
        assert (again.stop_reason, text_of(again)) == (found.stop_reason, text_of(found))


def test_a_text_may_differ() -> None:
    said = json.loads(desk(turn()).text)
    assert text_of(acted({"text": "No."}, created)) == "No."
    mutated = json.loads(text_of(acted({"mutate": {"role": "judge", "argument": None}}, created)))
    assert mutated == {**{name: value for name, value in said.items() if name != "argument"}, "role": "judge"}
    fenced = text_of(acted({"wrap": "fences"}, created))
    assert fenced.startswith("```json\n") and json.loads(fenced[8:-4]) == said
    assert desk(turn()).text in text_of(acted({"wrap": "prose"}, created))


@pytest.mark.parametrize("action", ["reset_before", "reset_mid_body"])
def test_a_torn_line_is_a_connection_error(action: str) -> None:
    error = (anthropic.APIConnectionError, httpx2.TransportError)
    acted(action, failing(error))
    acted(action, failing(error, stream=True))


def test_a_hanging_answer_times_out_and_does_not_hold_up_the_end() -> None:
    start = time.monotonic()
    acted("hang", failing(anthropic.APITimeoutError), timeout=0.3)
    assert time.monotonic() - start < 5


def test_a_hanging_answer_nobody_waits_for_does_not_hold_up_the_end() -> None:
    with FakeModel({"script": [{"do": "hang"}]}) as server, httpx2.Client() as waiting:
        with pytest.raises(httpx2.ReadTimeout):
            waiting.post(
                f"{server.url}/v1/messages", json=HELLO, headers={"anthropic-version": "2026-10-21"}, timeout=0.1
            )
        start = time.monotonic()
    assert time.monotonic() - start < 5
    assert server.stats()["by_status"] == {"hang": 1}


def test_a_page_is_no_message() -> None:
    found = acted("html", created)
    assert not isinstance(found, anthropic.types.Message)
    assert "Sign in" in str(found)


def test_a_cut_body_is_no_json() -> None:
    acted("cut_json", failing(json.JSONDecodeError))


def test_a_drip_arrives_in_the_end() -> None:
    start = time.monotonic()
    assert acted({"drip": 0.2}, created).stop_reason == "end_turn"
    assert time.monotonic() - start > 0.2


def test_a_redirect_is_followed_to_where_it_says(clean: FakeModel) -> None:
    clean.reset()
    found = acted({"redirect": f"{clean.url}/v1/messages"}, created)
    assert text_of(found) == desk(turn()).text
    assert clean.stats()["by_status"] == {"200": 1}


def test_a_stream_may_break_off() -> None:
    found = acted("stream_overloaded", failing(anthropic.APIStatusError, stream=True))
    assert found.type == "overloaded_error"
    acted("stream_overloaded", failing(anthropic.OverloadedError))

    def kinds(sdk: anthropic.Anthropic) -> list[str]:
        with sdk.messages.create(**body(turn()), stream=True) as stream:
            return [event.type for event in stream]

    assert acted("stream_no_stop", kinds)[-1] == "message_delta"
