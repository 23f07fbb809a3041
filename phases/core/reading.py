"""Reading a reply: stop reason, size, strict JSON, synonyms, schema, echo, checks; in that order, linear in its size.

Outcome words are fixed: ACCEPT, RETRY (once, quoting the errors), QUARANTINE (the turn is void,
its raw reply kept), REFUSE (the model declined), ERROR (an engine answered outside its protocol).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from pydantic import ValidationError

from phases.core.scanner import Malformed, find_object
from phases.core.skills import echoed
from schemas.base import Model
from schemas.synonyms import without_synonyms
from schemas.validation import Problem, problems

M = TypeVar("M", bound=Model)

Outcome = Literal["ACCEPT", "RETRY", "QUARANTINE", "REFUSE", "ERROR"]
AfterRepair = Literal["void", "drop", "flag"]

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Control, zero-width, direction, filler and tag characters; not the selectors that emoji are written with."""


@dataclass(frozen=True)
class Finding:
    """What a check has to say about a reply that fits its schema."""

    message: str
    """What is wrong and what was allowed."""
    after_repair: AfterRepair
    """If it is still so after the repair turn: the turn is void, the part is dropped, or a flag is set."""
    flag: str = ""
    """Flag to set; for `drop` and `flag` the name of the check by default, for `void` none."""


@dataclass(frozen=True)
class Check(Generic[M]):
    """A rule JSON Schema cannot say: a pure function with its mending for what is left after the repair."""

    name: str
    find: Callable[[M, Model], Sequence[Finding]]
    """(reply, inputs) -> findings."""
    mend: Callable[[M, Model], M] | None = None
    """(reply, inputs) -> the reply without what does not count; needed where a finding says `drop`."""


@dataclass(frozen=True)
class Read(Generic[M]):
    """What became of one reply."""

    outcome: Outcome
    record: M | None = None
    errors: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    """Why parts of the reply do not count."""


def read(
    text: str,
    stop_reason: str,
    *,
    returns: type[M],
    require: Sequence[str] = (),
    inputs: Model,
    checks: Sequence[Check[M]] = (),
    last: bool,
) -> Read[M]:
    """Judge one reply. `last` says that there is no repair turn left."""
    again: Outcome = "QUARANTINE" if last else "RETRY"
    if stop_reason != "end_turn":
        return _unfinished(stop_reason, again)
    try:
        found = find_object(text)
    except Malformed as error:
        return Read(again, errors=(str(error),))
    found, flags = _cleaned(found)
    found, noted = _echoed_case(found, inputs)
    found, worded = _worded(returns, found)
    record = _tried(returns, found)
    wrong = problems(returns, found) if record is None else ()
    if wrong and last and all(problem.limit is not None for problem in wrong):
        found, flags = _cut(found, wrong), (*flags, "cut")
        record = _tried(returns, found)
        wrong = problems(returns, found) if record is None else ()
    errors = [str(problem) for problem in wrong]
    errors += [f"/{name} is required here" for name in require if found.get(name) is None]
    if errors:
        return Read(again, errors=tuple(errors))
    if record is None:  # the validator and the model disagree: a defect, never an opinion
        raise AssertionError(f"{returns.__name__}: the model refuses what the validator accepts")
    errors = _echo_errors(record, inputs)
    if errors:
        return Read(again, errors=tuple(errors))
    return _checked(record, inputs, checks, again, (*flags, *noted, *worded))


def _unfinished(stop_reason: str, again: Outcome) -> Read[M]:
    """What becomes of a reply that did not end by itself, whatever its text: it may look whole and not be."""
    if stop_reason == "refusal":
        return Read("REFUSE", errors=("the model refused",))
    if stop_reason in ("max_tokens", "model_context_window_exceeded"):
        return Read(again, errors=(f"the reply was cut off ({stop_reason}); keep it shorter",))
    if stop_reason == "pause_turn":
        return Read("ERROR", errors=("pause_turn: the engine paused a turn, and a turn without tools never pauses",))
    return Read("ERROR", errors=(f"unknown_stop: unknown stop reason {stop_reason!r}",))


def _tried(returns: type[M], found: Mapping[str, Any]) -> M | None:
    """The record of what fits its contract: the model says so much faster than the validator says why not."""
    try:
        return returns.model_validate_json(json.dumps(found))
    except ValidationError:
        return None


def _cleaned(found: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Remove characters no reader sees, and say so."""
    cleaned = _strip(found)
    return cleaned, () if cleaned == found else ("invisible_removed",)


def _strip(value: Any) -> Any:
    if isinstance(value, str):
        return _INVISIBLE.sub("", value)
    if isinstance(value, list):
        return [_strip(item) for item in value]
    if isinstance(value, dict):
        return {key: _strip(item) for key, item in value.items()}
    return value


def _worded(returns: type[M], found: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Take a documented synonym as the word of the contract, and say so."""
    worded: dict[str, Any] = without_synonyms(returns, found)
    return worded, () if worded == found else ("synonym",)


def _cut(found: dict[str, Any], too_long: Sequence[Problem]) -> dict[str, Any]:
    """Shorten over-long texts at a sentence end, with a visible mark."""
    whole: Any = json.loads(json.dumps(found))
    for problem in too_long:
        *path, name = [part.replace("~1", "/").replace("~0", "~") for part in problem.pointer.split("/")[1:]]
        node = whole
        for part in path:
            node = node[int(part)] if isinstance(node, list) else node[part]
        key = int(name) if isinstance(node, list) else name
        node[key] = cut_at_sentence(node[key], problem.limit or 0)
    shortened: dict[str, Any] = whole
    return shortened


def cut_at_sentence(text: str, limit: int) -> str:
    """At most `limit` characters, ending with a whole sentence and the mark `[cut]`.

    >>> cut_at_sentence("One is here. Two is there. Three is far away.", 35)
    'One is here. Two is there. [cut]'
    """
    room = max(limit - len(" [cut]"), 0)
    ends = [match.end() for match in re.finditer(r"[.!?](?=\s|\Z)", text) if match.end() <= room]
    return (text[: ends[-1]] if ends else text[:room].rstrip()) + " [cut]"


def _echoed_case(found: dict[str, Any], inputs: Model) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Take a ticker that differs from the asked one only in case as the asked one."""
    asked, said = getattr(inputs, "ticker", None), found.get("ticker")
    if (
        isinstance(asked, str)
        and isinstance(said, str)
        and said != asked
        and said.isascii()
        and said.upper() == asked.upper()
    ):
        return {**found, "ticker": asked}, ("ticker_case",)
    return found, ()


def _echo_errors(record: Model, inputs: Model) -> list[str]:
    """Every field a reply shares with its inputs must be equal: the caller fixes role, ticker and round."""
    return [
        f"/{name}: you were asked for {getattr(inputs, name)!r} and said {getattr(record, name)!r}"
        for name in sorted(echoed(type(record), type(inputs)))
        if getattr(record, name) != getattr(inputs, name)
    ]


def _checked(record: M, inputs: Model, checks: Sequence[Check[M]], again: Outcome, flags: tuple[str, ...]) -> Read[M]:
    found = [(check, finding) for check in checks for finding in check.find(record, inputs)]
    if found and again == "RETRY":
        return Read("RETRY", errors=tuple(finding.message for _, finding in found), record=record)
    if any(finding.after_repair == "void" for _, finding in found):
        flags = tuple(dict.fromkeys(finding.flag for _, finding in found if finding.flag))
        return Read("QUARANTINE", errors=tuple(finding.message for _, finding in found), flags=flags)
    for check in dict.fromkeys(check for check, finding in found if finding.after_repair == "drop"):
        if check.mend is None:
            raise AssertionError(f"check {check.name} drops parts but cannot mend a reply")
        record = check.mend(record, inputs)
    named = (finding.flag or check.name for check, finding in found)
    dropped = tuple(finding.message for _, finding in found if finding.after_repair == "drop")
    return Read("ACCEPT", record=record, flags=tuple(dict.fromkeys((*flags, *named))), dropped=dropped)
