"""Phase 7C-D, closing: a manager words what the debate came to; the change is computed here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phases.core.ask import Ask
from phases.core.phase import phase
from phases.core.reading import Check, Finding
from phases.debate.ledger import spoken, weighed_claims
from phases.maths.conviction import effective_conviction, probability_after, stance_table
from phases.maths.exact import exact
from schemas.base import Model, NetStance
from schemas.debate import Case, DebateTranscript, ManagerInputs, ManagerReply, Voided
from schemas.settings import ManagerSettings
from schemas.summary import DebateSummary


@phase(scope="ticker")
def debate_summary(
    case: Case, debate_transcript: DebateTranscript, settings: ManagerSettings, *, ask: Ask
) -> DebateSummary:
    """What the debate came to: the manager's word, and the change of conviction by the stance table."""
    ledger = debate_transcript.ledger
    if debate_transcript.executed_rounds == 0:
        return _summary(case, debate_transcript, "gated", debate_transcript.stop_reason, conviction_delta=0)
    sides = [side for side in ("bull", "bear") if spoken(ledger, side)]
    if not sides:
        voids = [event.reason for event in ledger if isinstance(event, Voided)]
        refused = all(reason.startswith("refuse") for reason in voids)
        return _summary(
            case, debate_transcript, "refused" if refused else "failed", "no valid turn: " + "; ".join(voids)
        )
    if len(sides) == 1:
        reason = debate_transcript.stop_reason
        return _summary(case, debate_transcript, "debated", reason, conviction_delta=0, flags=("one_sided",))
    return _managed(case, debate_transcript, settings, ask)


def _managed(case: Case, transcript: DebateTranscript, settings: ManagerSettings, ask: Ask) -> DebateSummary:
    bundle = {one.id: one for one in case.bundle}
    inputs = ManagerInputs(
        evidence=case.bundle,
        rounds=transcript.rounds,
        claims=weighed_claims(transcript.ledger, bundle),
        question=case.question,
        ticker=case.ticker,
    )
    said = ask("research-manager", inputs, returns=ManagerReply, seat="manager", checks=CHECKS)
    flags = tuple(f"manager_{flag}" for flag in said.flags)
    if said.record is None:
        return _summary(case, transcript, "failed", f"manager void: {said.void}", flags=flags)
    reply = said.record
    delta = stance_table(reply.net_stance, case.payload.conviction_score)
    return _summary(
        case,
        transcript,
        "debated",
        _why(reply.net_stance, inputs),
        bull_thesis=reply.bull_thesis,
        bear_thesis=reply.bear_thesis,
        net_stance=reply.net_stance,
        conviction_delta=delta,
        probability_post=probability_after(case.payload.probability, delta, exact(settings.probability_per_point)),
        decided_by="manager",
        rulings=reply.rulings,
        would_resolve_if=reply.would_resolve_if,
        flags=flags,
    )


def _summary(case: Case, transcript: DebateTranscript, status: str, reason: str, **more: Any) -> DebateSummary:
    failed = status in ("failed", "refused")
    probability = {} if failed else {"probability_post": more.pop("probability_post", case.payload.probability)}
    return DebateSummary(
        ticker=case.ticker,
        status=status,  # type: ignore[arg-type]
        reason=reason,
        rounds=transcript.rounds,
        readouts=_readouts(case, transcript, more.get("conviction_delta")),
        flags=(*_turn_flags(transcript), *more.pop("flags", ())),
        **probability,
        **more,
    )


def _readouts(case: Case, transcript: DebateTranscript, delta: int | None) -> dict[str, float | int | str | None]:
    score = case.payload.conviction_score
    return {
        "effective_conviction": None if delta is None else effective_conviction(score, delta),
        "panel.margin": case.payload.panel_margin,
        "panel.spread": case.payload.panel_spread,
        "rounds": transcript.executed_rounds,
        "stop": transcript.stop_reason,
    }


def _turn_flags(transcript: DebateTranscript) -> list[str]:
    """What was noticed while reading turns, and which turns are void."""
    found = []
    for event in transcript.ledger:
        if isinstance(event, Voided):
            found.append(f"{event.seat}_{event.round_number}_void")
        else:
            found += [f"{event.seat}_{event.contribution.round_number}_{flag}" for flag in event.flags]
    return found


def _why(net_stance: NetStance, inputs: ManagerInputs) -> str:
    """One line for a reader: who gained, and the claim that led that side."""
    if net_stance == "neutral":
        return "neither side gained"
    side = "bull" if net_stance == "bullish" else "bear"
    lead = next((claim.text for claim in inputs.claims if claim.side == side), "no claim")
    return f"{side} gained: {lead}"


def _theses(reply: ManagerReply, _: Model) -> Sequence[Finding]:
    bull, bear = (" ".join(text.lower().split()) for text in (reply.bull_thesis, reply.bear_thesis))
    if bull == bear:
        return (Finding("/bear_thesis: the same sentence as /bull_thesis; state each side's own case", "void"),)
    return ()


def _ruled_claims(reply: ManagerReply, inputs: Model) -> Sequence[Finding]:
    known = {claim.id for claim in inputs.claims} if isinstance(inputs, ManagerInputs) else set()
    foreign = sorted({ruling.claim for ruling in reply.rulings} - known)
    return tuple(Finding(f"/rulings: there is no claim {claim}", "void") for claim in foreign)


def _unanswered(reply: ManagerReply, inputs: Model) -> list[str]:
    """Claims ruled `answered` although nobody moved on them."""
    claims = inputs.claims if isinstance(inputs, ManagerInputs) else ()
    silent = {claim.id for claim in claims if claim.answer == "unaddressed"}
    return sorted({ruling.claim for ruling in reply.rulings if ruling.ruling == "answered"} & silent)


def _answered(reply: ManagerReply, inputs: Model) -> Sequence[Finding]:
    return tuple(
        Finding(f"/rulings: {claim} cannot be answered: the other side made no move on it", "drop")
        for claim in _unanswered(reply, inputs)
    )


def _without_unanswered(reply: ManagerReply, inputs: Model) -> ManagerReply:
    dropped = _unanswered(reply, inputs)
    kept = tuple(ruling for ruling in reply.rulings if ruling.ruling != "answered" or ruling.claim not in dropped)
    return reply.model_copy(update={"rulings": kept})


def _conditions(reply: ManagerReply, inputs: Model) -> Sequence[Finding]:
    known = {one.id for one in inputs.evidence} if isinstance(inputs, ManagerInputs) else set()
    foreign = sorted({one.evidence for one in reply.would_resolve_if} - known)
    return tuple(Finding(f"/would_resolve_if: {name} is not in the evidence given", "void") for name in foreign)


CHECKS: tuple[Check[ManagerReply], ...] = (
    Check("theses_differ", _theses),
    Check("ruled_claims", _ruled_claims),
    Check("answered_claims", _answered, _without_unanswered),
    Check("conditions", _conditions),
)
"""What a manager's reply must satisfy beyond its schema."""
