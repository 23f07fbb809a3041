"""The shipped protocols, each held from its case to its summary by the offline desk; and the documented seventh."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from phases.core.bundle import BUNDLE as ROOT
from phases.core.store import open_store
from phases.night import hold_night
from phases.plan import CONFIGS, Words, plan
from phases.research_debate import debate_transcript
from phases.research_manager import debate_summary
from phases.show import show_ticker
from schemas.debate import Case
from schemas.ledger import DebateTranscript, Voided
from schemas.summary import DebateSummary
from tests.support import LABELS, REFUSAL, Changed, Desk, ask_door, case_of, header_of, item, payload, update

DOCS = ROOT / "docs" / "protocols"

WIDE = tuple(
    item(name, round((-1) ** at * (0.9 - at / 90), 4), value=round(0.9 - at / 90, 4))
    for at, name in enumerate(sorted(LABELS))
)
"""Enough of both sides for three rounds without a repetition."""


class Held(NamedTuple):
    """A debate from its case to its summary."""

    transcript: DebateTranscript
    summary: DebateSummary
    desk: Desk

    @property
    def order(self) -> list[tuple[str, int, str]]:
        return [(event.step, event.round_number, event.seat) for event in self.transcript.ledger]

    @property
    def rounds(self) -> tuple[int, int]:
        return self.transcript.configured_rounds, self.transcript.executed_rounds


def held(name: str, *words: str, about: Case | None = None, **instead: Changed) -> Held:
    text = (CONFIGS / "protocols" / f"{name}.yaml").read_text(encoding="utf-8")
    header = header_of(f"debate.protocol={name}", "debate.when=all", *words, protocol=text)
    about, desk, chosen = about or case_of(WIDE), Desk(**instead), header.settings
    transcript = debate_transcript(about, header.history, header, chosen.debate, ask=ask_door(desk))
    summary = debate_summary(about, transcript, header.history, header, chosen.manager, ask=ask_door(desk))
    return Held(transcript, summary, desk)


PAIR, PANEL = ("bull", "bear"), ("cautious", "creative", "literal")


def at(step: str, rounds: Sequence[int], *seats: str) -> list[tuple[str, int, str]]:
    return [(step, number, seat) for number in rounds for seat in seats]


MODERATED = [one for number in (1, 2, 3) for one in (*at("loop.0", [number], *PAIR), ("loop.1", number, "moderator"))]
REVISED = [("closing.0", 2, "critic"), *at("closing.1", [2], *PANEL), ("closing.2", 2, "judge")]

# protocol, turns in order, rounds configured and executed, how it ended, who decided
WHOLE: list[tuple[str, list[tuple[str, int, str]], tuple[int, int], str, str]] = [
    ("rounds", at("loop.0", [1], *PAIR), (1, 1), "rounds = 1", "manager"),
    ("forecaster", [*at("loop.0", [1, 2, 3], *PAIR), ("closing.0", 4, "supervisor")], (3, 3), "rounds = 3", "manager"),
    ("moderated", MODERATED, (3, 3), "rounds = 3", "manager"),
    ("points", [*at("opening.0", [1], *PAIR), *at("loop.0", [2, 3], *PAIR)], (2, 2), "rounds = 2", "manager"),
    ("panel", [*at("opening.0", [1], *PANEL), *REVISED], (0, 0), "its last step", "tally"),
    ("desk", [*at("opening.0", [1], *PAIR), *at("loop.0", [2, 3], *PAIR)], (2, 2), "rounds = 2", "code"),
]


def documented() -> dict[str, tuple[int, int]]:
    """Fewest and most calls of a debate, as the table of the protocols says."""
    text = (DOCS / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\w+)\]\(\1\.md\).*\| (\d+)(?: to (\d+))? \|$", text, re.MULTILINE)
    return {name: (int(fewest), int(most or fewest)) for name, fewest, most in rows}


@pytest.mark.parametrize(("name", "order", "rounds", "stop", "decided"), WHOLE)
def test_a_shipped_protocol_is_held_to_its_end(
    name: str, order: list[tuple[str, int, str]], rounds: tuple[int, int], stop: str, decided: str
) -> None:
    found = held(name)
    assert found.order == order
    assert [event.reason for event in found.transcript.ledger if isinstance(event, Voided)] == []
    assert (found.rounds, found.transcript.stop_reason) == (rounds, stop)
    assert (found.transcript.protocol, found.summary.status, found.summary.decided_by) == (name, "debated", decided)
    assert [one.seat for one in found.desk.requests] == [*(seat for _, _, seat in order), "manager"]
    assert len(found.desk.requests) == documented()[name][1], "as many calls as the documents say, none repaired"


def test_the_documents_tell_the_calls_of_every_shipped_protocol() -> None:
    assert documented() == {
        "desk": (5, 7),
        "rounds": (3, 3),
        "forecaster": (4, 8),
        "moderated": (4, 10),
        "points": (5, 7),
        "panel": (9, 9),
    }
    assert {path.stem for path in DOCS.glob("*.md")} == {*documented(), "README"}


def concede(request: Any, answer: Any) -> Any:
    """Every open point is conceded, and the probability follows."""
    points = request.inputs.open_points
    if points is None:
        return answer
    moves = [
        {"target": one.id, "kind": "conceded", "reason": "It is so.", "evidence": list(one.evidence)} for one in points
    ]
    side = -1 if request.inputs.role == "bull" else 1
    return {**answer, "moves": moves, "probability": round(request.inputs.last_probability + side * 0.01, 4)}


SETTLED = update(status="settled", decision="Neither side is ahead.", focus=None)
SAME = update(probability=0.5)

# protocol, what is said instead, calls, how it ended
EARLY: list[tuple[str, dict[str, Changed], str]] = [
    ("forecaster", {"bull": SAME, "bear": SAME}, "rule: gap.last < 0.05"),
    ("moderated", {"moderator": SETTLED}, "rule: ruling.settled = 1"),
    ("points", {"bull": concede, "bear": concede}, "rule: points.open = 0"),
    ("desk", {"bull": concede, "bear": concede}, "rule: points.open = 0"),
]


@pytest.mark.parametrize(("name", "instead", "stop"), EARLY)
def test_a_stop_rule_saves_the_calls_that_the_documents_say(name: str, instead: dict[str, Changed], stop: str) -> None:
    found = held(name, **instead)
    assert (found.transcript.stop_reason, found.rounds[1]) == (stop, 1)
    asked = [one.seat for one in found.desk.requests]
    assert asked == [*(seat for _, _, seat in found.order), "manager"]
    assert len(asked) == documented()[name][0]


@pytest.mark.parametrize(
    ("name", "rounds", "calls"),
    [
        *(("rounds", 2, 5), ("rounds", 3, 7)),
        *(("forecaster", 1, 4), ("forecaster", 2, 6)),
        *(("moderated", 1, 4), ("moderated", 2, 7)),
        *(("points", 1, 5), ("desk", 3, 9)),
    ],
)
def test_the_configuration_says_how_many_rounds(name: str, rounds: int, calls: int) -> None:
    """As many calls as the formula of its document."""
    found = held(name, f"debate.rounds={rounds}")
    assert (found.rounds, found.transcript.stop_reason) == ((rounds, rounds), f"rounds = {rounds}")
    assert len(found.desk.requests) == calls


def test_desk_and_points_seal_their_openings() -> None:
    for name in ("desk", "points"):
        opening: list[Any] = [one.inputs for one in held(name).desk.requests[:2]]
        assert [(one.role, one.prior_rounds, one.bull_argument, one.open_points) for one in opening] == [
            ("bull", None, None, None),
            ("bear", None, None, None),
        ]


def test_personas_answer_blind_and_revise_over_the_critique() -> None:
    desk = held("panel").desk
    blind: list[Any] = [one.inputs for one in desk.requests[:3]]
    revised: list[Any] = [one.inputs for one in desk.requests[4:7]]
    assert all(one.statements is None and one.critique is None for one in blind)
    assert all([said.seat for said in one.statements] == list(PANEL) and one.critique for one in revised)
    judge: Any = desk.requests[7].inputs
    assert set(judge.tally.ballots) == set(PANEL)


# protocol, a read-out of its document
SHOWN = [
    ("rounds", "effective_conviction"),
    ("forecaster", "forecast.final"),
    ("forecaster", "gap.verdict"),
    ("moderated", "ruling.decision"),
    ("points", "convergence"),
    ("points", "cascade"),
    ("panel", "tally.share"),
    ("desk", "exchange.delta"),
    ("desk", "exchange.tilt"),
    ("desk", "convergence"),
]


@pytest.mark.parametrize(("name", "readout"), SHOWN)
def test_the_read_outs_of_its_document_are_published(name: str, readout: str) -> None:
    assert held(name).summary.readouts[readout] is not None


def test_without_settled_at_the_cap_a_moderated_debate_is_undecided() -> None:
    found = held("moderated", moderator=update(status="continue", decision=None, focus="What else?"))
    assert (found.summary.readouts["ruling.decision"], found.summary.readouts["ruling.settled"]) == ("undecided", 0)


def test_a_ruling_that_is_neither_word_is_asked_again_and_then_goes_on() -> None:
    found = held("moderated", moderator=update(status="NOT SETTLED"))
    assert (found.transcript.stop_reason, found.rounds) == ("rounds = 3", (3, 3))
    assert len([one for one in found.desk.requests if one.seat == "moderator"]) == 6
    assert [event.seat for event in found.transcript.ledger if isinstance(event, Voided)] == ["moderator"] * 3


@pytest.mark.parametrize("name", ["desk", "points"])
def test_one_opening_alone_changes_nothing(name: str) -> None:
    found = held(name, bear=REFUSAL)
    assert found.transcript.stop_reason == "one_sided: no valid turn of the bear"
    assert (found.rounds[1], [one.seat for one in found.desk.requests]) == (0, ["bull", "bear"])
    assert (found.summary.conviction_delta, found.summary.probability_post) == (0, 0.55)
    assert "one_sided" in found.summary.flags


@pytest.mark.parametrize("name", ["desk", "points", "rounds", "moderated", "forecaster"])
def test_two_void_openings_are_a_refused_debate_with_no_numbers(name: str) -> None:
    found = held(name, bull=REFUSAL, bear=REFUSAL)
    assert (found.transcript.stop_reason, found.summary.status) == ("no valid turn", "refused")
    assert (found.summary.conviction_delta, found.summary.probability_post) == (None, None)
    assert "manager" not in [one.seat for one in found.desk.requests]


def test_a_panel_of_which_nobody_answers_is_refused_too() -> None:
    found = held("panel", cautious=REFUSAL, creative=REFUSAL, literal=REFUSAL)
    assert (found.transcript.stop_reason, found.summary.status) == ("no valid turn", "refused")
    assert [one.seat for one in found.desk.requests] == list(PANEL)


@pytest.mark.parametrize(
    ("name", "about", "gated"),
    [
        ("desk", {"panel_margin": 0.6}, False),
        ("desk", {"panel_margin": 0.61}, True),
        ("forecaster", {"panel_spread": 0.05}, False),
        ("forecaster", {"panel_spread": 0.04}, True),
        ("forecaster", {"panel_spread": None}, True),
        ("rounds", {"score": 3}, False),
        ("rounds", {"score": 2}, True),
        *((name, {"score": 0, "panel_margin": 5.0}, False) for name in ("moderated", "points", "panel")),
    ],
)
def test_the_gate_of_each_protocol(name: str, about: dict[str, Any], gated: bool) -> None:
    found = held(name, "debate.when=gate", about=case_of(WIDE, payload=payload(**about)))
    assert (found.transcript.ledger == ()) is gated
    assert found.transcript.stop_reason.startswith("gated: ") is gated


def seventh() -> str:
    """The protocol that the documents say can be added by one file."""
    text = (DOCS / "README.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return str(block)


def test_the_documented_seventh_protocol_is_one_file(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "advocate.yaml").write_text(seventh(), encoding="utf-8")
    planned = plan(Words(tickers=("IBM",), sets=("debate.protocol=advocate",), protocols=folder), None)
    store = open_store(tmp_path / "out")
    try:
        finished = hold_night(planned, store, tmp_path / "out", lambda ticker, reason: None)
        told = json.loads(show_ticker(store, "last", "IBM", as_json=True))
        shown = show_ticker(store, "last", "IBM", as_json=False)
    finally:
        store.close()
    assert (finished.feed.protocol, [row.status for row in finished.feed.rows]) == ("advocate", ["debated"])
    transcript = told["artefacts"]["debate_transcript"]
    assert [event["seat"] for event in transcript["ledger"]] == ["bull", "bear", "devil"] * 3
    assert [event["kind"] for event in transcript["ledger"]] == ["spoke", "spoke", "assessed"] * 3
    assert (transcript["configured_rounds"], transcript["executed_rounds"]) == (3, 3)
    assert transcript["stop_reason"] == "rounds = 3"
    bears = [one for one in told["turns"] if one["seat"] == "bear"]
    assert [bool(one["inputs"]["critique"]) for one in bears[:2]] == [False, True]
    assert "advocate" in shown and "ended by rounds = 3" in shown


def test_the_documented_seventh_is_none_of_the_six() -> None:
    assert not (CONFIGS / "protocols" / "advocate.yaml").exists()
    assert len(list((CONFIGS / "protocols").glob("*.yaml"))) == 6
