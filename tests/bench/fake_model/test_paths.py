"""Paths of the fake model beside messages: token counts, models, batches."""

from __future__ import annotations

from typing import Any

import anthropic
import pytest

from tests.bench.fake_model.turns import HELLO, MODEL, body, desk, text_of, turns


def test_count_tokens_is_a_quarter_of_the_bytes(sdk: anthropic.Anthropic) -> None:
    asked = {"model": MODEL, "system": "four", "messages": [{"role": "user", "content": "é five"}]}
    assert sdk.messages.count_tokens(**asked).input_tokens == 3  # 4 + 7 bytes


def test_models_say_how_long_they_live(sdk: anthropic.Anthropic) -> None:
    assert sdk.models.retrieve(MODEL).lifecycle == "active"
    old = sdk.models.retrieve("claude-opus-4-5")
    assert (old.lifecycle, old.retires_at and old.retires_at.isoformat()) == ("deprecated", "2027-01-22T00:00:00+00:00")
    assert sdk.models.retrieve("claude-mythos-preview").lifecycle == "retired"
    assert len(list(sdk.models.list())) == 5
    with pytest.raises(anthropic.NotFoundError):
        sdk.models.retrieve("no-such")
    with pytest.raises(anthropic.NotFoundError):
        sdk.messages.create(**HELLO, extra_body={"model": "claude-mythos-preview"})


def test_a_batch_goes_round(sdk: anthropic.Anthropic) -> None:
    wanted: list[Any] = [{"custom_id": f"t{at}", "params": body(one)} for at, one in enumerate(turns()[:4])]
    wanted.append({"custom_id": "bad", "params": {**HELLO, "temperature": 0}})
    made = sdk.messages.batches.create(requests=wanted)
    assert made.processing_status == "in_progress" and made.request_counts.processing == 5
    with pytest.raises(anthropic.AnthropicError, match="results_url"):
        sdk.messages.batches.results(made.id)
    ended = sdk.messages.batches.retrieve(made.id)
    assert (ended.processing_status, ended.request_counts.succeeded, ended.request_counts.errored) == ("ended", 4, 1)
    found = {one.custom_id: one.result for one in sdk.messages.batches.results(made.id)}
    for at, request in enumerate(turns()[:4]):
        assert text_of(found[f"t{at}"].message) == desk(request).text
    assert found["bad"].error.error.type == "invalid_request_error"
    assert [one.id for one in sdk.messages.batches.list()] == [made.id]


def test_a_batch_can_be_cancelled(sdk: anthropic.Anthropic) -> None:
    made = sdk.messages.batches.create(requests=[{"custom_id": "one", "params": HELLO}])
    assert sdk.messages.batches.cancel(made.id).processing_status == "canceling"
    assert sdk.messages.batches.retrieve(made.id).request_counts.canceled == 1
    assert [one.result.type for one in sdk.messages.batches.results(made.id)] == ["canceled"]
