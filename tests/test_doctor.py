"""`doctor`: what is configured, reachable and priced, and what is missing; each with its remedy."""

from __future__ import annotations

import importlib.util
import json
import socket
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from bench.fake_model.server import FakeModel
from phases.core.errors import UsageError
from phases.doctor import Finding, examine, exit_code, findings_text
from phases.estimate import estimate_text
from phases.plan import CONFIGS, Words
from tests.conftest import Cli
from tests.faults.nights import night


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k" * 20)


def found(out: Path, url: str, *sets: str) -> dict[tuple[str, str], Finding]:
    """Findings by state and what they are about; the last of a kind."""
    words = Words((), CONFIGS / "anthropic.yaml", (f"provider.base_url={url}", *sets))
    return {(one.state, one.about): one for one in examine(words, out)}


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def test_all_is_well(tmp_path: Path) -> None:
    with FakeModel({}) as server:
        seen = found(tmp_path, server.url)
        assert server.stats()["turns"] == 0
    assert {state for state, _ in seen} == {"ok"}
    assert exit_code(list(seen.values())) == 0
    assert findings_text(list(seen.values())).endswith("a night can start")


@pytest.mark.parametrize(
    ("lifecycle", "state", "word"),
    [("deprecated", "note", "will be retired on 2027-03-01"), ("retired", "missing", "retired on 2027-03-01")],
)
def test_a_model_that_ends_is_told_of_before_it_does(tmp_path: Path, lifecycle: str, state: str, word: str) -> None:
    models: list[Any] = [
        {"id": "claude-sonnet-5-5"},
        {"id": "claude-opus-5-5", "lifecycle": lifecycle, "retires_at": date(2027, 3, 1).isoformat()},
    ]
    with FakeModel({"models": models}) as server:
        seen = found(tmp_path, server.url)
    assert word in seen[state, "model"].told
    assert "models:" in seen[state, "model"].remedy


def test_a_model_the_server_does_not_know_and_one_without_a_price(tmp_path: Path) -> None:
    with FakeModel({}) as server:
        seen = found(tmp_path, server.url, "models.research-manager=claude-x")
    assert "claude-x" in seen["missing", "model"].told
    assert "claude-x" in seen["note", "prices"].told
    assert exit_code(list(seen.values())) == 2


def test_a_wrong_key_is_missing_and_a_server_that_is_away_unreachable(tmp_path: Path) -> None:
    with FakeModel({"keys": ["other"]}) as server:
        seen = found(tmp_path, server.url)
    assert "ANTHROPIC_API_KEY" in seen["missing", "server"].remedy
    assert exit_code(list(seen.values())) == 2
    seen = found(tmp_path, f"http://127.0.0.1:{free_port()}")
    assert "provider.base_url" in seen["unreachable", "server"].remedy
    assert exit_code(list(seen.values())) == 4


def test_unreachable_comes_before_a_missing_key(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = f"provider.base_url=http://127.0.0.1:{free_port()}"
    done = cli("doctor", "--config", CONFIGS / "anthropic.yaml", "--set", refused, "--out", tmp_path)
    assert (done.code, done.out.splitlines()[-1]) == (4, "1 unreachable")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "")
    missing = examine(
        Words(
            (), CONFIGS / "anthropic.yaml", ("provider.base_url=https://gate.invalid", "provider.hosts=[gate.invalid]")
        ),
        tmp_path,
    )
    assert {"missing", "unreachable"} <= {one.state for one in missing}
    assert exit_code(missing) == 4
    assert any("ANTHROPIC_API_KEY" in one.told for one in missing)


def test_a_folder_that_cannot_hold_a_store_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with FakeModel({}) as server:
        seen = found(tmp_path / "file" / "runs", server.url)
    assert str(tmp_path / "file") in seen["missing", "store"].told


def test_what_is_told_at_the_end_of_a_night_is_looked_at_before(tmp_path: Path) -> None:
    sets = (
        "notify.webhook=$NOPE_XYZ",
        "notify.command=[nope-xyz, --now]",
        f"operation.metrics_dir={tmp_path / 'none'}",
        "provider=offline",
    )
    told = [one for one in examine(Words(sets=sets), tmp_path) if one.about == "at the end"]
    assert [(one.state, one.told.partition(":")[0]) for one in told] == [
        ("missing", "notify.webhook"),
        ("missing", "notify.command"),
        ("missing", "operation.metrics_dir"),
    ]
    assert exit_code(told) == 2
    sets = ("notify.webhook=https://hooks.example.com/x", "notify.command=[true]", f"operation.metrics_dir={tmp_path}")
    assert not [one for one in examine(Words(sets=sets), tmp_path) if one.about == "at the end"]


def test_a_path_that_cannot_be_made_is_missing_and_a_named_store_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeModel({}) as server:
        assert "/proc" in found(Path("/proc/nope"), server.url)["missing", "store"].told
        monkeypatch.setenv("REBUTTAL_STORE", "nonsense")
        assert "REBUTTAL_STORE" in found(tmp_path, server.url)["missing", "store"].remedy


def test_an_estimate_needs_no_key_and_its_low_figures_are_low(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    for config in (None, CONFIGS / "anthropic.yaml"):
        told = json.loads(estimate_text(Words(("AAPL",), config, as_of="2012-06-29", debate="none"), as_json=True))
        assert told["output_low"] <= told["output_high"] and told["low"] <= told["high"] and told["calls"] == 3


def test_a_resumed_run_is_estimated_as_it_was_planned(tmp_path: Path) -> None:
    with FakeModel({}) as server:
        assert night(server.url, tmp_path, "debate.rounds=3", tickers=("AAPL",)).exit == 0
        told = estimate_text(Words(), out=tmp_path, resume="last")
        with pytest.raises(UsageError, match=r"settings\.debate\.rounds"):
            estimate_text(Words(sets=("debate.rounds=2",)), out=tmp_path, resume="last")
    assert "3 calls for 1 ticker," in told and "in its journal" in told


def test_a_model_that_nobody_knows_is_named_with_its_place_by_a_count_too() -> None:
    with FakeModel({}) as server:
        sets = (f"provider.base_url={server.url}", "models.default=claude-x")
        words = Words(("AAPL",), CONFIGS / "anthropic.yaml", sets, "2012-06-29", "none")
        with pytest.raises(UsageError, match=r"'claude-x'.*in --set models\.default"):
            estimate_text(words, count=True)


def test_the_server_counts_the_tokens_of_an_estimate() -> None:
    with FakeModel({}) as server:
        words = Words(("AAPL",), CONFIGS / "anthropic.yaml", (f"provider.base_url={server.url}",), "2012-06-29")
        counted, local = estimate_text(words, count=True), estimate_text(words)
        assert server.stats()["turns"] == 0
    assert "counted by the server" in counted
    assert "counted locally" in local
    with pytest.raises(UsageError, match="no server that counts"):
        estimate_text(Words(("AAPL",), as_of="2012-06-29"), count=True)


def test_a_night_that_costs_money_and_has_no_ceiling_cannot_start(tmp_path: Path) -> None:
    elsewhere = ("provider.base_url=https://gate.invalid", "provider.hosts=[gate.invalid]", "operation.max_cost=")
    words = Words((), CONFIGS / "anthropic.yaml", elsewhere)
    (ceiling,) = (one for one in examine(words, tmp_path) if one.about == "ceiling")
    assert ceiling.state == "missing" and "--max-cost" in ceiling.told


@pytest.mark.parametrize("name", ["none", "empty"])
def test_a_folder_of_macro_series_that_has_none_is_missing_and_no_fault_of_the_network(
    name: str, cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    sets = ("--set", "source.order.macro=[fred]", "--set", f"source.fred.path={tmp_path / name}")
    done = cli("doctor", *sets, "--out", tmp_path / "out")
    assert done.code == 2 and "source.fred.path: " in done.out and "network" not in done.out
    done = cli("run", "AAPL", *sets, "--out", tmp_path / "out")
    assert done.code == 2 and "source.fred.path: " in done.err and "no run began" not in done.err


def test_a_library_that_is_not_installed_is_named_with_that_remedy_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found_before = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "yfinance" else found_before(name))
    (one,) = (one for one in examine(Words(sets=("source=yahoo",)), tmp_path) if one.about == "source yahoo")
    assert (one.state, one.remedy) == ("missing", "") and "pip install" in one.told
