"""Form of an argument: sentences, side, layout, who may be spoken of, and whose words stand in quotation marks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from phases.core.reading import Check, Finding, cut_at_sentence
from phases.debate.readouts.theater import near
from phases.maths.grounding import CUT, sentences
from schemas.base import Model
from schemas.debate import DebateInputs, DebateRoundContribution

Said = DebateRoundContribution

FEWEST, MOST = 3, 5

_WORDS = {
    "bull": r"bullish(?:ly)?|buy(?:ing)?|outperform\w*|overweight",
    "bear": r"bearish(?:ly)?|sell(?:ing)?|underperform\w*|underweight",
}
"""Words that take a side; denied, they take the other."""
_OTHER = {"bull": "bear", "bear": "bull"}
_NO = r"(?:not|no longer|never|neither|hardly|cannot be|isn.t|aren.t)\s+(?:\w+\s+)?"
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|[-*\u2022]\s|[0-9]{1,2}[.)]\s|\*\*[^*]+\*\*\s*:?\s*$)", re.MULTILINE)
_OPPONENT = {
    side: re.compile(
        r"\b(?:my|the|our|his|her|their)\s+(?:opponents?|opposition|other side|counterpart|counterparty|adversary)\b"
        rf"|\bthe\s+{_OTHER[side]}s?(?:'s|\u2019s|'|\u2019)?\s+"
        r"(?:argu|claim|say|said|believ|point|case|will|would|may|might|can|is|are|has|have|lead|overlook|ignor|miss)\w*",
        re.IGNORECASE,
    )
    for side in _OTHER
}
_QUOTED = re.compile(
    r"\"([^\"]{1,400})\"|[\u201c\u201e]([^\u201c\u201d\u201e]{1,400})[\u201d\u201c]|\u00ab([^\u00ab\u00bb]{1,400})\u00bb"
    r"|``([^`']{1,400})(?:''|``)|(?<!\w)['\u2018]([^'\u2018\u2019]{1,400})['\u2019](?!\w)"
)
"""Words between quotation marks of any kind; an apostrophe within a word is none."""
_QUOTED_WORDS = 3


def argument_limit(limit: int) -> Check[Said]:
    """The protocol's own limit, below the contract's."""

    def long(said: Said, _: Model) -> Sequence[Finding]:
        size = len(said.argument)
        return (Finding(f"/argument: has {size} characters; at most {limit}", "drop", "cut"),) if size > limit else ()

    def cut(said: Said, _: Model) -> Said:
        return said.model_copy(update={"argument": cut_at_sentence(said.argument, limit)})

    return Check("argument_limit", long, cut)


def _spoken(said: Said) -> list[str]:
    """Sentences of an argument, without the mark of a cut."""
    return sentences(said.argument.removesuffix(CUT))


def _sentences(said: Said, _: Model) -> Sequence[Finding]:
    count = len(_spoken(said))
    if FEWEST <= count <= MOST:
        return ()
    return (Finding(f"/argument: has {count} sentences; give {FEWEST} to {MOST}", "flag", "sentences"),)


def _layout(said: Said, _: Model) -> Sequence[Finding]:
    found = _HEADING.search(said.argument)
    wrong = "/argument: holds a heading or a list; write plain sentences"
    return (Finding(wrong, "flag", "layout"),) if found else ()


def sides_stated(sentence: str) -> set[str]:
    """The sides that a sentence takes: a denied word takes the other one.

    >>> sides_stated("The bear case fails; I stay bullish on ACME."), sides_stated("It is no longer bullish.")
    ({'bull'}, {'bear'})
    """
    return {
        _OTHER[side] if match.group(1) else side
        for side, words in _WORDS.items()
        for match in re.finditer(rf"({_NO})?\b(?:{words})\b", sentence, re.IGNORECASE)
    }


def _side(said: Said, _: Model) -> Sequence[Finding]:
    """The last sentence is the side's own. One that only takes the other side is the wrong speaker's."""
    last = (_spoken(said) or [""])[-1]
    stated = sides_stated(last)
    if said.role in stated or (not stated and re.search(rf"\b{said.role}s?\b", last, re.IGNORECASE)):
        return ()
    if stated:
        other = _OTHER[said.role]
        return (Finding(f"/argument: its last sentence argues the {other}'s side; you are the {said.role}", "void"),)
    return (Finding(f"/argument: its last sentence does not restate the {said.role}'s stance", "flag", "stance"),)


def is_first(inputs: DebateInputs) -> bool:
    """Whether the seat was shown nothing that anyone said."""
    return not (inputs.prior_rounds or inputs.bull_argument or inputs.open_points)


def _first_turn(said: Said, inputs: Model) -> Sequence[Finding]:
    if not isinstance(inputs, DebateInputs) or not is_first(inputs):
        return ()
    found = _OPPONENT[said.role].search(said.argument)
    wrong = "/argument: speaks of an opponent ({}), and nobody else has spoken"
    return (Finding(wrong.format(found.group()), "flag", "opponent"),) if found else ()


def _copied(said: Said, inputs: Model) -> Sequence[Finding]:
    if not isinstance(inputs, DebateInputs):
        return ()
    return [
        Finding(f"/argument: nearly the same text as {whose}; say what has not been said", "flag", flag)
        for whose, flag, text in _earlier(said, inputs)
        if near(said.argument, text)
    ][:1]


def _earlier(said: Said, inputs: DebateInputs) -> Iterator[tuple[str, str, str]]:
    for one in inputs.prior_rounds or ():
        for side, text in (("bull", one.bull_argument), ("bear", one.bear_argument)):
            if text is not None:
                flag = "repeated" if side == said.role else "copied"
                yield f"the {side}'s of round {one.round_number}", flag, text
    if inputs.bull_argument is not None:
        yield "the bull's of this round", "copied", inputs.bull_argument


def _quotes(said: Said, inputs: Model) -> Sequence[Finding]:
    """Words in quotation marks are somebody's: of what the seat read, or its own claims."""
    quoted = ("".join(groups) for groups in _QUOTED.findall(said.argument))
    spans = [span for span in quoted if len(span.split()) >= _QUOTED_WORDS]
    if not spans:
        return ()
    read = _plain(inputs.model_dump_json())
    return tuple(
        Finding(f"/argument: nobody wrote {span!r}; quote exact words or leave the marks out", "flag", "strawman")
        for span in spans
        if _plain(span) not in read
    )


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def _acknowledged(said: Said, _: Model) -> Sequence[Finding]:
    wrong = "/acknowledged: grant exactly one point to the other side"
    return () if said.acknowledged is not None else (Finding(wrong, "flag", "acknowledged"),)


SENTENCES: Check[Said] = Check("sentences", _sentences)
LAYOUT: Check[Said] = Check("layout", _layout)
SIDE: Check[Said] = Check("side", _side)
FIRST_TURN: Check[Said] = Check("first_turn", _first_turn)
COPIED: Check[Said] = Check("copied", _copied)
QUOTES: Check[Said] = Check("quotes", _quotes)
ACKNOWLEDGED: Check[Said] = Check("acknowledged", _acknowledged)
