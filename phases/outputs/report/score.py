"""How good the forecasts were that have resolved: the scorecard of an engine, and its calibration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from markupsafe import Markup

from phases.maths.scoring import Difference, Forecast, Scorecard, calibration, scorecard
from phases.outputs.report.charts import calibration_chart
from phases.outputs.report.words import count, percent

LEAST = 30
"""Forecasts below which nothing is concluded."""

LEAST_SPANS = 10
"""Spans without overlap below which no difference is called one: what moves together is not many forecasts."""


@dataclass(frozen=True)
class Resolution:
    """What became of the forecasts of one engine."""

    known: tuple[Forecast, ...] = ()
    """Those that have resolved."""
    waiting: int = 0
    """Those that are not due yet."""
    lost: Mapping[str, int] = field(default_factory=dict)
    """Those that are due and cannot be resolved, by why."""


class Score(NamedTuple):
    """A scorecard as a page shows it."""

    verdict: str
    rows: list[tuple[str, str, str]]
    """What, how much, and what it means."""
    chart: Markup | None
    """Calibration; absent where there are too few forecasts."""
    rest: str
    """What is not counted, and why."""


def score(found: Resolution) -> Score:
    """The scorecard of resolved forecasts."""
    if not found.known:
        return Score("No forecast has resolved yet.", [], None, _rest(found))
    card = scorecard(found.known)
    return Score(_verdict(card), _rows(card), calibrated(found)[1], _rest(found))


def calibrated(found: Resolution) -> tuple[str, Markup | None]:
    """What is to be said of a calibration, and its chart where there are forecasts enough."""
    number = len(found.known)
    if number < LEAST:
        return _few(number), None
    return f"{count(number, 'forecast')} had resolved.", calibration_chart(calibration(found.known))


def _few(number: int) -> str:
    return f"n = {number}: too few to tell. Nothing is concluded below n = {LEAST}."


def _verdict(card: Scorecard) -> str:
    debate, control = card.debate, card.control
    if card.n < LEAST:
        return _few(card.n)
    if debate.low <= 0 <= debate.high:
        return f"n = {card.n:,}: no measured benefit. The interval of the debate's difference includes 0."
    if card.spans < LEAST_SPANS:
        few = f"from {count(card.spans, 'span')} of time without overlap, of {LEAST_SPANS} needed"
        return f"n = {card.n:,}, but {few}: too few to tell."
    if debate.mean > 0:
        return f"n = {card.n:,}: the probabilities were worse after the debate than before it."
    if control.high >= 0:
        return f"n = {card.n:,}: no measured benefit over the control, which moves as far to one half without a debate."
    return f"n = {card.n:,}: the probabilities were better after the debate than before it, and than the control."


def _rows(card: Scorecard) -> list[tuple[str, str, str]]:
    (before, after), (log_before, log_after), (right, named) = card.brier, card.log, card.calls
    share = percent(right / named) if named else "–"
    return [
        ("resolved", f"{card.n:,}", f"in {count(card.spans, 'span')} of time without overlap"),
        ("Brier before", _number(float(before)), "0 is perfect; one half each time gets 0.2500"),
        ("Brier after", _number(float(after)), "the same, after the debate"),
        ("after − before", _signed(card.debate.mean), _interval(card.debate)),
        ("after − control", _signed(card.control.mean), _interval(card.control)),
        ("log score", _number(log_after), f"{_number(log_before)} before; one half each time gets 0.6931"),
        ("hit rate", share, f"{right:,} of {named:,} after the debate named the outcome"),
    ]


def _interval(found: Difference) -> str:
    if math.isinf(found.error):
        return "below 0 is better; one forecast has no interval"
    return f"{_signed(found.low)} to {_signed(found.high)}, two standard errors; below 0 is better"


def _number(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.4f}"


def _signed(value: float) -> str:
    return f"{round(value, 4) + 0.0:+.4f}".replace("-", "−")


def _rest(found: Resolution) -> str:
    """What is not counted."""
    parts = [f"{count(found.waiting, 'forecast')} not due yet."] if found.waiting else []
    return " ".join([*parts, *(f"{count(number, 'forecast')} left out: {why}." for why, number in found.lost.items())])
