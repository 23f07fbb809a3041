"""Phase 7C-D, closing: a manager words what the debate came to; the change is computed here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phases.core.ask import Ask
from phases.core.phase import phase
from phases.core.reading import Check, Finding
from phases.debate.carry import last_debate, moved
from phases.debate.checks.numbers import NUMBERS
from phases.debate.conditions import told, untestable
from phases.debate.outcome import change, gained_by, probability_post, shifted, sides_argued
from phases.debate.points import weighed_claims
from phases.debate.protocol import Protocol, read_protocol
from phases.debate.readouts import READOUTS, published
from phases.debate.readouts.base import Seen
from phases.debate.rules import parse_rule
from phases.debate.view import manager_view
from phases.maths.conviction import effective_conviction
from phases.maths.exact import exact
from schemas.base import Model
from schemas.debate import Case, Condition
from schemas.ledger import DebateTranscript, Voided
from schemas.manager import ManagerInputs, ManagerReply
from schemas.run import History, RunHeader
from schemas.settings import ManagerSettings
from schemas.summary import DebateSummary, Status


@phase(scope="ticker")
def debate_summary(
    case: Case,
    debate_transcript: DebateTranscript,
    history: History,
    header: RunHeader,
    settings: ManagerSettings,
    *,
    ask: Ask,
) -> DebateSummary:
    """What the debate came to: the manager's word, and the change by the rule of the protocol."""
    ended = Ended(case, debate_transcript, read_protocol(header.protocol, debate_transcript.protocol))
    last, bands = last_debate(history, case.ticker), header.settings.debate.bands
    if last is not None and bands:
        ended.moved = moved(last, ended.seen.bundle, bands)
    stop = debate_transcript.stop_reason
    if not debate_transcript.ledger:
        return _carried(ended, history) if stop.startswith("carried") else _summary(ended, "gated", stop, delta=0)
    if stop.startswith("one_sided"):
        return _summary(ended, "debated", stop, delta=0, flags=("one_sided",))
    if stop.startswith("no valid turn"):
        voids = [event.reason for event in debate_transcript.ledger if isinstance(event, Voided)]
        refused = all(reason.startswith("refuse") for reason in voids)
        return _summary(ended, "refused" if refused else "failed", f"{stop}: " + "; ".join(voids))
    return _managed(ended, settings, ask)


class Ended:
    """A debate that has ended, and what its read-outs look at."""

    def __init__(self, case: Case, transcript: DebateTranscript, protocol: Protocol) -> None:
        """The protocol is the one it was held under."""
        self.case, self.transcript, self.protocol = case, transcript, protocol
        self.seen = Seen.of(case, transcript.ledger, protocol.readouts)
        self.micros = sum(event.micros for event in transcript.ledger)
        """What it cost so far, in millionths of a US dollar."""
        self.moved: list[str] = []
        """Ids that left their band since the last debate."""


def _managed(ended: Ended, settings: ManagerSettings, ask: Ask) -> DebateSummary:
    inputs = manager_view(ended.case, ended.transcript.ledger)
    sides = sides_argued(ended.seen)
    theses = tuple(f"{side}_thesis" for side in sides)
    said = ask("research-manager", inputs, returns=ManagerReply, require=theses, seat="manager", checks=CHECKS)
    flags = tuple(f"manager_{flag}" for flag in (*said.flags, *(() if said.priced else ("unpriced",))))
    ended.micros += said.micros
    if said.record is None:
        return _summary(ended, "failed", f"manager void: {said.void}", flags=flags)
    reply = said.record
    moved = change(ended.protocol, ended.seen, reply)
    return _summary(
        ended,
        "contested" if moved.contested else "debated",
        _why(ended, reply, moved.delta, moved.contested),
        delta=moved.delta,
        flags=(*flags, *moved.flags),
        **{name: getattr(reply, name) for name in theses},
        net_stance=reply.net_stance,
        probability_post=probability_post(ended.protocol, ended.seen, moved, exact(settings.probability_per_point)),
        decided_by=moved.decided_by,
        rulings=reply.rulings,
        would_resolve_if=_conditions(ended, reply),
    )


def _summary(ended: Ended, status: Status, reason: str, *, delta: int | None = None, **more: Any) -> DebateSummary:
    """A summary; a debate that failed has no numbers, and any other leaves the probability unless it is given."""
    payload, transcript = ended.case.payload, ended.transcript
    if delta is not None:
        more = {"probability_post": payload.probability, **more}
    return DebateSummary(
        ticker=ended.case.ticker,
        status=status,
        reason=reason,
        rounds=transcript.rounds,
        conviction_delta=delta,
        points=weighed_claims(transcript.ledger, ended.seen.bundle),
        micros=ended.micros,
        readouts={
            **published(ended.seen),
            "effective_conviction": None if delta is None else effective_conviction(payload.conviction_score, delta),
            "stop": transcript.stop_reason,
        },
        flags=(*_flags(ended), *more.pop("flags", ())),
        **more,
    )


def _carried(ended: Ended, history: History) -> DebateSummary:
    """The last debate's outcome on tonight's view: the same points of conviction, the same shift of probability."""
    last = last_debate(history, ended.case.ticker)
    assert last is not None, "a debate is carried from one that was held"
    then, payload = last.summary, ended.case.payload
    post = then.probability_post if then.probability_post is not None else last.probability
    delta = then.conviction_delta or 0
    tonight = {name: value for name, value in published(ended.seen).items() if name.startswith("panel.")}
    readouts = {**then.readouts, **tonight, "stop": ended.transcript.stop_reason}
    return then.model_copy(
        update={
            "reason": f"{ended.transcript.stop_reason}: {then.reason}",
            "rounds": (),
            "probability_post": shifted(payload.probability, exact(post) - exact(last.probability)),
            "readouts": {**readouts, "effective_conviction": effective_conviction(payload.conviction_score, delta)},
            "flags": ("carried",),
            "micros": 0,
        }
    )


def _flags(ended: Ended) -> list[str]:
    """What was noticed: turns that lapsed or are void, a debate that was reopened, rules on what never was there."""
    if not ended.transcript.ledger:
        return []
    found = ["reopened"] if _fired(ended.case) else []
    rules = [parse_rule(rule, READOUTS, "stop_when") for rule in ended.protocol.stop_when]
    found += [f"absent_{rule.readout}" for rule in rules if READOUTS[rule.readout](ended.seen) is None]
    for event in ended.transcript.ledger:
        noticed = ["void"] if isinstance(event, Voided) else event.flags
        found += [f"{event.seat}_{event.round_number}_{flag}" for flag in noticed]
    return found


def _fired(case: Case) -> list[str]:
    """Conditions of the last debate that fired, as a reader writes them."""
    return [told(one) for one in (case.carried.conditions if case.carried else ()) if one.fired]


def _conditions(ended: Ended, reply: ManagerReply) -> tuple[Condition, ...]:
    """What would settle what is open: the manager's word, and what each side said would change its mind."""
    carried = [one.last.would_change_if for one in ended.seen.raised if one.last is not None and one.state.awaits]
    return tuple(dict.fromkeys((*reply.would_resolve_if, *(one for one in carried if one is not None))))


def _why(ended: Ended, reply: ManagerReply, delta: int, contested: bool) -> str:
    """One line for a reader: who gained, by what, and what reopened the debate."""
    fired = _fired(ended.case)
    start = f"reopened, {'; '.join(fired)} fired: " if fired else ""
    if not fired and ended.moved:
        more = f" and {len(ended.moved) - 2} more" if len(ended.moved) > 2 else ""
        start = f"held again, {', '.join(ended.moved[:2])}{more} left the band: "
    if contested:
        code = ended.seen.payload and published(ended.seen).get("exchange.delta")
        return f"{start}contested: the moves earn {code:+d}, the manager says {reply.net_stance}"
    if ended.protocol.delta == "tally":
        return start + _votes(published(ended.seen))
    if ended.protocol.delta == "exchange":
        return start + gained_by(ended.seen, delta)
    gained = {"bullish": "bull", "bearish": "bear"}.get(reply.net_stance)
    if gained is None:
        return f"{start}neither side gained, says the manager"
    lead = next((one.claim.text for one in ended.seen.raised if one.side == gained), "no claim")
    return f"{start}{gained} gained, says the manager; its lead: {lead}"


def _votes(found: dict[str, float | int | str]) -> str:
    if "tally.share" not in found:
        return "no vote was cast"
    share = f"{found['tally.share']:.0%} of the votes"
    return f"{found.get('tally.winner', 'no winner, a tie')}: {share}, {found.get('tally.confidence', 'no')} confidence"


def _theses(reply: ManagerReply, _: Model) -> Sequence[Finding]:
    bull, bear = (" ".join((text or "").lower().split()) for text in (reply.bull_thesis, reply.bear_thesis))
    if bull and bull == bear:
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


def _foreign_conditions(reply: ManagerReply, inputs: Model) -> Sequence[Finding]:
    known = {one.id for one in inputs.evidence} if isinstance(inputs, ManagerInputs) else set()
    foreign = sorted({one.evidence for one in reply.would_resolve_if} - known)
    return tuple(Finding(f"/would_resolve_if: {name} is not in the evidence given", "void") for name in foreign)


def _idle(reply: ManagerReply, inputs: Model) -> dict[int, str]:
    """Conditions that could tell nothing, by their place, each with the reason."""
    evidence = inputs.evidence if isinstance(inputs, ManagerInputs) else ()
    found = ((at, untestable(one, evidence)) for at, one in enumerate(reply.would_resolve_if))
    return {at: why for at, why in found if why is not None}


def _idle_conditions(reply: ManagerReply, inputs: Model) -> Sequence[Finding]:
    return tuple(Finding(f"/would_resolve_if/{at}: {why}", "drop") for at, why in _idle(reply, inputs).items())


def _without_idle(reply: ManagerReply, inputs: Model) -> ManagerReply:
    idle = _idle(reply, inputs)
    kept = tuple(one for at, one in enumerate(reply.would_resolve_if) if at not in idle)
    return reply.model_copy(update={"would_resolve_if": kept})


CHECKS: tuple[Check[ManagerReply], ...] = (
    Check("theses_differ", _theses),
    Check("ruled_claims", _ruled_claims),
    Check("answered_claims", _answered, _without_unanswered),
    Check("conditions", _foreign_conditions),
    Check("idle_conditions", _idle_conditions, _without_idle),
    NUMBERS,
)
"""What a manager's reply must satisfy beyond its schema."""
