"""The change of conviction that an exchange of moves earns: only what the exchange did counts.

Source of the rules: ours. A claim waits for an answer, an answer settles it or passes the duty back, and the settled
weight, bull minus bear, tilts the conviction by at most two points. How good the evidence is as such does not enter:
that is already in the score.

A *paired* round is a loop round in which the turns of both sides are valid. Only moves of paired rounds earn anything.
An answer given in an unpaired round is an answer all the same, so nobody is charged for having stayed silent where
the other side's turn was void.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from typing import Final, Literal, NamedTuple

from phases.maths.exact import clamp, round_half_away
from schemas.base import NetStance, Role
from schemas.debate import MoveKind
from schemas.manager import PointAnswer

OTHER: Final[Mapping[Role, Role]] = {"bull": "bear", "bear": "bull"}
SIGN: Final[Mapping[Role, int]] = {"bull": 1, "bear": -1}
MOST: Final = 2
"""Conviction points an exchange may move."""

RulingWord = Literal["stands", "answered", "unsupported"]


class Move(NamedTuple):
    """One answer to a claim, by either side."""

    round: int
    """Loop round, from 1."""
    by: Role
    kind: MoveKind


class Claim(NamedTuple):
    """A claim of an opening, with the moves on it that broke no rule of payment."""

    id: str
    side: Role
    weight: Fraction
    """Trust in its best evidence, 0..1."""
    heaviest: str | None
    """Its heaviest cited id (ties: the lowest id), which names the point; None if it cites nothing known."""
    moves: tuple[Move, ...] = ()
    """In order of rounds, unpaired rounds included."""


class State(NamedTuple):
    """What became of a claim."""

    answer: PointAnswer
    awaits: Role | None
    """Who must answer it; None once it is closed."""
    moves: tuple[Move, ...]
    """The moves that counted."""


class Exchange(NamedTuple):
    """What the exchange came to, before any ruling."""

    settles: dict[str, Fraction]
    """For each claim id, -1 (lost) to 1 (won) from its author's view."""
    tilt: Fraction
    """-1 (all to the bear) to 1 (all to the bull)."""
    delta: int
    """Conviction points, -2..2."""


def state_of(side: Role, moves: Iterable[Move]) -> State:
    """Follow the duty on a claim of `side` through its moves, which are in order of rounds.

    The other side must answer first. A rebuttal passes the duty to the one rebutted, a carry leaves it, a concession
    closes the claim. A move by a side that the claim does not await is not counted, nor is a second one in a round.

    >>> state_of("bull", [Move(1, "bear", "rebutted")])[:2]
    ('rebutted', 'bull')
    >>> state_of("bull", [Move(1, "bear", "rebutted"), Move(2, "bull", "rebutted")])[:2]
    ('met', 'bear')
    """
    state = State("unaddressed", OTHER[side], ())
    for move in moves:
        if move.by == state.awaits and (not state.moves or move.round != state.moves[-1].round):
            state = _moved(state, side, move)
    return state


def _moved(state: State, side: Role, move: Move) -> State:
    own, moves = move.by == side, (*state.moves, move)
    if move.kind == "conceded":
        return State("withdrawn" if own else "conceded", None, moves)
    if move.kind == "carried":
        return State("carried" if state.answer == "unaddressed" else state.answer, state.awaits, moves)
    return State("met" if own or state.answer == "met" else "rebutted", OTHER[move.by], moves)


def heard(claim: Claim, paired: Collection[int]) -> State:
    """What became of a claim in the paired rounds.

    >>> heard(Claim("c", "bull", Fraction(1), "px.a", (Move(1, "bear", "carried"),)), {2}).answer
    'unaddressed'
    """
    return state_of(claim.side, (move for move in claim.moves if move.round in paired))


def settle_of(claim: Claim, paired: Collection[int]) -> Fraction:
    """What a claim won or lost for its author.

    1 if conceded by the other side; -1 if withdrawn, or if a rebuttal stands unmet though its author had a paired
    round after it; 1/2 if the other side never moved on it; else 0, and 0 without a paired round. A claim that was
    met stays at 0 unless it is conceded or withdrawn later.

    Taken over the paired rounds, and kept between 0 and the same taken over all rounds: an answer of an unpaired
    round can take away what silence would have earned, and can earn nothing.

    >>> claim = Claim("c", "bull", Fraction(1), "px.a", (Move(1, "bear", "rebutted"),))
    >>> [str(settle_of(claim, paired)) for paired in ({1}, {1, 2}, ())]
    ['0', '-1', '0']
    """
    if not paired:
        return Fraction(0)
    last = max(paired)
    earned, answered = _settle(heard(claim, paired), last), _settle(state_of(claim.side, claim.moves), last)
    return clamp(earned, min(answered, Fraction(0)), max(answered, Fraction(0)))


def _settle(state: State, last: int) -> Fraction:
    if state.answer == "conceded":
        return Fraction(1)
    if state.answer == "withdrawn":
        return Fraction(-1)
    if state.answer == "unaddressed":
        return Fraction(1, 2)
    unmet = state.answer == "rebutted" and any(m.kind == "rebutted" and m.round < last for m in state.moves)
    return Fraction(-1 if unmet else 0)


def tilt_of(claims: Iterable[Claim], settles: Mapping[str, Fraction]) -> Fraction:
    """tilt = clamp(sum of sign * weight * settle / 3, -1, 1) over the points, sign 1 for bull and -1 for bear.

    Claims of one side with the same heaviest id are one point: weight once, settle max(0, best) + min(0, worst).

    >>> one, again = (Claim(name, "bear", Fraction(1), "px.a") for name in "ab")
    >>> tilt_of([one, again], {"a": Fraction(1), "b": Fraction(1, 2)})
    Fraction(-1, 3)
    """
    whole = Fraction(0)
    for point in _points(claims):
        found = [Fraction(0), *(settles[claim.id] for claim in point)]
        whole += SIGN[point[0].side] * point[0].weight * (max(found) + min(found))
    return clamp(whole / 3, -1, 1)


def _points(claims: Iterable[Claim]) -> Iterable[list[Claim]]:
    """Claims that rest on something, those of one side with the same heaviest id together."""
    points: dict[tuple[Role, str], list[Claim]] = {}
    for claim in claims:
        if claim.heaviest is not None:
            points.setdefault((claim.side, claim.heaviest), []).append(claim)
    return points.values()


def delta_of(tilt: Fraction, score: int) -> int:
    """delta = clamp(round-half-away(4 * tilt * (1 - sign(tilt) * score / 5)), -2, 2), for a score of -5..5.

    What confirms the score counts for less than what contradicts it, so that score + delta stays within -5..5.

    >>> [delta_of(Fraction(1, 3), score) for score in (-5, 0, 3, 5)]
    [2, 1, 1, 0]
    """
    toward = score if tilt > 0 else -score
    return int(clamp(Fraction(round_half_away(4 * tilt * (1 - Fraction(toward, 5)))), -MOST, MOST))


def exchange(claims: Collection[Claim], paired: Collection[int], score: int) -> Exchange:
    """What the exchange over these claims did to a score, given the paired rounds among the loop rounds 1..n.

    >>> claim = Claim("c", "bull", Fraction(1), "px.a", (Move(1, "bear", "conceded"),))
    >>> exchange([claim], {1, 2}, 0).delta, exchange([claim], {1, 2}, 4).delta
    (1, 0)
    """
    settles = {claim.id: settle_of(claim, paired) for claim in claims}
    tilt = tilt_of(claims, settles)
    return Exchange(settles, tilt, delta_of(tilt, score))


def ruled(
    claims: Collection[Claim], paired: Collection[int], score: int, rulings: Collection[tuple[str, RulingWord]]
) -> int:
    """Conviction points after the manager's rulings (claim id, word), which can neither flip nor create a change.

    `unsupported`, and `answered` where a move of a paired round exists, take away what a claim won; `stands` takes
    nothing. The change with the rulings is kept between 0 and the change without them.

    >>> claim = Claim("c", "bull", Fraction(1), "px.a")
    >>> [ruled([claim], {1, 2}, 0, [("c", word)]) for word in ("stands", "answered", "unsupported")]
    [1, 1, 0]
    """
    found = exchange(claims, paired, score)
    moved = {claim.id for claim in claims if heard(claim, paired).moves}
    lost = {name for name, word in rulings if word == "unsupported" or (word == "answered" and name in moved)}
    settles = {name: min(settle, Fraction(0)) if name in lost else settle for name, settle in found.settles.items()}
    after = delta_of(tilt_of(claims, settles), score)
    return int(clamp(Fraction(after), min(found.delta, 0), max(found.delta, 0)))


def contested(net_stance: NetStance, delta: int) -> bool:
    """True if the manager's word opposes the change before rulings, or is neutral where that is at its most.

    >>> [contested("bullish", -1), contested("neutral", 1), contested("neutral", 2), contested("bearish", 0)]
    [True, False, True, False]
    """
    if net_stance == "neutral":
        return abs(delta) == MOST
    return delta < 0 if net_stance == "bullish" else delta > 0


def net_standing(claims: Iterable[Claim], paired: Collection[int]) -> Fraction | None:
    """(B - R) / (B + R) of the weights of the points that stand, bull minus bear; None if none stands.

    A point stands unless all its claims were withdrawn or lost to an unmet rebuttal. Published, never used for the
    change.

    >>> net_standing([Claim("b", "bull", Fraction(1), "px.a"), Claim("r", "bear", Fraction(1, 2), "px.a")], {1})
    Fraction(1, 3)
    """
    sides: dict[Role, Fraction] = {"bull": Fraction(0), "bear": Fraction(0)}
    for point in _points(claims):
        if any(settle_of(claim, paired) > -1 for claim in point):
            sides[point[0].side] += point[0].weight
    whole = sides["bull"] + sides["bear"]
    return (sides["bull"] - sides["bear"]) / whole if whole else None
