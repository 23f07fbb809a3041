"""What a fake model server is told: a closed YAML file or mapping as one typed record. Reads that file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from phases.core.config import load_yaml, read_record
from phases.core.errors import UsageError
from schemas.base import Model

Count = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]


class Part(Model):
    """A section of a scenario; scalars may come as text."""

    model_config = ConfigDict(strict=False, coerce_numbers_to_str=True)


class Latency(Part):
    """How long an answer takes, in milliseconds: `mean`, give or take up to `jitter`."""

    mean: Annotated[float, Field(ge=0)] = 0
    jitter: Annotated[float, Field(ge=0)] = 0


class ModelEntry(Part):
    """A model that the server lists. A retired one is listed and answers no turn."""

    id: str
    lifecycle: Literal["active", "deprecated", "retired"] = "active"
    retires_at: datetime | None = None


class Action(Part):
    """One thing that goes wrong, or differs. Exactly one of `KINDS` is given; a bare word stands for `word: true`."""

    status: Annotated[int, Field(ge=400, le=599)] | None = None
    """Answer with this error; the next four belong to it."""
    retry_after: str | None = None
    type: str | None = None
    message: str | None = None
    error_code: str | None = None

    hang: bool | None = None
    html: bool | None = None
    redirect: str | None = None
    reset_before: bool | None = None

    truncate: Literal["cut", "whole"] | None = None
    refuse: bool | None = None
    stop_reason: str | None = None
    pause_turn: bool | None = None
    context_exceeded: bool | None = None
    no_usage: bool | None = None
    empty_content: bool | None = None
    two_blocks: bool | None = None
    text: str | None = None
    mutate: dict[str, Any] | None = None
    wrap: Literal["prose", "fences"] | None = None

    reset_mid_body: bool | None = None
    cut_json: bool | None = None
    drip: Annotated[float, Field(ge=0)] | None = None
    stream_overloaded: bool | None = None
    stream_no_stop: bool | None = None

    @model_validator(mode="before")
    @classmethod
    def _word(cls, value: Any) -> Any:
        return {value: True} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one(self) -> Action:
        given = self._given()
        if len(given) != 1 or getattr(self, given[0]) is False:
            raise PydanticCustomError("action", f"exactly one of {', '.join(KINDS)}")
        if given[0] != "status" and any(getattr(self, name) is not None for name in COMPANIONS):
            raise PydanticCustomError("action", f"a status, if it has any of {', '.join(COMPANIONS)}")
        return self

    def _given(self) -> list[str]:
        return [name for name in KINDS if getattr(self, name) is not None]

    @property
    def kind(self) -> str:
        """Name of the one thing."""
        return self._given()[0]


COMPANIONS = ("retry_after", "type", "message", "error_code")
KINDS = tuple(name for name in Action.model_fields if name not in COMPANIONS)


class When(Part):
    """Which requests a rule means: those that fit every key given. Counts are of the requests that fit the rest."""

    skill: str | None = None
    ticker: str | None = None
    seat: str | None = None
    """Seat, or the role of a debater."""
    round: int | None = None
    model: str | None = None
    repair: bool | None = None
    attempt: Count | None = None
    """How often this very body has come, this time included."""
    nth: Count | None = None
    """Only the n-th."""
    every: Count | None = None
    """The n-th, 2n-th, ..."""
    first: Count | None = None
    """Only the first n."""


class Rule(Part):
    """An action and when it is due."""

    when: When = When()
    do: Action


class Scenario(Part):
    """Everything a server is told."""

    seed: int = 0
    latency_ms: Latency = Latency()
    keys: tuple[str, ...] = ()
    """Keys that are let in; any, or none, if empty."""
    models: Annotated[tuple[ModelEntry, ...], Field(min_length=1)] = (
        ModelEntry(id="claude-sonnet-5-5"),
        ModelEntry(id="claude-haiku-5-5"),
        ModelEntry(id="claude-opus-5-5"),
    )
    minimum_cacheable: int = 1024
    """Tokens below which a prefix is not cached."""
    tools: bool = False
    """Whether a request may carry tools."""
    batch_polls: Annotated[int, Field(ge=0)] = 1
    """How often a batch is seen in progress before it has ended."""
    fault_share: Share = 0
    """Share of the turns no rule means that get one of `faults`, drawn by seed, body and attempt."""
    faults: tuple[Action, ...] = ()
    script: tuple[Rule, ...] = ()
    """Rules; the first that fits acts."""


def scenario(given: Mapping[str, Any] | Path) -> Scenario:
    """A scenario from a mapping or a YAML file. Reads the file; raises UsageError for what is not allowed."""
    if isinstance(given, Path):
        found, where = load_yaml(given), str(given)
        _plain_patches(found)
    else:
        found, where = dict(given), "scenario"
    read = read_record(Scenario, found, where)
    if read.fault_share and not read.faults:
        raise UsageError(f"{where}: fault_share is above 0 and faults is empty; list some")
    return read


def _plain_patches(found: dict[str, Any]) -> None:
    """Give the scalars of `mutate` their JSON type: in a file they are texts until someone reads them."""
    rules = found.get("script")
    actions = [rule.get("do") for rule in rules if isinstance(rule, dict)] if isinstance(rules, list) else []
    listed = found.get("faults")
    for action in (*actions, *(listed if isinstance(listed, list) else ())):
        if isinstance(action, dict) and "mutate" in action:
            action["mutate"] = _plain(action["mutate"])


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    try:
        return json.loads(value)
    except ValueError:
        return value
