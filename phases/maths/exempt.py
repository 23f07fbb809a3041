"""Digits that claim nothing: dates, windows, names, ids, list marks, references, ordinals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

CURRENCIES: Final = "USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|HKD|SGD|INR|CNY|RMB|KRW|SEK|NOK|DKK"

MEASURES: Final = (
    r"%|percent(?:age)?[ -]points?|percent|per[ -]cent|pct|ppts?|pp|bps?|basis[ -]points?|thousand|million|billion"
    r"|trillion|mln|mn|bln|bn|tn|trn|dollars?|cents?|times|points?|pts?|shares|x|USD|EUR|GBP"
)
"""Words that make the number before them a claim, whatever stands before the number."""

_BARE: Final = rf"(?![\d%]|[.,]\d|[ -]?(?:{MEASURES})(?![A-Za-z]))"
"""A whole number ends here, and no measure follows."""

_FREE: Final = r"(?<![\w.,$€£¥₹%+−-])"
"""Nothing stands before that makes it part of a longer number, a sum of money or a signed number."""

_TIME: Final = (
    r"(?:(?:trading|business|calendar|straight|consecutive|fiscal|full|more|additional|further|past|last|prior|of the)"
    r"[- ]){0,2}(?:session|day|week|month|quarter|year|hour|minute|second|night|decade|bar|period|yr|mo|mth|wk|qtr)s?\b"
)

_MONTH: Final = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)

_USUAL: Final = "(?:5|10|14|20|21|30|50|63|90|100|126|200|252)"
"""Usual window lengths: they may share the unit of the window that is named next."""

_DATES: Final = (
    r"\b\d{4}-\d{2}(?:-\d{2})?(?![\d%]|[.,]\d)",
    r"\b\d{4}/\d{1,2}/\d{1,2}\b",
    r"\b\d{1,2}[/.]\d{1,2}[/.](?:19|20)?\d{2}\b(?!%)",
    rf"\b{_MONTH}[ \u00a0-]?\d{{1,2}}(?:st|nd|rd|th)?(?:\s?(?:-|to|and)\s?\d{{1,2}})?{_BARE}(?:,?\s(?:19|20)\d\d\b)?",
    rf"{_FREE}\d{{1,2}}(?:st|nd|rd|th)?(?:\s?-\s?\d{{1,2}})?[ \u00a0-](?:of )?{_MONTH}(?:,?[ \u00a0-](?:19|20)\d\d\b)?",
    rf"{_FREE}(?:1[89]|20)\d\d(?:[-/](?:(?:19|20)\d\d|\d\d))?(?:s|E|A)?\b{_BARE}",
    rf"{_FREE}2100\b{_BARE}",
    r"\b[A-Za-z]{2,10}-(?:19|20)\d\ds?\b",
    r"\b(?:FY|CY|H[12]|Q[1-4])[ /]?'?\d{2,4}(?:[-/]\d{2,4})?E?\b(?![.,]\d|%)",
    r"'\d\ds?\b",
    r"\b\d0s\b",
    r"\b\d{1,2}:\d{2}(?::\d{2})?\b",
    r"\b\d{1,2}\s?[ap]\.?m\b",
)

_CODES: Final = (
    r"\b\d{1,2}-[A-Z][A-Za-z]*\b(?!-)",
    r"\b\d{1,6}\.[A-Z]{1,3}\b",
    r"\b[A-Z][A-Za-z]{1,9} ?\((?:2|7|9|12|14|20|21|26|50|200)(?:,\s?\d{1,2}){0,2}\)",
)
"""Forms (`10-K`), numeric tickers (`0700.HK`) and indicators with their settings (`RSI(14)`)."""

_WINDOWS: Final = (
    rf"{_FREE}\d{{1,4}}(?:/\d{{1,4}}){{0,2}}-{_TIME}",
    rf"{_FREE}\d{{1,4}}(?:-?/|-?\s?to\s|-)\d{{1,4}}[- ]{_TIME}",
    rf"{_FREE}\d{{1,4}}-,?\s(?:(?:\d{{1,4}}-,?\s){{0,3}}(?:and|or|to|versus|vs\.?)\s)?\d{{1,4}}-{_TIME}",
    rf"{_FREE}\d{{1,4}}(?:,\s\d{{1,4}}){{0,4}},?\s(?:and|or|to)\s\d{{1,4}}\s{_TIME}",
    rf"{_FREE}{_USUAL}(?:,\s{_USUAL}){{0,4}},?\s(?:and|or|to|over|versus|vs\.?)\s(?:the\s)?{_USUAL}-{_TIME}",
    rf"{_FREE}\d{{1,4}}\s(?!days?\b){_TIME}",
    r"\b(?:over|last|past|previous|prior|next|trailing|first|final|within|during|for|across|every|after|these|those|(?:week|month|quarter|year|window|period|span)\sof)"
    r"\s(?:the\s)?\d{1,4}\sdays?\b",
    r"\b\d{1,3}(?:M|m)(?=\s(?:returns?|momentum|change|highs?|lows?|average|avg|forward|trailing|vol|volatility|bills?"
    r"|yield|correlation|performance|moving|target|horizon|beta|ahead|T-bill|Libor|Euribor|SOFR)\b)",
    r"\b(?:SMA|EMA|WMA|DMA|MA|moving averages?)[- ]?\(?\d{1,3}\)?(?![\d%]|[.,]\d)",
    r"\b\d{1,3}(?:(?:-?/|- and |-)\d{1,3})?[- ]?(?:[sewd]?ma|moving averages?)\b",
)

_NOUNS: Final = (
    r"rounds?|claims?|points?|items?|reasons?|articles?|notes?|tables?|figures?|fig\.|appendix|steps?|phase"
    r"|stage|tier|level|grade|type|class|scope|basel|version|gen|nos?\.|number|nr\.|day|week|month|quarter|year|turns?"
    r"|seats?|case|axis|model|title|part|schedule|big|mag|magnificent|area|vision|Q|iPhone|Windows|PlayStation|Android"
    r"|iOS|Falcon|Channel|Pier|Studio"
)

_LONG_NOUNS: Final = (
    r"sections?|sec\.|chapter|rule(?: of)?|forms?|pages?|series|group of|top|fortune|forbes|route|Xbox|Boeing|IFRS|IAS"
    r"|ASC|ISO|Formula"
)
"""Nouns whose number may have four digits."""

_COUNTED: Final = (
    r"reasons?|points?(?= (?:in favou?r|for|against|to make))|claims?|ax[ei]s|factors?|items?|arguments?|sides?|rounds?"
    r"|things?|ways?|steps?|questions?|signals?|indicators?|analysts?|seats?|cases?|pillars?|risks?|drivers?|catalysts?"
    r"|tests?|conditions?|moves?|facts?|sources?|measures?|readings?|turns?|views?|sentences?|legs?|names?|parts?"
)

_REFERENCES: Final = (
    r"\bS&P[ -]?\d{3,4}(?![\d%]|[.,]\d)",
    r"\b(?:Russell|Nasdaq|FTSE|Nikkei|DAX|MDAX|CAC|Stoxx|Dow|CSI|ASX|TSX|Fortune|Wilshire|Topix|Kospi|Nifty|Ibex|SMI|OMX"
    rf"|AEX|Sensex|Hang Seng|KBW|OEX|Ivy|MIB|Value Line)[ -]\d{{2,4}}{_BARE}",
    rf"\b(?:{_NOUNS})[ -]?\d{{1,2}}(?:(?:,\s|,?\s(?:and|or|to)\s|-)\d{{1,2}}){{0,4}}{_BARE}",
    rf"\b(?:{_LONG_NOUNS})[ -]?\d{{1,4}}(?:(?:,?\s(?:and|or|to)\s|-)\d{{1,4}})?{_BARE}",
    r"\bexhibits?\s\d{1,2}(?:\.\d{1,2})?\b",
    r"#\s?\d{1,3}\b",
    rf"{_FREE}\d{{1,2}}\s(?:for|against) the (?:bull|bear)s?\b",
    rf"{_FREE}\d{{1,2}}\s(?:of (?:them|these|those)|stands?|falls?|remain(?:s|ed)?|went unanswered)\b"
    r"(?! (?:at|by))",
    r"\*\*\d{1,2}[.)]",
    r"\b(?:Web|Industry) \d\.0\b",
    rf"{_FREE}\d{{1,2}}(?:(?:\s?/\s?|\s(?:of|out of)\s)(?:the\s)?(?:\d{{1,2}}|two|three|four|five|six))?"
    rf"{_BARE}(?:\s[a-z]{{3,12}})?[ -](?:{_COUNTED})\b",
    r"\b(?:[1-9]|1\d|2[0-4])/(?:7|11)\b(?!\.)",
    rf"{_FREE}(?:\d{{1,2}}/\d{{1,2}}|{_USUAL}/{_USUAL}){_BARE}",
    r"\b(?:50-50|80-20|60-40)\b",
    r"\b\d{3}\([a-z]\)",
    r"\b\d+(?:\.\d+){2,}\b",
    r"\b\d{1,4}(?:st|nd|rd|th)\b",
    r"\b4K(?=\s(?:TVs?|video|displays?|screens?|streaming|monitors?|content|resolution)\b)",
    r"\b(?:neutral|overbought|oversold|midpoint|midline)(?:\s(?:line|level|mark|reading|threshold|of|at|value)){0,3}"
    rf"\s(?:20|30|50|70|80){_BARE}",
    rf"{_FREE}(?:20|30|50|70|80)[ -](?:line|mark|midline|midpoint|threshold)\b",
    r"\b(?:above|below|under|over|through|cross(?:es|ed)?|past|beneath|around|near)"
    r"\s0(?:\.0+)?(?:%| percent)?(?![\d.])",
    r"[(\[](?:1?\d|20)[)\]]",
    r"^[\s\"'(*\u2022-]*\d{1,2}[.)]\s",
    r"[:;.,]\s\d{1,2}[.)]\s(?=[A-Za-z])",
    r"https?://\S{1,400}",
)

_MASKS: Final = tuple(
    [re.compile(one) for one in (*_DATES, *_CODES)]
    + [re.compile(one, re.IGNORECASE) for one in (*_WINDOWS, *_REFERENCES)]
)

_COMMON: Final = (re.compile(_WINDOWS[0], re.IGNORECASE),)
"""What nearly every exempt number of a sentence on a market is: `63-session`."""

_WORD: Final = re.compile(r"(?<![\w.])[^\W\d][\w.]*")
"""A word that starts with a letter: an id, `SMA200`, `Q3`, `G7`, `bull.1.c1`."""

_MIXED: Final = re.compile(r"(?<![\w.,])\d+[A-Za-z][A-Za-z\d]*(?:-\d+)?(?![\w%])")
"""A word that starts with a digit: `5G`, `10b5-1`, `3Q25`, `63d`."""

_HYPHENED: Final = re.compile(r"(?<![\w.-])(?=[a-z]{0,20}[A-Z])[A-Za-z&]{1,24}-\d{1,4}(?![\d%]|[.,]\d)")
"""A name with a number after a hyphen: `COVID-19`, `F-150`."""

_SCALED: Final = re.compile(
    r"\d+(?:e\d+|k|mm?|mn|mln|b|bn|bln|t|tn|trn|x|bps?|pp|ppts?|pct|pts?|USD|EUR)", re.IGNORECASE
)
"""Words that start with a digit and are numbers all the same."""

_MONEY_WORD: Final = re.compile(rf"(?:{CURRENCIES}|Rs)\d", re.IGNORECASE)


def exempt(sentence: str, names: Iterable[str] = (), *, whole: bool = True) -> bytearray:
    """One byte for each character of a sentence in the plain alphabet: 1 where a digit claims nothing.

    `names` are words whose digits never claim anything, for example a ticker. Not `whole`: names, ids and
    window lengths only, at a tenth of the price.

    >>> sentence = "Q3 2026: px.ret_63d over 63 sessions is 5"
    >>> mask = exempt(sentence)
    >>> [c for c, off in zip(sentence, mask) if c.isdigit() and not off]
    ['5']
    """
    mask = bytearray(len(sentence))
    for pattern in _MASKS if whole else _COMMON:
        for found in pattern.finditer(sentence):
            _cover(mask, found.start(), found.end())
    for found in (*_WORD.finditer(sentence), *_MIXED.finditer(sentence), *_HYPHENED.finditer(sentence)):
        if _is_name(sentence, found):
            _cover(mask, found.start(), found.end())
    for name in names:
        if name:
            for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", sentence):
                _cover(mask, found.start(), found.end())
    return mask


def _is_name(sentence: str, found: re.Match[str]) -> bool:
    word = found.group()
    return not (sentence[found.end() : found.end() + 1] == "%" or _SCALED.fullmatch(word) or _MONEY_WORD.match(word))


def _cover(mask: bytearray, start: int, end: int) -> None:
    mask[start:end] = b"\1" * (end - start)
