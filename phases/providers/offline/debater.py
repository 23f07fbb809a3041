"""The desk's debater: leads with its strongest item, answers the other side's lead with an unused one,
grants one genuine point, and says so when that point outweighs its own lead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phases.providers.offline.words import quote, strength, strongest
from schemas.debate import ARGUMENT_LIMIT, DebateInputs
from schemas.market import Evidence

CLAIMS = 3

PER_ROUND = CLAIMS + 1
"""Items a side uses in one round: its claims, and one for its rebuttal."""


def contribution(inputs: DebateInputs) -> dict[str, Any]:
    """One turn for either side. Each round draws on the next items, so that a later one brings something new."""
    side = 1 if inputs.role == "bull" else -1
    bundle = {item.id: item for item in inputs.evidence or ()}
    own, other = strongest(bundle.values(), side), strongest(bundle.values(), -side)
    fresh = own[PER_ROUND * (inputs.round_number - 1) :] or own
    lead, granted = fresh[:CLAIMS], other[:1]
    opponent = bundle.get(_opponents_lead(inputs) or "")
    answer = _support(lead) if opponent is None else _answer(inputs, opponent, fresh[CLAIMS:PER_ROUND] or fresh[1:])
    sentences = [_opening(inputs, lead), answer, _grant(granted, lead), _stance(inputs)]
    return {
        "role": inputs.role,
        "ticker": inputs.ticker,
        "round_number": inputs.round_number,
        "argument": _fitted(sentences),
        "claims": [_claim(at, item) for at, item in enumerate(lead, 1)],
        "acknowledged": _acknowledged(granted, lead),
    }


def _opponents_lead(inputs: DebateInputs) -> str | None:
    """The id that the other side's latest argument names first; absent without an opponent."""
    said = inputs.bull_argument
    if said is None and inputs.prior_rounds:
        last = inputs.prior_rounds[-1]
        said = last.bear_argument if inputs.role == "bull" else last.bull_argument
    found = [(at, item.id) for item in inputs.evidence or () if (at := (said or "").find(f"({item.id}")) >= 0]
    return min(found)[1] if found else None


def _opening(inputs: DebateInputs, lead: Sequence[Evidence]) -> str:
    case = "for" if inputs.role == "bull" else "against"
    if not lead:
        return f"No item in the evidence speaks {case} {inputs.ticker}, and this side says so."
    return f"The case {case} {inputs.ticker} opens with {quote(lead[0])}."


def _support(lead: Sequence[Evidence]) -> str:
    if len(lead) < 2:
        return "Nothing else in the evidence supports it."
    return f"It is supported by {' and '.join(quote(item) for item in lead[1:])}."


def _answer(inputs: DebateInputs, opponent: Evidence, unused: Sequence[Evidence]) -> str:
    """A rebuttal of the other side's lead that brings an item its own side has not used."""
    name = "bear" if inputs.role == "bull" else "bull"
    disputed = f"The {name} leads with {quote(opponent)}; that is accurate"
    if not unused:
        return f"{disputed}, and nothing unused in the evidence answers it."
    return f"{disputed}, but {quote(unused[0])} points the other way."


def _outweighed(granted: Sequence[Evidence], lead: Sequence[Evidence]) -> bool:
    return bool(granted) and (not lead or strength(granted[0]) > strength(lead[0]))


def _grant(granted: Sequence[Evidence], lead: Sequence[Evidence]) -> str:
    if not granted:
        return "The evidence holds no item for the other side."
    more = "more" if _outweighed(granted, lead) else "no more"
    return f"Granted: {quote(granted[0])}; it weighs {more} than this side's lead."


def _stance(inputs: DebateInputs) -> str:
    word = "bullish" if inputs.role == "bull" else "bearish"
    return f"This side stays {word} on {inputs.ticker}."


def _claim(at: int, item: Evidence) -> dict[str, Any]:
    return {"id": f"c{at}", "text": f"{quote(item)}.", "evidence": [item.id]}


def _acknowledged(granted: Sequence[Evidence], lead: Sequence[Evidence]) -> dict[str, Any] | None:
    if not granted:
        return None
    limited = "It weighs no more than this side's lead."
    if _outweighed(granted, lead):
        limited = "It weighs more than this side's lead; one item does not make the whole case."
    return {"text": f"{quote(granted[0])}.", "evidence": [granted[0].id], "why_limited": limited}


def _fitted(sentences: Sequence[str]) -> str:
    """All sentences where they fit; the support gives way first, never the stance."""
    whole = " ".join(sentences)
    return whole if len(whole) <= ARGUMENT_LIMIT else " ".join((sentences[0], *sentences[2:]))
