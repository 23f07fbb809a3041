"""Every id that a turn cites is in the bundle its seat was shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phases.core.reading import Check, Finding
from schemas.base import Model
from schemas.debate import CaseInputs

PARTS = ("claims", "moves")


def known_ids(inputs: Model) -> frozenset[str]:
    """Ids that the seat was shown."""
    return frozenset(one.id for one in inputs.evidence or ()) if isinstance(inputs, CaseInputs) else frozenset()


def _parts(said: Model, name: str) -> Sequence[Any]:
    return getattr(said, name, None) or ()


def _foreign(said: Any, inputs: Model) -> Sequence[Finding]:
    known = known_ids(inputs)
    granted = getattr(said, "acknowledged", None)
    cited = {name for part in PARTS for one in _parts(said, part) for name in one.evidence}
    cited |= {one.would_change_if.evidence for one in _parts(said, "moves") if one.would_change_if}
    cited |= set(granted.evidence) if granted else set()
    own = set(getattr(said, "evidence", ()))
    found = [
        Finding(f"{name} is not in the evidence given; cite only its ids", "drop", "foreign_evidence")
        for name in sorted((cited | own) - known)
    ]
    if own and not own & known:
        found.append(Finding("/evidence: none of these ids is in the evidence given", "void"))
    return found


def _without_foreign(said: Any, inputs: Model) -> Any:
    """The turn without the claims and moves that cite what is not there."""
    known = known_ids(inputs)

    def grounded(one: Any) -> bool:
        condition = getattr(one, "would_change_if", None)
        return set(one.evidence) <= known and (condition is None or condition.evidence in known)

    update: dict[str, Any] = {
        name: tuple(filter(grounded, _parts(said, name))) for name in PARTS if getattr(said, name, None) is not None
    }
    granted = getattr(said, "acknowledged", None)
    if granted is not None and not grounded(granted):
        update["acknowledged"] = None
    if hasattr(said, "evidence"):
        update["evidence"] = tuple(name for name in said.evidence if name in known)
    return said.model_copy(update=update)


EVIDENCE_IDS: Check[Any] = Check("evidence_ids", _foreign, _without_foreign)
"""A claim or move that cites a foreign id does not count."""
