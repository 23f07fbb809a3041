"""The lean table: values by hand, and the properties every rule has."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from phases.maths.lean import LEANS, NEUTRAL, SENTIMENT, TECHNICAL, LeanRule, lean
from schemas.base import EvidenceId

HUGE = 1e9

ids = st.sampled_from(sorted(LEANS))
values = st.floats(min_value=-HUGE, max_value=HUGE)
units = st.floats(min_value=-3, max_value=3)


@pytest.mark.parametrize(
    ("evidence_id", "value", "expected"),
    [
        ("px.ret_21d", 0.06, 0.5),
        ("px.ret_63d", -0.05, -0.25),
        ("px.ret_126d", 0.30, 1.0),
        ("px.ret_252d", 0.9, 1.0),
        ("px.excess_21d", 0.05, 0.5),
        ("px.sma50_gap", 0.025, 0.25),
        ("px.sma200_gap", -0.3, -1.0),
        ("px.rsi14", 50.0, 0.0),
        ("px.rsi14", 75.0, 1.0),
        ("px.rsi14", 30.0, -0.8),
        ("px.macd", 0.002, 0.2),
        ("px.drawdown_252d", 0.0, 0.5),
        ("px.drawdown_252d", -0.10, 0.0),
        ("px.drawdown_252d", -0.30, -1.0),
        ("px.up_volume", 0.53, 0.2),
        ("px.range_ratio", 1.25, -0.5),
        ("px.vol_ratio", 0.75, 0.5),
        ("macro.breadth_200d", 1.0, 0.5),
        ("macro.breadth_200d", 0.0, -0.5),
        ("macro.index_vol_21d", 0.24, -0.25),
        ("macro.index_vol_ratio", 1.5, -0.5),
        ("macro.mean_corr_63d", 0.55, -0.25),
        ("macro.gdp_yoy", -0.02, -0.5),
        ("macro.tbill_change_1y", -0.01, 0.25),
        ("macro.unemployed_yoy", 0.4, -0.5),
        ("px.ret_5d", 0.4, 0.0),
        ("px.volume_ratio", 3.0, 0.0),
        ("px.close", 91.5, 0.0),
        ("news.unheard_of", 1.0, 0.0),
        ("px.ret_63d", math.inf, 1.0),
    ],
)
def test_values_by_hand(evidence_id: str, value: float, expected: float) -> None:
    assert lean(evidence_id, value) == pytest.approx(expected, abs=1e-9)


@given(ids, values)
def test_lean_is_bounded_finite_rounded_and_never_minus_zero(evidence_id: str, value: float) -> None:
    answer = lean(evidence_id, value)
    assert abs(answer) <= (0.5 if evidence_id.startswith("macro.") else 1.0)
    assert answer == round(answer, 4)
    assert math.copysign(1, answer) == 1 or answer < 0


@given(ids, units)
def test_lean_is_antisymmetric_around_its_centre(evidence_id: str, distance: float) -> None:
    rule = LEANS[evidence_id]
    above = lean(evidence_id, rule.centre + distance * rule.scale)
    below = lean(evidence_id, rule.centre - distance * rule.scale)
    assert above == pytest.approx(-below, abs=1.01e-4)


@given(ids, values, values)
def test_lean_is_monotone_in_the_direction_of_its_sign(evidence_id: str, a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert LEANS[evidence_id].sign * (lean(evidence_id, high) - lean(evidence_id, low)) >= 0


@pytest.mark.parametrize("evidence_id", sorted(LEANS))
def test_a_rule_is_neutral_at_its_centre_and_full_one_scale_away(evidence_id: str) -> None:
    rule = LEANS[evidence_id]
    full = lean(evidence_id, rule.centre + 1.001 * rule.scale)
    assert rule.scale > 0 and rule.why
    assert str(lean(evidence_id, rule.centre)) == "0.0"
    assert full == rule.sign * (0.5 if evidence_id.startswith("macro.") else 1.0)


@pytest.mark.parametrize("evidence_id", ["px.ret_63d", "px.close"])
def test_nan_is_refused_rather_than_given_a_direction(evidence_id: str) -> None:
    with pytest.raises(ValueError, match=evidence_id):
        lean(evidence_id, math.nan)


def test_rules_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        LEANS["px.macd"].scale = 2.0  # type: ignore[misc]
    assert LeanRule(0.0, 1.0, 1, "x").weight == 1.0


def test_every_id_is_well_formed_and_in_one_table() -> None:
    assert not LEANS.keys() & NEUTRAL.keys()
    for evidence_id in [*LEANS, *NEUTRAL]:
        TypeAdapter(EvidenceId).validate_python(evidence_id)


def test_no_axis_reads_what_the_other_reads_and_both_read_known_ids_once() -> None:
    assert not set(TECHNICAL) & set(SENTIMENT)
    for axis in (TECHNICAL, SENTIMENT):
        assert len(set(axis)) == len(axis)
        assert set(axis) <= LEANS.keys() | NEUTRAL.keys()
    known = {i for i in LEANS.keys() | NEUTRAL.keys() if i.startswith("px.")}
    assert known <= set(TECHNICAL) | set(SENTIMENT)
