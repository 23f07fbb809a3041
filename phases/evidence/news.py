"""Items of typed news: copies of a story grouped, outlets in tiers, and a tilt that no copy and no outlet can carry.

The weight of a story is materiality x tier x novelty. All stories of one outlet together weigh at most `OUTLET_CAP`.
The tilt of a week is sum(weight x direction) / (sum(weight) + `DAMPING`), so that one story alone says little.
The numbers are conventions: they are not fitted to anything.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from phases.evidence.base import Origin, item_of
from schemas.market import Evidence, Missing, NewsItem, Tier
from schemas.news import NewsType

COUNT, TILT = "news.count_7d", "news.tilt_7d"

WEEK = timedelta(days=7)
"""How long news is fresh; older is stale, and no part of count and tilt."""
KEPT = timedelta(days=30)
"""How long news is evidence at all."""
SHOWN = 5
"""Stories that become items of their own."""

SAME_STORY = 0.7
"""Share of words that two titles have in common from which they tell one story."""
SAME_DAYS = timedelta(days=3)
"""Time within which a copy appears."""

MATERIALITY = {"high": 1.0, "medium": 0.6, "low": 0.2}
NOVELTY = {"new": 1.0, "repeat": 0.5}
DIRECTION = {"positive": 1, "negative": -1, "neutral": 0, "unclear": 0}
TIER_WEIGHT: Mapping[Tier, float] = {1: 1.0, 2: 1.0, 3: 0.8, 4: 0.4}
OUTLET_CAP = 1.0
DAMPING = 2.0
STORY_LEAN = 0.5
"""Lean of a story of weight 1."""

_FILINGS = ("sec", "edgar", "sec edgar", "sec filings", "regulatory news service", "rns", "hkexnews", "bse", "nse")
_OUTLETS = (
    *("reuters", "bloomberg", "associated press", "ap", "dow jones", "dow jones newswires", "the wall street journal"),
    *("wall street journal", "wsj", "financial times", "ft", "barron's", "barrons", "barrons.com", "marketwatch"),
    *("cnbc", "the new york times", "new york times", "the economist", "nikkei", "nikkei asia", "les echos"),
    *("handelsblatt", "the washington post", "bbc", "bbc news", "the guardian", "forbes", "fortune", "axios"),
    *("business wire", "pr newswire", "globenewswire", "the times of india", "the economic times", "caixin"),
    *("south china morning post", "yonhap", "kyodo", "afp"),
)
PUBLISHERS: Mapping[str, Tier] = {**dict.fromkeys(_OUTLETS, 3), **dict.fromkeys(_FILINGS, 2)}
"""Tier of each known publisher: 2 filings, 3 named outlets and the wires that carry a company's own words. Any other
is of tier 4."""

_SMALL = frozenset(
    ("a", "an", "and", "as", "at", "by", "for", "from", "in", "is", "its", "of", "on", "s", "the", "to", "with")
)


def tier_of(publisher: str) -> Tier:
    """Tier of a publisher, by its whole name."""
    return PUBLISHERS.get(" ".join(publisher.casefold().split()), 4)


def words_of(title: str, publisher: str) -> frozenset[str]:
    """The words that tell a story: without case, small words and the name of the publisher at the end."""
    plain = title.casefold().removesuffix(publisher.casefold())
    found = frozenset(re.findall(r"[^\W_]+", plain))
    return (found - _SMALL) or found


@dataclass(frozen=True)
class Story:
    """One story: the item that stands for it, and how many there are of it."""

    item: NewsItem
    copies: int = 1


def stories(items: Iterable[NewsItem]) -> list[Story]:
    """Items grouped by story, oldest first; the best tier stands for each, the earliest of it.

    Two items tell one story if they appear within three days and share 70 percent of the words of their titles.
    An undated item is a copy of whatever it repeats. The order of the items makes no difference.
    """
    groups: list[tuple[frozenset[str], list[NewsItem]]] = []
    for one in sorted(items, key=_age):
        words = words_of(one.title, one.publisher)
        home = next((held for first, held in groups if _alike(words, first) and _near(one, held[0])), None)
        if home is None:
            groups.append((words, [one]))
        else:
            home.append(one)
    best = [Story(min(held, key=lambda one: (tier_of(one.publisher), *_age(one))), len(held)) for _, held in groups]
    return sorted(best, key=lambda one: _age(one.item))


def _age(item: NewsItem) -> tuple[str, str, str]:
    """Sorts by time, the undated last."""
    return item.published.isoformat() if item.published else "~", item.id, item.title


def _alike(a: frozenset[str], b: frozenset[str]) -> bool:
    return len(a & b) >= SAME_STORY * len(a | b)


def _near(a: NewsItem, b: NewsItem) -> bool:
    return a.published is None or b.published is None or abs(a.published - b.published) <= SAME_DAYS


@dataclass(frozen=True)
class Typed:
    """A story with its type."""

    story: Story
    type: NewsType

    @property
    def weight(self) -> float:
        """Materiality x tier x novelty, 0..1."""
        tier = TIER_WEIGHT[tier_of(self.story.item.publisher)]
        return MATERIALITY[self.type.materiality] * tier * NOVELTY[self.type.novelty]

    @property
    def direction(self) -> int:
        """-1, 0 or 1."""
        return DIRECTION[self.type.direction]

    def fresh(self, closed: datetime) -> bool:
        """Whether it is of the week before the close."""
        published = self.story.item.published
        return published is not None and closed - published <= WEEK


def news_items(typed: Sequence[Typed], closed: datetime, session: date, source: str) -> list[Evidence]:
    """Count and tilt of the week, and the weightiest stories; nothing of a text, only closed words."""
    weights = _capped(typed)
    order = sorted(typed, key=lambda one: (-weights[one], *reversed_age(one)))
    found = [_story(at, one, weights[one], closed, session, source) for at, one in enumerate(order[:SHOWN], 1)]
    fresh = [one for one in typed if one.fresh(closed)]
    if not fresh:
        return found
    tier = max(tier_of(one.story.item.publisher) for one in fresh)
    origin = Origin(session, session, source, tier)
    pull = sum(weights[one] * one.direction for one in fresh)
    tilt = pull / (sum(weights[one] for one in fresh) + DAMPING)
    count = item_of(COUNT, "stories of the last 7 days about the company", "count", len(fresh), origin)
    return [*found, count, item_of(TILT, "tilt of the news of the last 7 days, -1 to 1", "index", tilt, origin)]


def no_news(reason: str) -> list[Missing]:
    """Count and tilt as missing."""
    return [Missing(id=id, reason=reason) for id in (COUNT, TILT)]


def reversed_age(one: Typed) -> tuple[float, str]:
    """Sorts the newest first, the undated last."""
    published = one.story.item.published
    return -published.timestamp() if published else 0.0, one.type.id


def _capped(typed: Iterable[Typed]) -> dict[Typed, float]:
    """Weights, those of one outlet scaled down to its cap."""
    outlets: dict[str, list[Typed]] = defaultdict(list)
    for one in typed:
        outlets[one.story.item.publisher.casefold()].append(one)
    return {
        one: one.weight * min(1.0, OUTLET_CAP / sum(other.weight for other in held))
        for held in outlets.values()
        for one in held
    }


def _story(at: int, one: Typed, weight: float, closed: datetime, session: date, source: str) -> Evidence:
    published = one.story.item.published
    tier = tier_of(one.story.item.publisher)
    day = min(published.date(), session) if published else session
    when = f"of {day}" if published else "undated"
    said = one.type
    copies = f", {one.story.copies} reports" if one.story.copies > 1 else ""
    return Evidence(
        id=f"news.i{at}",
        label=f"{said.event} news {when}, {said.materiality} materiality, {said.novelty}, tier {tier}{copies}",
        value=said.direction,
        unit="text",
        lean=round(STORY_LEAN * one.direction * weight, 4) + 0.0,
        as_of=day,
        known_at=day,
        source=source,
        tier=tier,
        stale=not one.fresh(closed),
    )
