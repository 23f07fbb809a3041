"""How the offline desk quotes evidence, and how it keeps within a limit of characters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import shorten

from phases.maths.currency import usd_digits
from phases.maths.lean import LEANS
from schemas.market import Evidence

LABEL_LIMIT = 50
VALUE_LIMIT = 22
"""Three quotes fit into one argument, whatever their items are called."""


LEAST_SHOWN = 0.0005
"""Smallest ratio that one decimal of a percent shows."""


def value_text(item: Evidence) -> str:
    """The value as a reader writes it.

    >>> from datetime import date
    >>> day = date(2012, 6, 29)
    >>> item = Evidence(id="px.ret_63d", label="return", value=-0.0512, unit="ratio", lean=-0.3,
    ...                 as_of=day, known_at=day, source="x", tier=1, stale=False)
    >>> value_text(item)
    '-5.1%'
    """
    if not isinstance(item.value, float):
        return shorten(str(item.value), VALUE_LIMIT, placeholder="…")
    if item.unit == "ratio":
        signed = item.id in LEANS and LEANS[item.id].centre == 0
        places = 1 if abs(item.value) >= LEAST_SHOWN or not item.value else 2
        return f"{100 * item.value:{'+' if signed else ''}.{places}f}%"
    return f"${item.value:.{usd_digits(item.value)}f}" if item.unit == "usd" else f"{item.value:.2f}"


def label_text(item: Evidence) -> str:
    """The label, cut at a word where it is long."""
    return shorten(item.label, LABEL_LIMIT, placeholder="…")


def quote(item: Evidence) -> str:
    """Label, value and id of an item."""
    stale = ", stale" if item.stale else ""
    return f"{label_text(item)} {value_text(item)} ({item.id}{stale})"


def first_quoted(text: str, items: Iterable[Evidence]) -> Evidence | None:
    """The item whose id a text quotes first; absent if it quotes none."""
    found = [
        (at, item.id, item) for item in items if (at := re.search(rf"\({re.escape(item.id)}[,)]", text)) is not None
    ]
    return min(((at.start(), name, item) for at, name, item in found), default=(0, "", None))[2]


def first_fit(limit: int, *versions: str) -> str:
    """The first version of a text that is short enough; else the last one, cut at a word.

    >>> first_fit(12, "a long version", "a short one"), first_fit(8, "too long for it")
    ('a short one', 'too…')
    """
    return next((text for text in versions if len(text) <= limit), shorten(versions[-1], limit, placeholder="…"))


def first_sentence(text: str) -> str:
    """A text up to the end of its first sentence, without the mark.

    >>> first_sentence("It fell by 1.5%. It may rise.")
    'It fell by 1.5%'
    """
    return re.split(r"[.!?](?=\s|$)", text.strip())[0]
