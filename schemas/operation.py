"""Settings that say how a run is carried out and who is told of its end. Not part of its identity."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from schemas.base import Section, Text, absent

Dollars = Annotated[Annotated[float, Field(ge=0)] | None, BeforeValidator(absent)]


class OperationSettings(Section):
    """How a run is carried out. Not part of its identity."""

    threads: Annotated[int, Field(ge=1, le=256)]
    """Tickers worked on at once."""
    lease_seconds: Annotated[int, Field(ge=1, le=3600)]
    """How long a claimed call stays reserved for its process."""
    lock_seconds: Annotated[int, Field(ge=1, le=3600)]
    """How long to wait for a store that another process holds."""
    offline: bool = False
    """Whether only stored answers of sources are used."""
    max_cost: Dollars = None
    """Most US dollars a run may spend; absent for no ceiling."""
    max_cost_night: Dollars = None
    """The same for all runs of one night in a store."""
    log: Literal["text", "json"] = "text"
    """Form of the lines on stderr: for people, or one JSON object each."""
    metrics_dir: Annotated[Text | None, BeforeValidator(absent)] = None
    """Folder in which the metrics of the latest end of a run are written as `rebuttal.prom`; absent for none."""


class NotifySettings(Section):
    """Who is told when a run ends, however it ends."""

    on: Literal["problem", "always"] = "problem"
    """`problem`: only of an exit code other than 0 or an alarm."""
    webhook: Annotated[Text | None, BeforeValidator(absent)] = None
    """Address that is sent the notice, https or on this machine, or `$NAME` for one in an environment variable."""
    command: tuple[Text, ...] = ()
    """Program and arguments that get the notice on stdin."""
    timeout_seconds: Annotated[float, Field(ge=0.1, le=300)] = 10.0
    """Most time either may take."""
