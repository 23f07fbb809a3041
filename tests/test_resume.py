"""A run that is stopped anywhere goes on: the same bytes at the end, and no answer is paid for twice.

The desk is watched and slowed down, so that stops land between and within turns.
"""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from phases.core.skills import LOCK, load_skills, lock_text
from phases.entry import exit_code
from phases.identity import changed
from phases.plan import Words, plan
from run_pipeline import app
from tests.conftest import DAY, ROOT, Cli, Desk, Night, Shared, Shelf, Told, watched_desk

TICKERS = ("AAPL", "GOOG", "IBM", "MSFT", "FB")
WORDS = (*TICKERS, "--as-of", DAY, "--debate", "all", "--set", "debate.rounds=3")


@pytest.fixture
def whole(shared: Shared) -> Night:
    """The night of WORDS, never interrupted."""

    def build(place: Path) -> list[Told]:
        told = watched_desk(place, 0).cli("run", *WORDS, "--out", place / "out", "--json")
        assert told.code == 0
        return [told]

    return shared("whole", build)


def _stop(process: subprocess.Popen[bytes], by: signal.Signals) -> int:
    process.send_signal(by)
    process.communicate(timeout=60)
    return process.returncode


def _check_whole(shelf: Shelf, whole: Night, desk: Desk, in_flight: int) -> int:
    """The end of every stopped run: equal bytes, and only what was in flight was asked again. Gives how many were."""
    assert shelf.feed() == whole.feed()
    assert shelf.ask("SELECT run_id, state FROM runs") == [(whole.folder.name, "finished")]
    assert shelf.ask("SELECT count(*) FROM calls WHERE state <> 'done'") == [(0,)]
    assert shelf.replies() == whole.replies()
    assert shelf.called() == dict.fromkeys(whole.replies(), 1), "an answered call was recorded twice, or never"
    assert len(desk.asked) == len(whole.replies())
    again = desk.asked.total() - len(desk.asked)
    assert again <= in_flight, f"{again} prompts were asked again, {in_flight} were in flight at a kill"
    return again


# Killed at any moment: goals/test_g1_kill.py. Killed and not waited for:


def _in_flight(shelf: Shelf, look: Path) -> int:
    """Prompts that were claimed and not answered. Looks at a copy: the next start must find what the kill left."""
    if not (shelf.path / "rebuttal.db").exists():
        return 0
    shutil.rmtree(look, ignore_errors=True)
    copy = shelf.copy(look)
    if not copy.ask("SELECT 1 FROM sqlite_master WHERE name = 'calls'"):
        return 0
    return int(copy.ask("SELECT count(*) FROM calls WHERE kind = 'ask' AND state = 'claimed'")[0][0])


def test_a_question_that_was_under_way_is_asked_again_at_once(
    whole: Night, desk: Callable[[float], Desk], tmp_path: Path
) -> None:
    slow = desk(60)
    process = slow.cli.start("run", *WORDS, "--out", tmp_path / "out")
    slow.await_lines(1, process)
    _stop(process, signal.SIGKILL)
    assert _in_flight(Shelf(tmp_path / "out"), tmp_path / "look") == 1
    told = desk(0).cli("run", "--resume", "last", "--out", tmp_path / "out", "--json")
    assert told.code == 0
    assert told.json["calls"]["made"] == len(whole.replies())
    assert _check_whole(Shelf(tmp_path / "out"), whole, slow, 1) == 1


def test_a_dead_process_that_nobody_waited_for_holds_nothing(desk: Callable[[float], Desk], tmp_path: Path) -> None:
    slow = desk(60)
    dead = slow.cli.start("run", *WORDS, "--out", tmp_path / "out")
    slow.await_lines(1, dead)
    dead.kill()
    process = desk(0).cli.start("run", "--resume", "last", "--out", tmp_path / "out", "--json")
    try:
        process.communicate(timeout=120)
    finally:
        for one in (process, dead):
            one.kill()
            one.communicate()
    assert process.returncode == 0


# Interrupted and terminated.

AT_SIGNAL = 8
"""Prompts that have reached the desk when the signal comes: the run is in the middle of its tickers."""


def _stopped_at_work(desk: Desk, out: Path, by: signal.Signals) -> Told:
    process = desk.cli.start("run", *WORDS, "--out", out)
    desk.await_lines(AT_SIGNAL, process)
    process.send_signal(by)
    said, told = process.communicate(timeout=60)
    return Told(process.returncode, said.decode(), told.decode())


@pytest.fixture
def interrupted(shared: Shared) -> Night:
    """A night that ended with an interrupt; the log of its desk lies beside its store."""

    def build(place: Path) -> list[Told]:
        return [_stopped_at_work(watched_desk(place, 0.2), place / "out", signal.SIGINT)]

    return shared("interrupted", build)


def test_an_interrupted_run_is_stopped_and_can_be_resumed(
    interrupted: Night, whole: Night, cli: Cli, tmp_path: Path
) -> None:
    (told,) = interrupted.told
    assert told.code == 130
    assert "Traceback" not in told.err
    out = interrupted.copy(tmp_path / "out")
    assert out.ask("SELECT state FROM runs") == [("stopped",)]
    assert out.ask("SELECT count(*) FROM calls WHERE state <> 'done'") == [(0,)]
    unfinished = cli("feed", "last", "--out", out.path)
    assert unfinished.code == 2
    assert "--resume" in unfinished.error
    shutil.copy(interrupted.path.parent / "desk.log", tmp_path)
    desk = watched_desk(tmp_path, 0)
    again = desk.cli("run", "--resume", "last", "--out", out.path, "--json")
    assert again.code == 0
    assert again.json["calls"]["replayed"] >= AT_SIGNAL
    _check_whole(out, whole, desk, 0)


def test_interrupted_before_a_run_is_stored_the_same_command_is_the_way_on(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("phases.plan.settings_of", interrupted)
    assert exit_code(app, ["run", *WORDS], False) == 130
    assert capfd.readouterr().err == "interrupted; no run began: give the same command again\n"
    assert exit_code(app, ["run", "--resume", "last", "--out", "my runs"], False) == 130
    assert capfd.readouterr().err == "interrupted; go on with `run --resume last --out 'my runs'`\n"


def test_a_store_that_fails_before_the_run_is_in_it_sends_nobody_to_an_earlier_run(
    tmp_path: Path, desk: Callable[[float], Desk]
) -> None:
    out = tmp_path / "out"
    assert desk(0).cli("run", "AAPL", "--as-of", "2012-06-28", "--out", out).code == 0
    with closing(sqlite3.connect(out / "rebuttal.db")) as other, other:
        other.execute("CREATE TRIGGER full BEFORE INSERT ON runs BEGIN SELECT RAISE(ABORT, 'no room'); END")
    told = desk(0).cli("run", *WORDS, "--out", out)
    assert told.code == 4 and told.err.endswith("; no run began: give the same command again\n")


def test_an_interrupted_run_says_how_to_go_on(interrupted: Night) -> None:
    assert "--resume last" in interrupted.told[0].err


def test_an_interrupt_waits_only_for_turns_under_way(interrupted: Night) -> None:
    asked = len((interrupted.path.parent / "desk.log").read_text().splitlines())
    assert asked <= AT_SIGNAL + 8, "four threads, one turn each, may end"


def test_F079_a_terminated_run_can_be_resumed(whole: Night, desk: Callable[[float], Desk], tmp_path: Path) -> None:
    out = Shelf(tmp_path / "out")
    told = _stopped_at_work(desk(0.2), out.path, signal.SIGTERM)
    assert told.code == 130
    assert "Traceback" not in told.err and "--resume last" in told.err
    in_flight, watched = _in_flight(out, tmp_path / "look"), desk(0)
    assert in_flight == 0, "turns under way are finished"
    again = watched.cli("run", "--resume", "last", "--out", out.path, "--json")
    assert again.code == 0
    assert again.json["calls"]["replayed"] > 0
    _check_whole(out, whole, watched, in_flight)


# Resuming is refused where the run would be another one.


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--set", "debate.rounds=2"), "settings.debate.rounds"),
        (("--debate", "none"), "settings.debate.when"),
        (("AAPL", "IBM"), "tickers"),
        (("--as-of", "2012-06-28"), "as_of"),
        (("--set", "as_of=2012-06-28"), "as_of"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_resume_refuses_what_has_changed_and_names_it(
    three: Night, cli: Cli, tmp_path: Path, words: tuple[str, ...], named: str
) -> None:
    shelf = three.copy(tmp_path / "out")
    before = shelf.feed()
    told = cli("run", *words, "--resume", "last", "--out", shelf.path, "--json")
    assert told.code == 2
    assert named in told.error and three.folder.name in told.error
    assert shelf.feed() == before
    assert len(shelf.ask("SELECT run_id FROM runs")) == 1


def test_resume_refuses_a_changed_program(three: Night, tmp_path: Path) -> None:
    for name in ("configs", "phases", "schemas", "skills"):
        shutil.copytree(ROOT / name, tmp_path / "tree" / name, ignore=shutil.ignore_patterns("__pycache__"))
    text = (ROOT / "run_pipeline.py").read_text()
    (tmp_path / "tree" / "run_pipeline.py").write_text(f"{text}\n# changed\n")
    skill = tmp_path / "tree" / "skills" / "research-debate" / "SKILL.md"
    skill.write_text(f"{skill.read_text()}\nSpeak in short sentences.\n")
    (skill.parents[1] / LOCK).write_text(lock_text(load_skills(skill.parents[1])))
    told = Cli(tmp_path, root=tmp_path / "tree")("run", "--resume", "last", "--out", three.path)
    assert told.code == 2
    assert "code" in told.error and "skills.research-debate" in told.error


def test_what_does_not_change_the_run_may_change(three: Night, cli: Cli, tmp_path: Path) -> None:
    shelf = three.copy(tmp_path / "out")
    words = ("AAPL", "IBM", "MSFT", "--as-of", DAY, "--set", "operation.threads=1")
    told = cli("run", *words, "--resume", three.folder.name, "--out", shelf.path, "--json")
    assert told.code == 0
    assert told.json["calls"]["made"] == 0
    assert shelf.feed() == three.feed()


# A bare resume knows everything the run was begun with.


def test_a_capped_run_can_be_resumed(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out"
    cap = ("--set", "universe.cap=1")
    assert cli("run", "IBM", "NOSUCH", *cap, "--as-of", DAY, "--out", out, "--json").code == 0
    told = cli("run", "--resume", "last", "--out", out, "--json")
    assert (told.code, told.json["tickers"]) == (0, {"IBM": "debated"})


def test_a_run_with_a_protocol_of_its_own_can_be_resumed(cli: Cli, tmp_path: Path) -> None:
    out, own = tmp_path / "out", tmp_path / "own"
    own.mkdir()
    text = (ROOT / "configs/protocols/rounds.yaml").read_text()
    (own / "mine.yaml").write_text(text.replace("protocol: rounds", "protocol: mine"))
    chosen = ("--protocols", own, "--set", "debate.protocol=mine")
    assert cli("run", "IBM", *chosen, "--as-of", DAY, "--out", out, "--json").code == 0
    told = cli("run", "--resume", "last", "--out", out, "--json")
    assert (told.code, told.json["protocol"]) == (0, "mine")


# Two at once.


def test_two_starts_of_one_night_share_the_work(whole: Night, desk: Callable[[float], Desk], tmp_path: Path) -> None:
    watched, out = desk(0.1), tmp_path / "out"
    processes = [watched.cli.start("run", *WORDS, "--out", out, "--json") for _ in range(2)]
    told = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], told
    _check_whole(Shelf(out), whole, watched, 0)
    calls = [json.loads(said)["calls"] for said, _ in told]
    assert sum(one["made"] for one in calls) == len(whole.replies())
    assert [one["made"] + one["replayed"] for one in calls] == [len(whole.replies())] * 2


def test_a_set_without_a_configuration_builds_on_that_of_the_run(tmp_path: Path) -> None:
    config = tmp_path / "mine.yaml"
    config.write_text("debate:\n  rounds: 4\nprovider:\n  name: offline\n  breaker: 3\n")
    header = plan(Words(("IBM",), config, as_of=DAY), None).header
    again = plan(Words(sets=("operation.threads=1",)), None, header).header
    assert changed(header, again) == [] and again.settings.operation.threads == 1
    assert again.settings.provider.breaker == 3
    differs = plan(Words(sets=("debate.rounds=2",)), None, header).header
    assert any("debate.rounds" in one for one in changed(header, differs))


@pytest.mark.parametrize(
    ("words", "ceiling"),
    [
        (Words(), 0.01),
        (Words(max_cost=0.5), 0.5),
        (Words(config=ROOT / "configs" / "default.yaml"), 0.01),
        (Words(sets=("operation.threads=2",)), 0.01),
        (Words(sets=("operation.max_cost=null",)), None),
    ],
    ids=["nothing said", "raised", "a configuration without one", "another setting", "lifted"],
)
def test_the_ceiling_of_a_run_holds_until_it_is_raised(words: Words, ceiling: float | None) -> None:
    begun = plan(Words(("IBM",), as_of=DAY, max_cost=0.01, sets=("operation.max_cost_night=0.02",)), None).header
    operation = plan(words, None, begun).header.settings.operation
    assert (operation.max_cost, operation.max_cost_night) == (ceiling, 0.02)
