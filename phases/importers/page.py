"""What `debates FILE` prints: a table for people, JSON for programs."""

from __future__ import annotations

from dataclasses import asdict

from phases.core.text import canonical, printable
from phases.importers.report import RecordedTotals, Repeats, Report, Row, Totals

WIDEST_ID = 60
COLUMNS = ("points", "conceded", "rebutted", "carried", "mixed", "upheld", "unaddressed")


def report_json(report: Report) -> str:
    """The whole report as one JSON object; same file, same bytes."""
    return canonical(asdict(report))


def report_text(report: Report) -> str:
    """One line a debate, then the totals, then what was left out and why."""
    wide = max([6, *(min(len(printable(row.id)), WIDEST_ID) for row in report.debates)])
    head = f"{'debate':{wide}}  {'  '.join(COLUMNS)}  converged  verdict   theater       cascade"
    lines = [head, "-" * len(head), *(_line(row, wide) for row in report.debates), "", *_totals(report.totals)]
    lines += [*_repeats(report.repeats), *_recorded(report.recorded), f"reading: {report.reading}"]
    lines += [f"set aside: {printable(one['id'])}: {one['reason']}" for one in report.set_aside]
    lines += [f"line {one.number}: {one.reason}" for one in report.bad_lines]
    return "\n".join(lines)


def _line(row: Row, wide: int) -> str:
    counts = "  ".join(f"{getattr(row, name):>{len(name)}}" for name in COLUMNS)
    return (
        f"{printable(row.id)[:wide]:{wide}}  {counts}  {_number(row.convergence, 4):>9}  {row.verdict:8}  "
        f"{row.theater or '-':12}  {'yes' if row.cascade else '-'}"
    )


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
