"""What names a run: everything that decides what it says, and nothing of how it is carried out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from phases.core.text import canonical, digest
from schemas.run import RunHeader
from schemas.settings import PROVIDER_OPERATION, SOURCE_OPERATION, SourceSettings


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
    data = _data(after.settings.source)
    return [f"{data}: {one}" if one.startswith("vintage (") else one for one in told]


def _data(source: SourceSettings) -> str:
    """What a vintage is of, for a reader: the sources, with their folders."""
    folders = {"csv_folder": source.path, "fred": source.fred.path}
    names = dict.fromkeys([source.name, *chain.from_iterable(source.order.values())])
    told = ", ".join(f"{name} in {folder}" if (folder := folders.get(name)) else name for name in names)
    return f"the data of source{'s' * (len(names) > 1)} {told}"


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
