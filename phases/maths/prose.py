"""Prose as code reads it: one plain alphabet, and sentences."""

from __future__ import annotations

import re
from typing import Final

_SAME: Final = str.maketrans(
    {
        **dict.fromkeys("\u2212\ufe63\uff0d\u207b", "\u2212"),  # minus signs
        **dict.fromkeys("\u2010\u2011\u2012\u2013", "-"),  # hyphens and the dash of a range
        **dict.fromkeys("\u2014\u2015", "\u2014"),
        **dict.fromkeys("\u00a0\u2007\u2009\u202f", "\u00a0"),  # spaces that do not break a line
        **dict.fromkeys("\uff05\ufe6a\u066a", "%"),
        **dict.fromkeys("\uff0e\u066b", "."),
        **dict.fromkeys("\uff0c\u066c", ","),
        **dict.fromkeys("\u2019\u02bc", "'"),
        **{
            char: str(digit)
            for digit, char in enumerate("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
        },
        **{
            char: str(digit)
            for digit, char in enumerate("\u2080\u2081\u2082\u2083\u2084\u2085\u2086\u2087\u2088\u2089")
        },
        "\uff04": "$",
        "\uff0b": "+",
        "\uff08": "(",
        "\uff09": ")",
        "\u00d7": "x",
        "\u223c": "~",
        "\uff5e": "~",
    }
)

_END: Final = re.compile(
    r"""[.!?\u2026]+["'\u201d\u2019)\]]*(?=\s|$)|\n(?=[ \t]*(?:\n|[-*\u2022]\s|\(?\d{1,2}[.)]\s))"""
)
"""Where a sentence may end: a stop before a space, a blank line, a line that starts a list item."""

_NEVER: Final = re.compile(
    r"(?:^|[\s(\[\"'])(?:vs|e\.?g|i\.?e|cf|approx|ca|c|est|avg|incl|excl|resp|fig|sec|eq|mr|mrs|ms|dr|st|prof"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.$",
    re.IGNORECASE,
)
"""Short forms after which a sentence always goes on."""

_NUMBERED: Final = re.compile(r"\b(?:nos?|nr)\.$", re.IGNORECASE)
"""Short forms of "number": a sentence goes on if a digit follows."""

_SELDOM: Final = re.compile(
    r"(?:^|[\s(\[\"'])(?:inc|corp|ltd|co|plc|bros|etc|al|jr|sr|[a-z](?:\.[a-z])+|[a-z])\.$", re.IGNORECASE
)
"""Short forms and initials after which a sentence goes on unless a word follows that opens one."""

_OPENER: Final = re.compile(
    r"\s+(?:The|This|That|These|Those|It|Its|An?|In|On|At|For|But|And|However|We|They|He|She|If|No|Yet|Still|So|As"
    r"|Both|Even|Its|With|While|Granted|Against|Over|Under|By|Since|When|Where|What|Nothing|One|Two|Three)\b"
)

_MARK: Final = re.compile(r"\s*[(\[]?(?:\d{1,2}|[a-z]|[ivx]{1,4})\.$", re.IGNORECASE)
"""A sentence so far that is only the mark of a list item."""

_BACK: Final = 16
"""Characters looked at before a stop; longer than any short form."""


def plain(text: str) -> str:
    """The text with one spelling for each digit, sign and space; every character keeps its place.

    >>> plain("\u22122\uff0e3\uff05 and 0.4\u20130.6")
    '\u22122.3% and 0.4-0.6'
    """
    same = text.translate(_SAME)
    if same.isascii():
        return same
    return "".join(str(int(c)) if c.isdecimal() and not c.isascii() else c for c in same)


def sentences(text: str) -> list[str]:
    """The sentences of a text, without the space around them.

    >>> sentences("Inc. sales (px.close) rose 5.1% vs. 2%. E.g. the U.S. unit did well! 1. Next")
    ['Inc. sales (px.close) rose 5.1% vs. 2%.', 'E.g. the U.S. unit did well!', '1. Next']
    """
    return [text[start:end] for start, end in sentence_spans(text)]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """First and last position of each sentence; only space lies between them."""
    spans: list[tuple[int, int]] = []
    start = 0
    for found in _END.finditer(text):
        if _ends(text, start, found):
            spans.append((start, found.end()))
            start = found.end()
    spans.append((start, len(text)))
    trimmed = (_trimmed(text, *span) for span in spans)
    return [(a, b) for a, b in trimmed if a < b]


def _ends(text: str, start: int, found: re.Match[str]) -> bool:
    stop = found.group()
    if stop[0] != ".":
        return True
    if stop.startswith(".."):
        return not text[found.end() : found.end() + 2].strip()[:1].islower()
    before = text[max(start, found.start() - _BACK) : found.start() + 1]
    if found.start() - start < _BACK and _MARK.fullmatch(before):
        return False
    if _NUMBERED.search(before) and text[found.end() : found.end() + 2].strip()[:1].isdigit():
        return False
    if _NEVER.search(before):
        return found.end() == len(text)
    if stop == "." and _SELDOM.search(before):
        return _OPENER.match(text, found.end()) is not None
    return True


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())
