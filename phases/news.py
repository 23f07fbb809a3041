"""News of one ticker as typed evidence. The only phase that shows a model text from outside, and its reader alone.

The reader has no tools and answers in closed words; what it says becomes evidence in code, without a word of the
text. So whatever a headline asks for, at most its own type can be wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from phases.core.ask import Ask, Wanted
from phases.core.outside import clean, marked
from phases.core.phase import phase
from phases.core.reading import Check, Finding
from phases.evidence.base import frozen
from phases.evidence.news import KEPT, Story, Typed, news_items, no_news, stories
from phases.maths.sessions import session_close
from schemas.base import Model
from schemas.market import MarketSnapshot, News, NewsItem
from schemas.news import Headline, NewsInputs, NewsReading, NewsSnapshot, NewsType
from schemas.run import RunHeader
from schemas.settings import MarketSettings

READER = "news-reader"

TITLE, SUMMARY, PUBLISHER = 200, 400, 60
"""Longest texts that are shown, in characters."""

MOST_READ, MOST_OF_ONE = 16, 5
"""Stories that the reader is shown, the newest; and how many of one publisher."""


@phase(scope="ticker")
def news_snapshot(
    market_snapshot: MarketSnapshot, news: News, header: RunHeader, settings: MarketSettings, *, ask: Ask
) -> NewsSnapshot:
    """News of the weeks before the close of the as-of session, typed; nothing if the night looks for no news."""
    ticker, as_of = market_snapshot.ticker, market_snapshot.as_of
    if "news" not in settings.families:
        return NewsSnapshot(ticker=ticker, as_of=as_of, notes=(), **frozen([], [], f"{ticker} {as_of}"))
    closed = session_close(header.settings.question.calendar, as_of)
    assert closed is not None  # a night is that of a session
    items, notes = _usable(news, closed)
    found = stories(items)
    notes["copies of a story that is counted once"] += len(items) - len(found)
    shown = _shown(found)
    notes["stories more than the reader is shown"] += len(found) - len(shown)
    typed = _typed(shown, ticker, notes, ask)
    evidence = news_items(typed, closed, as_of, news.source or "news")
    left = tuple(f"{count} {why}" for why, count in sorted(notes.items()) if count)
    missing = no_news(_why(ticker, len(found))) if not any(one.id.endswith("_7d") for one in evidence) else []
    return NewsSnapshot(ticker=ticker, as_of=as_of, notes=left, **frozen(evidence, missing, f"{ticker} {as_of}"))


def _why(ticker: str, stories: int) -> str:
    """Why there is no fresh news about the company. Never says what was left out: nothing later may reach a prompt."""
    return f"of {stories} stories none is fresh and about {ticker}" if stories else f"no news of {ticker} is known"


def _usable(news: News, closed: datetime) -> tuple[list[NewsItem], Counter[str]]:
    """Items of the weeks before the close, their texts clean; the others and what looks odd are counted."""
    notes = Counter(
        {
            "left out by the source: published later or undated": news.left_out,
            "said again under a later date: the first counts": news.redated,
        }
    )
    found = []
    for one in news.items:
        if one.published is not None and one.published > closed:
            notes["published after the close"] += 1
        elif one.published is not None and closed - one.published > KEPT:
            notes[f"older than {KEPT.days} days"] += 1
        elif one.published is None and not news.live:
            notes["undated, in a night that is not of today"] += 1
        elif (plain := _plain(one, notes)) is None:
            notes["without a title"] += 1
        else:
            found.append(plain)
    return list({one.id: one for one in found}.values()), notes


def _plain(item: NewsItem, notes: Counter[str]) -> NewsItem | None:
    """The item with clean texts; nothing where its title or publisher shows none."""
    (title, odd), (publisher, _) = clean(item.title, TITLE), clean(item.publisher, PUBLISHER)
    summary, more = clean(item.summary or "", SUMMARY)
    for note in {*odd, *more}:
        notes[f"texts: {note}"] += 1
    words = [marked(one) for one in (title, publisher)]
    if not all(words):
        return None
    return item.model_copy(update={"title": title, "publisher": publisher, "summary": summary or None})


def _shown(found: Sequence[Story]) -> list[Story]:
    """The newest stories, only so many of one publisher, oldest first."""
    kept: list[Story] = []
    outlets: Counter[str] = Counter()
    for one in reversed(found):
        outlet = one.item.publisher.casefold()
        outlets[outlet] += 1
        if outlets[outlet] <= MOST_OF_ONE and len(kept) < MOST_READ:
            kept.append(one)
    return kept[::-1]


def _typed(found: Sequence[Story], ticker: str, notes: Counter[str], ask: Ask) -> list[Typed]:
    """The stories about the company, typed. Where the whole answer is void, each story is asked about alone."""
    if not found:
        return []
    answers = ask.all([_wanted(found, ticker)])
    if answers[0].record is None and len(found) > 1:
        answers = ask.all([_wanted([one], ticker) for one in found])
    types = {one.id: one for answer in answers if answer.record is not None for one in answer.record.items}
    notes["the reader gave no valid type for"] += sum(one.item.id not in types for one in found)
    typed = [Typed(one, types[one.item.id]) for one in found if one.item.id in types]
    notes["not about the company"] += sum(one.type.about != "company" for one in typed)
    return [one for one in typed if one.type.about == "company"]


def _wanted(found: Sequence[Story], ticker: str) -> Wanted[NewsReading]:
    inputs = NewsInputs(items=tuple(_headline(one.item) for one in found), ticker=ticker)
    return Wanted(READER, inputs, NewsReading, seat="reader", checks=CHECKS)


def _headline(item: NewsItem) -> Headline:
    return Headline(
        id=item.id,
        title=marked(item.title),
        summary=marked(item.summary) if item.summary and marked(item.summary) else None,
        publisher=marked(item.publisher),
        published=item.published.astimezone(UTC).date() if item.published else None,
        symbols=item.symbols,
    )


def _ids(said: NewsReading, inputs: Model) -> Sequence[Finding]:
    """Every item once, and no other."""
    given = [one.id for one in inputs.items]  # type: ignore[attr-defined]
    named = [one.id for one in said.items]
    wrong = {
        "is no item that was given": sorted(set(named) - set(given)),
        "stands more than once": sorted({one for one in named if named.count(one) > 1}),
        "has no type": [one for one in given if one not in named],
    }
    return tuple(Finding(f"/items: {', '.join(ids)} {why}", "drop") for why, ids in wrong.items() if ids)


def _of_given(said: NewsReading, inputs: Model) -> NewsReading:
    """The answer without items that were not given, or that it types more than once."""
    given = {one.id for one in inputs.items}  # type: ignore[attr-defined]
    times = Counter(one.id for one in said.items)
    return said.model_copy(update={"items": _kept(said.items, given, times)})


def _kept(types: Iterable[NewsType], given: set[str], times: Counter[str]) -> tuple[NewsType, ...]:
    return tuple(one for one in types if one.id in given and times[one.id] == 1)


CHECKS: tuple[Check[NewsReading], ...] = (Check("items", _ids, _of_given),)
"""What a reading must satisfy beyond its schema."""
