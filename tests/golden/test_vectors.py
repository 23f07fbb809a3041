"""Every row of the expected values for formulas and parsers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from phases.core.errors import SeamBroken
from phases.core.seam import check_seam
from phases.importers.rulings import only_word
from phases.maths.aggregation import Aggregate, blend, gaps, log_odds, neyman, supervised, verdict
from phases.maths.scoring import brier, brier_difference, log_score

Vectors = dict[str, Any]


@pytest.fixture(scope="module")
def vectors(golden: Callable[[str], Path]) -> Vectors:
    found: Vectors = json.loads(golden("golden_vectors.json").read_text())
    return found


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, str) else value


def test_neyman(vectors: Vectors) -> None:
    rows = vectors["neyman"]["rows"]
    assert len(rows) == 11
    for probabilities, base, rho, *expected in rows:
        assert neyman(probabilities, rho, base) == Aggregate(*expected), probabilities


def test_neyman_refuses(vectors: Vectors) -> None:
    of = vectors["neyman"]
    for probabilities in of["reject"]:
        with pytest.raises(ValueError, match="allowed is"):
            neyman([_number(one) for one in probabilities], 0.3, 0.5)
    for rho in of["reject_rho"]:
        with pytest.raises(ValueError, match=f"rho {rho}"):
            neyman([0.5], rho, 0.5)
    for d in of["reject_d"]:
        with pytest.raises(ValueError, match=f"d {d}"):
            neyman([0.5], 0.3, 0.5, d=d)


def test_neyman_weighted(vectors: Vectors) -> None:
    of = vectors["neyman_weighted"]
    assert len(of["rows"]) == 2
    for probabilities, weights, rho, *expected, inverse in of["rows"]:
        assert neyman(probabilities, rho, 0.5, weights=weights) == Aggregate(*expected)
        assert neyman(probabilities, 0, 0.5, weights=weights).effective_n == round(inverse, 2)
    for weights in of["reject_weights"]:
        with pytest.raises(ValueError, match="allowed is"):
            neyman([0.4, 0.6], 0.3, 0.5, weights=[_number(one) for one in weights])


def test_log_odds(vectors: Vectors) -> None:
    for probability, expected in vectors["logodds_sqrt3"]:
        assert log_odds(probability) == pytest.approx(expected, abs=1e-7)


def test_scores(vectors: Vectors) -> None:
    of = vectors["scores"]
    for probabilities, outcomes, expected in of["brier"]:
        assert float(brier(probabilities, outcomes)) == expected
    for probabilities, outcomes, expected in of["log"]:
        assert log_score(probabilities, outcomes) == pytest.approx(expected, abs=1e-7)
    probabilities, outcomes, expected = of["paired_brier_diff_vs_half"]
    assert float(brier_difference(probabilities, outcomes)) == expected


def test_gap_verdict(vectors: Vectors) -> None:
    of = vectors["gap_verdict"]
    assert len(of["rows"]) == 4
    for row in of["rows"]:
        found = gaps(list(zip(row["bull"], row["bear"], strict=True)), threshold=0.05, cap=len(row["bull"]))
        assert [float(one) for one in found.gaps] == row["gaps"], row["id"]
        assert (found.consensus, found.early) == (row.get("consensus", False), row.get("early_termination", False))
        spread = max(row["panel"]) - min(row["panel"])
        judged = verdict(spread, found.change, min_panel=of["min_panel"], min_closure=of["min_closure"])
        assert judged == row["verdict"], row["id"]
        if "blend_w0.3" in row:
            _check_blend(row, found.midpoints[-1])
        else:
            assert log_odds(found.midpoints[-1]) == pytest.approx(row["final_after_sqrt3"], abs=5e-5)


def _check_blend(row: Vectors, midpoint: Any) -> None:
    whole = neyman(row["panel"], 0.3, 0.5)
    assert whole.aggregate == row["aggregate"]
    blended = blend(
        whole.aggregate, midpoint, mean=whole.mean, weight=0.3, only_if="always", consensus=False, verdict=None
    )
    assert blended is not None
    assert float(blended) == row["blend_w0.3"]
    if "supervisor" in row:
        final = supervised(blended, *row["supervisor"])
        assert final is not None
        assert round(float(final), 4) == row["final"]


def test_the_judges_word(vectors: Vectors) -> None:
    rows = vectors["judge_parse_observed"]
    for reply, original in rows.items():
        ours = only_word(reply, ["MATCH", "PARTIAL"])
        assert ours == (None if "wrong" in original else original), reply
        assert only_word(reply, list(rows)) == reply


def test_seams_with_equal_counts_pass_and_any_other_count_stops(vectors: Vectors) -> None:
    rows = vectors["seams"]["rows"]
    assert len(rows) == 5
    for name, left, right in rows:
        keys = [f"{name} {at}" for at in range(left)]
        check_seam(name, keys, keys[:right])
        for wrong in (keys[:-1], [*keys, "more"], [*keys[:-1], keys[0]]):
            with pytest.raises(SeamBroken, match=name):
                check_seam(name, keys, wrong)


def test_the_share_of_identical_turns_is_that_of_the_larger_set(vectors: Vectors) -> None:
    """The file holds half of those runs: 25 of 50 (see test_tickers)."""
    of = vectors["ticker_runs"]
    assert of["identical"] / of["consecutive_side_turns"] == 25 / 50
    assert sum(of["rounds"].values()) == sum(of["decisions"].values()) == of["runs"] == 2 * 41
