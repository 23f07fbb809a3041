"""A valid first and a valid later turn of the bull, and how a turn that differs from them is judged."""

from __future__ import annotations

import json
from typing import Any

from phases.core.reading import read
from phases.debate.checks import checks_of
from phases.debate.protocol import Step, read_protocol
from phases.plan import CONFIGS
from schemas.base import Model
from schemas.debate import DebateInputs, DebateRoundContribution
from tests.support import QUESTION, TICKER, item

BUNDLE = (
    item("axis.technical", 0.4, value="buy", unit="text"),
    item("px.close", value=178.2, unit="usd"),
    item("px.drawdown_252d", -0.6, value=-0.22),
    item("px.excess_63d", 0.4, value=0.064),
    item("px.ret_252d", 0.7, value=0.315),
    item("px.ret_63d", -0.5, value=-0.051),
    item("px.vol_ratio", -0.5, value=1.25, unit="index"),
)
DESK = read_protocol((CONFIGS / "protocols" / "desk.yaml").read_text(encoding="utf-8"), "desk.yaml")
OPENING, LOOP = DESK.opening[0], DESK.loop[0]

FIRST = DebateInputs(evidence=BUNDLE, question=QUESTION, ticker=TICKER, role="bull", round_number=1)
LATER = DebateInputs.model_validate(
    {
        "evidence": BUNDLE,
        "question": QUESTION,
        "prior_rounds": [
            {
                "round_number": 1,
                "bull_argument": "It leads by 6.4 percent. It is strong. I am bullish.",
                "bear_argument": "It fell 5.1 percent. It swings more. I am bearish.",
            }
        ],
        "open_points": [
            {"id": "bear.1.c1", "text": "It fell 5.1 percent.", "evidence": ["px.ret_63d"]},
            {"id": "bear.1.c2", "text": "It swings more.", "evidence": ["px.vol_ratio"]},
        ],
        "cited_before": ["px.excess_63d", "px.ret_63d", "px.vol_ratio"],
        "last_probability": 0.6,
        "ticker": TICKER,
        "role": "bull",
        "round_number": 2,
    },
    strict=False,
)

GRANTED = {"text": "It swings more.", "evidence": ["px.vol_ratio"], "why_limited": "The lead holds."}
ARGUMENT = "It leads by 6.4 percent over 63 sessions. It has strength. The market helps. I am bullish on ACME."
OPEN: dict[str, Any] = {
    "role": "bull",
    "ticker": TICKER,
    "round_number": 1,
    "argument": ARGUMENT,
    "probability": 0.6,
    "claims": [{"id": "c1", "text": "It leads by 6.4 percent.", "evidence": ["px.excess_63d"]}],
    "acknowledged": GRANTED,
}
REBUTTED = {
    "target": "bear.1.c1",
    "kind": "rebutted",
    "reason": "The year is up 31.5 percent.",
    "evidence": ["px.ret_252d"],
}
CARRIED = {
    "target": "bear.1.c2",
    "kind": "carried",
    "reason": "Open.",
    "evidence": ["px.vol_ratio"],
    "would_change_if": {"evidence": "px.vol_ratio", "comparison": "below", "value": 1.0},
}
CONCEDED = {"target": "bear.1.c2", "kind": "conceded", "reason": "It does.", "evidence": ["px.vol_ratio"]}
MOVED: dict[str, Any] = {
    "role": "bull",
    "ticker": TICKER,
    "round_number": 2,
    "argument": "The year is up 31.5 percent. The bear names one quarter. That is short. I am bullish on ACME.",
    "probability": 0.6,
    "moves": [REBUTTED, CARRIED],
    "acknowledged": GRANTED,
}


def judged(
    said: dict[str, Any],
    inputs: Model = FIRST,
    step: Step = OPENING,
    returns: type[Model] = DebateRoundContribution,
    *,
    last: bool = True,
) -> Any:
    return read(
        json.dumps(said),
        "end_turn",
        returns=returns,
        require=[name for name in step.require if name in returns.model_fields],
        inputs=inputs,
        checks=checks_of(returns, DESK, step),
        last=last,
    )


def first(**changes: Any) -> dict[str, Any]:
    return {**OPEN, **changes}


def later(**changes: Any) -> dict[str, Any]:
    return {**MOVED, **changes}
