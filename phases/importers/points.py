"""Stored debates of two isolated reviewers (adversarial-debate): reviews, turns, and the moves in their prose.

A side answers the objections to its own claims, and all of these belong to round 1: no later turn can
move a point. A record whose reviews do not hold the recorded number of claims is set aside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from phases.debate.readouts.moves import Point
from phases.debate.readouts.theater import Said
from phases.importers import author, strict
from phases.importers.claims import Claim, Side, claims_of
from phases.importers.prose import Heard
from phases.importers.stored import Reading, Recorded, SetAside, Shape, StoredDebate

ROUNDS = 2
_CANARY = "CANARY_ISOLATION_CHECK_"


class StoredTurn(Shape):
    """One turn; a failed one has no content."""

    round: Annotated[int, Field(ge=1)]
    side: Side
    content: str | None
    error: str | None = None

    @property
    def text(self) -> str:
        """Content without the line by which the recorder checked isolation; empty if the turn failed."""
        whole = self.content or ""
        body, _, last = whole.rstrip().rpartition("\n")
        return body.removesuffix("\n") if last.startswith(_CANARY) else whole


class StoredPoints(Shape):
    """One line of the file: what the readings use, and the figures stored with it."""

    pair: str
    artifact_id: str
    version: str = ""
    review_a: str
    review_b: str
    turns: tuple[StoredTurn, ...]
    total_claims: Annotated[int, Field(ge=0)]
    convergence_score: float | None = None
    verdict_kind: str | None = None
    concessions_count: int | None = None
    capitulation_cascade: bool | None = None
    theater: bool | None = None


def points_debate(record: StoredPoints, reading: Reading) -> StoredDebate | SetAside:
    """One stored debate under a reading, or why it is set aside. Raises ValueError if a turn is stored twice."""
    times = Counter((turn.round, turn.side) for turn in record.turns)
    doubled = sorted(f"{side}{number}" for (number, side), count in times.items() if count > 1)
    if doubled:
        raise ValueError(f"turns: {', '.join(doubled)} is stored more than once")
    name, key = f"{record.pair}/{record.artifact_id}", ("points", record.version, record.pair, record.artifact_id)
    claims = (*claims_of(record.review_a, "A"), *claims_of(record.review_b, "B"))
    if len(claims) != record.total_claims:
        return SetAside(name, key, f"its reviews hold {len(claims)} claims, recorded are {record.total_claims}")
    points, turns = (_author if reading == "author" else _strict)(record, claims)
    return StoredDebate(
        id=name,
        key=key,
        points=points,
        turns=tuple(Said(turn.side, turn.round, turn.text) for turn in turns),
        rebuttal_words=reading == "author" and author.rebuts(turn.text for turn in turns),
        empty_resolves=reading == "author",
        empty_score=Fraction(1),
        recorded=_recorded(record),
    )


def _recorded(record: StoredPoints) -> Recorded:
    return Recorded(
        convergence=record.convergence_score,
        resolved=None if record.verdict_kind is None else record.verdict_kind == "verdict",
        concessions=record.concessions_count,
        cascade=record.capitulation_cascade,
        no_reply=record.theater,
    )


Read = tuple[tuple[Point, ...], tuple[StoredTurn, ...]]


def _strict(record: StoredPoints, claims: Sequence[Claim]) -> Read:
    answers: dict[str, Heard] = {}
    for turn in _of_round(record, 1):
        if turn.text:
            answers |= strict.heard([claim for claim in claims if claim.side == turn.side], turn.text)
    spoken = sorted((turn for turn in record.turns if turn.text), key=lambda one: (one.round, one.side))
    return _points(claims, answers), tuple(spoken)


def _author(record: StoredPoints, claims: Sequence[Claim]) -> Read:
    """Rounds are read until every claim is conceded, a turn failed, or none is stored."""
    answers: dict[str, Heard] = {}
    read: list[StoredTurn] = []
    for number in range(1, ROUNDS + 1):
        turns = _of_round(record, number)
        if not turns or all(claim.id in answers and answers[claim.id].answer == "conceded" for claim in claims):
            break
        read += [turn for turn in turns if turn.text]
        for turn in read if number == 1 else ():
            answers |= author.heard([claim for claim in claims if claim.side == turn.side], turn.text)
        if any(turn.error is not None for turn in turns):
            break
    upheld = author.upheld(claims, [turn.text for turn in read])
    return _points(claims, answers, upheld), tuple(read)


def _of_round(record: StoredPoints, number: int) -> list[StoredTurn]:
    return sorted((turn for turn in record.turns if turn.round == number), key=lambda one: one.side)


def _points(
    claims: Sequence[Claim], answers: Mapping[str, Heard], upheld: set[str] | frozenset[str] = frozenset()
) -> tuple[Point, ...]:
    return tuple(_point(claim, answers.get(claim.id), claim.id in upheld) for claim in claims)


def _point(claim: Claim, said: Heard | None, upheld: bool) -> Point:
    if upheld and (said is None or said.answer != "conceded"):
        return Point(claim.id, claim.side, "upheld")
    if said is None:
        return Point(claim.id, claim.side, "unaddressed")
    return Point(
        claim.id, claim.side, said.answer, answered=1, reasoned=said.backing.reasoned, evidenced=said.backing.evidenced
    )
