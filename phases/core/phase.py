"""A phase: a function named for the artefact it makes, with parameters named for the artefacts it needs.

The signature tells its powers: without `ask` no model, without `fetch` no data. Before a run
starts, `check_pipeline` makes sure that every need is made earlier and that the types agree.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_type_hints

from schemas.base import Model

Scope = Literal["run", "ticker"]

DOORS = ("ask", "fetch")
GIVEN = ("ticker", "tickers", "as_of", "question", "header", "history", "settings", "outcomes")
"""Parameters that the runner fills itself; every other one is an artefact."""


@dataclass(frozen=True)
class Phase:
    """One step of the pipeline. Call it like the function it wraps."""

    name: str
    """Artefact it makes."""
    scope: Scope
    """`run`: once; `ticker`: for every ticker."""
    function: Callable[..., Any]
    params: Mapping[str, Any]
    """Parameters and their types."""
    makes: Any
    """Type of the artefact."""
    keys: Callable[[Any], Iterable[str]] | None
    """Tickers of a run-scoped artefact that has one part per ticker."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The artefact."""
        return self.function(*args, **kwargs)

    @property
    def needs(self) -> tuple[str, ...]:
        """Artefacts it needs."""
        return tuple(name for name in self.params if name not in (*GIVEN, *DOORS))

    @property
    def asks(self) -> bool:
        """Whether it may ask a model."""
        return "ask" in self.params


def phase(scope: Scope, *, keys: Callable[[Any], Iterable[str]] | None = None) -> Callable[[Callable[..., Any]], Phase]:
    """Make a phase of a function."""

    def wrap(function: Callable[..., Any]) -> Phase:
        hints = get_type_hints(function, include_extras=False)
        makes = hints.pop("return")
        params = {name: hints[name] for name in inspect.signature(function).parameters}
        return Phase(function.__name__, scope, function, params, makes, keys)

    return wrap


def check_pipeline(pipeline: Sequence[Phase], given: Mapping[str, Any], settings: Model) -> None:
    """Refuse a pipeline in which a need is not made earlier or a type does not agree.

    Raises TypeError naming phase and parameter: a mistake in the program, not in its use.
    """
    made: dict[str, Phase] = {}
    for one in pipeline:
        for name in one.needs:
            maker = made.get(name)
            if maker is None:
                raise TypeError(f"phase {one.name} needs {name}, which no earlier phase makes")
            if maker.scope == "ticker" and one.scope == "run":
                raise TypeError(f"phase {one.name} runs once; it gets {name} through outcomes")
            if maker.makes is not one.params[name]:
                raise TypeError(f"phase {one.name} takes {name} as {one.params[name]}, made as {maker.makes}")
        for name in ("as_of", "question", "header", "history"):
            if name in one.params and not isinstance(given[name], one.params[name]):
                raise TypeError(f"phase {one.name} takes {name} as {one.params[name]}")
        if one.scope == "run" and "ticker" in one.params:
            raise TypeError(f"phase {one.name} runs once and cannot take one ticker")
        if one.name in made:
            raise TypeError(f"two phases make {one.name}")
        settings_of(one, settings)
        outcome_type(one)
        made[one.name] = one


def settings_of(one: Phase, settings: Model) -> Model | None:
    """The section of the settings whose type the phase takes; absent if it takes none."""
    wanted = one.params.get("settings")
    if wanted is None:
        return None
    for name in type(settings).model_fields:
        section = getattr(settings, name)
        if type(section) is wanted:
            return section  # type: ignore[no-any-return]
    raise TypeError(f"phase {one.name} takes settings as {wanted}, which is no section")


def outcome_type(one: Phase) -> type[Model] | None:
    """Type of the entries of `outcomes`; its fields name the artefacts the phase gathers."""
    if "outcomes" not in one.params:
        return None
    entry = get_args(one.params["outcomes"])[1]
    if not (isinstance(entry, type) and issubclass(entry, Model) and "failure" in entry.model_fields):
        raise TypeError(f"phase {one.name} takes outcomes as a mapping to a record with `failure`")
    return entry
