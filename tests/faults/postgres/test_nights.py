"""Whole nights on PostgreSQL: the same bytes, gone on with after a kill, shared by two processes."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bench.fake_model.server import FakeModel
from phases.core import store as stores
from phases.core.store import VARIABLE
from phases.entry import exit_code
from phases.plan import CONFIGS
from phases.show import show_ticker
from run_pipeline import app
from tests.conftest import DAY, Cli, Desk, Night, Shelf, await_engine
from tests.faults.postgres.stores import SECRETS
from tests.postgres import Server

WORDS = ("run", "AAPL", "IBM", "MSFT", "--as-of", DAY)


def test_a_night_is_the_same_bytes_and_every_command_finds_it(
    three: Night,
    cli: Cli,
    postgres: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    env, out = {VARIABLE: postgres.database()}, tmp_path / "out"

    def command(*words: str) -> str:
        assert exit_code(app, [*words, "--out", str(out)], True) == 0
        return capsys.readouterr().out

    begun = cli(*WORDS, "--out", out, "--json", env=env)
    again = cli("run", "--resume", "last", "--out", out, "--json", env=env)
    assert (begun.code, again.code) == (0, 0), begun.err + again.err
    assert (begun.json["calls"]["made"], again.json["calls"]["made"]) == (len(three.replies()), 0)
    assert Shelf(out).feed() == three.feed()
    monkeypatch.setenv(VARIABLE, env[VARIABLE])
    assert "same bytes" in command("replay", "last", "--check")
    assert command("feed", "last", "--format", "json").encode() == three.feed()["feed.json"]
    assert begun.json["run_id"] in command("runs")
    shown = command("show", "last", "IBM", "--json")
    with closing(stores.open_store(three.path, create=False)) as file:
        assert shown == f"{show_ticker(file, 'last', 'IBM', True)}\n"
    printed = begun.out + begun.err + again.out + again.err
    files = b"".join(one.read_bytes() for one in out.rglob("*") if one.is_file())
    assert not any(secret in printed or secret.encode() in files for secret in SECRETS)
    assert not list(out.glob("rebuttal.db*"))


def test_F078_a_killed_night_goes_on(
    three: Night, desk: Callable[[float], Desk], database: str, tmp_path: Path
) -> None:
    watched, env, out = desk(0.1), {VARIABLE: database}, tmp_path / "out"
    process = watched.cli.start(*WORDS, "--out", out, "--set", "operation.threads=1", env=env)
    watched.await_lines(12, process)
    process.kill()
    process.communicate()
    ended = watched.cli("run", "--resume", "last", "--out", out, "--json", env=env)
    assert ended.code == 0, ended.err
    assert Shelf(out).feed() == three.feed()
    assert ended.json["calls"]["replayed"] >= 10
    assert sum(watched.asked.values()) - len(watched.asked) <= 2, "no more than was in flight, a pair of openings"


def test_two_processes_share_a_night_and_ask_nothing_twice(cli: Cli, database: str, tmp_path: Path) -> None:
    words = ("run", "AAPL", "IBM", "--as-of", DAY, "--config", CONFIGS / "anthropic.yaml", "--json")
    with FakeModel({"latency_ms": {"mean": 500}}) as server:
        env = {VARIABLE: database, "ANTHROPIC_API_KEY": "x" * 20}
        local = ("--set", f"provider.base_url={server.url}", "--set", "operation.threads=2")
        with server.holding():
            processes = [cli.start(*words, *local, "--out", tmp_path / name, env=env) for name in ("one", "other")]
            for process in processes:
                await_engine(process)
        ends = [process.communicate(timeout=120) for process in processes]
        stats = server.stats()
    assert [process.returncode for process in processes] == [0, 0], ends
    counts = [json.loads(out)["calls"] for out, _ in ends]
    assert stats["duplicates"] == 0
    assert sum(one["made"] for one in counts) == stats["turns"]
    assert [one["made"] + one["replayed"] for one in counts] == [stats["turns"]] * 2
    assert Shelf(tmp_path / "one").feed() == Shelf(tmp_path / "other").feed()
