"""Claims of a stored review. Nobody numbered them: the line on which one stands names it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Side = Literal["A", "B"]

SHORTEST, LONGEST = 5, 300
LIST_MARKS = "-*•0123456789.) "
_SEVERITIES = ("high:", "medium:", "low:", "critical:", "severity:")


@dataclass(frozen=True)
class Claim:
    """One claim under its two names."""

    id: str
    """`cl_<side>_<line number>`."""
    objection: str
    """`obj_initial_<side>_<running number>`."""
    side: Side
    text: str


def claims_of(review: str, side: Side) -> tuple[Claim, ...]:
    """Claims of one review: bullets, numbered lines and lines that grade a severity.

    >>> [(one.id, one.objection, one.text) for one in claims_of("# Review\\n\\n- Severity: High", "A")]
    [('cl_A_2', 'obj_initial_a_0', 'Severity: High')]
    """
    lines = ((number, _claim_text(line.strip())) for number, line in enumerate(review.split("\n")))
    found = [(number, text) for number, text in lines if text is not None]
    return tuple(
        Claim(f"cl_{side}_{number}", f"obj_initial_{side.lower()}_{at}", side, text)
        for at, (number, text) in enumerate(found)
    )


def _claim_text(line: str) -> str | None:
    if not line:
        return None
    numbered = line[0].isdigit() and "." in line[:4]
    if not (line[0] in "-*•" or numbered or any(word in line.lower() for word in _SEVERITIES)):
        return None
    text = line.lstrip(LIST_MARKS).strip()
    return text[:LONGEST] if len(text) >= SHORTEST else None
