"""The `strict` reading: a move counts only where an exact id and a move word stand on one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from phases.importers.claims import Claim
from phases.importers.prose import ID, WORDS, Backing, Heard, MoveWord, backings, best

_WORD = re.compile(r"(?:\b(NOT|NEVER)\s+)?\b(CONCEDED|REBUTTED|CARRIED)\b")


@dataclass
class _Mention:
    """What one name of a claim has collected over a turn."""

    first: tuple[int, int]
    words: set[MoveWord] = field(default_factory=set)
    backed: list[Backing] = field(default_factory=list)


def heard(claims: Sequence[Claim], text: str) -> dict[str, Heard]:
    """Answers that a turn gives, by claim id; a claim that is not there is unaddressed.

    >>> one, two = Claim("cl_A_4", "obj_initial_a_1", "A", ""), Claim("cl_A_40", "obj_initial_a_10", "A", "")
    >>> found = heard([one, two], "REBUTTED obj_initial_a_1: see x.py line 3\\nCONCEDED obj_initial_a_10: fine")
    >>> found["cl_A_4"].answer, found["cl_A_40"].answer
    ('rebutted', 'conceded')
    """
    mentions = _mentions(text.split("\n"))
    found: dict[str, Heard] = {}
    for claim in claims:
        named = [mentions[name] for name in (claim.id.lower(), claim.objection) if name in mentions]
        if named:
            found[claim.id] = _heard(named)
    return found


def _heard(named: Sequence[_Mention]) -> Heard:
    """Of a claim's two names the later one decides alone; two different move words under it are mixed."""
    (word, *more) = sorted(max(named, key=lambda one: one.first).words)
    return Heard("mixed" if more else word, best([backing for one in named for backing in one.backed]))


def _mentions(lines: Sequence[str]) -> Mapping[str, _Mention]:
    found: dict[str, _Mention] = {}
    backed = backings(lines)
    for at, line in _joined(lines):
        words = _words(line)
        for name in ID.finditer(line) if words else ():
            mention = found.setdefault(name.group().lower(), _Mention((at, name.start())))
            mention.words |= words
            mention.backed.append(backed[at])
    return found


def _joined(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Lines by number; one with ids and no move word goes on in a next one with a move word and no id."""
    for at, (line, after) in enumerate(zip(lines, [*lines[1:], ""], strict=True)):
        goes_on = bool(ID.search(line)) and not _words(line) and bool(_words(after)) and not ID.search(after)
        yield at, f"{line} {after}" if goes_on else line


def _words(line: str) -> set[MoveWord]:
    """Move words of a line, none of them denied by NOT or NEVER before it."""
    found: Iterable[re.Match[str]] = _WORD.finditer(line.upper())
    said = {match.group(2).lower() for match in found if match.group(1) is None}
    return {word for word in WORDS if word in said}
