"""What a debate changes: counted by hand on small ledgers, and the manager can only make it smaller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from phases.debate.ledger import Turn, Void, entry, loop_rounds_held, rounds_of
from phases.debate.outcome import change, probability_post, sides_argued
from phases.debate.protocol import read_protocol
from phases.debate.readouts import exchange
from phases.debate.readouts.base import Seen
from phases.maths.exact import exact
from phases.portfolio_feed import portfolio_feed
from phases.research_debate import debate_transcript
from phases.research_manager import debate_summary
from schemas.base import NetStance, Role
from schemas.debate import Carried, CarriedCondition, Case, Claim, Condition, DebateRoundContribution, Move
from schemas.feed import FeedRow, TickerOutcome
from schemas.ledger import DebateTranscript, LedgerEvent
from schemas.manager import ManagerReply, Ruling
from schemas.run import History, LastDebate
from schemas.seats import SupervisorView
from schemas.summary import DebateSummary
from tests.support import (
    DAY,
    QUESTION,
    REFUSAL,
    TICKER,
    Changed,
    Desk,
    ask_door,
    case_of,
    constant,
    header_of,
    item,
    payload,
    shipped,
    update,
    view,
)

PROTOCOLS = {name: read_protocol(shipped(name), name) for name in ("desk", "forecaster", "panel", "points", "rounds")}
OTHER: Mapping[Role, Role] = {"bull": "bear", "bear": "bull"}
SIDES: tuple[Role, Role] = ("bull", "bear")
PER_POINT = exact("0.02")

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


def _turn(side: Role, number: int, p: float | None, **blocks: Any) -> Turn:
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
        ledger.append(entry(side, "opening.0", 1, _turn(side, 1, p, claims=made)))
    for number, loop in enumerate(loops, 2):
        for side, p, moves in zip(SIDES, chances[number - 1], loop, strict=True):
            made = None if moves is None else tuple(_move(*one) for one in moves.items())
            turn = Turn(Void("quarantine: ?")) if made is None else _turn(side, number, p, moves=made)
            ledger.append(entry(side, "loop.0", number, turn))
    return ledger


def seen_of(ledger: Sequence[LedgerEvent], score: int = 0, protocol: str = "desk", **more: Any) -> Seen:
    return Seen.of(about_of(score, **more), ledger, PROTOCOLS[protocol].readouts)


def about_of(score: int = 0, probability: float = 0.55, **more: Any) -> Case:
    stance: Any = "buy" if score >= 2 else "sell" if score <= -2 else "hold"
    return case_of(BUNDLE, payload=payload(score, stance, probability, **more))


def replied(net: NetStance = "neutral", **rulings: str) -> ManagerReply:
    """The manager's word, and its rulings by claim (`bull_c1` for bull.1.c1)."""
    ruled = tuple(
        Ruling(claim=name.replace("_", ".1."), ruling=word, because="as said")  # type: ignore[arg-type]
        for name, word in rulings.items()
    )
    return ManagerReply(net_stance=net, rulings=ruled, would_resolve_if=())


def word_of(delta: int) -> NetStance:
    return "bullish" if delta > 0 else "bearish" if delta < 0 else "neutral"


def delta_of(ledger: Sequence[LedgerEvent], score: int, **rulings: str) -> int:
    """The change under a manager who agrees with what the moves earn."""
    seen = seen_of(ledger, score)
    found = change(PROTOCOLS["desk"], seen, replied(word_of(exchange.delta(seen) or 0), **rulings))
    assert (found.decided_by, found.contested, found.flags) == ("code", False, ())
    return found.delta


# the exchange, counted by hand: delta = 4 * (sum of weight * settle / 3) * (1 - score / 5), rounded, at most 2

PX, TWO = {"bull": ["px.ret_63d"]}, {"bull": ["px.ret_63d", "px.ret_21d"]}
OPEN = Loop(bear={"bull.1.c1": "carried"})
CONCEDED = Loop(bear={"bull.1.c1": "conceded"})
REBUTTED = Loop(bear={"bull.1.c1": "rebutted"})
SILENT = Loop()

BY_HAND: list[tuple[str, Mapping[str, Sequence[str]], list[Loop], dict[int, int]]] = [
    ("conceded: +1", PX, [CONCEDED, SILENT], {-5: 2, -3: 2, -2: 2, 0: 1, 2: 1, 3: 1, 4: 0, 5: 0}),
    ("never answered: +1/2", PX, [SILENT, SILENT], {-5: 1, 0: 1, 1: 1, 2: 0, 5: 0}),
    ("carried: 0", PX, [OPEN, OPEN], {-5: 0, 0: 0}),
    ("carried, then conceded: +1", PX, [OPEN, CONCEDED], {0: 1}),
    ("rebutted and left: -1", PX, [REBUTTED, SILENT], {5: -2, 2: -2, 0: -1, -3: -1, -5: 0}),
    ("rebutted and met: 0", PX, [REBUTTED, Loop(bull={"bull.1.c1": "rebutted"})], {0: 0, 5: 0}),
    ("rebutted and carried: -1", PX, [REBUTTED, Loop(bull={"bull.1.c1": "carried"})], {0: -1}),
    ("rebutted and withdrawn: -1", PX, [REBUTTED, Loop(bull={"bull.1.c1": "conceded"})], {0: -1}),
    ("rebutted in the last round: 0", PX, [OPEN, REBUTTED], {0: 0, 5: 0}),
    ("two conceded: +2, at most 2", TWO, [Loop(bear={"bull.1.c1": "conceded", "bull.1.c2": "conceded"})], {0: 2}),
    ("a filing, conceded: 3/4", {"bull": ["fa.margin"]}, [CONCEDED, SILENT], {0: 1, 3: 0}),
    ("a stale filing, conceded: 3/8 is exactly a half", {"bull": ["fa.old"]}, [CONCEDED, SILENT], {0: 1, 1: 0}),
    ("a note, stale: 1/8", {"bull": ["news.b2"]}, [CONCEDED, SILENT], {0: 0, -5: 0}),
    ("no such id: nothing", {"bull": ["px.none"]}, [CONCEDED, SILENT], {0: 0, -5: 0}),
    (
        "one point in two claims: once",
        {"bull": ["px.ret_63d", "px.ret_63d"]},
        [Loop(bear={"bull.1.c1": "conceded", "bull.1.c2": "conceded"})],
        {0: 1},
    ),
    (
        "a claim each, both conceded: nobody gains",
        {"bull": ["px.ret_63d"], "bear": ["px.macd"]},
        [Loop({"bear.1.c1": "conceded"}, {"bull.1.c1": "conceded"})],
        {0: 0, -5: 0, 5: 0},
    ),
    (
        "a heavier one against a lighter one: 1 - 3/4",
        {"bull": ["px.ret_63d"], "bear": ["fa.margin"]},
        [Loop({"bear.1.c1": "conceded"}, {"bull.1.c1": "conceded"})],
        {0: 0, -5: 1},
    ),
    ("nobody claims anything", {}, [SILENT, SILENT], {0: 0}),
    ("a void answer: no paired round, nothing", PX, [Loop(bear=None), Loop(bear=None)], {0: 0, -5: 0}),
    ("beside a void turn a concession is but silence: +1/2", PX, [Loop(None, CONCEDED.bear), SILENT], {-5: 1, 2: 0}),
    ("and a rebuttal takes away what silence earns: 0", PX, [Loop(None, REBUTTED.bear), SILENT], {0: 0, -5: 0}),
]


@pytest.mark.parametrize(("claims", "loops", "deltas"), [one[1:] for one in BY_HAND], ids=[one[0] for one in BY_HAND])
def test_the_exchange_decides(
    claims: Mapping[str, Sequence[str]], loops: list[Loop], deltas: Mapping[int, int]
) -> None:
    for score, delta in deltas.items():
        assert delta_of(held(claims, loops), score) == delta, score
        assert delta_of(held(*mirrored(claims, loops)), -score) == -delta, f"mirror of {score}"
        assert abs(score + delta) <= 5


def mirrored(claims: Mapping[str, Sequence[str]], loops: Sequence[Loop]) -> tuple[Any, list[Loop]]:
    """The same debate with the sides exchanged."""

    def turned(moves: Moves | None) -> Moves | None:
        if moves is None:
            return None
        return {f"{OTHER[target[:4]]}{target[4:]}": kind for target, kind in moves.items()}  # type: ignore[index]

    return (
        {OTHER[side]: cited for side, cited in claims.items()},  # type: ignore[index]
        [Loop(turned(loop.bear), turned(loop.bull)) for loop in loops],
    )


# rulings make it smaller, never larger, and never turn it

BOTH_CONCEDED = held(TWO, [Loop(bear={"bull.1.c1": "conceded", "bull.1.c2": "conceded"})])
AHEAD = held(
    {**TWO, "bear": ["px.macd"]},
    [Loop({"bear.1.c1": "conceded"}, {"bull.1.c1": "conceded", "bull.1.c2": "conceded"}), SILENT],
)
"""Two points to one: +1."""


@pytest.mark.parametrize(
    ("ledger", "rulings", "delta"),
    [
        (BOTH_CONCEDED, {}, 2),
        (BOTH_CONCEDED, {"bull_c1": "stands", "bull_c2": "stands"}, 2),
        (BOTH_CONCEDED, {"bull_c1": "unsupported"}, 1),
        (BOTH_CONCEDED, {"bull_c1": "answered"}, 1),
        (BOTH_CONCEDED, {"bull_c1": "unsupported", "bull_c2": "answered"}, 0),
        (AHEAD, {}, 1),
        (AHEAD, {"bear_c1": "unsupported"}, 1),  # two points to none would be 2
        (AHEAD, {"bull_c1": "unsupported"}, 0),
        (AHEAD, {"bull_c1": "unsupported", "bull_c2": "unsupported"}, 0),  # none to one would be -1
        (held(PX, [SILENT, SILENT]), {"bull_c1": "answered"}, 1),  # nobody moved on it
        (held(PX, [SILENT, SILENT]), {"bull_c1": "unsupported"}, 0),
        (held(PX, [REBUTTED, SILENT]), {"bull_c1": "unsupported"}, -1),  # what is lost stays lost
        (held(PX, [OPEN, OPEN]), {"bull_c1": "stands"}, 0),
    ],
)
def test_rulings_only_make_it_smaller(ledger: list[LedgerEvent], rulings: dict[str, str], delta: int) -> None:
    assert delta_of(ledger, 0, **rulings) == delta


# contested

DEBATES = {
    2: BOTH_CONCEDED,
    1: held(PX, [CONCEDED, SILENT]),
    0: held(PX, [OPEN, OPEN]),
    -1: held(PX, [REBUTTED, SILENT]),
    -2: held(TWO, [Loop(bear={"bull.1.c1": "rebutted", "bull.1.c2": "rebutted"}), SILENT]),
}
CONTESTED = {(2, "neutral"), (2, "bearish"), (1, "bearish"), (-1, "bullish"), (-2, "bullish"), (-2, "neutral")}
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


@pytest.mark.parametrize("delta", DEBATES)
@pytest.mark.parametrize("word", WORDS)
def test_code_and_manager_disagree(delta: int, word: NetStance) -> None:
    summary, row = ended(DEBATES[delta], manager=update(net_stance=word))
    contested = (delta, word) in CONTESTED
    assert summary.status == row.status == ("contested" if contested else "debated")
    assert (summary.net_stance, summary.decided_by) == (word, "code")
    assert summary.readouts["exchange.delta"] == delta
    assert summary.conviction_delta == row.conviction_delta == row.conviction_post == (0 if contested else delta)
    if contested:
        assert summary.reason == row.reason == f"contested: the moves earn {delta:+d}, the manager says {word}"


SAID = [(0.6, 0.4), (0.7, 0.5), (0.7, 0.5)]


@pytest.mark.parametrize("score", [-3, 0, 2, 3])
def test_what_is_contested_leaves_every_number_as_it_was(score: int) -> None:
    ledger = held(PX, [CONCEDED, SILENT], SAID)
    summary, row = ended(ledger, about_of(score, 0.5123), manager=update(net_stance="bearish"))
    assert (summary.status, summary.conviction_delta, summary.probability_post) == ("contested", 0, 0.5123)
    assert summary.readouts["effective_conviction"] == score
    assert (row.status, row.decided_by, row.stance) == ("contested", "code", about_of(score).payload.stance)
    assert (row.conviction_pre, row.conviction_delta, row.conviction_post) == (score, 0, score)
    assert (row.probability_pre, row.probability_post) == (0.5123, 0.5123)
    assert (row.view_excess_return, row.view_period, row.view_confidence) == (None, None, 0)
    assert (row.gap_first, row.gap_last) == (0.2, 0.2), "what was said is still told"
    agreed, _ = ended(ledger, about_of(score, 0.5123), manager=update(net_stance="bullish"))
    assert (agreed.status, agreed.probability_post) == ("debated", 0.6123)


def test_it_is_contested_by_what_the_moves_earn_not_by_what_the_rulings_leave() -> None:
    ruling = {"ruling": "unsupported", "because": "as said"}
    rulings = [{"claim": f"bull.1.c{at}", **ruling} for at in (1, 2)]
    summary, _ = ended(BOTH_CONCEDED, manager=update(net_stance="bearish", rulings=rulings))
    assert summary.status == "contested"
    summary, _ = ended(BOTH_CONCEDED, manager=update(net_stance="bullish", rulings=rulings))
    assert (summary.status, summary.conviction_delta) == ("debated", 0)


# votes


def _panel(*stances: str | None) -> dict[str, Changed]:
    seats = ("cautious", "creative", "literal")
    return {
        seat: REFUSAL if stance is None else update(stance=stance) for seat, stance in zip(seats, stances, strict=True)
    }


@pytest.mark.parametrize(
    ("stances", "confidence", "deltas"),
    [
        (("buy", "buy", "buy"), "high", {-3: 2, 0: 1, 2: 1}),
        (("sell", "sell", "sell"), "high", {-3: -1, 0: -1, 3: -2}),
        (("hold", "hold", "hold"), "high", {-3: 0, 3: 0}),
        (("buy", "buy", "hold"), "medium", {-3: 1, 0: 1}),  # half of 2, half of 1 rounded up
        (("sell", "hold", "sell"), "medium", {3: -1, 0: -1}),
        (("buy", "buy", None), "medium", {-3: 1, 0: 1}),  # unanimous, but a seat is void
        (("buy", "hold", "sell"), "low", {-3: 0, 3: 0}),
        (("buy", None, "hold"), "low", {-3: 0, 3: 0}),
        (("buy", None, "sell"), "low", {-3: 0, 3: 0}),
    ],
)
def test_votes_go_through_the_table(
    stances: tuple[str | None, ...], confidence: str, deltas: Mapping[int, int]
) -> None:
    for score, delta in deltas.items():
        summary, row = debated("panel", about=about_of(score), **_panel(*stances))
        assert summary.readouts["tally.confidence"] == confidence
        assert (summary.status, summary.conviction_delta, summary.decided_by) == ("debated", delta, "tally")
        assert summary.probability_post == pytest.approx(0.55 + 0.02 * delta, abs=1e-9)
        assert (row.conviction_post, row.agreement) == (score + delta, summary.readouts["tally.share"])
        assert "no_quorum" not in summary.flags


def test_votes_are_counted_whatever_the_manager_says() -> None:
    found = [debated("panel", manager=update(net_stance=word), **_panel("buy", "buy", "buy"))[0] for word in WORDS]
    assert [one.conviction_delta for one in found] == [1, 1, 1]
    assert [one.status for one in found] == ["debated"] * 3, "only an exchange can be contested"


def test_without_a_quorum_nothing_moves_and_a_flag_says_so() -> None:
    summary, row = debated("panel", about=about_of(-3), **_panel(None, "buy", None))
    assert (summary.status, summary.conviction_delta, summary.probability_post) == ("debated", 0, 0.55)
    assert "no_quorum" in summary.flags
    assert "no_quorum" in row.flags
    assert (row.conviction_post, row.decided_by) == (-3, "tally")


def test_a_panel_that_is_void_has_failed() -> None:
    summary, row = debated("panel", **_panel(None, None, None))
    assert (summary.status, row.status, row.conviction_post) == ("refused", "refused", None)


# probability


@pytest.mark.parametrize(
    ("said", "loops", "before", "after"),
    [
        ([(0.6, 0.4), (0.58, 0.46)], [SILENT], 0.55, 0.57),  # .52 - .50
        ([(0.6, 0.4), (0.6, 0.4)], [SILENT], 0.55, 0.55),
        ([(0.6, 0.4), (0.5, 0.4), (0.7, 0.5)], [SILENT, SILENT], 0.55, 0.65),  # the last, not the least
        ([(0.6, 0.4), (0.5, 0.4), (0.7, 0.5)], [SILENT, Loop(bear=None)], 0.55, 0.5),  # round 2 is the last paired
        ([(0.6, 0.4)], [Loop(bull=None)], 0.55, 0.55),
        ([(0.6, 0.4), (0.99, 0.9)], [SILENT], 0.9, 0.99),
        ([(0.6, 0.4), (0.1, 0.01)], [SILENT], 0.1, 0.01),
        ([(0.6, 0.4), (0.6, 0.4)], [SILENT], 0.995, 0.995),  # what nobody moved is not pulled in
    ],
)
def test_the_desk_moves_the_probability_by_the_midpoint(
    said: list[tuple[float, float]], loops: list[Loop], before: float, after: float
) -> None:
    ledger = held(PX, loops, said)
    summary, row = ended(ledger, about_of(2, before), manager=update(net_stance="neutral"))
    assert (summary.status, summary.probability_post, row.probability_post) == ("debated", after, after)


def _forecast(*said: tuple[float, float], supervisor: tuple[float, str] | None = None) -> list[LedgerEvent]:
    ledger = [
        entry(side, "loop.0", number, _turn(side, number, p, claims=()))
        for number, both in enumerate(said, 1)
        for side, p in zip(SIDES, both, strict=True)
    ]
    if supervisor is not None:
        chance, confidence = supervisor
        looked: Any = {"probability": chance, "confidence": confidence, "because": "so", "evidence": ("px.macd",)}
        ledger.append(entry("supervisor", "closing.0", len(said) + 1, Turn(SupervisorView(**looked))))
    return ledger


@pytest.mark.parametrize(
    ("ledger", "after"),
    [
        (_forecast((0.7, 0.5)), 0.572),  # .7 * .56 + .3 * .6
        (_forecast((0.9, 0.5), (0.7, 0.5)), 0.572),  # by the last midpoint
        (_forecast((0.7, 0.5), supervisor=(0.4, "low")), 0.572),
        (_forecast((0.7, 0.5), supervisor=(0.4, "medium")), 0.5032),  # .6 * .572 + .4 * .4
        (_forecast((0.7, 0.5), supervisor=(0.4, "high")), 0.4),
        (_forecast((0.7, 0.5), supervisor=(0.0, "high")), 0.01),
        ([], 0.56),  # the aggregate alone
    ],
)
@pytest.mark.parametrize("word", WORDS)
def test_the_forecaster_blends_whatever_the_manager_says(
    ledger: list[LedgerEvent], after: float, word: NetStance
) -> None:
    seen = seen_of(ledger, 2, "forecaster", axes=(view(probability=0.56),))
    moved = change(PROTOCOLS["forecaster"], seen, replied(word))
    assert moved.decided_by == "manager"
    assert probability_post(PROTOCOLS["forecaster"], seen, moved, PER_POINT) == after


@pytest.mark.parametrize("protocol", ["rounds", "points"])
@pytest.mark.parametrize(
    ("word", "before", "after"),
    [("bullish", 0.55, 0.57), ("neutral", 0.55, 0.55), ("bearish", 0.55, 0.53), ("bullish", 0.98, 0.99)],
)
def test_elsewhere_a_point_is_a_fixed_step(protocol: str, word: NetStance, before: float, after: float) -> None:
    seen = seen_of(held(PX, [CONCEDED, SILENT], SAID), 0, protocol, probability=before)
    moved = change(PROTOCOLS[protocol], seen, replied(word))
    assert (moved.decided_by, moved.contested) == ("manager", False), "only an exchange can be contested"
    assert probability_post(PROTOCOLS[protocol], seen, moved, PER_POINT) == after


# sides that nobody argued


@pytest.mark.parametrize("protocol", ["desk", "forecaster", "points", "rounds"])
@pytest.mark.parametrize("silent", SIDES)
def test_one_side_alone_moves_nothing(protocol: str, silent: Role) -> None:
    summary, row = debated(protocol, about=about_of(2), **{silent: REFUSAL, "manager": constant("never asked")})
    assert (summary.status, summary.reason) == ("debated", f"one_sided: no valid turn of the {silent}")
    assert (summary.conviction_delta, summary.probability_post, summary.decided_by) == (0, 0.55, None)
    assert (summary.bull_thesis, summary.bear_thesis, summary.net_stance) == (None, None, None)
    assert "one_sided" in summary.flags
    assert (row.conviction_post, row.probability_post, row.stance) == (2, 0.55, "buy")


def test_a_side_that_falls_silent_later_was_heard() -> None:
    ledger = held(PX, [Loop(bear=None), Loop(bear=None)], [(0.6, 0.4), (0.9, 0.4), (0.9, 0.4)])
    summary, _ = ended(ledger, manager=update(net_stance="neutral"))
    assert (summary.status, summary.conviction_delta, summary.probability_post) == ("debated", 0, 0.55)
    assert summary.bear_thesis is not None
    assert {"bear_2_void", "bear_3_void"} <= set(summary.flags)
    assert "one_sided" not in summary.flags


@pytest.mark.parametrize(
    ("stances", "sides"),
    [
        (("buy", "buy", "hold"), ("bull",)),
        (("sell", "hold", None), ("bear",)),
        (("buy", "sell", "hold"), ("bull", "bear")),
        (("hold", "hold", "hold"), ()),
    ],
)
def test_a_side_that_nobody_voted_for_has_no_thesis(stances: tuple[str | None, ...], sides: tuple[Role, ...]) -> None:
    mended = update(bull_thesis="It can rise.", bear_thesis="It can fall.")
    summary, _ = debated("panel", manager=mended, **_panel(*stances))
    assert (summary.bull_thesis, summary.bear_thesis) == (
        "It can rise." if "bull" in sides else None,
        "It can fall." if "bear" in sides else None,
    )


@pytest.mark.parametrize(("gone", "status"), [("bull_thesis", "failed"), ("bear_thesis", "debated")])
def test_a_thesis_is_asked_for_where_somebody_argued(gone: str, status: str) -> None:
    summary, _ = debated("panel", manager=update(**{gone: None}), **_panel("buy", "buy", "hold"))
    assert summary.status == status
    assert status == "debated" or f"/{gone} is required here" in (summary.reason or "")


def test_debaters_argue_their_sides() -> None:
    assert sides_argued(seen_of(held(PX, []))) == ("bull", "bear")
    assert sides_argued(seen_of([])) == ()


# what would settle what is open


def _carried(target: str, id: str, value: float = 0.0) -> Move:
    condition = Condition(evidence=id, comparison="below", value=value)
    return Move(target=target, kind="carried", reason="Open.", evidence=(), would_change_if=condition)


def test_what_would_change_a_sides_mind_is_kept_beside_the_managers_word() -> None:
    ledger = held(
        {**TWO, "bear": ["px.macd"]},
        [
            Loop({"bear.1.c1": _carried("bear.1.c1", "px.ret_63d")}, {"bull.1.c1": _carried("bull.1.c1", "px.rsi14")}),
            Loop({"bear.1.c1": _carried("bear.1.c1", "px.ret_21d")}, {"bull.1.c1": "conceded"}),
        ],
    )
    word = {"evidence": "px.macd", "comparison": "below", "value": 0.0}
    own = {"evidence": "px.ret_21d", "comparison": "below", "value": 0.0}
    summary, _ = ended(ledger, manager=update(net_stance="bullish", would_resolve_if=[word]))
    found = [one.evidence for one in summary.would_resolve_if]
    assert found == ["px.macd", "px.ret_21d"], "the latest word on what is still open"
    summary, _ = ended(ledger, manager=update(net_stance="bullish", would_resolve_if=[own, word]))
    assert [one.evidence for one in summary.would_resolve_if] == ["px.ret_21d", "px.macd"], "once each"


# nights without a debate of their own


def _history(about: Case, summary: DebateSummary) -> History:
    values = {one.id: one.value for one in about.bundle}
    kept = summary.model_copy(update={"rounds": ()})
    last = LastDebate(
        protocol="desk", rounds=2, session=DAY, probability=about.payload.probability, values=values, summary=kept
    )
    return History(debates=(last,))


@pytest.mark.parametrize(
    ("score", "before", "conviction", "after"),
    [(0, 0.55, 1, 0.65), (3, 0.6, 4, 0.7), (5, 0.95, 5, 0.99), (-5, 0.3, -4, 0.4)],
)
def test_a_carried_debate_moves_tonights_view_by_as_much(
    score: int, before: float, conviction: int, after: float
) -> None:
    then = about_of()
    first, _ = ended(held(PX, [CONCEDED, SILENT], SAID), then, manager=update(net_stance="bullish"))
    assert (first.conviction_delta, first.probability_post) == (1, 0.65)
    tonight = about_of(score, before)
    silent = constant("never asked")
    summary, row = debated(
        "desk",
        'debate.bands={"*": "5%"}',
        about=tonight,
        history=_history(then, first),
        bull=silent,
        bear=silent,
        manager=silent,
    )
    assert (summary.status, summary.flags, summary.rounds) == ("debated", ("carried",), ())
    assert (summary.conviction_delta, summary.probability_post, summary.decided_by) == (1, after, "code")
    assert (summary.bull_thesis, summary.points) == (first.bull_thesis, first.points)
    assert (summary.reason or "").startswith("carried: ")
    assert (summary.reason or "").endswith(first.reason or "?")
    assert summary.readouts["effective_conviction"] == conviction
    assert (row.status, row.conviction_post, row.probability_post) == ("debated", conviction, after)
    assert (row.transcript_hash, row.flags) == (None, ("carried",))


def test_what_was_contested_is_carried_as_contested() -> None:
    then = about_of()
    first, _ = ended(held(PX, [CONCEDED, SILENT], SAID), then, manager=update(net_stance="bearish"))
    summary, row = debated("desk", 'debate.bands={"*": "5%"}', about=about_of(3, 0.6), history=_history(then, first))
    assert (summary.status, summary.conviction_delta, summary.probability_post) == ("contested", 0, 0.6)
    assert (row.status, row.conviction_post, row.probability_post) == ("contested", 3, 0.6)


def test_a_debate_that_a_condition_reopened_says_so() -> None:
    told: Any = {"evidence": "px.rsi14", "comparison": "above", "value": 0.0}
    fired = CarriedCondition(**told, now=0.0123, fired=True)
    about = about_of().model_copy(update={"carried": Carried(since=DAY, points=(), conditions=(fired,))})
    summary, row = debated("desk", about=about)
    assert "reopened" in summary.flags
    assert "reopened" in row.flags
    assert (summary.reason or "").startswith("reopened, px.rsi14 above 0.0 fired: ")
