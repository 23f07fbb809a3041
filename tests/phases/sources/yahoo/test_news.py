"""News of Yahoo: up to the close, as plain text, and no link is opened."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from phases.core.errors import SourceDown
from tests.phases.sources.yahoo.asked import DAY, Make, headlines, needs_shared
from tests.phases.sources.yahoo.server import YahooServer, as_json, captured


def article(title: str, at: str | None, **more: Any) -> dict[str, Any]:
    content = {"title": title, "summary": "Sum.", "pubDate": at, "provider": {"displayName": "Paper"}, **more}
    return {"id": title, "content": content}


@needs_shared
def test_real_news_of_both_shapes_become_items_without_links(server: YahooServer, source: Make) -> None:
    new = captured("news/AAPL_news_2026-09-16_excerpt.json")
    old = captured("search_news/search-AAPL.json")["response"]["bodyJson"]["news"]
    server.news["AAPL"] = [*new, *old]
    then = datetime(2026, 9, 17, 22, 0, tzinfo=UTC)
    before = len(server.asked)
    found = headlines(source(then), as_of=date(2026, 9, 17))
    assert len(found.items) == len(new) + len(old) and found.left_out == 0
    assert [one.published for one in found.items] == sorted((one.published for one in found.items), reverse=True)
    assert {one.title for one in found.items} >= {"Did AI Servers Really Quadruple Dell Stock?"}
    assert any("AAPL" in one.symbols for one in found.items)
    assert "http" not in found.model_dump_json()
    hosts = {one.partition("/")[0] for one in server.asked[before:]}
    assert hosts <= {"fc.yahoo.com", "query1.finance.yahoo.com", "finance.yahoo.com"}


def test_f128_news_after_the_close_is_left_out_and_counted(server: YahooServer, source: Make) -> None:
    server.news["AAPL"] = [article("late", "2024-06-28T20:00:01Z"), article("in time", "2024-06-28T20:00:00Z")]
    found = headlines(source())
    assert ([one.title for one in found.items], found.left_out) == (["in time"], 1)


def test_f129_undated_news_counts_in_a_live_run_alone(server: YahooServer, source: Make) -> None:
    server.news["AAPL"] = [
        article("undated", None),
        article("zoneless", "2024-06-20T10:00:00"),
        article("dated", "2024-06-20T10:00:00Z"),
    ]
    live = headlines(source())
    assert [(one.title, one.published is None) for one in live.items] == [
        ("dated", False),
        ("undated", True),
        ("zoneless", True),
    ]
    back = headlines(source(), as_of=DAY - timedelta(days=1))
    assert ([one.title for one in back.items], back.left_out) == (["dated"], 2)


def test_f173_outside_text_is_plain_and_no_link_in_it_is_opened(server: YahooServer, source: Make) -> None:
    title = "Up\u202e 5\u200b% <b>now</b> <script>x()</script>&amp; \uff21\uff21\uff30\uff2c\x1b[31m"
    link = {
        "canonicalUrl": {"url": "http://169.254.169.254/latest/meta-data"},
        "clickThroughUrl": {"url": "file:///etc/passwd"},
    }
    server.news["AAPL"] = [
        article(title, "2024-06-20T10:00:00Z", **link),
        article("long " * 200, "2024-06-19T10:00:00Z"),
    ]
    first, second = headlines(source()).items
    assert first.title == "Up 5% now & AAPL" and (first.summary, first.publisher) == ("Sum.", "Paper")
    assert len(second.title) == 300 and second.title.endswith("…")
    assert not any("169.254" in one or "passwd" in one for one in server.asked)


LINKS = {
    "see https://evil.example/x and www.a.b": "see and",
    "HTTP://EVIL.EXAMPLE is up": "is up",
    "more (https://evil.example/a?b=c&d=e#f).": "more ( ).",
    "more at https://evil.example/x, and later": "more at , and later",
    "ftp://evil.example/x shares fall": "shares fall",
    "http://[::1]:80/x shares fall": "shares fall",
    "//evil.example/x shares fall": "shares fall",
    "shares fall bit.ly/3AbC": "shares fall",
    "sha\u200bres fall ht\u200btps://evil.example/x": "shares fall",
    "<a href='https://evil.example'>shares</a> fall https&#58;//evil.example": "shares fall",
    "\uff48ttps://evil.example/x shares fall": "shares fall",
    "[shares](https://evil.example/x) fall": "[shares]( ) fall",
    "https://evil.example/" + "x" * 900 + " shares fall": "shares fall",
}


@pytest.mark.parametrize("text", LINKS)
def test_no_link_stays_in_a_text(server: YahooServer, source: Make, text: str) -> None:
    server.news["AAPL"] = [
        article("Sound", "2024-06-20T10:00:00Z", summary=text),
        article(text, "2024-06-19T10:00:00Z"),
    ]
    first, second = headlines(source()).items
    assert (first.summary, second.title) == (LINKS[text], LINKS[text])


def test_a_title_that_is_a_link_alone_is_none(server: YahooServer, source: Make) -> None:
    server.news["AAPL"] = [article("https://evil.example/x", "2024-06-20T10:00:00Z")]
    found = headlines(source())
    assert (found.items, found.left_out) == ((), 1)


@pytest.mark.parametrize(
    "text",
    [
        "Booking.com and Salesforce.com rise 3.5%/4.1%",
        "U.S./China talks: and/or tariffs of 1.5/2.0 points",
        "Up 5%: Barrons.com, S&P 500/Nasdaq 100, No.1/No.2",
        "At 9:30 a.m./4 p.m. ET // the week ahead",
        "AT&T Inc./Verizon Q3: 10-K/10-Q filed",
        "Amazon.com/Rivian: van order cut; Salesforce.com/Slack merger",
        "S.Korea/Japan chip curbs lifted; RDS.AS/SHEL.L unify shares",
        "C3.ai/Baker Hughes renew deal; dollar falls vs.yen/euro.",
        "TREASURIES//yields rise 10bp",
    ],
)
def test_names_and_slashes_are_no_links(server: YahooServer, source: Make, text: str) -> None:
    server.news["AAPL"] = [article(text, "2024-06-20T10:00:00Z")]
    assert headlines(source()).items[0].title == text


def test_no_news_is_an_answer_and_an_unknown_shape_is_none(server: YahooServer, source: Make) -> None:
    assert headlines(source()).items == ()
    server.news["AAPL"] = [{"id": "1", "story": {"headline": "x"}}]
    with pytest.raises(SourceDown, match="news about AAPL have the keys id, story, but not title"):
        headlines(source())
    server.faults["AAPL"] = lambda path: as_json({"data": {"stream": []}})
    with pytest.raises(SourceDown, match=r"but not data\.tickerStream\.stream"):
        headlines(source())


ODD: Mapping[str, Any] = {
    "finance is text": article("odd", "2024-06-20T10:00:00Z", finance="x"),
    "tickers are text": article("odd", "2024-06-20T10:00:00Z", finance={"stockTickers": "AAPL"}),
    "tickers are numbers": article("odd", "2024-06-20T10:00:00Z", finance={"stockTickers": 5}),
    "provider is a list": article("odd", "2024-06-20T10:00:00Z", provider=["Paper"]),
    "old tickers are text": {"title": "odd", "providerPublishTime": 1718877600, "relatedTickers": "MSFT"},
    "old tickers are a number": {"title": "odd", "providerPublishTime": 1718877600, "relatedTickers": 7},
    "a moment beyond all time": article("odd", "9999-12-31T23:59:59-14:00"),
    "milliseconds": {"title": "odd", "providerPublishTime": 1718877600000},
    "a number no float holds": {"title": "odd", "providerPublishTime": 10**400},
    "no object": None,
    "text": "x",
    "a list": [1],
    "no title": article("odd", "2024-06-20T10:00:00Z") | {"content": {"title": 5, "pubDate": "2024-06-20T10:00:00Z"}},
    "content is null": {"id": "1", "content": None},
}


@pytest.mark.parametrize("case", ODD)
def test_one_odd_story_costs_no_other(server: YahooServer, source: Make, case: str) -> None:
    server.news["AAPL"] = [article("sound", "2024-06-21T10:00:00Z"), ODD[case]]
    found = headlines(source())
    assert found.items[0].title == "sound"
    assert len(found.items) + found.left_out == 2, "it is there or counted"
    assert all(one.symbols == () for one in found.items), "a text is no list of its letters"
