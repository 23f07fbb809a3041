"""Theater: a debate that was held, and in which nothing happened."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from phases.debate.readouts.moves import SETTLED, Point
from phases.maths.exact import exact

MOVED = Fraction(1, 100)
"""A probability that changes by no more than this has not changed."""

NEAR = Fraction(3, 4)
"""Likeness from which a turn repeats another.

Of 750 recorded pairs of consecutive turns of one speaker, 27 are equal to the letter. Of the other 723 all
but two lie at or below .35, far under it; the two are one-line turns with a few words changed (.74, .88).
From ten words on, a copy with one word in eight replaced, or a third as much appended, lies at or above it.
"""

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Said:
    """One valid turn as theater sees it."""

    speaker: str
    round_number: int
    text: str
    probability: float | None = None
    stance: str | None = None


def likeness(text: str, other: str) -> Fraction:
    """How much of two texts is the same, 0..1: Dice coefficient of their adjacent word pairs.

    2 * |common pairs| / (|pairs of one| + |pairs of the other|), pairs counted as often as they stand, the
    edges of the text being words, too. Case, spacing and marks do not count; two texts without a word
    are alike. Linear in the texts. Source: Dice 1945, on word bigrams.

    >>> likeness("Buy: the margin grows.", "buy the MARGIN grows"), likeness("", "===")
    (Fraction(1, 1), Fraction(1, 1))
    >>> likeness("the margin grows fast", "the margin shrinks fast")
    Fraction(3, 5)
    """
    one, two = _pairs(text), _pairs(other)
    return Fraction(2 * (one & two).total(), one.total() + two.total())


def near(text: str, other: str) -> bool:
    """Whether one text is near-identical to the other: likeness >= 3/4.

    >>> near("Sell it.", "sell it"), near("Sell it.", "Keep it.")
    (True, False)
    """
    return likeness(text, other) >= NEAR


def _pairs(text: str) -> Counter[tuple[str, str]]:
    words = ["", *_WORD.findall(text.lower()), ""]
    return Counter(pairwise(words))


def consecutive(turns: Iterable[Said]) -> tuple[tuple[Said, Said], ...]:
    """Each turn that has a predecessor of the same speaker, as (predecessor, turn), in the order given.

    >>> a, b, c = Said("bull", 1, "x"), Said("bear", 1, "y"), Said("bull", 2, "z")
    >>> consecutive([a, b, c]) == ((a, c),)
    True
    """
    last: dict[str, Said] = {}
    found: list[tuple[Said, Said]] = []
    for turn in turns:
        if turn.speaker in last:
            found.append((last[turn.speaker], turn))
        last[turn.speaker] = turn
    return tuple(found)


def repeated(turns: Iterable[Said]) -> tuple[Said, ...]:
    """Turns near-identical to the speaker's previous one: likeness >= 3/4.

    >>> [turn.round_number for turn in repeated([Said("bear", 1, "Sell it."), Said("bear", 2, "sell it")])]
    [2]
    """
    return tuple(turn for before, turn in consecutive(turns) if near(before.text, turn.text))


def no_reply(points: Iterable[Point], turns: Sequence[Said]) -> bool:
    """No point settled and nothing said. Kept for compatibility: any text at all makes it false.

    Source: adversarial-debate 0.2.2; kept for comparison with its published figures.

    >>> no_reply([], []), no_reply([], [Said("A", 1, "lorem ipsum")])
    (True, False)
    """
    return not turns and not any(point.answer in SETTLED for point in points)


def no_substance(points: Sequence[Point] | None, turns: Sequence[Said]) -> bool:
    """Nothing changed hands, or a turn repeats the speaker's previous one.

    Nothing changed hands: no speaker's probability spans more than .01, no speaker's stance changes, no
    rebuttal brings evidence, no concession gives a reason. Where a record holds no moves (`points` is
    None) this cannot be judged, and only repetition counts. The definition is ours.

    >>> no_substance([], [Said("A", 1, "lorem ipsum")])
    True
    >>> no_substance([], [Said("bull", 1, "Up.", probability=0.6), Said("bull", 2, "Less.", probability=0.58)])
    False
    >>> no_substance([Point("c1", "bull", "rebutted", evidenced=True)], [])
    False
    """
    if repeated(turns):
        return True
    return points is not None and not any(map(_paid, points)) and not _moved(turns)


def _paid(point: Point) -> bool:
    if point.answer == "rebutted":
        return point.evidenced
    return point.answer in ("conceded", "withdrawn") and point.reasoned


def _moved(turns: Iterable[Said]) -> bool:
    """Whether a speaker changed probability or stance."""
    chances: dict[str, list[Fraction]] = {}
    stances: dict[str, set[str]] = {}
    for turn in turns:
        if turn.probability is not None:
            chances.setdefault(turn.speaker, []).append(exact(turn.probability))
        if turn.stance is not None:
            stances.setdefault(turn.speaker, set()).add(turn.stance.strip().lower())
    return any(max(one) - min(one) > MOVED for one in chances.values()) or any(len(one) > 1 for one in stances.values())
