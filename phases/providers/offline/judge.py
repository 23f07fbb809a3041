"""The desk's judge: the panel's answer in words. The votes were counted before; it adds no opinion."""

from __future__ import annotations

from collections import Counter
from typing import Any

from phases.providers.offline.weighing import ranked
from phases.providers.offline.words import first_fit, first_sentence, quote
from schemas.seats import Statement, TableInputs, Tally

ANSWER_LIMIT = 600


def judge(inputs: TableInputs) -> dict[str, Any]:
    """What the panel says, what it rests on, and the dissent with most votes."""
    tally = inputs.tally
    if tally is None or not tally.ballots:
        return {"answer": "The panel cast no vote, so it says nothing."}
    verdict = _verdict(tally)
    because, dissent = _because(tally, inputs), _dissent(tally, inputs)
    whole = " ".join(part for part in (verdict, because, dissent) if part)
    return {"answer": first_fit(ANSWER_LIMIT, whole, f"{verdict} {because}".rstrip(), verdict)}


def _verdict(tally: Tally) -> str:
    if tally.winner is None:
        options = " and ".join(sorted(set(tally.ballots.values())))
        return f"The panel has no answer: {options} are level."
    if len(set(tally.ballots.values())) == 1:
        return f"The panel says {tally.winner}, with one voice."
    if tally.tied:
        return f"The panel says {tally.winner}, which is tied with another answer."
    most = "a majority" if 2 * tally.votes > len(tally.ballots) else "its largest part"
    return f"The panel says {tally.winner}, by {most}."


def _because(tally: Tally, inputs: TableInputs) -> str:
    """The strongest item that the winner's seats cite."""
    seats = {seat for seat, stance in tally.ballots.items() if stance == tally.winner}
    cited = {name for one in inputs.statements or () if one.seat in seats for name in one.evidence}
    led = ranked(item for item in inputs.evidence or () if item.id in cited)
    return f"It rests above all on {quote(led[0])}." if led else ""


def _dissent(tally: Tally, inputs: TableInputs) -> str:
    """The other answer with most votes, in the words of its first seat; ties by name."""
    others = Counter(stance for stance in tally.ballots.values() if stance != tally.winner)
    if not others or tally.winner is None:
        return ""
    strongest = min(others, key=lambda stance: (-others[stance], stance))
    seat = min(seat for seat, stance in tally.ballots.items() if stance == strongest)
    said: list[Statement] = [one for one in inputs.statements or () if one.seat == seat][-1:]
    words = f": {first_sentence(said[0].text)}" if said else ""
    return f"Against it, {seat} says {strongest}{words}."
