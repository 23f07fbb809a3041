"""Lint: skills, configs and protocols against the contracts. Reads files; one line a finding.

A finding names the file, what is wrong, and what is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from phases.analyst_payload import AXES
from phases.core.config import load_yaml, overlay, read_record
from phases.core.errors import UsageError
from phases.core.scanner import Malformed, strict_json
from phases.core.skills import FRONT_KEYS, PLACEHOLDER, Skill, load_skills
from phases.core.text import nearest
from phases.debate.protocol import read_protocol
from phases.debate.seats import KINDS, seated
from phases.maths.exact import exact
from phases.plan import ALWAYS_USED, CONFIGS, SKILLS
from phases.watchlist import watchlist
from schemas import CONTRACTS
from schemas.analyst import AxisInputs, AxisView
from schemas.base import Model
from schemas.bias import BiasInputs, BiasWording
from schemas.generate import json_schema
from schemas.manager import ManagerInputs, ManagerReply
from schemas.settings import Settings
from schemas.validation import problems

SEATS = {
    "research-debate": "DebateRoundContribution",
    "persona-cautious": "PersonaAnswer",
    "persona-creative": "PersonaAnswer",
    "persona-literal": "PersonaAnswer",
    "debate-critic": "CriticReport",
    "debate-moderator": "ModeratorRuling",
    "debate-judge": "PanelAnswer",
    "forecast-supervisor": "SupervisorView",
}
"""Skills that a protocol may seat, and the contract each answers."""

BINDINGS: dict[str, tuple[type[Model], type[Model]]] = {
    "macro-bias": (BiasInputs, BiasWording),
    **{name: (KINDS[contract].reads, KINDS[contract].returns) for name, contract in SEATS.items()},
    "research-manager": (ManagerInputs, ManagerReply),
    **{reads.skill: (AxisInputs, AxisView) for reads in AXES.values()},
}
"""What the phases send each skill and expect back."""

UNASKED = "none"
"""What `metadata.phase` of a skill says that is for agents to follow and that no phase asks."""

INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
_NUMBER = re.compile(r"([0-9]+) characters")
_EXAMPLE = re.compile(r"```json\n(.*?)\n```", re.DOTALL)


def findings(skills_folder: Path = SKILLS, configs: Path = CONFIGS) -> list[str]:
    """Everything that is wrong with the shipped skills, configs and protocols."""
    found = _refusals(lambda: _unasked(skills_folder))
    skills = {} if found else load_skills(skills_folder)
    found += [f"skills/{name}/SKILL.md: {wrong}" for name, skill in skills.items() for wrong in skill_findings(skill)]
    for path in sorted((configs / "protocols").glob("*.yaml")):
        found += _refusals(partial(_protocol, path, skills)) if skills else []
    default = configs / "default.yaml"
    wrong = _refusals(partial(_config, default, configs, skills)) if skills else []
    overlays = [path for path in sorted(configs.glob("*.yaml")) if path != default] if skills and not wrong else []
    found += wrong
    for path in overlays:
        found += _refusals(partial(_config, path, configs, skills))
    return found


def _unasked(folder: Path) -> None:
    """Refuse a folder without the skills that every night asks."""
    absent = [name for name in ALWAYS_USED if name not in load_skills(folder)]
    if absent:
        raise UsageError(f"skills/{absent[0]}/SKILL.md: is not there, and every night asks it")


def _refusals(attempt: Callable[[], None]) -> list[str]:
    try:
        attempt()
    except UsageError as error:
        return [str(error)]
    return []


def _protocol(path: Path, skills: dict[str, Skill]) -> None:
    protocol = read_protocol(path.read_text(encoding="utf-8"), str(path))
    if protocol.protocol != path.stem:
        raise UsageError(f"{path}: protocol: {protocol.protocol!r} differs from the file's name {path.stem!r}")
    seated(protocol, skills, str(path))


def _config(path: Path, configs: Path, skills: dict[str, Skill]) -> None:
    default = load_yaml(configs / "default.yaml")
    settings = read_record(Settings, overlay(default, load_yaml(path)), str(path))
    watchlist((), settings, configs)
    absent = sorted({AXES[axis].skill for axis, weight in settings.analyst.axes.items() if exact(weight)} - set(skills))
    if absent:
        raise UsageError(f"{path}: analyst.axes: there is no skill {', '.join(absent)}")


def skill_findings(skill: Skill) -> Iterator[str]:
    """What is wrong with one skill, each with its line where it has one."""
    try:
        front = skill.front
    except UsageError as error:
        yield str(error)
        return
    unknown = [key for key in front if key not in FRONT_KEYS]
    yield from (f"{_at(skill, key)}unknown key {key}{nearest(key, FRONT_KEYS)}" for key in unknown)
    if front.get("name") != skill.name:
        yield f"name {front.get('name')!r} differs from the folder {skill.name!r}"
    yield from _binding(skill)
    for line, text in enumerate(skill.text.splitlines(), 1):
        if PLACEHOLDER.search(text):
            yield f"line {line}: an unfilled placeholder"
        if INVISIBLE.search(text):
            yield f"line {line}: an invisible character"


def _binding(skill: Skill) -> Iterator[str]:
    if skill.name not in BINDINGS:
        yield from _guide(skill)
        return
    inputs, returns = BINDINGS[skill.name]
    if skill.metadata.get("phase") == UNASKED:
        yield f"metadata.phase is {UNASKED}, and a phase asks for it; name that phase"
    if CONTRACTS.get(skill.produces) is not returns:
        yield f"{_at(skill, 'produces')}metadata.produces is {skill.produces!r}; its phase expects {returns.__name__}"
    if skill.inputs != tuple(inputs.model_fields):
        sent = ", ".join(inputs.model_fields)
        yield f"{_at(skill, 'inputs')}metadata.inputs is {', '.join(skill.inputs)}; its phase sends {sent}"
    allowed = set(_lengths(json_schema(returns)))
    for number in _NUMBER.findall(skill.body):
        if int(number) not in allowed:
            limits = ", ".join(map(str, sorted(allowed)))
            yield f"says {number} characters; the limits of {returns.__name__} are {limits}"
    yield from _examples(skill, returns)


def _at(skill: Skill, key: str) -> str:
    """`line N: ` of a key of the front matter; nothing where it is not there."""
    lines = enumerate(skill.text.splitlines(), 1)
    return next((f"line {line}: " for line, text in lines if text.lstrip().startswith(f"{key}:")), "")


def _guide(skill: Skill) -> Iterator[str]:
    """A skill that no phase asks says so, and promises no phase anything."""
    if skill.metadata.get("phase") != UNASKED:
        hint = nearest(skill.name, BINDINGS)
        yield f"no phase asks for it{hint}; a skill for agents alone says metadata.phase: {UNASKED}"
    for key in ("produces", "inputs"):
        if skill.metadata.get("phase") == UNASKED and key in skill.metadata:
            yield f"metadata.{key}: no phase asks for it, so it has none"


def _lengths(schema: object) -> Iterator[int]:
    if isinstance(schema, dict):
        if isinstance(schema.get("maxLength"), int):
            yield schema["maxLength"]
        for part in schema.values():
            yield from _lengths(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _lengths(part)


def _examples(skill: Skill, returns: type[Model]) -> Iterator[str]:
    examples = _EXAMPLE.findall(skill.body)
    if not examples:
        yield "has no json example of its answer"
    for example in examples:
        try:
            wrong = problems(returns, strict_json(example))
        except Malformed as error:
            yield f"its example is {error}"
            continue
        yield from (f"its example: {problem}" for problem in wrong)
