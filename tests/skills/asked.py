"""How each skill is asked: inputs of every contract about one made-up ticker, and a skill's own examples."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from phases.analyst_payload import AXES
from phases.core.reading import Check
from phases.core.skills import Skill, load_skills
from phases.debate.checks import checks_of
from phases.debate.protocol import Protocol, Step, read_protocol
from phases.debate.seats import KINDS
from phases.lint import UNASKED
from schemas import CONTRACTS
from schemas.analyst import AxisInputs
from schemas.base import Model, Role
from schemas.bias import SOURCED_FIELDS, BiasRow, Provenance
from schemas.debate import DebateInputs, DebateRound, Move, OpenPoint
from schemas.manager import ManagerInputs, WeighedClaim
from schemas.market import Evidence, Missing, Question, Unit
from schemas.news import Headline, NewsInputs
from schemas.risk import RiskInputs, RiskRow, RiskSeat
from schemas.seats import Statement, TableInputs, Tally

ROOT = Path(__file__).resolve().parents[2]
EVERY = load_skills(ROOT / "skills")
SKILLS = {name: skill for name, skill in EVERY.items() if skill.metadata["phase"] != UNASKED}
GUIDES = [name for name in EVERY if name not in SKILLS]
"""Skills for agents alone."""
PROTOCOLS = {
    path.stem: read_protocol(path.read_text(encoding="utf-8"), path.name)
    for path in (ROOT / "configs" / "protocols").glob("*.yaml")
}
DAY = date(2001, 2, 3)


def _item(id: str, value: float | str, unit: Unit = "ratio") -> Evidence:
    return Evidence(
        id=id,
        label=f"label of {id}",
        value=value,
        unit=unit,
        lean=0.0,
        as_of=DAY,
        known_at=DAY,
        source="example-prices",
        tier=1,
        stale=False,
    )


BUNDLE = (
    _item("axis.technical", "buy", "text"),
    _item("bias.equity", "bullish", "text"),
    _item("fa.fcf_yield", 0.031),
    _item("fa.net_debt_ebitda", 0.86, "index"),
    _item("fa.operating_margin", 0.192),
    _item("fa.revenue_growth", 0.114),
    _item("macro.breadth_200d", 0.71),
    _item("news.count_7d", 4, "count"),
    _item("news.i1", "positive", "text"),
    _item("news.tilt_7d", 0.22, "index"),
    _item("px.corr_63d", 0.74),
    _item("px.drawdown_252d", -0.145),
    _item("px.excess_63d", 0.062),
    _item("px.rsi14", 58.4, "index"),
    _item("px.sma200_gap", 0.048),
    _item("px.up_volume", 0.06),
    _item("px.vol_ratio", 1.31),
    _item("px.volume_ratio", 0.8),
)

ROW = BiasRow(
    date=DAY,
    run_type="baseline",
    **{name: None for name in SOURCED_FIELDS if name not in ("macro_regime", "equity_bias")},
    macro_regime="growth expanding, inflation mild, policy neutral, appetite risk on",
    equity_bias="bullish",
    provenance={name: Provenance(status="missing", reason="no source") for name in SOURCED_FIELDS},
)

QUESTION = Question(
    event="ACME returns more than ^GSPC over 21 sessions",
    horizon_sessions=21,
    benchmark="^GSPC",
    resolves_on=DAY,
)


def axis_inputs(axis: Any) -> AxisInputs:
    read_by_axis = tuple(one for one in BUNDLE if AXES[axis].allows(one.id))
    absent = (Missing(id="px.macd", reason="too few sessions"),)
    return AxisInputs(bias_row=ROW, question=QUESTION, evidence=read_by_axis, missing=absent, ticker="ACME", axis=axis)


def debate_inputs(role: Role, round_number: int = 1, **seen: Any) -> DebateInputs:
    shown = {"bias_row": ROW, "evidence": BUNDLE, "question": QUESTION, **seen}
    return DebateInputs(ticker="ACME", role=role, round_number=round_number, **shown)


def _claim(id: str, side: Role, evidence: str) -> WeighedClaim:
    return WeighedClaim(id=id, side=side, text="A claim.", evidence=(evidence,), weight=1.0, answer="unaddressed")


MANAGER_INPUTS = ManagerInputs(
    evidence=BUNDLE,
    rounds=(DebateRound(round_number=1, bull_argument="Bullish on ACME.", bear_argument="Bearish on ACME."),),
    claims=(
        _claim("bull.1.c1", "bull", "px.excess_63d"),
        _claim("bull.1.c2", "bull", "px.sma200_gap"),
        _claim("bear.1.c1", "bear", "px.vol_ratio"),
        _claim("bear.1.c2", "bear", "px.volume_ratio"),
    ),
    question=QUESTION,
    ticker="ACME",
)


NEWS_INPUTS = NewsInputs(
    items=tuple(
        Headline(id=f"n0000000{at}", title="A^headline", summary=None, publisher="Wire", published=DAY, symbols=())
        for at in "ab"
    ),
    ticker="ACME",
)


def risk_inputs(seat: RiskSeat) -> RiskInputs:
    rows = (
        RiskRow(ticker="ACME", stance="buy", conviction=3, probability=0.56, flags=()),
        RiskRow(ticker="EXMP", stance="buy", conviction=2, probability=0.54, flags=()),
        RiskRow(ticker="WDGT", stance="hold", conviction=0, probability=0.56, flags=("missing_news",)),
    )
    return RiskInputs(bias_row=ROW, question=QUESTION, rows=rows, unrated=1, left_out=0, seat=seat)


class Asked(NamedTuple):
    """What a phase sends a skill, how it checks the answer, and which fields it needs."""

    inputs: Model
    checks: Sequence[Check[Any]] = ()
    require: tuple[str, ...] = ()


def seated(skill: str, protocol: str, stage: str, at: int, inputs: Model) -> Asked:
    """A turn as a step of a shipped protocol asks for it."""
    plan: Protocol = PROTOCOLS[protocol]
    step: Step = getattr(plan, stage)[at]
    assert any(plan.seats[name].skill == skill for name in step.seats)
    returns = KINDS[SKILLS[skill].produces].returns
    require = tuple(name for name in step.require if name in returns.model_fields)
    return Asked(inputs, checks_of(returns, plan, step), require)


def table_inputs(seat: str, round_number: int, **seen: Any) -> TableInputs:
    return TableInputs(ticker="ACME", seat=seat, round_number=round_number, evidence=BUNDLE, question=QUESTION, **seen)


def persona(temper: str) -> Asked:
    """The blind answer of an opening."""
    inputs = table_inputs(temper, 1, bias_row=ROW)
    return seated(f"persona-{temper}", "panel", "opening", 0, inputs)


def _voted(seat: str, stance: str, *evidence: str, round_number: int = 1) -> Statement:
    text = f"{stance.capitalize()}, as the evidence has it."
    return Statement(seat=seat, round_number=round_number, text=text, stance=stance, evidence=evidence)


def _argued(side: Role, probability: float, *evidence: str) -> Statement:
    text = f"I stay {side}ish on ACME."
    return Statement(seat=side, round_number=1, side=side, text=text, probability=probability, evidence=evidence)


BLIND = (
    _voted("cautious", "hold", "px.drawdown_252d", "px.vol_ratio"),
    _voted("creative", "sell", "px.vol_ratio", "px.volume_ratio"),
    _voted("literal", "buy", "px.excess_63d", "px.sma200_gap"),
)

TALLY = Tally(
    ballots={"cautious": "hold", "creative": "sell", "literal": "hold"},
    winner="hold",
    votes=2,
    tied=False,
    confidence="medium",
    changed=("literal",),
)

SIDES = (_argued("bull", 0.57, "px.excess_63d", "px.sma200_gap"), _argued("bear", 0.43, "px.vol_ratio"))

OPENING = debate_inputs("bull")

THIRD_ROUND = debate_inputs(
    "bear",
    3,
    prior_rounds=(
        DebateRound(round_number=1, bull_argument="I am bullish on ACME.", bear_argument="I am bearish on ACME."),
        DebateRound(round_number=2, bull_argument="I stay bullish on ACME.", bear_argument="I stay bearish on ACME."),
    ),
    open_points=(
        OpenPoint(id="bull.1.c1", text="It leads its benchmark.", evidence=("px.excess_63d",)),
        OpenPoint(id="bull.1.c2", text="It holds above its average.", evidence=("px.sma200_gap", "axis.technical")),
        OpenPoint(
            id="bear.1.c1",
            text="Volatility is rising.",
            evidence=("px.vol_ratio",),
            rebuttal=Move(
                target="bear.1.c1", kind="rebutted", reason="The market is broad.", evidence=("macro.breadth_200d",)
            ),
        ),
    ),
    cited_before=("axis.technical", "macro.breadth_200d", "px.excess_63d", "px.sma200_gap", "px.vol_ratio"),
    last_probability=0.43,
)


def contract_of(skill: Skill) -> type[Model]:
    return CONTRACTS[skill.produces]


def examples_of(skill: Skill) -> list[dict[str, Any]]:
    return [json.loads(found) for found in re.findall(r"```json\n(.*?)\n```", skill.body, re.DOTALL)]
