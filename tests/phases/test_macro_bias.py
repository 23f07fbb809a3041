"""The bias row: sixteen fields, each fresh, carried or missing with a reason; words that never hold a number."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from phases.core.errors import SourceDown
from phases.macro_bias import bias_row
from schemas.bias import BiasRow, FedOdds, OnchainPositioning, Provenance
from schemas.market import Evidence, Missing
from schemas.run import History
from tests.support import (
    BUNDLE,
    DAY,
    REFUSAL,
    Changed,
    Desk,
    ask_door,
    constant,
    header_of,
    item,
    macro,
    market,
    row_of_bias,
    settings,
    whole_night,
)

BIASES = ["equity_bias", "crypto_bias", "bond_bias", "commodity_bias", "forex_bias"]
FLOWS = ["vix_level", "inst_flow", "options_sentiment", "cta_direction", "hf_consensus", "fed_odds"]
SIXTEEN = ["date", "run_type", "macro_regime", *BIASES, *FLOWS, "onchain_positioning", "notes"]

WITHOUT_SOURCE = {
    "inst_flow": "fund flows",
    "hf_consensus": "hedge-fund",
    "fed_odds": "rate futures",
    "onchain_positioning": "on-chain",
}
WITH_FURTHER_SERIES = {
    "crypto_bias": "crypto",
    "forex_bias": "exchange rates",
    "options_sentiment": "option",
    "cta_direction": "trend followers",
}
"""Fields that a source may have; the packaged one does not."""

CRASH = (
    item("macro.index_ret_63d", -0.32, value=-0.09),
    item("macro.index_ret_252d", -0.4, value=-0.236),
    item("macro.index_sma200_gap", -0.5, value=-0.124),
    item("macro.breadth_200d", -0.25, value=0.25, as_of=date(2008, 9, 29)),
    item("macro.index_vol_21d", -0.5, value=0.4678),
    item("macro.gdp_yoy", -0.1, value=0.011, as_of=date(2008, 4, 1)),
    item("macro.core_cpi_yoy", 0.0, value=0.0251),
    item("macro.tbill_change_1y", 0.5, value=-0.032),
    item("macro.wti_63d", 0.0, value=-0.2599),
)


BILL = "no 10-year yield: the 3-month bill over a year"


def row_of(
    *evidence: Evidence, last: BiasRow | None = None, sets: tuple[str, ...] = (), missing: Any = (), **instead: Changed
) -> BiasRow:
    history, ask = History(bias_row=last), ask_door(Desk(**instead))
    made: BiasRow = bias_row(macro(*evidence, missing=missing), history, settings(*sets).bias, ask=ask)
    return made


def test_there_are_sixteen_fields_and_an_origin_for_each_but_two() -> None:
    assert len(SIXTEEN) == 16
    assert [*BiasRow.model_fields] == [*SIXTEEN, "provenance", "coverage"]
    for row in (row_of(), row_of(*CRASH), row_of(last=row_of(*CRASH))):
        assert set(row.provenance) == set(SIXTEEN) - {"date", "run_type"}
        for name, origin in row.provenance.items():
            assert (getattr(row, name) is None) == (origin.status == "missing")
            assert (origin.as_of is None) == (origin.status == "missing")
            assert origin.status == "fresh" or origin.reason


def test_fields_follow_from_the_evidence() -> None:
    row = row_of(*CRASH)
    assert row.macro_regime == "growth slowing, inflation hot, policy easing, appetite risk off"
    assert row.equity_bias == "strong_bearish"  # mean of -.64 -.8 -1 -.5
    assert row.bond_bias == "strong_bullish"  # .032 / .02
    assert row.commodity_bias == "strong_bearish"  # -.2599 / .25
    assert row.vix_level == 46.78
    assert (row.date, row.run_type) == (DAY, "baseline")
    assert row_of(*CRASH, last=row).run_type == "delta"


@pytest.mark.parametrize(
    ("leans", "word"),
    [
        ((-0.5,), "strong_bearish"),
        ((-0.1,), "bearish"),
        ((0.09, -0.09), "neutral"),
        ((0.1, 0.1), "bullish"),
        ((0.5, 0.1, 0.5, 0.1), "strong_bullish"),
        ((), None),
    ],
)
def test_equity_is_the_mean_tilt_of_the_index(leans: tuple[float, ...], word: str | None) -> None:
    names = ("macro.index_ret_63d", "macro.index_ret_252d", "macro.index_sma200_gap", "macro.breadth_200d")
    row = row_of(*(item(name, lean) for name, lean in zip(names, leans, strict=False)))
    assert row.equity_bias == word
    assert row.provenance["equity_bias"].evidence == names[: len(leans)]


def test_a_fresh_field_says_when_and_from_what() -> None:
    origin = row_of(*CRASH).provenance
    bond = Provenance(status="fresh", as_of=DAY, evidence=("macro.tbill_change_1y",), reason=BILL)
    assert origin["bond_bias"] == bond
    assert origin["equity_bias"].as_of == date(2008, 9, 29), "that of its oldest item"
    assert origin["macro_regime"].as_of == date(2008, 4, 1)
    assert origin["vix_level"].status == "fresh"
    assert "no implied volatility" in (origin["vix_level"].reason or "")


def test_part_of_the_evidence_is_enough_and_what_is_unknown_says_so() -> None:
    row = row_of(item("macro.core_cpi_yoy", value=0.01))
    assert row.macro_regime == "growth unknown, inflation cold, policy unknown, appetite unknown"


@pytest.mark.parametrize("name", WITHOUT_SOURCE)
def test_a_field_without_a_source_is_missing_with_the_reason(name: str) -> None:
    old = {
        "fed_odds": FedOdds(meeting_date=DAY, most_likely="unchanged", probability=0.9),
        "onchain_positioning": OnchainPositioning(smart_net_bias="bullish", crowd_net_bias="bearish"),
    }.get(name, "bullish")
    for last in (None, row_of_bias(**{name: old})):
        row = row_of(*CRASH, last=last)
        assert getattr(row, name) is None
        assert row.provenance[name].status == "missing"
        assert WITHOUT_SOURCE[name] in (row.provenance[name].reason or "")


@pytest.mark.parametrize("name", WITH_FURTHER_SERIES)
def test_a_field_whose_series_nobody_lists_is_missing_with_the_reason(name: str) -> None:
    origin = row_of(*CRASH).provenance[name]
    assert (origin.status, origin.missing_nights) == ("missing", 1)
    assert WITH_FURTHER_SERIES[name] in (origin.reason or "")


COMPUTED = {
    "macro_regime": "growth slowing, inflation mild, policy neutral, appetite mixed",
    "equity_bias": "bearish",
    "bond_bias": "bullish",
    "commodity_bias": "strong_bullish",
    "vix_level": 33.3,
    "crypto_bias": "bearish",
    "forex_bias": "bullish",
    "options_sentiment": "bearish",
    "cta_direction": "bullish",
}


@pytest.mark.parametrize("name", COMPUTED)
@pytest.mark.parametrize(("age", "carried"), [(1, True), (45, True), (46, False), (400, False)])
def test_a_quiet_field_is_carried_with_its_day_and_not_for_ever(name: str, age: int, carried: bool) -> None:
    since = DAY - timedelta(age)
    kept = Provenance(status="fresh", as_of=since, evidence=("macro.index_ret_63d",))
    last = row_of_bias(**{name: COMPUTED[name]}, date=since)
    last = last.model_copy(update={"provenance": {**last.provenance, name: kept}})
    row = row_of(last=last)
    origin = row.provenance[name]
    if not carried:
        assert (getattr(row, name), origin.status) == (None, "missing")
        return
    assert getattr(row, name) == COMPUTED[name]
    assert (origin.status, origin.as_of, origin.evidence) == ("carried", since, kept.evidence)
    assert origin.reason == f"no value tonight; this one is of {since}, {age} days old"


def test_a_value_carried_twice_keeps_its_first_day() -> None:
    since = DAY - timedelta(20)
    carried = Provenance(status="carried", as_of=since, reason="no value tonight")
    last = row_of_bias(bond_bias="bearish", date=DAY - timedelta(1))
    last = last.model_copy(update={"provenance": {**last.provenance, "bond_bias": carried}})
    assert row_of(last=last).provenance["bond_bias"].as_of == since
    assert row_of(last=last, sets=("bias.carry_days=19",)).bond_bias is None


def test_a_value_is_as_old_as_the_oldest_figure_it_is_made_from() -> None:
    """A VIX of 59 days ago beside the volatility of tonight: what they come to is not carried for 45 days more."""
    vix = item("macro.vix", value=40.0, as_of=DAY - timedelta(59), known_at=DAY - timedelta(59), stale=True)
    first = row_of(vix, item("macro.index_vol_21d", value=0.2))
    assert first.provenance["options_sentiment"].as_of == DAY - timedelta(59)
    assert first.coverage is not None and first.coverage.stale == (
        f"every macro figure is stale, the newest, macro.vix, is of {DAY - timedelta(59)}"
    )
    second = row_of(item("macro.index_vol_21d", value=0.2), last=first)
    assert (second.options_sentiment, second.provenance["options_sentiment"].status) == (None, "missing")


def test_tonight_comes_before_an_earlier_night() -> None:
    last = row_of_bias(bond_bias="bearish", commodity_bias="bullish", date=DAY - timedelta(1))
    row = row_of(item("macro.tbill_change_1y", 0.5, value=-0.032), last=last)
    assert (row.bond_bias, row.provenance["bond_bias"].status) == ("strong_bullish", "fresh")
    assert (row.commodity_bias, row.provenance["commodity_bias"].status) == ("bullish", "carried")


def test_a_missing_field_gives_the_reason_of_its_evidence() -> None:
    row = row_of(missing=(Missing(id="macro.wti_63d", reason="newest wti is of 2008-01-01, too old to count"),))
    assert row.provenance["commodity_bias"].reason == "newest wti is of 2008-01-01, too old to count"
    assert row.provenance["bond_bias"].reason == "its evidence is absent tonight"


# words

ROW = row_of(*CRASH)


@pytest.mark.parametrize(
    "notes",
    [
        "The index fell 9 percent.",
        "Volatility is at \u0664\u0666.",  # Arabic-Indic digits
        "Easing since 2008.",
        "\uff13 months of easing.",  # a full-width digit
        "",
        "...",
        "x" * 401,
    ],
)
def test_notes_with_a_number_or_no_words_are_asked_again_and_then_left_out(notes: str) -> None:
    desk = Desk(macro=constant({"notes": notes}))
    row = bias_row(macro(*CRASH), History(), settings().bias, ask=ask_door(desk))
    assert len(desk.requests) == 2
    if len(notes) > 400:
        assert row.notes == "x" * 394 + " [cut]"
        return
    origin = row.provenance["notes"]
    assert (row.notes, origin.status) == (None, "missing")
    assert (origin.reason or "").startswith("quarantine: /notes")


@pytest.mark.parametrize(
    "said", [constant("no JSON"), REFUSAL, constant({"notes": "At 46.78."}), constant({"equity_bias": "bullish"})]
)
def test_a_void_wording_takes_only_the_notes(said: Changed) -> None:
    row = row_of(*CRASH, macro=said)
    without = {"notes": None, "provenance": {name: one for name, one in ROW.provenance.items() if name != "notes"}}
    kept = {name: one for name, one in row.provenance.items() if name != "notes"}
    assert row.model_copy(update={"provenance": kept}) == ROW.model_copy(update=without)
    assert row.provenance["notes"].status == "missing"
    assert row.provenance["notes"].reason


def test_words_that_pass_stand_in_the_row() -> None:
    row = row_of(*CRASH, macro=constant({"notes": "Policy is easing."}))
    assert row.notes == "Policy is easing."
    assert row.provenance["notes"].status == "fresh"


def test_without_wording_no_skill_is_asked() -> None:
    desk = Desk()
    row = bias_row(macro(*CRASH), History(), settings("bias.wording=false").bias, ask=ask_door(desk))
    assert (desk.requests, row.notes) == ([], None)
    assert row.provenance["notes"].reason == "not worded"


# further series


@pytest.mark.parametrize(
    ("evidence", "field", "word"),
    [
        ((item("macro.dollar_63d", value=0.03),), "forex_bias", "bullish"),  # .03 / .06
        ((item("macro.dollar_63d", value=-0.05),), "forex_bias", "strong_bearish"),
        ((item("macro.crypto_90d", value=-0.2),), "crypto_bias", "bearish"),  # -.2 / .6
        ((item("macro.crypto_90d", value=0.1),), "crypto_bias", "neutral"),
        ((item("macro.y10_change_63d", value=0.004), *CRASH), "bond_bias", "bearish"),  # before the bill rate
        ((item("macro.fed_funds_change_1y", value=-0.01),), "bond_bias", "bullish"),
        ((item("macro.vix", value=31.2), *CRASH), "vix_level", 31.2),
        # .04 - (.40 - .20) is -.16: twice a full tilt
        (
            (item("macro.vix", value=40.0), item("macro.index_vol_21d", value=0.2)),
            "options_sentiment",
            "strong_bearish",
        ),
        ((item("macro.vix", value=16.0), item("macro.index_vol_21d", value=0.12)), "options_sentiment", "neutral"),
        ((item("macro.vix", value=16.0), item("macro.index_vol_21d", value=0.15)), "options_sentiment", "bullish"),
        # September 30th, 2008: no calm, though what happened was worse than its price
        ((item("macro.vix", value=39.39), item("macro.index_vol_21d", value=0.5516)), "options_sentiment", "neutral"),
        ((item("macro.vix", value=16.0),), "options_sentiment", None),
    ],
)
def test_further_series_fill_further_fields(evidence: tuple[Evidence, ...], field: str, word: Any) -> None:
    row = row_of(*{one.id: one for one in reversed(evidence)}.values())
    assert getattr(row, field) == word
    assert row.provenance[field].status == ("missing" if word is None else "fresh")


def test_bonds_say_what_stands_in_for_the_ten_year_yield() -> None:
    funds = item("macro.fed_funds_change_1y", value=-0.01)
    assert row_of(funds).provenance["bond_bias"].reason == "no 10-year yield: federal funds over a year"
    assert row_of(funds, *CRASH).provenance["bond_bias"].reason == BILL
    assert row_of(item("macro.y10_change_63d", value=0.004), *CRASH).provenance["bond_bias"].reason is None


def test_trend_followers_are_read_from_three_markets_at_the_least() -> None:
    index = (item("macro.index_ret_63d", value=0.07), item("macro.index_ret_252d", value=0.6))  # .5 and 1: .75
    bonds = item("macro.y10_change_63d", value=0.005)  # -.5
    dollar = item("macro.dollar_63d", value=0.06)  # 1
    assert row_of(*index, bonds).cta_direction is None
    row = row_of(*index, bonds, dollar)
    assert row.cta_direction == "bullish"  # 1.25 / 3
    assert "stand-in" in (row.provenance["cta_direction"].reason or "")
    assert row_of(*index, bonds, dollar, item("macro.wti_63d", value=0.5)).cta_direction == "bullish"  # 2.25 / 4


def test_the_regime_takes_the_second_choice_where_the_first_is_not_known() -> None:
    pce, funds = item("macro.core_pce_yoy", value=0.03), item("macro.fed_funds_change_1y", value=-0.01)
    row = row_of(pce, funds)
    assert row.macro_regime == "growth unknown, inflation hot, policy easing, appetite unknown"
    assert row.provenance["macro_regime"].evidence == ("macro.core_pce_yoy", "macro.fed_funds_change_1y")
    row = row_of(pce, funds, item("macro.core_cpi_yoy", value=0.02))
    assert row.macro_regime == "growth unknown, inflation mild, policy easing, appetite unknown"
    assert "macro.core_pce_yoy" not in row.provenance["macro_regime"].evidence


def test_thresholds_are_those_of_the_configuration() -> None:
    words = ("bias.thresholds.inflation_hot=0.03", "bias.thresholds.rate_scale=0.2", "bias.thresholds.tilt=0.15")
    row = row_of(*CRASH, sets=words)
    assert row.macro_regime == "growth slowing, inflation mild, policy easing, appetite risk off"
    assert row.bond_bias == "bullish"  # .032 / .2


# how much there is


def test_coverage_counts_every_field_but_the_notes() -> None:
    last = row_of_bias(bond_bias="bearish", forex_bias="bullish", date=DAY - timedelta(1))
    coverage = row_of(*CRASH[:5], last=last).coverage
    assert coverage is not None
    # of thirteen: regime, equity and volatility; bond and forex
    assert (coverage.fresh, coverage.carried, coverage.missing) == (0.2308, 0.1538, 0.6154)
    assert (coverage.long_missing, coverage.stale) == ((), None)


def test_a_field_missing_many_nights_in_a_row_is_flagged_until_it_has_a_value() -> None:
    row, nights = row_of(*CRASH), []
    for _ in range(4):
        nights.append(
            (row.coverage.long_missing if row.coverage else None, row.provenance["forex_bias"].missing_nights)
        )
        row = row_of(*CRASH, last=row)
    assert nights == [((), 1), ((), 2), ((), 3), ((), 4)]
    assert row.coverage is not None
    assert row.coverage.long_missing == tuple(WITH_FURTHER_SERIES)
    filled = row_of(*CRASH, item("macro.dollar_63d", value=0.03), last=row)
    assert filled.provenance["forex_bias"].missing_nights is None
    assert filled.coverage is not None
    assert "forex_bias" not in filled.coverage.long_missing
    assert filled.coverage.long_missing, "the others go on"


def test_what_no_source_ever_has_is_never_flagged() -> None:
    row = row_of(*CRASH)
    for name in WITHOUT_SOURCE:
        assert row.provenance[name].missing_nights is None


OLD = tuple(one.model_copy(update={"as_of": DAY - timedelta(10), "known_at": DAY - timedelta(10)}) for one in CRASH)


@pytest.mark.parametrize("evidence", [(), OLD], ids=["F138-missing", "F138-ten-days-old"])
def test_a_missing_or_old_row_stops_before_any_call(evidence: tuple[Evidence, ...]) -> None:
    desk = Desk()
    with pytest.raises(SourceDown, match=r"macro bias row: .*bias\.when_stale=mark"):
        bias_row(macro(*evidence), History(), settings("bias.when_stale=stop").bias, ask=ask_door(desk))
    assert desk.requests == []


def test_f138_an_old_row_is_marked_in_every_payload() -> None:
    """Without the mark the same items are not stale."""
    desk = Desk()
    old = whole_night(market(*BUNDLE), macro(*OLD), header_of(), ask=ask_door(desk))
    assert old.case.bias_row.coverage is not None
    assert old.case.bias_row.coverage.stale == "its newest value is of 2008-09-20, 10 days before 2008-09-30"
    assert [one.stale for one in old.case.bundle if one.id.startswith("bias.")] == [True] * 4
    assert all("10 days before 2008-09-30" in one for one in desk.prompts() if "equity_bias" in one)
    assert len([one for one in desk.prompts() if "equity_bias" in one]) >= 4
    new = whole_night(market(*BUNDLE), macro(*CRASH), header_of(), ask=ask_door())
    assert [one.stale for one in new.case.bundle if one.id.startswith("bias.")] == [False] * 4


@pytest.mark.parametrize(("days", "stale"), [(7, False), (8, True)])
def test_the_row_is_as_old_as_its_newest_value(days: int, stale: bool) -> None:
    aged = [one.model_copy(update={"as_of": DAY - timedelta(days)}) for one in CRASH]
    coverage = row_of(*aged).coverage
    assert coverage is not None
    assert (coverage.stale is not None) is stale
