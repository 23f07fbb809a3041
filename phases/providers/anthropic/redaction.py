"""What a server or a library says, made fit to be shown: without the key, printable, short."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass, field
from urllib.parse import quote

from phases.core.text import printable

KEY_LIKE = re.compile(r"sk-ant-[A-Za-z0-9_-]{8,}")
"""Anything that looks like a key, whoever's it is."""

SHORTEST = 8
"""A shorter key is a local server's dummy; hiding it would hide ordinary words."""

WORDS = 300
"""Most characters that are quoted."""


@dataclass(frozen=True)
class Redaction:
    """Takes one key out of texts. Its own repr shows nothing."""

    key: str | None = field(repr=False)

    def hide(self, text: str) -> str:
        """The text with every spelling of the key replaced."""
        for spelling in self._spellings():
            text = text.replace(spelling, "[key]")
        return KEY_LIKE.sub("[key]", text)

    def words(self, text: str) -> str:
        """The text as part of one line of a message."""
        return printable(" ".join(self.hide(text).split()))[:WORDS]

    def _spellings(self) -> tuple[str, ...]:
        if self.key is None or len(self.key) < SHORTEST:
            return ()
        return (self.key, quote(self.key, safe=""), b64encode(self.key.encode()).decode().rstrip("="))
