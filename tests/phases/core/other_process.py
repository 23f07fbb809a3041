"""A second process for the tests: `python -m tests.phases.core.other_process COMMAND FOLDER ...`."""

from __future__ import annotations

import sqlite3
import sys
import time
from pathlib import Path

RUN = "2001-02-03-00000000"


def claim(folder: str, word: str, lease: str) -> None:
    """Claim the question of a word and keep it until killed."""
    from phases.core.journal import Journal, question
    from phases.core.recorder import process_name
    from phases.core.store import open_store

    store = open_store(Path(folder))
    wanted = question("ask", {"word": word}, ticker="AAPL", name="debater", seat="bull", request="{}")
    found = Journal(store, RUN, int(lease)).take([wanted])
    print("claimed" if not found else "found", process_name(), flush=True)
    time.sleep(60)


def ask(folder: str, word: str, seconds: str) -> None:
    """Ask the question of a word as a phase would, taking some seconds to answer."""
    from phases.core.journal import Journal, question
    from phases.core.recorder import Recorder, process_name
    from phases.core.store import open_store

    store = open_store(Path(folder))
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


def start(folder: str) -> None:
    """Open a store that is not there yet, at the same moment as others."""
    from phases.core.store import open_store

    print("ready", flush=True)
    sys.stdin.readline()
    open_store(Path(folder)).close()
    print("opened", flush=True)


def lock(file: str, seconds: str, how: str) -> None:
    """Hold a store's file locked: `write` against writers, `all` against everyone."""
    connection = sqlite3.connect(file, isolation_level=None)
    if how == "all":
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    print("locked", flush=True)
    time.sleep(float(seconds))
    connection.execute("ROLLBACK")
    connection.close()


if __name__ == "__main__":
    {"claim": claim, "ask": ask, "start": start, "lock": lock}[sys.argv[1]](*sys.argv[2:])
