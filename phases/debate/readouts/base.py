"""What a read-out may look at. It is a pure function: the same ledger gives the same value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.analyst import AnalystPayload
from schemas.base import Stance
from schemas.debate import Spoke, Voided


@dataclass(frozen=True)
class Seen:
    """The analyst view, what is held, and the ledger so far."""

    payload: AnalystPayload | None
    held: bool
    last_stance: Stance | None
    """Stance of the latest earlier night; absent if there was none."""
    ledger: Sequence[Spoke | Voided] = ()
