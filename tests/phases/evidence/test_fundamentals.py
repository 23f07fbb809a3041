"""Items of a company's figures: by hand from small records, and from real statements of thirty companies."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pytest

from phases.core.errors import NoData
from phases.evidence.books import Books, Value
from phases.evidence.fundamentals import IDS, fundamental_items
from phases.macro_bias import bias_row
from phases.market_data import macro_snapshot, market_snapshot
from phases.maths.lean import LEANS, NEUTRAL
from phases.sources.yahoo.figures import CASH, FLOWS, INFO, LEVELS
from schemas.market import Bars, Evidence, Figure, Fundamentals
from tests.real_world import RealSource, figures, needs_shared, prices, tickers
from tests.support import QUESTION, Desk, ask_door, fetch_door, header_of, settings, through_phases

AS_OF = date(2025, 3, 31)
ENDED = {"quarter": date(2024, 12, 31), "year": date(2024, 12, 31), "now": AS_OF, "ttm": date(2024, 12, 31)}


def figure(name: str, value: float | None, period: str = "year", **more: Any) -> Figure:
    ended = more.pop("ended", ENDED[period])
    known = more.pop("known", min(ended + timedelta(60), AS_OF))
    return Figure.model_validate({"name": name, "value": value, "period": period, "ended": ended, "known": known})


def record(*held: Figure, **more: Any) -> Fundamentals:
    told = {"symbol": "ACME", "kind": "stock", "currency": "USD", "figures": held, **more}
    return Fundamentals.model_validate(told)


def bars(close: float = 50.0, currency: str = "USD", actions: Sequence[Any] = ()) -> Bars:
    day, column = (date(2025, 3, 31),), (close,)
    columns = dict.fromkeys(("open", "high", "low", "close", "adj_close", "volume"), column)
    told = {"symbol": "ACME", "currency": currency, "exchange": "XNYS", "days": day, "actions": tuple(actions)}
    return Bars.model_validate({**told, **columns})


def items(found: Fundamentals, priced: Bars | None = None) -> tuple[dict[str, Evidence], dict[str, str]]:
    """Evidence and the reasons of what is missing, by id; together they are the whole family."""
    evidence, missing = fundamental_items(found, priced or bars(), AS_OF, "shelf")
    assert sorted([one.id for one in (*evidence, *missing)]) == sorted(IDS)
    assert all(one.as_of <= one.known_at <= AS_OF and one.tier == 2 for one in evidence)
    return {one.id: one for one in evidence}, {one.id: one.reason for one in missing}


SHEET = (
    figure("revenue", 1000.0),
    figure("gross_profit", 400.0),
    figure("operating_income", 250.0),
    figure("net_income", 200.0),
    figure("ebitda", 300.0),
    figure("free_cash_flow", 150.0),
    figure("total_debt", 500.0, "quarter"),
    figure("cash", 200.0, "quarter"),
    figure("equity", 800.0, "quarter"),
    figure("shares", 100.0, "quarter"),
    figure("revenue", 900.0, ended=date(2023, 12, 31)),
    figure("net_income", 160.0, ended=date(2023, 12, 31)),
)

BY_HAND = {
    "fa.market_cap": 5000.0,  # 100 shares at 50
    "fa.pe_trailing": 25.0,  # 5000 / 200
    "fa.ev_ebitda": 17.67,  # (5000 + 500 - 200) / 300
    "fa.pb": 6.25,  # 5000 / 800
    "fa.fcf_yield": 0.03,  # 150 / 5000
    "fa.gross_margin": 0.4,
    "fa.operating_margin": 0.25,
    "fa.net_margin": 0.2,
    "fa.revenue_growth": 0.1111,  # 1000 / 900 - 1
    "fa.earnings_growth": 0.25,
    "fa.net_debt_ebitda": 1.0,  # 300 / 300
    "fa.roe": 0.25,
}


def test_values_by_hand() -> None:
    evidence, missing = items(record(*SHEET))
    assert {id: one.value for id, one in evidence.items()} == BY_HAND
    assert set(missing) == {"fa.pe_forward", "fa.earnings_days"}
    assert {one.source for one in evidence.values()} == {"shelf"}
    assert evidence["fa.roe"].as_of == date(2024, 12, 31)
    assert evidence["fa.roe"].known_at == date(2025, 3, 1)


def test_every_item_is_in_one_table_of_leans() -> None:
    assert set(IDS) == {one for one in LEANS.keys() | NEUTRAL.keys() if one.startswith("fa.")}


def test_four_quarters_in_a_row_are_a_year_and_a_newer_one_than_the_fiscal_year() -> None:
    ends = [date(2024, 3, 31), date(2024, 6, 30), date(2024, 9, 30), date(2024, 12, 31)]
    quarters = [figure("net_income", 10.0 + at, "quarter", ended=end) for at, end in enumerate(ends)]
    whole = [figure("equity", 100.0, "quarter"), figure("net_income", 99.0, ended=date(2024, 6, 30))]
    assert items(record(*quarters, *whole))[0]["fa.roe"].value == 0.46  # 10 + 11 + 12 + 13
    gap = items(record(*quarters[:2], *quarters[3:], *whole))[0]["fa.roe"]
    assert (gap.value, gap.as_of) == (0.99, date(2024, 6, 30))


def test_a_quarter_grows_over_the_same_quarter_a_year_before() -> None:
    ends = {date(2023, 12, 31): 80.0, date(2024, 9, 30): 130.0, date(2024, 12, 31): 100.0}
    quarters = [figure("revenue", value, "quarter", ended=end) for end, value in ends.items()]
    assert items(record(*quarters))[0]["fa.revenue_growth"].value == 0.25


# what was known when


def test_F130_what_was_filed_after_the_night_is_not_there() -> None:
    late = figure("net_income", 999.0, "ttm", ended=date(2025, 3, 30), known=AS_OF + timedelta(1))
    assert items(record(*SHEET, late)) == items(record(*SHEET))
    on_the_day = figure("net_income", 999.0, "ttm", ended=date(2025, 3, 30), known=AS_OF)
    assert items(record(*SHEET, on_the_day))[0]["fa.pe_trailing"].value == 5.01


def test_F131_of_a_restated_figure_the_one_known_then_counts() -> None:
    first, second = (figure("operating_income", value, known=known) for value, known in RESTATED)
    for held in ((first, second), (second, first)):
        assert items(record(figure("revenue", 1000.0), *held))[0]["fa.operating_margin"].value == 0.25
    earlier = figure("operating_income", 300.0, known=date(2025, 3, 15))
    assert items(record(figure("revenue", 1000.0), earlier, first))[0]["fa.operating_margin"].value == 0.3


RESTATED = ((250.0, date(2025, 2, 1)), (100.0, date(2025, 4, 1)))


def test_results_are_due_only_on_a_date_that_was_known() -> None:
    dates = (date(2025, 1, 30), date(2025, 5, 1), date(2025, 7, 30))
    known = items(record(*SHEET, earnings=dates, earnings_known=AS_OF))[0]["fa.earnings_days"]
    assert (known.value, known.unit) == (31, "days")
    for more in ({"earnings_known": None}, {"earnings_known": AS_OF + timedelta(1)}):
        assert "certainly known" in items(record(*SHEET, earnings=dates, **more))[1]["fa.earnings_days"]
    assert "within 120 days" in items(record(*SHEET, earnings=dates[:1], earnings_known=AS_OF))[1]["fa.earnings_days"]


# what is no number


def test_F132_D12_a_figure_without_a_number_takes_one_item_with_it_and_nothing_else() -> None:
    holed = [one.model_copy(update={"value": None}) if one.name == "free_cash_flow" else one for one in SHEET]
    evidence, missing = items(record(*holed))
    assert missing["fa.fcf_yield"] == "free_cash_flow of 2024-12-31 is no number in the source"
    assert {id: one.value for id, one in evidence.items()} == {k: v for k, v in BY_HAND.items() if k != "fa.fcf_yield"}
    without = [one for one in SHEET if one.name != "free_cash_flow"]
    assert items(record(*without))[1]["fa.fcf_yield"] == "the source has no free_cash_flow"


def test_F132_an_infinite_figure_is_refused_by_the_contract_and_never_a_ratio() -> None:
    for value in (float("inf"), float("nan"), "N/A"):
        with pytest.raises(ValueError, match="value"):
            figure("revenue", value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value", "id"),
    [
        ("net_income", 0.0, "fa.pe_trailing"),
        ("net_income", -5.0, "fa.pe_trailing"),
        ("equity", -1.0, "fa.pb"),
        ("equity", 0.0, "fa.roe"),
        ("ebitda", 0.0, "fa.net_debt_ebitda"),
        ("revenue", 0.0, "fa.net_margin"),
    ],
)
def test_nothing_is_divided_by_what_is_not_above_0(name: str, value: float, id: str) -> None:
    changed = [one.model_copy(update={"value": value}) if one.name == name else one for one in SHEET]
    assert "is not above 0" in items(record(*changed))[1][id]


def test_F132_a_multiple_of_the_source_that_is_not_above_0_says_nothing() -> None:
    assert "not above 0" in items(record(figure("forward_pe", -12.0, "now")))[1]["fa.pe_forward"]


# currencies


def test_F133_pence_become_pounds() -> None:
    shown = items(record(*SHEET, currency="GBP"), bars(5000.0, "GBp"))[0]
    assert {id: one.value for id, one in shown.items() if id != "fa.market_cap"} == {
        id: value for id, value in BY_HAND.items() if id != "fa.market_cap"
    }
    assert shown["fa.market_cap"].label == "market value in millions of GBP"
    whole = items(record(*[one.model_copy(update={"value": 1e6 * (one.value or 0)}) for one in SHEET], currency="GBP"))
    assert "fa.market_cap" in whole[1], "a price in USD is not multiplied into pounds"


@pytest.mark.parametrize(("price", "statements"), [("GBp", "USD"), ("USD", "TWD"), ("EUR", None)])
def test_F133_no_ratio_of_two_currencies(price: str, statements: str | None) -> None:
    told = figure("trailing_pe", 12.0, "now")
    evidence, missing = items(record(*SHEET, told, currency=statements), bars(50.0, price))
    priced = {"fa.market_cap", "fa.pe_trailing", "fa.pe_forward", "fa.ev_ebitda", "fa.pb", "fa.fcf_yield"}
    assert priced <= set(missing)
    assert all("currency" in missing[id] or statements in missing[id] for id in priced if statements is not None)
    assert {"fa.roe", "fa.net_debt_ebitda", "fa.operating_margin"} <= set(evidence)


def test_a_split_after_the_count_of_shares_is_never_passed_over() -> None:
    split = {"day": date(2025, 2, 10), "kind": "split", "value": 10.0}
    missing = items(record(*SHEET), bars(actions=[split]))[1]
    assert "a split on 2025-02-10 came after the shares of 2024-12-31" in missing["fa.pe_trailing"]
    before = {**split, "day": date(2024, 12, 30)}
    assert "fa.pe_trailing" in items(record(*SHEET), bars(actions=[before]))[0]


# the source


def test_every_figure_that_an_item_reads_is_one_that_yahoo_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, set[str]] = {}

    def spans(self: Books, name: str, *periods: str) -> list[Value]:
        asked.setdefault(name, set()).update(periods)
        return [Value(1.0, AS_OF, AS_OF)]

    monkeypatch.setattr(Books, "spans", spans)
    items(record())
    given = {name: {"quarter"} for name in (*FLOWS, *CASH, *LEVELS)}
    for one in INFO:
        given.setdefault(one.name, set()).add(one.period)
    assert len(asked) > 15
    assert {name for name, periods in asked.items() if not periods & given.get(name, set())} == set()


# age and kind


@pytest.mark.parametrize(
    ("period", "age", "stale"),
    [("quarter", 200, False), ("quarter", 201, True), ("year", 500, False), ("year", 501, True), ("now", 11, True)],
)
def test_an_old_figure_is_stale(period: str, age: int, stale: bool) -> None:
    held = figure("operating_margin" if period == "now" else "total_debt", 0.2, period, ended=AS_OF - timedelta(age))
    if period == "now":
        shown = items(record(held))[0]["fa.operating_margin"]
    else:
        further = (figure("cash", 0.1, "now"), figure("ebitda", 1.0, "ttm"))
        shown = items(record(held, *further))[0]["fa.net_debt_ebitda"]
    assert shown.stale is stale


def test_a_figure_of_years_ago_is_no_evidence() -> None:
    held = figure("gross_margin", 0.3, "now", ended=AS_OF - timedelta(21))
    assert "too old to count" in items(record(held))[1]["fa.gross_margin"]


@pytest.mark.parametrize("kind", ["fund", "index", "crypto", "currency", "other"])
def test_what_is_no_company_has_no_statements(kind: str) -> None:
    evidence, missing = items(record(*SHEET, kind=kind))
    assert not evidence
    assert all(f"of the kind {kind}" in why for why in missing.values())


# the phase


class Nothing(RealSource):
    """Prices alone."""

    def fetch(self, dataset: str, params: Any) -> Any:
        if dataset == "fundamentals":
            raise NoData("nobody files here")
        return super().fetch(dataset, params)


class Swapped(RealSource):
    """Another company's figures."""

    def fetch(self, dataset: str, params: Any) -> Any:
        found = super().fetch(dataset, params)
        return {**found, "symbol": "OTHER"} if dataset == "fundamentals" else found


@needs_shared
def test_F134_figures_of_another_symbol_are_none_of_this_one() -> None:
    held = fetch_door(Swapped())
    found = market_snapshot("AAPL", date(2025, 6, 30), QUESTION, settings(*FA).market, fetch=held)
    reasons = {one.reason for one in found.missing if one.id.startswith("fa.")}
    assert reasons == {"the source was asked for AAPL and answered for OTHER"}
    assert not any(one.id.startswith("fa.") for one in found.evidence)


FA = ("market.families=[fa]", "analyst.axes.fundamental=0.4")


@needs_shared
def test_a_source_without_figures_leaves_the_family_missing_and_the_night_goes_on() -> None:
    chosen = settings(*FA).market
    found = market_snapshot("AAPL", date(2025, 6, 30), QUESTION, chosen, fetch=fetch_door(Nothing()))
    assert {one.id for one in found.missing if one.reason == "nobody files here"} == set(IDS)
    plain = market_snapshot("AAPL", date(2025, 6, 30), QUESTION, settings().market, fetch=fetch_door(Nothing()))
    assert found.evidence == plain.evidence
    assert not any(one.id.startswith("fa.") for one in plain.missing), "not looked for unless configured"


@needs_shared
def test_real_statements_give_the_figures_of_the_sheet() -> None:
    held = fetch_door(RealSource())
    found = market_snapshot("MSFT", date(2025, 12, 1), QUESTION, settings(*FA).market, fetch=held)
    shown = {one.id: one for one in found.evidence if one.id.startswith("fa.")}
    sheet = {(one["name"], one["period"], one["ended"]): one["value"] for one in figures("MSFT")}
    newest = max(e for n, p, e in sheet if (n, p) == ("revenue", "quarter") and e <= "2025-09-17")
    before = str(int(newest[:4]) - 1) + newest[4:]
    assert newest == "2025-06-30"
    if ("revenue", "quarter", before) in sheet:
        assert shown["fa.revenue_growth"].as_of == date.fromisoformat(newest)
    year = "2025-06-30"
    margin = sheet["operating_income", "year", year] / sheet["revenue", "year", year]
    assert shown["fa.operating_margin"].value == pytest.approx(margin, abs=1e-4)
    value = sheet["shares", "quarter", newest] * float(prices("MSFT").loc["2025-12-01":"2025-12-01", "Close"].iloc[0])
    assert shown["fa.market_cap"].value == pytest.approx(value, rel=1e-6)


def prompts(source: RealSource, ticker: str, day: date) -> list[str]:
    """Every prompt of one ticker's night with a fundamental axis."""
    header = header_of(*FA, tickers=(ticker,))
    desk, fetch, chosen = Desk(), fetch_door(source), header.settings
    common = macro_snapshot(day, QUESTION, chosen.market, fetch=fetch)
    row = bias_row(common, header.history, chosen.bias, ask=ask_door(Desk()))
    own = market_snapshot(ticker, day, QUESTION, chosen.market, fetch=fetch)
    through_phases(own, common, row, header, ask=ask_door(desk))
    shown = any(one.id.startswith("fa.") for one in own.evidence)
    assert any('"fa.' in text for text in desk.prompts()) is shown, (ticker, day)
    return desk.prompts()


def pairs(count: int) -> list[tuple[str, date]]:
    draw = random.Random(20250331)
    days = [date(2022, 6, 1) + timedelta(n) for n in range(1280)]
    return [(draw.choice(tickers()), draw.choice(days)) for _ in range(count)]


@needs_shared
def test_F130_what_was_filed_later_is_in_no_prompt() -> None:
    """Deleting every figure known after the night leaves every fact, and the bytes of every prompt, unchanged."""
    nightly = bool(os.environ.get("REBUTTAL_NIGHTLY"))
    chosen = settings(*FA).market
    for at, (ticker, day) in enumerate(pairs(1000 if nightly else 40)):
        sources = RealSource(), RealSource(known_by=day)
        whole, cut = (market_snapshot(ticker, day, QUESTION, chosen, fetch=fetch_door(one)) for one in sources)
        assert whole == cut, (ticker, day)
        if nightly or at % 20 == 0:
            assert prompts(sources[0], ticker, day) == prompts(sources[1], ticker, day), (ticker, day)


@needs_shared
def test_the_cut_is_a_cut() -> None:
    """That the test above can fail: figures of a month before are other figures."""
    day = date(2025, 3, 20)
    early = RealSource(known_by=day - timedelta(40))
    assert prompts(early, "MSFT", day) != prompts(RealSource(), "MSFT", day)
    assert json.dumps(figures("MSFT"))
