"""Scenarios of the fake model: rules that choose by turn, chance, and files that are closed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import anthropic
import pytest

from bench.fake_model.scenario import scenario
from bench.fake_model.server import FakeModel
from phases.core.errors import UsageError
from phases.core.provider import Request
from tests.bench.fake_model.turns import HELLO, SCENARIOS, body, client, desk, text_of, turn


def test_rules_choose_by_what_the_turn_is_and_count() -> None:
    told = {
        "script": [
            {"when": {"skill": "research-debate", "seat": "bear", "round": 1}, "do": {"text": "bear"}},
            {"when": {"skill": "research-debate", "attempt": 1}, "do": {"status": 529}},
            {"when": {"skill": "research-manager", "nth": 2}, "do": {"text": "second"}},
            {"when": {"ticker": "ACME", "skill": "debate-judge", "every": 2}, "do": {"text": "even"}},
            {"when": {"skill": "debate-critic", "first": 1}, "do": {"text": "first"}},
            {"when": {"ticker": "OTHER"}, "do": "refuse"},
        ]
    }
    with FakeModel(told) as server, client(server, max_retries=1) as sdk:

        def says(request: Request) -> str:
            return text_of(sdk.messages.create(**body(request)))

        assert says(turn(seat="bear")) == "bear"
        assert says(turn(seat="bull")) == desk(turn(seat="bull")).text  # after one retry
        for skill, wanted in (("research-manager", 2), ("debate-judge", 2), ("debate-critic", 1)):
            said = [says(turn(skill)) for _ in range(3)]
            assert [at for at, one in enumerate(said, 1) if one != desk(turn(skill)).text] == [wanted]
        assert server.stats()["injected"] == {"status": 1, "text": 4}


def test_chance_is_the_same_in_any_order() -> None:
    told = {"seed": 7, "fault_share": 0.3, "faults": [{"status": 500}, {"status": 529}]}

    def outcome(sdk: anthropic.Anthropic, at: int) -> int:
        try:
            sdk.messages.create(**{**HELLO, "messages": [{"role": "user", "content": f"Hello {at}"}]})
        except anthropic.InternalServerError as error:
            return error.status_code
        return 200

    found = []
    for order in (range(60), reversed(range(60))):
        with FakeModel(told) as server, client(server) as sdk:
            found.append({at: outcome(sdk, at) for at in order})
            assert server.stats()["by_status"] == {str(k): n for k, n in sorted(Counter(found[-1].values()).items())}
    assert found[0] == found[1]
    assert {200, 500, 529} == set(found[0].values())


def test_a_scenario_is_closed() -> None:
    for wrong in (
        {"sed": 1},
        {"script": [{"do": {}}]},
        {"script": [{"do": {"hang": True, "html": True}}]},
        {"script": [{"do": {"hang": True, "retry_after": "1"}}]},
        {"script": [{"when": {"who": "x"}, "do": "hang"}]},
        {"script": [{"do": "unheard_of"}]},
        {"fault_share": 0.5},
    ):
        with pytest.raises(UsageError):
            scenario(wrong)


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_scenarios_are_read_and_say_what_they_are(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("# ")
    scenario(path)


def test_a_patch_in_a_file_keeps_its_types(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text("script:\n  - {do: {mutate: {round_number: 9, argument: null, role: NO}}}\n", encoding="utf-8")
    assert scenario(path).script[0].do.mutate == {"round_number": 9, "argument": None, "role": "NO"}
