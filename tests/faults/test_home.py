"""F088: no folder of the user's is needed, so none can be missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.fake_model.server import FakeModel
from tests.conftest import DAY, ROOT, Shelf
from tests.phases.core.scripted import NIGHTLY

FOLDERS = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")


@pytest.mark.parametrize("state", ["not writable", "unset"] if NIGHTLY else ["not writable"])
def test_F088_a_night_needs_neither_home_nor_cache(tmp_path: Path, state: str) -> None:
    """A night with a model writes the store and the run's folder, and nothing anywhere else."""
    file, here = tmp_path / "file", tmp_path / "here"
    file.touch()
    here.mkdir()
    env = {name: value for name, value in os.environ.items() if name not in FOLDERS}
    env |= {name: str(file / "below") for name in FOLDERS if state == "not writable"}
    with FakeModel({}) as server:
        words = ["run", "IBM", "--as-of", DAY, "--config", str(ROOT / "configs/anthropic.yaml"), "--out", "out"]
        command = [sys.executable, str(ROOT / "run_pipeline.py"), *words, "--set", f"provider.base_url={server.url}"]
        done = subprocess.run(command, cwd=here, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("error")) == (0, 0), done.stderr
    assert [row["status"] for row in Shelf(here / "out").rows().values()] == ["debated"]
    assert {one.name for one in tmp_path.iterdir()} == {"file", "here"} and [one.name for one in here.iterdir()] == [
        "out"
    ]
