"""The table of published contracts."""

from schemas.analyst import AnalystPayload, AxisInputs, AxisView
from schemas.base import Model
from schemas.bias import BiasInputs, BiasRow, BiasWording
from schemas.debate import Case, DebateInputs, DebateRoundContribution
from schemas.events import Event
from schemas.feed import FeedRow, PortfolioFeed
from schemas.health import NightHealth
from schemas.ledger import DebateTranscript
from schemas.manager import ManagerInputs, ManagerReply
from schemas.market import (
    Bars,
    Evidence,
    Fundamentals,
    MacroSeriesSet,
    MacroSnapshot,
    MarketSnapshot,
    News,
    Universe,
)
from schemas.news import NewsInputs, NewsReading, NewsSnapshot
from schemas.notice import RunNotice
from schemas.risk import RiskCase, RiskInputs, RiskView
from schemas.run import History, RunHeader, RunRecord
from schemas.seats import CriticReport, ModeratorRuling, PanelAnswer, PersonaAnswer, SupervisorView, TableInputs
from schemas.settings import Settings
from schemas.summary import DebateSummary

CONTRACTS: dict[str, type[Model]] = {
    model.__name__: model
    for model in (
        AnalystPayload,
        AxisInputs,
        AxisView,
        Bars,
        BiasInputs,
        BiasRow,
        BiasWording,
        Case,
        CriticReport,
        DebateInputs,
        DebateRoundContribution,
        DebateSummary,
        DebateTranscript,
        Event,
        Evidence,
        FeedRow,
        Fundamentals,
        History,
        MacroSeriesSet,
        MacroSnapshot,
        ManagerInputs,
        ManagerReply,
        MarketSnapshot,
        ModeratorRuling,
        News,
        NewsInputs,
        NewsReading,
        NewsSnapshot,
        NightHealth,
        PanelAnswer,
        PersonaAnswer,
        PortfolioFeed,
        RiskCase,
        RiskInputs,
        RiskView,
        RunHeader,
        RunNotice,
        RunRecord,
        Settings,
        SupervisorView,
        TableInputs,
        Universe,
    )
}
"""Every published contract, by name."""
