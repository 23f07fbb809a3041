"""The desk's news reader: a small lexicon. It knows words and no companies, so it takes a story to be about the
company only where the source or the text names the symbol."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from phases.core.outside import unmarked
from schemas.news import Headline, NewsInputs

EVENTS: Mapping[str, str] = {
    "guidance": r"guidance|outlook|forecasts?|full-year|warns?|warning",
    "earnings": r"earnings|profits?|loss(?:es)?|revenues?|sales|quarter(?:ly)?|results|eps|margins?|estimates",
    "analyst": r"upgrades?d?|downgrades?d?|analysts?|price target|initiates?d?|rating",
    "deal": r"acquires?d?|acquisition|merger|merges?|takeover|buyout|stake|contract|divests?",
    "legal": r"lawsuits?|sues?d?|court|settles?d?|settlement|fraud|verdict|jury",
    "regulation": r"regulators?|antitrust|fda|approval|approves?d?|probe|investigation|fines?d?|ban(?:s|ned)?|rules",
    "management": r"ceo|cfo|chief|chair(?:man|woman)?|resigns?|appoints?|names|steps down",
    "capital": r"dividends?|buybacks?|repurchases?|offering|debt|bonds?|stock split",
    "product": r"launch(?:es|ed)?|unveils?|recalls?|product|plant|trial|ships?",
    "macro": r"fed|inflation|rates?|tariffs?|futures|nasdaq|dow|s&p",
}
"""Words of each kind of event; the first kind that has one in the text is it."""

GOOD = re.compile(
    r"\b(?:beats?|tops?|rises?|rose|jumps?|gains?|surges?|soars?|record|raises?d?|upgrades?d?|wins?|won|approv\w+|growth"
    r"|grows?|strong\w*|expands?|profitable|buybacks?|exceeds?|higher|outperforms?)\b"
)
BAD = re.compile(
    r"\b(?:miss(?:es|ed)?|falls?|fell|drops?|plunges?|slumps?|cuts?|lowers?|downgrades?d?|loss(?:es)?|lawsuits?|sues?d?"
    r"|fraud|probe|investigation|recalls?|warns?|warning|weak\w*|declines?|resigns?|bankruptcy|default|lower|halts?"
    r"|fines?d?|layoffs?|delays?d?)\b"
)
WEIGHTY = frozenset({"earnings", "guidance", "deal", "legal", "regulation"})


def reading(inputs: NewsInputs) -> dict[str, Any]:
    """A type for every item; a title that was read before is a repeat."""
    seen: set[str] = set()
    found = []
    for one in inputs.items:
        found.append(_typed(one, inputs.ticker, one.title in seen))
        seen.add(one.title)
    return {"items": found}


def _typed(one: Headline, ticker: str, again: bool) -> dict[str, str]:
    title = unmarked(one.title).lower()
    event = next((kind for kind, words in EVENTS.items() if re.search(rf"\b(?:{words})\b", title)), "other")
    good, bad = len(GOOD.findall(title)), len(BAD.findall(title))
    return {
        "id": one.id,
        "about": _about(one, ticker, event),
        "event": event,
        "direction": "unclear" if good == bad else "positive" if good > bad else "negative",
        "materiality": "medium" if event in WEIGHTY else "low",
        "novelty": "repeat" if again else "new",
    }


def _about(one: Headline, ticker: str, event: str) -> str:
    named = re.search(rf"(?<![\w.]){re.escape(ticker)}(?![\w.])", unmarked(one.title))
    if ticker in one.symbols or (not one.symbols and named):
        return "company"
    return "market" if event == "macro" else "other"
