"""Read-outs of the points of a ledger: what is open, what converged, what was new."""

from __future__ import annotations

from phases.debate.ledger import cited, loop_round, loop_rounds_held
from phases.debate.points import asks_moves
from phases.debate.readouts.base import Seen
from phases.debate.readouts.cascade import cascade as cascaded
from phases.debate.readouts.moves import Answer, Point, convergence, verdict
from phases.debate.readouts.theater import Said, no_reply, no_substance, repeated
from phases.maths.exact import decimals
from schemas.ledger import Answered, Spoke
from schemas.manager import PointAnswer

ANSWERS: dict[PointAnswer, Answer] = {
    "conceded": "conceded",
    "withdrawn": "withdrawn",
    "rebutted": "rebutted",
    "met": "rebutted",
    "carried": "carried",
    "unaddressed": "unaddressed",
}
"""What became of a point, as a move: one that was met had been rebutted."""


def points(seen: Seen) -> tuple[Point, ...] | None:
    """Every point with the one answer that counts; None where nobody was asked for moves."""
    if not asks_moves(seen.ledger):
        return None
    found = []
    for one in seen.raised:
        state, last = one.state, one.last
        found.append(
            Point(
                one.claim.id,
                one.side,
                ANSWERS[state.answer],
                raised=max(one.at, 1),
                answered=state.moves[-1].round if state.moves else None,
                reasoned=last is not None,
                evidenced=last is not None and bool(last.evidence),
            )
        )
    return tuple(found)


def said(seen: Seen) -> tuple[Said, ...]:
    """Every turn of a debater or persona."""
    found = []
    for event in seen.ledger:
        if isinstance(event, Spoke):
            turn = event.contribution
            found.append(Said(event.seat, event.round_number, turn.argument, turn.probability))
        elif isinstance(event, Answered):
            answer = event.contribution
            found.append(Said(event.seat, event.round_number, answer.answer, stance=answer.stance))
    return tuple(found)


def raised_points(seen: Seen) -> int:
    """Points raised."""
    return len(seen.raised)


def open_count(seen: Seen) -> int | None:
    """Points that still await an answer; absent before the first turn."""
    return sum(one.state.awaits is not None for one in seen.raised) if seen.ledger else None


def converged(seen: Seen) -> float | None:
    """Points conceded or withdrawn / points raised, 4 decimals; absent without points or moves."""
    share = convergence(points(seen) or ())
    return None if share is None else decimals(share, 4)


def resolution(seen: Seen) -> str | None:
    """`resolved`, `disputed` or `empty`; absent where nobody was asked for moves."""
    found = points(seen)
    return None if found is None else verdict(found)


def cascade(seen: Seen) -> int | None:
    """1 if nearly every point was conceded at once and nobody rebutted, else 0; absent without moves."""
    found = points(seen)
    return None if found is None else int(cascaded(found))


def theater(seen: Seen) -> str | None:
    """`no_reply` or `no_substance`: a debate in which nothing happened; absent if something did."""
    turns = said(seen)
    if no_reply(points(seen) or (), turns):
        return "no_reply"
    return "no_substance" if no_substance(points(seen), turns) else None


def repeats(seen: Seen) -> int:
    """Turns of the latest round that repeat the speaker's previous one."""
    turns = said(seen)
    last = max((turn.round_number for turn in turns), default=0)
    return sum(turn.round_number == last for turn in repeated(turns))


def new_evidence(seen: Seen) -> int | None:
    """Ids that the latest loop round cites and no earlier one did; absent before the first."""
    last = loop_rounds_held(seen.ledger)
    if last == 0:
        return None
    before, now = set[str](), set[str]()
    for event in seen.ledger:
        at = loop_round(event, seen.ledger)
        (now if at == last else before).update(cited(event) if at <= last else ())
    return len(now - before)


def tokens(seen: Seen) -> int:
    """Tokens read and written so far."""
    return sum(event.tokens for event in seen.ledger)
