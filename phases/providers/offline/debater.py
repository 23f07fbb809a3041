"""The desk's debater: leads with its strongest item, answers the other side's lead with an unused one,
grants one genuine point, and says so when that point outweighs its own lead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phases.providers.offline.moves import Answer, answers, move, probability
from phases.providers.offline.weighing import strength, strongest
from phases.providers.offline.words import first_quoted, quote
from schemas.base import Role
from schemas.debate import ARGUMENT_LIMIT, DebateInputs
from schemas.market import Evidence

CLAIMS = 3

PER_ROUND = CLAIMS + 1
"""Items a side uses in one round: its claims, and one for its rebuttal."""

SENTENCES = 3
"""Fewest sentences of an argument."""

OPPONENT: dict[Role, Role] = {"bull": "bear", "bear": "bull"}


def contribution(inputs: DebateInputs) -> dict[str, Any]:
    """One turn for either side: a case with claims, or an answer to each open point without.

    Each round without open points draws on the next items, so that a later one brings something new.
    """
    side = 1 if inputs.role == "bull" else -1
    own = strongest(inputs.evidence or (), side)
    fresh = own[PER_ROUND * (inputs.round_number - 1) :] or own
    granted = strongest(inputs.evidence or (), -side)[:1]
    given = answers(inputs, side)
    lead = own[:CLAIMS] if given else fresh[:CLAIMS]
    sentences = _exchange(inputs, lead, given) if given else _case(inputs, fresh, granted)
    answers_points = inputs.cited_before is not None or bool(given)
    return {
        "role": inputs.role,
        "ticker": inputs.ticker,
        "round_number": inputs.round_number,
        "argument": _fitted([*sentences, _stance(inputs)]),
        "probability": probability(inputs, side, given),
        "claims": [_claim(at, item) for at, item in enumerate(lead, 1)] if not answers_points else None,
        "moves": [move(one, inputs, side) for one in given] if answers_points else None,
        "acknowledged": _acknowledged(granted, lead),
    }


def _case(inputs: DebateInputs, fresh: Sequence[Evidence], granted: Sequence[Evidence]) -> list[str]:
    lead, opponent = fresh[:CLAIMS], _opponents_lead(inputs)
    answer = _support(lead) if opponent is None else _answer(inputs, opponent, fresh[CLAIMS:PER_ROUND] or fresh[1:])
    return [_opening(inputs, lead), *_fired(inputs), answer, _grant(granted, lead)]


def _opponents_lead(inputs: DebateInputs) -> Evidence | None:
    """The item that the other side's latest argument names first; absent without an opponent."""
    said = inputs.bull_argument
    if said is None and inputs.prior_rounds:
        last = inputs.prior_rounds[-1]
        said = last.bear_argument if inputs.role == "bull" else last.bull_argument
    return first_quoted(said or "", inputs.evidence or ())


def _opening(inputs: DebateInputs, lead: Sequence[Evidence], verb: str = "opens with") -> str:
    case = "for" if inputs.role == "bull" else "against"
    if not lead:
        return f"No item in the evidence speaks {case} {inputs.ticker}, and this side says so."
    return f"The case {case} {inputs.ticker} {verb} {quote(lead[0])}."


def _fired(inputs: DebateInputs) -> list[str]:
    """One sentence on what the last debate waited for, where it has happened."""
    conditions = inputs.carried.conditions if inputs.carried else ()
    return [f"What the last debate waited for has happened: {one.evidence}." for one in conditions if one.fired][:1]


def _support(lead: Sequence[Evidence]) -> str:
    if len(lead) < 2:
        return "Nothing else in the evidence supports it."
    return f"It is supported by {' and '.join(quote(item) for item in lead[1:])}."


def _answer(inputs: DebateInputs, opponent: Evidence, unused: Sequence[Evidence]) -> str:
    """A rebuttal of the other side's lead that brings an item its own side has not used."""
    disputed = f"The {OPPONENT[inputs.role]} leads with {quote(opponent)}; that is accurate"
    if not unused:
        return f"{disputed}, and nothing unused in the evidence answers it."
    return f"{disputed}, but {quote(unused[0])} points the other way."


def _outweighed(granted: Sequence[Evidence], lead: Sequence[Evidence]) -> bool:
    return bool(granted) and (not lead or strength(granted[0]) > strength(lead[0]))


def _grant(granted: Sequence[Evidence], lead: Sequence[Evidence]) -> str:
    if not granted:
        return "Nothing in the evidence speaks against it."
    more = "more" if _outweighed(granted, lead) else "no more"
    return f"Granted: {quote(granted[0])}; it weighs {more} than this side's lead."


def _exchange(inputs: DebateInputs, lead: Sequence[Evidence], given: Sequence[Answer]) -> list[str]:
    """What the case rests on, then one sentence for each kind of move made, the rebuttal last.

    A later round names the next item and the next move, so that it does not say again what was said.
    """
    at = inputs.round_number - 1
    verb = "opens with" if not at else "also rests on" if at < len(lead) else "still rests on"
    first = {answer.kind: answer for answer in reversed([*given[at % len(given) :], *given[: at % len(given)]])}
    made = [first[kind] for kind in ("carried", "conceded", "rebutted") if kind in first]
    told = [_told(answer, OPPONENT[inputs.role], inputs.round_number) for answer in made]
    return [_opening(inputs, lead[at : at + 1] or lead, verb), *told]


def _told(answer: Answer, opponent: Role, round_number: int) -> str:
    """A move in a sentence of the argument; every other round words it another way."""
    item = quote(answer.disputed) if answer.disputed else "a point without evidence"
    own = "this lead" if answer.point.rebuttal is None else "the claim"
    if answer.brought is not None:
        brought = quote(answer.brought)
        told = (f"The {opponent} brings {item}; to that, {brought} is the answer.", f"Against {item} stands {brought}.")
    elif answer.kind == "carried":
        told = (
            f"Left open: {item}; nothing unused answers it yet.",
            f"No answer was found to {item}, so it stays open.",
        )
    else:
        told = (f"Granted: {item}; it weighs more than {own}.", f"What is conceded is {item}, which outweighs {own}.")
    return told[round_number % 2]


def _stance(inputs: DebateInputs) -> str:
    word = "bullish" if inputs.role == "bull" else "bearish"
    return f"This side stays {word} on {inputs.ticker}."


def _claim(at: int, item: Evidence) -> dict[str, Any]:
    return {"id": f"c{at}", "text": f"{quote(item)}.", "evidence": [item.id]}


def _acknowledged(granted: Sequence[Evidence], lead: Sequence[Evidence]) -> dict[str, Any]:
    if not granted:
        said = "Nothing in the evidence speaks against it."
        return {"text": said, "evidence": [], "why_limited": "There is nothing to weigh against this side."}
    limited = "It weighs no more than this side's lead."
    if _outweighed(granted, lead):
        limited = "It weighs more than this side's lead; one item does not make the whole case."
    return {"text": f"{quote(granted[0])}.", "evidence": [granted[0].id], "why_limited": limited}


def _fitted(sentences: Sequence[str]) -> str:
    """All sentences where they fit; those after the opening give way first, never the stance."""
    kept = list(sentences)
    while len(" ".join(kept)) > ARGUMENT_LIMIT and len(kept) > SENTENCES:
        del kept[1]
    return " ".join(kept)
