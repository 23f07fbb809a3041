"""Typed news as evidence: stories, tiers, and a tilt that neither copies nor one outlet can carry."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from phases.core.text import digest
from phases.evidence.news import SHOWN, Story, Typed, news_items, stories, tier_of
from schemas.market import Evidence, NewsItem
from schemas.news import NewsType

CLOSED = datetime(2025, 3, 31, 20, tzinfo=UTC)
SESSION = date(2025, 3, 31)


def piece(title: str, publisher: str = "Reuters", hours: float | None = 5, **more: Any) -> NewsItem:
    """A piece of news so many hours before the close; without hours it is undated."""
    published = None if hours is None else CLOSED - timedelta(hours=hours)
    told = {"summary": None, "symbols": ("ACME",), **more}
    return NewsItem(
        id=f"n{digest(title + publisher)[:8]}", title=title, publisher=publisher, published=published, **told
    )


def typed(item: NewsItem, copies: int = 1, **words: str) -> Typed:
    told = {"about": "company", "event": "earnings", "direction": "positive", "materiality": "high", "novelty": "new"}
    return Typed(Story(item, copies), NewsType.model_validate({"id": item.id, **told, **words}))


def items(*found: Typed) -> dict[str, Evidence]:
    return {one.id: one for one in news_items(found, CLOSED, SESSION, "shelf")}


def apart(count: int, publisher: str = "Reuters", **words: str) -> list[Typed]:
    return [typed(piece(f"Story number {at}", publisher, hours=at + 1), **words) for at in range(count)]


# stories


def test_copies_are_one_story_and_the_best_outlet_stands_for_it() -> None:
    held = [
        piece("Acme beats third-quarter estimates - Daily Blog", "Daily Blog", 9),
        piece("Acme Beats Third-Quarter Estimates", "Reuters", 8),
        piece("ACME BEATS THE THIRD-QUARTER ESTIMATES!", "Another Blog", 7),
        piece("Acme names a new finance chief", "Reuters", 6),
    ]
    for order in (held, held[::-1], random.Random(1).sample(held, 4)):
        found = stories(order)
        assert [(one.item.publisher, one.copies) for one in found] == [("Reuters", 3), ("Reuters", 1)]


@pytest.mark.parametrize(("hours", "count"), [(71, 1), (80, 2)])
def test_the_same_title_much_later_is_another_story(hours: float, count: int) -> None:
    assert len(
        stories([piece("Acme raises its dividend", hours=1), piece("Acme raises its dividend", "AP", 1 + hours)])
    ) == (count)


def test_titles_that_share_some_words_are_not_one_story() -> None:
    held = [piece("Acme beats quarterly profit estimates"), piece("Acme misses quarterly profit estimates badly")]
    assert len(stories(held)) == 2


@pytest.mark.parametrize(
    ("publisher", "tier"),
    [("Reuters", 3), (" REUTERS ", 3), ("SEC", 2), ("Reuters Fan Blog", 4), ("Trefis", 4), ("X", 4)],
)
def test_tiers(publisher: str, tier: int) -> None:
    assert tier_of(publisher) == tier


# the tilt


def test_one_story_by_hand() -> None:
    found = items(typed(piece("A story"), materiality="medium"))
    # .6 x .8 x 1 = .48; .48 / 2.48; lean of the tilt .1935 / .5
    assert (found["news.tilt_7d"].value, found["news.tilt_7d"].lean) == (0.19, 0.38)
    assert (found["news.count_7d"].value, found["news.count_7d"].lean) == (1, 0.0)
    story = found["news.i1"]
    assert (story.value, story.lean, story.tier, story.stale) == ("positive", 0.24, 3, False)
    assert story.label == "earnings news of 2025-03-31, medium materiality, new, tier 3"


def test_copies_add_nothing_and_one_outlet_is_capped() -> None:
    assert (
        items(typed(piece("A story"), copies=1))["news.tilt_7d"]
        == items(typed(piece("A story"), copies=50))["news.tilt_7d"]
    )
    many = items(*apart(40))["news.tilt_7d"].value
    assert isinstance(many, float)
    assert many <= 0.34  # the outlet weighs 1 in all: 1 / (1 + 2)
    spread = [typed(piece(f"Story {at}", f"Outlet {at}", hours=at + 1)) for at in range(40)]
    assert float(items(*spread)["news.tilt_7d"].value) > 0.8


def test_a_flood_of_one_outlet_does_not_turn_what_others_say() -> None:
    others = [
        typed(piece(f"Bad {at}", name, hours=at + 1), direction="negative")
        for at, name in enumerate(("AP", "CNBC", "BBC"))
    ]
    assert float(items(*others, *apart(100, "Pump Daily"))["news.tilt_7d"].value) < 0


def test_directions_mirror() -> None:
    rising, falling = (items(*apart(3, direction=word)) for word in ("positive", "negative"))
    assert rising["news.tilt_7d"].lean == -falling["news.tilt_7d"].lean > 0
    assert items(*apart(3, direction="unclear"))["news.tilt_7d"].value == 0.0


def test_old_and_undated_stories_are_stale_and_in_no_tilt() -> None:
    found = items(typed(piece("An old story", hours=24 * 7 + 1)), typed(piece("No date", "AP", hours=None)))
    assert set(found) == {"news.i1", "news.i2"}
    assert all(one.stale for one in found.values())
    assert {"undated" in one.label for one in found.values()} == {True, False}


def test_only_the_weightiest_are_items_and_the_order_makes_no_difference() -> None:
    held: Sequence[Typed] = [*apart(6, "AP", materiality="low"), *apart(2, "CNBC")]
    found = items(*held)
    assert len([id for id in found if id.startswith("news.i")]) == SHOWN
    assert "high materiality" in found["news.i1"].label
    assert items(*held[::-1]) == found
    assert all(abs(one.lean) <= 1 for one in found.values())
