"""A second process for the tests: `python -m tests.phases.core.other_process COMMAND FOLDER ...`."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import time
from pathlib import Path

RUN = "2001-02-03-00000000"


def claim(folder: str, word: str, lease: str) -> None:
    """Claim the question of a word and keep it until killed."""
    from phases.core.journal import Journal, question
    from phases.core.recorder import process_name
    from phases.core.store import configured_store

    store = configured_store(Path(folder))
    wanted = question("ask", {"word": word}, ticker="AAPL", name="debater", seat="bull", request="{}")
    found = Journal(store, RUN, int(lease)).take([wanted])
    print("claimed" if not found else "found", process_name(), flush=True)
    time.sleep(60)


def ask(folder: str, word: str, seconds: str) -> None:
    """Ask the question of a word as a phase would, taking some seconds to answer."""
    from phases.core.journal import Journal, question
    from phases.core.recorder import Recorder, process_name
    from phases.core.store import configured_store

    store = configured_store(Path(folder))
    wanted = question("ask", {"word": word}, ticker="AAPL", name="debater", seat="bull", request="{}")
    print("ready", flush=True)
    sys.stdin.readline()
    journal = Journal(store, RUN, 60)
    found = journal.take([wanted])
    made = not found
    if made:
        time.sleep(float(seconds))
        found = {wanted.key: f"answer of {process_name()}"}
        journal.keep(found, Recorder(store, RUN, 1), ())
    store.close()
    print("made" if made else "found", found[wanted.key], flush=True)


def turn(folder: str, log: str, word: str, seconds: str, lease: str, killed: str = "") -> None:
    """Take one turn as a run does, its claim renewed meanwhile; the engine notes the call and takes some seconds.

    `killed` says where the process kills itself: before the answer is `kept`, or before it is `read`.
    """
    import phases.core.ask as door_module
    from phases.core.journal import Journal
    from phases.core.provider import Reply, Request
    from phases.core.runner import heartbeat
    from phases.core.store import configured_store
    from schemas.debate import DebateRoundContribution
    from tests.phases.core.scripted import Scripted, asked, door, spoken

    def slow(_: Request) -> Reply:
        with Path(log).open("a") as lines:
            lines.write(f"{word}\n")
        time.sleep(float(seconds))
        return spoken(word)

    def die(*_: object, **__: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    store = configured_store(Path(folder))
    journal = Journal(store, RUN, int(lease))
    if killed == "kept":
        journal.keep = die  # type: ignore[assignment, method-assign]
    elif killed == "read":
        door_module.read = die  # type: ignore[assignment]
    with heartbeat(journal):
        ask = door(store, Scripted(slow), journal=journal)
        answer = ask("debater", asked(), returns=DebateRoundContribution, seat="bull")
    store.close()
    print(answer.record.argument if answer.record else answer.void, flush=True)


def write(file: str) -> None:
    """Write a large file again and again, each time of one letter, until killed."""
    from phases.outputs.tables import write_whole

    for letter in "abcdefgh" * 1000:
        write_whole(Path(file), letter * 2_000_000)
        print(letter, flush=True)


def start(folder: str) -> None:
    """Open a store that is not there yet, at the same moment as others."""
    from phases.core.store import configured_store

    print("ready", flush=True)
    sys.stdin.readline()
    configured_store(Path(folder)).close()
    print("opened", flush=True)


def lock(file: str, seconds: str, how: str) -> None:
    """Hold a store's file locked: `write` against writers, `all` against everyone."""
    connection = sqlite3.connect(file, isolation_level=None)
    if how == "all":
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE" if how == "all" else "BEGIN IMMEDIATE")
    print("locked", flush=True)
    time.sleep(float(seconds))
    connection.execute("ROLLBACK")
    connection.close()


if __name__ == "__main__":
    {"claim": claim, "ask": ask, "turn": turn, "write": write, "start": start, "lock": lock}[sys.argv[1]](*sys.argv[2:])
