"""Risk seats, after the feed: one asks where the night is too careful, one where it is too bold.

They read typed rows and no text from outside. What comes of it is one sentence, composed in code from what they say;
the feed is the same with and without it. A seat that fails leaves the night as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from phases.core.ask import Answer, Ask, Wanted
from phases.core.errors import CeilingReached, NotJournaled
from phases.core.phase import phase
from phases.core.reading import Check, Finding
from phases.debate.checks.numbers import CHANCE, SCORE
from phases.maths.exact import exact
from phases.maths.grounding import Given, sentences, ungrounded
from schemas.base import Model
from schemas.bias import BiasRow
from schemas.feed import FeedRow, PortfolioFeed
from schemas.market import Question
from schemas.risk import RiskCase, RiskInputs, RiskPoint, RiskRow, RiskSeat, RiskSettings, RiskView

SEATS: dict[str, RiskSeat] = {"risk-aggressive": "aggressive", "risk-conservative": "conservative"}
"""Seat of each skill."""

OFF = RiskCase(reason="risk.enabled is false")
"""What there is where they are not asked."""

MOST_SHOWN = 200
"""Rated rows that a seat is shown."""


@phase(scope="run")
def risk_case(
    portfolio_feed: PortfolioFeed, bias_row: BiasRow, question: Question, settings: RiskSettings, *, ask: Ask
) -> RiskCase:
    """What the risk seats say of the rated rows; without a tension, and with the reason, where there is none."""
    if not settings.enabled:
        return OFF
    rated = [seen for row in portfolio_feed.rows if (seen := _seen(row)) is not None]
    if not rated:
        return RiskCase(reason="no row is rated")
    held = {row.ticker for row in portfolio_feed.rows if row.held}
    shown = sorted(rated, key=lambda one: (one.ticker not in held, -abs(one.conviction), -_from_even(one)))
    about = {
        "bias_row": bias_row,
        "question": question,
        "rows": tuple(shown[:MOST_SHOWN]),
        "unrated": len(portfolio_feed.rows) - len(rated),
        "left_out": len(shown[MOST_SHOWN:]),
    }
    wanted = [
        Wanted(skill, RiskInputs.model_validate({**about, "seat": seat}), RiskView, seat=seat, checks=CHECKS)
        for skill, seat in SEATS.items()
    ]
    try:
        return _told(dict(zip(SEATS.values(), ask.all(wanted), strict=True)))
    except CeilingReached as reached:
        return RiskCase(reason=f"unpaid: {reached}")
    except NotJournaled:
        return RiskCase(reason="the journal has no answer of the risk seats: the night did not pay for them")


def _from_even(row: RiskRow) -> Fraction:
    """How far the probability is from even odds."""
    return abs(exact(row.probability) - Fraction(1, 2))


def _seen(row: FeedRow) -> RiskRow | None:
    """The row as a seat sees it; nothing if it is not rated."""
    stance, conviction, probability = row.stance, row.conviction_post, row.probability_post
    if stance is None or conviction is None or probability is None:
        return None
    return RiskRow(ticker=row.ticker, stance=stance, conviction=conviction, probability=probability, flags=row.flags)


def _told(answers: dict[RiskSeat, Answer[RiskView]]) -> RiskCase:
    """The answers of both seats, and what comes of them."""
    flags = {f"{seat}_{flag}" for seat, one in answers.items() for flag in one.flags}
    void = {seat: one.void for seat, one in answers.items() if one.record is None}
    views = [one.record for one in answers.values() if one.record is not None]
    silent = [view.seat for view in views if not view.points]
    reasons = [*(f"{seat} void: {why}" for seat, why in void.items()), *(f"{seat} has no point" for seat in silent)]
    return RiskCase(
        views=tuple(views),
        tension=None if reasons else _tension(*(view.points for view in views)),
        reason="; ".join(reasons) or None,
        flags=tuple(sorted(flags | {f"{seat}_void" for seat in void})),
    )


def _tension(bold: Sequence[RiskPoint], careful: Sequence[RiskPoint]) -> str:
    """The two points that meet in most tickers, then in their matter, then those named first, as one sentence."""
    pairs = [(one, other) for one in bold for other in careful]
    one, other = max(
        pairs, key=lambda pair: (len({*pair[0].tickers} & {*pair[1].tickers}), pair[0].about == pair[1].about)
    )
    return f"{_clause('too careful', one)}; {_clause('too bold', other)}."


def _clause(what: str, point: RiskPoint) -> str:
    because = sentences(point.because)[0].rstrip(" .!?;")
    return f"{what} on {', '.join(point.tickers)}: {because}"


_SYMBOL = re.compile(
    r"\$[A-Za-z]{1,6}\b|(?<![\w.])\^?(?:[A-Z]{2,6}|[0-9]{4,6}(?=\.[A-Z]))(?:[.=-][A-Z0-9]{1,4})*(?![\w-])"
)
"""A word that is written like a symbol."""

COMMON = frozenset(
    {"CPI", "ECB", "ETF", "EU", "FED", "FOMC", "FX", "GDP", "IPO", "PCE", "PMI", "UK", "US", "USA", "USD", "VIX"}
)
"""Words in capitals that are no symbols of a company."""

_SIZE = re.compile(
    r"\b(?:(?:over|under)?-?weight\w*|allocat\w*|(?:re)?siz(?:e|es|ed|ing)|leverag\w*|notional|rebalanc\w*|kelly"
    r"|(?:buy|sell|own|add) (?:more|less|fewer)|double down|scale (?:up|down|in|out|back)|(?:shares|lots) of"
    r"|(?:cut|trim|reduc|rais|lower|increas|decreas|halv|doubl|build|clos|exit|add)\w* (?:\w+ ){0,4}"
    r"(?:position|exposure|holding|stake|book)s?)\b"
    r"|(?:%|\b(?:percent|per cent|pct|bps?|basis points?|half|third|quarter|fifth|tenth)) (?:of|in|into) (?:\w+ ){0,2}"
    r"(?:book|portfolio|capital|fund|money|nav|cash)\b"
    r"|[0-9]\s?(?:%|percent|per cent|pct|bps?) (?:in|into)\b|\b[0-9]{2}[-/:][0-9]{2}\b",
    re.IGNORECASE,
)
"""Words that say how much to hold."""


def _foreign(said: RiskView, inputs: Model) -> Sequence[Finding]:
    """Tickers that are not in the rows, in a point's list or in its words."""
    assert isinstance(inputs, RiskInputs)
    known = {row.ticker for row in inputs.rows}
    read = {*known, *COMMON, inputs.question.benchmark, *re.findall(r"\w+", inputs.model_dump_json())}
    named = {f"/points/{at}/tickers": sorted({*point.tickers} - known) for at, point in enumerate(said.points)} | {
        f"/points/{at}/because": sorted({found for found in _SYMBOL.findall(point.because) if found not in read})
        for at, point in enumerate(said.points)
    }
    return [
        Finding(f"{where}: {', '.join(those)} is no ticker of `rows`", "void", "foreign_ticker")
        for where, those in named.items()
        if those
    ]


def _sized(said: RiskView, _: Model) -> Sequence[Finding]:
    """Words that say how much to hold."""
    return [
        Finding(f"/points/{at}/because: {found.group()!r} says how much to hold; say what is at risk", "void", "sizing")
        for at, point in enumerate(said.points)
        if (found := _SIZE.search(point.because))
    ]


def _numbers(said: RiskView, inputs: Model) -> Sequence[Finding]:
    """Numbers that are none of the point's own rows, nor of the night."""
    assert isinstance(inputs, RiskInputs)
    names = (*(row.ticker for row in inputs.rows), inputs.question.benchmark)
    return [
        Finding(f"/points/{at}/because: {stray}", "void", "ungrounded")
        for at, point in enumerate(said.points)
        for stray in ungrounded(point.because, tuple(_given(point, inputs)), names)
    ]


def _given(point: RiskPoint, inputs: RiskInputs) -> Iterator[Given]:
    """Values that a point may name."""
    for row in inputs.rows:
        if row.ticker in point.tickers:
            yield Given("conviction", row.conviction, "count", SCORE)
            yield Given("probability", row.probability, "ratio", CHANCE)
    for count in (len(point.tickers), len(inputs.rows), inputs.unrated, inputs.left_out):
        yield Given("count", count, "count", r"\b(?:names?|tickers?|views?|rows?)\b")
    yield Given("horizon_sessions", inputs.question.horizon_sessions, "count", r"\b(?:session|horizon)")
    if inputs.bias_row.vix_level is not None:
        yield Given("vix_level", inputs.bias_row.vix_level, "index", r"\b(?:vix|volatility)")


CHECKS: tuple[Check[RiskView], ...] = (
    Check("tickers", _foreign),
    Check("sizing", _sized),
    Check("numbers", _numbers),
)
"""What a risk seat's reply must satisfy beyond its schema."""
