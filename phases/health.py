"""Health of a night: whether its debates can be trusted and were worth their price, counted from what they left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from phases.core.budget import MICROS, Spent, ceilings_of, spent_by
from phases.core.runner import Artefacts, Outcomes
from phases.core.store import Store
from phases.maths.exact import decimals
from phases.maths.grounding import names_stray
from phases.maths.health import Rate, Spread, Tilt, echo, mean_tilt, spread
from schemas.bias import BiasRow
from schemas.feed import FeedRow, PortfolioFeed, TickerOutcome
from schemas.health import Alarm, AlarmName, Bill, Coverage, DeltaCount, NightHealth, Share, SignedTilt, Turnout
from schemas.ledger import DebateTranscript, Voided
from schemas.run import RunHeader
from schemas.summary import RATED, DebateSummary

VOID_TURNS = Fraction(1, 10)
"""Share of void turns above which there is an alarm."""

THEATER = Fraction(1, 5)
"""The same for debates in which nothing happened."""

HELD = ("debated", "contested")
"""Statuses of a summary that stands for a debate."""


@dataclass
class Tally:
    """Figures of one night, or of several, added up a ticker at a time."""

    counts: Counter[str] = field(default_factory=Counter)
    """Tickers, turns, parts, items and micros by name."""
    scores: list[int] = field(default_factory=list)
    """Conviction before each debate."""
    deltas: list[int] = field(default_factory=list)
    """Change of each debate."""
    tilts: list[float] = field(default_factory=list)
    """Signed tilt of each debate that has one."""
    stops: Counter[str] = field(default_factory=Counter)
    """Debates by why they ended."""

    def add(self, row: FeedRow, outcome: TickerOutcome) -> None:
        """Count one ticker in."""
        if outcome.market_snapshot is not None:
            evidence = outcome.market_snapshot.evidence
            self.counts["items"] += len(evidence)
            self.counts["stale"] += sum(one.stale for one in evidence)
            self.counts["missing"] += len(outcome.market_snapshot.missing)
        if outcome.analyst_payload is not None:
            payload = outcome.analyst_payload
            self.counts["axes"] += len(payload.axes) + len(payload.missing_axes)
            self.counts["axes_missing"] += len(payload.missing_axes)
            self.counts["axes_void"] += sum(one.asked for one in payload.missing_axes)
        failure, summary = outcome.failure, outcome.debate_summary
        if failure is not None:
            self.counts["past_gate"] += failure.phase in ("debate_transcript", "debate_summary")
        if outcome.debate_transcript is not None:
            self._turns(outcome.debate_transcript)
        if summary is not None:
            self._manager(summary)
            self.counts["micros"] += summary.micros
            self.counts["gated"] += summary.status == "gated"
            self.counts["past_gate"] += summary.status != "gated"
            if summary.status in HELD and row.conviction_pre is not None:
                self._debate(row, outcome, summary)

    def _debate(self, row: FeedRow, outcome: TickerOutcome, summary: DebateSummary) -> None:
        before, stance = row.conviction_pre or 0, outcome.analyst_payload and outcome.analyst_payload.stance
        self.scores.append(before)
        self.deltas.append(row.conviction_delta or 0)
        tilt = summary.readouts.get("exchange.tilt")
        if tilt is not None:
            self.tilts.append(float(tilt))
        self.stops[str(summary.readouts["stop"])] += 1
        changed = row.conviction_post != before
        self.counts["changed"] += changed
        self.counts["stances_changed"] += changed and row.stance != stance
        self.counts["contested"] += summary.status == "contested"
        self.counts["theater"] += "theater" in summary.readouts

    def _turns(self, transcript: DebateTranscript) -> None:
        if transcript.ledger:
            self.counts["configured"] += transcript.configured_rounds
            self.counts["executed"] += transcript.executed_rounds
        for event in transcript.ledger:
            self.counts["void" if isinstance(event, Voided) else "counted"] += 1
            self.counts["repaired"] += "repaired" in event.flags
            parts = {told.partition(": ")[0]: told for told in event.dropped}
            self.counts["dropped"] += len(parts)
            self.counts["ungrounded"] += sum(map(names_stray, parts.values()))

    def _manager(self, summary: DebateSummary) -> None:
        """The manager's turn, which no ledger has."""
        if "carried" in summary.flags:
            return
        self.counts["counted"] += summary.net_stance is not None
        self.counts["void"] += (summary.reason or "").startswith("manager void")
        self.counts["repaired"] += "manager_repaired" in summary.flags

    @property
    def debates(self) -> int:
        """Debates held, carried ones included."""
        return len(self.deltas)

    @property
    def spread(self) -> Spread:
        """How their changes are spread."""
        return spread(self.deltas)

    @property
    def echo(self) -> Rate:
        """How often a change only has the sign of the conviction before it."""
        return echo(self.scores, self.deltas)

    @property
    def tilt(self) -> Tilt:
        """Whether a side is favoured."""
        return mean_tilt(self.tilts)


def night_health(store: Store, header: RunHeader, feed: PortfolioFeed, again: str) -> NightHealth:
    """Health of a run that has a feed. `again` says how to go on with what a ceiling left out.

    Reads the store.
    """
    tally = tally_of(store, feed, Tally())
    bias = BiasRow.model_validate_json(Artefacts(store, header.run_id).load("")["bias_row"])
    spent, counts = spent_by(store, header.run_id), tally.counts
    return NightHealth(
        debates=tally.debates,
        gated=counts["gated"],
        changed=counts["changed"],
        stances_changed=counts["stances_changed"],
        contested=counts["contested"],
        deltas=tuple(DeltaCount(delta=delta, debates=n) for delta, n in tally.spread.counts.items()),
        top_delta_share=tally.spread.top,
        echo=Share(**tally.echo._asdict()),
        tilt=SignedTilt(mean=tally.tilt.mean, error=tally.tilt.error, n=tally.tilt.n),
        theater=Share(share=_share(counts["theater"], tally.debates), n=tally.debates),
        configured_rounds=counts["configured"],
        executed_rounds=counts["executed"],
        turns=Turnout(**{name: counts[name] for name in Turnout.model_fields}),
        coverage=_coverage(counts, bias),
        bill=_bill(spent, tally, header),
        alarms=tuple(
            Alarm(name=name, text=text) for name, text in (*cut_short(header, feed, again), *alarms(tally, bias))
        ),
    )


def tally_of(store: Store, feed: PortfolioFeed, tally: Tally) -> Tally:
    """The figures with those of a night added, one ticker in memory at a time. Reads the store."""
    outcomes = Outcomes([row.ticker for row in feed.rows], Artefacts(store, feed.run_id), TickerOutcome)
    for row in feed.rows:
        tally.add(row, outcomes[row.ticker])
    return tally


def _share(part: int, whole: int) -> float | None:
    return decimals(Fraction(part, whole), 4) if whole else None


def _coverage(counts: Counter[str], bias: BiasRow) -> Coverage:
    states = Counter(one.status for name, one in bias.provenance.items() if name != "notes")
    return Coverage(
        **{name: counts[name] for name in ("items", "missing", "stale", "axes_missing", "axes_void")},
        bias_fields=states["fresh"],
        bias_carried=states["carried"],
        bias_missing=states["missing"],
    )


def _bill(spent: Spent, tally: Tally, header: RunHeader) -> Bill:
    usage, paid = spent.usage, tally.counts["micros"]
    read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    ceiling = ceilings_of(header.settings.operation)[0]
    changed = tally.counts["changed"]
    return Bill(
        input_tokens=read,
        output_tokens=usage.output_tokens,
        cache_read_share=_share(usage.cache_read_tokens, read),
        cost_usd=spent.micros / MICROS,
        debates_usd=paid / MICROS,
        ceiling_usd=None if ceiling is None else ceiling / MICROS,
        per_changed_usd=round(paid / changed) / MICROS if changed else None,
    )


def cut_short(header: RunHeader, feed: PortfolioFeed, again: str) -> Iterator[tuple[AlarmName, str]]:
    """What a night did not come to: tickers that the ceiling left unpaid, and tickers without a view by status."""
    without = Counter(row.status for row in feed.rows if row.status not in RATED)
    unpaid = without.pop("unpaid", 0)
    if unpaid:
        operation = header.settings.operation
        night = "--set operation.max_cost_night=USD" if operation.max_cost_night is not None else ""
        run = "--max-cost USD" if operation.max_cost is not None or not night else ""
        yield "ceiling", f"stopped at the ceiling: {unpaid} unpaid; {again} {' or '.join(filter(None, (run, night)))}"
    if without:
        counts = ", ".join(f"{number} {status.replace('_', ' ')}" for status, number in sorted(without.items()))
        yield "no_view", f"{_many(without.total(), 'ticker')} without a view: {counts}"


def alarms(tally: Tally, bias: BiasRow) -> Iterator[tuple[AlarmName, str]]:
    """What a reader should look at first: its name, and one sentence with its numbers."""
    counts, debates, changes, tilt = tally.counts, tally.debates, tally.spread, tally.tilt
    if changes.alarm:
        delta, most = max(changes.counts.items(), key=lambda one: one[1])
        yield "one_delta", f"{most} of {debates} debates changed conviction by {delta:+d}, whatever their case"
    if tilt.alarm:
        side = "bull" if (tilt.mean or 0) > 0 else "bear"
        yield (
            "tilt",
            f"the exchange favours the {side}: mean tilt {tilt.mean:+.2f} ± {tilt.error:.2f} over {tilt.n} debates",
        )
    if not debates and (past := counts["past_gate"]):
        yield "no_debate", f"no debate came to an end although {_many(past, 'ticker')} passed the gate"
    if debates and counts["micros"] and not counts["changed"]:
        cost = f"${counts['micros'] / MICROS:.2f}"
        yield "nothing_moved", f"{_many(debates, 'debate')} for {cost} changed no decision"
    asked = counts["counted"] + counts["void"]
    if counts["void"] > VOID_TURNS * asked:
        yield "void_turns", f"{counts['void']} of {_many(asked, 'turn')} of the debates are void"
    if counts["theater"] > THEATER * debates:
        yield (
            "theater",
            f"in {counts['theater']} of {_many(debates, 'debate')} nobody answered or nothing changed hands",
        )
    if gaps := list(_gaps(counts, bias)):
        yield "coverage", "; ".join(gaps)


def _gaps(counts: Counter[str], bias: BiasRow) -> Iterator[str]:
    of = f"of {_many(counts['axes'], 'axis view')} had"
    if unseen := counts["axes_missing"] - counts["axes_void"]:
        yield f"{unseen} {of} no evidence"
    if unread := counts["axes_void"]:
        yield f"{unread} {of} evidence, but no answer that could be used"
    if bias.coverage is None:
        return
    reasons = {name: one.reason or "" for name, one in bias.provenance.items()}
    lost = [name for name in bias.coverage.long_missing if not reasons[name].startswith("no source")]  # known, no news
    if lost:
        since = [f"{name.replace('_', ' ')} {bias.provenance[name].missing_nights or 0}" for name in lost]
        yield f"nights without a value of the macro view: {', '.join(since)}"
    if bias.coverage.stale is not None:
        yield f"the macro view is stale: {bias.coverage.stale}"


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
