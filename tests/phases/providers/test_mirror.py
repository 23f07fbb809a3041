"""The mirror: negated evidence negates the night, from the axes over the debate to the row, by the real phases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import assume, given, settings

from phases.maths.lean import NEUTRAL, SENTIMENT, TECHNICAL
from schemas.market import Evidence
from schemas.summary import RATED
from tests.support import IDS, Made, ask_door, bundles, header_of, item, macro, market, shipped, whole_night

PRICES = tuple(name for name in (*TECHNICAL, *SENTIMENT) if name.startswith("px."))
MACROS = tuple(name for name in IDS if name.startswith("macro."))
PAIRS = (("buy", "sell"), ("bullish", "bearish"), ("strong_bullish", "strong_bearish"))
MIRROR = {one: other for a, b in PAIRS for one, other in ((a, b), (b, a))}


def _negated(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    return tuple(one.model_copy(update={"lean": -one.lean + 0.0}) for one in evidence)


def _night(own: Sequence[Evidence], common: Sequence[Evidence], rounds: int | None, protocol: str = "rounds") -> Made:
    header = header_of(f"debate.rounds={rounds or ''}", f"debate.protocol={protocol}", protocol=shipped(protocol))
    return whole_night(market(*own), macro(*common), header, ask=ask_door())


def _numbers(made: Made, sign: int = 1) -> dict[str, Any]:
    """What must mirror, seen in a mirror where `sign` is -1."""
    row, summary = made.row, made.summary

    def turned(word: str | None) -> str | None:
        return word if sign == 1 or word is None else MIRROR.get(word, word)

    def signed(number: int | None) -> int | None:
        return None if number is None else sign * number

    return {
        "status": row.status,
        "axes": [(view.axis, turned(view.stance_axis), view.conviction_axis) for view in made.payload.axes],
        "score": signed(made.payload.conviction_score),
        "stance": turned(made.payload.stance),
        "net": turned(summary.net_stance),
        "delta": signed(row.conviction_delta),
        "post": signed(row.conviction_post),
        "stance after": turned(row.stance),
        "equity bias": turned(made.case.bias_row.equity_bias),
    }


@given(bundles(PRICES).filter(bool), bundles(MACROS))
@settings(max_examples=120, deadline=None)
def test_negated_evidence_negates_the_night(own: tuple[Evidence, ...], common: tuple[Evidence, ...]) -> None:
    assume(any(one.id not in NEUTRAL for one in own))  # else there is no view to negate
    found, other = _night(own, common, 1), _night(_negated(own), _negated(common), 1)
    assert found.row.status in RATED
    assert _numbers(other, -1) == _numbers(found)


@pytest.mark.parametrize("protocol", ["desk", "forecaster", "moderated", "panel", "points"])
@given(bundles(PRICES).filter(bool), bundles(MACROS))
@settings(max_examples=30, deadline=None)
def test_negated_evidence_negates_what_the_debate_does(
    protocol: str, own: tuple[Evidence, ...], common: tuple[Evidence, ...]
) -> None:
    assume(any(one.id not in NEUTRAL for one in own))
    found, other = _night(own, common, None, protocol), _night(_negated(own), _negated(common), None, protocol)
    assert found.row.status in RATED
    assert _numbers(other, -1) == _numbers(found)
    assert _distances(other, -1) == _distances(found)


HALVES = [
    (
        "desk",
        [item("px.excess_252d", 0.0018)],
        [item("macro.breadth_200d", 0.3605), item("macro.core_cpi_3m", -0.277, stale=True)],
    ),
    ("forecaster", [item("px.drawdown_252d", 0.001)], []),
    ("forecaster", [item("px.drawdown_252d", 0.0143, stale=True)], []),
]
"""Nights whose last midpoint, or blend, lies half way between two numbers of four digits."""


@pytest.mark.parametrize(("protocol", "own", "common"), HALVES, ids=["desk", "forecaster", "five digits"])
def test_a_half_is_rounded_away_from_the_middle(protocol: str, own: list[Evidence], common: list[Evidence]) -> None:
    found, other = _night(own, common, None, protocol), _night(_negated(own), _negated(common), None, protocol)
    assert _distances(other, -1) == _distances(found)


def test_of_equal_points_both_sides_give_up_the_same() -> None:
    own = [item(name, 0.6) for name in ("px.atr_pct", "px.drawdown_252d", "px.excess_252d", "px.ret_252d")]
    own += [item("px.close", -0.1), *(item(name) for name in ("px.excess_21d", "px.excess_63d", "px.excess_126d"))]
    found, other = _night(own, (), None, "desk"), _night(_negated(own), (), None, "desk")
    assert _numbers(other, -1) == _numbers(found)


def _distances(made: Made, sign: int = 1) -> list[float]:
    """How far the probabilities are from .5, for the same side in either world."""
    return [round(sign * (p - 0.5), 4) + 0.0 for p in (made.row.probability_pre, made.row.probability_post) if p]


# two items for, three against: who is ahead must not depend on who speaks second
LOPSIDED = [item(name, lean) for name, lean in zip(PRICES[1:], (0.2, -0.1, -0.1, -0.4, 0.2), strict=False)]


@pytest.mark.parametrize("rounds", [2, 3])
def test_negated_evidence_negates_a_longer_debate(rounds: int) -> None:
    found, other = _night(LOPSIDED, (), rounds), _night(_negated(LOPSIDED), (), rounds)
    assert _numbers(other, -1) == _numbers(found)


def test_negated_evidence_negates_the_probability_of_an_axis() -> None:
    # 1.5 * .3 = .45 of conviction; 1.5 * .3003 is .45045, shown .4505, and p would be .5 +- .04505
    found, other = (_night((item("px.ret_63d", lean),), (), 1).payload.axes[0] for lean in (0.3003, -0.3003))
    assert round(found.probability + other.probability, 4) == 1
