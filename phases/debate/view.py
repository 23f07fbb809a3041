"""`view`: the only source of what a seat reads. Isolation is a property of this one function."""

from __future__ import annotations

from typing import Any

from phases.debate.ledger import Ledger, rounds_of, spoken
from phases.debate.protocol import Seat, Step
from schemas.debate import Case, DebateInputs, DebateRound


def view(ledger: Ledger, case: Case, seat: Seat, step: Step, round_number: int) -> DebateInputs:
    """Inputs of one turn: what the step shows of the case and of what was said, and nothing else."""
    shown = {
        "bias_row": case.bias_row,
        "evidence": case.bundle,
        "analyst_payload": case.payload,
        "question": case.question,
        "prior_rounds": _prior_rounds(ledger, round_number),
        "bull_argument": _bull_argument(ledger, seat, step, round_number),
    }
    seen: dict[str, Any] = {name: value for name, value in shown.items() if name in step.sees}
    return DebateInputs(ticker=case.ticker, role=seat.side, round_number=round_number, **seen)


def _prior_rounds(ledger: Ledger, round_number: int) -> tuple[DebateRound, ...] | None:
    """Rounds before this one; absent in the first, so that nobody answers an opponent who has not spoken."""
    return tuple(one for one in rounds_of(ledger) if one.round_number < round_number) or None


def _bull_argument(ledger: Ledger, seat: Seat, step: Step, round_number: int) -> str | None:
    """For the bear of a sequence: what the bull said in this round."""
    if seat.side != "bear" or step.order != "sequence":
        return None
    return next((said.argument for said in spoken(ledger, "bull") if said.round_number == round_number), None)
