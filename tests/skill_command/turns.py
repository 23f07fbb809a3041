"""Turns that `skill` asks alone: recorded ones, and those of a night under several protocols."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from phases.core.skills import load_skills
from phases.lint import BINDINGS
from tests.conftest import ROOT, Night, Told

RECORDINGS = ROOT / "tests" / "recordings"
BULL, BEAR, MANAGER = (RECORDINGS / f"{name}.json" for name in ("bull_round1", "bear_round2", "manager"))
SKILLS = load_skills(ROOT / "skills")
FURTHER = ("fundamental-analyst", "news-analyst", "news-reader")
"""Skills whose evidence the packaged source does not have."""
ASKED = sorted(set(SKILLS) & set(BINDINGS) - set(FURTHER))
PROTOCOLS = ("desk", "rounds", "forecaster", "moderated", "panel")
"""Protocols that seat every skill between them, in all stages."""

Say = Callable[..., Told]


class Turn(NamedTuple):
    """One call of a night."""

    key: str
    protocol: str
    skill: str
    seat: str
    inputs: dict[str, Any]
    require: list[str]
    reply: dict[str, Any]


def turns_of(nights: Night, spare: Path) -> list[Turn]:
    rows = nights.ask(
        "SELECT key, header, name, calls.seat, request, reply FROM calls JOIN runs USING (run_id) WHERE kind = 'ask'",
        spare=spare,
    )
    found = []
    for key, header, name, seat, request, reply in rows:
        asked, protocol = json.loads(request), json.loads(header)["settings"]["debate"]["protocol"]
        assert asked["errors"] == []
        said = json.loads(json.loads(reply)["text"])
        found.append(Turn(key, protocol, name, seat, asked["inputs"], asked["require"], said))
    return found


def bare(value: Any) -> Any:
    """A value without what is absent."""
    if isinstance(value, dict):
        return {key: bare(part) for key, part in value.items() if part is not None}
    return [bare(part) for part in value] if isinstance(value, list) else value


def schema_of(prompt: str) -> Any:
    return json.loads(prompt.splitlines()[-1])
