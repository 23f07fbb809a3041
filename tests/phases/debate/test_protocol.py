"""Protocols: one file each, refused at load with file and key; a new one needs no code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from phases.core.errors import UsageError
from phases.core.skills import Skill, load_skills
from phases.core.store import open_store
from phases.debate.protocol import Protocol, loop_rounds, protocol_file, read_protocol
from phases.debate.seats import seated
from phases.night import hold_night
from phases.plan import CONFIGS, SKILLS, Plan, Words, plan
from phases.show import show_ticker

FILE = "own/pair.yaml"
PAIR: dict[str, Any] = {
    "protocol": "pair",
    "seats": {
        "optimist": {"skill": "research-debate", "side": "bull"},
        "sceptic": {"skill": "research-debate", "side": "bear"},
    },
    "loop": [{"seats": ["optimist", "sceptic"], "order": "together", "sees": ["evidence", "question", "prior_rounds"]}],
    "rounds": 2,
    "delta": "stance_table",
    "argument_limit": 400,
}


def text(**changes: Any) -> str:
    """The protocol file with some keys changed; None takes a key away. JSON is YAML."""
    return json.dumps({key: value for key, value in {**PAIR, **changes}.items() if value is not None})


def step(**changes: Any) -> list[dict[str, Any]]:
    return [{**PAIR["loop"][0], **changes}]


def seats(**changes: Any) -> dict[str, Any]:
    return {**PAIR["seats"], **changes}


@cache
def skills() -> Mapping[str, Skill]:
    return load_skills(SKILLS)


def loaded(raw: str) -> Protocol:
    """Read, and its seats taken."""
    protocol = read_protocol(raw, FILE)
    seated(protocol, skills(), FILE)
    return protocol


CRITIC = {"critic": {"skill": "debate-critic", "side": "none"}}
PERSONAS: dict[str, Any] = {
    "protocol": "votes",
    "seats": {name: {"skill": f"persona-{name}", "side": "free"} for name in ("cautious", "literal")},
    "opening": [{"seats": ["cautious", "literal"], "order": "together", "sees": ["case"], "require": ["stance"]}],
    "delta": "tally",
}
"""A protocol without a loop, whose votes are counted."""

MOVES = ["moves", "probability"]
OPENING = [
    {"seats": ["optimist", "sceptic"], "order": "together", "sees": ["case"], "require": ["probability", "claims"]}
]
POINTS = step(sees=["case", "open_points"], require=MOVES)
EXCHANGE: dict[str, Any] = {"delta": "exchange", "opening": OPENING, "loop": POINTS}
"""Changes that make the pair's exchange count."""

# changed keys, key named, words used
REFUSED = [
    ({"rounds": 0}, "rounds", "a whole number from 1 to 5"),
    ({"rounds": 6}, "rounds", "a whole number from 1 to 5"),
    ({"rounds": "two"}, "rounds", "a whole number from 1 to 5"),
    ({"rounds": None}, "rounds", "is missing; a loop without it cannot stop (1 to 5)"),
    ({"argument_limit": 601}, "argument_limit", "from 80 to 600"),
    ({"argument_limit": 79}, "argument_limit", "from 80 to 600"),
    ({"delta": "guess"}, "delta", "stance_table"),
    ({"probability_after": "guess"}, "probability_after", "midpoint"),
    ({"reading": "author"}, "reading", "strict"),
    ({"readouts": {"aggregate": {"rho": "1.5"}}}, "readouts.aggregate.rho", ""),
    ({"readouts": {"blend": {"only_if": "never"}}}, "readouts.blend.only_if", "consensus"),
    ({"roundz": 2}, "roundz", "did you mean rounds?"),
    ({"protocol": "A pair"}, "protocol", ""),
    ({"seats": {}}, "seats", ""),
    ({"seats": seats(**{"Two words": PAIR["seats"]["sceptic"]})}, "seats", ""),
    # a loop and its rounds
    ({"loop": []}, "seats.optimist", "never speaks; name it in a step or take it out"),
    ({"loop": [], "opening": OPENING}, "rounds", "protocol pair has no loop to repeat; leave it out"),
    ({"loop": [], "rounds": None}, "seats.optimist", "never speaks; name it in a step or take it out"),
    # who speaks
    ({"loop": step(seats=["optimst", "sceptic"])}, "loop.0.seats", "'optimst' is unknown; did you mean optimist?"),
    ({"opening": step(seats=["nobody"])}, "opening.0.seats", "'nobody' is unknown (known: optimist, sceptic)"),
    ({"closing": [*step(), *step(seats=["nobody"])]}, "closing.1.seats", "'nobody' is unknown"),
    ({"loop": step(seats=[])}, "loop.0.seats", ""),
    ({"loop": step(order="parallel")}, "loop.0.order", "'sequence' or 'together'"),
    ({"loop": step(seats=["optimist", "optimist"])}, "loop", "optimist speaks twice; a seat and a side speak at most"),
    ({"loop": PAIR["loop"] * 2}, "loop", "optimist speaks twice; a seat and a side speak at most once a round"),
    ({"opening": PAIR["loop"] * 2}, "opening", "optimist speaks twice"),
    ({"seats": seats(sceptic={"skill": "research-debate", "side": "bull"})}, "loop", "bull speaks twice"),
    ({"seats": seats(**CRITIC)}, "seats.critic", "never speaks; name it in a step or take it out"),
    ({"loop": step(seats=["optimist"])}, "seats.sceptic", "never speaks; name it in a step or take it out"),
    ({"loop": step(seats=["optimist"]), "closing": step(seats=["sceptic"])}, "delta", "needs a bull and a bear in the"),
    # which side
    (
        {"seats": seats(sceptic={"skill": "research-debate", "side": "none"})},
        "seats.sceptic",
        "comes first, when nobody has spoken",
    ),
    ({"seats": seats(sceptic={"skill": "research-debate", "side": "free"})}, "delta", "needs a bull and a bear"),
    ({"seats": {"bull": PAIR["seats"]["sceptic"], **PAIR["seats"]}}, "seats.bull", "taken for another; rename it"),
    ({"seats": seats(sceptic={"skill": "research-debate"})}, "seats.sceptic.side", "is missing"),
    ({"seats": seats(sceptic={"skill": "research-debate", "side": "bear "})}, "seats.sceptic.side", "'bull'"),
    # rules
    ({"start_when": ["gaet >= 1"]}, "start_when", "unknown read-out 'gaet'; did you mean gate?"),
    ({"stop_when": ["rounds >> 1"]}, "stop_when", "is no rule"),
    ({"stop_when": "rounds > 1"}, "stop_when", "a list"),
    ({"stop_when": ["theater = 1"]}, "stop_when", "unknown read-out 'theater'"),  # a word is no number
    # an exchange
    ({**EXCHANGE, "rounds": 1}, "rounds", "1; delta `exchange` takes 2 to 4"),
    ({**EXCHANGE, "rounds": 5}, "rounds", "5; delta `exchange` takes 2 to 4"),
    ({**EXCHANGE, "loop": [{**POINTS[0], "order": "sequence"}]}, "loop", "make moves, order together"),
    ({**EXCHANGE, "loop": [{**POINTS[0], "order": "sequence", "sealed": True}]}, "loop", "order together"),
    ({**EXCHANGE, "loop": [{**POINTS[0], "require": ["probability"]}]}, "loop", "make moves"),
    ({**EXCHANGE, "opening": []}, "opening", "bull and bear give claims together"),
    ({**EXCHANGE, "opening": [{**OPENING[0], "order": "sequence"}]}, "opening", "give claims together"),
    ({**EXCHANGE, "opening": [{**OPENING[0], "require": ["probability"]}]}, "opening", "give claims together"),
    # a tally
    ({"delta": "tally"}, "delta", "`tally` counts votes; it needs at least two seats of side free"),
    ({**PERSONAS, "loop": None, "rounds": 2}, "rounds", "has no loop to repeat"),
]


@pytest.mark.parametrize(("changes", "key", "words"), REFUSED)
def test_a_protocol_that_cannot_work_is_refused(changes: dict[str, Any], key: str, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_protocol(text(**changes), FILE)
    message = str(refused.value)
    told = message.removeprefix(f"{FILE}: ").removeprefix("the key ").removeprefix("unknown key ")
    assert message.startswith(f"{FILE}: ")
    assert told.startswith(key)
    assert words in message


def votes(**changes: Any) -> str:
    return text(**{**PERSONAS, "loop": None, "rounds": None, **changes})


def test_votes_are_counted_from_two_seats_on() -> None:
    alone = [{**PERSONAS["opening"][0], "seats": ["cautious"]}]
    one = {"seats": {"cautious": PERSONAS["seats"]["cautious"]}, "opening": alone, "closing": alone}
    with pytest.raises(UsageError, match=f"{FILE}: delta: `tally` counts votes"):
        read_protocol(votes(**one), FILE)
    assert loaded(votes()).delta == "tally"


def test_a_seat_and_a_side_speak_at_most_once_a_stage() -> None:
    again = loaded(text(opening=OPENING, closing=step()))
    assert [len(one) for one in (again.opening, again.loop, again.closing)] == [1, 1, 1]
    many = {**PERSONAS["seats"], **PAIR["seats"]}
    assert loaded(text(seats=many, loop=[*step(), *PERSONAS["opening"]])).loop


@pytest.mark.parametrize("rounds", [2, 3, 4])
@pytest.mark.parametrize("sealed", [{"order": "together"}, {"order": "sequence", "sealed": True}])
def test_an_exchange_may_take_2_to_4_rounds_after_openings_unseen_by_each_other(rounds: int, sealed: Any) -> None:
    opened = [{**OPENING[0], **sealed}]
    assert loaded(text(**{**EXCHANGE, "opening": opened, "rounds": rounds})).rounds == rounds


@pytest.mark.parametrize(
    ("changes", "asked", "rounds"),
    [
        ({}, None, 2),
        ({}, 1, 1),
        ({}, 5, 5),
        (EXCHANGE, None, 2),
        (EXCHANGE, 4, 4),
        (EXCHANGE, 1, "debate.rounds: 1; delta `exchange` takes 2 to 4"),
        (EXCHANGE, 5, "debate.rounds: 5; delta `exchange` takes 2 to 4"),
        ({**PERSONAS, "loop": None, "rounds": None}, None, 0),
        ({**PERSONAS, "loop": None, "rounds": None}, 2, "debate.rounds: protocol votes has no loop to repeat"),
    ],
)
def test_the_configuration_may_ask_for_other_rounds(changes: Any, asked: int | None, rounds: int | str) -> None:
    protocol = read_protocol(text(**changes), FILE)
    if isinstance(rounds, int):
        assert loop_rounds(protocol, asked, "debate.rounds") == rounds
        return
    with pytest.raises(UsageError) as refused:
        loop_rounds(protocol, asked, "debate.rounds")
    assert str(refused.value).startswith(rounds)


@pytest.mark.parametrize(
    ("name", "rounds", "words"),
    [
        ("panel", 2, "debate.rounds: protocol panel has no loop to repeat; leave it out"),
        ("desk", 1, "debate.rounds: 1; delta `exchange` takes 2 to 4, so that a rebuttal can be answered"),
        ("desk", 5, "debate.rounds: 5; delta `exchange` takes 2 to 4, so that a rebuttal can be answered"),
    ],
)
def test_a_night_whose_rounds_do_not_fit_its_protocol_is_refused(name: str, rounds: int, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        plan(Words(tickers=("IBM",), sets=(f"debate.protocol={name}", f"debate.rounds={rounds}")), None)
    assert str(refused.value) == words


# changed keys, key named, words used
UNSEATED: list[Any] = [
    ({"loop": step(sees=["evidnce"])}, "loop.0.sees", "'evidnce' is unknown; did you mean evidence?"),
    ({"loop": step(sees=["held"])}, "loop.0.sees", "known: analyst_payload, bias_row"),
    ({"loop": step(sees=["ticker"])}, "loop.0.sees", "'ticker' is unknown"),
    ({"loop": step(sees=["last_probability"])}, "loop.0.sees", "'last_prob"),
    ({"loop": step(sees=["tally"])}, "loop.0.sees", "'tally' is unknown"),  # what only another kind of seat reads
    ({"opening": [{**OPENING[0], "sees": ["statements"]}]}, "opening.0.sees", "'statements' is unknown"),
    ({"loop": step(require=["claim"])}, "loop.0.require", "'claim' is unknown; did you mean claims?"),
    ({"loop": step(require=["role"])}, "loop.0.require", "'role' is unknown"),
    ({"loop": step(require=["argument"])}, "loop.0.require", "known: acknowledged, claims"),
    ({"loop": step(require=["stance"])}, "loop.0.require", "'stance' is unknown"),
    ({"closing": step(require=["status"])}, "closing.0.require", "'status' is unknown"),
    ({"loop": step(require=["moves", "probability"])}, "loop.0.require", "add open_points to sees"),
    ({"loop": step(require=["moves"])}, "loop.0.require", "ask for probability beside moves"),
    ({"loop": step(sees=["question"], require=["claims"])}, "loop.0.require", "add case or evidence to sees"),
    ({"opening": POINTS}, "opening.0.require", "moves cannot be asked for in the opening; ask for them in the loop"),
    ({"closing": POINTS}, "closing.0.require", "moves cannot be asked for in the closing; ask for them in the loop"),
]


@pytest.mark.parametrize(("changes", "key", "words"), UNSEATED)
def test_what_no_seat_of_a_step_can_read_or_answer_is_refused(changes: dict[str, Any], key: str, words: str) -> None:
    protocol = read_protocol(text(**changes), FILE)
    with pytest.raises(UsageError) as refused:
        seated(protocol, skills(), FILE)
    assert str(refused.value).startswith(f"{FILE}: {key}: ")
    assert words in str(refused.value)


def test_a_word_may_belong_to_one_seat_of_a_mixed_step() -> None:
    mixed = [{"seats": ["optimist", "sceptic", "critic"], "order": "sequence", "sees": ["case", "focus", "tally"]}]
    asked = ["claims", "assessments"]
    assert loaded(text(seats=seats(**CRITIC), loop=[{**mixed[0], "require": asked}])).loop[0].require == tuple(asked)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("", "must be a mapping"),
        ("- a\n- b\n", "must be a mapping"),
        ("protocol: [", "expected"),
        ("rounds: 3\nrounds: 3\n", "the key 'rounds' stands twice"),
        ("a: &x 1\nb: *x\n", "aliases"),
        ("protocol: !!python/name:os.system x\n", "tag"),
    ],
)
def test_a_file_that_is_no_plain_mapping_is_refused(raw: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as refused:
        read_protocol(raw, FILE)
    assert str(refused.value).startswith(FILE)


@pytest.mark.parametrize(
    ("seat", "key", "words"),
    [
        ({"skill": "research-debat"}, "skill", "'research-debat' is unknown; did you mean research-debate?"),
        ({"skill": "research-manager"}, "skill", "research-manager produces ManagerReply; a seat answers Debate"),
        ({"skill": "technical-analyst"}, "skill", "technical-analyst produces AxisView; a seat answers Debate"),
        ({"skill": "persona-cautious"}, "side", "'bear' with the skill persona-cautious; allowed: free"),
        ({"skill": "debate-critic"}, "side", "'bear' with the skill debate-critic; allowed: none"),
        ({"skill": "forecast-supervisor"}, "side", "'bear' with the skill forecast-supervisor; allowed: none"),
    ],
)
def test_a_seat_needs_a_skill_that_takes_its_side(seat: dict[str, str], key: str, words: str) -> None:
    protocol = read_protocol(text(seats=seats(sceptic={"side": "bear", **seat})), FILE)
    with pytest.raises(UsageError) as refused:
        seated(protocol, skills(), FILE)
    assert str(refused.value).startswith(f"{FILE}: seats.sceptic.{key}: ")
    assert words in str(refused.value)


@pytest.mark.parametrize("side", ["free", "none"])
def test_a_debater_takes_a_side(side: str) -> None:
    third = {"third": {"skill": "research-debate", "side": side}}
    protocol = read_protocol(
        text(seats=seats(**third), loop=step(seats=["optimist", "sceptic", "third"], order="sequence")), FILE
    )
    with pytest.raises(UsageError, match=f"seats.third.side: '{side}' with the skill research-debate; allowed: bull, "):
        seated(protocol, skills(), FILE)


def test_shipped_protocols_can_work() -> None:
    files = sorted((CONFIGS / "protocols").glob("*.yaml"))
    assert [path.stem for path in files] == ["desk", "forecaster", "moderated", "panel", "points", "rounds"]
    for path in files:
        protocol = read_protocol(path.read_text(encoding="utf-8"), str(path))
        assert set(seated(protocol, skills(), str(path))) == set(protocol.seats)
        assert protocol.protocol == path.stem


def test_an_own_folder_comes_first_and_an_unknown_name_lists_both(tmp_path: Path) -> None:
    (tmp_path / "rounds.yaml").write_text(text(protocol="rounds"), encoding="utf-8")
    (tmp_path / "pair.yaml").write_text(text(), encoding="utf-8")
    shipped = CONFIGS / "protocols"
    assert protocol_file("rounds", shipped, tmp_path) == tmp_path / "rounds.yaml"
    assert protocol_file("rounds", shipped, None) == shipped / "rounds.yaml"
    with pytest.raises(UsageError, match=r"debate.protocol: 'pear' is unknown; did you mean pair\?") as refused:
        protocol_file("pear", shipped, tmp_path)
    assert str(refused.value).endswith("(known: desk, forecaster, moderated, pair, panel, points, rounds)")


NEW = """
protocol: pair
seats:
  optimist: {skill: research-debate, side: bull}
  sceptic: {skill: research-debate, side: bear}
loop:
  - {seats: [optimist, sceptic], order: together, sees: [evidence, question, prior_rounds], require: [claims]}
rounds: 2
delta: stance_table
argument_limit: 600
"""


def held_night(planned: Plan, out: Path) -> tuple[dict[str, Any], str]:
    """A night of one ticker: the transcript as stored, and what a reader is shown."""
    [ticker] = planned.header.tickers
    store = open_store(out)
    try:
        finished = hold_night(planned, store, out, lambda ticker, reason: None)
        told, shown = (show_ticker(store, "last", ticker, as_json=as_json) for as_json in (True, False))
    finally:
        store.close()
    name = planned.header.settings.debate.protocol
    assert (finished.feed.protocol, [row.status for row in finished.feed.rows]) == (name, ["debated"])
    transcript: dict[str, Any] = json.loads(told)["artefacts"]["debate_transcript"]
    return transcript, shown


def test_a_new_protocol_is_one_file(tmp_path: Path) -> None:
    folder = tmp_path / "protocols"
    folder.mkdir()
    (folder / "pair.yaml").write_text(NEW, encoding="utf-8")
    planned = plan(Words(tickers=("IBM",), sets=("debate.protocol=pair",), protocols=folder), None)
    transcript, shown = held_night(planned, tmp_path / "out")
    assert [event["seat"] for event in transcript["ledger"]] == ["optimist", "sceptic"] * 2
    assert (transcript["protocol"], transcript["stop_reason"]) == ("pair", "rounds = 2")
    for said in ("pair", "optimist", "sceptic", "ended by rounds = 2"):
        assert said in shown
