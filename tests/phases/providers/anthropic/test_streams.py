"""Replies that are streamed: the same as whole ones, and none if the stream is cut."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from phases.core.errors import ModelDown
from phases.providers.anthropic import AnthropicProvider
from tests.phases.providers.anthropic.server import Server, closing, event, head, opening, streams, then_reset, well
from tests.phases.providers.anthropic.turns import ended, turn


@pytest.mark.parametrize(
    ("raw", "tries", "said"),
    [
        pytest.param(opening('{"a":1}') + event("content_block_stop", index=0), 2, "message_stop", id="F067"),
        pytest.param(opening("{") + b"event: content_block_delta\ndata: {cut", 2, "message_stop", id="cut event"),
        pytest.param(opening("{") + b"event: content_block_delta\ndata: {cut\n\n", 2, "decoded", id="no JSON"),
        pytest.param(opening("{") + b"event: content_block_delta\ndata: \xff\n\n", 2, "decoded", id="no text"),
        pytest.param(event("content_block_delta", index=4, delta={"type": "text_delta"}), 2, "no message", id="order"),
        pytest.param(event("message_stop"), 2, "no message", id="nothing"),
    ],
)
@pytest.mark.usefixtures("quick")
def test_cut_stream_is_no_reply(
    server: Server, provider: Callable[..., AnthropicProvider], raw: bytes, tries: int, said: str
) -> None:
    server.script = [streams(raw)]
    assert said in ended(provider(stream=True), ModelDown)
    assert len(server.seen) == tries


@pytest.mark.usefixtures("quick")
def test_f068_overloaded_in_the_stream(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    error = event("error", error={"type": "overloaded_error", "message": "Overloaded"})
    server.script = [streams(opening("{") + error), streams(opening('{"a":1}') + closing())]
    (reply,) = provider(stream=True).replies([turn()])
    assert [one.status for one in reply.attempts] == ["529 in the stream", "200"]


@pytest.mark.usefixtures("quick")
def test_f069_reset_in_the_stream(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    raw = opening("{")
    chunk = f"{len(raw):x}\r\n".encode() + raw + b"\r\n"
    server.script = [then_reset(head(200, "text/event-stream", transfer_encoding="chunked") + chunk)]
    assert "connection lost" in ended(provider(stream=True), ModelDown)
    assert len(server.seen) == 2


def test_stream_comes_to_the_same_reply(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [streams(opening('{"a":"é\U0001f600"}') + closing("max_tokens"))]
    (reply,) = provider(stream=True).replies([turn()])
    assert server.seen[0].body["stream"] is True
    assert (reply.text, reply.stop_reason, reply.request_id) == ('{"a":"é\U0001f600"}', "max_tokens", "req_stream")
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.estimated) == (11, 7, False)


@pytest.mark.parametrize(("most", "streamed"), [(21_333, False), (21_334, True)])
def test_long_replies_are_streamed(
    server: Server, provider: Callable[..., AnthropicProvider], most: int, streamed: bool
) -> None:
    server.script = [streams(opening("{}") + closing()) if streamed else well()]
    provider(max_tokens=most).replies([turn()])
    assert server.seen[0].body.get("stream", False) is streamed


def test_server_that_does_not_stream_is_read_all_the_same(
    server: Server, provider: Callable[..., AnthropicProvider]
) -> None:
    server.script = [well()]
    assert provider(stream=True).replies([turn()])[0].text == '{"a":1}'
