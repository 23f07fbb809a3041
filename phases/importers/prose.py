"""What both readings find in a line of prose: ids, move words, and what backs a move."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from phases.importers.claims import LIST_MARKS

MoveWord = Literal["conceded", "rebutted", "carried"]
WORDS: tuple[MoveWord, ...] = get_args(MoveWord)

ID = re.compile(r"\b(?:obj_initial|cl)_[ab]_[0-9]+\b", re.IGNORECASE)
_OWN = re.compile(r"\b(?:(?:obj_initial|cl)_[ab]_[0-9]+|conceded|rebutted|carried)\b", re.IGNORECASE)
_CHECKABLE = re.compile(r"[0-9`]|[^\W_][._][^\W_]{2}")
_WORD = re.compile(r"[^\W_]+")

REASON_WORDS = 5
"""Fewest words beside ids and move words that are a reason; "fine" or "I accept this" are none."""


class Backing(NamedTuple):
    """What stands beside a move."""

    reasoned: bool
    """It has words of its own, at least five."""
    evidenced: bool
    """They name something one can look up: a figure, a quoted piece of code, a dotted or joined name."""


class Heard(NamedTuple):
    """What one turn says of one claim."""

    answer: Literal["conceded", "rebutted", "carried", "mixed"]
    backing: Backing


def backings(lines: Sequence[str]) -> Mapping[int, Backing]:
    """Backing of each line that holds an id: that line and those after it, up to the next with an id.

    The records name no evidence, so this is as near as prose comes to it.

    >>> backings(["- REBUTTED obj_initial_a_0:", "the lock in x.py is held on all three paths", "cl_A_4 CONCEDED"])
    {0: Backing(reasoned=True, evidenced=True), 2: Backing(reasoned=False, evidenced=False)}
    """
    starts = [at for at, line in enumerate(lines) if ID.search(line)]
    ends = [*starts[1:], len(lines)]
    return {start: _backing(lines[start:end]) for start, end in zip(starts, ends, strict=False)}


def _backing(block: Sequence[str]) -> Backing:
    own = " ".join(_OWN.sub(" ", line.strip().lstrip(LIST_MARKS)) for line in block)
    reasoned = len(_WORD.findall(own)) >= REASON_WORDS
    return Backing(reasoned, reasoned and _CHECKABLE.search(own) is not None)


def best(backed: Sequence[Backing]) -> Backing:
    """The strongest of several mentions; nothing, if there is none."""
    return Backing(any(one.reasoned for one in backed), any(one.evidenced for one in backed))
