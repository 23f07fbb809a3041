"""A ticker's night in the terminal: the view before, who said what, what became of the points, and why."""

from __future__ import annotations

from collections.abc import Iterator

from phases.core.text import printable
from phases.outputs.terminal import points_text, wrapped
from schemas.analyst import AnalystPayload
from schemas.debate import Carried, Case, Move
from schemas.feed import FeedRow
from schemas.ledger import Answered, Assessed, DebateTranscript, Judged, LedgerEvent, Ruled, Spoke, Supervised, Voided
from schemas.summary import DebateSummary

SIDES = ("bull", "bear")


def debate_text(
    row: FeedRow, case: Case | None, transcript: DebateTranscript | None, summary: DebateSummary | None
) -> str:
    """One ticker's night, readable."""
    blocks = [[f"{row.ticker} as of {row.as_of} | {row.status} | engine: {row.engine}"]]
    if case is not None:
        blocks += [list(_before(case.payload)), list(_carried(case.carried))]
    if transcript is not None:
        blocks += _debate(transcript)
    if summary is not None:
        blocks += [list(_gap(transcript)), list(_points(summary)), list(_manager(summary))]
    blocks.append(list(_after(row, summary)))
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _before(payload: AnalystPayload) -> Iterator[str]:
    yield f"Before: {payload.stance}, conviction {points_text(payload.conviction_score)}, p {payload.probability}"
    for view in payload.axes:
        yield wrapped(f"{view.axis}: {view.rationale} Risk: {view.risk}")


def _carried(carried: Carried | None) -> Iterator[str]:
    if carried is None:
        return
    yield f"Left open on {carried.since}:"
    for point in carried.points:
        yield wrapped(f"{point.id}: {point.text}")
    for one in carried.conditions:
        now = "no value tonight" if one.now is None else f"{one.now} tonight"
        state = "FIRED" if one.fired else "not yet"
        yield wrapped(f"settled if {one.evidence} {one.comparison} {one.value}: {state} ({now})")


def _debate(transcript: DebateTranscript) -> list[list[str]]:
    """One block a round, then why it ended."""
    rounds: dict[tuple[int, str], list[str]] = {}
    for event in transcript.ledger:
        stage = event.step.partition(".")[0]
        rounds.setdefault((event.round_number, stage), []).extend(_turn(event))
    loop = transcript.configured_rounds
    held = f", {transcript.executed_rounds} of {loop} rounds" if loop else ""
    ended = f"Debate: {transcript.protocol}{held}; ended by {printable(transcript.stop_reason)}"
    blocks = [[_heading(number, stage), *lines] for (number, stage), lines in rounds.items()]
    return [[ended if transcript.ledger else f"Debate: none, {printable(transcript.stop_reason)}"], *blocks]


def _heading(number: int, stage: str) -> str:
    return f"Round {number}" + ("" if stage == "loop" else f", {stage}")


def _turn(event: LedgerEvent) -> Iterator[str]:
    if isinstance(event, Voided):
        yield wrapped(f"{event.seat}: void ({event.reason})")
        return
    yield from map(wrapped, _said(event))
    for reason in event.dropped:
        yield wrapped(f"  does not count: {reason}")


def _said(event: LedgerEvent) -> Iterator[str]:
    match event:
        case Spoke():
            said = event.contribution
            chance = "" if said.probability is None else f" (p {said.probability})"
            yield f"{event.seat}{chance}: {said.argument}"
            yield from (f"  {move.target} {_move(move)}" for move in said.moves or ())
        case Answered():
            yield f"{event.seat} ({event.contribution.stance}): {event.contribution.answer}"
        case Assessed():
            for one in event.contribution.assessments:
                yield f"{event.seat} on {one.seat}: {one.verdict}" + (f"; {one.flaw}" if one.flaw else "")
        case Ruled():
            ruling = event.contribution
            more = ruling.decision if ruling.status == "settled" else ruling.focus
            yield f"{event.seat}: {ruling.status}. {ruling.summary}" + (f" {more}" if more else "")
        case Judged():
            yield f"{event.seat}: {event.contribution.answer}"
        case Supervised():
            view = event.contribution
            yield f"{event.seat}: p {view.probability}, {view.confidence} confidence. {view.because}"


def _move(move: Move) -> str:
    test = move.would_change_if
    until = f" Would change if {test.evidence} {test.comparison} {test.value}." if test else ""
    return f"{move.kind}: {move.reason}{until}"


def _gap(transcript: DebateTranscript | None) -> Iterator[str]:
    """Both probabilities by round, and how far they stand apart."""
    rounds: dict[int, dict[str, float]] = {}
    for event in transcript.ledger if transcript else ():
        if isinstance(event, Spoke) and event.contribution.probability is not None:
            rounds.setdefault(event.round_number, {})[event.contribution.role] = event.contribution.probability
    pairs = [(number, said["bull"], said["bear"]) for number, said in rounds.items() if len(said) == len(SIDES)]
    if pairs:
        yield "Gap by round:     bull    bear     gap"
    for number, bull, bear in pairs:
        yield f"  {number:<12}{bull:>8.4f}{bear:>8.4f}{abs(bull - bear):>8.4f}"


def _points(summary: DebateSummary) -> Iterator[str]:
    if summary.points:
        yield "Points:"
    for point in summary.points:
        yield wrapped(f"{point.id} {point.answer}, weight {point.weight:g}: {point.text}")


def _manager(summary: DebateSummary) -> Iterator[str]:
    if summary.net_stance is None:
        return
    yield "Manager:"
    for side, thesis in (("bull", summary.bull_thesis), ("bear", summary.bear_thesis)):
        if thesis:
            yield wrapped(f"{side} thesis: {thesis}")
    yield wrapped(f"net: {summary.net_stance}")
    for ruling in summary.rulings:
        if ruling.ruling != "stands":
            yield wrapped(f"{ruling.claim} {ruling.ruling}: {ruling.because}")
    for one in summary.would_resolve_if:
        yield wrapped(f"would be settled if {one.evidence} {one.comparison} {one.value}")


def _after(row: FeedRow, summary: DebateSummary | None) -> Iterator[str]:
    if row.conviction_post is not None:
        points = [points_text(value) for value in (row.conviction_pre, row.conviction_delta, row.conviction_post)]
        moved = "conviction {} before, {} by the debate, {} after".format(*points)
        yield f"After: {row.stance}, {moved}, p {row.probability_pre} before, {row.probability_post} after"
    if row.reason:
        yield wrapped(f"why: {row.reason}")
    if summary is not None and row.decided_by is not None:
        yield wrapped(f"decided by: {row.decided_by}{_told(summary)}")
    if row.flags:
        yield wrapped(f"flags: {', '.join(row.flags)}")


def _told(summary: DebateSummary) -> str:
    """The read-outs behind a change, in the order a reader asks for them."""
    names = (
        *("exchange.tilt", "exchange.delta", "exchange.net", "convergence", "gap.verdict", "theater"),
        *("tally.winner", "tally.share", "tally.confidence", "ruling.decision", "forecast.final"),
    )
    found = [f"{name} {summary.readouts[name]}" for name in names if name in summary.readouts]
    return f" ({', '.join(found)})" if found else ""
