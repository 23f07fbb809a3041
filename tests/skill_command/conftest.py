"""The command line within the test's own process, and one ticker's night under several protocols."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from run_pipeline import main
from tests.conftest import DAY, Cli, Night, Shared, Told
from tests.skill_command.turns import PROTOCOLS, Say


@pytest.fixture(name="say")
def _say(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    """The command line within this process, started in an empty folder."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)

    def said(*words: object, stdin: str | bytes = "") -> Told:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main([str(word) for word in words])
        told = capsys.readouterr()
        return Told(int(end.value.code or 0), told.out, told.err)

    return said


@pytest.fixture
def nights(shared: Shared) -> Night:
    """One ticker's night under several protocols, in one store."""

    def build(place: Path) -> list[Told]:
        words = ("run", "AAPL", "--as-of", DAY, "--out", place / "out", "--json", "--set", "risk.enabled=true", "--set")
        return [Cli(place)(*words, f"debate.protocol={name}") for name in PROTOCOLS]

    return shared("nights", build)
