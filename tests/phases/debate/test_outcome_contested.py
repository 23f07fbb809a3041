"""Code and manager disagree: the outcome is contested and every number stays as it was."""

from __future__ import annotations

import pytest

from schemas.base import NetStance
from tests.phases.debate.outcomes import (
    BOTH_CONCEDED,
    CONCEDED,
    OPEN,
    PX,
    REBUTTED,
    SAID,
    SILENT,
    TWO,
    WORDS,
    Loop,
    about_of,
    ended,
    held,
)
from tests.support import update

DEBATES = {
    2: BOTH_CONCEDED,
    1: held(PX, [CONCEDED, SILENT]),
    0: held(PX, [OPEN, OPEN]),
    -1: held(PX, [REBUTTED, SILENT]),
    -2: held(TWO, [Loop(bear={"bull.1.c1": "rebutted", "bull.1.c2": "rebutted"}), SILENT]),
}
CONTESTED = {(2, "neutral"), (2, "bearish"), (1, "bearish"), (-1, "bullish"), (-2, "bullish"), (-2, "neutral")}


@pytest.mark.parametrize("delta", DEBATES)
@pytest.mark.parametrize("word", WORDS)
def test_code_and_manager_disagree(delta: int, word: NetStance) -> None:
    summary, row = ended(DEBATES[delta], manager=update(net_stance=word))
    contested = (delta, word) in CONTESTED
    assert summary.status == row.status == ("contested" if contested else "debated")
    assert (summary.net_stance, summary.decided_by) == (word, "code")
    assert summary.readouts["exchange.delta"] == delta
    assert summary.conviction_delta == row.conviction_delta == row.conviction_post == (0 if contested else delta)
    if contested:
        assert summary.reason == row.reason == f"contested: the moves earn {delta:+d}, the manager says {word}"


@pytest.mark.parametrize("score", [-3, 0, 2, 3])
def test_what_is_contested_leaves_every_number_as_it_was(score: int) -> None:
    ledger = held(PX, [CONCEDED, SILENT], SAID)
    summary, row = ended(ledger, about_of(score, 0.5123), manager=update(net_stance="bearish"))
    assert (summary.status, summary.conviction_delta, summary.probability_post) == ("contested", 0, 0.5123)
    assert summary.readouts["effective_conviction"] == score
    assert (row.status, row.decided_by, row.stance) == ("contested", "code", about_of(score).payload.stance)
    assert (row.conviction_pre, row.conviction_delta, row.conviction_post) == (score, 0, score)
    assert (row.probability_pre, row.probability_post) == (0.5123, 0.5123)
    assert (row.view_excess_return, row.view_period, row.view_confidence) == (None, None, 0)
    assert (row.gap_first, row.gap_last) == (0.2, 0.2), "what was said is still told"
    agreed, _ = ended(ledger, about_of(score, 0.5123), manager=update(net_stance="bullish"))
    assert (agreed.status, agreed.probability_post) == ("debated", 0.6123)


def test_it_is_contested_by_what_the_moves_earn_not_by_what_the_rulings_leave() -> None:
    ruling = {"ruling": "unsupported", "because": "as said"}
    rulings = [{"claim": f"bull.1.c{at}", **ruling} for at in (1, 2)]
    summary, _ = ended(BOTH_CONCEDED, manager=update(net_stance="bearish", rulings=rulings))
    assert summary.status == "contested"
    summary, _ = ended(BOTH_CONCEDED, manager=update(net_stance="bullish", rulings=rulings))
    assert (summary.status, summary.conviction_delta) == ("debated", 0)
