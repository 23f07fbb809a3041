"""A question that no source answered: noted where it happened, never kept as an answer, found again by a replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from phases.core.errors import NotJournaled, SourceDown, Unanswered
from phases.core.fetch import Fetch
from phases.core.text import canonical
from schemas.base import Model
from schemas.events import Outage

M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class Watched(Fetch):
    """The door to data with its outages noted."""

    noted: dict[str, Outage] = field(default_factory=dict)
    """What was not answered, by question."""
    earlier: Mapping[str, Outage] = field(default_factory=dict)
    """What was not answered when the run was made; in a replay it is not answered again."""
    tolerant: bool = False
    """Whether a source that is down is no answer, and no reason to stop."""

    def __call__(self, dataset: str, returns: type[M], **params: str) -> M:
        """The answer to one question; raises as `Fetch` does, but Unanswered for SourceDown where it is tolerant."""
        asked = canonical([dataset, params])
        try:
            return super().__call__(dataset, returns, **params)
        except NotJournaled:
            if asked not in self.earlier:
                raise
            outage = self.earlier[asked]
        except SourceDown as down:
            outage = Outage(kind="down", reason=str(down))
        except Unanswered as nothing:
            outage = Outage(kind="unanswered", reason=nothing.reason)
        self.noted[asked] = outage
        if outage.kind == "down" and not self.tolerant:
            raise SourceDown(outage.reason)
        raise Unanswered(outage.reason)
