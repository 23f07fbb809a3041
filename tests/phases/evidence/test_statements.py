"""Statements beside each other: another unit, a copy and revenue below 0 are no evidence, real ones are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta

import pytest

from phases.evidence.statements import odd_statements
from schemas.market import Evidence, Figure, Fundamentals
from tests.phases.evidence.test_fundamentals import AS_OF, bars, items, record
from tests.real_world import RealSource, needs_shared, tickers

ENDS = (date(2023, 12, 31), date(2024, 3, 31), date(2024, 6, 30), date(2024, 9, 30), date(2024, 12, 31))
NEWEST = ENDS[-1]
ROWS: Mapping[str, tuple[float, ...]] = {  # Apple's, in millions
    "revenue": (119575, 90753, 85777, 94930, 124300),
    "gross_profit": (54855, 42271, 39678, 43879, 58275),
    "operating_income": (40373, 27900, 25352, 29591, 42832),
    "net_income": (33916, 23636, 21448, 14736, 36330),
    "ebitda": (43221, 30736, 28202, 32502, 45912),
    "free_cash_flow": (37503, 20694, 26707, 23903, 26995),
    "operating_cash_flow": (39895, 22690, 28858, 26811, 29935),
    "total_debt": (108040, 104590, 101304, 106629, 96799),
    "cash": (73100, 67150, 61801, 65171, 53775),
    "equity": (74100, 74194, 66708, 56950, 66758),
    "shares": (15460, 15337, 15222, 15116, 15041),
}
FLOWS = [*ROWS][:7]
Change = Callable[[str, date, float], float]


def quarters(change: Change) -> list[Figure]:
    return [
        Figure(name=name, value=change(name, day, value * 1e6), period="quarter", ended=day, known=day + timedelta(75))
        for name, values in ROWS.items()
        for day, value in zip(ENDS, values, strict=True)
    ]


def seen(change: Change) -> tuple[dict[str, Evidence], dict[str, str]]:
    return items(record(*quarters(change)), bars(200.0))


def times(factor: float, *names: str, day: date = NEWEST) -> Change:
    return lambda name, when, value: value * factor if when == day and (not names or name in names) else value


def of_the_quarter_before(*names: str) -> Change:
    return lambda name, day, value: ROWS[name][3] * 1e6 if day == NEWEST and (not names or name in names) else value


ALL = {
    "fa.market_cap",
    "fa.pe_trailing",
    "fa.ev_ebitda",
    "fa.pb",
    "fa.fcf_yield",
    "fa.gross_margin",
    "fa.operating_margin",
    "fa.net_margin",
    "fa.revenue_growth",
    "fa.earnings_growth",
    "fa.net_debt_ebitda",
    "fa.roe",
}
OF_REVENUE = {"fa.gross_margin", "fa.operating_margin", "fa.net_margin", "fa.revenue_growth"}
OF_FLOWS = ALL - {"fa.market_cap", "fa.pb"}

# what is done to the quarters, the items that go, words of the reason
ODD: Mapping[str, tuple[Change, set[str], str]] = {
    "the newest in millions": (times(1e-6), ALL, "is 1.243e+05, of that to 2024-09-30 9.493e+10: one of them is in"),
    "the newest in thousands": (times(1e-3), ALL, "is 1.243e+08, of that to 2024-09-30 9.493e+10: one of them is in"),
    "its money in thousands": (times(1e-3, *FLOWS, "total_debt", "cash", "equity"), ALL - {"fa.market_cap"}, "unit"),
    "its money in cents by thousands": (times(1e3, *FLOWS), OF_FLOWS, "of the quarter to 2024-12-31 is 1.243e+14"),
    "an older one in thousands": (times(1e-3, day=ENDS[2]), ALL, "of the quarter to 2024-09-30 is 9.493e+10, of that"),
    "revenue alone in thousands": (times(1e-3, "revenue"), OF_REVENUE, "2024-12-31 is 5.828e+10, revenue 1.243e+08"),
    "revenue alone by thousands": (
        times(1e3, "revenue"),
        OF_REVENUE,
        "revenue of the quarter to 2024-12-31 is 1.243e+14",
    ),
    "shares in thousands": (
        times(1e-3, "shares"),
        {"fa.market_cap", "fa.pe_trailing", "fa.ev_ebitda", "fa.pb", "fa.fcf_yield"},
        "shares of the quarter to 2024-12-31 is 1.504e+07",
    ),
    "revenue below 0": (
        times(-1, "revenue"),
        OF_REVENUE,
        "revenue of the quarter to 2024-12-31 is -1.243e+11, below 0",
    ),
    "every row of the quarter before": (
        of_the_quarter_before(),
        ALL - {"fa.market_cap"},
        "every row of the quarter to 2024-12-31 is that of the quarter to 2024-09-30",
    ),
    "the income statement of the quarter before": (
        of_the_quarter_before(*FLOWS[:5]),
        OF_FLOWS - {"fa.fcf_yield"},
        "one of them is a copy",
    ),
    "the balance sheet of the quarter before": (
        of_the_quarter_before("total_debt", "cash", "equity"),
        {"fa.ev_ebitda", "fa.pb", "fa.net_debt_ebitda", "fa.roe"},
        "one of them is a copy",
    ),
}


def test_sound_quarters_are_evidence() -> None:
    evidence, missing = seen(times(1.0))
    assert (set(evidence), set(missing)) == (ALL, {"fa.pe_forward", "fa.earnings_days"})
    assert evidence["fa.gross_margin"].value == 0.4652


@pytest.mark.parametrize("case", ODD)
def test_a_quarter_that_cannot_be_after_the_others_is_named(case: str) -> None:
    change, gone, told = ODD[case]
    evidence, missing = seen(change)
    assert ALL - set(evidence) == gone
    assert any(told in missing[id] for id in gone)
    assert all("quarter to 2024" in missing[id] for id in gone)


def test_a_figure_that_is_not_there_is_not_said_to_be_odd() -> None:
    held = [one for one in quarters(times(1e-6)) if one.name != "free_cash_flow"]
    assert items(record(*held), bars(200.0))[1]["fa.fcf_yield"] == "the source has no free_cash_flow"


def test_other_spans_of_the_same_figures_stand_in() -> None:
    year = [
        Figure(name=name, value=value, period="year", ended=date(2024, 9, 30), known=date(2025, 1, 8))
        for name, value in {"revenue": 391e9, "gross_profit": 180.7e9}.items()
    ]
    held = record(*quarters(times(1e-6)), *year)
    assert items(held, bars(200.0))[0]["fa.gross_margin"].value == 0.4621


def test_what_is_known_later_judges_nothing() -> None:
    """The quarter in millions is known 75 days after its end."""
    held = [one.model_copy(update={"known": AS_OF + timedelta(1)}) for one in quarters(times(1e-6))[4::5]]
    first = [one for one in quarters(times(1e-6)) if one.ended < NEWEST]
    assert items(record(*first, *held), bars(200.0)) == items(record(*first), bars(200.0))


@pytest.mark.parametrize(
    "change",
    [
        times(2.5, *FLOWS),  # a season
        times(0.4, *FLOWS),
        times(0.0001, "net_income"),  # a year of little profit
        times(-1, "net_income", "operating_income", "free_cash_flow"),
        times(9, "net_income"),  # a part of the company was sold
        times(0.001, "total_debt"),  # debt was paid back
        times(0.001, "cash"),
        times(0.05, "shares"),  # a reverse split
        of_the_quarter_before("revenue", "shares", "total_debt"),
        times(0.0, "revenue", "gross_profit"),
        times(90, "operating_income", "net_income"),  # gains from elsewhere than sales
        times(2e6, "shares"),  # a company is parted
        lambda name, day, value: value if day < NEWEST else value * {"equity": -1400, "total_debt": 1800}.get(name, 1),
        lambda name, day, value: value * (1e-3 if day == NEWEST and name == "equity" else 1),  # a loss
        lambda name, day, value: ROWS[name][0] * 1e6,  # every quarter says the same
        lambda name, day, value: ROWS[name][1] * 1e6 if day == ENDS[2] else value,  # a copy that is not the newest
    ],
)
def test_what_happens_to_companies_is_no_error(change: Change) -> None:
    assert odd_statements(quarters(change)) == {}


def test_years_are_held_against_each_other_too() -> None:
    years = [(date(2022, 12, 31), 1.0), (date(2023, 12, 31), 1.1), (date(2024, 12, 31), 1.2e-3)]
    told = [
        Figure(name=name, value=value * 1e6 * factor, period="year", ended=day, known=day + timedelta(80))
        for name, (value, *_) in ROWS.items()
        for day, factor in years
    ]
    missing = items(record(*told), bars(200.0))[1]
    assert "revenue of the year to 2024-12-31 is 1.435e+08, of that to 2023-12-31 1.315e+11" in missing["fa.net_margin"]
    assert set(missing) >= ALL


@needs_shared
def test_no_real_statement_is_odd() -> None:
    for ticker in tickers():
        told = Fundamentals.model_validate(RealSource().fetch("fundamentals", {"symbol": ticker}), strict=False)
        for day in sorted({one.ended for one in told.figures}):
            assert odd_statements([one for one in told.figures if one.ended <= day]) == {}, (ticker, day)
