"""What a read-out may look at. It is a pure function: the same ledger gives the same value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field

from phases.debate.points import Raised, raised
from schemas.analyst import AnalystPayload
from schemas.base import Section, Stance
from schemas.debate import Case
from schemas.ledger import LedgerEvent
from schemas.market import Evidence

Share = Annotated[str, Field(pattern=r"^(0(\.[0-9]+)?|1(\.0+)?)$")]
"""A number from 0 to 1, kept exact."""


class Aggregate(Section):
    """How the panel's probabilities become one."""

    rule: Literal["neyman", "log_odds", "mean"] = "neyman"
    """`neyman` extremises by d, `log_odds` by the square root of 3, `mean` not at all."""
    rho: Share = "0.3"
    """Correlation of the panel's members."""
    base: Share = "0.5"
    """Base rate of the event."""


class VerdictLimits(Section):
    """When a gap counts as moved."""

    min_panel: Share = "0.05"
    """Panel spread below which there was nothing to debate."""
    min_closure: Share = "0.05"
    """Change of the gap that counts."""


class Blend(Section):
    """How the debate's last midpoint enters the aggregate."""

    weight: Share = "0.3"
    """Weight of the midpoint."""
    only_if: Literal["always", "consensus", "narrowed"] = "always"
    """When it enters at all."""


class ReadoutSettings(Section):
    """Parameters of the read-outs."""

    aggregate: Aggregate = Aggregate()
    """Panel aggregate."""
    verdict: VerdictLimits = VerdictLimits()
    """Verdict on the gap."""
    blend: Blend = Blend()
    """Blend of aggregate and debate."""


@dataclass(frozen=True)
class Seen:
    """The analyst view, what is held, and the ledger so far."""

    payload: AnalystPayload | None
    held: bool = False
    last_stance: Stance | None = None
    """Stance of the latest earlier night; absent if there was none."""
    ledger: Sequence[LedgerEvent] = ()
    bundle: Mapping[str, Evidence] = field(default_factory=dict)
    """Evidence by id."""
    settings: ReadoutSettings = field(default_factory=ReadoutSettings)

    @cached_property
    def raised(self) -> tuple[Raised, ...]:
        """Every claim with what became of it."""
        return raised(self.ledger)

    @classmethod
    def of(cls, case: Case, ledger: Sequence[LedgerEvent], settings: ReadoutSettings) -> Seen:
        """A debate over a case, as far as it has come."""
        return cls(case.payload, ledger=ledger, bundle={one.id: one for one in case.bundle}, settings=settings)
