"""Every number in a turn is a value that its seat was shown: rounded at most, never new."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from phases.core.reading import AfterRepair, Check, Finding
from phases.maths.grounding import Given, Stray, given_of, ungrounded, without_strays
from schemas.base import Model

PARTS: Mapping[str, tuple[str, ...]] = {
    "claims": ("text",),
    "moves": ("reason",),
    "assessments": ("flaw",),
    "rulings": ("because",),
}
"""Lists of a turn whose entries hold prose; an entry with a number from nowhere does not count."""

PROSE = ("argument", "answer", "summary", "because", "bull_thesis", "bear_thesis", "decision", "focus")
"""Prose fields of a turn; a sentence with a number from nowhere is taken out."""


CHANCE = r"\b(?:probabilit|chance|odds|likel|confiden|p\b)"
"""Words beside which a probability may be named."""

SCORE = r"\b(?:score|conviction|spread)"


def given_to(said: Any, inputs: Model) -> tuple[Given, ...]:
    """Values a turn may name: the evidence; beside their own words probabilities, scores and thresholds set before.

    What a turn sets itself, the value of a condition, is no fact it could name.
    """
    found = list(given_of(getattr(inputs, "evidence", None) or ()))
    found += [Given(name, value, "ratio", CHANCE) for name, value in _probabilities(said, inputs)]
    payload, question = getattr(inputs, "analyst_payload", None), getattr(inputs, "question", None)
    if payload is not None:
        found.append(Given("conviction_score", payload.conviction_score, "count", SCORE))
        spread = payload.panel_spread
        found += [] if spread is None else [Given("panel_spread", spread, "ratio", SCORE)]
        found += [Given("conviction", view.conviction_axis, "ratio", SCORE) for view in payload.axes]
    if question is not None:
        found.append(Given("horizon_sessions", question.horizon_sessions, "count", r"\b(?:session|horizon)"))
    carried = getattr(inputs, "carried", None)
    conditions = carried.conditions if carried else ()
    return (*found, *(Given(one.evidence, one.value, "index", re.escape(one.evidence)) for one in conditions))


def _probabilities(said: Any, inputs: Model) -> Iterator[tuple[str, float]]:
    payload = getattr(inputs, "analyst_payload", None)
    named = {
        "probability": getattr(said, "probability", None),
        "last_probability": getattr(inputs, "last_probability", None),
        "analyst's probability": getattr(payload, "probability", None),
    }
    yield from ((name, value) for name, value in named.items() if value is not None)
    yield from ((f"axis.{view.axis}", view.probability) for view in getattr(payload, "axes", ()))
    for one in getattr(inputs, "statements", None) or ():
        if one.probability is not None:
            yield f"{one.seat}'s probability", one.probability


class _Reader:
    """What one turn may say: values it was given, and names whose digits claim nothing."""

    def __init__(self, said: Any, inputs: Model) -> None:
        question = getattr(inputs, "question", None)
        benchmark = () if question is None else (question.benchmark,)
        self.given, self.names = given_to(said, inputs), (getattr(inputs, "ticker", ""), *benchmark)

    def strays(self, *texts: str | None) -> list[Stray]:
        """Numbers from nowhere, in order."""
        return [stray for text in texts if text for stray in ungrounded(text, self.given, self.names)]

    def without(self, text: str) -> str:
        """The text without the sentences that hold one."""
        return without_strays(text, self.given, self.names)


def _texts(one: Any, fields: Iterable[str]) -> list[str | None]:
    return [getattr(one, field) for field in fields]


GRANTED = ("text", "why_limited")


def _find(said: Any, inputs: Model) -> Sequence[Finding]:
    reader, found = _Reader(said, inputs), []
    for name in PROSE:
        text = getattr(said, name, None) or ""
        if strays := reader.strays(text):
            end: AfterRepair = "drop" if reader.without(text) else "void"
            found += [Finding(f"/{name}: {stray}", end, "ungrounded") for stray in strays]
    for part, fields in PARTS.items():
        for at, one in enumerate(getattr(said, part, None) or ()):
            strays = reader.strays(*_texts(one, fields))
            found += [Finding(f"/{part}/{at}: {stray}", "drop", "ungrounded") for stray in strays]
    if granted := getattr(said, "acknowledged", None):
        strays = reader.strays(*_texts(granted, GRANTED))
        found += [Finding(f"/acknowledged: {stray}", "drop", "ungrounded") for stray in strays]
    return found


def _mend(said: Any, inputs: Model) -> Any:
    """The turn without the sentences, claims and moves that hold a number from nowhere."""
    reader = _Reader(said, inputs)
    update: dict[str, Any] = {
        name: reader.without(text) for name in PROSE if (text := getattr(said, name, None)) and reader.strays(text)
    }
    for part, fields in PARTS.items():
        if entries := getattr(said, part, None):
            update[part] = tuple(one for one in entries if not reader.strays(*_texts(one, fields)))
    granted = getattr(said, "acknowledged", None)
    if granted is not None and reader.strays(*_texts(granted, GRANTED)):
        update["acknowledged"] = None
    return said.model_copy(update=update)


NUMBERS: Check[Any] = Check("numbers", _find, _mend)
"""A sentence, claim or move with a number from nowhere does not count."""
