"""Lines that break and answers that are no message: resets, redirects, names not found, pages instead of JSON."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable

import pytest

from phases.core.errors import InfrastructureError, ModelDown
from phases.providers.anthropic import AnthropicProvider
from tests.phases.providers.anthropic.server import CUT, Action, Server, message, reset, says, then_reset, well
from tests.phases.providers.anthropic.turns import ended, turn


@pytest.mark.usefixtures("quick")
def test_f062_reset_in_the_body_is_tried_once_more(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [then_reset(CUT), well()]
    (reply,) = provider().replies([turn()])
    assert [one.request_id for one in reply.attempts] == ["req_cut", "req_ok"]
    assert "connection lost" in reply.attempts[0].status
    server.script = [then_reset(CUT)]
    assert "connection lost" in ended(provider(), ModelDown)
    assert len(server.seen) == 4


@pytest.mark.usefixtures("quick")
def test_reset_before_an_answer_is_tried_again(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    server.script = [reset, lambda peer: None, well()]
    (reply,) = provider().replies([turn()])
    assert len(reply.attempts) == 3
    server.script = [reset]
    assert "closed before an answer" in ended(provider(), ModelDown)
    assert len(server.seen) == 3 + 4


NO_GZIP = says(200, b"junk", content_encoding="gzip")


@pytest.mark.parametrize(
    "action",
    [
        pytest.param(says(200, b"<html>Sign in</html>", "text/html"), id="F065"),
        pytest.param(says(200, json.dumps(message()).encode()[:-20]), id="F066"),
        pytest.param(says(200, b""), id="empty"),
        pytest.param(says(200, b"[" * 100_000), id="deep"),
        pytest.param(says(200, b"\xff\xfe{"), id="no text"),
        pytest.param(says(200, {"type": "message", "content": "text"}), id="content of another kind"),
        pytest.param(says(200, {"type": "message", "content": [{"type": "text"}]}), id="block without text"),
        pytest.param(says(200, {"type": "error", "error": {}}), id="an error in the clothes of a success"),
        pytest.param(NO_GZIP, id="no gzip"),
    ],
)
@pytest.mark.usefixtures("quick")
def test_no_message_is_tried_once_more(
    server: Server, provider: Callable[..., AnthropicProvider], action: Action
) -> None:
    server.script = [action]
    said = ended(provider(), InfrastructureError)
    assert len(server.seen) == 2
    assert ("connection lost" if action is NO_GZIP else "not a Message") in said


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_f072_redirect_is_not_followed(server: Server, provider: Callable[..., AnthropicProvider], status: int) -> None:
    other = Server([well()])
    try:
        server.script = [says(status, b"", location=f"{other.url}/v1/messages".replace("127.0.0.1", "localhost"))]
        said = ended(provider(), InfrastructureError)
        assert "redirects to localhost" in said and "not followed" in said
        assert other.seen == [] and len(server.seen) == 1
    finally:
        other.close()


@pytest.mark.usefixtures("quick")
def test_f073_name_that_is_not_found(server: Server, provider: Callable[..., AnthropicProvider]) -> None:
    host = "nowhere.invalid"
    said = ended(provider(base_url=f"https://{host}", hosts=(host,)), ModelDown)
    assert "the host's name is not found" in said and "tries: 4" in said


@pytest.mark.usefixtures("quick")
def test_port_where_nobody_listens(provider: Callable[..., AnthropicProvider]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert "tries: 4" in ended(provider(base_url=f"http://127.0.0.1:{port}"), ModelDown)
