"""What stands above the tickers of the morning page: arrows in its words."""

from __future__ import annotations

from datetime import date

import pytest

from phases.outputs.report.front import Line, conviction_told, stance_told, why_told
from schemas.base import Stance
from schemas.feed import FeedRow
from schemas.run import LastRow
from tests.phases.outputs.feeds import row


def _line(one: FeedRow, before: Stance | None = None, last: Stance | None = None) -> Line:
    earlier = LastRow(session=date(2025, 10, 30), ticker=one.ticker, status="debated", stance=last) if last else None
    return Line("t0", one, before, earlier, one.stance is not None)


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
