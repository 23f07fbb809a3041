"""Numbers in prose: what each one says, in which kind of unit, and in which direction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final, Literal, NamedTuple

from phases.maths.exempt import CURRENCIES, exempt
from phases.maths.prose import plain, sentence_spans

Kind = Literal["plain", "scaled", "percent", "points", "money", "times", "bp", "days"]
Hedge = Literal["exact", "about", "above", "below"]

LONGEST: Final = 40
"""Digits read of one number; a longer one is no value anybody gave."""


class Figure(NamedTuple):
    """One number that claims something."""

    text: str
    """As written, with sign, currency and unit."""
    start: int
    end: int
    value: Fraction
    """In the unit of its kind: 5.1 for `5.1%`, 1850000000 for `$1.85B`; below zero only with a minus sign."""
    places: int
    """Decimals shown."""
    step: Fraction
    """One unit of the last digit shown."""
    coarse: Fraction
    """The same, if zeros at the end of a whole number are not counted as shown."""
    kind: Kind
    sign: int
    """-1 or 1 where a sign is written, else 0."""
    lean: int
    """-1 beside a word that says down or below, 1 beside one that says up or above, else 0."""
    hedge: Hedge
    """How it is limited: `about 5%`, `more than 5%`, `less than 5%`."""
    compares: bool
    """True before a word such as `above` or `lower`: it may be a distance from 1."""
    ids: tuple[str, ...]
    """Evidence ids it is tied to: named right after it in brackets, or right before it."""
    near: tuple[str, ...]
    """Every evidence id of its sentence."""
    shared: Kind | None
    """Unit of the next number, where it may share that: percent for the first of `5 to 6 percent`."""


_NUMBER: Final = re.compile(
    r"\d{1,3},\d{1,2}(?=\s?%)"
    r"|(?:\d{1,3}(?:[,\u00a0']\d{3}){1,8}(?!\d)|\d+)(?:\.\d+)?(?:[eE][+-]?\d{1,2}(?!\w))?"
    r"|(?<![\w.])\.\d+"
)
_BEFORE: Final = re.compile(
    r"(?:(?P<sign>[-+\u2212]|\b(?:minus|plus|negative|positive)\s)(?P<gap>\s?))?"
    rf"(?:(?P<money>(?:\b(?:US|C|A|HK|NZ|S))?[$€£¥₹]|\b(?:{CURRENCIES}|Rs\.?))\s?(?P<inner>[-+\u2212])?)?$",
    re.IGNORECASE,
)
_SCALES: Final = {"k": 3, "m": 6, "b": 9, "t": 12}
_AFTER: Final = re.compile(
    r"(?:[\s-]?(?P<word>thousand|trillion|million|billion|mln|mn|bln|bn|trn|tn)\b|(?P<glued>\s?(?:k|mm?|b|t))(?!\w))?"
    r"(?P<unit>\s?%(?:[ -]points?\b)?|\s?x(?!\w)|[\s-]?(?:percent(?:age)?[ -]points?|per[ -]?cent|pct|ppts?|pp|bps?"
    r"|basis[ -]points?|times|fold|points?|pts?|dollars?|euros?|pounds sterling|yen|cents?|days?"
    rf"|{CURRENCIES})(?![A-Za-z]))?",
    re.IGNORECASE,
)
_KINDS: Final[Sequence[tuple[str, Kind]]] = (
    ("basis|bp", "bp"),
    ("%|per|pct|pp", "percent"),
    ("x|times|fold", "times"),
    ("po?i?n?ts?$", "points"),
    ("days?", "days"),
    ("", "money"),
)
_KINDS_AT: Final = tuple((re.compile(start, re.IGNORECASE), kind) for start, kind in _KINDS)

_ONES: Final = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_TENS: Final = ("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS: Final = {word: at for at, word in enumerate(_ONES, 1)} | {word: 10 * at for at, word in enumerate(_TENS, 3)}
_ANY_WORD: Final = "|".join(sorted(_WORDS, key=len, reverse=True))
_SPELLED: Final = re.compile(
    rf"\b(?P<tens>{_ANY_WORD})(?:[- ](?P<ones>{_ANY_WORD}))?"
    r"(?=[ -](?:percent|per cent|basis points?|million|billion|trillion|dollars)\b)",
    re.IGNORECASE,
)

_FILLER: Final = (
    r"(?:(?:by|of|about|around|roughly|approximately|approx\.|nearly|almost|some|circa|only|just|another|an?|the|its|a"
    r" further|further|additional|more than|less than|over|under|above|below|at least|at most|as much as|up to|close to"
    r"|well|sharply|slightly|modestly|steeply|steep|total|full|net|mere|estimated|[~>≥≤<≈]=?)\s*){0,5}"
)
_FALL: Final = (
    r"f[ae]ll(?:s|en|ing)?|down|dropp?(?:s|ed|ing)?|declin(?:es?|ed|ing)|loss(?:es)?|lost|los(?:es?|ing)|slid(?:es?)?"
    r"|slipp?(?:s|ed)?|sank|sinks?|shed(?:s|ding)?|tumbl(?:es?|ed|ing)|plung(?:es?|ed|ing)|retreat(?:s|ed)?"
    r"|decreas(?:es?|ed|ing)|shrank|shrinks?|contracted|contraction|lag(?:s|ged|ging)?|trail(?:s|ed)|underperform\w*"
    r"|off|weaker|lower|behind|pullback|slump(?:s|ed)?|crash(?:es|ed)?|dip(?:s|ped)?|g[ai]ve[sn]? (?:back|up)|negative"
)
_RISE: Final = (
    r"r[io]se[sn]?|rising|up|gain(?:s|ed|ing)?|climb(?:s|ed|ing)?|advanc(?:es?|ed|ing)|rall(?:y|ies|ied)|jump(?:s|ed)?"
    r"|surg(?:es?|ed)|soar(?:s|ed)?|increas(?:es?|ed|ing)|grew|grow(?:s|n|ing)?|growth|add(?:s|ed)|outperform\w*"
    r"|beat(?:s|en|ing)?|leads?|led|ahead|higher|improv(?:es?|ed|ement)|expand(?:s|ed)|expansion|rebound(?:s|ed)?"
    r"|recover(?:s|ed)|positive"
)
_PART: Final = (
    r"\s*-?(?:(?:steep|sharp|further|weekly|monthly|quarterly|annual|yearly|price|share|revenue|total|relative|excess"
    r"|modest|small|large|point|move|to the|\d{1,3}-\w{1,9}) ){0,2}"
)
_FELL_BEFORE: Final = re.compile(rf"\b(?:{_FALL})\s+(?:{_FILLER}$|(?:\S+ ){{0,6}}by\s+{_FILLER}$)", re.IGNORECASE)
_ROSE_BEFORE: Final = re.compile(rf"\b(?:{_RISE})\s+(?:{_FILLER}$|(?:\S+ ){{0,6}}by\s+{_FILLER}$)", re.IGNORECASE)
_FELL_AFTER: Final = re.compile(
    rf"{_PART}(?:below|under(?!\w)|lower|beneath|down(?:side)?\b|drop|fall\b|decline|loss\b|slide|slump|pullback|decrease"
    r"|contraction|underperformance|behind|short of|off\b|less\b|worse|weaker|dip\b|retreat|sell-?off|plunge)",
    re.IGNORECASE,
)
_ROSE_AFTER: Final = re.compile(
    rf"{_PART}(?:above|higher|gain\b|gains\b|rise\b|increase|advance|rally|jump|up\b|ahead|growth|outperformance|lead\b"
    r"|rebound|climb|improvement|more\b|better|stronger|surge)",
    re.IGNORECASE,
)
_TURNED: Final = re.compile(
    rf"{_PART}(?:above|below|under|higher than|lower than|beneath)"
    r" (?:the (?:last |latest |current )?(?:price|close|stock|share price|shares)|it|here|spot|today|today's)\b",
    re.IGNORECASE,
)
"""A level seen from the price: the value given is the price seen from the level."""

_COMPARES: Final = re.compile(
    r"\s*(?:above|below|higher|lower|over|under|more|less|wider|narrower|thinner|heavier)\b", re.IGNORECASE
)
_ABOVE: Final = re.compile(
    r"(?:(?<!no )(?<!not )\bmore than|\bover|\babove|\bat least|\bgreater than|\bexceed(?:s|ed|ing)?|\bno less than"
    r"|\bnorth of|\bupwards? of|\bin excess of|>=?|≥)\s*(?:(?:the|a|an|its)\s)?$",
    re.IGNORECASE,
)
_BELOW: Final = re.compile(
    r"(?:\bno more than|\bnot more than|(?<!no )\bless than|\bunder|\bbelow|\bbeneath|\bat most|\bup to|\bas much as"
    r"|\bsouth of|\bshort of|<=?|≤)\s*(?:(?:the|a|an|its)\s)?$",
    re.IGNORECASE,
)
_ABOUT: Final = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|circa|ca\.|near(?:ly)?|almost|some|close to)\s|[~≈])"
    r"\s*(?:(?:the|a|an)\s)?$",
    re.IGNORECASE,
)
_JOINT: Final = re.compile(r"\s?(?:-|to|and|or|,|,\sand|vs\.?|versus|against)\s?[(]?", re.IGNORECASE)

_ID: Final = r"[a-z]{1,20}\.[a-z][a-z0-9_]{0,58}"
_IDS: Final = re.compile(rf"(?<![\w.]){_ID}(?![\w.]*@)")
_CITED: Final = re.compile(rf"[\s'\"*]{{0,3}}[(\[][\s`'\"]?(?P<ids>{_ID}(?:[`'\"]?(?:,|;|\sand)\s[`'\"]?{_ID}){{0,8}})")
_BESIDE: Final = re.compile(rf"[,;]\s[`'\"]?(?P<ids>{_ID})")
"""An id after a number that itself opens a bracket."""
_NAMED: Final = re.compile(
    rf"(?<![\w.])(?P<id>{_ID})[`'\")\]*]{{0,3}}\s*(?:(?:is|was|of|at|reads?|stands?|shows?|came|comes?|in|equals|sits|has"
    r"|being|now|still|currently|only|just|about|roughly|around|nearly|above|below|over|under|more|less|than|[=:(>≥<≤~])"
    r"\s*){0,5}$"
)
_LOOK: Final = 90
"""Characters looked at on either side of a number."""


def numbers(text: str, names: Iterable[str] = (), *, whole: bool = True) -> tuple[Figure, ...]:
    """Every number of a text that claims something, in order; positions are those of the text.

    Whole days ("12 days") count; `phases.maths.grounding` lets them pass where no value is in days.
    `names` are words whose digits claim nothing, for example a ticker. Not `whole`: many that claim nothing, too.

    >>> [(one.text, one.kind, one.places) for one in numbers("Q3 sales rose 12% to $1.85B, 1.25 times those of FY25.")]
    [('12%', 'percent', 0), ('$1.85B', 'money', 2), ('1.25 times', 'times', 2)]
    """
    same, held = plain(text), [name for name in names if any(c.isdecimal() for c in name)]
    found: list[Figure] = []
    for start, end in sentence_spans(text):
        for one in _of_sentence(same[start:end], held, whole):
            a, b = start + one.start, start + one.end
            found.append(one._replace(text=text[a:b], start=a, end=b))
    return tuple(found)


def _of_sentence(sentence: str, names: Sequence[str], whole: bool) -> list[Figure]:
    mask = exempt(sentence, names, whole=whole)
    near = tuple(dict.fromkeys(_IDS.findall(sentence)))
    spots = [(one.start(), one.end(), one.group()) for one in _NUMBER.finditer(sentence)]
    told = [_figure(sentence, *spot, near) for spot in spots if not mask[spot[1] - 1]]
    for one in _SPELLED.finditer(sentence):
        count = _WORDS[one["tens"].lower()] + _WORDS.get((one["ones"] or "").lower(), 0)
        told.append(_figure(sentence, one.start(), one.end(), str(count), near))
    told.sort(key=lambda one: one.start)
    return _tied(sentence, _sharing(sentence, told))


def _figure(sentence: str, start: int, end: int, digits: str, near: tuple[str, ...]) -> Figure:
    before = _BEFORE.search(sentence[max(0, start - 16) : start])
    assert before is not None  # it matches the empty text
    after = _AFTER.match(sentence, end)
    assert after is not None
    sign, first = _sign(sentence, start - len(before.group()), before)
    kind, scale, last = _unit(before["money"] is not None, after)
    size, places = _read(digits)
    unit = Fraction(10) ** scale
    step = unit / 10**places
    ahead = sentence[max(0, first - _LOOK) : first]
    behind = sentence[last : last + _LOOK]
    return Figure(
        text=sentence[first:last],
        start=first,
        end=last,
        value=(-1 if sign < 0 else 1) * size * unit,
        places=places,
        step=step,
        coarse=step if places or not size else unit * 10 ** _zeros(size),
        kind=kind,
        sign=sign,
        lean=_lean(ahead, behind),
        hedge=_hedge(ahead),
        compares=_COMPARES.match(behind) is not None,
        ids=(),
        near=near,
        shared=None,
    )


def _sign(sentence: str, first: int, before: re.Match[str]) -> tuple[int, int]:
    """The written sign and where the figure starts: a dash after a word or a number is none."""
    mark = (before["sign"] or before["inner"] or "").strip().lower()
    if before["sign"] and len(mark) == 1:
        spaced = before["gap"] and mark != "\u2212"
        glued = sentence[first - 1 : first] if first else ""
        if spaced or (glued and (glued.isalnum() or glued in "%)+-/_")):
            return 0, first + len(before["sign"]) + len(before["gap"])
    return -1 if mark in ("-", "\u2212", "minus", "negative") else 1 if mark else 0, first


def _unit(money: bool, after: re.Match[str]) -> tuple[Kind, int, int]:
    """Kind, power of ten and end of the figure."""
    glued = after["glued"] or ""
    if glued[:1].isspace() and not money:  # "at 5 b" is not five billion
        return "plain", 0, after.start()
    word = (after["word"] or glued.strip()).lower()
    scale = 3 if word == "thousand" else _SCALES[word[0]] if word else 0
    unit = (after["unit"] or "").strip(" \u00a0-").lower()
    if money or not unit:
        kind: Kind = "money" if money else "scaled" if scale else "plain"
        return kind, scale, after.end()
    kind = next(kind for start, kind in _KINDS_AT if start.match(unit))
    return kind, scale - (2 if unit.startswith("cent") else 0), after.end()


def _read(digits: str) -> tuple[Fraction, int]:
    """Size and decimals of the digits as written."""
    if re.fullmatch(r"\d{1,3},\d{1,2}", digits):
        digits = digits.replace(",", ".")
    bare, _, power = re.sub(r"[,\u00a0']", "", digits).lower().partition("e")
    whole, _, part = bare.partition(".")
    whole, part = whole[:LONGEST], part[:LONGEST]
    size = Fraction(int(whole + part or "0"), 10 ** len(part))
    shift = int(power or "0")
    return size * Fraction(10) ** shift, len(part) - shift


def _zeros(size: Fraction) -> int:
    shown = str(size.numerator)
    return len(shown) - len(shown.rstrip("0"))


def _lean(ahead: str, behind: str) -> int:
    if _TURNED.match(behind):
        return 0
    clause = re.split(r"[;:]|[.,]\s", ahead)[-1]
    before = (_ROSE_BEFORE.search(clause) is not None) - (_FELL_BEFORE.search(clause) is not None)
    if re.search(r"\babove\s+$", ahead, re.IGNORECASE) and not before:
        before = 1
    after = (_ROSE_AFTER.match(behind) is not None) - (_FELL_AFTER.match(behind) is not None)
    return 0 if before * after < 0 else before or after


def _hedge(ahead: str) -> Hedge:
    if _BELOW.search(ahead):
        return "below"
    if _ABOVE.search(ahead):
        return "above"
    return "about" if _ABOUT.search(ahead) else "exact"


def _sharing(sentence: str, told: Sequence[Figure]) -> list[Figure]:
    """Plain numbers may share the unit of the number they are joined to."""
    done: list[Figure] = []
    later: Figure | None = None
    for one in reversed(told):
        if later and one.kind == "plain" and _JOINT.fullmatch(sentence[one.end : later.start]):
            kind = later.shared or later.kind
            later = one._replace(shared=kind if kind in ("percent", "points", "bp", "times") else None)
        else:
            later = one
        done.append(later)
    return done[::-1]


def _tied(sentence: str, told: Sequence[Figure]) -> list[Figure]:
    """Each figure with the ids it is tied to.

    Ids in brackets right after a figure are its own if the figures since the last bracket are not more
    than the ids; an id right before a figure is its own unless the figure is a distance from it.
    """
    done: list[Figure] = []
    since, count = 0, 0
    for one in told:
        count = 1 if ")" in sentence[since : one.start] else count + 1
        since = one.end
        opens = sentence.endswith(("(", "["), 0, one.start)
        cited = (_BESIDE if opens else _CITED).match(sentence, one.end)
        ids = tuple(_IDS.findall(cited["ids"])) if cited else ()
        if len(ids) < count:
            ids = ()
        if not cited and not one.compares:
            named = _NAMED.search(sentence[max(0, one.start - _LOOK) : one.start])
            ids = (named["id"],) if named else ()
        done.append(one._replace(ids=ids))
    return done
