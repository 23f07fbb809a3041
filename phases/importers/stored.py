"""What every importer makes of a stored debate, and what it refuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from phases.debate.readouts.moves import Point
from phases.debate.readouts.theater import Said
from phases.importers.rulings import Ruling
from phases.maths.aggregation import Confidence, Verdict

PLACES: Final = 6
"""Decimals of computed figures."""

Reading = Literal["strict", "author"]
"""How prose becomes moves: by exact ids and move words, or as the program behind the records reads it."""


class Shape(BaseModel):
    """A line as it is stored: frozen and strict about types; keys that no reading uses are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, allow_inf_nan=False)


@dataclass(frozen=True)
class Recorded:
    """Figures stored with a debate: never an input of a reading, only reported beside it."""

    convergence: float | None = None
    resolved: bool | None = None
    concessions: int | None = None
    cascade: bool | None = None
    no_reply: bool | None = None


@dataclass(frozen=True)
class Forecast:
    """Read-outs of a debate about a probability; 6 decimals, those of the panel 4."""

    spread: float | None
    """Highest minus lowest probability of the panel; absent below two."""
    mean: float | None
    aggregate: float | None
    """Absent where the panel was only averaged."""
    gaps: tuple[float, ...]
    """Of each round in which both sides gave a probability; so are the midpoints."""
    midpoints: tuple[float, ...]
    gap_change: float | None
    """Last gap minus first."""
    verdict: Verdict | None
    consensus: bool
    early_termination: bool
    blend: float | None
    """After the debate."""
    final: float | None
    """After the supervisor, and after the scaling where the record asks for one."""
    recorded_final: float | None
    """As stored; never an input."""
    outcome: float | None
    """0 or 1, once known."""
    brier_before: float | None
    """Score of the panel."""
    brier_after: float | None
    """Score of `final`."""


@dataclass(frozen=True)
class Votes:
    """Read-outs of a panel that voted."""

    ballots: Mapping[str, str]
    """Canonical stance by seat; a void seat is not here."""
    counts: Mapping[str, int]
    """Votes by stance."""
    winner: str | None
    votes: int
    total: int
    tied: bool
    ratio: float | None
    """votes / total, 6 decimals."""
    confidence: Confidence | None
    changed: tuple[str, ...]
    """Seats that changed their mind."""


@dataclass(frozen=True)
class StoredDebate:
    """A debate from elsewhere, as one reading understands it."""

    id: str
    key: tuple[str, ...]
    """What must differ between two debates of a file."""
    points: tuple[Point, ...] | None
    """Points with their answers; absent where the record holds no moves."""
    turns: tuple[Said, ...]
    """Turns that the reading looks at, in order."""
    rebuttal_words: bool = False
    """Whether the reading finds a rebuttal beyond those the points show."""
    empty_resolves: bool = False
    """The original's convention: a debate without points is resolved, at 1."""
    empty_score: Fraction | None = None
    """What a debate without points adds to the mean; None: it stays out."""
    recorded: Recorded = Recorded()
    forecast: Forecast | None = None
    votes: Votes | None = None
    rulings: tuple[Ruling, ...] | None = None
    """One for each round, where a moderator rules."""

    @property
    def other(self) -> bool:
        """Whether its read-outs are others than moves."""
        return self.forecast is not None or self.votes is not None or self.rulings is not None


@dataclass(frozen=True)
class SetAside:
    """A well-formed record that cannot be what was debated; it enters no figure."""

    id: str
    key: tuple[str, ...]
    reason: str
