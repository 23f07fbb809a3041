"""The desk's debater: leads with its strongest item, answers the other side's lead with an unused one,
grants one genuine point, and says so when that point outweighs its own lead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from phases.providers.offline.words import quote, strength, strongest
from schemas.debate import ARGUMENT_LIMIT, DebateInputs
from schemas.market import Evidence

CLAIMS = 3


def contribution(inputs: DebateInputs) -> dict[str, Any]:
    """One turn for either side."""
    side = 1 if inputs.role == "bull" else -1
    bundle = inputs.evidence or ()
    own, other = strongest(bundle, side), strongest(bundle, -side)
    said = _said(inputs)
    fresh = [item for item in own if item.id not in said["own"]] or own
    lead, granted = fresh[:CLAIMS], other[:1]
    answer = _answer(inputs, own, lead, said["other"], {item.id: item for item in bundle})
    sentences = [_opening(inputs, lead), answer or _support(lead), _grant(granted, lead), _stance(inputs)]
    return {
        "role": inputs.role,
        "ticker": inputs.ticker,
        "round_number": inputs.round_number,
        "argument": _fitted(sentences),
        "claims": [_claim(at, item) for at, item in enumerate(lead, 1)],
        "acknowledged": _acknowledged(granted, lead),
    }


def _said(inputs: DebateInputs) -> dict[str, list[str]]:
    """Ids each side has named so far, in the order of the bundle; they stand in the arguments."""
    own, other = [], []
    for past in inputs.prior_rounds or ():
        sides = (past.bull_argument or "", past.bear_argument or "")
        mine, theirs = sides if inputs.role == "bull" else sides[::-1]
        own.append(mine)
        other.append(theirs)
    if inputs.bull_argument is not None:
        other.append(inputs.bull_argument)
    return {"own": _ids(own, inputs.evidence or ()), "other": _ids(other[-1:], inputs.evidence or ())}


def _ids(arguments: Iterable[str], bundle: Sequence[Evidence]) -> list[str]:
    text = " ".join(arguments)
    found = [(text.find(f"({item.id}"), item.id) for item in bundle]
    return [name for at, name in sorted(found) if at >= 0]


def _opening(inputs: DebateInputs, lead: Sequence[Evidence]) -> str:
    case = "for" if inputs.role == "bull" else "against"
    if not lead:
        return f"No item in the evidence speaks {case} {inputs.ticker}, and this side says so."
    return f"The case {case} {inputs.ticker} opens with {quote(lead[0])}."


def _support(lead: Sequence[Evidence]) -> str:
    if len(lead) < 2:
        return "Nothing else in the evidence supports it."
    return f"It is supported by {' and '.join(quote(item) for item in lead[1:])}."


def _answer(
    inputs: DebateInputs,
    own: Sequence[Evidence],
    lead: Sequence[Evidence],
    theirs: Sequence[str],
    bundle: dict[str, Evidence],
) -> str | None:
    """A rebuttal of the other side's lead that brings an item not used in this turn; absent without an opponent."""
    if not theirs:
        return None
    used = {item.id for item in lead[:1]} | set(_said(inputs)["own"])
    fresh = next((item for item in own if item.id not in used), None)
    opponent = "bear" if inputs.role == "bull" else "bull"
    disputed = f"The {opponent} leads with {quote(bundle[theirs[0]])}; that is accurate"
    if fresh is None:
        return f"{disputed}, and nothing unused in the evidence answers it."
    return f"{disputed}, but {quote(fresh)} points the other way."


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
