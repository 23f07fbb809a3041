"""A phase's signature tells its powers, and a pipeline that cannot work is refused before it starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from phases.core.ask import Ask
from phases.core.fetch import Fetch
from phases.core.phase import Phase, check_pipeline, outcome_type, phase, settings_of
from schemas.base import Model


class Shared(Model):
    word: str


class Part(Model):
    ticker: str


class Failed(Model):
    status: str
    reason: str
    phase: str


class Outcome(Model):
    failure: Failed | None = None
    part: Part | None = None


class Sheet(Model):
    tickers: tuple[str, ...]


class Options(Model):
    size: int = 1


class Unknown(Model):
    size: int = 1


class Settings(Model):
    options: Options = Options()
    name: str = "x"


@phase(scope="run")
def shared(as_of: date, settings: Options, *, fetch: Fetch) -> Shared:
    """Made once."""
    return Shared(word=f"{as_of} {settings.size}")


@phase(scope="ticker")
def part(ticker: str, shared: Shared, *, ask: Ask) -> Part:
    """Made for each ticker."""
    return Part(ticker=ticker)


@phase(scope="ticker")
def second(part: Part, shared: Shared) -> Shared:
    """Made of a part."""
    return shared


@phase(scope="run", keys=lambda sheet: sheet.tickers)
def sheet(tickers: tuple[str, ...], outcomes: Mapping[str, Outcome]) -> Sheet:
    """Gathered."""
    return Sheet(tickers=tickers)


@phase(scope="ticker")
def takes_another_type(shared: Part) -> Part:
    """Wants a part under the name of what is shared."""
    return shared


@phase(scope="run")
def takes_a_part(part: Part) -> Shared:
    """Runs once and wants what each ticker has."""
    return Shared(word=part.ticker)


@phase(scope="run")
def takes_a_ticker(ticker: str) -> Shared:
    """Runs once for one ticker."""
    return Shared(word=ticker)


@phase(scope="run")
def takes_strange_settings(settings: Unknown) -> Shared:
    """Wants a section that is not there."""
    return Shared(word=str(settings.size))


@phase(scope="run")
def takes_untyped_outcomes(outcomes: Mapping[str, str]) -> Shared:
    """Wants outcomes that cannot carry a failure."""
    return Shared(word="")


@phase(scope="run")
def takes_another_day(as_of: str) -> Shared:
    """Wants the date as text."""
    return Shared(word=as_of)


GIVEN: dict[str, Any] = {"as_of": date(2001, 2, 3)}
WHOLE = (shared, part, second, sheet)


def test_a_phase_is_its_function_with_its_signature() -> None:
    assert (shared.name, shared.scope, shared.makes) == ("shared", "run", Shared)
    assert part(ticker="A", shared=Shared(word=""), ask=None) == Part(ticker="A")
    assert dict(second.params) == {"part": Part, "shared": Shared}


@pytest.mark.parametrize(
    ("one", "needs", "asks"),
    [(shared, (), False), (part, ("shared",), True), (second, ("part", "shared"), False), (sheet, (), False)],
    ids=lambda value: value.name if isinstance(value, Phase) else "",
)
def test_needs_are_artefacts_only(one: Phase, needs: Sequence[str], asks: bool) -> None:
    assert one.needs == needs
    assert one.asks is asks


def test_a_whole_pipeline_passes() -> None:
    check_pipeline(WHOLE, GIVEN, Settings())


@pytest.mark.parametrize(
    ("pipeline", "words"),
    [
        pytest.param([part], ("part", "shared", "no earlier phase"), id="need that nobody makes"),
        pytest.param([part, shared], ("part", "shared", "no earlier phase"), id="need that is made later"),
        pytest.param([shared, takes_another_type], ("takes_another_type", "shared", "Part", "Shared"), id="other type"),
        pytest.param([shared, part, takes_a_part], ("takes_a_part", "part", "outcomes"), id="part into a run phase"),
        pytest.param([takes_a_ticker], ("takes_a_ticker", "ticker"), id="ticker into a run phase"),
        pytest.param([shared, part, shared], ("two phases", "shared"), id="made twice by one phase"),
        pytest.param([shared, replace(part, name="shared")], ("two phases", "shared"), id="made twice by two"),
        pytest.param([takes_strange_settings], ("takes_strange_settings", "Unknown"), id="unknown section"),
        pytest.param([takes_untyped_outcomes], ("takes_untyped_outcomes", "failure"), id="outcomes without failure"),
        pytest.param([takes_another_day], ("takes_another_day", "as_of"), id="given of another type"),
    ],
)
def test_a_pipeline_that_cannot_work_is_refused_naming_phase_and_need(
    pipeline: Sequence[Phase], words: Sequence[str]
) -> None:
    with pytest.raises(TypeError) as caught:
        check_pipeline(pipeline, GIVEN, Settings())
    assert all(word in str(caught.value) for word in words)


def test_settings_of_is_the_section_of_that_type() -> None:
    assert settings_of(shared, Settings(options=Options(size=7))) == Options(size=7)
    assert settings_of(part, Settings()) is None


def test_outcome_type_is_the_entry_of_the_mapping() -> None:
    assert outcome_type(sheet) is Outcome
    assert outcome_type(part) is None
