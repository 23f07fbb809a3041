"""Text from outside as plain text: what nobody can see taken out, HTML read as text, one form, a greatest length."""

from __future__ import annotations

import unicodedata
from html.parser import HTMLParser

PASSES = 4
"""Times a text is read as HTML: `&amp;lt;b&amp;gt;` hides a tag two layers deep."""

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Categories that are never shown: controls, direction and zero-width marks, tag characters, surrogates, private
and unassigned ones."""

INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Letters and marks that show nothing."""

DROPPED = frozenset({"script", "style", "template", "noscript", "head", "title", "iframe", "object", "svg"})
"""Elements whose content is no text for a reader."""


class _Text(HTMLParser):
    """What a reader of the page would see."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.tags = 0
        self._within: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Words on both sides of a tag stay apart."""
        self.tags += 1
        self.parts.append(" ")
        if tag in DROPPED:
            self._within.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """The end of an element that was dropped."""
        self.tags += 1
        self.parts.append(" ")
        if self._within and self._within[-1] == tag:
            self._within.pop()

    def handle_data(self, data: str) -> None:
        """Text, unless an element around it is dropped."""
        if not self._within:
            self.parts.append(data)


def clean(text: str, limit: int) -> tuple[str, tuple[str, ...]]:
    """The text as plain words on one line, at most `limit` characters, and what was done to it. May come out empty.

    >>> clean("Up <b>5\u200b%</b> &amp; more", 40)
    ('Up 5% & more', ('invisible characters removed', 'HTML read as text'))
    >>> clean("abcdef", 4)
    ('abc…', ('cut to 4 characters',))
    """
    notes: dict[str, None] = {}
    found = text[: 20 * limit]
    for _ in range(PASSES):
        before, found = found, _once(found, notes)
        if found == before:
            break
    if len(found) > limit or len(text) > 20 * limit:
        found = found[: limit - 1].rstrip() + "…"
        notes[f"cut to {limit} characters"] = None
    return found, tuple(notes)


def _once(text: str, notes: dict[str, None]) -> str:
    """One pass: seen characters in one form, then read as HTML."""
    seen = _visible(text, notes)
    if "<" not in seen and "&" not in seen:
        return seen
    page = _Text()
    page.feed(seen)
    page.close()
    if page.tags:
        notes["HTML read as text"] = None
    return _visible("".join(page.parts), notes)


def _visible(text: str, notes: dict[str, None]) -> str:
    """In compatibility form, without what is never shown, single spaces between words."""
    kept = "".join(one for one in text if one.isspace() or not _hidden(one))
    if kept != text:
        notes["invisible characters removed"] = None
    formed = unicodedata.normalize("NFKC", kept)
    return " ".join("".join(one for one in formed if one.isspace() or not _hidden(one)).split())


def _hidden(one: str) -> bool:
    code = ord(one)
    selector = 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF
    return selector or one in INVISIBLE or unicodedata.category(one) in HIDDEN
