"""Read-outs of ledgers written out here. Every expected value is worked out by hand or published."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from phases.debate.ledger import Turn, Void, entry
from phases.debate.readouts import READOUTS, WORDS, published
from phases.debate.readouts.base import ReadoutSettings, Seen
from phases.debate.readouts.gap import drift
from schemas.base import Role
from schemas.debate import Claim, DebateRoundContribution, Move
from schemas.ledger import LedgerEvent
from schemas.seats import CriticReport, ModeratorRuling, PersonaAnswer, SupervisorView
from tests.support import TICKER, item, payload, view

BUNDLE = {
    one.id: one
    for one in (
        item("px.ret_63d", 0.5),
        item("px.ret_252d", 0.7),
        item("px.vol_ratio", -0.5),
        item("px.rsi14", -0.4, stale=True),
        item("fa.fcf_yield", 0.3, tier=2),
    )
}

TEXTS = (
    "The trend carries this name and its peers follow.",
    "Volatility has risen faster than any return it paid.",
    "Cash pays for patience, whatever the benchmark does.",
    "Nothing here lasts beyond one season of calm prices.",
    "Momentum of a year outlives a quarter of doubt.",
    "Sellers were early before; they need not be wrong now.",
)
"""Arguments that have hardly a word in common."""


def said(
    role: Role,
    number: int,
    p: float | None = None,
    claims: Sequence[tuple[str, ...]] | None = None,
    moves: Sequence[tuple[str, ...]] | None = None,
    *,
    step: str = "loop.0",
    text: str | None = None,
    tokens: int = 0,
) -> LedgerEvent:
    """A turn; claims are tuples of ids, moves are (target, kind, *ids). Round 1 of an opening needs its step."""
    turn = DebateRoundContribution(
        role=role,
        ticker=TICKER,
        round_number=number,
        argument=text or TEXTS[(2 * number + (role == "bear")) % len(TEXTS)],
        probability=p,
        claims=None if claims is None else tuple(Claim(id="x", text="a claim", evidence=ids) for ids in claims),
        moves=None if moves is None else tuple(map(_move, moves)),
    )
    return entry(role, step, number, Turn(turn, tokens=tokens))


def _move(told: tuple[str, ...]) -> Move:
    target, kind, *ids = told
    return Move(target=target, kind=kind, reason="so", evidence=tuple(ids))  # type: ignore[arg-type]


def opened(bull: Any, bear: Any) -> list[LedgerEvent]:
    """Openings at probabilities .6 and .4."""
    return [said("bull", 1, 0.6, bull, step="opening.0"), said("bear", 1, 0.4, bear, step="opening.0")]


def void(seat: str, number: int, step: str = "loop.0") -> LedgerEvent:
    contracts = {"moderator": ModeratorRuling, "critic": CriticReport, **dict.fromkeys("abc", PersonaAnswer)}
    return entry(seat, step, number, Turn(Void("silence"), tokens=7), contracts.get(seat, DebateRoundContribution))


def vote(seat: str, stance: str, number: int = 1) -> LedgerEvent:
    answer = PersonaAnswer(seat=seat, round_number=number, answer=f"{seat} in round {number}: {stance}", stance=stance)
    return entry(seat, "opening.0" if number == 1 else "closing.1", number, Turn(answer))


def ruled(number: int, status: Any, decision: str | None = None) -> LedgerEvent:
    ruling = ModeratorRuling(summary="They differ.", status=status, decision=decision)
    return entry("moderator", "loop.1", number, Turn(ruling))


def seen(ledger: Sequence[LedgerEvent] = (), about: Any = None, **chosen: Any) -> Seen:
    return Seen(about or payload(), ledger=ledger, bundle=BUNDLE, settings=ReadoutSettings.model_validate(chosen))


EXCHANGE = [
    *opened([("px.ret_63d",), ("fa.fcf_yield",)], [("px.rsi14",)]),
    said("bull", 2, 0.58, None, [("bear.1.c1", "conceded", "px.rsi14")], tokens=100),
    said("bear", 2, 0.45, None, [("bull.1.c1", "rebutted", "px.vol_ratio"), ("bull.1.c2", "carried")], tokens=20),
    said("bull", 3, 0.58, None, [("bull.1.c1", "rebutted", "px.ret_252d")]),
    said("bear", 3, 0.46, None, [("bull.1.c2", "conceded", "fa.fcf_yield")]),
]
"""The bear's only point and one of the bull's two are conceded; the bull's other one is rebutted and met."""

QUIET = [
    *opened([("px.ret_63d",)], [("px.rsi14",)]),
    said("bull", 2, 0.6, None, [("bear.1.c1", "carried", "px.rsi14")]),
    said("bear", 2, 0.4, None, [("bull.1.c1", "carried", "px.ret_63d")]),
]
"""Two points, both carried, and nobody's probability moves."""

UNPAIRED = [
    *opened([("px.ret_63d",)], [("px.vol_ratio",)]),
    *(said("bull", 2, 0.5, moves=[("bear.1.c1", "rebutted", "px.ret_252d")]), void("bear", 2)),
    *(said("bull", 3, 0.55, moves=()), said("bear", 3, 0.47, moves=())),
]

SEQUENCE = [
    *(said("bull", 1, 0.6, [("px.ret_63d",)]), said("bear", 1, 0.4, [("px.vol_ratio",)])),
    *(said("bull", 2, None, [("px.ret_63d", "px.ret_252d")]), said("bear", 2, 0.4, [("px.vol_ratio",)])),
]
"""Claims only; in round 2 the bull gives no probability."""


def conceding(conceded: int, of: int = 5, *, at: int = 2, last: str = "carried") -> list[LedgerEvent]:
    """The bear concedes that many of the bull's points; the last of them gets another answer."""
    others = [(f"bull.1.c{number + 1}", "conceded", "px.ret_63d") for number in range(conceded)]
    moves = [*others, (f"bull.1.c{of}", last, "px.vol_ratio")]
    early = [said("bull", 2, moves=()), said("bear", 2, moves=())] if at == 3 else []
    return [*opened([("px.ret_63d",)] * of, ()), *early, said("bull", at, moves=()), said("bear", at, moves=moves)]


SPREAD = payload(-4, "sell", panel_spread=0.25, panel_margin=0.7)
NO_POINTS = {"points.raised": 0, "points.open": None, "convergence": None, "exchange.tilt": None, "exchange.net": None}

CASES: list[tuple[Seen, dict[str, float | int | str | None]]] = [
    (seen(about=SPREAD), {"gate": 1, "panel.margin": 0.7, "panel.spread": 0.25, "panel.conviction": 4, "rounds": 0}),
    # before anyone spoke
    (seen(), {**NO_POINTS, "evidence.new": None, "turns.repeated": 0, "tokens.debate": 0, "theater": "no_reply"}),
    (seen(), {"gap.first": None, "gap.last": None, "gap.change": None, "gap.midpoint": None, "gap.verdict": None}),
    (seen(), {"ruling.settled": None, "ruling.decision": None, "tally.winner": None, "points.verdict": None}),
    (
        seen([void("bull", 1), void("bear", 1)]),
        {**NO_POINTS, "points.open": 0, "theater": "no_reply", "tokens.debate": 14},
    ),
    # an exchange: tilt (3/4 - 1/2) / 3; at a score of -5 what contradicts it counts twice
    (
        seen(EXCHANGE, payload(-5, "sell")),
        {"exchange.tilt": 0.0833, "exchange.delta": 1, "exchange.net": 0.5556, "points.raised": 3, "points.open": 1},
    ),
    (seen(EXCHANGE, payload(0, "hold")), {"exchange.tilt": 0.0833, "exchange.delta": 0, "tokens.debate": 120}),
    (seen(EXCHANGE), {"convergence": 0.6667, "points.verdict": "disputed", "cascade": 0, "theater": None, "rounds": 2}),
    (seen(EXCHANGE), {"evidence.new": 1, "turns.repeated": 0, "gap.first": 0.2, "gap.last": 0.12, "gap.change": -0.08}),
    (seen(EXCHANGE), {"gap.midpoint": 0.52, "gap.verdict": "narrowed"}),
    (seen(EXCHANGE[:2]), {"points.open": 3, "evidence.new": None, "convergence": None, "points.verdict": None}),
    (seen(EXCHANGE[:4]), {"points.open": 2, "evidence.new": 1, "convergence": 0.3333, "rounds": 1}),
    # a move of an unpaired round earns nothing, and takes away what silence would have earned; the bull's was ignored
    (seen(UNPAIRED, payload(0, "hold")), {"exchange.tilt": 0.1667, "exchange.delta": 1, "rounds": 2}),
    (seen(UNPAIRED), {"gap.first": 0.2, "gap.last": 0.08, "gap.midpoint": 0.51, "points.open": 2}),
    # nothing happened
    (seen(QUIET), {"theater": "no_substance", "convergence": 0.0, "points.verdict": "disputed", "points.open": 2}),
    (seen(QUIET), {"evidence.new": 0, "exchange.tilt": 0.0, "exchange.delta": 0, "exchange.net": 0.3333, "cascade": 0}),
    (seen(SEQUENCE), {"points.raised": 4, "points.open": 4, "convergence": None, "cascade": None, "theater": None}),
    (seen(SEQUENCE), {"evidence.new": 1, "exchange.delta": None, "gap.first": 0.2, "gap.change": 0.0, "rounds": 2}),
    # moves were asked for, and no point was raised
    (seen([*opened((), ()), said("bull", 2, moves=())]), {"points.verdict": "empty", "convergence": None}),
    (seen(conceding(1, 2)), {"convergence": 0.5, "points.verdict": "disputed", "cascade": 0}),
    (seen(conceding(1, 2, last="conceded")), {"convergence": 1.0, "points.verdict": "resolved", "points.open": 0}),
    # capitulation: four fifths at once, and nobody rebuts
    (seen(conceding(4)), {"cascade": 1, "convergence": 0.8}),
    (seen(conceding(3)), {"cascade": 0, "convergence": 0.6}),
    (seen(conceding(4, last="rebutted")), {"cascade": 0}),
    (seen(conceding(4, at=3)), {"cascade": 0}),
    # a moderator
    (seen([ruled(1, "continue")]), {"ruling.settled": 0, "ruling.decision": "undecided"}),
    (seen([ruled(1, "continue"), ruled(2, "settled", "Buy.")]), {"ruling.settled": 1, "ruling.decision": "Buy."}),
    (
        seen([ruled(1, "continue"), void("moderator", 2, "loop.1")]),
        {"ruling.settled": 0, "ruling.decision": "undecided"},
    ),
]


@pytest.mark.parametrize(("about", "expected"), CASES)
def test_read_outs_of_a_ledger(about: Seen, expected: dict[str, float | int | str | None]) -> None:
    functions = {**READOUTS, **WORDS}
    assert {name: functions[name](about) for name in expected} == expected


# ballots in order, (winner, share, tied, confidence, changed)
Votes = list[LedgerEvent]
BUY, NONE = ("buy", 1.0, 0), (None, None, None, None, None)
VOTES: list[tuple[Votes, tuple[Any, ...]]] = [
    ([], NONE),
    ([vote("a", "buy"), vote("b", "Strong Buy"), vote("c", "bullish!")], (*BUY, "high", 0)),
    ([vote("a", "buy"), vote("b", "buy"), vote("c", "hold")], ("buy", 0.6667, 0, "medium", 0)),
    ([vote("a", "buy"), vote("b", "hold")], ("buy", 0.5, 1, "low", 0)),  # a tie goes to the first of the alphabet
    ([vote("a", "buy"), vote("b", "sell")], (None, 0.5, 1, "low", 0)),  # but not one between buy and sell
    ([vote("a", "buy"), vote("b", "sell"), vote("c", "hold")], (None, 0.3333, 1, "low", 0)),
    # a void seat abstains, and nothing is sure with one
    ([vote("a", "buy"), vote("b", "buy"), void("c", 1, "opening.0")], (*BUY, "medium", 0)),
    ([vote("a", "buy"), vote("b", "sell"), void("c", 1, "opening.0")], (None, 0.5, 1, "low", 0)),
    ([vote("a", "buy"), void("b", 1, "opening.0"), void("c", 1, "opening.0")], (*BUY, None, 0)),
    ([void(name, 1, "opening.0") for name in "abc"], NONE),
    # minds that changed are measured, and a void revision leaves the answer
    ([vote("a", "buy"), vote("b", "hold"), vote("a", "sell", 2), vote("b", "neutral", 2)], ("hold", 0.5, 1, "low", 1)),
    ([vote("a", "buy"), vote("b", "hold"), void("a", 2, "closing.1"), vote("b", "buy", 2)], (*BUY, "high", 1)),
    # a void seat that casts no vote is no abstention
    ([vote("a", "buy"), vote("b", "buy"), void("critic", 2, "closing.0")], (*BUY, "high", 0)),
]


@pytest.mark.parametrize(("ballots", "expected"), VOTES)
def test_votes(ballots: Votes, expected: tuple[Any, ...]) -> None:
    names = ("tally.winner", "tally.share", "tally.tied", "tally.confidence", "tally.changed")
    found = published(seen(ballots))
    assert tuple(found.get(name) for name in names) == expected


AXES = ("technical", "sentiment", "fundamental")


def debated(bull: Sequence[float], bear: Sequence[float], supervisor: Any = None) -> list[LedgerEvent]:
    """A debate by probabilities, and a supervisor's (probability, confidence)."""
    ledger = [
        said(role, number, p)
        for number, both in enumerate(zip(bull, bear, strict=True), 1)
        for role, p in zip(("bull", "bear"), both, strict=True)
    ]
    if supervisor is not None:
        p, confidence = supervisor
        told = SupervisorView(probability=p, confidence=confidence, because="The whole.", evidence=("px.rsi14",))
        ledger.append(entry("supervisor", "closing.0", len(bull) + 1, Turn(told)))
    return ledger


def panel_of(*probabilities: float) -> Any:
    axes = tuple(view(axis=axis, probability=p) for axis, p in zip(AXES, probabilities, strict=False))
    spread = round(max(probabilities) - min(probabilities), 4) if len(probabilities) > 1 else None
    return payload(axes=axes, panel_spread=spread)


FED, HIKE, SLUMP = panel_of(0.35, 0.58, 0.38), panel_of(0.25, 0.25, 0.62), panel_of(0.22, 0.22, 0.22)
CONTESTED = debated((0.65, 0.65, 0.68), (0.25, 0.28, 0.28))
BOUNDARY = ((0.68, 0.68, 0.65), (0.18, 0.2, 0.2))
RECESSION = ((0.45, 0.35, 0.45), (0.18, 0.15, 0.15))

# panel, ledger; aggregate, first and last gap, change, verdict, blend, final: the published rows, then supervisors
GOLDEN: list[tuple[Any, Any, tuple[Any, ...]]] = [
    (FED, CONTESTED, (0.4133, 0.4, 0.4, 0.0, "held", 0.43331, 0.4333)),
    (HIKE, debated(*BOUNDARY, (0.15, "medium")), (0.3266, 0.5, 0.45, -0.05, "held", 0.35612, 0.2737)),
    (SLUMP, debated(*RECESSION, (0.18, "medium")), (0.1166, 0.27, 0.3, 0.03, "panel_agreed", 0.17162, 0.175)),
    (HIKE, debated(*BOUNDARY, (0.15, "high")), (0.3266, 0.5, 0.45, -0.05, "held", 0.35612, 0.15)),
    (HIKE, debated(*BOUNDARY, (0.15, "low")), (0.3266, 0.5, 0.45, -0.05, "held", 0.35612, 0.3561)),
    (HIKE, debated(*BOUNDARY), (0.3266, 0.5, 0.45, -0.05, "held", 0.35612, 0.3561)),
    (HIKE, debated(*BOUNDARY, (1.0, "high")), (0.3266, 0.5, 0.45, -0.05, "held", 0.35612, 0.99)),
    (FED, [], (0.4133, None, None, None, None, 0.4133, 0.4133)),
]
FORECAST = ("panel.aggregate", "gap.first", "gap.last", "gap.change", "gap.verdict", "forecast.blend", "forecast.final")


@pytest.mark.parametrize(("about", "ledger", "expected"), GOLDEN)
def test_forecasts_come_to_the_published_numbers(about: Any, ledger: Any, expected: tuple[Any, ...]) -> None:
    found = published(seen(ledger, about))
    assert tuple(found.get(name) for name in FORECAST) == expected


@pytest.mark.parametrize(
    ("settings", "aggregate", "blend"),
    [
        ({"aggregate": {"rule": "mean"}}, 0.4367, 0.4497),
        ({"aggregate": {"rho": "1"}}, 0.4367, 0.4497),
        ({"aggregate": {"base": "0.4367"}}, 0.4367, 0.4497),
        ({"blend": {"weight": "0"}}, 0.4133, 0.4133),
        ({"blend": {"weight": "1"}}, 0.4133, 0.48),
        ({"blend": {"only_if": "consensus"}}, 0.4133, 0.4133),
        ({"blend": {"only_if": "narrowed"}}, 0.4133, 0.4133),
    ],
)
def test_a_protocol_may_set_how_a_forecast_is_made(settings: Any, aggregate: float, blend: float) -> None:
    found = published(seen(CONTESTED, FED, **settings))
    assert (found["panel.aggregate"], found["forecast.blend"]) == pytest.approx((aggregate, blend), abs=5e-5)


@pytest.mark.parametrize(("p", "aggregate"), [(0.05, 0.0061), (0.6, 0.6687), (0.7, 0.8127)])
def test_the_log_odds_alternative(p: float, aggregate: float) -> None:
    assert READOUTS["panel.aggregate"](seen(about=panel_of(p), aggregate={"rule": "log_odds"})) == aggregate


@pytest.mark.parametrize(
    ("bull", "bear", "only_if", "blended"),
    [
        ((0.6, 0.52), (0.4, 0.48), "narrowed", True),
        ((0.6, 0.52), (0.4, 0.48), "consensus", True),
        ((0.6, 0.525), (0.4, 0.475), "consensus", False),  # a gap of exactly .05 is none
        ((0.6, 0.575), (0.4, 0.425), "narrowed", False),  # a change of exactly .05 has not closed it
        ((0.52,), (0.48,), "narrowed", False),
    ],
)
def test_a_midpoint_enters_only_where_it_may(bull: Any, bear: Any, only_if: str, blended: bool) -> None:
    found = published(seen(debated(bull, bear), panel_of(0.3, 0.6), blend={"only_if": only_if}))
    assert (found["forecast.blend"] != found["panel.aggregate"]) is blended


@pytest.mark.parametrize(
    ("about", "limits", "bull", "bear", "verdict"),
    [
        (FED, {}, (0.6, 0.6), (0.4, 0.34), "widened"),
        (FED, {}, (0.6, 0.54), (0.4, 0.4), "narrowed"),
        (FED, {"min_closure": "0.06"}, (0.6, 0.54), (0.4, 0.4), "held"),
        (FED, {"min_panel": "0.3"}, (0.6, 0.5), (0.4, 0.4), "panel_agreed"),  # before anything else
        (panel_of(0.4), {}, (0.6, 0.5), (0.4, 0.4), "narrowed"),  # a panel of one has no spread
    ],
)
def test_verdicts(about: Any, limits: Any, bull: Any, bear: Any, verdict: str) -> None:
    assert WORDS["gap.verdict"](seen(debated(bull, bear), about, verdict=limits)) == verdict


@pytest.mark.parametrize(
    ("ledger", "expected"),
    [
        (EXCHANGE, Fraction(2, 100)),
        (UNPAIRED, Fraction(1, 100)),  # the round between, in which the bear is void, is none
        (SEQUENCE, Fraction(0)),
        (QUIET[:1], None),
        ([], None),
        ([*QUIET, said("bull", 3, 0.9, step="closing.0"), said("bear", 3, 0.8, step="closing.0")], Fraction(0)),
    ],
)
def test_drift_is_the_way_of_the_midpoint_over_openings_and_rounds(ledger: Any, expected: Fraction | None) -> None:
    assert drift(seen(ledger)) == expected


def quiet(**changes: Any) -> list[LedgerEvent]:
    """The quiet debate with another second turn of the bull."""
    told: dict[str, Any] = {"p": 0.6, "moves": [("bear.1.c1", "carried", "px.rsi14")], **changes}
    return [*QUIET[:2], said("bull", 2, **told), QUIET[3]]


@pytest.mark.parametrize(
    ("ledger", "theater"),
    [
        (quiet(), "no_substance"),
        (quiet(p=0.59), "no_substance"),  # .01 is no change
        (quiet(p=0.5899), None),
        (quiet(moves=[("bear.1.c1", "conceded", "px.rsi14")]), None),
        (quiet(moves=[("bear.1.c1", "rebutted", "px.ret_252d")]), None),
        (quiet(moves=[("bear.1.c1", "rebutted")]), "no_substance"),  # without evidence
        (quiet(p=0.5, text=TEXTS[2]), "no_substance"),  # the bull's words of round 1, again
        ([vote("a", "buy"), vote("a", "hold", 2)], None),
    ],
)
def test_theater(ledger: list[LedgerEvent], theater: str | None) -> None:
    assert WORDS["theater"](seen(ledger)) == theater


@pytest.mark.parametrize(
    ("texts", "repeated"),
    [
        ((0, 1, 2, 3), 0),
        ((0, 1, 0, 3), 1),
        ((0, 1, 0, 1), 2),
        ((0, 1, 1, 0), 0),  # another speaker's words are no repetition
        ((0, 1, 0, 1, 2, 3), 0),  # of the latest round only
        ((0, 1, 2, 3, 0, 1), 0),  # of the speaker's previous turn only
    ],
)
def test_turns_that_repeat_themselves(texts: Sequence[int], repeated: int) -> None:
    ledger = [said(("bull", "bear")[at % 2], at // 2 + 1, text=TEXTS[one]) for at, one in enumerate(texts)]  # type: ignore
    assert READOUTS["turns.repeated"](seen(ledger)) == repeated


def test_a_debate_closed_without_any_ruling_is_undecided() -> None:
    ledger = [said("bull", 1), said("bear", 1), void("moderator", 1, "loop.1")]
    assert WORDS["ruling.decision"](seen(ledger)) == "undecided"


def test_only_what_is_there_is_published() -> None:
    found = published(seen(EXCHANGE))
    assert {"exchange.delta", "gap.verdict"} <= set(found)
    assert not {"theater", "tally.winner", "ruling.settled", "panel.spread"} & set(found)
    assert None not in found.values()


def test_a_critics_report_is_nobodys_ballot() -> None:
    critic = entry("critic", "closing.0", 2, Turn(CriticReport(assessments=())))
    assert published(seen([vote("a", "buy"), vote("b", "buy"), critic]))["tally.confidence"] == "high"


def test_every_read_out_is_looked_at_here() -> None:
    votes = {"tally.winner", "tally.share", "tally.tied", "tally.confidence", "tally.changed"}
    named = {name for _, expected in CASES for name in expected} | set(FORECAST) | votes
    assert named == {*READOUTS, *WORDS}


@pytest.mark.parametrize("name", [*READOUTS, *WORDS])
@pytest.mark.parametrize("ledger", [[], EXCHANGE, UNPAIRED, SEQUENCE, [void("x", 1)], CONTESTED])
def test_without_an_analyst_view_a_read_out_is_absent_or_a_value(name: str, ledger: Any) -> None:
    bare = Seen(None, ledger=ledger, bundle=BUNDLE)
    found = {**READOUTS, **WORDS}[name](bare)
    assert isinstance(found, float | int | str | None)
    if name.startswith(("panel.", "exchange.delta", "exchange.tilt")):
        assert found is None
