"""What an item of a company can be: percent for ratios, millions for units and 0 are refused, and no real figure is."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from phases.evidence.fundamentals import EARNINGS, IDS, fundamental_items
from phases.evidence.limits import LIMITS
from schemas.market import Bars, Fundamentals
from tests.phases.evidence.test_fundamentals import BY_HAND, SHEET, figure, items, record
from tests.real_world import RealSource, needs_shared, tickers

VENDOR = (
    figure("market_cap", 5000.0, "now"),
    figure("shares", 100.0, "now"),
    figure("trailing_pe", 25.0, "ttm"),
    figure("gross_margin", 0.4, "ttm"),
    figure("operating_margin", 0.25, "ttm"),
    figure("net_margin", 0.2, "ttm"),
    figure("revenue_growth", 0.1111, "quarter"),
    figure("return_on_equity", 0.25, "ttm"),
)


def test_every_item_has_limits() -> None:
    assert LIMITS.keys() == set(IDS) - {EARNINGS}
    assert all(one.low < one.high for one in LIMITS.values())


SIZED = ("market_cap", "fcf_yield", "ev_ebitda", "pb")

# figure of the vendor, its value, the items that go, words of the reason
WRONG = [
    ("market_cap", 0.0, SIZED, "market_cap of 2025-03-31 is 0, not above 0"),
    ("market_cap", -5.0, SIZED, "market_cap of 2025-03-31 is -5, not above 0"),
    ("market_cap", 5.0, SIZED, "is 5, shares at their price are 5000: one of them is in another"),
    ("market_cap", 5e6, SIZED, "is 5e+06, shares at their price are 5000"),
    ("trailing_pe", 1e6, ("pe_trailing",), "1e+06 of 2024-12-31 cannot be, 0.01 to 50000 can"),
    ("gross_margin", 40.0, ("gross_margin",), "40 of 2024-12-31 is 100 times what its parts come to, 0.4"),
    ("gross_margin", 68.8, ("gross_margin",), "68.8 of 2024-12-31 cannot be, -10000 to 1 can"),
    ("gross_margin", -0.1, ("gross_margin",), "is -0.1, below what is left of it: operating margin 0.25, net margin"),
    ("operating_margin", 45.6, ("operating_margin",), "45.6 of 2024-12-31 cannot be, -10000 to 1 can"),
    ("net_margin", 1.4, ("net_margin",), "1.4 of 2024-12-31 cannot be, -10000 to 1 can"),
    ("return_on_equity", 34.0, ("roe",), "34 of 2024-12-31 cannot be, -20 to 20 can"),
    ("return_on_equity", 141.0, ("roe",), "141 of 2024-12-31 cannot be"),
    ("revenue_growth", -1.2, ("revenue_growth",), "-1.2 of 2024-12-31 cannot be, -1 to 1000 can"),
]


@pytest.mark.parametrize(("name", "value", "gone", "told"), WRONG)
def test_what_cannot_be_is_missing_with_value_and_limits(
    name: str, value: float, gone: tuple[str, ...], told: str
) -> None:
    held = [one.model_copy(update={"value": value}) if one.name == name else one for one in VENDOR]
    evidence, missing = items(record(*SHEET, *held))
    for id in gone:
        assert told in missing[f"fa.{id}"]
    assert {id: one.value for id, one in evidence.items()} == {
        id: value for id, value in BY_HAND.items() if id.removeprefix("fa.") not in gone
    }


@pytest.mark.parametrize(
    ("name", "value", "id"),
    [
        ("ebitda", 300e-6, "fa.net_debt_ebitda"),
        ("free_cash_flow", 15_000_000.0, "fa.fcf_yield"),
        ("net_income", 20_000_000.0, "fa.net_margin"),
        ("shares", 0.0, "fa.market_cap"),
    ],
)
def test_parts_in_another_unit_make_no_ratio(name: str, value: float, id: str) -> None:
    held = [one.model_copy(update={"value": value}) if one.name == name else one for one in SHEET]
    why = items(record(*held))[1][id]
    assert "cannot be" in why or "not above 0" in why


@pytest.mark.parametrize(("cash", "value"), [(0.15, None), (-0.15, None), (0.24, None), (0.3, 0.0001), (0.0, 0.0)])
def test_free_cash_flow_that_would_read_like_0_is_missing(cash: float, value: float | None) -> None:
    """Of 5,000 of market value; .15 is the 150 of the sheet in thousands."""
    held = [one.model_copy(update={"value": cash}) if one.name == "free_cash_flow" else one for one in SHEET]
    evidence, missing = items(record(*held))
    if value is None:
        told = f"free_cash_flow of 2024-12-31 is {cash:g}, the market value 5000: {cash / 5000:.1g} of it would read"
        assert told in missing["fa.fcf_yield"]
    else:
        assert evidence["fa.fcf_yield"].value == value


def test_a_margin_above_1_is_believed_where_its_parts_say_so() -> None:
    """A company that sold a part of itself: 1,310 of net income with sales of 1,000."""
    held = [one.model_copy(update={"value": 1310.0}) if one.name == "net_income" else one for one in SHEET]
    for more in ((), (figure("net_margin", 1.31, "ttm"),)):
        assert items(record(*held, *more))[0]["fa.net_margin"].value == 1.31


def test_a_second_class_of_shares_is_no_other_unit() -> None:
    assert items(record(*SHEET, figure("market_cap", 50_000.0, "now")))[0]["fa.market_cap"].value == 50_000.0


@needs_shared
def test_no_real_figure_is_lost() -> None:
    seen, source = 0, RealSource()
    for ticker in tickers():
        told = Fundamentals.model_validate(source.fetch("fundamentals", {"symbol": ticker}), strict=False)
        for after in range(0, 960, 120):
            day = date(2023, 4, 10) + timedelta(after)
            asked = {"symbol": ticker, "as_of": day.isoformat(), "sessions": "5"}
            bars = Bars.model_validate(source.fetch("bars", asked), strict=False)
            evidence, missing = fundamental_items(told, bars, day, "real")
            assert not [one for one in missing if "can" in one.reason.split() or "unit" in one.reason]
            seen += len(evidence)
    assert seen > 1400
