"""One ticker's night as its block of the page shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from markupsafe import Markup

from phases.outputs.debate import BECAME, DECIDED, GAP, THEATER, held_of, opened, part_of, probabilities
from phases.outputs.report.charts import Round, gap_chart
from phases.outputs.report.records import TickerNight
from phases.outputs.report.words import FATE, chance, flag_text, threshold_text, until, value_text
from schemas.debate import Claim, Condition, DebateRoundContribution, Move
from schemas.ledger import Answered, Assessed, DebateTranscript, Judged, LedgerEvent, Ruled, Spoke, Supervised, Voided
from schemas.manager import WeighedClaim
from schemas.market import Evidence
from schemas.summary import DebateSummary

Known = Mapping[str, Evidence]


class Cited(NamedTuple):
    """An evidence item where it is cited."""

    id: str
    label: str
    """Empty for an id that was not in the evidence."""
    value: str
    stale: bool


class Point(NamedTuple):
    """A point, and what became of it."""

    id: str
    side: str
    text: str
    fate: str
    """`stands`, `fell` or `open`; empty where the protocol asked for no moves."""
    became: str
    weight: str
    evidence: tuple[Cited, ...]
    ruling: str
    """The manager's word, where it is not that the point stands."""
    last: str
    """Who made the latest move on it; empty if nobody did."""
    reason: str
    """What that move says."""
    brought: tuple[Cited, ...]
    """What that move rests on."""


class Test(NamedTuple):
    """A condition in words."""

    id: str
    label: str
    words: str
    """For example `rises above 0.0%`."""
    now: str
    fired: bool


class Turn(NamedTuple):
    """One turn of the transcript."""

    seat: str
    side: str
    """`bull`, `bear` or empty."""
    about: str
    """Its probability, stance or status."""
    text: str
    lines: tuple[tuple[str, str], ...]
    """What is attached: a name and what it says."""
    dropped: tuple[str, ...]
    void: bool


def cited(ids: Iterable[str], known: Known) -> tuple[Cited, ...]:
    """Evidence by its ids, with label and value."""
    return tuple(
        Cited(one, known[one].label, value_text(known[one]), known[one].stale)
        if one in known
        else Cited(one, "", "", False)
        for one in ids
    )


def tests(conditions: Iterable[Condition], known: Known) -> tuple[Test, ...]:
    """Conditions in words, with tonight's value."""
    return tuple(_test(one, known) for one in conditions)


def _test(one: Condition, known: Known) -> Test:
    item = known.get(one.evidence)
    verb = "rises above" if one.comparison == "above" else "falls below"
    words = f"{verb} {threshold_text(one.value, item)}{until(one.by)}"
    now = "no value" if item is None else value_text(item)
    return Test(one.evidence, item.label if item else "", words, now, bool(getattr(one, "fired", False)))


def points(summary: DebateSummary, transcript: DebateTranscript | None, known: Known) -> tuple[Point, ...]:
    """Every point, what stands first; points of a protocol without moves only weigh something."""
    turns = [event.contribution for event in (transcript.ledger if transcript else ()) if isinstance(event, Spoke)]
    moves = not turns or any(turn.moves is not None for turn in turns)
    latest = {move.target: (turn.role, move) for turn in turns for move in turn.moves or ()}
    ruled = {one.claim: f"{one.ruling}: {one.because}" for one in summary.rulings if one.ruling != "stands"}
    found = [_point(one, moves, known, ruled.get(one.id, ""), latest.get(one.id)) for one in summary.points]
    order = ("stands", "open", "fell", "")
    return tuple(sorted(found, key=lambda one: (order.index(one.fate), one.side != "bull", one.id)))


def _point(one: WeighedClaim, moves: bool, known: Known, ruling: str, last: tuple[str, Move] | None) -> Point:
    return Point(
        id=one.id,
        side=one.side,
        text=one.text,
        fate=FATE[one.answer] if moves else "",
        became=BECAME[one.answer] if moves else "",
        weight=f"{one.weight:g}",
        evidence=cited(one.evidence, known),
        ruling=ruling,
        last=last[0] if last else "",
        reason=last[1].reason if last else "",
        brought=cited(last[1].evidence, known) if last else (),
    )


def rounds(transcript: DebateTranscript | None) -> tuple[Round, ...]:
    """Probabilities of both sides by round; rounds in which neither gave one are left out."""
    return tuple(Round(name, said.get("bull"), said.get("bear")) for name, said in probabilities(transcript).items())


def _gap(night: TickerNight) -> Markup | None:
    found, payload = rounds(night.outcome.debate_transcript), night.outcome.analyst_payload
    return gap_chart(night.row.ticker, found, payload.probability if payload else None) if found else None


def transcript(debate: DebateTranscript | None) -> list[tuple[str, list[Turn]]]:
    """Headings and turns, in the order of the ledger."""
    if debate is None:
        return []
    found: dict[str, list[Turn]] = {}
    for event in debate.ledger:
        found.setdefault(part_of(event, debate).capitalize(), []).append(_turn(event))
    return list(found.items())


def _turn(event: LedgerEvent) -> Turn:
    if isinstance(event, Voided):
        return Turn(event.seat, "", "", event.reason, (), event.dropped, True)
    side, about, text, lines = _said(event)
    return Turn(event.seat, side, about, text, tuple(lines), event.dropped, False)


def _said(event: LedgerEvent) -> tuple[str, str, str, list[tuple[str, str]]]:
    """Side, what stands beside the name, text, and what is attached."""
    match event:
        case Spoke():
            said = event.contribution
            about = "" if said.probability is None else f"p {chance(said.probability)}"
            return said.role, about, said.argument, list(_attached(said))
        case Answered():
            answer = event.contribution
            return "", answer.stance, answer.answer, [_claim(one) for one in answer.claims or ()]
        case Assessed():
            lines = [(f"on {one.seat}", f"{one.verdict}. {one.flaw or ''}") for one in event.contribution.assessments]
            return "", "", "", lines
        case Ruled():
            ruling = event.contribution
            more = [("decision", ruling.decision)] if ruling.decision else []
            more += [("focus", ruling.focus)] if ruling.focus else []
            return "", ruling.status, ruling.summary, more
        case Supervised():
            view = event.contribution
            about = f"p {chance(view.probability)}, {view.confidence} confidence"
            return "", about, view.because, [("evidence", ", ".join(view.evidence))]
        case Judged():
            return "", "", event.contribution.answer, []
    raise AssertionError(f"{event.kind}: no turn says that")


def _attached(said: DebateRoundContribution) -> Iterable[tuple[str, str]]:
    for claim in said.claims or ():
        yield _claim(claim)
    for move in said.moves or ():
        yield f"{move.target} {move.kind}", _move(move)
    if said.acknowledged is not None:
        yield "granted", f"{said.acknowledged.text} {said.acknowledged.why_limited}"


def _claim(claim: Claim) -> tuple[str, str]:
    return f"claim {claim.id}", f"{claim.text} [{', '.join(claim.evidence)}]"


def _move(move: Move) -> str:
    test = move.would_change_if
    change = "" if test is None else f" Would change if {test.evidence} is {test.comparison} {test.value:g}."
    return f"{move.reason}{change}"


def readouts(summary: DebateSummary | None) -> list[tuple[str, str]]:
    """What the debate measured, in words."""
    found = summary.readouts if summary else {}
    told = []
    if "exchange.tilt" in found:
        tilt = f"{found['exchange.tilt']:+.2f}".replace("-", "−")
        told.append(("exchange", f"tilt {tilt} (+1 all to the bull, −1 all to the bear)"))
    if "convergence" in found:
        told.append(("convergence", f"{found['convergence']:.0%} of the points were conceded or withdrawn"))
    if "gap.verdict" in found:
        told.append(("gap", GAP[str(found["gap.verdict"])]))
    if "tally.share" in found:
        sure = f"{found.get('tally.confidence', 'no')} confidence"
        told.append(("votes", f"{found.get('tally.winner', 'tied')}, {found['tally.share']:.0%}, {sure}"))
    if "ruling.decision" in found:
        told.append(("moderator", str(found["ruling.decision"])))
    if "forecast.blend" in found and summary is not None and found.get("forecast.final") == summary.probability_post:
        panel, blend, final = (found[name] for name in ("panel.aggregate", "forecast.blend", "forecast.final"))
        told.append(("forecast", f"the panel's aggregate {panel}, with the debate {blend}, in the end {final}"))
    if "theater" in found:
        told.append(("theater", THEATER[str(found["theater"])]))
    return told


def block(night: TickerNight) -> dict[str, Any]:
    """Everything the template of one ticker reads."""
    row, outcome = night.row, night.outcome
    summary, case = outcome.debate_summary, night.case
    known = {item.id: item for item in (case.bundle if case else ())}
    debate, shown = outcome.debate_transcript, points(summary, outcome.debate_transcript, known) if summary else ()
    snapshots = [one for one in (outcome.market_snapshot, outcome.news_snapshot) if one is not None]
    items = [item for one in snapshots for item in one.evidence]
    carried = case.carried if case else None
    return {
        "row": row,
        "payload": outcome.analyst_payload,
        "summary": summary,
        "chart": _gap(night),
        "points": shown,
        "resolve": tests(summary.would_resolve_if if summary else (), known),
        "carried": carried,
        "left": [(one, cited(one.evidence, known)) for one in (carried.points if carried else ())],
        "tests": tests(carried.conditions if carried else (), known),
        "flags": [(flag, flag_text(flag, debate is not None and opened(debate))) for flag in row.flags],
        "readouts": readouts(summary) if row.decided_by else [],
        "decided": DECIDED[row.decided_by] if row.decided_by else "",
        "rounds": transcript(debate),
        "debate": debate,
        "held": held_of(debate) if debate else "",
        "known": len(items),
        "stale": sum(one.stale for one in items),
        "sources": sorted(Counter(one.source for one in items).items()),
        "missing": [one for snapshot in snapshots for one in snapshot.missing],
        "notes": [note for snapshot in snapshots for note in snapshot.notes],
    }
