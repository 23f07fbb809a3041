"""Moves per point, and how far a debate converged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

Answer = Literal["conceded", "withdrawn", "upheld", "rebutted", "carried", "mixed", "unaddressed"]
"""What became of a point. Two come from stored prose only: `upheld`, which the `author` reading counts as
resolved, and `mixed`, which the `strict` reading gives where contradictory move words stand on one point."""

ANSWERS: tuple[Answer, ...] = get_args(Answer)

SETTLED: frozenset[Answer] = frozenset({"conceded", "withdrawn", "upheld"})
"""Answers that close a point."""

Verdict = Literal["resolved", "disputed", "empty"]


@dataclass(frozen=True)
class Point:
    """A point that was raised, and the one answer that counts."""

    id: str
    side: str
    """Who raised it."""
    answer: Answer
    raised: int = 1
    """Round, from 1, in which it was open for the first time."""
    answered: int | None = None
    """Round of the answer; absent if unaddressed."""
    reasoned: bool = False
    """Whether the answer gives a reason."""
    evidenced: bool = False
    """Whether the answer brings evidence."""


def moves(points: Iterable[Point]) -> Mapping[Answer, int]:
    """How many points got each answer; the counts add up to the points.

    Source: the moves of adversarial-debate 0.2.2, with `unaddressed` set by the reader of the debate.

    >>> counts = moves([Point("bull.1.c1", "bull", "conceded"), Point("bull.1.c2", "bull", "unaddressed")])
    >>> counts["conceded"], counts["rebutted"], counts["unaddressed"]
    (1, 0, 1)
    """
    found = Counter(point.answer for point in points)
    return {answer: found[answer] for answer in ANSWERS}


def convergence(points: Sequence[Point]) -> Fraction | None:
    """Points settled / points raised, 0..1; None where no point was raised, for there is nothing to score.

    Settled is conceded or withdrawn (in the `author` reading also upheld).

    >>> convergence([Point("a", "bull", "withdrawn"), Point("b", "bull", "carried"), Point("c", "bear", "mixed")])
    Fraction(1, 3)
    >>> convergence([]) is None
    True
    """
    return Fraction(sum(point.answer in SETTLED for point in points), len(points)) if points else None


def verdict(points: Sequence[Point]) -> Verdict:
    """`resolved` if no point is open, else `disputed`; `empty` where none was raised.

    >>> verdict([Point("a", "bull", "conceded")]), verdict([Point("a", "bull", "rebutted")]), verdict([])
    ('resolved', 'disputed', 'empty')
    """
    if not points:
        return "empty"
    return "resolved" if convergence(points) == 1 else "disputed"
