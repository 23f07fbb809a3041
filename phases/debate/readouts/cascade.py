"""Capitulation: nearly everything is given up at once, and nobody rebuts."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from phases.debate.readouts.moves import Point

SHARE = Fraction(4, 5)


def cascade(points: Iterable[Point], rebuttal_words: bool = False) -> bool:
    """Whether points conceded in round 1 / points of round 1 >= 4/5, with a concession and without a rebuttal.

    `rebuttal_words` adds rebuttals that no point shows: the `author` reading finds the word anywhere
    in the prose. The rule is that of adversarial-debate 0.2.2.

    >>> yes = [Point(f"c{at}", "bull", "conceded", answered=1) for at in range(4)]
    >>> cascade([*yes, Point("c4", "bear", "carried")]), cascade([*yes, Point("c4", "bear", "rebutted")])
    (True, False)
    >>> cascade(yes, rebuttal_words=True), cascade([])
    (False, False)
    """
    known = list(points)
    first = [point for point in known if point.raised == 1]
    conceded = sum(point.answer in ("conceded", "withdrawn") and point.answered == 1 for point in first)
    rebutted = rebuttal_words or any(point.answer == "rebutted" for point in known)
    return conceded > 0 and not rebutted and Fraction(conceded, len(first)) >= SHARE
