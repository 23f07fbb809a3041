"""Builders the tests share: small records, the two doors in memory, and one ticker's way through the phases."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any, NamedTuple

from hypothesis import strategies as st

from phases.analyst_payload import AXES, analyst_payload
from phases.core.ask import Ask
from phases.core.fetch import Fetch, Source
from phases.core.provider import Provider, Reply, Request
from phases.core.recorder import Recorder
from phases.core.skills import Skill, load_skills
from phases.evidence.macro import LISTED_ITEMS, MACRO_ITEMS
from phases.evidence.prices import INDEX_ITEMS, PRICE_ITEMS
from phases.macro_bias import bias_row
from phases.maths.lean import LEANS, NEUTRAL
from phases.plan import CONFIGS, SKILLS, Words, settings_of
from phases.portfolio_feed import portfolio_feed
from phases.providers.offline import OfflineDesk
from phases.research_debate import case, debate_transcript
from phases.research_manager import debate_summary
from schemas.analyst import AnalystPayload, AxisView, MissingAxis
from schemas.base import Stance
from schemas.bias import SOURCED_FIELDS, BiasRow, Provenance
from schemas.debate import Case
from schemas.feed import FeedRow, TickerOutcome
from schemas.ledger import DebateTranscript
from schemas.market import Evidence, MacroSnapshot, MarketSnapshot, Missing, Question, Unit
from schemas.news import NewsSnapshot
from schemas.run import History, RunHeader
from schemas.settings import PriceTable, Settings
from schemas.summary import DebateSummary

DAY = date(2008, 9, 30)
TICKER = "ACME"


def cpu_seconds(work: Callable[[], object], tries: int = 3) -> float:
    """Least processor time of some tries, without the garbage collector: what the work itself costs."""
    found = []
    gc.disable()
    try:
        for _ in range(tries):
            begun = time.process_time()
            work()
            found.append(time.process_time() - begun)
    finally:
        gc.enable()
    return min(found)


def shipped(name: str) -> str:
    """Text of a shipped protocol."""
    return (CONFIGS / "protocols" / f"{name}.yaml").read_text(encoding="utf-8")


ROUNDS = shipped("rounds")

UNITS: dict[str, Unit] = {one.id: one.unit for one in (*PRICE_ITEMS, *INDEX_ITEMS, *LISTED_ITEMS)}
LABELS = {one.id: one.label for one in (*PRICE_ITEMS, *INDEX_ITEMS, *MACRO_ITEMS, *LISTED_ITEMS)}

QUESTION = Question(
    event="total return over the next 21 sessions exceeds that of ^GSPC",
    horizon_sessions=21,
    benchmark="^GSPC",
    resolves_on=date(2008, 10, 29),
)


@cache
def settings(*words: str) -> Settings:
    """The shipped configuration with `--set` words."""
    return settings_of(Words(sets=words))


def item(id: str, lean: float = 0.0, **more: Any) -> Evidence:
    """One evidence item, with the label and unit of the real one where there is one."""
    told: dict[str, Any] = {"value": 0.0123, "unit": UNITS.get(id, "ratio"), "tier": 1, "stale": False}
    about = {"label": LABELS.get(id, f"label of {id}"), "as_of": DAY, "known_at": DAY, "source": "packaged"}
    return Evidence(id=id, lean=lean, **{**told, **about, **more})


def market(*evidence: Evidence, ticker: str = TICKER, missing: Sequence[Missing] = ()) -> MarketSnapshot:
    """A ticker's snapshot of just these items."""
    held = tuple(sorted(evidence, key=lambda one: one.id))
    return MarketSnapshot(
        ticker=ticker, as_of=DAY, session=DAY, evidence=held, missing=tuple(missing), content_hash="market"
    )


def macro(*evidence: Evidence, missing: Sequence[Missing] = ()) -> MacroSnapshot:
    """A macro snapshot of just these items."""
    held = tuple(sorted(evidence, key=lambda one: one.id))
    return MacroSnapshot(as_of=DAY, session=DAY, evidence=held, missing=tuple(missing), content_hash="macro")


def row_of_bias(**values: Any) -> BiasRow:
    """A bias row; every field that is not given is missing."""
    origin = {
        name: Provenance(status="fresh", as_of=DAY)
        if name in values
        else Provenance(status="missing", reason="no source")
        for name in SOURCED_FIELDS
    }
    given = {**dict.fromkeys(SOURCED_FIELDS), "date": DAY, "run_type": "baseline", "provenance": origin}
    return BiasRow.model_validate({**given, **values})


def view(stance: Stance = "buy", conviction: float = 0.6, probability: float = 0.56, **more: Any) -> AxisView:
    """One axis view."""
    told = {"axis": "technical", "ticker": TICKER, "rationale": "It trends.", "risk": "It may turn."}
    words: dict[str, Any] = {**told, "evidence": (), "sources": ("packaged",), **more}
    return AxisView(stance_axis=stance, conviction_axis=conviction, probability=probability, **words)


def payload(score: int = 2, stance: Stance = "buy", probability: float = 0.55, **more: Any) -> AnalystPayload:
    """An analyst payload."""
    told: dict[str, Any] = {
        "ticker": TICKER,
        "as_of": DAY,
        "thesis": "It trends.",
        "risks": "It may turn.",
        "sources": ("packaged",),
        "axes": (view(),),
        "missing_axes": (),
        "panel_spread": None,
        "panel_margin": 0.5,
        **more,
    }
    return AnalystPayload(conviction_score=score, stance=stance, probability=probability, **told)


NO_FUNDAMENTALS = MissingAxis(axis="fundamental", reason="no source gives evidence for the fundamental axis")

BUNDLE = (
    item("macro.index_ret_63d", -0.3, value=-0.09),
    item("px.drawdown_252d", -0.6, value=-0.22),
    item("px.excess_63d", 0.4, value=0.064),
    item("px.ret_252d", 0.7, value=0.315),
    item("px.ret_63d", 0.5, value=0.1),
    item("px.vol_ratio", -0.5, value=1.25),
)


def case_of(bundle: Sequence[Evidence] = BUNDLE, **more: Any) -> Case:
    """A case over a bundle."""
    told: dict[str, Any] = {"payload": payload(), "bias_row": row_of_bias(equity_bias="bearish"), **more}
    return Case(
        ticker=TICKER,
        question=QUESTION,
        bundle=tuple(sorted(bundle, key=lambda one: one.id)),
        content_hash="case",
        **told,
    )


def header_of(
    *words: str,
    protocol: str = ROUNDS,
    tickers: Sequence[str] = (TICKER,),
    history: History | None = None,
) -> RunHeader:
    """The header of a run with these `--set` words."""
    return RunHeader(
        run_id="2008-09-30-00000000",
        as_of=DAY,
        tickers=tuple(tickers),
        left_out=(),
        question=QUESTION,
        settings=settings("debate.protocol=rounds", *words),
        engine=OfflineDesk.engine,
        protocol=protocol,
        prices=PriceTable(date=DAY, models={}),
        skills={},
        vintage="vintage",
        code="code",
        history=history or History(),
    )


IDS = sorted({*LEANS, *NEUTRAL, "fa.fcf_yield", "news.a1b2", "axis.technical", "bias.equity", "px.vol_21d"})


@st.composite
def bundles(draw: st.DrawFn, ids: Sequence[str] = tuple(IDS)) -> tuple[Evidence, ...]:
    """Random evidence, sorted by id like a real bundle."""
    return tuple(
        item(
            name,
            draw(st.integers(-10_000, 10_000)) / 10_000,
            value=round(draw(st.floats(0, 1000)), 4),
            tier=draw(st.integers(1, 4)),
            stale=draw(st.booleans()),
        )
        for name in sorted(draw(st.lists(st.sampled_from(sorted(ids)), unique=True)))
    )


class Forgetful:
    """A journal that holds nothing, so that every question goes through its door."""

    def take(self, wanted: Sequence[Any], recorder: Any = None) -> dict[str, str]:
        return {}

    def keep(self, *_: Any) -> frozenset[str]:
        return frozenset()

    def release(self, wanted: Sequence[Any]) -> None:
        pass


Changed = Callable[[Request, dict[str, Any]], Any]


class Desk:
    """The offline desk with every request noted; what a seat says can be changed on the way.

    `instead` maps a seat to a function of the request and the desk's answer. It gives another
    answer: a mapping, a raw text, or a whole Reply.
    """

    engine = OfflineDesk.engine
    longest = OfflineDesk.longest

    def close(self) -> None:
        pass

    def __init__(self, **instead: Changed) -> None:
        self.requests: list[Request] = []
        self._instead, self._desk = instead, OfflineDesk()

    def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:
        self.requests += requests
        return [self._changed(*both) for both in zip(requests, self._desk.replies(requests), strict=True)]

    def _changed(self, request: Request, reply: Reply) -> Reply:
        if request.seat not in self._instead:
            return reply
        said = self._instead[request.seat](request, json.loads(reply.text))
        if isinstance(said, Reply):
            return said
        return Reply(said if isinstance(said, str) else json.dumps(said), "end_turn")

    def prompts(self, seat: str | None = None) -> list[str]:
        """Rendered prompts, in order; of one seat or of all."""
        return [one.prompt.text for one in self.requests if seat in (None, one.seat)]


def constant(said: Any) -> Changed:
    """An answer that is always the same."""
    return lambda request, answer: said


def update(**fields: Any) -> Changed:
    """The desk's answer with some fields replaced."""
    return lambda request, answer: {**answer, **fields}


REFUSAL = constant(Reply("", "refusal"))


@cache
def _skills() -> Mapping[str, Skill]:
    """The shipped skills; an analyst whose skill is not written yet borrows the text of one that is."""
    shipped = load_skills(SKILLS)
    return {**{reads.skill: shipped["technical-analyst"] for reads in AXES.values()}, **shipped}


def ask_door(provider: Provider | None = None) -> Ask:
    """The real door to a provider, with nothing in its journal."""
    journal: Any = Forgetful()
    recorder, answers = Recorder(None, "run", 1), provider or OfflineDesk()
    return Ask(_skills(), {"default": "model"}, OfflineDesk.engine, answers, journal, recorder, phase="test")


def fetch_door(source: Source) -> Fetch:
    """The real door to a source, with nothing in its journal."""
    journal: Any = Forgetful()
    return Fetch(source.name, source.vintage, source, journal, Recorder(None, "run", 1))


class Made(NamedTuple):
    """Everything made for one ticker."""

    payload: AnalystPayload
    case: Case
    transcript: DebateTranscript
    summary: DebateSummary
    row: FeedRow


def no_news(ticker: str = TICKER) -> NewsSnapshot:
    """The news of a night that looks for none."""
    return NewsSnapshot(ticker=ticker, as_of=DAY, evidence=(), missing=(), notes=(), content_hash="news")


def through_phases(
    own: MarketSnapshot,
    common: MacroSnapshot,
    row: BiasRow,
    header: RunHeader,
    *,
    ask: Ask,
    news: NewsSnapshot | None = None,
) -> Made:
    """One ticker from its snapshots to its feed row, by the real phases."""
    told = news or no_news(own.ticker)
    chosen = header.settings
    joined = analyst_payload(own, told, common, row, header.question, chosen.analyst, ask=ask)
    about = case(joined, own, told, common, row, header.question, header.history)
    transcript = debate_transcript(about, header.history, header, chosen.debate, ask=ask)
    summary = debate_summary(about, transcript, header.history, header, chosen.manager, ask=ask)
    outcome = TickerOutcome(
        market_snapshot=own,
        news_snapshot=told,
        analyst_payload=joined,
        debate_transcript=transcript,
        debate_summary=summary,
    )
    feed = portfolio_feed((own.ticker,), {own.ticker: outcome}, header.question, header, chosen.analyst)
    return Made(joined, about, transcript, summary, feed.rows[0])


def whole_night(own: MarketSnapshot, common: MacroSnapshot, header: RunHeader, *, ask: Ask) -> Made:
    """The same, with the bias row made first."""
    row = bias_row(common, header.history, header.settings.bias, ask=ask)
    return through_phases(own, common, row, header, ask=ask)
