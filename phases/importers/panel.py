"""Stored panels of personas (agentic-ai-from-zero, project 9): a ballot of each seat before and after the critic.

Votes are counted here, from the ballots; figures stored with them are not read. A seat whose later ballot is absent
or blank is void.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from phases.importers.stored import PLACES, Reading, Shape, StoredDebate, Votes
from phases.maths.exact import decimals
from phases.maths.tally import agreement, tally


class StoredPanel(Shape):
    """One debate of the file."""

    id: str
    question: str
    before: Mapping[str, str | None]
    after: Mapping[str, str | None]


def panel_debate(record: StoredPanel, reading: Reading) -> StoredDebate:
    """One stored panel. It holds no moves and no prose, so both readings are the same."""
    del reading
    return StoredDebate(
        id=record.id, key=("panel", record.id, record.question), points=None, turns=(), votes=_votes(record)
    )


def _votes(record: StoredPanel) -> Votes:
    before, after = _given(record.before), _given(record.after)
    found = tally(after, len({*record.before, *record.after} - set(after)), before=before)
    ratio = agreement(found)
    return Votes(
        ballots=dict(found.ballots),
        counts=dict(sorted(Counter(found.ballots.values()).items())),
        winner=found.winner,
        votes=found.votes,
        total=len(found.ballots),
        tied=found.tied,
        ratio=None if ratio is None else decimals(ratio, PLACES),
        confidence=found.confidence,
        changed=found.changed,
    )


def _given(ballots: Mapping[str, str | None]) -> dict[str, str]:
    return {seat: text for seat, text in ballots.items() if text is not None}
