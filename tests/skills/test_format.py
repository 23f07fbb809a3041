"""The files of the skills: their front matter, what they name, and how they end."""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from phases.core.skills import FRONT_KEYS, PLACEHOLDER, Skill
from phases.lint import UNASKED
from schemas import CONTRACTS
from tests.skills.asked import EVERY, GUIDES, ROOT
from tests.skills.bindings import MATERIAL_RULE, Binding


def test_folder_name_is_the_skills_name(skill: Skill) -> None:
    assert skill.front["name"] == skill.name


@pytest.mark.parametrize("name", sorted(EVERY))
def test_format_is_valid(name: str) -> None:
    script = Path(sys.executable).with_name("agentskills")
    if not script.exists():
        pytest.skip(f"{script} is not installed (skills-ref)")
    done = subprocess.run(
        [str(script), "validate", str(ROOT / "skills" / name)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_front_matter_has_only_the_keys_of_the_format(skill: Skill) -> None:
    assert set(skill.front) <= set(FRONT_KEYS)
    assert set(skill.metadata) == {"phase", "produces", "inputs"}
    assert all(isinstance(value, str) for value in skill.metadata.values())
    assert "Use when" in skill.front["description"], "a description says when to use the skill"


@pytest.mark.parametrize("name", GUIDES)
def test_a_skill_for_agents_alone_promises_no_phase_anything(name: str) -> None:
    skill = EVERY[name]
    assert skill.front["name"] == name
    assert set(skill.front) <= set(FRONT_KEYS)
    assert dict(skill.metadata) == {"phase": UNASKED}
    assert "Use when" in skill.front["description"]
    assert MATERIAL_RULE in " ".join(skill.body.split())
    assert re.search(r"`python run_pipeline\.py validate [A-Za-z]+ -`", skill.body.splitlines()[-1])
    assert not PLACEHOLDER.search(skill.text)


def test_phase_is_a_file_that_asks_for_the_skill(skill: Skill) -> None:
    phase = ROOT / "phases" / f"{skill.metadata['phase']}.py"
    assert phase.is_file()
    seated = (ROOT / "configs" / "protocols").glob("*.yaml") if phase.stem == "research_debate" else ()
    assert any(skill.name in path.read_text(encoding="utf-8") for path in (phase, *seated))


def test_produces_is_a_contract(skill: Skill) -> None:
    assert skill.produces in CONTRACTS


def test_inputs_are_what_the_phase_sends(skill: Skill, binding: Binding) -> None:
    for asked in binding.asked:
        assert skill.inputs == tuple(type(asked.inputs).model_fields)


def test_body_ends_with_the_command_that_validates(skill: Skill) -> None:
    last = skill.body.splitlines()[-1]
    assert f"`python run_pipeline.py validate {skill.produces} -`" in last


def test_no_placeholder_and_no_schema_in_prose(skill: Skill) -> None:
    assert not PLACEHOLDER.search(skill.text)
    assert "$defs" not in skill.text
    assert "additionalProperties" not in skill.text


def test_no_invisible_characters(skill: Skill) -> None:
    odd = {mark for mark in skill.text if mark not in "\n " and unicodedata.category(mark)[0] in "CZ"}
    assert not odd
