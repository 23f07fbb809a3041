"""A store for each test, and second processes that end with it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from phases.core.store import VARIABLE, Store, configured_store
from tests.phases.core.scripted import ROOT

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(name="out")
def _out(tmp_path: Path) -> Path:
    return tmp_path / "out"


KINDS = ("sqlite", "postgres")
"""What a module runs its tests on whose fixture `kind` has these for parameters."""


@pytest.fixture(name="kind")
def _kind() -> str:
    return "sqlite"


@pytest.fixture(name="store")
def _store(kind: str, out: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """An empty store; the environment names it to second processes."""
    if kind == "postgres":
        monkeypatch.setenv(VARIABLE, request.getfixturevalue("database"))
    store = configured_store(out, lock_seconds=5)
    yield store
    store.close()


@pytest.fixture(name="process")
def _process() -> Iterator[Start]:
    """Start a second process; its standard input and output are pipes."""
    started: list[subprocess.Popen[str]] = []

    def start(*words: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.phases.core.other_process", *map(str, words)]
        child = subprocess.Popen(command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started.append(child)
        return child

    yield start
    for child in started:
        child.kill()
        child.communicate()
