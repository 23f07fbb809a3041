"""Checks on the seats beside bull and bear: personas, critic, moderator, supervisor."""

from __future__ import annotations

from typing import Any

import pytest

from phases.debate.protocol import Step
from schemas.base import Model
from schemas.seats import CriticReport, ModeratorRuling, PersonaAnswer, SupervisorView, TableInputs
from tests.phases.debate.judged import BUNDLE, judged
from tests.support import TICKER

TABLE = TableInputs.model_validate(
    {
        "evidence": BUNDLE,
        "statements": [
            {"seat": "cautious", "round_number": 1, "text": "Hold.", "stance": "hold", "evidence": []},
            {"seat": "literal", "round_number": 1, "text": "Buy.", "stance": "buy", "evidence": []},
        ],
        "ticker": TICKER,
        "seat": "cautious",
        "round_number": 2,
    },
    strict=False,
)
PLAIN = Step(seats=("x",), order="sequence", sees=())


@pytest.mark.parametrize(
    ("returns", "said", "outcome", "words"),
    [
        (PersonaAnswer, {"seat": "cautious", "round_number": 2, "answer": "Thin.", "stance": "Bullish"}, "ACCEPT", ""),
        (
            PersonaAnswer,
            {"seat": "cautious", "round_number": 2, "answer": "Thin.", "stance": "maybe"},
            "QUARANTINE",
            "is no ballot",
        ),
        (
            PersonaAnswer,
            {"seat": "literal", "round_number": 2, "answer": "Thin.", "stance": "buy"},
            "QUARANTINE",
            "/seat",
        ),
        (
            CriticReport,
            {"assessments": [{"seat": "cautious", "verdict": "sound"}, {"seat": "literal", "verdict": "sound"}]},
            "ACCEPT",
            "",
        ),
        (CriticReport, {"assessments": [{"seat": "cautious", "verdict": "sound"}]}, "QUARANTINE", "literal has 0"),
        (
            CriticReport,
            {
                "assessments": [
                    {"seat": name, "verdict": "sound"} for name in ("cautious", "cautious", "literal", "judge")
                ]
            },
            "QUARANTINE",
            "judge has 1",
        ),
        (ModeratorRuling, {"summary": "All said.", "status": "settled", "decision": "Hold."}, "ACCEPT", ""),
        (
            ModeratorRuling,
            {"summary": "All said.", "status": "settled"},
            "QUARANTINE",
            "a settled debate needs its decision",
        ),
        (ModeratorRuling, {"summary": "All said.", "status": "NOT SETTLED"}, "QUARANTINE", "/status"),
        (ModeratorRuling, {"summary": "All said.", "status": "settled or continue"}, "QUARANTINE", "/status"),
        (ModeratorRuling, {"summary": "All said."}, "QUARANTINE", "lacks the key status"),
        (
            SupervisorView,
            {"probability": 0.5, "confidence": "low", "because": "Thin.", "evidence": ["px.close", "px.no"]},
            "ACCEPT",
            "",
        ),
        (
            SupervisorView,
            {"probability": 0.5, "confidence": "low", "because": "Thin.", "evidence": ["px.no"]},
            "QUARANTINE",
            "px.no",
        ),
    ],
)
def test_other_seats(returns: type[Model], said: dict[str, Any], outcome: str, words: str) -> None:
    found = judged(said, TABLE, PLAIN, returns)
    assert found.outcome == outcome
    assert words in " ".join(found.errors)


def test_a_flaw_that_is_not_named_is_flagged() -> None:
    said = {"assessments": [{"seat": "cautious", "verdict": "flawed"}, {"seat": "literal", "verdict": "sound"}]}
    assert judged(said, TABLE, PLAIN, CriticReport).flags == ("flaw",)
