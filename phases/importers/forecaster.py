"""Stored forecaster debates (Machine Learning for Trading, chapter 24): a panel, a bull and a bear, a supervisor.

Two programs wrote such records. The earlier one blends 3/10 of the last midpoint into the aggregate and lets a
supervisor of medium confidence in. The later one, whose records hold `statistical_correction_a`, takes the midpoint
where there is consensus and the mean elsewhere, lets only high confidence in, and scales the log-odds by that number.
Every figure is computed again from the probabilities; the stored final is only shown beside ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Annotated, Final, Literal

from pydantic import Field

from phases.core.text import digest
from phases.debate.readouts.theater import Said
from phases.importers.stored import PLACES, Forecast, Reading, Shape, StoredDebate
from phases.maths.aggregation import (
    MEDIUM_WEIGHT,
    Aggregate,
    Confidence,
    OnlyIf,
    blend,
    gaps,
    log_odds,
    neyman,
    supervised,
    verdict,
)
from phases.maths.exact import Number, decimals, exact
from phases.maths.scoring import brier
from schemas.base import Probability

RHO: Final = Fraction(3, 10)
BASE: Final = Fraction(1, 2)
WEIGHT: Final = Fraction(3, 10)
MIN_PANEL = MIN_CLOSURE = Fraction(1, 20)


class StoredQuestion(Shape):
    """What was asked, and what became of it."""

    question: str
    resolved_outcome: float | None = None


class StoredParams(Shape):
    """Settings of the run; what it does not say is the program's default."""

    debate_rounds: Annotated[int, Field(ge=1)] = 3
    consensus_threshold: Probability = 0.05
    statistical_correction_a: Annotated[float, Field(gt=0)] | None = None


class StoredForecast(Shape):
    """One forecaster of the panel."""

    p_yes: Probability | None
    forecast_produced: bool = True
    """False where the number is only a fallback."""


class StoredAggregation(Shape):
    """How the panel was brought together."""

    method: Literal["mean", "neyman", "neyman_weighted"] = "neyman"
    input_weights: tuple[float, ...] = ()


class StoredRound(Shape):
    """One round; what is absent was not given."""

    round_number: Annotated[int, Field(ge=1)]
    bull_probability: Probability | None = None
    bear_probability: Probability | None = None
    bull_argument: str | None = None
    bear_argument: str | None = None


class StoredExchange(Shape):
    """The debate itself."""

    rounds: tuple[StoredRound, ...]


class StoredSupervisor(Shape):
    """The supervisor's word; without a probability it was rejected."""

    p_yes: Probability | None = None
    confidence: Confidence | None = None


class StoredTrace(Shape):
    """One run of the file."""

    trace: str | None = None
    run_id: str | None = None
    question: StoredQuestion
    params: StoredParams = StoredParams()
    agents: tuple[StoredForecast, ...]
    aggregation: StoredAggregation | None = None
    debate: StoredExchange | None
    supervisor: StoredSupervisor | None = None
    final_probability: Probability | None = None


def forecaster_debate(record: StoredTrace, reading: Reading) -> StoredDebate:
    """One stored run. It holds no moves, so both readings are the same.

    Raises ValueError for a round stored twice, weights that do not fit the panel, or an outcome other than 0 and 1.
    """
    del reading
    rounds = sorted(record.debate.rounds if record.debate else (), key=lambda one: one.round_number)
    if len({one.round_number for one in rounds}) < len(rounds):
        raise ValueError("debate.rounds: a round is stored more than once")
    name = record.trace or record.run_id
    return StoredDebate(
        id=PurePosixPath(name).stem if name else record.question.question,
        key=("forecaster", name or digest(record.model_dump_json())),
        points=None,
        turns=tuple(
            Said(side, one.round_number, text, chance)
            for one in rounds
            for side, text, chance in (
                ("bull", one.bull_argument, one.bull_probability),
                ("bear", one.bear_argument, one.bear_probability),
            )
            if text is not None
        ),
        forecast=_forecast(record, rounds),
    )


def _forecast(record: StoredTrace, rounds: Sequence[StoredRound]) -> Forecast:
    panel = [exact(one.p_yes) for one in record.agents if one.p_yes is not None and one.forecast_produced]
    method = record.aggregation or StoredAggregation()
    whole = _aggregate(panel, method)
    mean = whole.mean if whole else None
    start = whole.aggregate if whole and method.method != "mean" else None
    said = [(one.bull_probability, one.bear_probability) for one in rounds]
    apart = gaps(said, threshold=record.params.consensus_threshold, cap=record.params.debate_rounds)
    spread = max(panel) - min(panel) if len(panel) > 1 else None
    judged = verdict(spread, apart.change, min_panel=MIN_PANEL, min_closure=MIN_CLOSURE)
    factor = record.params.statistical_correction_a
    only_if: OnlyIf = "always" if factor is None else "consensus"
    blended = blend(
        start,
        apart.midpoints[-1] if apart.midpoints else None,
        mean=mean,
        weight=WEIGHT if factor is None else 1,
        only_if=only_if,
        consensus=apart.consensus,
        verdict=judged,
    )
    final = _final(blended, record.supervisor or StoredSupervisor(), factor)
    outcome = record.question.resolved_outcome
    return Forecast(
        spread=_shown(spread),
        mean=mean,
        aggregate=start,
        gaps=tuple(decimals(one, PLACES) for one in apart.gaps),
        midpoints=tuple(decimals(one, PLACES) for one in apart.midpoints),
        gap_change=_shown(apart.change),
        verdict=judged,
        consensus=apart.consensus,
        early_termination=apart.early,
        blend=_shown(blended),
        final=_shown(final),
        recorded_final=record.final_probability,
        outcome=outcome,
        brier_before=_brier(mean if start is None else start, outcome),
        brier_after=_brier(final, outcome),
    )


def _aggregate(panel: Sequence[Fraction], how: StoredAggregation) -> Aggregate | None:
    weights = how.input_weights if how.method == "neyman_weighted" else None
    return neyman(panel, RHO, BASE, weights=weights) if panel else None


def _final(blended: Fraction | None, supervisor: StoredSupervisor, factor: float | None) -> Fraction | None:
    medium = MEDIUM_WEIGHT if factor is None else Fraction(0)
    found = supervised(blended, supervisor.p_yes, supervisor.confidence, medium=medium)
    return found if found is None or factor is None else exact(log_odds(found, factor))


def _brier(chance: Number | None, outcome: float | None) -> float | None:
    if chance is None or outcome is None:
        return None
    return decimals(brier([chance], [outcome]), PLACES)


def _shown(value: Fraction | None) -> float | None:
    return None if value is None else decimals(value, PLACES)
