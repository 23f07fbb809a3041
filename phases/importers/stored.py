"""What every importer makes of a stored debate, and what it refuses."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pydantic import BaseModel, ConfigDict

from phases.debate.readouts.moves import Point
from phases.debate.readouts.theater import Said

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


@dataclass(frozen=True)
class SetAside:
    """A well-formed record that cannot be what was debated; it enters no figure."""

    id: str
    key: tuple[str, ...]
    reason: str
