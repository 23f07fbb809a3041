"""Health of a night: figures counted by hand, each alarm at its limit, and a real night against its own artefacts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from phases.core.store import Store, open_store
from phases.health import Tally, alarms, cut_short, night_health
from phases.night import Finished, hold_night
from phases.plan import Words, plan
from schemas.analyst import MissingAxis
from schemas.bias import Coverage, Provenance
from schemas.feed import Failure, FeedRow, PortfolioFeed, TickerOutcome
from schemas.ledger import DebateTranscript, Voided
from schemas.summary import DebateSummary
from tests.support import TICKER, item, market, payload, row_of_bias

BIAS = row_of_bias(equity_bias="bearish")


def row(pre: int | None = 2, delta: int = 0, stance: str = "buy") -> FeedRow:
    """A feed row; the rest of it does not matter here."""
    post = None if pre is None else max(-5, min(5, pre + delta))
    told: dict[str, Any] = dict.fromkeys(FeedRow.model_fields)
    told |= {"conviction_pre": pre, "conviction_delta": delta, "conviction_post": post, "stance": stance}
    return FeedRow.model_construct(**told)


def summary(**more: Any) -> DebateSummary:
    """A debate that was held."""
    told: dict[str, Any] = {"status": "debated", "net_stance": "neutral", "readouts": {"stop": "rounds = 2"}, **more}
    return DebateSummary(ticker=TICKER, rounds=(), **told)


def void(**more: Any) -> Voided:
    """A turn that does not count."""
    told: dict[str, Any] = {"seat": "bull", "step": "loop.0", "round_number": 2, "reason": "quarantine", **more}
    return Voided(kind="voided", **told)


def transcript(ledger: Sequence[Voided]) -> DebateTranscript:
    """A debate of these turns."""
    return DebateTranscript(
        ticker=TICKER,
        protocol="desk",
        case_hash="case",
        rounds=(),
        ledger=tuple(ledger),
        stop_reason="rounds = 2",
        configured_rounds=3,
        executed_rounds=2,
        content_hash="transcript",
    )


def debated(count: int, tally: Tally | None = None, *, delta: int = 0, **more: Any) -> Tally:
    """So many equal debates."""
    found = tally or Tally()
    for _ in range(count):
        found.add(row(delta=delta), TickerOutcome(analyst_payload=payload(), debate_summary=summary(**more)))
    return found


def told(tally: Tally, bias: Any = BIAS) -> dict[str, str]:
    """Alarms by name."""
    return dict(alarms(tally, bias))


# the alarms


@pytest.mark.parametrize(("equal", "other", "found"), [(9, 0, False), (8, 2, False), (9, 1, True), (10, 0, True)])
def test_one_change_of_nearly_all_debates_is_an_alarm(equal: int, other: int, found: bool) -> None:
    tally = debated(other, debated(equal, delta=1), delta=-1)
    assert ("one_delta" in told(tally)) is found
    if found:
        assert told(tally)["one_delta"].startswith(f"{equal} of {equal + other} debates changed conviction by +1")


def test_a_favoured_side_is_an_alarm_with_its_numbers() -> None:
    tally = Tally()
    for tilt in [-0.5, -0.1] * 5:
        debated(1, tally, readouts={"stop": "x", "exchange.tilt": tilt})
    assert told(tally)["tilt"] == "the exchange favours the bear: mean tilt -0.30 ± 0.07 over 10 debates"
    assert "tilt" not in told(debated(10, readouts={"stop": "x", "exchange.tilt": 0.0}))


def test_no_debate_although_tickers_passed_the_gate_is_an_alarm() -> None:
    tally = Tally()
    tally.add(row(None), TickerOutcome(failure=Failure(status="unpaid", reason="ceiling", phase="debate_transcript")))
    tally.add(row(None), TickerOutcome(debate_summary=summary(status="failed", net_stance=None, reason="x")))
    assert told(tally)["no_debate"] == "no debate came to an end although 2 tickers passed the gate"
    assert "no_debate" not in told(debated(1, tally))


@pytest.mark.parametrize("phase", ["market_snapshot", "analyst_payload", "case"])
def test_a_ticker_that_never_came_to_the_gate_did_not_pass_it(phase: str) -> None:
    tally = Tally()
    tally.add(row(None), TickerOutcome(failure=Failure(status="no_data", reason="none", phase=phase)))
    tally.add(row(), TickerOutcome(debate_summary=summary(status="gated", net_stance=None)))
    assert told(tally) == {} and tally.counts["gated"] == 1


def test_debates_that_cost_and_change_nothing_are_an_alarm() -> None:
    assert told(debated(3, micros=410_000))["nothing_moved"] == "3 debates for $1.23 changed no decision"
    assert "nothing_moved" not in told(debated(3)), "what was free need not earn its price"
    assert "nothing_moved" not in told(debated(1, debated(3, micros=410_000), delta=1))


def test_a_change_beyond_the_end_of_the_scale_changed_nothing() -> None:
    tally = Tally()
    tally.add(row(5, 1), TickerOutcome(analyst_payload=payload(5), debate_summary=summary(micros=1)))
    assert tally.counts["changed"] == 0 and tally.spread.counts == {1: 1}


@pytest.mark.parametrize(("voids", "found"), [(0, False), (1, False), (2, True)])
def test_more_than_a_tenth_of_void_turns_is_an_alarm(voids: int, found: bool) -> None:
    tally = debated(10 - voids)  # each manager's turn counts
    tally.add(row(), TickerOutcome(debate_transcript=transcript([void()] * voids)))
    assert (told(tally).get("void_turns") == "2 of 10 turns of the debates are void") is found


def test_a_managers_void_turn_is_one() -> None:
    tally = debated(1, status="failed", net_stance=None, reason="manager void: quarantine: no JSON")
    assert (tally.counts["void"], tally.counts["counted"]) == (1, 0)


@pytest.mark.parametrize(("acted", "found"), [(1, False), (2, True)])
def test_more_than_a_fifth_of_theater_is_an_alarm(acted: int, found: bool) -> None:
    tally = debated(5 - acted, debated(acted, readouts={"stop": "x", "theater": "no_substance"}))
    assert ("theater" in told(tally)) is found


def test_an_axis_that_was_asked_in_vain_does_not_lack_evidence() -> None:
    tally, refused = Tally(), MissingAxis(axis="technical", reason="refuse: the model refused", asked=True)
    tally.add(row(), TickerOutcome(analyst_payload=payload(missing_axes=(refused,))))
    assert told(tally)["coverage"] == "1 of 2 axis views had evidence, but no answer that could be used"


def test_what_nothing_was_known_of_is_an_alarm() -> None:
    tally, absent = Tally(), (MissingAxis(axis="fundamental", reason="no source"),)
    tally.add(row(), TickerOutcome(analyst_payload=payload(missing_axes=absent)))
    assert told(tally)["coverage"] == "1 of 2 axis views had no evidence"
    away = ("vix_level", "forex_bias")
    cover = Coverage(fresh=0.5, carried=0, missing=0.5, long_missing=away, stale="10 days old")
    down = Provenance(status="missing", reason="VIXCLS: nothing answers", missing_nights=5)
    bias = BIAS.model_copy(update={"coverage": cover, "provenance": {**BIAS.provenance, "vix_level": down}})
    assert BIAS.provenance["forex_bias"].reason == "no source", "which is known, and no news"
    assert told(Tally(), bias) == {
        "coverage": "nights without a value of the macro view: vix level 5; the macro view is stale: 10 days old"
    }


@pytest.mark.parametrize(
    ("statuses", "operation", "found"),
    [
        ("debated gated contested degraded", {}, {}),
        (
            "unpaid debated unpaid",
            {"max_cost": 0.5},
            {"ceiling": "2 unpaid; go on with run --resume RUN --max-cost USD"},
        ),
        (
            "unpaid",
            {"max_cost_night": 2.0},
            {"ceiling": "1 unpaid; go on with run --resume RUN --set operation.max_cost_night=USD"},
        ),
        (
            "unpaid",
            {"max_cost": 0.5, "max_cost_night": 2.0},
            {"ceiling": "1 unpaid; go on with run --resume RUN --max-cost USD or --set operation.max_cost_night=USD"},
        ),
        ("no_data failed failed debated", {}, {"no_view": "3 tickers without a view: 2 failed, 1 no data"}),
        (
            "stale unpaid",
            {"max_cost": 0.5},
            {
                "ceiling": "1 unpaid; go on with run --resume RUN --max-cost USD",
                "no_view": "1 ticker without a view: 1 stale",
            },
        ),
    ],
)
def test_a_night_that_was_cut_short_says_so_and_how_to_go_on(
    statuses: str, operation: dict[str, float], found: dict[str, str]
) -> None:
    header = plan(Words(as_of="2008-09-30"), None).header
    ceilings = header.settings.operation.model_copy(update={"max_cost": None, "max_cost_night": None, **operation})
    settings = header.settings.model_copy(update={"operation": ceilings})
    rows = tuple(row().model_copy(update={"status": status}) for status in statuses.split())
    told = cut_short(
        header.model_copy(update={"settings": settings}),
        PortfolioFeed.model_construct(rows=rows),
        "go on with run --resume RUN",
    )
    wanted = {name: f"stopped at the ceiling: {text}" if name == "ceiling" else text for name, text in found.items()}
    assert list(told) == list(wanted.items())


def test_a_cut_short_what_if_is_not_resumed() -> None:
    header = plan(Words(as_of="2008-09-30"), None).header
    rows = (row().model_copy(update={"status": "unpaid"}),)
    told = dict(cut_short(header, PortfolioFeed.model_construct(rows=rows), "run the same command again with"))
    assert told["ceiling"] == "stopped at the ceiling: 1 unpaid; run the same command again with --max-cost USD"


# the figures


def test_turns_and_parts_are_counted_once_each() -> None:
    strays = ("/claims/0: 7.7x is no value given, and none is near it", "/claims/0: 9 is no value given; nearest is 1")
    ledger = [void(flags=("repaired",), dropped=(*strays, "/moves/1: brings no evidence that is new"))]
    tally = debated(1, flags=("manager_repaired",))
    tally.add(row(), TickerOutcome(debate_transcript=transcript(ledger)))
    wanted = {"counted": 1, "repaired": 2, "void": 1, "dropped": 2, "ungrounded": 1, "configured": 3, "executed": 2}
    assert {name: tally.counts[name] for name in wanted} == wanted


def test_a_carried_debate_asked_nobody_and_counts_as_a_debate() -> None:
    tally = debated(1, delta=1, flags=("carried",))
    assert (tally.debates, tally.counts["changed"], tally.counts["counted"]) == (1, 1, 0)


def test_evidence_is_counted_where_there_is_a_snapshot() -> None:
    tally, old = Tally(), item("px.ret_63d", stale=True)
    tally.add(row(), TickerOutcome(market_snapshot=market(old, item("px.ret_252d"))))
    tally.add(row(None), TickerOutcome())
    assert [tally.counts[name] for name in ("items", "stale", "missing")] == [2, 1, 0]


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Any, Finished]:
    """A finished night, its header and its store."""
    out = tmp_path_factory.mktemp("health")
    store, planned = open_store(out), plan(Words(as_of=str(date(2008, 9, 30))), None)
    return store, planned.header, hold_night(planned, store, out, lambda *_: None)


def test_a_nights_health_is_what_its_files_say(night: tuple[Store, Any, Finished]) -> None:
    store, header, finished = night
    health = finished.record.health
    assert health is not None and health == night_health(store, header, finished.feed, "go on")
    rows = json.loads((Path(finished.record.out) / "feed.json").read_text())["rows"]
    moved = [one for one in rows if one["conviction_pre"] != one["conviction_post"]]
    assert (health.debates, health.changed, health.gated) == (len(rows), len(moved), 0)
    assert [(one.delta, one.debates) for one in health.deltas] == [
        (delta, sum(one["conviction_delta"] == delta for one in rows))
        for delta in sorted({one["conviction_delta"] for one in rows})
    ]
    # two openings and two rounds of two sides, and a manager, for each ticker
    assert health.turns.counted == len(rows) * 7 and health.turns.void == 0
    assert health.coverage.bias_fields + health.coverage.bias_carried + health.coverage.bias_missing == 13
    assert health.bill.cost_usd == 0 and health.bill.cache_read_share is None
    assert json.loads((Path(finished.record.out) / "run.json").read_text())["health"] == health.model_dump(mode="json")
