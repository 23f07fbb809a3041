"""The desk's manager: its word on an exchange or a panel, the theses, and what would settle it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from phases.maths.lean import LEANS
from phases.providers.offline.manager import manager_reply
from schemas.base import Role
from schemas.debate import DebateRound
from schemas.manager import ManagerInputs, ManagerReply, PointAnswer, WeighedClaim
from schemas.market import Evidence
from schemas.seats import Statement
from schemas.validation import problems
from tests.phases.providers.offline_turns import OTHER, QUESTION, TICKER, item


def claim(id: str, answer: PointAnswer, weight: float = 1.0, cited: Sequence[str] = ("px.ret_63d",)) -> WeighedClaim:
    side: Role = "bull" if id.startswith("bull") else "bear"
    return WeighedClaim(id=id, side=side, text=f"claim {id}.", evidence=tuple(cited), weight=weight, answer=answer)


def managed(*claims: WeighedClaim, evidence: Sequence[Evidence] = (), **more: Any) -> ManagerReply:
    told: dict[str, Any] = {"rounds": (), **more}
    reply = manager_reply(
        ManagerInputs(evidence=tuple(evidence), claims=claims, question=QUESTION, ticker=TICKER, **told)
    )
    assert problems(ManagerReply, reply) == ()
    return ManagerReply.model_validate_json(json.dumps(reply))


@pytest.mark.parametrize(
    ("answers", "word"),
    [
        ({"bull.1.c1": ("conceded", 1.0)}, "bullish"),
        ({"bull.1.c1": ("withdrawn", 0.5)}, "bearish"),
        ({"bull.1.c1": ("rebutted", 0.5)}, "bearish"),
        ({"bull.1.c1": ("met", 1.0)}, "neutral"),
        ({"bull.1.c1": ("carried", 1.0), "bear.1.c1": ("carried", 0.5)}, "neutral"),
        ({"bull.1.c1": ("carried", 1.0), "bear.1.c1": ("unaddressed", 0.25)}, "bearish"),
        ({"bull.1.c1": ("conceded", 0.5), "bear.1.c1": ("conceded", 0.5)}, "neutral"),
        ({"bull.1.c1": ("conceded", 0.5), "bear.1.c1": ("unaddressed", 1.0)}, "neutral"),
        ({"bear.1.c1": ("rebutted", 0.75), "bull.1.c1": ("rebutted", 0.5)}, "bullish"),
        ({"bull.1.c1": ("conceded", 0.0)}, "neutral"),
    ],
)
def test_the_manager_counts_what_the_moves_did(answers: Mapping[str, Any], word: str) -> None:
    claims = [claim(name, *answer) for name, answer in answers.items()]
    assert managed(*claims).net_stance == word
    other = [one.model_copy(update={"side": OTHER[one.side]}) for one in claims]
    assert managed(*other).net_stance == {"bullish": "bearish", "bearish": "bullish"}.get(word, word)


def test_without_a_move_the_manager_goes_by_the_weights() -> None:
    evidence = [item("px.ret_63d", 0.5), item("px.rsi14", -0.4)]
    claims = [claim("bull.1.c1", "unaddressed"), claim("bear.1.c1", "unaddressed", cited=["px.rsi14"])]
    assert managed(*claims, evidence=evidence).net_stance == "bullish"  # .1 of .9 is above a tenth
    claims[1] = claims[1].model_copy(update={"weight": 1.0, "evidence": ("px.ret_63d",)})
    assert managed(*claims, evidence=evidence).net_stance == "neutral"


def test_a_side_that_nobody_argued_has_no_thesis() -> None:
    reply = managed(claim("bull.1.c1", "unaddressed"))
    assert reply.bull_thesis == "ACME can beat ^GSPC because of claim bull.1.c1."
    assert reply.bear_thesis is None
    argued = managed(rounds=(DebateRound(round_number=1, bear_argument="Against."),))
    assert argued.bull_thesis is None
    assert argued.bear_thesis == "ACME can fall short of ^GSPC though no evidence was named."


def test_a_thesis_of_long_claims_fits() -> None:
    long = [claim(f"bull.1.c{at}", "carried").model_copy(update={"text": "x" * 200}) for at in (1, 2)]
    assert len(managed(*long).bull_thesis or "") <= 400


def ballot(seat: str, stance: str, *cited: str, round_number: int = 1) -> Statement:
    text = f"{stance} says {seat}. More."
    return Statement(seat=seat, round_number=round_number, text=text, stance=stance, evidence=cited)


@pytest.mark.parametrize(
    ("stances", "word"),
    [
        (("buy", "buy", "sell"), "bullish"),
        (("sell", "sell", "hold"), "bearish"),
        (("hold", "hold", "buy"), "neutral"),
        (("buy", "hold", "sell"), "neutral"),
        (("buy", "sell"), "neutral"),
        (("buy", "hold"), "neutral"),
        (("Buy",), "bullish"),
    ],
)
def test_a_panel_is_read_by_its_ballots(stances: Sequence[str], word: str) -> None:
    reply = managed(statements=tuple(ballot(f"s{at}", one) for at, one in enumerate(stances)))
    assert reply.net_stance == word
    assert (reply.bull_thesis is None) is ("buy" not in {one.lower() for one in stances})
    assert (reply.bear_thesis is None) is ("sell" not in stances)


def test_a_panel_thesis_rests_on_what_its_voters_cite_for_it() -> None:
    evidence = [item("px.ret_63d", 0.5, value=0.1), item("px.rsi14", -0.4, value=41.0)]
    told = (ballot("literal", "buy", "px.ret_63d", "px.rsi14"), ballot("cautious", "sell"))
    reply = managed(statements=told, evidence=evidence)
    assert reply.bull_thesis == "ACME can beat ^GSPC because of label of px.ret_63d +10.0% (px.ret_63d)."
    assert reply.bear_thesis == "ACME can fall short of ^GSPC because of what cautious said: sell says cautious."


def test_only_the_last_ballot_of_a_seat_counts() -> None:
    told = (ballot("a", "sell"), ballot("b", "buy"), ballot("a", "buy", round_number=2))
    reply = managed(statements=told)
    assert (reply.net_stance, reply.bear_thesis) == ("bullish", None)


def test_conditions_are_for_what_is_still_open() -> None:
    evidence = [
        item("px.excess_21d", 0.5, value=0.1),
        item("px.macd", -0.5, value=-0.1),
        item("px.ret_21d", 0.5, value=0.1),
        item("px.ret_63d", 0.5, value=0.0),  # has no side of its centre
        item("px.rsi14", -0.5, value=41.0),  # centre 50
    ]
    claims = [
        claim("bull.1.c1", "conceded", cited=["px.excess_21d"]),
        claim("bull.1.c2", "met", cited=["px.ret_21d"]),
        claim("bull.1.c3", "carried", cited=["px.ret_63d"]),
        claim("bear.1.c1", "carried", cited=["px.macd"]),
        claim("bear.1.c2", "rebutted", cited=["px.macd"]),
        claim("bear.1.c3", "unaddressed", cited=["px.rsi14"]),
    ]
    found = [(one.evidence, one.comparison, one.value) for one in managed(*claims, evidence=evidence).would_resolve_if]
    assert found == [("px.macd", "above", 0.0), ("px.ret_21d", "below", 0.0)]


def test_at_most_six_conditions_and_no_side_first() -> None:
    names = [name for name, rule in LEANS.items() if rule.centre == 0][:10]
    evidence = [item(name, 0.5, value=0.1) for name in names]
    claims = [claim(f"bull.1.c{at}", "carried", cited=[name]) for at, name in enumerate(names[:5])]
    claims += [claim(f"bear.1.c{at}", "carried", cited=[name]) for at, name in enumerate(names[5:])]
    other = [one.model_copy(update={"side": OTHER[one.side]}) for one in claims]
    found = managed(*claims, evidence=evidence).would_resolve_if
    assert {one.evidence for one in found} == {*names[:3], *names[5:8]}
    assert managed(*other, evidence=evidence).would_resolve_if == found
