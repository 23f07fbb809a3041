"""What stands above the tickers of a night: what moved, what has no view, what the debates brought, its health."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from phases.core.budget import MICROS
from phases.outputs.report.records import Night, TickerNight, held
from phases.outputs.report.words import chance, count, money, percent, signed
from phases.outputs.terminal import why
from schemas.base import Stance
from schemas.feed import FeedRow
from schemas.health import Bill, NightHealth, Share
from schemas.run import LastRow
from schemas.summary import RATED


class Line(NamedTuple):
    """One ticker in the lists and the table."""

    anchor: str
    """Id of its block."""
    row: FeedRow
    stance: Stance | None
    """Stance before the debate."""
    last: LastRow | None
    """What the latest earlier night said of it."""
    rated: bool
    """Whether it has a view."""
    unended: float | None = None
    """What a debate that came to no row cost, in US dollars as far as it is counted; absent if there was none."""

    @property
    def changed(self) -> bool:
        """Whether the debate changed the conviction."""
        return self.row.conviction_post != self.row.conviction_pre

    @property
    def turned(self) -> bool:
        """Whether its stance is not the one of the latest earlier night."""
        return self.rated and self.last is not None and self.last.stance not in (None, self.row.stance)

    @property
    def moved(self) -> bool:
        """Whether a reader should know of it first."""
        return self.changed or self.turned


def line_of(at: int, night: TickerNight, last: LastRow | None) -> Line:
    """A ticker's line; `at` is its place in the feed."""
    payload = night.outcome.analyst_payload
    rated = night.row.status in RATED
    return Line(f"t{at}", night.row, payload.stance if payload and rated else None, last, rated, _unended(night))


def _unended(night: TickerNight) -> float | None:
    failure, transcript, summary = night.outcome.failure, night.outcome.debate_transcript, night.outcome.debate_summary
    asked = failure is not None and failure.phase in ("debate_transcript", "debate_summary")
    if held(night.row) or not (asked or (transcript and transcript.ledger)):
        return None
    return summary.micros / MICROS if summary else 0.0


def moved_first(lines: Sequence[Line]) -> list[Line]:
    """What moved: by the debate before against the last night, large changes before small ones."""
    moved = [one for one in lines if one.moved]
    return sorted(moved, key=lambda one: (-abs(one.row.conviction_delta or 0), not one.changed, one.row.ticker))


def stance_told(one: Line) -> str:
    """The stance, and the one before the debate if that was another: an arrow only says what the debate changed."""
    before, after = one.stance, one.row.stance
    return f"{before} → {after}" if before and before != after else f"{after}"


def why_told(one: Line) -> str:
    """Why it moved: the reason of the row, and since when the stance is another."""
    since = f"was {one.last.stance} on {one.last.session}; " if one.turned and one.last else ""
    return f"{since}{why(one.row)}"


def earned(night: Night, lines: Sequence[Line]) -> str:
    """Whether the debates were worth their price, those that did not end included, in one sentence."""
    health, rows = night.health, [one.row for one in lines if held(one.row)]
    unended = unended_of(lines)
    debates = health.debates if health else len(rows)
    changed = health.changed if health else sum(row.conviction_post != row.conviction_pre for row in rows)
    spent = health.bill.debates_usd if health else sum(row.debate_cost_usd or 0 for row in rows) + sum(unended)
    if not debates:
        over = f"over {count(len(lines), 'ticker')}"
        if not unended:
            return f"No debate was held {over}."
        return f"No debate came to an end {over}{f'; those begun cost {money(spent)}' if spent else ''}."
    did = f"{count(debates, 'debate')} changed {changed or 'no'} decision{'s' * (changed != 1)}"
    more = f"{len(unended)} more did not end" if unended else ""
    if not spent:
        return f"{did} and cost nothing{more and f'; {more}'}."
    each = f", {money(spent / changed)} for each decision changed" if changed else ""
    if sum(unended):
        return f"{did}; {more} ({money(sum(unended))}). Together they cost {money(spent)}{each}."
    return f"{did} and cost {money(spent)}{each}{more and f'; {more}'}."


def unended_of(lines: Sequence[Line]) -> list[float]:
    """What each debate that came to no row cost."""
    return [one.unended for one in lines if one.unended is not None]


Told = tuple[str, str, str]
"""What, how much, and what it means."""


def health_rows(health: NightHealth, unended: Sequence[float] = ()) -> list[tuple[str, list[Told]]]:
    """The health of a night by group. `unended` is what each debate that came to no row cost."""
    return [("Debates", _debates(health, len(unended))), ("Turns", _turns(health)), ("Evidence", _coverage(health))]


def _debates(health: NightHealth, unended: int) -> list[Told]:
    tilt, error = health.tilt.mean, health.tilt.error
    lean = "–" if tilt is None else f"{tilt:+.2f}".replace("-", "−")
    sure = "" if error is None else f"± {error:.2f}; "
    return [
        ("held", f"{health.debates:,}", f"and {health.gated:,} not bought{f', {unended:,} not ended' * bool(unended)}"),
        ("decisions changed", f"{health.changed:,}", f"{health.stances_changed:,} with another stance"),
        ("contested", f"{health.contested:,}", "the manager's word opposed the moves"),
        ("echo", _share(health.echo), "changes with the sign of the view before"),
        ("mean tilt", lean, f"{sure}+1 all to the bull, −1 all to the bear, over {health.tilt.n:,}"),
        ("theater", _share(health.theater), "nobody answered or nothing changed hands"),
        ("rounds", f"{health.executed_rounds:,}", f"of {health.configured_rounds:,} configured"),
    ]


FEW = 10
"""Cases below which a share is told as a count: a percentage of three says more than there is."""


def _share(found: Share) -> str:
    if found.share is None:
        return percent(None)
    return f"{round(found.share * found.n) if found.n < FEW else percent(found.share)} of {found.n:,}"


def _turns(health: NightHealth) -> list[Told]:
    turns = health.turns
    return [
        ("counted", f"{turns.counted:,}", "managers included"),
        ("repaired", f"{turns.repaired:,}", "were asked for again"),
        ("void", f"{turns.void:,}", "do not count"),
        ("parts dropped", f"{turns.dropped:,}", f"{turns.ungrounded:,} for a number that no evidence carries"),
    ]


def _coverage(health: NightHealth) -> list[Told]:
    seen = health.coverage
    return [
        ("items", f"{seen.items:,}", f"{seen.stale:,} of them stale"),
        ("missing", f"{seen.missing:,}", "looked for and not known"),
        (
            "axes missing",
            f"{seen.axes_missing:,}",
            f"{seen.axes_void:,} of them had evidence, but no usable answer",
        ),
        ("macro fields", f"{seen.bias_fields:,}", f"{seen.bias_carried:,} carried, {seen.bias_missing:,} missing"),
    ]


def bill_rows(night: Night, unended: Sequence[float] = ()) -> list[Told]:
    """Calls, tokens and money of the run. `unended` is what each debate that came to no row cost."""
    rows: list[Told] = []
    if night.record is not None:
        calls = night.record.calls
        again = f"{calls.replayed:,} more from the journal, {calls.repaired:,} repaired, {calls.void:,} void"
        rows.append(("calls made", f"{calls.made:,}", again))
    if night.health is not None:
        return rows + _bill(night.health.bill, unended)
    if night.record is not None:
        rows += [("tokens", f"{night.record.tokens:,}", "read and written")]
        rows += [("money", money(night.record.cost_usd), "of the run, over all its starts")]
    return rows


def _bill(bill: Bill, unended: Sequence[float] = ()) -> list[Told]:
    ceiling = "no ceiling" if bill.ceiling_usd is None else f"of at most {money(bill.ceiling_usd)}"
    lost = f"; {money(sum(unended))} of it for {len(unended):,} not ended" if sum(unended) else ""
    cached = "" if bill.cache_read_share is None else f"{percent(bill.cache_read_share)} from a prompt cache"
    return [
        ("tokens read", f"{bill.input_tokens:,}", cached),
        ("tokens written", f"{bill.output_tokens:,}", ""),
        ("money", money(bill.cost_usd), ceiling),
        ("of it debates", money(bill.debates_usd), f"managers included, when they were bought{lost}"),
        ("a changed decision", money(bill.per_changed_usd), "money of the debates for each"),
    ]


def deltas(night: Night) -> list[tuple[int, int]]:
    """Debates by the change they came to."""
    if night.health is not None:
        return [(one.delta, one.debates) for one in night.health.deltas]
    found = [row.conviction_delta for row in night.feed.rows if held(row)]
    return [(delta, found.count(delta)) for delta in range(-2, 3) if delta in found]


def still_told(row: FeedRow) -> str:
    """The conviction that nothing moved; with the probabilities where the debate moved those."""
    before, after = chance(row.probability_pre), chance(row.probability_post)
    return signed(row.conviction_post) + (f" (p {before} → {after})" if before != after else "")


def conviction_told(row: FeedRow) -> str:
    """Conviction before and after.

    It is one number where the debate changed nothing.
    """
    before, after = signed(row.conviction_pre), signed(row.conviction_post)
    return after if before == after else f"{before} → {after}"
