"""A moderator's ruling in prose: lines that begin with SUMMARY, STATUS or DECISION and a colon.

The labels follow the moderated debate of AgentFlow. A status that is not exactly `settled` or `continue` is no
status: it is never guessed from the words around it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

STATUSES: Final = ("settled", "continue")

_LABEL = re.compile(r"[\s>#*-]*(SUMMARY|STATUS|DECISION)\s*:(.*)", re.IGNORECASE)
_BOLD = re.compile(r"\*\*|__")
_MARKS: Final = " \t*`\"'."


@dataclass(frozen=True)
class Ruling:
    """What a moderator ruled after a round."""

    round_number: int
    settled: bool
    """Whether the debate is closed, by ruling or by force."""
    decision: str | None
    """Of a closed debate: the decision, else the summary."""
    summary: str
    malformed: bool
    """Whether there is no valid status; the debate goes on, unless the cap is reached."""
    forced: bool
    """Whether only the cap closed it."""


def only_word(text: str, words: Sequence[str]) -> str | None:
    """The word that a text is, whatever its case and the marks around it; None if it is anything else or more.

    >>> only_word("**Match**", ["MATCH"]), only_word("NO_MATCH", ["MATCH"]), only_word("MATCH or not", ["MATCH"])
    ('MATCH', None, None)
    """
    bare = _BOLD.sub("", text).strip(_MARKS + "\r\n").casefold()
    return next((word for word in words if word.casefold() == bare), None)


def parse_ruling(reply: str, round_number: int, cap: int) -> Ruling:
    """Read a moderator's reply after a round; `cap` is the last round allowed.

    Without a valid status, or with two that differ, the debate goes on; at the cap it is closed by force.
    A text under a label reaches to the next label.

    >>> parse_ruling("SUMMARY: both agree.\\nSTATUS: NOT SETTLED", 1, 3).settled
    False
    >>> parse_ruling("**Status:** Settled\\n**Decision:** go", 1, 3).decision
    'go'
    """
    said = _sections(_BOLD.sub("", reply))
    statuses = {only_word(text.partition("\n")[0], STATUSES) for text in said["STATUS"]}
    status = statuses.pop() if len(statuses) == 1 else None
    forced = status is None and round_number >= cap
    summary, decision = (next(iter(said[label]), "") for label in ("SUMMARY", "DECISION"))
    settled = status == "settled" or forced
    return Ruling(
        round_number=round_number,
        settled=settled,
        decision=(decision or summary) if settled else None,
        summary=summary,
        malformed=status is None,
        forced=forced,
    )


def _sections(text: str) -> dict[str, list[str]]:
    """Texts under each label, in order; what stands before the first label is left out."""
    found: dict[str, list[str]] = {"SUMMARY": [], "STATUS": [], "DECISION": []}
    current: list[str] = []
    for line in text.splitlines():
        label = _LABEL.fullmatch(line)
        if label:
            current = found[label[1].upper()]
            current.append(label[2])
        elif current:
            current[-1] += f"\n{line}"
    return {label: [one.strip() for one in texts] for label, texts in found.items()}
