"""The skill pack: its two manifests, its guide, and the page that tells agents how to use it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from phases.core.bundle import VERSION
from phases.core.skills import load_skills
from phases.lint import BINDINGS, UNASKED
from run_pipeline import app
from schemas import CONTRACTS
from tests.conftest import ROOT

PACK = ROOT / ".claude-plugin"
SKILLS = load_skills(ROOT / "skills")
COMMANDS = {command.callback.__name__ for command in app.registered_commands if command.callback}


def _manifest(name: str) -> Any:
    return json.loads((PACK / name).read_text(encoding="utf-8"))


def test_the_plugin_is_the_program_of_this_version() -> None:
    plugin = _manifest("plugin.json")
    assert list(plugin) == ["name", "version", "description", "author", "license", "keywords"]
    assert (plugin["name"], plugin["version"], plugin["license"]) == ("rebuttal", VERSION, "MIT")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'name = "{plugin["name"]}"' in project
    assert f"keywords = {json.dumps(plugin['keywords'])}" in project
    assert plugin["author"]["name"] in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_the_marketplace_offers_the_plugin_of_this_folder() -> None:
    market, plugin = _manifest("marketplace.json"), _manifest("plugin.json")
    assert re.fullmatch(r"[a-z][a-z0-9-]*", market["name"])
    assert market["owner"] == plugin["author"]
    (offered,) = market["plugins"]
    assert (offered["name"], offered["source"]) == (plugin["name"], "./")
    assert market["description"] and offered["description"]
    assert (ROOT / offered["source"] / "skills" / "run-debate" / "SKILL.md").is_file()


AUTHOR = {"name", "email", "url"}
PLUGIN = {"name", "version", "description", "author", "homepage", "repository", "license", "keywords"}
MARKET = {"name", "owner", "plugins", "description", "version", "metadata"}
ENTRY = {"name", "source", "description", "version", "author", "category", "tags", "keywords", "license", "strict"}


def test_the_manifests_hold_documented_fields_and_no_other() -> None:
    """Fields that the format's pages list; an unknown one fails the plugin's own validation."""
    plugin, market = _manifest("plugin.json"), _manifest("marketplace.json")
    assert {"name"} <= set(plugin) <= PLUGIN
    assert {"name", "owner", "plugins"} <= set(market) <= MARKET
    for author in (plugin["author"], market["owner"]):
        assert {"name"} <= set(author) <= AUTHOR
    for entry in market["plugins"]:
        assert {"name", "source"} <= set(entry) <= ENTRY and entry["source"].startswith("./")
    for name in (plugin["name"], market["name"], *(entry["name"] for entry in market["plugins"])):
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+", plugin["version"])


def test_every_skill_is_asked_by_a_phase_or_says_that_none_does() -> None:
    unasked = {name for name, skill in SKILLS.items() if skill.metadata["phase"] == UNASKED}
    assert unasked == set(SKILLS) - set(BINDINGS) == {"run-debate"}


@pytest.mark.parametrize("file", ["skills/run-debate/SKILL.md", "docs/agents.md"])
def test_the_commands_that_agents_are_told_exist(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    told = re.findall(r"python run_pipeline\.py ([a-z]+)(?: ([A-Za-z-]+))?", text)
    assert {command for command, _ in told} <= COMMANDS
    assert {word for command, word in told if command == "validate"} <= set(CONTRACTS)
    assert {word for command, word in told if command == "skill"} <= set(BINDINGS)
    assert {"run", "show", "skill", "validate"} <= {command for command, _ in told}
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (ROOT / file).parent.joinpath(target).exists(), target


def test_the_guide_names_every_field_that_an_agent_must_set() -> None:
    text = SKILLS["run-debate"].body
    for field in ("round_number", "prior_rounds", "last_probability", "cited_before", "open_points"):
        assert field in BINDINGS["research-debate"][0].model_fields and f"`{field}`" in text
    for field, about in BINDINGS["research-manager"][0].model_fields.items():
        assert f"`{field}`" in text or not about.is_required(), field
