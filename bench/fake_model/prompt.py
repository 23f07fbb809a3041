"""From the text of a request back to the typed inputs of a turn, and the offline desk's answer to them. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple, get_args, get_origin

from pydantic import ValidationError

from phases.core.skills import load_skills
from phases.core.text import digest
from phases.lint import BINDINGS
from phases.providers.offline import SKILLS
from schemas.base import Inputs, Model

UNKNOWN = "I cannot tell which skill this is."

_PART = re.compile(r"^\[([a-z_]+) ([0-9a-f]{12})\]\n(.*?)\n\[end \2\]$", re.DOTALL | re.MULTILINE)
_TURN = re.compile(r"^Your turn: (\{.*\})$", re.MULTILINE)
_REPLY = "your_reply"


class Turn(NamedTuple):
    """One turn as its prompt shows it."""

    skill: str
    inputs: Mapping[str, Any]
    """Fields of the inputs that the prompt shows, as JSON values."""
    repair: bool

    @property
    def ticker(self) -> str:
        """Ticker, or nothing."""
        return str(self.inputs.get("ticker", ""))

    @property
    def seat(self) -> str:
        """Seat, else role, else nothing."""
        return str(self.inputs.get("seat") or self.inputs.get("role") or "")

    @property
    def round(self) -> int | None:
        """Round, if the turn has one."""
        found = self.inputs.get("round_number")
        return found if isinstance(found, int) else None


class Reader:
    """Knows the skills of a folder by their bodies, and one whose prose was changed by its heading."""

    def __init__(self, folder: Path) -> None:
        """Reads the skills."""
        skills = load_skills(folder)
        self._names = {skill.body: name for name, skill in skills.items()}
        self._headings = {_heading(skill.body): name for name, skill in skills.items()}

    def turn(self, body: Mapping[str, Any]) -> Turn | None:
        """The turn of a request, or nothing if its system text is no skill's."""
        system = texts(body.get("system") or "")
        name = self._skill(system)
        if name is None:
            return None
        said = [text for one in body.get("messages", ()) if one.get("role") == "user" for text in texts(one["content"])]
        reads = BINDINGS[name][0] if name in BINDINGS else None
        growing = reads.GROWING if reads is not None and issubclass(reads, Inputs) else ()
        inputs, repair = _inputs("\n\n".join((*system, *said)), growing)
        return Turn(name, inputs, repair)

    def _skill(self, system: list[str]) -> str | None:
        candidates = (*system, "".join(system), "\n\n".join(system))
        known = next((self._names[one.strip()] for one in candidates if one.strip() in self._names), None)
        return known or next((self._headings[head] for head in map(_heading, system) if head in self._headings), None)


def _heading(body: str) -> str:
    """First line of a skill's prose; nothing where that is no heading."""
    first = body.strip().partition("\n")[0]
    return first if first.startswith("# ") else ""


def texts(content: Any) -> list[str]:
    """Texts of a message's or system's content, which is one text or a list of blocks."""
    if isinstance(content, str):
        return [content]
    return [str(block["text"]) for block in content if block.get("type") == "text"]


def _inputs(text: str, growing: Sequence[str]) -> tuple[dict[str, Any], bool]:
    """Fields between marks and in the line of words; whether a reply is quoted."""
    words = _TURN.search(_PART.sub("", text))
    found: dict[str, Any] = {}
    for name, inner in _parts(text):
        if name in growing:
            found.setdefault(name, []).append(json.loads(inner))
        elif name != _REPLY:
            found[name] = json.loads(inner)
    return {**found, **(json.loads(words.group(1)) if words else {})}, any(name == _REPLY for name, _ in _parts(text))


def _parts(text: str) -> Iterator[tuple[str, str]]:
    for name, mark, inner in _PART.findall(text):
        if digest(inner).startswith(mark):
            yield name, inner


def answer(turn: Turn | None) -> dict[str, Any] | str:
    """The desk's answer to a turn; words where there is none."""
    if turn is None:
        return UNKNOWN
    reads, _ = BINDINGS[turn.skill]
    try:
        inputs = reads.model_validate_json(json.dumps(_whole(reads, turn.inputs)))
    except ValidationError as error:
        return f"I cannot read the inputs of {turn.skill}: {error.errors(include_url=False)[0]['msg']}"
    return SKILLS[turn.skill](inputs)


def _whole(annotation: Any, value: Any) -> Any:
    """A value with the absent fields of its records that have to be given and may be null."""
    if isinstance(annotation, type) and issubclass(annotation, Model) and isinstance(value, Mapping):
        return _whole_record(annotation, value)
    inner = [one for one in get_args(annotation) if one not in (NoneType, Ellipsis)]
    if isinstance(value, list) and get_origin(annotation) is tuple:
        return [_whole(inner[0], one) for one in value]
    if isinstance(value, dict) and get_origin(annotation) is dict:
        return {key: _whole(inner[1], one) for key, one in value.items()}
    for option in inner if isinstance(value, dict | list) else ():
        value = _whole(option, value)
    return value


def _whole_record(model: type[Model], value: Mapping[str, Any]) -> dict[str, Any]:
    fields = model.model_fields
    absent = {name: None for name, one in fields.items() if one.is_required() and NoneType in get_args(one.annotation)}
    shown = {name: _whole(fields[name].annotation, one) for name, one in value.items() if name in fields}
    return {**absent, **value, **shown}
