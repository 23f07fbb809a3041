"""Several sources as one: for each dataset they are asked in order, and the answer says which one spoke."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from phases.core.errors import NoData, SourceDown, Unanswered
from phases.core.fetch import Source, Unstored, stored_only
from phases.core.text import digest


class Chain:
    """Asks the sources of a dataset until one has an answer."""

    def __init__(self, name: str, sources: Mapping[str, Source], order: Mapping[Any, Sequence[str]]) -> None:
        """`name` is the source for every dataset that `order` does not list."""
        self.name = name
        self.live = any(one.live for one in sources.values())
        self.vintage = digest(" ".join(f"{one} {sources[one].vintage}" for one in sorted(sources)))[:16]
        self._sources, self._order = sources, order

    def of(self, dataset: str) -> list[Source]:
        """The sources that are asked for a dataset, in order."""
        return [self._sources[name] for name in self._order.get(dataset, (self.name,))]

    def stored_only(self) -> Chain:
        """The chain with what is reached over a network only as it is stored."""
        return Chain(self.name, {name: stored_only(one) for name, one in self._sources.items()}, self._order)

    def fetch(self, dataset: str, params: Mapping[str, str]) -> Any:
        """The first answer. Raises SourceDown if none came and one was down, else what the sources said instead."""
        nothing: list[NoData | Unanswered] = []
        down: list[SourceDown] = []
        for one in self.of(dataset):
            try:
                found = one.fetch(dataset, params)
            except Unstored:  # what it would have said goes before all that others say
                raise
            except (NoData, Unanswered) as error:
                nothing.append(error)
            except SourceDown as error:
                down.append(error)
            else:
                return _said(dataset, one.name, found, down)
        if down:
            raise SourceDown("; ".join(map(str, down)))
        reasons = "; ".join(one.reason for one in nothing) or f"no source is configured for {dataset}"
        raise Unanswered(reasons) if any(isinstance(one, Unanswered) for one in nothing) else NoData(reasons)


def _said(dataset: str, name: str, found: Any, down: Sequence[SourceDown]) -> Any:
    """The answer with the name of its source, and with a note if another should have given it."""
    if dataset == "macro":
        return {"series": [{**one, "source": name} for one in found["series"]]}
    if dataset not in ("bars", "fundamentals", "news"):
        return found
    noted = {} if dataset == "news" or not down else {"notes": [*found.get("notes", ()), *map(str, down)]}
    return {**found, "source": name, **noted}
