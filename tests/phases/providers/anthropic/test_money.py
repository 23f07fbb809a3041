"""What a turn may cost: spend limits, and tries that may have been billed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from phases.core.errors import CeilingReached, InfrastructureError, SpendLimit
from phases.providers.anthropic import AnthropicProvider
from schemas.settings import ProviderSettings
from tests.phases.providers.anthropic.server import CUT, Action, Server, fails, reset, says, then_reset, well
from tests.phases.providers.anthropic.turns import KEY, ended, turn


@pytest.mark.parametrize(
    ("action", "owed"),
    [
        pytest.param(fails(429, "rate_limit_error"), False, id="429"),
        pytest.param(fails(529, "overloaded_error"), False, id="529"),
        pytest.param(fails(500), False, id="500"),
        pytest.param(fails(502), True, id="a gateway that saw no answer"),
        pytest.param(fails(504), True, id="a gateway that did not wait"),
        pytest.param(then_reset(CUT), True, id="half an answer"),
        pytest.param(reset, True, id="sent and never answered"),
        pytest.param(says(200, b"<html>", "text/html"), True, id="not a Message"),
    ],
)
@pytest.mark.usefixtures("quick")
def test_a_try_that_may_have_been_billed_is_told_before_the_next(
    server: Server, provider: Callable[..., AnthropicProvider], action: Action, owed: bool
) -> None:
    server.script = [action, well()]
    told: list[int] = []
    request = replace(turn("x" * 1000, "y"), again=lambda: told.append(len(server.seen)))
    (reply,) = provider(max_tokens=700).replies([request])
    assert told == ([1] if owed else []), "before the second request left"
    lost, last = reply.attempts[0].lost, reply.attempts[1].lost
    assert last is None and (lost is not None) == owed
    if lost is not None:
        assert lost.estimated and lost.output_tokens == 700 and lost.input_tokens == -(-request.size // 2)


def test_without_money_for_another_try_there_is_none(
    server: Server, provider: Callable[..., AnthropicProvider]
) -> None:
    def broke() -> None:
        raise CeilingReached("no more")

    server.script = [reset, well()]
    with pytest.raises(CeilingReached) as caught:
        provider().replies([replace(turn(), again=broke)])
    assert caught.value.billed and len(server.seen) == 1


@pytest.mark.usefixtures("quick")
def test_a_turn_that_another_one_ended_is_billed_only_if_it_was_sent(server: Server) -> None:
    """One place: the first turn is refused for want of a key, and the others never leave."""
    server.script = [fails(401, "authentication_error")]
    settings = {"name": "anthropic", "base_url": server.url, "max_in_flight": 1}
    one = AnthropicProvider(ProviderSettings.model_validate(settings), KEY)
    try:
        found = one.replies([turn(str(at), "end") for at in range(3)])
    finally:
        one.close()
    assert len(server.seen) == 1
    assert [isinstance(error, InfrastructureError) and error.billed for error in found] == [False] * 3


@pytest.mark.parametrize(
    "action",
    [
        pytest.param(fails(429, "rate_limit_error", code="enforced_spend_limit_reached"), id="F054"),
        pytest.param(fails(400, "invalid_request_error", "You have reached your workspace spend limit."), id="F055"),
        pytest.param(fails(400, "invalid_request_error", "Your credit balance is too low."), id="F055 credit"),
        pytest.param(fails(402, "billing_error", "Pay."), id="402"),
    ],
)
def test_spend_limit_is_not_tried_again(
    server: Server, provider: Callable[..., AnthropicProvider], action: Action
) -> None:
    server.script = [action]
    one = provider()
    assert "spend limit" in ended(one, SpendLimit)
    assert "spend limit" in ended(one, SpendLimit, turn("another ticker", "end"))
    assert len(server.seen) == 1
