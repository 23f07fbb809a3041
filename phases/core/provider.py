"""The contract of whoever answers turns: what it is given, and what it gives back before anyone judges it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from phases.core.errors import RebuttalError
from phases.core.skills import Rendered
from phases.core.text import canonical
from schemas.base import Model
from schemas.events import Attempt, Usage


def _free() -> None:
    """A further try costs nothing."""


@dataclass(frozen=True)
class Request:
    """One turn as a provider gets it."""

    skill: str
    seat: str
    model: str
    prompt: Rendered
    schema: Mapping[str, Any]
    """Wire schema of the answer."""
    require: tuple[str, ...]
    inputs: Model
    """The same inputs as the prompt shows, typed."""
    again: Callable[[], None] = field(default=_free, compare=False)
    """Called before a further try where the last one may have been billed. Raises CeilingReached if there is no more
    money for one."""

    @property
    def size(self) -> int:
        """Bytes of what is sent: the prompt, and the schema of the answer."""
        return sum(len(text.encode("utf-8", "surrogatepass")) for text in (self.prompt.text, canonical(self.schema)))


@dataclass(frozen=True)
class Reply:
    """What a provider gave back, before anyone judges it."""

    text: str
    stop_reason: str
    usage: Usage = field(default_factory=Usage)
    request_id: str = ""
    attempts: tuple[Attempt, ...] = ()
    """Every try it took, the last one included; empty where an engine does not try."""

    def stored(self) -> str:
        """It as one ASCII text: whatever a model says can be stored."""
        return json.dumps(
            {
                "text": self.text,
                "stop_reason": self.stop_reason,
                "request_id": self.request_id,
                "usage": self.usage.model_dump(),
                "attempts": [one.model_dump() for one in self.attempts],
            },
            sort_keys=True,
        )


def restored(text: str) -> Reply:
    """The reply that was stored."""
    found = json.loads(text)
    attempts = tuple(Attempt(**one) for one in found.get("attempts", ()))
    return Reply(found["text"], found["stop_reason"], Usage(**found["usage"]), found["request_id"], attempts)


class Provider(Protocol):
    """Something that answers turns."""

    engine: str
    """Label that stands in every output, for example `offline-desk v2, llm: none`."""
    longest: int
    """Most tokens that a reply may have."""

    def replies(self, requests: Sequence[Request]) -> Sequence[Reply | RebuttalError]:
        """One reply for each request, in order, or what ended it; all are under way before any is awaited.

        Raises InfrastructureError if the engine cannot be reached.
        """
        ...

    def close(self) -> None:
        """Let go of what it holds. May be called more than once."""
        ...
