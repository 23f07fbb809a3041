"""What the tests of the core share: a valid turn, a provider that reads from a script, a door on a real store."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings

from phases.core.ask import Ask
from phases.core.journal import Journal
from phases.core.provider import Reply, Request
from phases.core.recorder import Recorder
from phases.core.skills import Skill
from phases.core.store import Store
from schemas.debate import DebateInputs
from schemas.market import Evidence

ROOT = Path(__file__).resolve().parents[3]
DAY = date(2001, 2, 3)
RUN = "2001-02-03-00000000"
NIGHTLY = bool(os.environ.get("REBUTTAL_NIGHTLY"))
SEARCH = settings(
    deadline=None,
    derandomize=not NIGHTLY,
    max_examples=10_000 if NIGHTLY else 100,
    suppress_health_check=[HealthCheck.too_slow],
)
"""How far hypothesis searches: the same hundred examples by day, ten thousand new ones by night."""

SKILL = Skill("debater", "---\nname: debater\n---\nArgue your side.\n")


def evidence(id: str) -> Evidence:
    """An evidence item that says nothing in particular."""
    fixed = {"label": id, "unit": "ratio", "lean": 0.0, "source": "example", "tier": 1, "stale": False}
    return Evidence.model_validate({"id": id, "value": 0.1, "as_of": DAY, "known_at": DAY, **fixed})


def asked(**changes: Any) -> DebateInputs:
    """Inputs of the bull's first turn on AAPL, with changes."""
    told = {"ticker": "AAPL", "role": "bull", "round_number": 1, "evidence": (evidence("px.ret_63d"),)}
    return DebateInputs(**{**told, **changes})


def said(**changes: Any) -> dict[str, Any]:
    """A valid contribution to `asked()`, with changes; a change to `...` leaves the key out."""
    told: dict[str, Any] = {
        "role": "bull",
        "ticker": "AAPL",
        "round_number": 1,
        "argument": "Returns lead the index. The trend is intact. I stay bullish on AAPL.",
    }
    return {key: value for key, value in {**told, **changes}.items() if value is not ...}


def claim(**changes: Any) -> dict[str, Any]:
    """A valid claim, with changes."""
    return {"id": "c1", "text": "It outran the index.", "evidence": ["px.ret_63d"], **changes}


def reply(content: Any = None, stop_reason: str = "end_turn") -> Reply:
    """A reply with a text, or with a value as JSON; the valid contribution by default."""
    text = content if isinstance(content, str) else json.dumps(said() if content is None else content)
    return Reply(text, stop_reason, request_id="req_1")


def spoken(word: str) -> Reply:
    """A valid reply that can be told from others by a word in its text."""
    argument = f"Returns lead the index. The trend is {word}. I stay bullish on AAPL."
    return reply(said(argument=argument))


class Scripted:
    """A provider that gives the replies of a script in order, and keeps what it was asked."""

    engine = "scripted v1, llm: none"

    def __init__(self, *script: Reply | BaseException | Callable[[Request], Reply]) -> None:
        self.script = list(script)
        self.batches: list[list[Request]] = []

    @property
    def requests(self) -> list[Request]:
        """Every request, in order."""
        return [request for batch in self.batches for request in batch]

    def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:
        """The next reply of the script for each request."""
        self.batches.append(list(requests))
        return [self._next(request) for request in requests]

    def _next(self, request: Request) -> Reply:
        assert self.script, f"asked more often than scripted: {request.seat}"
        turn = self.script.pop(0)
        if isinstance(turn, BaseException):
            raise turn
        return turn(request) if callable(turn) else turn


def door(store: Store, provider: Scripted | None, *, skills: Iterable[Skill] = (SKILL,), **changes: Any) -> Ask:
    """The door of phase `debate_transcript` for AAPL, with a lease of 60 s; a replay without provider."""
    told: dict[str, Any] = {
        "skills": {skill.name: skill for skill in skills},
        "models": {"default": "m1"},
        "engine": Scripted.engine,
        "provider": provider,
        "journal": Journal(store, RUN, 60),
        "recorder": Recorder(store, RUN, 1),
        "phase": "debate_transcript",
        "ticker": "AAPL",
    }
    return Ask(**{**told, **changes})
