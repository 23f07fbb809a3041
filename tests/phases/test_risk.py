"""Risk seats: two typed looks at the night, one sentence, never a weight; and a night that is the same without them."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bench.fake_model.server import FakeModel
from phases.alone import turn_alone
from phases.core.errors import ModelDown, UsageError
from phases.core.provider import Request
from phases.core.runs import Runs
from phases.core.store import open_store
from phases.debate.protocol import read_protocol
from phases.estimate import estimate
from phases.night import Finished, hold_night, replay_night, stored_feed
from phases.plan import CONFIGS, Words, check_tables, plan, protocol_text, resume_plan
from phases.risk import CHECKS, MOST_SHOWN, OFF, risk_case
from phases.show import risk_line, show_run
from schemas.base import Stance
from schemas.feed import FeedRow, PortfolioFeed
from schemas.risk import RiskCase, RiskInputs, RiskSettings
from schemas.run import RunHeader
from tests.conftest import Shelf
from tests.phases.test_portfolio_feed import feed_of, outcome, summary
from tests.support import QUESTION, REFUSAL, Changed, Desk, ask_door, constant, header_of, row_of_bias, settings

ON = RiskSettings(enabled=True)
BIAS = row_of_bias(equity_bias="bearish", vix_level=46.78)


def row(
    ticker: str,
    conviction: int,
    probability: float,
    stance: Stance | None = None,
    flags: tuple[str, ...] = (),
    **more: Any,
) -> FeedRow:
    """A rated row."""
    side: Stance = "buy" if conviction > 1 else "sell" if conviction < -1 else "hold"
    told = {"ticker": ticker, "conviction_post": conviction, "probability_post": probability, "flags": flags}
    found = feed_of({"ACME": outcome()}).rows[0]
    return FeedRow.model_validate({**found.__dict__, **told, "stance": stance or side, **more})


def unrated(ticker: str) -> FeedRow:
    found = feed_of({ticker: outcome("no_data")}).rows[0]
    return FeedRow.model_validate({**found.__dict__, "ticker": ticker})


ROWS = (
    unrated("GONE"),
    row("EVEN", 0, 0.51, "hold"),
    row("FALL", -3, 0.44, flags=("missing_news",)),
    row("RISE", 2, 0.53),
    row("SINK", -2, 0.49),
)


def feed(*rows: FeedRow) -> PortfolioFeed:
    made = feed_of({"ACME": outcome()})
    return made.model_copy(update={"rows": rows})


def case_of(desk: Desk | None = None, rows: tuple[FeedRow, ...] = ROWS, on: RiskSettings = ON) -> RiskCase:
    made: RiskCase = risk_case(feed(*rows), BIAS, QUESTION, on, ask=ask_door(desk or Desk()))
    return made


def inputs_of(rows: tuple[FeedRow, ...] = ROWS) -> RiskInputs:
    desk = Desk()
    case_of(desk, rows)
    (first, second) = (one.inputs for one in desk.requests)
    assert isinstance(first, RiskInputs) and isinstance(second, RiskInputs)
    assert first.model_copy(update={"seat": "conservative"}) == second
    return first


def point(*tickers: str, because: str = "They move together.", about: str = "alike") -> dict[str, Any]:
    return {"tickers": list(tickers or ("FALL",)), "about": about, "because": because}


def says(*points: dict[str, Any]) -> Changed:
    return lambda request, answer: {**answer, "points": list(points)}


# What is asked


def test_off_asks_nobody() -> None:
    desk = Desk()
    assert case_of(desk, on=RiskSettings()) == OFF
    assert desk.requests == [] and OFF.reason == "risk.enabled is false"


def test_without_a_rated_row_nobody_is_asked() -> None:
    desk = Desk()
    assert case_of(desk, (unrated("GONE"),)) == RiskCase(reason="no row is rated")
    assert desk.requests == []


def test_seats_see_the_rated_rows_typed_and_nothing_else() -> None:
    found = inputs_of()
    assert [one.ticker for one in found.rows] == ["FALL", "RISE", "SINK", "EVEN"]  # |-3|, |2| p .03, |-2| p .01, 0
    assert found.rows[0].model_dump() == {
        "ticker": "FALL",
        "stance": "sell",
        "conviction": -3,
        "probability": 0.44,
        "flags": ("missing_news",),
    }
    assert (found.unrated, found.left_out) == (1, 0)
    told = found.model_dump()
    assert set(told) == {"bias_row", "question", "rows", "unrated", "left_out", "seat"}
    assert "bull gained" not in json.dumps(told, default=str), "a reason is prose, and no seat reads it"


def test_held_names_come_first_and_the_weakest_views_are_left_out() -> None:
    many = tuple(row(f"T{at}", 5, 0.6) for at in range(MOST_SHOWN))
    found = inputs_of((*many, row("WEAK", 0, 0.5), row("HELD", 1, 0.5, held=True)))
    assert len(found.rows) == MOST_SHOWN and found.left_out == 2
    assert found.rows[0].ticker == "HELD" and "WEAK" not in [one.ticker for one in found.rows]


def test_the_journal_is_asked_for_both_at_once() -> None:
    desk = Desk()
    case_of(desk)
    assert [(one.skill, one.seat) for one in desk.requests] == [
        ("risk-aggressive", "aggressive"),
        ("risk-conservative", "conservative"),
    ]


# What comes of it


def test_the_desk_finds_what_the_rows_hold() -> None:
    """By hand: FALL is strongest and leans its way; sells agree with a bearish row; RISE opposes it; SINK is near even."""
    found = case_of()
    bold, careful = ({one.about: one.tickers for one in view.points} for view in found.views)
    assert bold == {"strength": ("FALL",), "macro": ("FALL", "SINK")}
    assert careful == {"alike": ("FALL", "SINK"), "macro": ("RISE",), "strength": ("SINK",)}
    assert found.tension is not None and found.reason is None and found.flags == ()
    assert found.tension == (
        "too careful on FALL, SINK: the macro view of equities takes the same side as these views; "
        "too bold on FALL, SINK: these views take one side, so one cause can undo them all."
    )


def test_the_tension_is_where_both_name_the_most_tickers_then_the_same_matter() -> None:
    desk = Desk(
        aggressive=says(point("RISE", because="A first."), point("FALL", "SINK", because="A second. And more!")),
        conservative=says(
            point("EVEN", because="C first."),
            point("SINK", "FALL", because="C second.", about="macro"),
            point("FALL", "SINK", because="C third;"),
        ),
    )
    assert case_of(desk).tension == "too careful on FALL, SINK: A second; too bold on FALL, SINK: C third."


def test_without_a_common_ticker_the_first_points_stand_against_each_other() -> None:
    desk = Desk(aggressive=says(point("RISE", because="Up")), conservative=says(point("FALL", because="Down")))
    assert case_of(desk).tension == "too careful on RISE: Up; too bold on FALL: Down."


def test_a_seat_without_a_point_leaves_no_tension_and_says_so() -> None:
    found = case_of(Desk(aggressive=says()))
    assert (found.tension, found.reason, len(found.views)) == (None, "aggressive has no point", 2)


# What is refused

REFUSED = {
    "a ticker of no night": (point("TSLA"), "foreign_ticker"),
    "a ticker without a view": (point("GONE"), "foreign_ticker"),
    "a ticker in words": (point(because="It moves with TSLA."), "foreign_ticker"),
    "a ticker of another exchange": (point(because="It moves with 0700.HK."), "foreign_ticker"),
    "a small symbol": (point(because="It moves with $tsla."), "foreign_ticker"),
    "a number from nowhere": (point(because="Its probability is 0.61."), "ungrounded"),
    "another row's number": (point("RISE", because="Its conviction is -3."), "ungrounded"),
    "a number of no kind": (point(because="Expect a drawdown of 12%."), "ungrounded"),
    "a probability as an amount": (point(because="44% of the book goes with it."), "sizing"),
    "a weight": (point(because="It deserves more weight."), "sizing"),
    "overweight": (point(because="Stay overweight here."), "sizing"),
    "an allocation": (point(because="Allocate to it."), "sizing"),
    "a size": (point(because="Size it up."), "sizing"),
    "half": (point(because="Put half of the portfolio there."), "sizing"),
    "a ratio": (point(because="A 60/40 mix is safer."), "sizing"),
    "trimming": (point(because="Trim the position before the close."), "sizing"),
    "adding": (point(because="Adding to that holding pays."), "sizing"),
    "buying": (point(because="Buy more of it."), "sizing"),
    "leverage": (point(because="Leverage would help."), "sizing"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("seat", ["aggressive", "conservative"])
def test_what_no_seat_may_say_is_asked_again_once_and_then_void(name: str, seat: str) -> None:
    said, flag = REFUSED[name]
    desk = Desk(**{seat: says(said)})
    found = case_of(desk)
    assert [one.seat for one in desk.requests] == ["aggressive", "conservative", seat]
    assert found.tension is None and found.reason is not None and found.reason.startswith(f"{seat} void: quarantine: ")
    assert [view.seat for view in found.views] == [one for one in ("aggressive", "conservative") if one != seat]
    assert {f"{seat}_{flag}", f"{seat}_void", f"{seat}_repaired"} <= set(found.flags)


ALLOWED = (
    "Its probability of 0.44, or 44%, and its conviction of -3 agree.",
    "Volatility of 46.78 makes 21 sessions long.",
    "The 4 rows lean one way, as the CPI and the US dollar do.",
    "It falls with SINK although its row is flagged missing_news.",
    "It is the largest of the sells, and ^GSPC is what it is held against.",
    "Both hang on one exposure to the market.",
)


@pytest.mark.parametrize("because", ALLOWED)
def test_what_its_inputs_hold_may_be_said(because: str) -> None:
    found = case_of(Desk(conservative=says(point("FALL", because=because))))
    assert found.flags == () and found.tension is not None


@pytest.mark.parametrize(
    "said",
    [
        {"points": [{**point(), "weight": 0.1}]},
        {"points": [point()], "allocation": {"FALL": 0.2}},
        {"points": [point(about="size")]},
        {"points": [point()] * 4},
        {"points": [point(*"ABCDEF")]},
        {"points": [point()], "seat": "conservative"},
    ],
    ids=["weight", "allocation", "about", "points", "tickers", "seat"],
)
def test_the_contract_has_no_place_for_a_weight_and_the_seat_is_the_callers(said: dict[str, Any]) -> None:
    found = case_of(Desk(aggressive=lambda request, answer: {**answer, **said}))
    assert found.tension is None and "aggressive_void" in found.flags


def test_a_repaired_answer_counts_and_is_flagged() -> None:
    def second(request: Request, answer: dict[str, Any]) -> Any:
        return answer if "your_reply" in request.prompt.text else {**answer, "points": [point("TSLA")]}

    found = case_of(Desk(aggressive=second))
    assert found.tension is not None and found.flags == ("aggressive_repaired",)


def test_both_seats_void_name_both() -> None:
    found = case_of(Desk(aggressive=REFUSAL, conservative=constant("prose")))
    assert found.views == () and found.reason is not None
    assert found.reason.startswith("aggressive void: refuse: ") and "; conservative void: " in found.reason


# A whole night


ROOM = 0.05
"""US dollars: above what one call may cost at worst, below two."""


def held(
    out: Path,
    *sets: str,
    tickers: tuple[str, ...] = ("AAPL", "IBM"),
    ceiling: float | None = None,
    resume: bool = False,
    config: str = "default",
) -> Finished:
    words = Words(tickers, CONFIGS / f"{config}.yaml", sets, "2008-09-30", max_cost=ceiling)
    with closing(open_store(out)) as store:
        planned = resume_plan(words, Runs(store), "last") if resume else plan(words, Runs(store))
        return hold_night(planned, store, out, lambda ticker, reason: None)


def told(out: Path) -> tuple[str, RiskCase | None, dict[str, str]]:
    """The last run's line, its risk case, and its skills."""
    with closing(open_store(out)) as store:
        shown = json.loads(show_run(store, "last", True))
        case = shown["risk_case"]
        line = risk_line(store, shown["header"]["run_id"])
        text = " ".join(show_run(store, "last", False).split())
        assert text.count(line) == 1 if line else "tension" not in text
        return line, case and RiskCase.model_validate_json(json.dumps(case)), shown["header"]["skills"]


def bare(found: Finished) -> list[dict[str, Any]]:
    return [{**one.model_dump(), "run_id": ""} for one in found.feed.rows]


def test_a_night_has_the_same_rows_with_them_and_without(tmp_path: Path) -> None:
    off = held(tmp_path)
    line, case, skills = told(tmp_path)
    assert (line, case) == ("", None) and not [name for name in skills if name.startswith("risk-")]
    on = held(tmp_path, "risk.enabled=true")
    line, case, skills = told(tmp_path)
    assert bare(on) == bare(off) and on.record.run_id != off.record.run_id
    assert on.record.calls.made == 2, "the rest is in the journal"
    assert (
        case is not None
        and line == f"tension: {case.tension}"
        and {"risk-aggressive", "risk-conservative"} <= set(skills)
    )
    assert on.record.exit == off.record.exit == 0


def test_the_estimate_counts_them(tmp_path: Path) -> None:
    words = (Words(("AAPL",), sets=(f"risk.enabled={on}",), as_of="2012-06-29") for on in ("false", "true"))
    off, on = (estimate(plan(one, None, spends=False)) for one in words)
    assert on.calls == off.calls + 2


def test_a_ceiling_reached_by_them_leaves_the_feed_and_a_higher_one_goes_on(tmp_path: Path) -> None:
    with FakeModel({}) as server:
        sets = ("risk.enabled=true", f"provider.base_url={server.url}", "debate.when=none", "analyst.axes.sentiment=0")
        whole = held(tmp_path / "whole", *sets, tickers=("IBM",), config="anthropic").record
        own = Shelf(tmp_path / "whole").ask("SELECT sum(micros) FROM spend WHERE phase = 'risk_case'")[0][0]
        rest = whole.cost_usd - own / 1_000_000
        turns = server.stats()["turns"]
        short = held(tmp_path / "short", *sets, tickers=("IBM",), config="anthropic", ceiling=rest + ROOM)
        asked = server.stats()["turns"] - turns
        line, case, _ = told(tmp_path / "short")
        more = held(tmp_path / "short", *sets, tickers=(), config="anthropic", ceiling=10, resume=True)
        assert server.stats()["turns"] - turns - asked == 2
    assert short.record.exit == 0 and {one.status for one in short.feed.rows} == {"gated"}
    assert (
        case is not None
        and case.tension is None
        and line.startswith("risk seats: no tension: unpaid: the next 2 calls")
    )
    _, paid, _ = told(tmp_path / "short")
    assert more.feed == short.feed and paid is not None and len(paid.views) == 2


def test_a_replay_of_unpaid_seats_gives_the_feed(tmp_path: Path) -> None:
    held(tmp_path, "risk.enabled=true")
    with closing(open_store(tmp_path)) as store:
        store.write(lambda connection: connection.exec_driver_sql("DELETE FROM calls WHERE name LIKE 'risk-%'"))
        known = Runs(store).find("last")
        header = RunHeader.model_validate_json(known.header)
        assert replay_night(header, store, 1, lambda ticker, reason: None) == stored_feed(store, known.run_id)


def test_a_model_that_is_down_stops_the_run_as_elsewhere() -> None:
    def down(request: Request, answer: dict[str, Any]) -> Any:
        raise ModelDown("no answer")

    with pytest.raises(ModelDown):
        case_of(Desk(aggressive=down))


# Configuration and the lone turn


def test_models_are_chosen_by_skill_and_seat() -> None:
    chosen = settings("models.risk-aggressive/aggressive=m", "models.risk-conservative=m")
    protocol = read_protocol(*protocol_text(chosen))
    check_tables(chosen, protocol, "configuration")
    with pytest.raises(UsageError, match="risk-aggressive has no seat 'bear'"):
        check_tables(settings("models.risk-aggressive/bear=m"), protocol, "configuration")


def test_a_lone_turn_is_asked_as_the_night_asks_it() -> None:
    text = inputs_of().model_dump_json()
    turn = turn_alone("risk-aggressive", text, settings(), None, None)
    assert (turn.wanted.seat, turn.wanted.checks) == ("aggressive", CHECKS)
    with pytest.raises(UsageError, match="seat 'aggressive' is that of risk-aggressive, not of risk-conservative"):
        turn_alone("risk-conservative", text, settings(), None, None)


def test_a_run_of_an_older_version_has_no_risk_seats() -> None:
    old = header_of().model_dump(mode="json")
    del old["settings"]["risk"]
    assert RunHeader.model_validate_json(json.dumps(old)).settings.risk == RiskSettings()


def test_a_summary_that_says_no_more_than_code_is_no_row() -> None:
    """A row without a number of its own is no row of a seat, whatever its status says."""
    found = feed_of({"ACME": outcome(debate_summary=summary("failed", None, None))}).rows
    assert case_of(rows=found) == RiskCase(reason="no row is rated")
