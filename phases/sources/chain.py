"""Several sources as one: for each dataset they are asked in order, and the answer says which one spoke."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from phases.core.errors import NoData, SourceDown, Unanswered
from phases.core.fetch import Source, Unstored, stored_only
from phases.core.text import canonical, digest


class Chain:
    """Asks the sources of a dataset until one has an answer."""

    def __init__(self, name: str, sources: Mapping[str, Source], order: Mapping[Any, Sequence[str]]) -> None:
        """`name` is the source for every dataset that `order` does not list."""
        self.name = name
        self.live = any(one.live for one in sources.values())
        vintages = {one: source.vintage for one, source in sources.items()}
        self.vintage = digest(canonical([name, vintages, {str(key): list(those) for key, those in order.items()}]))[:16]
        self._sources, self._order = sources, order
        self._failed: dict[str, list[str]] = {}
        """What sources that were down said, where another one answered."""
        self._lock = threading.Lock()

    def of(self, dataset: str) -> list[Source]:
        """The sources that are asked for a dataset, in order."""
        return [self._sources[name] for name in self._order.get(dataset, (self.name,))]

    def stored_only(self) -> Chain:
        """The chain with what is reached over a network only as it is stored."""
        stored = Chain(self.name, {name: stored_only(one) for name, one in self._sources.items()}, self._order)
        stored._failed, stored._lock = self._failed, self._lock
        return stored

    def fetch(self, dataset: str, params: Mapping[str, str]) -> Any:
        """The first answer. Raises SourceDown if none came and one was down, else what the sources said instead."""
        nothing: list[NoData | Unanswered] = []
        down: dict[str, SourceDown] = {}
        for one in self.of(dataset):
            try:
                found = one.fetch(dataset, params)
            except Unstored:  # what it would have said goes before all that others say
                raise
            except (NoData, Unanswered) as error:
                nothing.append(error)
            except SourceDown as error:
                down[one.name] = error
            else:
                self._note(down)
                return _said(dataset, one.name, found, [*down.values()])
        if down:
            raise SourceDown("; ".join(map(str, down.values())))
        reasons = "; ".join(one.reason for one in nothing) or f"no source is configured for {dataset}"
        raise Unanswered(reasons) if any(isinstance(one, Unanswered) for one in nothing) else NoData(reasons)

    def stood_in(self) -> tuple[str, ...]:
        """What to say of sources that were down while another one answered, one line each."""
        with self._lock:
            return tuple(
                f"source {name} gave no answer ({len(told)}x), and another source answered instead; first: {told[0]}"
                for name, told in sorted(self._failed.items())
            )

    def _note(self, down: Mapping[str, SourceDown]) -> None:
        """Remember what was down while another source answered."""
        with self._lock:
            for name, error in down.items():
                self._failed.setdefault(name, []).append(str(error))


def _said(dataset: str, name: str, found: Any, down: Sequence[SourceDown]) -> Any:
    """The answer with the name of its source, and with a note if another should have given it."""
    if dataset == "macro":
        return {"series": [{**one, "source": name} for one in found["series"]]}
    if dataset not in ("bars", "fundamentals", "news"):
        return found
    noted = {} if dataset == "news" or not down else {"notes": [*found.get("notes", ()), *map(str, down)]}
    return {**found, "source": name, **noted}
