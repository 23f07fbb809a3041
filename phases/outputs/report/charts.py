"""Charts as inline SVG, made from numbers alone. Every axis of a probability runs from 0 to 1.

Nothing is styled in place: classes name what a mark is, the style sheet says how it looks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup

from phases.maths.scoring import Bin
from phases.outputs.report.words import chance, count, signed

LABEL = 13
"""Least distance of two lines of text, in units of a drawing."""


class Round(NamedTuple):
    """What both sides said in one round; absent where one said nothing."""

    name: str
    """`opening`, or `round 1` for the first of the loop."""
    bull: float | None
    bear: float | None


def _svg(width: int, height: int, told: str, parts: Iterable[Markup]) -> Markup:
    head = Markup('<svg viewBox="0 0 {} {}" role="img" aria-label="{}">').format(width, height, told)
    return head + Markup("").join(parts) + Markup("</svg>")


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    return Markup('<line class="{}" x1="{:.4g}" y1="{:.4g}" x2="{:.4g}" y2="{:.4g}"/>').format(kind, x1, y1, x2, y2)


def _text(kind: str, x: float, y: float, said: str, anchor: str = "start") -> Markup:
    return Markup('<text class="{}" x="{:.4g}" y="{:.4g}" text-anchor="{}">{}</text>').format(kind, x, y, anchor, said)


def _dot(kind: str, x: float, y: float, size: float = 3) -> Markup:
    return Markup('<circle class="{}" cx="{:.5g}" cy="{:.5g}" r="{:g}"/>').format(kind, x, y, size)


def _square(kind: str, x: float, y: float, size: float = 3) -> Markup:
    return _box(kind, x - size, y - size, 2 * size, 2 * size)


def _box(kind: str, x: float, y: float, width: float, height: float) -> Markup:
    box = Markup('<rect class="{}" x="{:.5g}" y="{:.5g}" width="{:.5g}" height="{:.5g}"/>')
    return box.format(kind, x, y, width, height)


def _path(kind: str, points: Sequence[tuple[float, float]]) -> Markup:
    told = " ".join(f"{x:.4g},{y:.4g}" for x, y in points)
    return Markup('<polyline class="{}" points="{}"/>').format(kind, told)


def _apart(heights: Sequence[float], low: float, high: float) -> list[float]:
    """Heights of labels, in the order given, moved so that none covers another."""
    order = sorted(range(len(heights)), key=lambda at: heights[at])
    placed = [heights[at] for at in order]
    for at in range(1, len(placed)):
        placed[at] = max(placed[at], placed[at - 1] + LABEL)
    ceiling = high
    for at in reversed(range(len(placed))):
        placed[at] = max(min(placed[at], ceiling), low)
        ceiling = placed[at] - LABEL
    return [height for _, height in sorted(zip(order, placed, strict=True))]


class Frame(NamedTuple):
    """Where the plot lies in a drawing."""

    left: float
    right: float
    top: float
    bottom: float

    def x(self, share: float) -> float:
        """Place of a probability, where the axis across is one too."""
        return self.left + share * (self.right - self.left)

    def y(self, share: float) -> float:
        """Height of a probability."""
        return self.bottom - share * (self.bottom - self.top)

    def grid(self, shares: Sequence[float]) -> list[Markup]:
        """Lines across, with their values to the left."""
        return [
            mark
            for share in shares
            for mark in (
                _line("grid", self.left, self.y(share), self.right, self.y(share)),
                _text("axis", self.left - 6, self.y(share) + 4, f"{share:g}", "end"),
            )
        ]


GAP = Frame(34, 290, 10, 172)


def gap_told(ticker: str, rounds: Sequence[Round], before: float | None) -> str:
    """The gap chart in words, with all its numbers."""
    parts = [
        f"{one.name}: bull {chance(one.bull)}, bear {chance(one.bear)}"
        + (
            f", midpoint {chance((one.bull + one.bear) / 2)}, gap {chance(abs(one.bull - one.bear))}"
            if one.bull is not None and one.bear is not None
            else ""
        )
        for one in rounds
    ]
    start = "" if before is None else f" Before the debate: {chance(before)}."
    return f"Probabilities of both sides over {ticker}. {'; '.join(parts)}.{start}"


def gap_chart(ticker: str, rounds: Sequence[Round], before: float | None) -> Markup:
    """Bull, bear and midpoint by round, the gap between them shaded, the probability before the debate dotted."""
    step = (GAP.right - GAP.left) / max(len(rounds) - 1, 1)
    start = GAP.left if len(rounds) > 1 else (GAP.left + GAP.right) / 2
    placed = [(start + step * at, one) for at, one in enumerate(rounds)]
    bull = [(x, GAP.y(one.bull)) for x, one in placed if one.bull is not None]
    bear = [(x, GAP.y(one.bear)) for x, one in placed if one.bear is not None]
    both = [(x, one.bull, one.bear) for x, one in placed if one.bull is not None and one.bear is not None]
    middle = [(x, GAP.y((high + low) / 2)) for x, high, low in both]
    parts = GAP.grid((0, 0.25, 0.5, 0.75, 1))
    parts += [_text("axis", x, GAP.bottom + 18, one.name, "middle") for x, one in placed]
    edge = [(x, GAP.y(high)) for x, high, _ in both] + [(x, GAP.y(low)) for x, _, low in reversed(both)]
    parts.append(_path("band", edge))
    if before is not None:
        parts.append(_line("before", GAP.left, GAP.y(before), GAP.right, GAP.y(before)))
    parts += [_path("middle", middle), _path("bull", bull), _path("bear", bear)]
    parts += [_dot("bull dot", *at) for at in bull] + [_square("bear dot", *at) for at in bear]
    parts += _ends(rounds, before)
    return _svg(404, 200, gap_told(ticker, rounds, before), parts)


def _ends(rounds: Sequence[Round], before: float | None) -> list[Markup]:
    """The lines' names and last values, to the right of them."""
    last: dict[str, float] = {}
    for one in rounds:
        last |= {} if one.bull is None else {"bull": one.bull}
        last |= {} if one.bear is None else {"bear": one.bear}
        last |= {} if one.bull is None or one.bear is None else {"middle": (one.bull + one.bear) / 2}
    last |= {} if before is None else {"before": before}
    heights = _apart([GAP.y(value) + 4 for value in last.values()], GAP.top + 4, GAP.bottom + 4)
    names = {"middle": "midpoint"}
    return [
        _text(f"name {kind}", GAP.right + 10, height, f"{names.get(kind, kind)} {chance(value)}")
        for (kind, value), height in zip(last.items(), heights, strict=True)
    ]


def delta_chart(counts: Sequence[tuple[int, int]]) -> Markup:
    """Debates by the change they came to, from -2 to 2; bars from zero."""
    found = dict(counts)
    most = max([1, *found.values()])
    told = ", ".join(f"{signed(delta)}: {found.get(delta, 0)}" for delta in range(-2, 3))
    parts = [_line("base", 10, 120, 330, 120)]
    for at, delta in enumerate(range(-2, 3)):
        number, middle = found.get(delta, 0), 42 + 64 * at
        height = 92 * number / most
        kind = "bar" if not delta else "bar bull" if delta > 0 else "bar bear"
        parts.append(_box(kind, middle - 22, 120 - height, 44, height))
        parts.append(_text("value", middle, 114 - height, f"{number:,}", "middle"))
        parts.append(_text("axis", middle, 137, signed(delta), "middle"))
    return _svg(340, 146, f"Debates by their change of conviction. {told}.", parts)


CALIBRATION = Frame(34, 414, 24, 214)


def calibration_chart(bins: Sequence[Bin]) -> Markup:
    """Share that came true by probability, with the number of forecasts above each bin."""
    said = (f"{count(one.n, 'forecast')}, said {chance(one.said)}, came true {chance(one.came)}" for one in bins)
    told = "; ".join(f"{one.low:g} to {one.high:g}: {words}" for one, words in zip(bins, said, strict=True))
    ticks = (0, 0.2, 0.4, 0.6, 0.8, 1)
    parts = CALIBRATION.grid(ticks)
    parts += [_text("axis", CALIBRATION.x(at), CALIBRATION.bottom + 18, f"{at:g}", "middle") for at in ticks]
    parts.append(_line("panel", CALIBRATION.x(0), CALIBRATION.y(0), CALIBRATION.x(1), CALIBRATION.y(1)))
    for one in bins:
        parts.append(
            _text("value", CALIBRATION.x((one.low + one.high) / 2), CALIBRATION.top - 10, f"{one.n}", "middle")
        )
        parts.append(_dot("after", CALIBRATION.x(one.said), CALIBRATION.y(one.came), 3.5))
    return _svg(430, 240, f"Calibration by probability after the debate. {told}.", parts)


class Mark(NamedTuple):
    """What one night said of a ticker."""

    day: date
    stance: str | None
    """Absent where the night had no view."""
    status: str
    before: float | None
    after: float | None


PAST = Frame(30, 316, 8, 92)
CELL = 14.0
"""Width of a night's mark where nothing is near."""

THIN = 4.0
"""Width below which a mark takes room on one side alone, if only that side has some."""


def _sides(x: Sequence[float]) -> list[tuple[float, float]]:
    """How far each mark goes before and behind its place: marks leave a unit between them, where there is one."""
    half = [CELL / 2, *(min(CELL, max(b - a - 1, (b - a) / 2)) / 2 for a, b in pairwise(x)), CELL / 2]
    return [(min(a, max(b, THIN - b)), min(b, max(a, THIN - a))) for a, b in pairwise(half)]


def past_told(ticker: str, marks: Sequence[Mark]) -> str:
    """A ticker's nights in words, with all their numbers."""
    parts = [
        f"{one.day}: {one.stance}, before {chance(one.before)}, after {chance(one.after)}"
        if one.stance
        else f"{one.day}: no view, {one.status}"
        for one in marks
    ]
    return f"Stance and probability of {ticker} by night. {'; '.join(parts)}."


def past_chart(ticker: str, marks: Sequence[Mark], first: date, last: date) -> Markup:
    """Probability before and after the debate by night, and the stance of each night beneath; days are to scale.

    A mark stands at its night, as wide as the nights beside it leave room for.
    """
    days = (last - first).days
    inner = PAST.right - PAST.left - CELL
    x = [PAST.left + CELL / 2 + (inner * (one.day - first).days / days if days else inner / 2) for one in marks]
    parts = PAST.grid((0, 0.5, 1))
    line: list[tuple[float, float]] = []
    for place, one in zip(x, marks, strict=True):
        if one.after is None:  # a night without a view breaks the line: nothing is drawn through it
            parts, line = [*parts, *_piece(line)], []
            continue
        line.append((place, PAST.y(one.after)))
    parts += _piece(line)
    for place, one, (before, behind) in zip(x, marks, _sides(x), strict=True):
        if one.before is not None:
            parts.append(_dot("hollow", place, PAST.y(one.before), 2.5))
        if one.after is not None:
            parts.append(_dot("after", place, PAST.y(one.after), 2.5))
        parts += _cell(one.stance, place - before, before + behind)
    return _svg(324, 116, past_told(ticker, marks), parts)


def _piece(line: Sequence[tuple[float, float]]) -> list[Markup]:
    return [_path("after", line)] if len(line) > 1 else []


def _cell(stance: str | None, left: float, wide: float) -> list[Markup]:
    """The mark of one night, with its letter where that has room."""
    kind = stance or "none"
    parts = [_box(f"cell {kind}", left, 98, wide, CELL)]
    if stance == "watch":  # told from hold without its letter, which has no room among many nights
        parts.append(_box("cell half", left, 98 + CELL / 2, wide, CELL / 2))
    if wide >= CELL - 2:
        parts.append(_text(f"letter {kind}", left + wide / 2, 109, stance[0].upper() if stance else "×", "middle"))
    return parts
