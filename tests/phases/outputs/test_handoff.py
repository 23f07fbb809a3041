"""Views for a portfolio library: units by hand, names that parsers trip over, and one ordering in both libraries."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pypfopt import BlackLittermanModel
from skfolio.moments import EquilibriumMu
from skfolio.prior import BlackLitterman, EmpiricalPrior

from phases.core.errors import UsageError
from phases.outputs.handoff import pypfopt_json, skfolio_json
from schemas.feed import FeedRow
from tests.conftest import ROOT
from tests.phases.outputs.feeds import UNRATED_REASON, feed, row

NAMES = ("BRK-B", "BRK", "B", "0700.HK", "BTC-USD", "EURUSD=X", "700", "^FTSE")
"""Some are parts of others once an operator splits them."""


def documents(*rows: FeedRow, prior: float | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    night = feed(rows)
    return json.loads(pypfopt_json(night, prior)), json.loads(skfolio_json(night, prior))


def test_units_by_hand() -> None:
    """1.0895 % in 21 sessions is 13.074 % a year and .05188 % a session; on 8 % a year, .03175 % a session."""
    yearly, session = documents(row("AAPL"), row("IBM", view_excess_return=-0.010895, view_confidence=0.2))
    assert yearly["absolute_views"] == {"AAPL": 0.21074, "IBM": -0.05074}
    assert session["views"] == ["AAPL == 0.000836270", "IBM == -0.000201349"]
    assert session["relative_views"] == ["AAPL - ^GSPC == 0.000518810", "IBM - ^GSPC == -0.000518810"]
    assert yearly["view_confidences"] == session["view_confidences"] == [0.3, 0.2]
    assert (yearly["unit"], session["unit"]) == ("a year", "a session")


@pytest.mark.parametrize(("prior", "expected"), [(None, 0.21074), (0.08, 0.21074), (0.0, 0.13074), (-0.02, 0.11074)])
def test_the_benchmarks_return_is_added_and_said(prior: float | None, expected: float) -> None:
    yearly, session = documents(row("AAPL"), prior=prior)
    assert yearly["absolute_views"] == {"AAPL": expected}
    assert yearly["benchmark_return"] == session["benchmark_return"] == (0.08 if prior is None else prior)
    assert yearly["benchmark_return_assumed"] is session["benchmark_return_assumed"] is (prior is None)


@pytest.mark.parametrize(
    ("status", "more", "state"),
    [
        ("debated", {}, "view"),
        ("degraded", {}, "view"),
        ("gated", {}, "view"),
        ("contested", {"view_confidence": 0.0}, "no_view"),
        ("debated", {"view_excess_return": None, "view_period": None, "view_confidence": None}, "no_view"),
        *((status, {}, "not_rated") for status in ("unpaid", "failed", "refused", "no_data", "stale")),
    ],
)
def test_every_name_keeps_its_place_with_a_state(status: str, more: dict[str, Any], state: str) -> None:
    for document in documents(row("AAPL"), row("IBM", status, held=True, **more)):
        told = document["names"]["IBM"]
        assert list(document["names"]) == ["AAPL", "IBM"]
        assert (told["state"], told["status"], told["held"]) == (state, status, True)
        assert told["reason"] == (UNRATED_REASON if state == "not_rated" else "bull gained")
        assert ("IBM" in json.dumps([document.get("absolute_views"), document.get("views")])) is (state == "view")
        assert len(document["view_confidences"]) == 1 + (state == "view")


def test_F184_an_invalid_feed_is_never_handed_over() -> None:
    for form in (pypfopt_json, skfolio_json):
        with pytest.raises(UsageError, match="no ticker is rated"):
            form(feed([row("AAPL", "failed")]), None)


def returns(names: tuple[str, ...], seed: int = 1) -> pd.DataFrame:
    """Daily returns with a common part."""
    chance = np.random.default_rng(seed)
    common = chance.normal(0.0003, 0.01, (500, 1))
    return pd.DataFrame(common + chance.normal(0, 0.015, (500, len(names))), columns=list(names))


def views(names: tuple[str, ...], seed: int) -> list[FeedRow]:
    chance = np.random.default_rng(seed)
    told = [(round(float(chance.normal(0, 0.02)), 6), round(float(chance.uniform(0.05, 0.5)), 4)) for _ in names]
    rows = [row(name, view_excess_return=v, view_confidence=c) for name, (v, c) in zip(names, told, strict=True)]
    return [*rows[:-1], row(names[-1], "contested", view_confidence=0.0)]


@pytest.mark.parametrize("seed", range(5))
def test_both_libraries_give_the_same_posterior_means(seed: int) -> None:
    moved, aversion = returns(NAMES, seed), 2.5
    yearly, session = documents(*views(NAMES, seed))
    covariance = moved.cov() * 252
    prior = aversion * covariance.mean(axis=1)
    theirs = BlackLittermanModel(
        covariance,
        pi=prior,
        absolute_views=yearly["absolute_views"],
        omega="idzorek",
        view_confidences=yearly["view_confidences"],
    ).bl_returns()
    model = BlackLitterman(
        session["views"],
        prior_estimator=EmpiricalPrior(mu_estimator=EquilibriumMu(risk_aversion=aversion)),
        view_confidences=session["view_confidences"],
    ).fit(moved)
    ours = pd.Series(model.return_distribution_.mu * 252, moved.columns)
    assert list(theirs.sort_values().index) == list(ours.sort_values().index)
    assert np.allclose(theirs, ours, atol=1e-5)
    assert not np.allclose(theirs, prior, atol=1e-3)


def test_skfolio_takes_every_name_for_itself() -> None:
    moved = returns((*NAMES, "^GSPC"))
    for kind in ("views", "relative_views"):
        _, session = documents(*(row(name) for name in NAMES))
        fitted = BlackLitterman(session[kind], view_confidences=session["view_confidences"]).fit(moved)
        picked = np.eye(len(NAMES), len(NAMES) + 1)
        if kind == "relative_views":
            picked[:, -1] = -1
        assert np.array_equal(fitted.picking_matrix_, picked)


def test_skfolio_splits_a_name_whose_column_is_not_there() -> None:
    """Why the page says to compare names first: this is a view on BRK less B, and nothing warns."""
    fitted = BlackLitterman(["BRK-B == 0.001"]).fit(returns(("BRK", "B")))
    assert fitted.picking_matrix_.tolist() == [[1, -1]]


def posterior(yearly: dict[str, Any]) -> list[float]:
    """Means of AAPL and IBM a year: variances of .04, a covariance of .01, a prior of 8 % each."""
    covariance = pd.DataFrame([[0.04, 0.01], [0.01, 0.04]], ["AAPL", "IBM"], ["AAPL", "IBM"])
    model = BlackLittermanModel(
        covariance,
        pi=pd.Series([0.08, 0.08], covariance.index),
        absolute_views=yearly["absolute_views"],
        omega="idzorek",
        view_confidences=yearly["view_confidences"],
    )
    return [float(mean) for mean in model.bl_returns()]


def test_an_excess_of_nothing_does_not_move_a_prior_that_is_the_benchmarks() -> None:
    """Names alike whose prior is 8 %: a view of 0 over the benchmark leaves it there."""
    yearly, _ = documents(row("AAPL", view_excess_return=0.0, view_confidence=0.5), prior=0.08)
    assert posterior(yearly) == pytest.approx([0.08, 0.08])


def test_the_worked_example_of_the_page_is_what_the_library_gives() -> None:
    """docs/portfolio.md: 8 % + .30 x 13.07 % = 11.92 %, and by a beta of .25 the other asset 8.98 %."""
    yearly, _ = documents(row("AAPL", view_confidence=0.3), prior=0.08)
    assert [round(100 * mean, 2) for mean in posterior(yearly)] == [11.92, 8.98]
    page = (ROOT / "docs" / "portfolio.md").read_text(encoding="utf-8")
    assert all(
        number in page for number in ("**11.92 %**", "8.98 %", "0.00051881", "0.13074", "0.010895", "**1.090 %**")
    )
