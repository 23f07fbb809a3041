"""Phase 7C-D: the case, and the debate over it under one protocol file."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from phases.core.ask import Answer, Ask, Wanted
from phases.core.phase import phase
from phases.core.reading import Check, Finding, cut_at_sentence
from phases.core.text import canonical, digest
from phases.debate.conduct import Turn, WantedTurn, conduct
from phases.debate.ledger import Void, round_of, rounds_of
from phases.debate.protocol import Protocol, read_protocol
from phases.debate.readouts import READOUTS, read_out
from phases.debate.readouts.base import Seen
from phases.debate.rules import parse_rule
from phases.maths.exact import decimals, exact
from phases.maths.lean import MACRO_WEIGHT
from schemas.analyst import AnalystPayload
from schemas.base import Model
from schemas.bias import BiasRow
from schemas.debate import (
    Case,
    DebateInputs,
    DebateRoundContribution,
    DebateTranscript,
    Spoke,
    Voided,
)
from schemas.market import Evidence, MacroSnapshot, MarketSnapshot, Question
from schemas.run import History, RunHeader
from schemas.settings import DebateSettings

EQUITY_LEAN = {"strong_bullish": 1.0, "bullish": 0.5, "neutral": 0.0, "bearish": -0.5, "strong_bearish": -1.0}
"""Lean of the equity bias before the damping of index-wide facts."""

AXIS_SIGN = {"buy": 1, "hold": 0, "watch": 0, "sell": -1}


@phase(scope="ticker")
def case(
    analyst_payload: AnalystPayload,
    market_snapshot: MarketSnapshot,
    macro_snapshot: MacroSnapshot,
    bias_row: BiasRow,
    question: Question,
) -> Case:
    """What the debate is about: one frozen bundle that both sides cite from."""
    own = (*market_snapshot.evidence, *macro_snapshot.evidence)
    made = (*_bias_evidence(bias_row, macro_snapshot), *_axis_evidence(analyst_payload, market_snapshot, own))
    bundle = tuple(sorted((*own, *made), key=lambda one: one.id))
    parts = [
        question.model_dump(mode="json"),
        analyst_payload.model_dump(mode="json"),
        bias_row.model_dump(mode="json"),
        [one.model_dump(mode="json") for one in bundle],
    ]
    return Case(
        ticker=analyst_payload.ticker,
        question=question,
        payload=analyst_payload,
        bias_row=bias_row,
        bundle=bundle,
        content_hash=digest(canonical(parts)),
    )


def _bias_evidence(row: BiasRow, macro: MacroSnapshot) -> list[Evidence]:
    """The row's directions as citable items. They take the worst tier and staleness of their inputs."""
    known = {one.id: one for one in macro.evidence}
    found = []
    for field, value in (
        ("equity", row.equity_bias),
        ("bond", row.bond_bias),
        ("commodity", row.commodity_bias),
    ):
        origin = row.provenance[f"{field}_bias"]
        if value is None or origin.as_of is None:
            continue
        inputs = [known[name] for name in origin.evidence if name in known]
        lean = EQUITY_LEAN[value] * MACRO_WEIGHT if field == "equity" else 0.0
        label = f"macro bias row: {field}"
        stale = origin.status == "carried" or any(one.stale for one in inputs)
        found.append(_computed(f"bias.{field}", label, value, lean, inputs, origin.as_of, row, stale))
    return found


def _computed(
    id: str,
    label: str,
    value: str,
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
            "unit": "text",
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
    """The debate, or the reason why none was bought."""
    protocol = read_protocol(header.protocol, settings.protocol)
    gated = _gated(protocol, case, history, header, settings)
    rounds = settings.rounds or protocol.rounds
    ledger: list[Spoke | Voided] = []
    stop = gated or _hold(protocol, case, rounds, ledger, ask)
    parts = [case.content_hash, stop, rounds, [event.model_dump(mode="json") for event in ledger]]
    return DebateTranscript(
        ticker=case.ticker,
        protocol=protocol.protocol,
        case_hash=case.content_hash,
        rounds=rounds_of(ledger),
        ledger=tuple(ledger),
        stop_reason=stop,
        configured_rounds=rounds,
        executed_rounds=max((round_of(event) for event in ledger), default=0),
        content_hash=digest(canonical(parts)),
    )


def _gated(protocol: Protocol, case: Case, history: History, header: RunHeader, settings: DebateSettings) -> str | None:
    """Why no debate is bought; absent if one is."""
    if settings.when == "none":
        return "gated: debates are switched off"
    if settings.when == "all" or not protocol.start_when:
        return None
    at = bisect_left(history.rows, case.ticker, key=lambda row: row.ticker)
    last = history.rows[at].stance if history.rows[at : at + 1] and history.rows[at].ticker == case.ticker else None
    held = case.ticker in header.settings.held
    values = read_out(Seen(case.payload, held=held, last_stance=last))
    rules = [parse_rule(rule, READOUTS, protocol.protocol) for rule in protocol.start_when]
    if any(rule.holds(values) for rule in rules):
        return None
    shown = ", ".join(f"{rule.readout} is {values[rule.readout]}" for rule in rules)
    return f"gated: not {' or '.join(map(str, rules))} ({shown})"


def _hold(protocol: Protocol, case: Case, rounds: int, ledger: list[Spoke | Voided], ask: Ask) -> str:
    """Drive the debate: ask for the turns it wants until it returns its stop reason."""
    checks = _checks(protocol)
    conversation = conduct(protocol, case, rounds, ledger)
    wanted = next(conversation)
    while True:
        answers = ask.all([_asked(turn, checks) for turn in wanted])
        try:
            wanted = conversation.send(tuple(_turn(answer) for answer in answers))
        except StopIteration as end:
            return str(end.value)


def _asked(turn: WantedTurn, checks: tuple[Check[DebateRoundContribution], ...]) -> Wanted[DebateRoundContribution]:
    return Wanted(
        turn.seat.skill,
        turn.inputs,
        DebateRoundContribution,
        turn.step.require,
        seat=turn.name,
        checks=checks,
    )


def _turn(answer: Answer[DebateRoundContribution]) -> Turn:
    return Turn(answer.record if answer.record is not None else Void(answer.void or "void"), answer.flags)


def _checks(protocol: Protocol) -> tuple[Check[DebateRoundContribution], ...]:
    limit = protocol.argument_limit

    def long(said: DebateRoundContribution, _: Model) -> Sequence[Finding]:
        size = len(said.argument)
        if size <= limit:
            return ()
        return (Finding(f"/argument: has {size} characters; this debate allows {limit}", "drop", "cut"),)

    def cut(said: DebateRoundContribution, _: Model) -> DebateRoundContribution:
        return said.model_copy(update={"argument": cut_at_sentence(said.argument, limit)})

    return (EVIDENCE_IDS, Check("argument_limit", long, cut))


def _known(inputs: Model) -> set[str]:
    return {one.id for one in inputs.evidence or ()} if isinstance(inputs, DebateInputs) else set()


def _foreign_ids(said: DebateRoundContribution, inputs: Model) -> Sequence[Finding]:
    known = _known(inputs)
    cited = {name for claim in said.claims or () for name in claim.evidence}
    cited |= {name for move in said.moves or () for name in move.evidence}
    cited |= set(said.acknowledged.evidence) if said.acknowledged else set()
    return tuple(
        Finding(f"{name} is not in the evidence given; cite only its ids", "drop", "foreign_evidence")
        for name in sorted(cited - known)
    )


def _without_foreign(said: DebateRoundContribution, inputs: Model) -> DebateRoundContribution:
    """Claims and moves that cite what is not there do not count."""
    known = _known(inputs)
    update = {
        name: tuple(one for one in parts if set(one.evidence) <= known)
        for name, parts in (("claims", said.claims), ("moves", said.moves))
        if parts is not None
    }
    granted = said.acknowledged
    if granted is not None and not set(granted.evidence) <= known:
        return said.model_copy(update={**update, "acknowledged": None})
    return said.model_copy(update=update)


EVIDENCE_IDS: Check[DebateRoundContribution] = Check("evidence_ids", _foreign_ids, _without_foreign)
"""Every id a debater cites is in the bundle it was shown."""
