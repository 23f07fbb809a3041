"""What stands above the tickers of the morning page: arrows, debates and money in its words."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any, cast

import pytest

from phases.outputs.report.front import (
    Line,
    bill_rows,
    conviction_told,
    earned,
    health_rows,
    line_of,
    stance_told,
    why_told,
)
from phases.outputs.report.records import Night, TickerNight
from schemas.base import Stance
from schemas.feed import FeedRow
from schemas.health import Bill, NightHealth
from schemas.run import LastRow
from tests.browser.stores import HEALTH
from tests.phases.outputs.feeds import row


def _line(one: FeedRow, before: Stance | None = None, last: Stance | None = None, unended: float | None = None) -> Line:
    earlier = LastRow(session=date(2025, 10, 30), ticker=one.ticker, status="debated", stance=last) if last else None
    return Line("t0", one, before, earlier, one.stance is not None, unended)


@pytest.mark.parametrize(
    ("before", "after", "pre", "post", "last", "told"),
    [
        ("sell", "sell", -3, -4, "hold", ("−3 → −4", "sell", "was hold on 2025-10-30; bull gained")),
        ("buy", "buy", 2, 4, "hold", ("+2 → +4", "buy", "was hold on 2025-10-30; bull gained")),
        ("hold", "hold", 0, 0, "buy", ("0", "hold", "was buy on 2025-10-30; bull gained")),
        ("hold", "buy", 1, 3, "sell", ("+1 → +3", "hold → buy", "was sell on 2025-10-30; bull gained")),
        ("hold", "buy", 1, 3, "buy", ("+1 → +3", "hold → buy", "bull gained")),
        ("buy", "buy", 2, 3, None, ("+2 → +3", "buy", "bull gained")),
    ],
)
def test_every_arrow_of_a_line_goes_from_before_the_debate_to_after_it(
    before: Stance, after: Stance, pre: int, post: int, last: Stance | None, told: tuple[str, str, str]
) -> None:
    numbers = {"stance": after, "conviction_pre": pre, "conviction_post": post, "conviction_delta": post - pre}
    one = _line(row("T", **numbers), before, last)
    assert (conviction_told(one.row), stance_told(one), why_told(one)) == told


# debates that did not end


def _night(lines: list[Line], health: NightHealth | None) -> Night:
    return cast("Night", SimpleNamespace(feed=SimpleNamespace(rows=[one.row for one in lines]), health=health))


def _health(debates: int, changed: int, dollars: float, gated: int = 0) -> NightHealth:
    each = dollars / changed if changed else None
    bill = HEALTH.bill.model_copy(update={"debates_usd": dollars, "per_changed_usd": each})
    return HEALTH.model_copy(update={"debates": debates, "changed": changed, "gated": gated, "bill": bill})


def test_a_night_whose_debates_all_failed_says_that_they_were_held_and_paid() -> None:
    lines = [_line(row(name, "failed"), unended=cost) for name, cost in (("A", 0.0972), ("B", 0.0978), ("C", 0.1138))]
    told = "No debate came to an end over 3 tickers; those begun cost $0.3088."
    assert earned(_night(lines, _health(0, 0, 0.308768)), lines) == told
    assert earned(_night(lines, None), lines) == told
    free = [one._replace(unended=0.0) for one in lines]
    assert earned(_night(free, _health(0, 0, 0.0)), free) == "No debate came to an end over 3 tickers."


def test_a_night_that_bought_none_says_that_none_was_held() -> None:
    numbers = {"decided_by": None, "debate_cost_usd": None, "conviction_post": 2, "conviction_delta": 0}
    lines = [_line(row(name, "gated", **numbers)) for name in ("A", "B")] + [_line(row("C", "no_data"))]
    for health in (_health(0, 0, 0.0, gated=2), None):
        assert earned(_night(lines, health), lines) == "No debate was held over 3 tickers."


def test_the_money_of_a_mixed_night_is_that_of_the_feed_and_of_what_did_not_end() -> None:
    """Fourteen debates at $0.0872 and one at $0.0894 that its manager failed: $1.2208 + $0.0894 = $1.3102."""
    ended = [_line(row(f"A{at}", debate_cost_usd=0.0872)) for at in range(14)]
    lines = [*ended, _line(row("Z", "failed"), unended=0.0894)]
    told = "14 debates changed 14 decisions; 1 more did not end ($0.0894). Together they cost $1.31, $0.0936 for each"
    for health in (_health(14, 14, 1.3102), None):
        assert earned(_night(lines, health), lines) == f"{told} decision changed."
    free = [*ended, _line(row("Z", "unpaid"), unended=0.0)]
    assert earned(_night(free, _health(14, 14, 1.2208)), free).endswith(
        "for each decision changed; 1 more did not end."
    )
    assert earned(_night(lines, _health(14, 14, 0.0)), lines).endswith("and cost nothing; 1 more did not end.")


def test_health_and_bill_name_what_did_not_end() -> None:
    health = _health(14, 9, 1.3102)
    night = cast("Night", SimpleNamespace(record=None, health=health))
    assert dict(health_rows(health, [0.0894]))["Debates"][0] == ("held", "14", "and 0 not bought, 1 not ended")
    assert dict(health_rows(health))["Debates"][0] == ("held", "14", "and 0 not bought")
    (told,) = (meaning for name, _, meaning in bill_rows(night, [0.0894]) if name == "of it debates")
    assert told == "managers included, when they were bought; $0.0894 of it for 1 not ended"
    (told,) = (meaning for name, _, meaning in bill_rows(night) if name == "of it debates")
    assert told == "managers included, when they were bought"


@pytest.mark.parametrize(
    ("status", "phase", "turns", "micros", "found"),
    [
        ("failed", None, 6, 97159, 0.097159),
        ("failed", "debate_summary", 6, None, 0.0),
        ("unpaid", "debate_transcript", 0, None, 0.0),
        ("no_data", "market_snapshot", 0, None, None),
        ("gated", None, 0, 0, None),
        ("debated", None, 6, 82729, None),
    ],
)
def test_a_debate_did_not_end_where_it_was_asked_for_and_no_row_has_its_price(
    status: str, phase: str | None, turns: int, micros: int | None, found: float | None
) -> None:
    gated: dict[str, Any] = {"decided_by": None, "debate_cost_usd": None} if status == "gated" else {}
    outcome = SimpleNamespace(
        analyst_payload=None,
        failure=SimpleNamespace(phase=phase) if phase else None,
        debate_transcript=SimpleNamespace(ledger=(1,) * turns),
        debate_summary=None if micros is None else SimpleNamespace(micros=micros),
    )
    night = SimpleNamespace(row=row("A", status, **gated), outcome=outcome)
    assert line_of(0, cast("TickerNight", night), None).unended == found


def test_no_cache_is_spoken_of_where_nothing_was_read() -> None:
    bill: Bill = HEALTH.bill.model_copy(update={"input_tokens": 0, "cache_read_share": None})
    night = cast("Night", SimpleNamespace(record=None, health=HEALTH.model_copy(update={"bill": bill})))
    assert ("tokens read", "0", "") in bill_rows(night)
