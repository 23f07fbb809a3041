"""What the votes of a panel change, through the table of its confidence."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.phases.debate.outcomes import WORDS, about_of, debated, panel
from tests.support import update


@pytest.mark.parametrize(
    ("stances", "confidence", "deltas"),
    [
        (("buy", "buy", "buy"), "high", {-3: 2, 0: 1, 2: 1}),
        (("sell", "sell", "sell"), "high", {-3: -1, 0: -1, 3: -2}),
        (("hold", "hold", "hold"), "high", {-3: 0, 3: 0}),
        (("buy", "buy", "hold"), "medium", {-3: 1, 0: 1}),  # half of 2, half of 1 rounded up
        (("sell", "hold", "sell"), "medium", {3: -1, 0: -1}),
        (("buy", "buy", None), "medium", {-3: 1, 0: 1}),  # unanimous, but a seat is void
        (("buy", "hold", "sell"), "low", {-3: 0, 3: 0}),
        (("buy", None, "hold"), "low", {-3: 0, 3: 0}),
        (("buy", None, "sell"), "low", {-3: 0, 3: 0}),
    ],
)
def test_votes_go_through_the_table(
    stances: tuple[str | None, ...], confidence: str, deltas: Mapping[int, int]
) -> None:
    for score, delta in deltas.items():
        summary, row = debated("panel", about=about_of(score), **panel(*stances))
        assert summary.readouts["tally.confidence"] == confidence
        assert (summary.status, summary.conviction_delta, summary.decided_by) == ("debated", delta, "tally")
        assert summary.probability_post == pytest.approx(0.55 + 0.02 * delta, abs=1e-9)
        assert (row.conviction_post, row.agreement) == (score + delta, summary.readouts["tally.share"])
        assert "no_quorum" not in summary.flags


def test_votes_are_counted_whatever_the_manager_says() -> None:
    found = [debated("panel", manager=update(net_stance=word), **panel("buy", "buy", "buy"))[0] for word in WORDS]
    assert [one.conviction_delta for one in found] == [1, 1, 1]
    assert [one.status for one in found] == ["debated"] * 3, "only an exchange can be contested"


def test_without_a_quorum_nothing_moves_and_a_flag_says_so() -> None:
    summary, row = debated("panel", about=about_of(-3), **panel(None, "buy", None))
    assert (summary.status, summary.conviction_delta, summary.probability_post) == ("debated", 0, 0.55)
    assert "no_quorum" in summary.flags
    assert "no_quorum" in row.flags
    assert (row.conviction_post, row.decided_by) == (-3, "tally")


def test_a_panel_that_is_void_has_failed() -> None:
    summary, row = debated("panel", **panel(None, None, None))
    assert (summary.status, row.status, row.conviction_post) == ("refused", "refused", None)
