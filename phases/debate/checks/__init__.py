"""What a turn must satisfy beyond its schema. Each check is one pure function of the turn and of what the seat read.

What is still so after the one repair turn: wrong identity voids the turn, an unpaid move or an ungrounded
part is dropped and says why, a lapse of form is flagged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phases.core.reading import Check
from phases.debate.checks.evidence import EVIDENCE_IDS
from phases.debate.checks.form import ACKNOWLEDGED, COPIED, FIRST_TURN, LAYOUT, QUOTES, SENTENCES, SIDE, argument_limit
from phases.debate.checks.moves import MOVES, claims_asked, moves_asked
from phases.debate.checks.numbers import NUMBERS
from phases.debate.checks.table import DECISION, EVERY_SEAT, FLAWS, MARKET_STANCE
from phases.debate.protocol import Protocol, Step
from schemas.base import Model
from schemas.debate import DebateRoundContribution
from schemas.seats import CriticReport, ModeratorRuling, PanelAnswer, PersonaAnswer, SupervisorView

ALWAYS: Mapping[type[Model], tuple[Check[Any], ...]] = {
    DebateRoundContribution: (
        EVIDENCE_IDS,
        MOVES,
        NUMBERS,
        SENTENCES,
        LAYOUT,
        SIDE,
        FIRST_TURN,
        COPIED,
        QUOTES,
        ACKNOWLEDGED,
    ),
    PersonaAnswer: (EVIDENCE_IDS, NUMBERS, MARKET_STANCE),
    CriticReport: (EVERY_SEAT, FLAWS),
    ModeratorRuling: (DECISION, NUMBERS),
    PanelAnswer: (NUMBERS,),
    SupervisorView: (EVIDENCE_IDS, NUMBERS),
}
"""Checks of every turn, by its contract."""


def checks_of(returns: type[Model], protocol: Protocol, step: Step) -> tuple[Check[Any], ...]:
    """All checks of a turn: those of its contract, and those that its step asks for."""
    if returns is not DebateRoundContribution:
        return ALWAYS[returns]
    asked = [claims_asked("claims" in step.require)]
    if "moves" in step.require:
        asked.append(moves_asked())
    return (*asked, *ALWAYS[returns], argument_limit(protocol.argument_limit))
