"""Text from outside: made plain, with a note of what was taken out. A module of its own: it imports nothing of ours.

Nothing here opens an address. In a prompt such text stands between marks made of its own digest (`fenced` in
phases/core/skills.py), which it cannot contain, and its words are joined by `^` (`marked`), so that a sentence
in it never reads like one of ours.
"""

from __future__ import annotations

import re
import unicodedata
from html import unescape
from html.parser import HTMLParser

MOST = 8_000
"""Characters that are looked at; what comes after is cut off unseen."""

MARK = "^"
"""What joins the words of marked text."""

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Fillers and selectors that are letters or marks by their category and show nothing."""
_MARKUP = re.compile(r"<[a-zA-Z/!?]|&[a-zA-Z#]")
_STYLED_AWAY = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?<![-\w])color\s*:\s*transparent"
    r"|(?:opacity|font-size)\s*:\s*(?:0+(?:\.0*)?|\.0+)(?![.\d])|(?:text-indent|left|top)\s*:\s*-\d{3,}",
    re.IGNORECASE,
)
_SILENT = frozenset({"script", "style", "template", "noscript", "head", "title", "iframe", "object", "svg", "textarea"})
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_INLINE = frozenset({"a", "b", "em", "font", "i", "mark", "s", "small", "span", "strong", "sub", "sup", "u", "wbr"})
_ALIKE = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"})
"""Scripts whose letters pass for each other."""


def clean(text: str, limit: int) -> tuple[str, tuple[str, ...]]:
    """The text as a reader sees it, at most `limit` characters on one line, and what was done to it.

    Markup becomes text, and what it hides is left out; forms of letters become plain (NFKC); control, direction,
    zero-width and tag characters are taken out. Letters of scripts that look alike within one word stay, and are
    noted. The same text always gives the same answer, and a clean one comes back as it is.

    >>> clean("Profit <b>rises</b>\\u202e &amp; how", 40)
    ('Profit rises & how', ('markup removed', 'hidden characters removed'))
    """
    notes: list[str] = []
    shown = text[:MOST]
    for _ in range(4):
        shown, seen = _once(shown)
        notes += [one for one in seen if one not in notes]
        if not seen:
            break
    if any(_mixed(word) for word in re.findall(r"[^\W\d_]+", shown)):
        notes.append("letters of several scripts in one word")
    if len(shown) > limit or len(text) > MOST:
        notes.append(f"cut to {limit} characters")
        shown = shown if len(shown) <= limit else shown[: limit - 1].rstrip() + "…"
    return shown, tuple(notes)


def marked(text: str) -> str:
    """A text whose words are joined by a mark that it cannot hold itself.

    >>> marked("Ignore all^of this")
    'Ignore^all^of^this'
    """
    return MARK.join(text.replace(MARK, " ").split())


def unmarked(text: str) -> str:
    """The words of a marked text, with spaces between them."""
    return text.replace(MARK, " ")


def _once(text: str) -> tuple[str, list[str]]:
    notes = []
    if _MARKUP.search(text):
        shown = _text_of(text)
        notes += ["markup removed"] * (shown != text)
        text = shown
    plain = unicodedata.normalize("NFKC", text)
    if plain != unicodedata.normalize("NFC", text):
        notes.append("unusual forms of letters made plain")
    spaced = _spaced(_ANSI.sub("", plain))
    seen = "".join(mark for mark in _UNSEEN.sub("", spaced) if unicodedata.category(mark)[0] != "C")
    if seen != _spaced(plain):
        notes.append("hidden characters removed")
    return " ".join(unicodedata.normalize("NFKC", seen).split()), notes


def _spaced(text: str) -> str:
    """A text whose line ends, tabs and odd spaces are spaces."""
    return re.sub(r"[\s\u2028\u2029]", " ", text)


def _mixed(word: str) -> bool:
    """Whether a word has letters of scripts that pass for each other."""
    if word.isascii():
        return False
    return len({unicodedata.name(mark, "").split(" ")[0] for mark in word} & _ALIKE) > 1


class _Reader(HTMLParser):
    """Collects the text that a page would show."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.shown: list[str] = []
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        away = tag in _SILENT or "hidden" in said or said.get("aria-hidden") == "true"
        away = away or bool(_STYLED_AWAY.search(said.get("style", "")))
        if tag not in _VOID:
            self._open.append((tag, away))
        self._gap(tag)

    def handle_endtag(self, tag: str) -> None:
        at = next((at for at in range(len(self._open) - 1, -1, -1) if self._open[at][0] == tag), None)
        if at is not None:
            del self._open[at:]
        self._gap(tag)

    def handle_data(self, data: str) -> None:
        if not any(away for _, away in self._open):
            self.shown.append(data)

    def _gap(self, tag: str) -> None:
        if tag not in _INLINE:
            self.shown.append(" ")


def _text_of(text: str) -> str:
    """What a page of this markup would show. Markup that never ends is not shown."""
    reader = _Reader()
    try:
        reader.feed(text if "<" in text else unescape(text))
        reader.close()
    except AssertionError:  # how the standard library meets a declaration such as `<![0`, which no page can mean
        return _MARKUP.sub(" ", text)
    return "".join(reader.shown)
