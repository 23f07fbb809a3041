"""A turn alone is booked, and held under the ceiling."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.fake_model.server import FakeModel
from tests.conftest import ROOT, Shelf
from tests.skill_command.turns import BULL, MANAGER, Say


def test_F150_a_lone_turn_is_booked_and_held_under_the_ceiling(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k" * 20)
    out, config = tmp_path / "out", ("--config", ROOT / "configs" / "anthropic.yaml")
    with FakeModel({}) as server:
        words = ("--out", out, *config, "--set", f"provider.base_url={server.url}", "--set")
        assert say("skill", "research-debate", "--inputs", BULL, *words, "operation.max_cost=1").code == 0
        refused = say("skill", "research-manager", "--inputs", MANAGER, *words, "operation.max_cost=0.01")
        wrong = say("skill", "research-manager", "--inputs", MANAGER, *words, "models.nosuch=x")
        assert server.stats()["turns"] == 1
    ((run_id, state, micros),) = Shelf(out).ask("SELECT run_id, state, micros FROM spend")
    assert run_id.startswith("skill-") and state == "spent" and micros > 0
    assert refused.code == 3 and "raise --set operation.max_cost and run the same command again" in refused.error
    assert wrong.code == 2 and "nosuch" in wrong.error


def test_F150_a_paid_server_is_not_asked_without_a_ceiling(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k" * 20)
    config = ("--config", ROOT / "configs" / "anthropic.yaml")
    none = ("--set", "operation.max_cost=", "--set", "operation.max_cost_night=")
    told = say("skill", "research-debate", "--inputs", BULL, "--out", tmp_path / "out", *config, *none)
    assert told.code == 2 and "no spend ceiling" in told.error and "--set operation.max_cost=USD" in told.error
    assert not (tmp_path / "out").exists()
