"""Checks of the seats that argue no assigned side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from phases.core.reading import Check, Finding
from phases.maths.tally import market_stance
from schemas.base import Model
from schemas.seats import CriticReport, ModeratorRuling, PersonaAnswer, TableInputs


def _market_stance(said: PersonaAnswer, _: Model) -> Sequence[Finding]:
    if market_stance(said.stance) is not None:
        return ()
    return (Finding(f"/stance: {said.stance!r} is no ballot; answer buy, hold or sell", "void"),)


def _every_seat(said: CriticReport, inputs: Model) -> Sequence[Finding]:
    answered = {one.seat for one in inputs.statements or ()} if isinstance(inputs, TableInputs) else set()
    times = Counter(one.seat for one in said.assessments)
    wrong = sorted(name for name in answered | set(times) if times[name] != 1 or name not in answered)
    seats = ", ".join(sorted(answered))
    return tuple(Finding(f"/assessments: {name} has {times[name]}; one each for {seats}", "void") for name in wrong)


def _flaws(said: CriticReport, _: Model) -> Sequence[Finding]:
    return tuple(
        Finding(f"/assessments/{at}/flaw: {one.verdict} needs the flaw named", "flag", "flaw")
        for at, one in enumerate(said.assessments)
        if one.verdict != "sound" and one.flaw is None
    )


def _decision(said: ModeratorRuling, _: Model) -> Sequence[Finding]:
    if said.status == "settled" and said.decision is None:
        return (Finding("/decision: a settled debate needs its decision", "void"),)
    return ()


MARKET_STANCE: Check[PersonaAnswer] = Check("market_stance", _market_stance)
EVERY_SEAT: Check[CriticReport] = Check("every_seat", _every_seat)
FLAWS: Check[CriticReport] = Check("flaws", _flaws)
DECISION: Check[ModeratorRuling] = Check("decision", _decision)
