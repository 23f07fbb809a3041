"""Does every number in a piece of prose match a value that was given?

Which kind of number may state a value of which unit, and as what (v is the value):

| written as         | ratio     | usd | index                                        | count | days | text |
|--------------------|-----------|-----|----------------------------------------------|-------|------|------|
| 0.56               | v         | v   | v                                            | v     | v    | v    |
| 450k, 1.85 billion |           | v   | v                                            | v     |      | v    |
| 5.1%, 5.1 pp       | 100 v     |     | 100 v below 10, v from 2, 100 (v - 1) in comparisons |  |   |      |
| 5.1 points         | 100 v     | v   | v, 100 v below 10                            | v     |      | v    |
| 25 bp              | 10000 v   |     | 100 v                                        |       |      |      |
| $178.20            |           | v   |                                              |       |      |      |
| 1.25 times         | v         |     | v                                            | v     |      | v    |
| 12 days            |           |     |                                              |       | v    |      |

Every currency is money: the unit usd says that a value is a sum, not in which currency. A number is
right if the value rounds to the digits shown, a half either way. Zeros at the end of a whole number
are digits shown, except after "about". After "more than" the value lies between the number and one
unit of its last digit above it (for "less than" below it), or it is the value of an id that the
sentence names and on that side of the number (or the number is 1, where a ratio is neutral). A
written sign must be the value's own; without one the size counts, unless a word beside the number
says that it went the other way. A number that is tied to ids that are given states one of their
values. Zero as a threshold states nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from phases.maths.exact import decimals, exact
from phases.maths.figures import Figure, Kind, numbers
from phases.maths.prose import sentence_spans, sentences
from schemas.market import Evidence, Unit

__all__ = [
    "Figure",
    "Given",
    "Stray",
    "given_of",
    "names_stray",
    "numbers",
    "sentences",
    "ungrounded",
    "without_strays",
]

CUT: Final = " [cut]"
"""Mark of a text that lost a sentence."""

FAR: Final = 20
"""A value that differs by more than this factor is not called near."""


SLIPS: Final = tuple(Fraction(1000) ** power for power in (-3, -2, -1, 1, 2, 3))
"""Factors by which a scale word is mistaken for another."""


class Given(NamedTuple):
    """One value that prose may state."""

    id: str
    value: float | int
    unit: Unit
    beside: str = ""
    """Pattern of a word that must stand in the same sentence for the value to count; empty for any sentence."""


NO_VALUE, OPPOSITE = "is no value given", "has the wrong sign or direction"


class Stray(NamedTuple):
    """One number that states no given value; `str` is the sentence that says so to its author."""

    text: str
    """As written."""
    start: int
    end: int
    why: Literal["value", "sign", "none"]
    """`value`: another value is nearest; `sign`: right but for the sign; `none`: nothing is near."""
    id: str | None
    """Id of the nearest value."""
    nearest: str | None
    """The nearest value, written like the number."""

    def __str__(self) -> str:
        """What is wrong, and the value that comes nearest."""
        if self.why == "sign":
            return f"{self.text} {OPPOSITE}; the value is {self.nearest} ({self.id})"
        if self.why == "none":
            return f"{self.text} {NO_VALUE}, and none is near it"
        return f"{self.text} {NO_VALUE}; nearest is {self.nearest} ({self.id})"


def names_stray(sentence: str) -> bool:
    """Whether a sentence is that of a stray number.

    >>> names_stray("/claims/0: 7.7x is no value given, and none is near it"), names_stray("/claims/0: no evidence")
    (True, False)
    """
    return NO_VALUE in sentence or OPPOSITE in sentence


class _Reading(NamedTuple):
    """One value in the unit of a figure."""

    value: Fraction
    given: Given


def given_of(evidence: Iterable[Evidence]) -> tuple[Given, ...]:
    """The values of evidence items; a text counts as the numbers in it, a truth value as none.

    >>> from datetime import date
    >>> day = date(2012, 6, 29)
    >>> item = Evidence(id="f.note", label="note", value="sales rose 12% to $1.85B", unit="text", lean=0.0,
    ...                 as_of=day, known_at=day, source="x", tier=2, stale=False)
    >>> [(one.value, one.unit) for one in given_of([item])]
    [(0.12, 'ratio'), (1850000000.0, 'usd')]
    """
    found: list[Given] = []
    for item in evidence:
        if isinstance(item.value, str):
            found.extend(_quoted(item.id, one) for one in numbers(item.value))
        elif not isinstance(item.value, bool):
            found.append(Given(item.id, item.value, item.unit))
    return tuple(found)


def _quoted(id: str, figure: Figure) -> Given:
    """A number of a text as a value; a falling word makes an unsigned one negative."""
    signed = -figure.value if figure.lean < 0 and not figure.sign else figure.value
    if figure.kind in ("percent", "bp"):
        return Given(id, float(signed / (100 if figure.kind == "percent" else 10_000)), "ratio")
    units: dict[Kind, Unit] = {"money": "usd", "times": "ratio", "days": "days"}
    return Given(id, float(signed), units.get(figure.kind, "text"))


def ungrounded(text: str, given: Sequence[Given], names: Iterable[str] = ()) -> tuple[Stray, ...]:
    """The numbers of a text that state no given value, in order. Time grows with the length of the text.

    `names` are words whose digits claim nothing, for example a ticker. Never raises, whatever the text.

    >>> known = [Given("px.close", 178.2, "usd"), Given("px.ret_63d", -0.0512, "ratio")]
    >>> ungrounded("Down 5.1% over 63 sessions, at $178.20.", known)
    ()
    >>> [str(one) for one in ungrounded("At 187.20, it is up 5.1%.", known)]  # doctest: +NORMALIZE_WHITESPACE
    ['187.20 is no value given; nearest is 178.20 (px.close)',
     '5.1% has the wrong sign or direction; the value is -5.12% (px.ret_63d)']
    """
    known = _known(tuple(given))
    return _strays(text, known, names, whole=False) and _strays(text, known, names, whole=True)


class _Known(NamedTuple):
    """Values that may be stated, and what follows from them."""

    held: tuple[Given, ...]
    """Those that count in any sentence."""
    bound: tuple[Given, ...]
    has_days: bool
    windows: frozenset[int]
    """Window lengths that stand in ids."""


@lru_cache(maxsize=64)
def _known(given: tuple[Given, ...]) -> _Known:
    finite = tuple(one for one in given if math.isfinite(one.value))
    held, bound = tuple(one for one in finite if not one.beside), tuple(one for one in finite if one.beside)
    windows = frozenset(int(digits) for one in finite for digits in re.findall(r"\d{1,6}", one.id))
    return _Known(held, bound, any(one.unit == "days" for one in held), windows)


def _strays(text: str, known: _Known, names: Iterable[str], *, whole: bool) -> tuple[Stray, ...]:
    strays = []
    for figure in numbers(text, names, whole=whole):
        if (figure.kind == "days" and not known.has_days) or _is_window(text, figure, known.windows):
            continue
        stray = _stray(figure, known.held)
        if stray and known.bound:
            stray = _stray(figure, (*known.held, *_beside(text, figure, known.bound)))
        if stray:
            strays.append(stray)
    return tuple(strays)


def _beside(text: str, figure: Figure, bound: Sequence[Given]) -> list[Given]:
    """The values whose word stands in the sentence of a figure."""
    spans = (text[start:end] for start, end in sentence_spans(text) if start <= figure.start < end)
    sentence = next(spans, "")
    return [one for one in bound if re.search(one.beside, sentence, re.IGNORECASE)]


def without_strays(text: str, given: Sequence[Given], names: Iterable[str] = ()) -> str:
    """The text without the sentences that hold a stray, and one mark at its end; nothing if none is left.

    >>> without_strays("It is cheap. It fell 9.9%. It pays.", [])
    'It is cheap. It pays. [cut]'
    """
    strays = iter(ungrounded(text, given, names))
    stray = next(strays, None)
    if stray is None:
        return text
    kept = []
    for start, end in sentence_spans(text):
        clean = stray is None or stray.start >= end
        while stray is not None and stray.start < end:
            stray = next(strays, None)
        if clean:
            kept.append(text[start:end])
    return " ".join(kept) + CUT if kept else ""


def _is_window(text: str, figure: Figure, windows: frozenset[int]) -> bool:
    """`up 5.1% over 126`, where 126 is a window in a given id."""
    is_whole = figure.kind == "plain" and not figure.places and not figure.sign
    return (
        is_whole and figure.value in windows and _SPAN.search(text, max(0, figure.start - 10), figure.start) is not None
    )


_SPAN: Final = re.compile(r"\b(?:over|in|for|(?:that|those) of)\s$", re.IGNORECASE)


def _stray(figure: Figure, held: Sequence[Given]) -> Stray | None:
    tied = [one for one in held if one.id in figure.ids] or held
    readings = [one for kind in (figure.kind, figure.shared) if kind for one in _readings(figure, kind, tied)]
    right_size = [one for one in readings if _fits(figure, one)]
    if any(_right_way(figure, one) for one in right_size) or any(_on_its_side(figure, one) for one in readings):
        return None
    if right_size:
        return _told(figure, "sign", right_size[0])
    every = readings or [_Reading(exact(one.value), one) for one in tied]
    slipped = next((one for one in every if any(_fits(_scaled(figure, slip), one) for slip in SLIPS)), None)
    if slipped is not None:
        return _told(figure, "value", slipped)
    nearest = min(every, key=lambda one: abs(abs(one.value) - abs(figure.value)), default=None)
    if nearest is None or not _is_near(figure, nearest):
        return _told(figure, "none", None)
    return _told(figure, "value", nearest)


def _readings(figure: Figure, kind: Kind, held: Sequence[Given]) -> Iterator[_Reading]:
    for one in held:
        for factor, offset in _factors(kind, one, figure.compares):
            yield _Reading(factor * (exact(one.value) - offset), one)


def _factors(kind: Kind, given: Given, compares: bool) -> list[tuple[int, int]]:
    """(factor, offset) of each way in which a number of this kind may state the value; the table above."""
    unit, size = given.unit, abs(given.value)
    if kind in ("percent", "points"):
        if unit == "ratio":
            return [(100, 0)]
        if unit != "index":
            return [(1, 0)] if kind == "points" and unit != "days" else []
        own = [(1, 0)] if size >= 2 or kind == "points" else []
        return own + ([(100, 0)] if size < 10 else []) + ([(100, 1)] if compares else [])
    if kind == "bp":
        return [(10_000 if unit == "ratio" else 100, 0)] if unit in ("ratio", "index") else []
    return [(1, 0)] if unit in _AS_IS[kind] else []


_AS_IS: Final[dict[Kind, tuple[Unit, ...]]] = {
    "plain": ("ratio", "usd", "index", "count", "days", "text"),
    "scaled": ("usd", "index", "count", "text"),
    "money": ("usd",),
    "times": ("ratio", "index", "count", "text"),
    "days": ("days",),
}


def _fits(figure: Figure, reading: _Reading) -> bool:
    """Whether the size is right; within one unit of the last digit shown where the number is a bound."""
    apart = abs(reading.value) - abs(figure.value)
    if figure.hedge in ("exact", "about"):
        return 2 * abs(apart) <= (figure.step if figure.hedge == "exact" else figure.coarse)
    up = (1 if figure.hedge == "above" else -1) * (figure.sign or 1)
    return 0 <= up * apart < figure.coarse


def _right_way(figure: Figure, reading: _Reading) -> bool:
    """Whether the sign is right: the one written, else the one a word beside the number tells."""
    return (figure.sign or figure.lean) * reading.value >= 0


def _on_its_side(figure: Figure, reading: _Reading) -> bool:
    """Whether the number is a bound that the value keeps to, where a bound need not be near the value.

    That is so for an id the sentence names, and for 1, which is where a ratio is neutral.
    """
    is_neutral = figure.value == 1 and figure.kind in ("plain", "times") and reading.given.unit == "index"
    if figure.hedge not in ("above", "below") or not (reading.given.id in figure.near or is_neutral):
        return False
    return (1 if figure.hedge == "above" else -1) * (reading.value - figure.value) >= 0


def _scaled(figure: Figure, slip: Fraction) -> Figure:
    """The figure as it would read in thousands, millions or billions more or less."""
    return figure._replace(value=figure.value * slip, step=figure.step * slip)


def _is_near(figure: Figure, reading: _Reading) -> bool:
    low, high = sorted((abs(figure.value), abs(reading.value)))
    return high <= FAR * low


def _told(figure: Figure, why: Literal["value", "sign", "none"], reading: _Reading | None) -> Stray:
    place = (figure.text, figure.start, figure.end)
    if reading is None:
        return Stray(*place, why, None, None)
    return Stray(*place, why, reading.given.id, _written(figure, reading))


def _written(figure: Figure, reading: _Reading) -> str:
    """A value the way the figure is written, with all its digits."""
    raw, value = str(reading.given.value), reading.value
    if figure.kind in ("percent", "bp"):
        return f"{decimals(value, 4):g}{'%' if figure.kind == 'percent' else ' bp'}"
    if abs(value) >= _MILLION:
        power, name = next(one for one in _LARGE if abs(value) >= 10 ** one[0])
        return f"{raw}, or {decimals(value / 10**power, 4):g} {name}"
    short = f"{reading.given.value:.{max(0, figure.places)}f}"
    return short if exact(short) == value else raw


_MILLION: Final = 10**6
_LARGE: Final = ((12, "trillion"), (9, "billion"), (6, "million"))
