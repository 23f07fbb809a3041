"""Stored debates of several seats under a moderator, who rules in prose after each round.

The shape is ours:

    {"question": "...", "max_rounds": 3, "rounds": [
      {"round": 1, "turns": [{"seat": "growth", "text": "..."}], "moderator": "SUMMARY: ...\\nSTATUS: CONTINUE"}]}

`id` is optional. A turn without text was not given; a round without a moderator's word has no valid ruling.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from pydantic import Field

from phases.core.text import digest
from phases.debate.readouts.theater import Said
from phases.importers.rulings import parse_ruling
from phases.importers.stored import Reading, Shape, StoredDebate


class StoredSpeech(Shape):
    """What one seat said."""

    seat: str
    text: str | None


class StoredRound(Shape):
    """One round and the moderator's word after it."""

    round: Annotated[int, Field(ge=1)]
    turns: tuple[StoredSpeech, ...]
    moderator: str | None = None


class StoredModerated(Shape):
    """One debate of the file."""

    id: str | None = None
    question: str
    max_rounds: Annotated[int, Field(ge=1)]
    rounds: tuple[StoredRound, ...]


def moderated_debate(record: StoredModerated, reading: Reading) -> StoredDebate:
    """One stored debate. It holds no moves, so both readings are the same.

    Raises ValueError if a round, or a seat in a round, is stored twice.
    """
    del reading
    spoken = [(one.round, speech.seat) for one in record.rounds for speech in one.turns]
    times = Counter([f"round {one.round}" for one in record.rounds]) + Counter(f"{seat}.{at}" for at, seat in spoken)
    doubled = sorted(name for name, count in times.items() if count > 1)
    if doubled:
        raise ValueError(f"rounds: {', '.join(doubled)} is stored more than once")
    rounds = sorted(record.rounds, key=lambda one: one.round)
    return StoredDebate(
        id=record.id or record.question,
        key=("moderated", record.id or digest(record.model_dump_json())),
        points=None,
        turns=tuple(
            Said(speech.seat, one.round, speech.text)
            for one in rounds
            for speech in one.turns
            if speech.text is not None
        ),
        rulings=tuple(parse_ruling(one.moderator or "", one.round, record.max_rounds) for one in rounds),
    )
