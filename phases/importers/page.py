"""What `debates FILE` prints: a table for people, JSON for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from phases.core.text import canonical, printable
from phases.importers.report import RecordedTotals, Repeats, Report, Row, Totals
from phases.importers.rulings import Ruling
from phases.importers.stored import Forecast, Votes

WIDEST_ID = 60
BAD_SHOWN = 10
COLUMNS = ("points", "conceded", "rebutted", "carried", "mixed", "upheld", "unaddressed")


def report_json(report: Report) -> str:
    """The whole report as one JSON object; same file, same bytes."""
    return canonical(asdict(report))


def report_text(report: Report) -> str:
    """Moves by debate, other read-outs by debate, then the totals, then what was left out and why."""
    moves = [row for row in report.debates if _other(row) is None]
    lines = [*_table(moves), *(line for row in report.debates if (line := _other(row))), ""]
    lines += _totals(report.totals) if moves else _totals(report.totals)[:1]
    lines += _repeats(report.repeats) if moves or report.repeats.turns else []
    lines += [*_recorded(report.recorded), f"reading: {report.reading}"]
    lines += [f"set aside: {printable(one['id'])}: {one['reason']}" for one in report.set_aside]
    lines += [f"{report.unit} {one.number}: {one.reason}" for one in report.bad_lines[:BAD_SHOWN]]
    if len(report.bad_lines) > BAD_SHOWN:
        lines.append(f"and {len(report.bad_lines) - BAD_SHOWN} more; --json lists them all")
    return "\n".join(lines)


def _table(rows: Sequence[Row]) -> list[str]:
    if not rows:
        return []
    wide = max([6, *(min(len(printable(row.id)), WIDEST_ID) for row in rows)])
    head = f"{'debate':{wide}}  {'  '.join(COLUMNS)}  converged  verdict   theater       cascade"
    return [head, "-" * len(head), *(_line(row, wide) for row in rows)]


def _line(row: Row, wide: int) -> str:
    counts = "  ".join(f"{getattr(row, name):>{len(name)}}" for name in COLUMNS)
    return (
        f"{printable(row.id)[:wide]:{wide}}  {counts}  {_number(row.convergence, 4):>9}  {row.verdict:8}  "
        f"{row.theater or '-':12}  {'yes' if row.cascade else '-'}"
    )


def _other(row: Row) -> str | None:
    """One line for read-outs that are no moves; None if there are none."""
    if row.forecast is not None:
        words = _forecast(row.forecast)
    elif row.votes is not None:
        words = _votes(row.votes)
    elif row.rulings is not None:
        words = "; ".join(map(_ruling, row.rulings)) or "no round"
    else:
        return None
    theater = f"; theater: {row.theater}" if row.theater else ""
    return printable(f"{row.id[:WIDEST_ID]}: {words}{theater}")


def _forecast(of: Forecast) -> str:
    shown = [
        f"panel {_plain(of.mean)}, spread {_plain(of.spread)}, aggregate {_plain(of.aggregate)}",
        f"gaps {' '.join(map(_plain, of.gaps)) or '-'} (change {_plain(of.gap_change)}): {of.verdict or '-'}",
        f"midpoints {' '.join(map(_plain, of.midpoints)) or '-'}",
        f"{'consensus' if of.consensus else 'no consensus'}{', early' if of.early_termination else ''}",
        f"blend {_plain(of.blend)}, final {_plain(of.final)} (as recorded: {_plain(of.recorded_final)})",
    ]
    if of.outcome is not None:
        shown.append(f"outcome {of.outcome:g}: Brier {_plain(of.brier_before)} before, {_plain(of.brier_after)} after")
    return "; ".join(shown)


def _votes(of: Votes) -> str:
    counts = ", ".join(f"{stance} {count}" for stance, count in of.counts.items()) or "no ballot"
    tied = " (tied)" if of.tied else ""
    return (
        f"{counts}; winner {of.winner or '-'}{tied}, {of.votes} of {of.total}, confidence {of.confidence or '-'}; "
        f"changed: {', '.join(of.changed) or '-'}"
    )


def _ruling(of: Ruling) -> str:
    word = "closed by force" if of.forced else "settled" if of.settled else "no ruling" if of.malformed else "continue"
    return f"round {of.round_number} {word}{f': {of.decision}' if of.decision else ''}"


def _plain(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _number(value: float | None, places: int) -> str:
    return "-" if value is None else f"{value:.{places}f}"


def _totals(of: Totals) -> list[str]:
    return [
        f"{of.n} debates ({of.empty} without points), {of.set_aside} set aside, {of.bad_lines} bad lines",
        f"{of.points} points: {of.concessions} conceded, {of.rebutted} rebutted, {of.carried} carried, "
        f"{of.mixed} mixed, {of.upheld} upheld, {of.unaddressed} unaddressed",
        f"mean convergence {_number(of.mean_convergence, 4)}, {of.resolved} resolved, {of.cascades} cascades, "
        f"theater: {of.no_reply} no_reply, {of.no_substance} no_substance",
    ]


def _repeats(of: Repeats) -> list[str]:
    others = of.turns - of.identical
    return [
        f"turns after one of the same speaker: {of.turns}; identical to the letter {of.identical}, "
        f"flagged {of.hits} (rate {_number(of.hit_rate, 4)}); of the other {others}, "
        f"flagged {of.others_flagged} (rate {_number(of.false_alarm_rate, 4)})"
    ]


def _recorded(of: RecordedTotals) -> list[str]:
    if not of.n:
        return []
    return [
        f"as recorded in {of.n}: mean convergence {_number(of.mean_convergence, 4)}, {of.resolved} resolved, "
        f"{of.concessions} concessions, {of.cascades} cascades, {of.no_reply} no_reply"
    ]
