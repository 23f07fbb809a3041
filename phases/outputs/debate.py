"""A ticker's night in the terminal: the view before, who said what, what became of the points, and why."""

from __future__ import annotations

from collections.abc import Iterator

from phases.core.text import printable
from phases.outputs.terminal import points_text, wrapped
from schemas.analyst import AnalystPayload
from schemas.debate import Carried, Case, Move
from schemas.feed import FeedRow
from schemas.ledger import Answered, Assessed, DebateTranscript, Judged, LedgerEvent, Ruled, Spoke, Supervised, Voided
from schemas.manager import PointAnswer
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
        blocks += [list(_gap(transcript)), list(_points(summary, transcript)), list(_manager(summary))]
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
    rounds: dict[str, list[str]] = {}
    for event in transcript.ledger:
        rounds.setdefault(part_of(event, transcript), []).extend(_turn(event))
    ended = f"Debate: {transcript.protocol}{held_of(transcript)}; ended by {printable(transcript.stop_reason)}"
    blocks = [[name.capitalize(), *lines] for name, lines in rounds.items()]
    none = f"Debate: none, {printable(transcript.stop_reason)}"
    return [[wrapped(ended if transcript.ledger else none, "")], *blocks]


def opened(transcript: DebateTranscript) -> bool:
    """Whether a debate began with an opening, which is no round of its loop."""
    return any(_stage(event) == "opening" for event in transcript.ledger)


def part_of(event: LedgerEvent, transcript: DebateTranscript) -> str:
    """The part of the debate in which a turn was held: `opening`, `round 1` for the first of the loop, `closing`."""
    stage = _stage(event)
    return f"round {event.round_number - opened(transcript)}" if stage == "loop" else stage


def held_of(transcript: DebateTranscript) -> str:
    """How many rounds were held, of how many; empty for a protocol without a loop."""
    rounds = f"{transcript.executed_rounds} of {transcript.configured_rounds} rounds"
    return f", {'opening and ' * opened(transcript)}{rounds}" if transcript.configured_rounds else ""


def _stage(event: LedgerEvent) -> str:
    return event.step.partition(".")[0]


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
    found = probabilities(transcript)
    pairs = [(name, said["bull"], said["bear"]) for name, said in found.items() if len(said) == len(SIDES)]
    if pairs:
        yield "Gap by round:     bull    bear     gap"
    for name, bull, bear in pairs:
        yield f"  {name:<12}{bull:>8.4f}{bear:>8.4f}{abs(bull - bear):>8.4f}"


def probabilities(transcript: DebateTranscript | None) -> dict[str, dict[str, float]]:
    """Probability of each side by part of the debate; a part in which neither gave one is left out."""
    if transcript is None:
        return {}
    found: dict[str, dict[str, float]] = {}
    for event in transcript.ledger:
        if isinstance(event, Spoke) and event.contribution.probability is not None:
            said = found.setdefault(part_of(event, transcript), {})
            said[event.contribution.role] = event.contribution.probability
    return found


BECAME: dict[PointAnswer, str] = {
    "conceded": "conceded by the other side",
    "withdrawn": "withdrawn by its author",
    "rebutted": "rebutted, and the rebuttal stands",
    "met": "rebutted, and the rebuttal was answered",
    "carried": "left open, with a test that would settle it",
    "unaddressed": "never answered",
}


def _points(summary: DebateSummary, transcript: DebateTranscript | None) -> Iterator[str]:
    """What became of each claim; without moves in the protocol only what it weighs."""
    turns = [event.contribution for event in (transcript.ledger if transcript else ()) if isinstance(event, Spoke)]
    moves = not turns or any(turn.moves is not None for turn in turns)
    if summary.points:
        yield "Points, and what became of them:" if moves else "Claims (nobody was asked to answer them by moves):"
    for point in summary.points:
        became = f" {BECAME[point.answer]};" if moves else ""
        yield wrapped(f"{point.id}:{became} weight {point.weight:g}: {point.text}")


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
        yield wrapped(f"After: {row.stance}, {moved}, p {row.probability_pre} before, {row.probability_post} after", "")
    if row.reason:
        yield wrapped(f"why: {row.reason}")
    if summary is not None and row.decided_by is not None:
        yield wrapped(f"decided by: {DECIDED[row.decided_by]}")
        yield from map(wrapped, _told(row, summary))
    if row.flags:
        yield wrapped(f"flags: {', '.join(row.flags)}")


DECIDED = {
    "code": "the moves, in code; the manager's rulings can only make it smaller",
    "manager": "the manager's word, by a fixed table",
    "tally": "the votes, counted in code",
}


def _told(row: FeedRow, summary: DebateSummary) -> Iterator[str]:
    """The read-outs behind a change, in words."""
    found = summary.readouts
    if "exchange.tilt" in found and row.decided_by == "code":
        scale = "1 all to the bull, -1 all to the bear"
        yield f"exchange: tilt {found['exchange.tilt']} ({scale}), {found['exchange.delta']:+d} before rulings"
    if "convergence" in found:
        yield f"convergence: {found['convergence']:.0%} of the points were conceded or withdrawn"
    if "gap.verdict" in found:
        yield f"gap: {GAP[str(found['gap.verdict'])]}"
    if "tally.share" in found:
        sure = f"{found.get('tally.confidence', 'no')} confidence"
        yield f"votes: {found.get('tally.winner', 'tied')}, {found['tally.share']:.0%}, {sure}"
    if "ruling.decision" in found:
        yield f"moderator: {found['ruling.decision']}"
    if found.get("forecast.final") == row.probability_post:
        blend = f"with the debate {found['forecast.blend']}, in the end {row.probability_post}"
        yield f"forecast: panel {found['panel.aggregate']}, {blend}"
    if "theater" in found:
        yield f"theater: {THEATER[str(found['theater'])]}"


GAP = {
    "panel_agreed": "the panel agreed before the debate, so there was little to close",
    "narrowed": "the sides came closer",
    "widened": "the sides moved apart",
    "held": "the sides stayed where they were",
}
THEATER = {
    "no_reply": "nobody answered anything",
    "no_substance": "nothing changed hands, or a turn said the same again",
}
