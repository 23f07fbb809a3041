"""Phase 7C: four axes on one schema, each asked separately and blind to the book; one exact join."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from phases.core.ask import Answer, Ask, Wanted
from phases.core.errors import TickerFailure
from phases.core.phase import phase
from phases.core.reading import Check, Finding
from phases.evidence.base import left_out
from phases.maths.conviction import AxisNumbers, join
from phases.maths.exact import exact
from phases.maths.lean import NEUTRAL, SENTIMENT, TECHNICAL
from schemas.analyst import AnalystPayload, Axis, AxisInputs, AxisView, MissingAxis
from schemas.base import Model
from schemas.bias import BiasRow
from schemas.market import Evidence, MacroSnapshot, MarketSnapshot, Missing, Question
from schemas.news import NewsSnapshot
from schemas.settings import AnalystSettings


@dataclass(frozen=True)
class Reads:
    """What one axis may read: the ids of its whitelist, or all ids of a family."""

    skill: str
    ids: tuple[str, ...] = ()
    family: str | None = None

    def allows(self, evidence_id: str) -> bool:
        """Whether the axis may read an item."""
        return evidence_id in self.ids or evidence_id.partition(".")[0] == self.family


AXES: Mapping[Axis, Reads] = {
    "technical": Reads("technical-analyst", TECHNICAL),
    "fundamental": Reads("fundamental-analyst", family="fa"),
    "sentiment": Reads("sentiment-analyst", SENTIMENT),
    "news": Reads("news-analyst", family="news"),
}
"""Skill and whitelist of each axis."""

WATCH_BAND = Fraction(1, 20)
"""Farthest a hesitant axis may be from .5."""


@phase(scope="ticker")
def analyst_payload(
    market_snapshot: MarketSnapshot,
    news_snapshot: NewsSnapshot,
    macro_snapshot: MacroSnapshot,
    bias_row: BiasRow,
    question: Question,
    settings: AnalystSettings,
    *,
    ask: Ask,
) -> AnalystPayload:
    """The analyst's view of one ticker, joined from the configured axes."""
    weights = {axis: exact(weight) for axis, weight in settings.axes.items() if exact(weight) > 0}
    own = (*market_snapshot.evidence, *news_snapshot.evidence)
    pool = (*own, *macro_snapshot.evidence)
    read = {axis: tuple(one for one in pool if AXES[axis].allows(one.id)) for axis in weights}
    absent = (*market_snapshot.missing, *news_snapshot.missing, *macro_snapshot.missing)
    gaps = {axis: tuple(one for one in absent if AXES[axis].allows(one.id)) for axis in weights}
    asked = [axis for axis in weights if any(_tells(one) and AXES[axis].allows(one.id) for one in own)]
    wanted = [_wanted(axis, read[axis], gaps[axis], market_snapshot.ticker, bias_row, question) for axis in asked]
    answers = dict(zip(asked, ask.all(wanted), strict=True))
    views = {axis: one.record for axis, one in answers.items() if one.record is not None}
    silent = [axis for axis in weights if axis not in views]
    missing = tuple(
        MissingAxis(axis=one, reason=_reason(one, answers.get(one), read[one], gaps[one]), asked=one in answers)
        for one in silent
    )
    if not views:
        reasons = [f"{one.axis}: {one.reason}" for one in missing]
        raise TickerFailure(
            "; ".join([*reasons, *([] if asked else left_out(market_snapshot.notes))]), _status(answers.values())
        )
    return _payload(market_snapshot, views, missing, weights, read, settings)


def _status(answers: Iterable[Answer[AxisView]]) -> str:
    """`no_data` if no axis had evidence, `refused` if every one asked refused, else `failed`."""
    voids = [one.void or "" for one in answers]
    if not voids:
        return "no_data"
    return "refused" if all(void.startswith("refuse") for void in voids) else "failed"


def _tells(item: Evidence) -> bool:
    """Whether an item of the ticker can carry a view at all; a last close alone cannot."""
    return item.id not in NEUTRAL


def _wanted(
    axis: Axis,
    evidence: tuple[Evidence, ...],
    absent: tuple[Missing, ...],
    ticker: str,
    row: BiasRow,
    question: Question,
) -> Wanted[AxisView]:
    inputs = AxisInputs(bias_row=row, question=question, evidence=evidence, missing=absent, ticker=ticker, axis=axis)
    return Wanted(AXES[axis].skill, inputs, AxisView, seat=axis, checks=CHECKS)


def _reason(
    axis: Axis, answer: Answer[AxisView] | None, read: tuple[Evidence, ...], absent: tuple[Missing, ...]
) -> str:
    if answer is not None:
        return answer.void or "void"
    if read:
        return f"what is known of the ticker itself is too thin for the {axis} axis"
    why = sorted({one.reason for one in absent})
    return f"no source gives evidence for the {axis} axis" + (f": {'; '.join(why[:3])}" if why else "")


def _payload(
    market: MarketSnapshot,
    views: Mapping[Axis, AxisView],
    missing: tuple[MissingAxis, ...],
    weights: dict[Axis, Fraction],
    read: Mapping[Axis, tuple[Evidence, ...]],
    settings: AnalystSettings,
) -> AnalystPayload:
    joined = join(
        weights,
        {a: AxisNumbers(v.stance_axis, v.conviction_axis, v.probability) for a, v in views.items()},
        correlations=_correlations(read, exact(settings.correlation)),
        watch_spread=exact(settings.watch_spread),
    )
    first = sorted(views.values(), key=lambda view: (-weights[view.axis] * exact(view.conviction_axis), view.axis))
    return AnalystPayload(
        ticker=market.ticker,
        as_of=market.as_of,
        conviction_score=joined.score,
        stance=joined.stance,
        thesis=" ".join(view.rationale for view in first),
        risks=" ".join(view.risk for view in first),
        sources=tuple(sorted({source for view in first for source in view.sources})),
        axes=tuple(views.values()),
        missing_axes=missing,
        probability=joined.probability,
        panel_spread=joined.spread,
        panel_margin=joined.margin,
    )


def _correlations(read: Mapping[Axis, tuple[Evidence, ...]], other: Fraction) -> dict[frozenset[str], Fraction]:
    """Correlation of each pair of configured axes: those that read the same family of series agree by construction
    and count as one. An axis without evidence reads none."""
    families = {axis: {one.id.partition(".")[0] for one in items} for axis, items in read.items()}
    return {
        frozenset((a, b)): Fraction(1) if families[a] & families[b] else other for a, b in combinations(families, 2)
    }


def _coherence(view: AxisView, _: Model) -> Sequence[Finding]:
    p = exact(view.probability) - Fraction(1, 2)
    wrong = {
        "buy": p < 0 and "a buy needs a probability of at least .5",
        "sell": p > 0 and "a sell needs a probability of at most .5",
    }.get(view.stance_axis, abs(p) > WATCH_BAND and f"{view.stance_axis} needs a probability within .05 of .5")
    return (Finding(f"/probability: {view.probability}: {wrong}", "void"),) if wrong else ()


def _cited(view: AxisView, inputs: Model) -> Sequence[Finding]:
    known = {one.id for one in inputs.evidence}  # type: ignore[attr-defined]
    foreign = sorted(set(view.evidence) - known)
    if foreign:
        return (Finding(f"/evidence: {', '.join(foreign)} is not in the evidence given", "void"),)
    return ()


CHECKS: tuple[Check[AxisView], ...] = (Check("coherence", _coherence), Check("evidence_ids", _cited))
"""What an axis view must satisfy beyond its schema."""
