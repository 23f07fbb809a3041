"""A store for each test, and second processes that end with it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from phases.core.store import Store, open_store
from tests.phases.core.scripted import ROOT

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(name="out")
def _out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture(name="store")
def _store(out: Path) -> Iterator[Store]:
    store = open_store(out, lock_seconds=5)
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
