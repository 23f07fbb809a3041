"""Lint: skills, configs and protocols against the contracts. Reads files; one line a finding.

A finding names the file, the line, the field, what stands there, and what is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from phases.analyst_payload import AXES
from phases.core.config import line_of, load_yaml, named, overlay, read_record
from phases.core.errors import UsageError
from phases.core.scanner import Malformed, strict_json
from phases.core.skills import FRONT_KEYS, PLACEHOLDER, UNASKED, Skill, load_skills
from phases.core.text import nearest
from phases.debate.protocol import Protocol, protocol_file, read_protocol
from phases.debate.seats import KINDS, seated
from phases.maths.exact import exact
from phases.maths.lean import LEANS, NEUTRAL
from phases.maths.sessions import known_calendars
from phases.news import READER
from phases.plan import ALWAYS_USED, CONFIGS, SKILLS, check_tables, price_table
from phases.providers import PROVIDERS
from phases.risk import SEATS as RISK_SEATS
from phases.sources import source_names
from phases.watchlist import watchlist
from schemas import CONTRACTS
from schemas.analyst import AxisInputs, AxisView
from schemas.base import Model
from schemas.bias import BiasInputs, BiasWording
from schemas.generate import json_schema
from schemas.manager import ManagerInputs, ManagerReply
from schemas.news import NewsInputs, NewsReading
from schemas.risk import RiskInputs, RiskView
from schemas.settings import Settings
from schemas.validation import problems

T = TypeVar("T")

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
    READER: (NewsInputs, NewsReading),
    **{name: (KINDS[contract].reads, KINDS[contract].returns) for name, contract in SEATS.items()},
    "research-manager": (ManagerInputs, ManagerReply),
    **{reads.skill: (AxisInputs, AxisView) for reads in AXES.values()},
    **dict.fromkeys(RISK_SEATS, (RiskInputs, RiskView)),
}
"""What the phases send each skill and expect back."""

PHASES: dict[type[Model], str] = {
    NewsInputs: "news",
    BiasInputs: "macro_bias",
    AxisInputs: "analyst_payload",
    ManagerInputs: "research_manager",
    RiskInputs: "risk",
}
"""Which phase sends what; all other inputs are those of seats."""

INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
_NUMBER = re.compile(r"([0-9]+) characters")
_VALIDATES = re.compile(r"run_pipeline\.py validate (\S+) -")
_PLACED = re.compile(r"(.+?\.yaml): (?:unknown key )?([a-z_]+(?:\.[^\s:;]+)*)[:; ]")
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
    return [_placed(one) for one in dict.fromkeys(found)]


def _placed(finding: str) -> str:
    """A finding in a YAML file with its line, where it names a key and has no line yet."""
    place = _PLACED.match(finding)
    path = Path(place[1]) if place else None
    line = line_of(path.read_text(encoding="utf-8"), place[2]) if place and path and path.is_file() else None
    return finding if line is None or place is None else f"{place[1]}: line {line}: {finding[len(place[1]) + 2 :]}"


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
    known = {*LEANS, *NEUTRAL}
    protocol = _within(path, lambda: _settled(path, settings, configs))
    check_tables(settings, protocol, str(path))
    for key in settings.debate.bands:
        if key.partition(".")[0] in ("px", "macro") and not key.endswith("*") and key not in known:
            raise UsageError(f"{path}: debate.bands.{key}: no evidence item has this id{nearest(key, known)}")
    watchlist((), settings, configs)
    absent = sorted({AXES[axis].skill for axis, weight in settings.analyst.axes.items() if exact(weight)} - set(skills))
    if absent:
        raise UsageError(f"{path}: analyst.axes: there is no skill {', '.join(absent)}")


def _settled(path: Path, settings: Settings, configs: Path) -> Protocol:
    """The protocol of a configuration. Raises UsageError for a name in it that nothing has."""
    named(PROVIDERS, "provider.name", settings.provider.name)
    source_names(settings.source)
    calendar = settings.question.calendar
    if calendar not in known_calendars():
        hint = nearest(calendar, known_calendars())
        raise UsageError(f"question.calendar: {calendar!r} is unknown{hint}; name it by its code, such as XNYS")
    price_table(settings, path.parent)
    further = Path(settings.debate.protocols) if settings.debate.protocols else None
    file = protocol_file(settings.debate.protocol, configs / "protocols", further)
    return read_protocol(file.read_text(encoding="utf-8"), str(file))


def _within(path: Path, attempt: Callable[[], T]) -> T:
    """The result; a refusal that names no file is one of this file."""
    try:
        return attempt()
    except UsageError as error:
        raise UsageError(str(error) if ".yaml: " in str(error) else f"{path}: {error}") from None


def skill_findings(skill: Skill) -> Iterator[str]:
    """What is wrong with one skill, each with its line where it has one."""
    try:
        front = skill.front
    except UsageError as error:
        yield str(error).removeprefix(f"skills/{skill.name}/SKILL.md: ")
        return
    unknown = [key for key in front if key not in FRONT_KEYS]
    yield from (f"{_at(skill, key)}unknown key {key}{nearest(key, FRONT_KEYS)}" for key in unknown)
    if front.get("name") != skill.name:
        yield f"{_at(skill, 'name')}name {front.get('name')!r} differs from the folder {skill.name!r}"
    if not front.get("description"):
        yield f"{_at(skill, 'description')}description is missing; say what the skill does and when to use it"
    yield from _binding(skill)
    for line, text in enumerate(skill.text.splitlines(), 1):
        if found := PLACEHOLDER.search(text):
            yield f"line {line}: an unfilled placeholder {found.group()}; nothing fills it, so write it out"
        if found := INVISIBLE.search(text):
            yield f"line {line}: an invisible character U+{ord(found.group()):04X}; take it out"


def _binding(skill: Skill) -> Iterator[str]:
    if skill.name not in BINDINGS:
        yield from _guide(skill)
        return
    inputs, returns = BINDINGS[skill.name]
    phase = PHASES.get(inputs, "research_debate")
    if skill.metadata.get("phase") != phase:
        yield f"{_at(skill, 'phase')}metadata.phase is {skill.metadata.get('phase', '')!r}; {phase} asks for it"
    if CONTRACTS.get(skill.produces) is not returns:
        yield f"{_at(skill, 'produces')}metadata.produces is {skill.produces!r}; its phase expects {returns.__name__}"
    sent = tuple(inputs.model_fields)
    if skill.inputs != sent:
        told = "; ".join(_unlike(skill.inputs, sent)) or "is in another order"
        yield f"{_at(skill, 'inputs')}metadata.inputs {told}; its phase sends {', '.join(sent)}"
    yield from _prose(skill, returns)
    yield from _examples(skill, returns)


def _unlike(said: Sequence[str], sent: Sequence[str]) -> Iterator[str]:
    yield from (f"has {one}, which is not sent{nearest(one, sent)}" for one in said if one not in sent)
    yield from (f"lacks {one}" for one in sent if one not in said)


def _prose(skill: Skill, returns: type[Model]) -> Iterator[str]:
    """What the prose says of limits, and the command that it names."""
    allowed = sorted(set(_lengths(json_schema(returns))))
    for line, text in enumerate(skill.text.splitlines(), 1):
        for number in _NUMBER.findall(text):
            if int(number) not in allowed:
                limits = ", ".join(map(str, allowed))
                yield f"line {line}: says {number} characters; the limits of {returns.__name__} are {limits}"
        for name in _VALIDATES.findall(text):
            if name != returns.__name__:
                yield f"line {line}: validates {name}; its answer is a {returns.__name__}"
    if not _VALIDATES.search(skill.body):
        last = len(skill.text.splitlines())
        yield f"line {last}: end with `python run_pipeline.py validate {returns.__name__} -`, for a person in an agent"


def _at(skill: Skill, key: str) -> str:
    """`line N: ` of a key of the front matter; where it is not there, of its beginning."""
    lines = enumerate(skill.text.splitlines(), 1)
    return f"line {next((line for line, text in lines if text.lstrip().startswith(f'{key}:')), 1)}: "


def _guide(skill: Skill) -> Iterator[str]:
    """A skill that no phase asks says so, and promises no phase anything."""
    if skill.metadata.get("phase") != UNASKED:
        hint = nearest(skill.name, BINDINGS)
        yield (
            f"{_at(skill, 'phase')}no phase asks for it{hint}; a skill for agents alone says metadata.phase: {UNASKED}"
        )
    for key in ("produces", "inputs"):
        if skill.metadata.get("phase") == UNASKED and key in skill.metadata:
            yield f"{_at(skill, key)}metadata.{key}: no phase asks for it, so it has none"


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
    examples = list(_EXAMPLE.finditer(skill.text))
    if not examples:
        last = len(skill.text.splitlines())
        yield f"line {last}: has no json example of its answer; show a {returns.__name__} in a block of ```json"
    for example in examples:
        text, above = example[1], skill.text.count("\n", 0, example.start(1))
        try:
            wrong = problems(returns, strict_json(text))
        except Malformed as error:
            yield f"line {above + 1}: its example is {error}"
            continue
        for one in wrong:
            line = line_of(text, one.pointer.strip("/").replace("/", ".")) or 1
            yield f"line {above + line}: its example: {one}"
