"""Protocols: one file each, refused at load with file and key; a new one needs no code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from phases.core.errors import UsageError
from phases.core.skills import load_skills
from phases.core.store import open_store
from phases.debate.protocol import check_skills, protocol_file, read_protocol
from phases.night import hold_night
from phases.plan import CONFIGS, SKILLS, Words, plan
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


# changed keys, key named, words used
REFUSED = [
    ({"rounds": 0}, "rounds", "a whole number from 1 to 5"),
    ({"rounds": 6}, "rounds", "a whole number from 1 to 5"),
    ({"rounds": "two"}, "rounds", "a whole number from 1 to 5"),
    ({"rounds": None}, "rounds", "is missing"),
    ({"argument_limit": 601}, "argument_limit", "from 80 to 600"),
    ({"argument_limit": 79}, "argument_limit", "from 80 to 600"),
    ({"delta": "guess"}, "delta", "stance_table"),
    ({"roundz": 2}, "roundz", "did you mean rounds?"),
    ({"loop": []}, "loop", ""),
    ({"loop": step(seats=["optimst", "sceptic"])}, "loop.0.seats", "'optimst' is unknown; did you mean optimist?"),
    ({"loop": step(sees=["evidnce"])}, "loop.0.sees", "'evidnce' is unknown; did you mean evidence?"),
    ({"loop": step(sees=["held"])}, "loop.0.sees", "known: bias_row, evidence"),
    ({"loop": step(sees=["ticker"])}, "loop.0.sees", "'ticker' is unknown"),
    ({"loop": step(require=["claim"])}, "loop.0.require", "'claim' is unknown; did you mean claims?"),
    ({"loop": step(require=["argument"])}, "loop.0.require", "known: probability, claims, moves, acknowledged"),
    ({"loop": step(order="parallel")}, "loop.0.order", "'sequence' or 'together'"),
    ({"loop": step(seats=["optimist", "optimist"])}, "loop", "each side must speak exactly once"),
    ({"loop": step(seats=["optimist"])}, "loop", "each side must speak exactly once"),
    ({"loop": PAIR["loop"] * 2}, "loop", "each side must speak exactly once"),
    ({"loop": step(seats=[])}, "loop.0.seats", ""),
    ({"seats": seats(sceptic={"skill": "research-debate", "side": "bull"})}, "loop", "it has bull, bull"),
    ({"seats": seats(sceptic={"skill": "research-debate", "side": "none"})}, "seats.sceptic.side", "'bull' or 'bear'"),
    ({"seats": seats(sceptic={"skill": "research-debate"})}, "seats.sceptic.side", "is missing"),
    ({"start_when": ["gaet >= 1"]}, "start_when", "unknown read-out 'gaet'; did you mean gate?"),
    ({"stop_when": ["rounds >> 1"]}, "stop_when", "is no rule"),
    ({"stop_when": "rounds > 1"}, "stop_when", "a list"),
]


@pytest.mark.parametrize(("changes", "key", "words"), REFUSED)
def test_a_protocol_that_cannot_work_is_refused(changes: dict[str, Any], key: str, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_protocol(text(**changes), FILE)
    message = str(refused.value)
    assert message.startswith(f"{FILE}: ")
    assert key in message
    assert words in message


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
    ("skill", "words"),
    [
        ("research-debat", "'research-debat' is unknown; did you mean research-debate?"),
        ("research-manager", "produces ManagerReply, not DebateRoundContribution"),
    ],
)
def test_a_seat_needs_a_skill_that_debates(skill: str, words: str) -> None:
    protocol = read_protocol(text(seats=seats(sceptic={"skill": skill, "side": "bear"})), FILE)
    with pytest.raises(UsageError) as refused:
        check_skills(protocol, load_skills(SKILLS), FILE)
    assert str(refused.value).startswith(f"{FILE}: seats.sceptic.skill: ")
    assert words in str(refused.value)


def test_shipped_protocols_can_work() -> None:
    files = sorted((CONFIGS / "protocols").glob("*.yaml"))
    assert files
    for path in files:
        protocol = read_protocol(path.read_text(encoding="utf-8"), str(path))
        check_skills(protocol, load_skills(SKILLS), str(path))
        assert protocol.protocol == path.stem


def test_an_own_folder_comes_first_and_an_unknown_name_lists_both(tmp_path: Path) -> None:
    (tmp_path / "rounds.yaml").write_text(text(protocol="rounds"), encoding="utf-8")
    (tmp_path / "pair.yaml").write_text(text(), encoding="utf-8")
    shipped = CONFIGS / "protocols"
    assert protocol_file("rounds", shipped, tmp_path) == tmp_path / "rounds.yaml"
    assert protocol_file("rounds", shipped, None) == shipped / "rounds.yaml"
    with pytest.raises(UsageError, match=r"debate.protocol: 'pear' is unknown; did you mean pair\?") as refused:
        protocol_file("pear", shipped, tmp_path)
    assert "known: " in str(refused.value)
    assert "pair, rounds" in str(refused.value)


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


def test_a_new_protocol_is_one_file(tmp_path: Path) -> None:
    folder = tmp_path / "protocols"
    folder.mkdir()
    (folder / "pair.yaml").write_text(NEW, encoding="utf-8")
    planned = plan(Words(tickers=("IBM",), sets=("debate.protocol=pair",), protocols=folder), None)
    store = open_store(tmp_path / "out")
    try:
        finished = hold_night(planned, store, tmp_path / "out", lambda ticker, reason: None)
        shown = show_ticker(store, "last", "IBM", as_json=False)
    finally:
        store.close()
    assert (finished.feed.protocol, [row.status for row in finished.feed.rows]) == ("pair", ["debated"])
    for said in ("optimist 1:", "sceptic 1:", "optimist 2:", "sceptic 2:", "ended by rounds = 2"):
        assert said in shown
