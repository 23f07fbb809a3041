"""Votes of a panel: what a ballot says, who wins, how sure that is.

Source of the rules: the debate of dev48v, "Agentic AI from zero", project 9, whose normaliser leaves apart what ours
merges: units, thousands, signs, exponents and unbalanced brackets.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Final, Literal

from phases.maths.aggregation import Confidence
from schemas.seats import Tally

MarketStance = Literal["buy", "hold", "sell"]

SYNONYMS: Final[Mapping[MarketStance, tuple[str, ...]]] = {
    "buy": ("buy", "strong buy", "bull", "bullish", "long", "go long", "outperform", "overweight", "accumulate", "add"),
    "hold": ("hold", "neutral", "market perform", "sector perform", "peer perform", "equal weight", "flat", "keep"),
    "sell": ("sell", "strong sell", "bear", "bearish", "short", "go short", "underperform", "underweight", "reduce"),
}
"""Words for a market view, in the form `canonical_stance` gives them."""

_VIEWS: Final = {word: stance for stance, words in SYNONYMS.items() for word in words}

DIGITS_LIMIT = 24
"""Longest number that is read as one, in characters."""

_EDGES: Final = " \"'`.,;:!?*_~|/\\“”‘’«»"
_DASHES: Final = str.maketrans("−–—", "---")
_BRACKETS: Final = str.maketrans("()[]{}", " " * 6)
_AMOUNT = re.compile(
    r"(?P<sign>[+-]?) ?(?P<currency>(?:us ?)?\$|usd)? ?(?P<inner>[+-]?)(?P<number>.*?) ?"
    r"(?P<unit>%|percent|per cent|\$|usd|(?:us )?dollars?|bucks?|(?P<cents>cents?|¢))?",
    re.DOTALL,
)
_DIGITS = re.compile(r"(?=\.?[0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)(?:\.[0-9]*)?(?:e[+-]?[0-9]{1,2})?")

_WORDS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
)
_ONES, _TENS = _WORDS.split()[:20], _WORDS.split()[20:]


def _name(number: int) -> str:
    """English name of 0..999, words parted by spaces."""
    if number < 20:
        return _ONES[number]
    high, low = divmod(number, 100 if number >= 100 else 10)
    start = f"{_ONES[high]} hundred" if number >= 100 else _TENS[high - 2]
    return f"{start} {_name(low)}" if low else start


_NAMES: Final = {_name(number): number for number in range(1000)}


def canonical_stance(text: str) -> str:
    """One spelling for what means the same, so that ballots can be counted; empty if the text says nothing.

    Case, spaces, quotes, marks at the edges, dashes between words and remarks in brackets do not count. A number
    is written plainly, without sign +, exponent, thousands separators or needless zeros, whether it came in digits
    or in words. All ballots answer one question, so a bare number is read in that question's unit: `5`, `$5`,
    `5 dollars` and `5%` are one stance, and cents are hundredths of it. Other currencies stay apart.
    Applying it twice changes nothing.

    >>> {canonical_stance(one) for one in ("5 cents", "0.05 dollars", "$0.05", "five cents", ".05")}
    {'0.05'}
    >>> [canonical_stance(one) for one in ("$1,000", "1e3", "twenty-five", "Hold (for now)", "Buy-and-hold!", "?")]
    ['1000', '1000', '25', 'hold', 'buy and hold', '']
    """
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_DASHES)
    bare = _trimmed(_outside_brackets(folded))
    amount = _amount(bare)
    if amount is not None:
        return amount
    words = _trimmed(bare.replace("-", " ").replace("_", " "))
    if words != bare:
        return canonical_stance(words)
    return words if _says(words) else ""


def _says(text: str) -> bool:
    return any(map(str.isalnum, text))


def _outside_brackets(text: str) -> str:
    """The text without bracketed remarks, an unclosed one reaching to the end; all of it, if there is no more."""
    depth, kept = 0, []
    for char in text:
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth = max(depth - 1, 0)
        kept.append(" " if depth or char in ")]}" else char)
    outside = "".join(kept)
    return outside if _says(outside) else text.translate(_BRACKETS)


def _trimmed(text: str) -> str:
    """Single spaces and no marks at the edges; the point of .05 stays."""
    spaced = " ".join(text.split()).rstrip(_EDGES)
    bare = spaced.lstrip(_EDGES)
    return f".{bare}" if bare[:1].isdigit() and spaced.removesuffix(bare).endswith(".") else bare


def _amount(text: str) -> str | None:
    """The number a text is, in plain decimals, or None."""
    found = _AMOUNT.fullmatch(text)
    if found is None or (found["sign"] and found["inner"]) or (found["currency"] and found["unit"]):
        return None
    value = _number(found["number"])
    if value is None:
        return None
    plain = format(value.scaleb(-2) if found["cents"] else value, "f")
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return f"-{plain}" if value and "-" in (found["sign"], found["inner"]) else plain


def _number(text: str) -> Decimal | None:
    if len(text) <= DIGITS_LIMIT and _DIGITS.fullmatch(text):
        return Decimal(text.replace(",", ""))
    spelt = " ".join(text.replace("-", " ").split())
    for big in ("hundred", "thousand"):
        spelt = spelt.replace(f"{big} and ", f"{big} ")
    thousands, many, rest = spelt.partition(" thousand")
    parts = (thousands, rest.strip() or "zero") if many else ("zero", spelt)
    if not all(part in _NAMES for part in parts):
        return None
    return Decimal(1000 * _NAMES[parts[0]] + _NAMES[parts[1]])


def market_stance(text: str) -> MarketStance | None:
    """The market view a ballot names, by the table `SYNONYMS`; None for anything else, never a guess.

    >>> market_stance("Bullish!"), market_stance("Equal-Weight"), market_stance("not buy")
    ('buy', 'hold', None)
    """
    return _VIEWS.get(canonical_stance(text))


def tally(ballots: Mapping[str, str], voids: int = 0, *, before: Mapping[str, str] | None = None) -> Tally:
    """Count the ballots, given by seat, by their canonical stance; most votes win.

    Between several with most votes the first of the alphabet wins, but none does where they hold a buying and a
    selling view. Confidence is high if all agree and no seat is void, medium above half, else low, and absent
    below two ballots. A void seat abstains and is in no count but `voids`; so does one whose ballot says nothing.
    `before` holds earlier ballots, for the seats that changed. Raises ValueError for voids below 0.

    >>> found = tally({"cautious": "Buy", "creative": "buy.", "literal": "hold"}, before={"literal": "buy"})
    >>> found.winner, found.votes, found.tied, found.confidence, found.changed
    ('buy', 2, False, 'medium', ('literal',))
    >>> tally({"cautious": "bull", "literal": "bear"}).winner is None
    True
    """
    if voids < 0:
        raise ValueError(f"voids {voids}: allowed is a number from 0")
    said = _said(ballots)
    counts = Counter(said.values())
    votes = max(counts.values(), default=0)
    leaders = sorted(stance for stance, count in counts.items() if count == votes)
    torn = {"buy", "sell"} <= {market_stance(leader) for leader in leaders}
    return Tally(
        ballots=said,
        winner=None if torn or not leaders else leaders[0],
        votes=votes,
        tied=len(leaders) > 1,
        confidence=_confidence(votes, len(said), voids + len(ballots) - len(said)),
        changed=minds_changed(before or {}, ballots),
    )


def _said(ballots: Mapping[str, str]) -> dict[str, str]:
    """Canonical stances by seat, sorted, without those that say nothing."""
    stances = {seat: canonical_stance(text) for seat, text in sorted(ballots.items())}
    return {seat: stance for seat, stance in stances.items() if stance}


def _confidence(votes: int, total: int, voids: int) -> Confidence | None:
    if total < 2:
        return None
    if votes == total and not voids:
        return "high"
    return "medium" if 2 * votes > total else "low"


def agreement(found: Tally) -> Fraction | None:
    """Votes of the winner / ballots, 0..1; absent without a ballot.

    >>> agreement(tally({"cautious": "bootstrap", "creative": "hybrid", "literal": "raise"}))
    Fraction(1, 3)
    """
    return Fraction(found.votes, len(found.ballots)) if found.ballots else None


def minds_changed(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    """Seats that said something both times, and not the same; sorted. Measured, not what they report.

    >>> minds_changed({"creative": "penny", "literal": "$0.05"}, {"creative": "0.05", "literal": "5 cents"})
    ('creative',)
    """
    first, last = _said(before), _said(after)
    return tuple(seat for seat in last if seat in first and first[seat] != last[seat])
