"""The analyst payload: one view an axis, blind to the book, and no stance where there is no view."""

from __future__ import annotations

import re
from typing import Any

import pytest

from phases.analyst_payload import AXES, analyst_payload
from phases.core.errors import TickerFailure
from phases.maths.lean import LEANS, SENTIMENT, TECHNICAL
from schemas.analyst import AnalystPayload
from schemas.market import Evidence, Missing
from schemas.settings import AnalystSettings
from tests.support import (
    DAY,
    QUESTION,
    REFUSAL,
    TICKER,
    Changed,
    Desk,
    ask_door,
    constant,
    header_of,
    item,
    macro,
    market,
    no_news,
    row_of_bias,
    settings,
    update,
    whole_night,
)

RISING = item("px.ret_63d", 0.5)
CALM = item("px.vol_ratio", 0.4, value=0.8)
BOTH = (RISING, CALM)


def of_axes(**weights: str) -> AnalystSettings:
    """The shipped configuration with just these axes."""
    zeros = dict.fromkeys(settings().analyst.axes, "0")
    return settings(*(f"analyst.axes.{axis}={weight}" for axis, weight in {**zeros, **weights}.items())).analyst


def payload_of(
    *evidence: Evidence, desk: Desk | None = None, chosen: AnalystSettings | None = None, **instead: Changed
) -> AnalystPayload:
    ask = ask_door(desk or Desk(**instead))
    chosen = chosen or settings().analyst
    made: AnalystPayload = analyst_payload(
        market(*evidence), no_news(), macro(), row_of_bias(), QUESTION, chosen, ask=ask
    )
    return made


def test_axes_join_by_weight() -> None:
    found = payload_of(*BOTH)
    # convictions 1.5 * .5 = .75 and 1.5 * .4 = .6: 5 (.6 * .75 + .4 * .6) = 3.45
    assert (found.conviction_score, found.stance) == (3, "buy")
    assert found.panel_margin == 1.95
    assert found.panel_spread == 0.015  # .575 less .56
    assert found.probability == 0.569  # both read prices: rho 1, d 1: .5 + .6 * .075 + .4 * .06
    assert [view.axis for view in found.axes] == ["technical", "sentiment"]
    assert (found.ticker, found.as_of, found.missing_axes) == (TICKER, DAY, ())


def test_the_thesis_starts_with_the_heaviest_axis_and_risks_are_never_empty() -> None:
    found = payload_of(item("px.ret_63d", 0.1), item("px.vol_ratio", 0.6))
    technical, sentiment = found.axes
    assert found.thesis == f"{sentiment.rationale} {technical.rationale}"
    assert found.risks == f"{sentiment.risk} {technical.risk}"
    assert found.sources == ("packaged",)


def test_axes_of_different_series_correlate_less() -> None:
    chosen = of_axes(technical="0.5", fundamental="0.5")
    found = payload_of(item("px.ret_63d", 0.4), item("fa.fcf_yield", 0.4), chosen=chosen)
    assert found.probability == 0.5744  # .5 + sqrt(2 / 1.3) * .06


# a missing axis


@pytest.mark.parametrize(
    ("tells", "expected"),
    [
        # shares .35 .30 .20 of n = 1 / sum of squares 2.861; two of the three read prices, rho (1 + .3 + .3) / 3:
        # d = sqrt(2.861 / (1 + 1.861 * .5333)) = 1.1985
        (("px.ret_63d", "fa.fcf_yield", "px.vol_ratio"), 0.6019),  # .5 + d * .85 * .1
        # shares .35 .30: n = 1.988, d = sqrt(1.988 / (1 + .988 * .3)) = 1.2385
        (("px.ret_63d", "fa.fcf_yield"), 0.5805),  # .5 + d * .65 * .1
    ],
    ids=["three of four", "two of four"],
)
def test_a_missing_axis_leaves_the_pull_of_the_others_as_it_is(tells: tuple[str, ...], expected: float) -> None:
    chosen = of_axes(technical="0.35", fundamental="0.30", sentiment="0.20", news="0.15")
    found = payload_of(*(item(id, 0.8) for id in tells), chosen=chosen)
    assert [view.probability for view in found.axes] == [0.6] * len(tells)
    assert found.probability == expected


def test_a_configured_axis_without_evidence_is_listed_and_pulls_towards_0() -> None:
    alone = payload_of(RISING, chosen=of_axes(technical="0.6"))
    found = payload_of(RISING, chosen=of_axes(technical="0.6", fundamental="0.2", news="0.2"))
    assert [one.axis for one in found.missing_axes] == ["fundamental", "news"]
    assert not any(one.asked for one in found.missing_axes)
    assert found.missing_axes[0].reason == "no source gives evidence for the fundamental axis"
    assert (alone.conviction_score, alone.missing_axes) == (4, ())  # 5 * .75
    assert found.conviction_score == 2  # 5 * .6 * .75 = 2.25
    assert 0.5 < found.probability < alone.probability
    assert found.panel_spread is None


def test_an_axis_that_is_not_configured_does_not_exist() -> None:
    desk = Desk()
    found = payload_of(*BOTH, item("news.a1", 0.9), desk=desk, chosen=of_axes(technical="1"))
    assert [one.seat for one in desk.requests] == ["technical"]
    assert found.missing_axes == ()


def test_a_void_axis_is_missing_with_its_reason() -> None:
    found = payload_of(*BOTH, sentiment=constant("no JSON"))
    assert [one.axis for one in found.axes] == ["technical"]
    assert found.missing_axes[0].reason.startswith("quarantine: the reply holds no complete JSON object")
    assert found.missing_axes[0].asked
    assert found.conviction_score == 2  # 5 * .6 * .75


# checks


@pytest.mark.parametrize(
    ("stance", "probability", "coherent"),
    [
        ("buy", 0.5, True),
        ("buy", 0.4999, False),
        ("sell", 0.5, True),
        ("sell", 0.5001, False),
        ("hold", 0.55, True),
        ("hold", 0.45, True),
        ("hold", 0.5501, False),
        ("watch", 0.4499, False),
        ("watch", 0.55, True),
    ],
)
def test_stance_and_probability_must_cohere(stance: str, probability: float, coherent: bool) -> None:
    desk = Desk(technical=update(stance_axis=stance, probability=probability))
    found = payload_of(*BOTH, desk=desk)
    asked = [one.seat for one in desk.requests].count("technical")
    if coherent:
        assert (found.axes[0].stance_axis, asked) == (stance, 1)
        return
    assert asked == 2, "repaired once"
    assert f"/probability: {probability}" in desk.prompts("technical")[-1]
    assert found.missing_axes[0].axis == "technical"
    assert found.missing_axes[0].reason.startswith("quarantine: /probability")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"evidence": ["px.ret_63d", "px.vol_ratio"]}, "/evidence: px.vol_ratio is not in the evidence given"),
        ({"axis": "sentiment"}, "/axis: you were asked for 'technical' and said 'sentiment'"),
        ({"ticker": "OTHER"}, "/ticker: you were asked for 'ACME' and said 'OTHER'"),
        ({"risk": ""}, "/risk"),
        ({"risk": " \u200b "}, "/risk"),
        ({"conviction_axis": 1.2}, "/conviction_axis"),
        ({"stance_axis": "strong buy"}, "/stance_axis"),
        ({"target_price": 12}, "/target_price"),
    ],
)
def test_a_view_that_breaks_its_contract_is_void(fields: dict[str, Any], reason: str) -> None:
    found = payload_of(*BOTH, technical=update(**fields))
    assert found.missing_axes[0].axis == "technical"
    assert reason in found.missing_axes[0].reason


def test_a_repaired_view_counts() -> None:
    replies = iter([{"probability": 0.1}, {}])
    found = payload_of(*BOTH, technical=lambda request, answer: {**answer, **next(replies)})
    assert found == payload_of(*BOTH)


@pytest.mark.parametrize(
    ("evidence", "instead", "status", "words"),
    [
        ((), {}, "no_data", ["technical: no source", "sentiment: no source"]),
        (BOTH, {"technical": REFUSAL, "sentiment": REFUSAL}, "refused", ["technical: refuse", "sentiment: refuse"]),
        (BOTH, {"technical": constant("?"), "sentiment": constant("?")}, "failed", ["technical: quarantine"]),
        (BOTH, {"technical": REFUSAL, "sentiment": constant("?")}, "failed", ["refuse", "quarantine"]),
        ((RISING,), {"technical": constant("?")}, "failed", ["technical: quarantine", "sentiment: no source"]),
        ((RISING,), {"technical": REFUSAL}, "refused", ["technical: refuse", "sentiment: no source"]),
    ],
)
def test_no_view_at_all_is_a_failure_and_never_hold(
    evidence: tuple[Evidence, ...], instead: dict[str, Changed], status: str, words: list[str]
) -> None:
    with pytest.raises(TickerFailure) as failed:
        payload_of(*evidence, **instead)
    assert failed.value.status == status
    assert all(word in failed.value.reason for word in words)


# what an axis reads


OWN = ("px.vol_21d", "fa.fcf_yield", "news.a1", *(id for id in (*TECHNICAL, *SENTIMENT) if id.startswith("px.")))
EVERYTHING = tuple(item(name, 0.2) for name in OWN)
COMMON = tuple(item(name, 0.2) for name in LEANS if name.startswith("macro."))


def _prompts() -> dict[str, str]:
    """Rendered prompt of every axis, for a night that knows everything and holds this name and others."""
    words = [f"analyst.axes.{axis}=0.25" for axis in AXES]
    header = header_of(*words, f"held=[{TICKER}, ZZTOP, QQQX]", tickers=(TICKER, "ZZTOP", "QQQX"))
    desk = Desk()
    assert header.settings.held == (TICKER, "ZZTOP", "QQQX")
    whole_night(market(*EVERYTHING), macro(*COMMON), header, ask=ask_door(desk))
    return {one.seat: one.prompt.text for one in desk.requests if one.seat in AXES}


PROMPTS = _prompts()


@pytest.mark.parametrize("axis", AXES)
def test_an_axis_is_blind_to_the_book(axis: str) -> None:
    text = PROMPTS[axis]
    assert TICKER in text
    for word in ("ZZTOP", "QQQX", "held", "portfolio"):
        assert not re.search(rf"\b{word}\b", text, re.IGNORECASE), word


@pytest.mark.parametrize("axis", AXES)
def test_an_axis_reads_its_whitelist_and_no_more(axis: Any) -> None:
    own = {
        "technical": set(TECHNICAL),
        "sentiment": set(SENTIMENT),
        "fundamental": {"fa.fcf_yield"},
        "news": {"news.a1"},
    }[axis]
    given = re.search(r"\[evidence \w+\]\n(.*)\n\[end", PROMPTS[axis])
    assert given is not None
    found = set(re.findall(r'"id":"([^"]+)"', given.group(1)))
    assert found == own & {one.id for one in (*EVERYTHING, *COMMON)}


def test_an_axis_is_told_what_was_looked_for_and_not_found() -> None:
    desk = Desk()
    absent = (Missing(id="px.macd", reason="too few sessions"), Missing(id="px.atr_pct", reason="too few sessions"))
    snapshot = market(*BOTH, missing=absent)
    analyst_payload(snapshot, no_news(), macro(), row_of_bias(), QUESTION, settings().analyst, ask=ask_door(desk))
    told = {one.seat: [gap.id for gap in one.inputs.missing] for one in desk.requests}
    assert told == {"technical": ["px.macd"], "sentiment": ["px.atr_pct"]}


def test_a_last_close_alone_carries_no_view() -> None:
    with pytest.raises(TickerFailure, match="too thin for the technical axis") as failed:
        payload_of(item("px.close", 0.0))
    assert failed.value.status == "no_data"
