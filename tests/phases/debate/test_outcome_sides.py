"""Sides that nobody argued, their theses, and what would settle what a side leaves open."""

from __future__ import annotations

import pytest

from phases.debate.outcome import sides_argued
from schemas.base import Role
from schemas.debate import Condition, Move
from tests.phases.debate.outcomes import PX, SIDES, TWO, Loop, about_of, debated, ended, held, panel, seen_of
from tests.support import REFUSAL, constant, update

# sides that nobody argued


@pytest.mark.parametrize("protocol", ["desk", "forecaster", "points", "rounds"])
@pytest.mark.parametrize("silent", SIDES)
def test_one_side_alone_moves_nothing(protocol: str, silent: Role) -> None:
    summary, row = debated(protocol, about=about_of(2), **{silent: REFUSAL, "manager": constant("never asked")})
    assert (summary.status, summary.reason) == ("debated", f"one_sided: no valid turn of the {silent}")
    assert (summary.conviction_delta, summary.probability_post, summary.decided_by) == (0, 0.55, None)
    assert (summary.bull_thesis, summary.bear_thesis, summary.net_stance) == (None, None, None)
    assert "one_sided" in summary.flags
    assert (row.conviction_post, row.probability_post, row.stance) == (2, 0.55, "buy")


def test_a_side_that_falls_silent_later_was_heard() -> None:
    ledger = held(PX, [Loop(bear=None), Loop(bear=None)], [(0.6, 0.4), (0.9, 0.4), (0.9, 0.4)])
    summary, _ = ended(ledger, manager=update(net_stance="neutral"))
    assert (summary.status, summary.conviction_delta, summary.probability_post) == ("debated", 0, 0.55)
    assert summary.bear_thesis is not None
    assert {"bear_2_void", "bear_3_void"} <= set(summary.flags)
    assert "one_sided" not in summary.flags


@pytest.mark.parametrize(
    ("stances", "sides"),
    [
        (("buy", "buy", "hold"), ("bull",)),
        (("sell", "hold", None), ("bear",)),
        (("buy", "sell", "hold"), ("bull", "bear")),
        (("hold", "hold", "hold"), ()),
    ],
)
def test_a_side_that_nobody_voted_for_has_no_thesis(stances: tuple[str | None, ...], sides: tuple[Role, ...]) -> None:
    mended = update(bull_thesis="It can rise.", bear_thesis="It can fall.")
    summary, _ = debated("panel", manager=mended, **panel(*stances))
    assert (summary.bull_thesis, summary.bear_thesis) == (
        "It can rise." if "bull" in sides else None,
        "It can fall." if "bear" in sides else None,
    )


@pytest.mark.parametrize(("gone", "status"), [("bull_thesis", "failed"), ("bear_thesis", "debated")])
def test_a_thesis_is_asked_for_where_somebody_argued(gone: str, status: str) -> None:
    summary, _ = debated("panel", manager=update(**{gone: None}), **panel("buy", "buy", "hold"))
    assert summary.status == status
    assert status == "debated" or f"/{gone} is required here" in (summary.reason or "")


def test_debaters_argue_their_sides() -> None:
    assert sides_argued(seen_of(held(PX, []))) == ("bull", "bear")
    assert sides_argued(seen_of([])) == ()


# what would settle what is open


def _carried(target: str, id: str, value: float = 0.0) -> Move:
    condition = Condition(evidence=id, comparison="below", value=value)
    return Move(target=target, kind="carried", reason="Open.", evidence=(), would_change_if=condition)


def test_what_would_change_a_sides_mind_is_kept_beside_the_managers_word() -> None:
    ledger = held(
        {**TWO, "bear": ["px.macd"]},
        [
            Loop({"bear.1.c1": _carried("bear.1.c1", "px.ret_63d")}, {"bull.1.c1": _carried("bull.1.c1", "px.rsi14")}),
            Loop({"bear.1.c1": _carried("bear.1.c1", "px.ret_21d")}, {"bull.1.c1": "conceded"}),
        ],
    )
    word = {"evidence": "px.macd", "comparison": "below", "value": 0.0}
    own = {"evidence": "px.ret_21d", "comparison": "below", "value": 0.0}
    summary, _ = ended(ledger, manager=update(net_stance="bullish", would_resolve_if=[word]))
    found = [one.evidence for one in summary.would_resolve_if]
    assert found == ["px.macd", "px.ret_21d"], "the latest word on what is still open"
    summary, _ = ended(ledger, manager=update(net_stance="bullish", would_resolve_if=[own, word]))
    assert [one.evidence for one in summary.would_resolve_if] == ["px.ret_21d", "px.macd"], "once each"
