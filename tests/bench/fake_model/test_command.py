"""The fake model as a command: its port, its end, and a scenario that is wrong."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.bench.fake_model.turns import ROOT, SCENARIOS


def started(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "bench.fake_model", "--port", "0", *words]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ask_ready(port: int) -> Mapping[str, Any]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/ready", timeout=10) as answer:
        found: Mapping[str, Any] = json.load(answer)
    return found


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_command_says_its_port_and_stops_on_a_signal(number: signal.Signals) -> None:
    with started("--scenario", str(SCENARIOS / "clean.yaml"), "--seconds", "60") as process:
        port = json.loads(process.stdout.readline())["port"]
        assert ask_ready(port) == {"ready": True}
        process.send_signal(number)
        out, err = process.communicate(timeout=10)
        assert (process.returncode, out, err) == (0, "", "")


def test_the_command_stops_by_itself_and_refuses_a_wrong_scenario(tmp_path: Path) -> None:
    with started("--seconds", "0.1") as process:
        assert process.wait(timeout=90) == 0
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("sed: 1\n", encoding="utf-8")
    with started("--scenario", str(wrong)) as process:
        _, err = process.communicate(timeout=90)
        assert process.returncode == 1 and "unknown key sed; did you mean seed?" in err
