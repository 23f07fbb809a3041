"""The hand-off: a failure is never a neutral view, and every format says the same to the last digit."""

from __future__ import annotations

import csv
import io
import json
from typing import Any, get_args

import pytest

from phases.core.errors import SeamBroken
from phases.core.seam import check_seam
from phases.core.text import printable
from phases.outputs.tables import feed_csv, feed_json
from phases.portfolio_feed import NUMBERS, portfolio_feed
from schemas.feed import Failure, FeedRow, PortfolioFeed, TickerOutcome
from schemas.ledger import DebateTranscript
from schemas.market import MarketSnapshot
from schemas.summary import RATED, DebateSummary, Status
from tests.support import NO_FUNDAMENTALS, QUESTION, header_of, item, market, payload, settings

STATUSES: tuple[Status, ...] = get_args(Status)
UNRATED = [status for status in STATUSES if status not in RATED]
UNMOVED = {"gated": None, "contested": "code"}
"""Statuses of a debate that leaves conviction and probability as they were, and who says so."""

HASHED = "0123456789abcdef"


def summary(
    status: Status = "debated", delta: int | None = 1, after: float | None = 0.57, **more: Any
) -> DebateSummary:
    told: dict[str, Any] = {"reason": "bull gained: it rose", "decided_by": "manager", "readouts": {}, "rounds": ()}
    return DebateSummary(
        ticker="ACME", status=status, conviction_delta=delta, probability_post=after, **{**told, **more}
    )


def outcome(status: Status = "debated", axes_missing: bool = False, **more: Any) -> TickerOutcome:
    """What a night made for one ticker; unrated ones ended in a failure."""
    if status in UNRATED:
        return TickerOutcome(failure=Failure(status=status, reason=f"{status}, and why", phase="market_snapshot"))
    missing = (NO_FUNDAMENTALS,) if axes_missing or status == "degraded" else ()
    seen = "debated" if status == "degraded" else status
    told: dict[str, Any] = {
        "market_snapshot": market(item("px.ret_63d", 0.5)),
        "analyst_payload": payload(2, "buy", 0.55, missing_axes=missing),
        "debate_summary": summary(seen) if seen == "debated" else summary(seen, 0, 0.55, decided_by=UNMOVED[seen]),
        **more,
    }
    return TickerOutcome(**told)


def feed_of(outcomes: dict[str, TickerOutcome], *words: str, order: tuple[str, ...] | None = None) -> PortfolioFeed:
    header = header_of(*words, tickers=tuple(outcomes))
    made: PortfolioFeed = portfolio_feed(order or tuple(outcomes), outcomes, QUESTION, header, settings(*words).analyst)
    return made


def row_of(found: TickerOutcome, *words: str) -> FeedRow:
    return feed_of({"ACME": found}, *words).rows[0]


# statuses


@pytest.mark.parametrize("status", UNRATED)
def test_without_a_rating_every_number_is_null(status: Status) -> None:
    row = row_of(outcome(status))
    assert (row.status, row.reason) == (status, f"{status}, and why")
    assert all(getattr(row, name) is None for name in NUMBERS)
    assert (row.session, row.evidence_hash, row.transcript_hash, row.flags) == (None, None, None, ())


@pytest.mark.parametrize("status", RATED)
def test_a_rated_row_has_its_numbers(status: Status) -> None:
    row = row_of(outcome(status))
    after = 2 if status in UNMOVED else 3
    assert row.status == status
    assert (row.stance, row.conviction_pre, row.conviction_post) == ("buy", 2, after)
    assert row.conviction_delta == after - 2
    assert (row.probability_pre, row.probability_post) == (0.55, 0.55 if status in UNMOVED else 0.57)


def test_numbers_are_all_that_a_decision_could_rest_on() -> None:
    always = "schema_version run_id as_of session ticker status reason event horizon_sessions benchmark resolves_on"
    facts = {*always.split(" "), "flags", "held", "engine", "evidence_hash", "transcript_hash"}
    assert set(FeedRow.model_fields) == facts | set(NUMBERS)


@pytest.mark.parametrize("status", ["failed", "refused"])
def test_a_debate_that_failed_leaves_no_numbers_though_the_analysts_spoke(status: Status) -> None:
    row = row_of(outcome(debate_summary=summary(status, None, None, reason="manager void: ?", decided_by=None)))
    assert (row.status, row.reason) == (status, "manager void: ?")
    assert all(getattr(row, name) is None for name in NUMBERS)
    assert row.evidence_hash == "market"


def test_a_ticker_without_a_summary_has_failed() -> None:
    for gone in ("analyst_payload", "debate_summary"):
        row = row_of(outcome(**{gone: None}))
        assert (row.status, row.stance, row.conviction_pre) == ("failed", None, None)


def test_a_failure_comes_before_everything_else() -> None:
    stale = Failure(status="stale", reason="too old", phase="market_snapshot")
    row = row_of(outcome("degraded", failure=stale))
    assert (row.status, row.reason, row.stance) == ("stale", "too old", None)


@pytest.mark.parametrize(
    ("status", "expected", "flags"),
    [
        ("debated", "degraded", ("missing_fundamental",)),
        ("gated", "degraded", ("gated", "missing_fundamental")),
        ("contested", "contested", ("missing_fundamental",)),
    ],
)
def test_a_missing_axis_degrades_what_is_rated_but_not_what_is_contested(
    status: Status, expected: Status, flags: tuple[str, ...]
) -> None:
    row = row_of(outcome(status, axes_missing=True))
    assert (row.status, row.flags) == (expected, flags)
    assert row.stance == "buy"
    if expected == "degraded":
        assert row.reason == f"bull gained: it rose; fundamental axis missing: {NO_FUNDAMENTALS.reason}"


@pytest.mark.parametrize(
    ("score", "stance", "delta", "before", "after", "split"),
    [
        (2, "buy", -1, 0.51, 0.49, True),
        (-2, "sell", 1, 0.49, 0.51, True),
        (2, "buy", -1, 0.52, 0.5, False),
        (2, "buy", 1, 0.55, 0.57, False),
        (1, "hold", -1, 0.51, 0.49, False),  # no conviction is left to differ
        (1, "hold", -2, 0.55, 0.51, True),
    ],
)
def test_split_is_where_conviction_and_probability_point_apart(
    score: int, stance: Any, delta: int, before: float, after: float, split: bool
) -> None:
    row = row_of(
        outcome(analyst_payload=payload(score, stance, before), debate_summary=summary("debated", delta, after))
    )
    assert ("split" in row.flags) is split
    assert row.view_excess_return is None


@pytest.mark.parametrize(
    ("score", "stance", "spread", "delta", "expected"),
    [
        (1, "watch", 0.3, 1, "buy"),
        (2, "buy", 0.3, -1, "watch"),
        (2, "buy", 0.1, -1, "hold"),
        (2, "buy", None, -1, "hold"),
        (-1, "hold", 0.1, -1, "sell"),
        (0, "hold", 0.3, 0, "hold"),  # an exact tie stays what it was
        (5, "buy", None, 2, "buy"),
        (-3, "sell", None, 2, "hold"),
    ],
)
def test_the_stance_follows_from_the_conviction_after(
    score: int, stance: Any, spread: float | None, delta: int, expected: str
) -> None:
    row = row_of(
        outcome(analyst_payload=payload(score, stance, panel_spread=spread), debate_summary=summary(delta=delta))
    )
    assert row.stance == expected
    assert row.conviction_post == max(-5, min(5, score + delta))


def test_flags_of_the_debate_stand_sorted() -> None:
    assert row_of(outcome(debate_summary=summary(flags=("one_sided", "bear_1_void")))).flags == (
        "bear_1_void",
        "one_sided",
    )


# the document

MIXED = {"ZETA": outcome("debated"), "ALPHA": outcome("no_data"), "MIKE": outcome("gated"), "HELD": outcome("stale")}


def test_rows_come_in_the_order_of_the_request_and_held_ones_are_marked() -> None:
    feed = feed_of(MIXED, "held=[HELD, MIKE]")
    assert [row.ticker for row in feed.rows] == ["ZETA", "ALPHA", "MIKE", "HELD"]
    assert [row.held for row in feed.rows] == [False, False, True, True]
    turned = ("HELD", "MIKE", "ALPHA", "ZETA")
    assert [row.ticker for row in feed_of(MIXED, order=turned).rows] == list(turned)


def test_the_phase_names_its_keys_so_that_a_lost_row_stops_the_run() -> None:
    feed = feed_of(MIXED)
    assert portfolio_feed.keys is not None
    check_seam("tickers > feed", MIXED.keys(), portfolio_feed.keys(feed))
    short = feed.model_copy(update={"rows": feed.rows[1:]})
    with pytest.raises(SeamBroken, match="missing ZETA"):
        check_seam("tickers > feed", MIXED.keys(), portfolio_feed.keys(short))


CHANGES = [
    {"ZETA": outcome("debated", debate_summary=summary(after=0.58))},
    {"ZETA": outcome("debated", debate_summary=summary(reason="other"))},
    {"ALPHA": outcome("failed")},
    {"HELD": outcome("no_data")},
]


def test_the_hash_changes_with_any_row_and_with_their_order() -> None:
    found = [feed_of({**MIXED, **change}).content_hash for change in CHANGES]
    found += [feed_of(MIXED).content_hash, feed_of(MIXED, order=("HELD", "MIKE", "ALPHA", "ZETA")).content_hash]
    found += [feed_of(MIXED, "held=[HELD]").content_hash]
    assert len(set(found)) == len(found)
    assert feed_of(MIXED).content_hash == feed_of(MIXED).content_hash


def test_a_transcript_is_hashed_only_where_there_is_one() -> None:
    about: dict[str, Any] = {
        "ticker": "ACME",
        "protocol": "rounds",
        "case_hash": "c",
        "rounds": (),
        "stop_reason": "gated",
    }
    gated = DebateTranscript(**about, ledger=(), configured_rounds=1, executed_rounds=0, content_hash="t")
    assert row_of(outcome("gated", debate_transcript=gated)).transcript_hash is None


# CSV and JSON


def rows_of_csv(feed: PortfolioFeed) -> list[dict[str, str]]:
    text = feed_csv(feed)
    found = list(csv.DictReader(io.StringIO(text, newline="")))
    assert text.splitlines()[0] == ",".join(FeedRow.model_fields)
    return found


WHOLE = {"conviction_pre", "conviction_delta", "conviction_post", "horizon_sessions"}
DECIMAL = {"probability_pre", "probability_post", "debate_cost_usd"}


def read_cell(name: str, cell: str) -> Any:
    """A cell as a consumer reads it: by its column, a leading apostrophe taken off once."""
    if name == "flags":
        return cell.split(";") if cell else []
    if name == "held":
        return {"true": True, "false": False}[cell]
    if cell == "":
        return None
    return int(cell) if name in WHOLE else float(cell) if name in DECIMAL else cell.removeprefix("'")


def test_csv_and_json_hold_the_same_values() -> None:
    feed = feed_of({**MIXED, "SPLIT": outcome("degraded", debate_summary=summary(delta=-2, after=0.123456789))})
    found = [{name: read_cell(name, cell) for name, cell in row.items()} for row in rows_of_csv(feed)]
    document = json.loads(feed_json(feed))
    assert found == document["rows"]
    assert PortfolioFeed.model_validate_json(feed_json(feed)) == feed


RISKY = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "'quoted", "''", "=", "-"]


@pytest.mark.parametrize(
    "text",
    [
        *RISKY,
        "plain",
        'a "quote", a comma; and more',
        "a = b",
        "\u202ereversed",
        "\r=1+1",
        "two\nlines",
    ],
)
def test_a_cell_is_inert_and_reads_back_as_it_was(text: str) -> None:
    [row] = rows_of_csv(feed_of({"ACME": outcome(debate_summary=summary(reason=text))}))
    cell = row["reason"]
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    shown = printable(text)  # control characters never reach a row
    assert cell == (f"'{shown}" if shown.startswith(("=", "+", "-", "@", "\t", "'")) else shown)
    assert cell.removeprefix("'") == shown


def test_a_negative_number_is_a_number() -> None:
    down = payload(-4, "sell", 0.45)
    [row] = rows_of_csv(feed_of({"ACME": outcome(analyst_payload=down, debate_summary=summary(delta=-1, after=0.43))}))
    assert (row["conviction_pre"], row["conviction_delta"], row["conviction_post"]) == ("-4", "-1", "-5")


def test_null_is_an_empty_cell() -> None:
    [row] = rows_of_csv(feed_of({"ACME": outcome("no_data")}))
    assert {row[name] for name in NUMBERS} == {""}


def test_a_feed_of_no_ticker_has_a_header_line() -> None:
    assert rows_of_csv(feed_of({})) == []


def test_the_session_and_hash_of_the_evidence_are_the_tickers_own() -> None:
    own: MarketSnapshot = market(item("px.ret_63d")).model_copy(update={"content_hash": HASHED})
    row = row_of(outcome(market_snapshot=own))
    assert (row.session, row.evidence_hash) == (own.session, HASHED)
