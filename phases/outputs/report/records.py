"""What a page is made from: one night, or the nights of a store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from phases.outputs.report.score import Resolution
from schemas.bias import BiasRow
from schemas.debate import Carried, Case, Condition
from schemas.feed import FeedRow, PortfolioFeed, TickerOutcome
from schemas.health import NightHealth
from schemas.manager import WeighedClaim
from schemas.market import Evidence
from schemas.risk import RiskCase
from schemas.run import RunHeader, RunRecord


def held(row: FeedRow) -> bool:
    """Whether a debate stands behind a row, as the health of a night counts them; its cost is the row's."""
    return row.debate_cost_usd is not None


@dataclass(frozen=True)
class TickerNight:
    """One ticker's night."""

    row: FeedRow
    outcome: TickerOutcome
    case: Case | None


@dataclass(frozen=True)
class Night:
    """One finished night. Its tickers are loaded one at a time, so that memory does not grow with them."""

    header: RunHeader
    feed: PortfolioFeed
    record: RunRecord | None
    """Absent for a run that was stored without one."""
    health: NightHealth | None
    """Absent for a run that was stored before there was one."""
    bias: BiasRow | None
    risk: RiskCase | None
    """Absent where no risk seats were to be asked."""
    aside: bool
    """Whether it only tried something out, a what-if."""
    ticker: Callable[[FeedRow], TickerNight]
    """Everything the night made of the ticker of a row."""
    resolved: Resolution
    """What had become of the engine's forecasts by the night's session."""


@dataclass(frozen=True)
class PastRun:
    """One finished run of a store."""

    run_id: str
    record: RunRecord
    rows: tuple[FeedRow, ...]


@dataclass(frozen=True)
class Waiting:
    """What the latest debate over a ticker left open."""

    row: FeedRow
    """Row of that night."""
    points: tuple[WeighedClaim, ...]
    """Points that are still open."""
    conditions: tuple[Condition, ...]
    """What would settle them."""
    evidence: tuple[Evidence, ...]
    """What was known that night."""
    carried: Carried | None
    """What that debate itself had found left open."""


@dataclass(frozen=True)
class Past:
    """Every finished night of one engine, oldest first."""

    engine: str
    runs: tuple[PastRun, ...]
    waiting: tuple[Waiting, ...]
    resolved: Resolution
    """What has become of its forecasts."""
