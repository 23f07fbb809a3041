"""Small debates whose outcome is counted by hand: ledgers of a few moves, and the summary and row they end in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from phases.debate.ledger import Turn, Void, entry, loop_rounds_held, rounds_of
from phases.debate.protocol import read_protocol
from phases.debate.readouts.base import Seen
from phases.portfolio_feed import portfolio_feed
from phases.research_debate import debate_transcript
from phases.research_manager import debate_summary
from schemas.base import NetStance, Role
from schemas.debate import Case, Claim, DebateRoundContribution, Move
from schemas.feed import FeedRow, TickerOutcome
from schemas.ledger import DebateTranscript, LedgerEvent
from schemas.manager import ManagerReply, Ruling
from schemas.run import History
from schemas.summary import DebateSummary
from tests.support import (
    QUESTION,
    REFUSAL,
    TICKER,
    Changed,
    Desk,
    ask_door,
    case_of,
    header_of,
    item,
    payload,
    shipped,
    update,
)

PROTOCOLS = {name: read_protocol(shipped(name), name) for name in ("desk", "forecaster", "panel", "points", "rounds")}
OTHER: Mapping[Role, Role] = {"bull": "bear", "bear": "bull"}
SIDES: tuple[Role, Role] = ("bull", "bear")

BUNDLE = (
    item("axis.technical", 0.5, value="buy", unit="text", tier=1),
    item("fa.margin", -0.4, tier=2),
    item("fa.old", 0.4, tier=2, stale=True),
    item("news.a1", 0.4, tier=3),
    item("news.b2", 0.4, tier=4, stale=True),
    item("px.macd", -0.6),
    item("px.ret_21d", 0.5),
    item("px.ret_63d", 0.5),
    item("px.rsi14", -0.4),
)
"""Weights: px 1, fa .75 and stale .375, news.a1 .5, news.b2 .125."""

Moves = Mapping[str, str | Move]
"""Kind of the move by its target, or the whole move."""


class Loop(NamedTuple):
    """One loop round; a side without moves says nothing of any point, one that is void does not speak."""

    bull: Moves | None = {}
    bear: Moves | None = {}


def turn_of(side: Role, number: int, p: float | None, **blocks: Any) -> Turn:
    word = "bullish" if side == "bull" else "bearish"
    argument = f"The evidence is what it is. It was read. This side stays {word} on {TICKER}."
    said = DebateRoundContribution(
        role=side, ticker=TICKER, round_number=number, argument=argument, probability=p, **blocks
    )
    return Turn(said)


def _move(target: str, kind: str | Move) -> Move:
    if isinstance(kind, Move):
        return kind
    return Move(target=target, kind=kind, reason="As the evidence has it.", evidence=("px.ret_63d",))


def held(
    claims: Mapping[str, Sequence[str]], loops: Sequence[Loop], said: Sequence[tuple[float, float]] = ()
) -> list[LedgerEvent]:
    """The ledger of a debate of the desk: ids of the claims by side, then the moves; `said` are the probabilities."""
    chances = [*said, *[(None, None)] * (1 + len(loops) - len(said))]
    ledger = []
    for side, p in zip(SIDES, chances[0], strict=True):
        cited = claims.get(side, ())
        made = tuple(Claim(id=f"c{at}", text=f"claim of the {side}", evidence=(id,)) for at, id in enumerate(cited))
        ledger.append(entry(side, "opening.0", 1, turn_of(side, 1, p, claims=made)))
    for number, loop in enumerate(loops, 2):
        for side, p, moves in zip(SIDES, chances[number - 1], loop, strict=True):
            made = None if moves is None else tuple(_move(*one) for one in moves.items())
            turn = Turn(Void("quarantine: ?")) if made is None else turn_of(side, number, p, moves=made)
            ledger.append(entry(side, "loop.0", number, turn))
    return ledger


def seen_of(ledger: Sequence[LedgerEvent], score: int = 0, protocol: str = "desk", **more: Any) -> Seen:
    return Seen.of(about_of(score, **more), ledger, PROTOCOLS[protocol].readouts)


def about_of(score: int = 0, probability: float = 0.55, **more: Any) -> Case:
    stance: Any = "buy" if score >= 2 else "sell" if score <= -2 else "hold"
    return case_of(BUNDLE, payload=payload(score, stance, probability, **more))


PX, TWO = {"bull": ["px.ret_63d"]}, {"bull": ["px.ret_63d", "px.ret_21d"]}
OPEN = Loop(bear={"bull.1.c1": "carried"})
CONCEDED = Loop(bear={"bull.1.c1": "conceded"})
REBUTTED = Loop(bear={"bull.1.c1": "rebutted"})
SILENT = Loop()
BOTH_CONCEDED = held(TWO, [Loop(bear={"bull.1.c1": "conceded", "bull.1.c2": "conceded"})])
WORDS: tuple[NetStance, ...] = ("bullish", "neutral", "bearish")


def ended(
    ledger: Sequence[LedgerEvent],
    about: Case | None = None,
    *,
    protocol: str = "desk",
    stop: str = "rounds = 2",
    **instead: Changed,
) -> tuple[DebateSummary, FeedRow]:
    """Summary and row of a debate that was held as the ledger has it."""
    about, desk = about or about_of(), Desk(**instead)
    held_rounds = loop_rounds_held(ledger)
    transcript = DebateTranscript(
        ticker=TICKER,
        protocol=protocol,
        case_hash="case",
        rounds=rounds_of(ledger),
        ledger=tuple(ledger),
        stop_reason=stop,
        configured_rounds=held_rounds,
        executed_rounds=held_rounds,
        content_hash="transcript",
    )
    return _summed(transcript, about, desk, protocol)


def debated(
    protocol: str, *words: str, about: Case | None = None, history: History | None = None, **instead: Changed
) -> tuple[DebateSummary, FeedRow]:
    """Summary and row of a debate that the desk holds, under a shipped protocol."""
    about, desk = about or about_of(), Desk(**instead)
    header = header_of(f"debate.protocol={protocol}", *words, protocol=shipped(protocol), history=history)
    transcript = debate_transcript(about, header.history, header, header.settings.debate, ask=ask_door(desk))
    return _summed(transcript, about, desk, protocol, history)


def _summed(
    transcript: DebateTranscript, about: Case, desk: Desk, protocol: str, history: History | None = None
) -> tuple[DebateSummary, FeedRow]:
    header = header_of(f"debate.protocol={protocol}", protocol=shipped(protocol), history=history)
    summary = debate_summary(about, transcript, header.history, header, header.settings.manager, ask=ask_door(desk))
    assert summary.conviction_delta is None or summary.readouts["effective_conviction"] is not None
    outcome = TickerOutcome(analyst_payload=about.payload, debate_transcript=transcript, debate_summary=summary)
    feed = portfolio_feed((TICKER,), {TICKER: outcome}, QUESTION, header, header.settings.analyst)
    return summary, feed.rows[0]


SAID = [(0.6, 0.4), (0.7, 0.5), (0.7, 0.5)]


def replied(net: NetStance = "neutral", **rulings: str) -> ManagerReply:
    """The manager's word, and its rulings by claim (`bull_c1` for bull.1.c1)."""
    ruled = tuple(
        Ruling(claim=name.replace("_", ".1."), ruling=word, because="as said")  # type: ignore[arg-type]
        for name, word in rulings.items()
    )
    return ManagerReply(net_stance=net, rulings=ruled, would_resolve_if=())


def panel(*stances: str | None) -> dict[str, Changed]:
    seats = ("cautious", "creative", "literal")
    return {
        seat: REFUSAL if stance is None else update(stance=stance) for seat, stance in zip(seats, stances, strict=True)
    }
