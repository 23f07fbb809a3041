"""Phase 7C-D: the case, and the debate over it under one protocol file."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from phases.core.ask import Answer, Ask, Wanted
from phases.core.phase import phase
from phases.core.text import canonical, digest
from phases.core.trace import span
from phases.debate.carry import carried, last_debate, stands
from phases.debate.checks import checks_of
from phases.debate.conduct import Debate, WantedTurn, conduct, holding
from phases.debate.ledger import Turn, Void, loop_rounds_held, rounds_of
from phases.debate.protocol import Protocol, loop_rounds, read_protocol
from phases.debate.readouts import READOUTS
from phases.debate.readouts.base import Seen
from phases.debate.rules import parse_rule
from phases.debate.seats import seated
from phases.maths.exact import decimals, exact
from phases.maths.lean import MACRO_WEIGHT
from schemas.analyst import AnalystPayload
from schemas.base import Model
from schemas.bias import BiasRow
from schemas.debate import Case
from schemas.ledger import DebateTranscript, LedgerEvent
from schemas.market import Evidence, MacroSnapshot, MarketSnapshot, Question
from schemas.news import NewsSnapshot
from schemas.run import History, RunHeader
from schemas.settings import DebateSettings

EQUITY_LEAN = {"strong_bullish": 1.0, "bullish": 0.5, "neutral": 0.0, "bearish": -0.5, "strong_bearish": -1.0}
"""Lean of the equity bias before the damping of index-wide facts."""

CITABLE: Mapping[str, str] = {
    "equity": "equity_bias",
    "bond": "bond_bias",
    "commodity": "commodity_bias",
    "crypto": "crypto_bias",
    "forex": "forex_bias",
    "vix": "vix_level",
    "flow": "inst_flow",
    "options": "options_sentiment",
    "cta": "cta_direction",
    "hedge_funds": "hf_consensus",
}
"""Fields of the bias row that are one direction or one number, by the name in their evidence id. The others are texts,
or several values in one."""

AXIS_SIGN = {"buy": 1, "hold": 0, "watch": 0, "sell": -1}


@phase(scope="ticker")
def case(
    analyst_payload: AnalystPayload,
    market_snapshot: MarketSnapshot,
    news_snapshot: NewsSnapshot,
    macro_snapshot: MacroSnapshot,
    bias_row: BiasRow,
    question: Question,
    history: History,
) -> Case:
    """What the debate is about: one frozen bundle that both sides cite from, and what the last debate left open."""
    own = (*market_snapshot.evidence, *news_snapshot.evidence, *macro_snapshot.evidence)
    made = (*bias_evidence(bias_row, macro_snapshot), *_axis_evidence(analyst_payload, market_snapshot, own))
    bundle = tuple(sorted((*own, *made), key=lambda one: one.id))
    last = last_debate(history, analyst_payload.ticker)
    by_id = {one.id: one for one in bundle}
    found = Case(
        ticker=analyst_payload.ticker,
        question=question,
        payload=analyst_payload,
        bias_row=bias_row,
        bundle=bundle,
        carried=None if last is None else carried(last, by_id, macro_snapshot.session),
        content_hash="-",
    )
    mark = digest(canonical(found.model_dump(mode="json", exclude={"content_hash"})))
    return found.model_copy(update={"content_hash": mark})


def bias_evidence(row: BiasRow, macro: MacroSnapshot) -> list[Evidence]:
    """The row's directions as citable items. They take the worst tier and staleness of their inputs."""
    known = {one.id: one for one in macro.evidence}
    found = []
    for name, field in CITABLE.items():
        value, origin = getattr(row, field), row.provenance[field]
        if value is None or origin.as_of is None:
            continue
        inputs = [known[one] for one in origin.evidence if one in known]
        lean = EQUITY_LEAN[value] * MACRO_WEIGHT if name == "equity" else 0.0
        label = f"macro bias row: {field.removesuffix('_bias').replace('_', ' ')}"
        old = row.coverage is not None and row.coverage.stale is not None
        stale = old or origin.status == "carried" or any(one.stale for one in inputs)
        found.append(_computed(f"bias.{name}", label, value, lean, inputs, origin.as_of, row, stale))
    return found


def _computed(
    id: str,
    label: str,
    value: str | float,
    lean: float,
    inputs: Sequence[Evidence],
    as_of: object,
    row: BiasRow,
    stale: bool,
) -> Evidence:
    return Evidence.model_validate(
        {
            "id": id,
            "label": label,
            "value": value,
            "unit": "text" if isinstance(value, str) else "index",
            "lean": lean,
            "as_of": as_of,
            "known_at": max((one.known_at for one in inputs), default=row.date),
            "source": "computed",
            "tier": max((one.tier for one in inputs), default=4),
            "stale": stale,
        }
    )


def _axis_evidence(payload: AnalystPayload, market: MarketSnapshot, own: Sequence[Evidence]) -> list[Evidence]:
    """The axes' stances as citable items."""
    known = {one.id: one for one in own}
    return [
        Evidence(
            id=f"axis.{view.axis}",
            label=f"{view.axis} axis",
            value=view.stance_axis,
            unit="text",
            lean=decimals(exact(view.conviction_axis) * AXIS_SIGN[view.stance_axis], 4),
            as_of=market.session,
            known_at=market.session,
            source="computed",
            tier=max((known[name].tier for name in view.evidence if name in known), default=4),
            stale=any(known[name].stale for name in view.evidence if name in known),
        )
        for view in payload.axes
    ]


@phase(scope="ticker")
def debate_transcript(
    case: Case, history: History, header: RunHeader, settings: DebateSettings, *, ask: Ask
) -> DebateTranscript:
    """The debate, or the reason why none was held."""
    protocol = read_protocol(header.protocol, settings.protocol)
    rounds = loop_rounds(protocol, settings.rounds, settings.protocol)
    ledger: list[LedgerEvent] = []
    stop = _not_held(protocol, case, history, header, settings, rounds)
    if stop is None:
        debate = Debate(protocol, seated(protocol, ask.skills, settings.protocol), case, rounds, ledger)
        stop = _hold(debate, ask)
    parts = [case.content_hash, stop, rounds, [event.model_dump(mode="json") for event in ledger]]
    return DebateTranscript(
        ticker=case.ticker,
        protocol=protocol.protocol,
        case_hash=case.content_hash,
        rounds=rounds_of(ledger),
        ledger=tuple(ledger),
        stop_reason=stop,
        configured_rounds=rounds,
        executed_rounds=loop_rounds_held(ledger),
        content_hash=digest(canonical(parts)),
    )


def _not_held(
    protocol: Protocol, case: Case, history: History, header: RunHeader, settings: DebateSettings, rounds: int
) -> str | None:
    """Why no debate is held: it is switched off, the last one still stands, or the gate is shut; None if one is."""
    if settings.when == "none":
        return "gated: debates are switched off"
    fired = [one for one in case.carried.conditions if one.fired] if case.carried else []
    if fired:
        return None
    last = last_debate(history, case.ticker)
    if last is not None and stands(last, protocol.protocol, rounds, case, settings.bands):
        return f"carried: the {last.protocol} debate of {last.session} stands; nothing fired or left its band"
    return _gated(protocol, case, history, header) if settings.when == "gate" else None


def _gated(protocol: Protocol, case: Case, history: History, header: RunHeader) -> str | None:
    """Why no debate is bought; absent if one is."""
    at = bisect_left(history.rows, case.ticker, key=lambda row: row.ticker)
    last = history.rows[at].stance if history.rows[at : at + 1] and history.rows[at].ticker == case.ticker else None
    seen = Seen(case.payload, held=case.ticker in header.settings.held, last_stance=last)
    rules = [parse_rule(rule, READOUTS, protocol.protocol) for rule in protocol.start_when]
    if not rules or holding(rules, seen):
        return None
    shown = ", ".join(f"{rule.readout} is {READOUTS[rule.readout](seen)}" for rule in rules)
    return f"gated: {shown}; a debate needs {' or '.join(map(str, rules))}"


def _hold(debate: Debate, ask: Ask) -> str:
    """Drive the debate: ask for the turns it wants until it returns its stop reason."""
    conversation = conduct(debate)
    wanted = next(conversation)
    while True:
        first, seats = wanted[0], " ".join(turn.name for turn in wanted)
        number = getattr(first.inputs, "round_number", None)
        told = {} if number is None else {"round": int(number)}
        with span("round", ticker=debate.case.ticker, seats=seats, **told) as mark:
            answers = ask.all([_asked(turn, debate.protocol) for turn in wanted])
            mark("void", sum(one.record is None for one in answers))
        try:
            wanted = conversation.send(tuple(map(_turn, answers)))
        except StopIteration as end:
            return str(end.value)


def _asked(turn: WantedTurn, protocol: Protocol) -> Wanted[Model]:
    returns = turn.kind.returns
    required = tuple(name for name in turn.step.require if name in returns.model_fields)
    checks = checks_of(returns, protocol, turn.step)
    return Wanted(turn.seat.skill, turn.inputs, returns, required, seat=turn.name, checks=checks)


def _turn(answer: Answer[Model]) -> Turn:
    said = answer.record if answer.record is not None else Void(answer.void or "void")
    flags = answer.flags if answer.priced else (*answer.flags, "unpriced")
    return Turn(said, flags, answer.dropped, answer.tokens, answer.micros)
