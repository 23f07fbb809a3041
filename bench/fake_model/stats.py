"""What the server itself counted since its start or its last reset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.fake_model.prompt import Turn


@dataclass
class Stats:
    """Counters; `told` gives them as JSON values."""

    requests: int = 0
    """Requests to the protocol's own paths."""
    turns: int = 0
    """Requests for a message, those of batches not included."""
    by_status: Counter[str] = field(default_factory=Counter)
    """By status, or `reset`, `hang` and `gone` (the client left) where there was none."""
    by_path: Counter[str] = field(default_factory=Counter)
    by_model: Counter[str] = field(default_factory=Counter)
    by_skill: Counter[str] = field(default_factory=Counter)
    by_seat: Counter[str] = field(default_factory=Counter)
    """By `skill/seat`; turns without a seat are not here."""
    tokens: Counter[str] = field(default_factory=Counter)
    """Of every message that was made, whether or not it arrived whole."""
    injected: Counter[str] = field(default_factory=Counter)
    """By kind of action."""
    connections: int = 0
    in_flight: int = 0
    peak_in_flight: int = 0
    batch_turns: int = 0
    duplicates: int = 0
    """How often a body was answered 200 that had been answered 200 before, byte for byte."""
    answered: set[str] = field(default_factory=set)

    def enter(self, path: str) -> None:
        """A request has come."""
        self.requests += 1
        self.by_path[path] += 1
        self.in_flight += 1
        self.peak_in_flight = max(self.peak_in_flight, self.in_flight)

    def leave(self, outcome: str) -> None:
        """It has been answered, or never will be."""
        self.in_flight = max(0, self.in_flight - 1)
        self.by_status[outcome] += 1

    def turn(self, turn: Turn | None, model: str) -> None:
        """A message is asked for."""
        self.by_model[model] += 1
        self.by_skill[turn.skill if turn else "unknown"] += 1
        if turn and turn.seat:
            self.by_seat[f"{turn.skill}/{turn.seat}"] += 1

    def spend(self, usage: Mapping[str, Any]) -> None:
        """A message was made."""
        self.tokens.update({name: count for name, count in usage.items() if name.endswith("_tokens")})

    def answer(self, body: str) -> None:
        """A body, given by its digest, was answered 200."""
        self.duplicates += body in self.answered
        self.answered.add(body)

    def told(self) -> dict[str, Any]:
        """Everything as JSON values."""
        kept = {name: value for name, value in vars(self).items() if name != "answered"}
        return {name: dict(sorted(one.items())) if isinstance(one, Counter) else one for name, one in kept.items()}
