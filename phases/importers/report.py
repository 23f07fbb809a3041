"""The read-outs of a file of stored debates, per debate and in all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal, get_args

from phases.core.errors import UsageError
from phases.core.text import nearest, printable
from phases.debate.readouts.cascade import cascade
from phases.debate.readouts.moves import Verdict, convergence, moves, verdict
from phases.debate.readouts.theater import consecutive, near, no_reply, no_substance, repeated
from phases.importers.files import BadLine, Imported, Unit, load_debates
from phases.importers.rulings import Ruling
from phases.importers.stored import PLACES, Forecast, Reading, StoredDebate, Votes
from phases.maths.exact import decimals, exact


@dataclass(frozen=True)
class Row:
    """Read-outs of one debate."""

    id: str
    points: int
    conceded: int
    """Conceded or withdrawn."""
    rebutted: int
    carried: int
    mixed: int
    upheld: int
    unaddressed: int
    convergence: float | None
    """6 decimals; absent where no point was raised."""
    verdict: Verdict
    theater: Literal["no_reply", "no_substance"] | None
    """The emptier of the two that hold; absent if neither does, or where no text is stored that could show it."""
    cascade: bool
    repeated: tuple[str, ...]
    """Turns near-identical to the speaker's previous one, as `<speaker>.<round>`."""
    forecast: Forecast | None
    votes: Votes | None
    rulings: tuple[Ruling, ...] | None


@dataclass(frozen=True)
class Repeats:
    """How near-identity stands to identity to the letter, over consecutive turns of one speaker."""

    turns: int
    identical: int
    hits: int
    """Identical ones that are flagged."""
    others_flagged: int
    """Not identical to the letter, and flagged."""
    hit_rate: float | None
    false_alarm_rate: float | None


@dataclass(frozen=True)
class RecordedTotals:
    """Figures as stored, over the debates that store them; never computed here."""

    n: int
    mean_convergence: float | None
    resolved: int
    concessions: int
    cascades: int
    no_reply: int


@dataclass(frozen=True)
class Totals:
    """Read-outs of all debates together. Set-aside records and bad lines enter none of them."""

    n: int
    set_aside: int
    bad_lines: int
    empty: int
    """Debates without points; where the shape has a convention for them, they enter the mean by it."""
    mean_convergence: float | None
    """Mean of the unrounded scores, each debate once; 6 decimals."""
    points: int
    resolved: int
    concessions: int
    rebutted: int
    carried: int
    mixed: int
    upheld: int
    unaddressed: int
    cascades: int
    no_reply: int
    no_substance: int


@dataclass(frozen=True)
class Report:
    """What `debates FILE` prints."""

    reading: Reading
    debates: tuple[Row, ...]
    set_aside: tuple[dict[str, str], ...]
    bad_lines: tuple[BadLine, ...]
    unit: Unit
    """What the numbers of `bad_lines` count."""
    totals: Totals
    repeats: Repeats
    recorded: RecordedTotals


def debates_report(path: Path, reading: str) -> Report:
    """Read a file and compute everything. Reads a file; raises UsageError for the file or the reading."""
    known: tuple[Reading, ...] = get_args(Reading)
    how = next((one for one in known if one == reading), None)
    if how is None:
        raise UsageError(
            f"--reading {printable(reading)}: unknown{nearest(reading, known)} (known: {', '.join(known)})"
        )
    imported = load_debates(path, how)
    rows = tuple(_row(debate) for debate in imported.debates)
    return Report(
        reading=how,
        debates=rows,
        set_aside=tuple({"id": one.id, "reason": one.reason} for one in imported.set_aside),
        bad_lines=imported.bad_lines,
        unit=imported.unit,
        totals=_totals(imported, rows),
        repeats=_repeats(imported.debates),
        recorded=_recorded(imported.debates),
    )


def _row(debate: StoredDebate) -> Row:
    points = debate.points or ()
    count, score, last = moves(points), convergence(points), verdict(points)
    if debate.empty_resolves and not points:
        score, last = debate.empty_score, "resolved"
    return Row(
        id=debate.id,
        points=len(points),
        conceded=count["conceded"] + count["withdrawn"],
        rebutted=count["rebutted"],
        carried=count["carried"],
        mixed=count["mixed"],
        upheld=count["upheld"],
        unaddressed=count["unaddressed"],
        convergence=None if score is None else decimals(score, PLACES),
        verdict=last,
        theater=_theater(debate),
        cascade=cascade(points, debate.rebuttal_words),
        repeated=tuple(f"{turn.speaker}.{turn.round_number}" for turn in repeated(debate.turns)),
        forecast=debate.forecast,
        votes=debate.votes,
        rulings=debate.rulings,
    )


def _theater(debate: StoredDebate) -> Literal["no_reply", "no_substance"] | None:
    if debate.other and not debate.turns:
        return None
    if no_reply(debate.points or (), debate.turns):
        return "no_reply"
    return "no_substance" if no_substance(debate.points, debate.turns) else None


def _totals(imported: Imported, rows: Sequence[Row]) -> Totals:
    scores = [_score(debate) for debate in imported.debates]
    return Totals(
        n=len(rows),
        set_aside=len(imported.set_aside),
        bad_lines=len(imported.bad_lines),
        empty=sum(row.points == 0 for row in rows),
        mean_convergence=_mean([score for score in scores if score is not None]),
        points=sum(row.points for row in rows),
        resolved=sum(row.verdict == "resolved" for row in rows),
        concessions=sum(row.conceded for row in rows),
        rebutted=sum(row.rebutted for row in rows),
        carried=sum(row.carried for row in rows),
        mixed=sum(row.mixed for row in rows),
        upheld=sum(row.upheld for row in rows),
        unaddressed=sum(row.unaddressed for row in rows),
        cascades=sum(row.cascade for row in rows),
        no_reply=sum(row.theater == "no_reply" for row in rows),
        no_substance=sum(row.theater is not None for row in rows),
    )


def _score(debate: StoredDebate) -> Fraction | None:
    score = convergence(debate.points or ())
    return debate.empty_score if score is None else score


def _mean(scores: Sequence[Fraction]) -> float | None:
    return decimals(sum(scores, Fraction(0)) / len(scores), PLACES) if scores else None


def _rate(part: int, whole: int) -> float | None:
    return decimals(Fraction(part, whole), PLACES) if whole else None


def _repeats(debates: Sequence[StoredDebate]) -> Repeats:
    pairs = [pair for debate in debates for pair in consecutive(debate.turns)]
    flagged = [(before.text == turn.text, near(before.text, turn.text)) for before, turn in pairs]
    identical = sum(same for same, _ in flagged)
    hits = sum(same and alike for same, alike in flagged)
    others = sum(alike and not same for same, alike in flagged)
    return Repeats(
        turns=len(flagged),
        identical=identical,
        hits=hits,
        others_flagged=others,
        hit_rate=_rate(hits, identical),
        false_alarm_rate=_rate(others, len(flagged) - identical),
    )


def _recorded(debates: Sequence[StoredDebate]) -> RecordedTotals:
    stored = [debate.recorded for debate in debates if debate.recorded.convergence is not None]
    return RecordedTotals(
        n=len(stored),
        mean_convergence=_mean([exact(one.convergence) for one in stored if one.convergence is not None]),
        resolved=sum(bool(one.resolved) for one in stored),
        concessions=sum(one.concessions or 0 for one in stored),
        cascades=sum(bool(one.cascade) for one in stored),
        no_reply=sum(bool(one.no_reply) for one in stored),
    )
