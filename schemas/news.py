"""Typed news: what the reader is shown, what it may answer, and what the night makes of it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Day, Model, Text, Ticker
from schemas.market import Evidence, Missing

NewsId = Annotated[str, Field(pattern=r"^n[0-9a-f]{8}$")]
"""Digest of the title and publisher of an item."""

About = Literal["company", "sector", "market", "other"]
Happening = Literal[
    "earnings",
    "guidance",
    "analyst",
    "product",
    "legal",
    "regulation",
    "deal",
    "management",
    "capital",
    "macro",
    "other",
]
Direction = Literal["positive", "negative", "neutral", "unclear"]
Materiality = Literal["high", "medium", "low"]
Novelty = Literal["new", "repeat"]


class Headline(Model):
    """One piece of news as the reader sees it. The words of each text are joined by `^`."""

    id: NewsId
    """Name of the item."""
    title: Text
    """Headline, cleaned."""
    summary: Text | None
    """A few sentences, cleaned; absent where the source has none."""
    publisher: Text
    """Who published it, cleaned."""
    published: Day | None
    """Day of publication in UTC; absent where nobody knows it."""
    symbols: tuple[Ticker, ...]
    """Symbols that the source names for it."""


class NewsInputs(Model):
    """What the news reader is given: the only turn of a night that sees text from outside."""

    items: tuple[Headline, ...]
    """The items to type, oldest first."""
    ticker: Ticker
    """Symbol of the company that the news was asked for."""


class NewsType(Model):
    """The type of one item, in closed words."""

    id: NewsId
    """The item."""
    about: About
    """Whom it is about: the company of the ticker, its sector, the market, or something else."""
    event: Happening
    """What kind of thing happened."""
    direction: Direction
    """What it says for the company's shareholders."""
    materiality: Materiality
    """How much it can matter for the company's value."""
    novelty: Novelty
    """`repeat` if it only says again what an earlier item says or what was known before."""


class NewsReading(Model):
    """The reader's answer: a type for every item, and no free text."""

    items: tuple[NewsType, ...]
    """One entry an item."""


class NewsSnapshot(Model):
    """News of one ticker as typed evidence, without a word from outside."""

    ticker: Ticker
    """The ticker."""
    as_of: Day
    """The run's as-of date."""
    evidence: tuple[Evidence, ...]
    """Facts, sorted by id."""
    missing: tuple[Missing, ...]
    """Facts looked for and not found, sorted by id."""
    notes: tuple[Text, ...]
    """What was left out or looked odd, counted, in words of ours."""
    content_hash: Text
    """Digest of evidence and missing."""
