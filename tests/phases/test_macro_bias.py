"""The bias row: sixteen fields, each fresh, carried or missing with a reason; words that never hold a number."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from phases.macro_bias import bias_row
from schemas.bias import BiasRow, FedOdds, OnchainPositioning, Provenance
from schemas.market import Evidence, Missing
from schemas.run import History
from tests.support import DAY, REFUSAL, Changed, Desk, ask_door, constant, item, macro, row_of_bias, settings

BIASES = ["equity_bias", "crypto_bias", "bond_bias", "commodity_bias", "forex_bias"]
FLOWS = ["vix_level", "inst_flow", "options_sentiment", "cta_direction", "hf_consensus", "fed_odds"]
SIXTEEN = ["date", "run_type", "macro_regime", *BIASES, *FLOWS, "onchain_positioning", "notes"]

WITHOUT_SOURCE = {
    "crypto_bias": "crypto",
    "forex_bias": "exchange rates",
    "inst_flow": "fund flows",
    "options_sentiment": "option",
    "cta_direction": "trend followers",
    "hf_consensus": "hedge-fund",
    "fed_odds": "rate futures",
    "onchain_positioning": "on-chain",
}

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


def row_of(
    *evidence: Evidence, last: BiasRow | None = None, sets: tuple[str, ...] = (), missing: Any = (), **instead: Changed
) -> BiasRow:
    history, ask = History(bias_row=last), ask_door(Desk(**instead))
    made: BiasRow = bias_row(macro(*evidence, missing=missing), history, settings(*sets).bias, ask=ask)
    return made


def test_there_are_sixteen_fields_and_an_origin_for_each_but_two() -> None:
    assert len(SIXTEEN) == 16
    assert [*BiasRow.model_fields] == [*SIXTEEN, "provenance"]
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
    assert origin["bond_bias"] == Provenance(status="fresh", as_of=DAY, evidence=("macro.tbill_change_1y",))
    assert origin["equity_bias"].as_of == DAY, "that of its newest item"
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


COMPUTED = {
    "macro_regime": "growth slowing, inflation mild, policy neutral, appetite mixed",
    "equity_bias": "bearish",
    "bond_bias": "bullish",
    "commodity_bias": "strong_bullish",
    "vix_level": 33.3,
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
