"""Which action a request gets, and how long it waits: rules in order, then chance by seed, body and attempt."""

from __future__ import annotations

from collections import Counter
from random import Random

from bench.fake_model.prompt import Turn
from bench.fake_model.scenario import Action, Scenario, When


class Director:
    """Keeps the counts that rules need. The same bodies in any order get the same chance faults."""

    def __init__(self, told: Scenario) -> None:
        self._told = told
        self._fits = [0] * len(told.script)
        self._attempts: Counter[str] = Counter()

    def attempt(self, body: str) -> int:
        """Count one more coming of a body, given by its digest."""
        self._attempts[body] += 1
        return self._attempts[body]

    def action(self, turn: Turn | None, model: str, body: str, attempt: int) -> Action | None:
        """What happens to a request; nothing if it is answered as asked."""
        for at, rule in enumerate(self._told.script):
            if _fits(rule.when, turn, model, attempt):
                self._fits[at] += 1
                if _due(rule.when, self._fits[at]):
                    return rule.do
        chance = self._chance("fault", body, attempt)
        return chance.choice(self._told.faults) if chance.random() < self._told.fault_share else None

    def wait(self, body: str, attempt: int) -> float:
        """Seconds until the answer."""
        told = self._told.latency_ms
        return max(0.0, told.mean + told.jitter * self._chance("wait", body, attempt).uniform(-1, 1)) / 1000

    def _chance(self, what: str, body: str, attempt: int) -> Random:
        return Random(f"{self._told.seed} {what} {body} {attempt}")


def _fits(when: When, turn: Turn | None, model: str, attempt: int) -> bool:
    seen = {
        "skill": turn.skill if turn else "",
        "ticker": turn.ticker if turn else "",
        "seat": turn.seat if turn else "",
        "round": turn.round if turn else None,
        "repair": turn.repair if turn else False,
        "model": model,
        "attempt": attempt,
    }
    return all(getattr(when, name) in (None, value) for name, value in seen.items())


def _due(when: When, count: int) -> bool:
    return (
        when.nth in (None, count)
        and (when.every is None or count % when.every == 0)
        and (when.first is None or count <= when.first)
    )
