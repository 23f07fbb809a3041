"""What a debated night leaves for the next: conditions that fire, items that move, and debates that stand."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

import pytest

from phases.debate.carry import carried, last_debate, moved
from phases.debate.conditions import fires, told
from phases.research_debate import case, debate_transcript
from phases.research_manager import debate_summary
from schemas.debate import Case, Condition
from schemas.ledger import DebateTranscript
from schemas.manager import PointAnswer, WeighedClaim
from schemas.run import History, LastDebate
from schemas.summary import DebateSummary
from tests.support import (
    DAY,
    QUESTION,
    TICKER,
    Desk,
    ask_door,
    header_of,
    item,
    macro,
    market,
    no_news,
    payload,
    row_of_bias,
    settings,
)

THEN = DAY - timedelta(7)
WEAK = payload(2, "buy", 0.55)


def condition(id: str = "px.vol_ratio", comparison: Any = "above", value: float = 2.0, by: Any = None) -> Condition:
    return Condition(evidence=id, comparison=comparison, value=value, by=by)


def point(id: str, answer: PointAnswer, side: Any = "bull") -> WeighedClaim:
    return WeighedClaim(id=id, side=side, text=f"text of {id}", evidence=("px.ret_63d",), weight=1.0, answer=answer)


def last(*conditions: Condition, values: Mapping[str, Any] | None = None, **more: Any) -> LastDebate:
    """The debate of an earlier night: one conviction point, three of probability."""
    summary = {
        "ticker": TICKER,
        "status": "debated",
        "reason": "bull gained: text",
        "rounds": (),
        "conviction_delta": 1,
        "probability_post": 0.53,
        "decided_by": "manager",
        "would_resolve_if": conditions,
        "readouts": {"convergence": 0.5},
        **more,
    }
    return LastDebate(
        protocol="rounds",
        rounds=1,
        session=THEN,
        probability=0.5,
        values=values or {},
        summary=DebateSummary(**summary),
    )


# conditions


@pytest.mark.parametrize(
    ("comparison", "value", "fired"),
    [
        ("above", 2.0001, True),
        ("above", 2.0, False),  # to reach it is not to pass it
        ("above", 1.9, False),
        ("below", 1.9999, True),
        ("below", 2.0, False),
        ("below", 2, False),
        ("above", 3, True),
    ],
)
def test_a_condition_fires_beyond_its_value(comparison: Any, value: float, fired: bool) -> None:
    assert fires(condition(comparison=comparison), value) is fired


@pytest.mark.parametrize(
    ("by", "fired"),
    [(None, True), (DAY + timedelta(1), True), (DAY, True), (DAY - timedelta(1), False)],
)
def test_a_condition_lapses_after_its_last_day(by: date | None, fired: bool) -> None:
    one = condition(by=by)
    assert fires(one, 2.5, DAY) is fired
    assert fires(one, 2.5) is True, "without a day there is no limit"
    assert told(one) == "px.vol_ratio above 2.0" + (f" by {by}" if by else "")


# what is carried


@pytest.mark.parametrize(
    ("given", "now", "fired"),
    [
        (item("px.vol_ratio", value=2.5), 2.5, True),
        (item("px.vol_ratio", value=1.5), 1.5, False),
        (item("px.vol_ratio", value=3), 3.0, True),
        (item("px.vol_ratio", value="2.5", unit="text"), None, False),
        (item("px.vol_ratio", value=True), None, False),
        (None, None, False),
    ],
)
def test_a_condition_is_held_against_tonights_value(given: Any, now: float | None, fired: bool) -> None:
    found = carried(last(condition()), {} if given is None else {given.id: given}, DAY)
    assert found is not None
    [one] = found.conditions
    assert (one.evidence, one.comparison, one.value) == ("px.vol_ratio", "above", 2.0)
    assert (one.now, one.fired) == (now, fired)


def test_a_condition_that_lapsed_is_still_told() -> None:
    found = carried(last(condition(by=DAY - timedelta(1))), {"px.vol_ratio": item("px.vol_ratio", value=2.5)}, DAY)
    assert found is not None and [(one.now, one.fired) for one in found.conditions] == [(2.5, False)]


def test_points_that_nobody_closed_are_carried() -> None:
    answers: tuple[PointAnswer, ...] = ("conceded", "withdrawn", "rebutted", "met", "carried", "unaddressed")
    points = tuple(point(f"bull.1.c{at}", answer) for at, answer in enumerate(answers, 1))
    found = carried(last(points=points), {}, DAY)
    assert found is not None and found.since == THEN
    assert [one.id for one in found.points] == ["bull.1.c3", "bull.1.c4", "bull.1.c5", "bull.1.c6"]
    assert (found.points[0].side, found.points[0].text) == ("bull", "text of bull.1.c3")


def test_a_debate_that_left_nothing_open_leaves_nothing() -> None:
    assert carried(last(), {}, DAY) is None
    assert carried(last(points=(point("bull.1.c1", "conceded"),)), {}, DAY) is None


def test_the_last_debate_is_found_by_its_ticker() -> None:
    other = last().model_copy(update={"summary": last().summary.model_copy(update={"ticker": "AAA"})})
    history = History(debates=(other, last()))
    assert last_debate(history, TICKER) == last()
    assert last_debate(history, "AAA") == other
    assert last_debate(history, "ZZZ") is None
    assert last_debate(History(), TICKER) is None


# what moved

Moved = tuple[Any, Any, dict[str, str], bool]

MOVED: list[Moved] = [
    # without a band nothing may move at all
    (0.1, 0.1, {}, False),
    (0.1, 0.1001, {}, True),
    (0.1, 0.1001, {"px.ret_252d": "1"}, True),  # another item's band
    # in the item's unit
    (0.1, 0.12, {"px.ret_63d": "0.02"}, False),  # exactly at the edge is within
    (0.1, 0.1201, {"px.ret_63d": "0.02"}, True),
    (0.1, 0.0799, {"px.ret_63d": "0.02"}, True),
    (0.1, -0.1, {"px.ret_63d": "0.2"}, False),
    # in percent of what it was
    (0.1, 0.11, {"px.ret_63d": "10%"}, False),
    (0.1, 0.1101, {"px.ret_63d": "10%"}, True),
    (-0.1, -0.11, {"px.ret_63d": "10%"}, False),
    (0.0, 0.0001, {"px.ret_63d": "50%"}, True),  # a percentage of nothing
    # the most exact key counts
    (0.1, 0.2, {"px.*": "0.1"}, False),
    (0.1, 0.2, {"*": "0.1"}, False),
    (0.1, 0.2, {"*": "1", "px.*": "0.05"}, True),
    (0.1, 0.2, {"*": "1", "px.*": "1", "px.ret_63d": "0.05"}, True),
    (0.1, 0.2, {"*": "0", "px.*": "0", "px.ret_63d": "100%"}, False),
    (0.1, 0.2, {"macro.*": "1", "fa.*": "1"}, True),
    # an item that came or went, whatever the band
    (None, 0.1, {"*": "100"}, True),
    (0.1, None, {"*": "100"}, True),
    # texts and truth values are the same or not
    ("buy", "buy", {}, False),
    ("buy", "sell", {"*": "100"}, True),
    ("buy", 0.1, {"*": "100"}, True),
    (0.1, "buy", {"*": "100"}, True),
    (True, True, {}, False),
    (True, False, {"*": "100"}, True),
]


@pytest.mark.parametrize(("before", "now", "bands", "expected"), MOVED)
def test_an_item_moves_when_it_leaves_its_band(before: Any, now: Any, bands: Any, expected: bool) -> None:
    values = {} if before is None else {"px.ret_63d": before}
    bundle = {} if now is None else {"px.ret_63d": item("px.ret_63d", value=now)}
    assert moved(last(values=values), bundle, bands) == (["px.ret_63d"] if expected else [])


def test_what_moved_is_told_in_order() -> None:
    values = {"px.ret_63d": 0.1, "bias.equity": "bearish", "px.vol_ratio": 1.0, "fa.fcf_yield": 0.2}
    bundle = [item("px.ret_63d", value=0.3), item("px.vol_ratio", value=1.0), item("px.adx14", value=9.0)]
    found = moved(last(values=values), {one.id: one for one in bundle}, {"px.ret_63d": "0.1"})
    assert found == ["bias.equity", "fa.fcf_yield", "px.adx14", "px.ret_63d"]


# a night after

OWN = (item("px.ret_63d", 0.5, value=0.1), item("px.vol_ratio", -0.5, value=1.25), item("px.ret_252d", 0.7, value=0.3))
VALUES = {**{one.id: one.value for one in OWN}, "axis.technical": "buy"}
QUIET = ("debate.bands={'*': '5%'}",)
GATED = "gated: gate is 0; a debate needs gate >= 1"
STANDS = f"carried: the rounds debate of {THEN} stands; nothing fired or left its band"


def night(
    history: History, *words: str, about: Any = WEAK, own: Any = OWN, desk: Desk | None = None
) -> tuple[Case, DebateTranscript, DebateSummary]:
    """The case, debate and summary of a night after that one."""
    ask, header = ask_door(desk), header_of(*words, history=history)
    made = case(about, market(*own), no_news(), macro(), row_of_bias(), QUESTION, history)
    transcript = debate_transcript(made, history, header, settings("debate.protocol=rounds", *words).debate, ask=ask)
    summary = debate_summary(made, transcript, history, header, header.settings.manager, ask=ask)
    return made, transcript, summary


FIRES, WAITS = condition(value=1.0), condition(value=2.0)
LAPSED = condition(value=1.0, by=DAY - timedelta(1))

# conditions of the last debate, words, what moved; how the debate stopped
NIGHTS: list[tuple[tuple[Condition, ...], tuple[str, ...], dict[str, Any], str]] = [
    ((WAITS,), (*QUIET, "debate.when=all"), {}, STANDS),
    ((WAITS,), (*QUIET, "debate.when=gate"), {}, STANDS),
    ((), (*QUIET, "debate.when=all"), {"px.ret_63d": 0.104}, STANDS),
    ((LAPSED,), (*QUIET, "debate.when=gate"), {}, STANDS),
    # something happened
    ((FIRES,), (*QUIET, "debate.when=gate"), {}, "rounds = 1"),
    ((WAITS, FIRES), (*QUIET, "debate.when=all"), {}, "rounds = 1"),
    ((FIRES,), ("debate.when=gate",), {}, "rounds = 1"),  # without bands, too
    ((WAITS,), (*QUIET, "debate.when=all"), {"px.ret_63d": 0.2}, "rounds = 1"),
    # it moved, and the gate is shut
    ((WAITS,), (*QUIET, "debate.when=gate"), {"px.ret_63d": 0.2}, GATED),
    ((LAPSED,), (*QUIET, "debate.when=gate"), {"px.ret_63d": 0.2}, GATED),
    # without bands a debate is never carried
    ((WAITS,), ("debate.when=gate",), {}, GATED),
    ((WAITS,), ("debate.when=all",), {}, "rounds = 1"),
    # switched off is switched off
    ((FIRES,), (*QUIET, "debate.when=none"), {}, "gated: debates are switched off"),
]


@pytest.mark.parametrize(("conditions", "words", "then", "stop"), NIGHTS)
def test_a_debate_is_carried_reopened_or_gated(conditions: Any, words: Any, then: dict[str, Any], stop: str) -> None:
    desk = Desk()
    history = History(debates=(last(*conditions, values={**VALUES, **then}),))
    _, transcript, _ = night(history, *words, desk=desk)
    assert transcript.stop_reason == stop
    held = stop == "rounds = 1"
    assert [one.seat for one in desk.requests] == (["bull", "bear", "manager"] if held else [])
    assert (transcript.configured_rounds, transcript.executed_rounds) == (1, int(held))


def test_a_name_without_an_earlier_debate_is_not_carried() -> None:
    assert night(History(), *QUIET, "debate.when=all")[1].stop_reason == "rounds = 1"
    assert night(History(), *QUIET, "debate.when=gate")[1].stop_reason == GATED


def test_a_carried_debate_gives_its_points_to_tonights_view() -> None:
    history = History(debates=(last(WAITS, values=VALUES),))
    _, _, summary = night(history, *QUIET, about=payload(3, "buy", 0.56))
    assert (summary.status, summary.conviction_delta, summary.decided_by) == ("debated", 1, "manager")
    assert summary.probability_post == 0.59  # .56 and the three points of that night
    assert summary.readouts["effective_conviction"] == 4
    assert (summary.readouts["convergence"], summary.readouts["stop"]) == (0.5, STANDS)
    assert (summary.flags, summary.rounds) == (("carried",), ())
    assert summary.reason == f"{STANDS}: bull gained: text"
    assert summary.would_resolve_if == (WAITS,), "what it waits for is not forgotten"


def test_a_reopened_debate_says_what_reopened_it_and_to_whom() -> None:
    desk = Desk()
    open_ = (point("bear.1.c1", "carried", "bear"),)
    history = History(debates=(last(FIRES, WAITS, values=VALUES, points=open_),))
    made, _, summary = night(history, *QUIET, "debate.when=gate", desk=desk)
    assert made.carried is not None
    assert [(one.evidence, one.now, one.fired) for one in made.carried.conditions] == [
        ("px.vol_ratio", 1.25, True),
        ("px.vol_ratio", 1.25, False),
    ]
    assert [one.id for one in made.carried.points] == ["bear.1.c1"]
    assert "reopened" in summary.flags
    assert summary.reason is not None and summary.reason.startswith("reopened, px.vol_ratio above 1.0 fired: ")


def test_what_was_carried_is_in_the_hash_of_the_case() -> None:
    without, *_ = night(History(), *QUIET)
    held, *_ = night(History(debates=(last(WAITS, values=VALUES),)), *QUIET)
    assert without.carried is None
    assert without.content_hash != held.content_hash


def test_a_debate_that_failed_does_not_stand() -> None:
    failed = last(values=VALUES, status="failed", conviction_delta=None, probability_post=None, decided_by=None)
    _, transcript, summary = night(History(debates=(failed,)), *QUIET, "debate.when=all")
    assert (transcript.stop_reason, summary.status) == ("rounds = 1", "debated")
