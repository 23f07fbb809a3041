"""What names a run: everything that decides what it says, and nothing of how it is carried out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from phases.core.text import canonical, digest
from schemas.run import RunHeader
from schemas.settings import PROVIDER_OPERATION, SOURCE_OPERATION


def identity(header: RunHeader) -> dict[str, Any]:
    """What decides what a run says: the header without its name and without how it is carried out."""
    told = {"operation": True, "notify": True, "source": SOURCE_OPERATION}
    aside: Any = {**told, "provider": dict.fromkeys(PROVIDER_OPERATION, True)}
    found = header.model_dump(mode="json", exclude={"run_id": True, "settings": aside})
    return {str(key): value for key, value in found.items()}


def named_run(header: RunHeader) -> RunHeader:
    """The header with the id that its identity gives it."""
    mark = digest(canonical(identity(header)))[:8]
    return header.model_copy(update={"run_id": f"{header.as_of.isoformat()}-{mark}"})


def changed(before: RunHeader, after: RunHeader) -> list[str]:
    """The identity's parts that differ, each with both values, for example `settings.debate.rounds (2, now 3)`."""
    told = sorted(_differences(identity(before), identity(after), ""))
    source = after.settings.source
    place = f" in {source.path}" if source.name == "csv_folder" and source.path else ""
    data = f"the data of source {source.name}{place}: vintage ("
    return [f"{data}{one.removeprefix('vintage (')}" if one.startswith("vintage (") else one for one in told]


def _brief(value: Any) -> str:
    """A short value as it is, a long one by its digest."""
    words = value if isinstance(value, str) else canonical(value)
    return words if len(words) <= 40 and words.isprintable() else digest(words)[:8]


def _differences(before: Any, after: Any, path: str) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            yield from _differences(before.get(key), after.get(key), f"{path}.{key}" if path else str(key))
    elif before != after:
        yield f"{path} ({_brief(before)}, now {_brief(after)})"
