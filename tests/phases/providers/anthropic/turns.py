"""What the tests of the anthropic provider share: a key nobody may see, a turn, and how a turn that fails is looked at."""

from __future__ import annotations

import traceback
from collections.abc import Sequence

import pytest

import phases.providers.anthropic.clients  # noqa: F401  the SDK is loaded before any clock runs
from phases.core.errors import RebuttalError
from phases.core.provider import Reply, Request
from phases.core.skills import Rendered
from phases.providers.anthropic import AnthropicProvider
from schemas.base import Model

KEY = "sk-ant-canary-0123456789-never-to-be-seen"
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}


class Nothing(Model):
    """No inputs."""


class Raising(AnthropicProvider):
    """The provider; what ended a turn is raised, as the door does."""

    def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:  # type: ignore[override]
        found = super().replies(requests)
        for one in found:
            if not isinstance(one, Reply):
                raise one
        return found  # type: ignore[return-value]


def turn(*parts: str, system: str = "Argue.", skill: str = "research-debate", seat: str = "bull") -> Request:
    shown = Rendered(system, parts or ("[case 0123456789ab]\nThe case.\n[end 0123456789ab]", "Answer."))
    return Request(skill, seat, "claude-test", shown, SCHEMA, (), Nothing())


def ended(provider: AnthropicProvider, kind: type[RebuttalError], request: Request | None = None) -> str:
    """What a turn that fails says; the key stands nowhere in it, nor in what it was raised from."""
    with pytest.raises(kind) as caught:
        provider.replies([request or turn()])
    error: BaseException | None = caught.value
    shown = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    assert KEY not in shown and KEY not in repr(provider.__dict__)
    while error is not None:
        assert KEY not in repr(error) and KEY not in repr(vars(error))
        error = error.__context__ or error.__cause__
    return str(caught.value)
