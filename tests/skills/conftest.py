"""Every skill that a phase asks, one after another, with its binding."""

from __future__ import annotations

import pytest

from phases.core.skills import Skill
from tests.skills.asked import SKILLS
from tests.skills.bindings import BINDINGS, Binding


@pytest.fixture(name="skill", params=sorted(SKILLS))
def _skill(request: pytest.FixtureRequest) -> Skill:
    return SKILLS[request.param]


@pytest.fixture(name="binding")
def _binding(skill: Skill) -> Binding:
    assert skill.name in BINDINGS, f"add {skill.name} to BINDINGS in tests/skills/bindings.py"
    return BINDINGS[skill.name]
