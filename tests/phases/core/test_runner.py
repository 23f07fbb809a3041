"""The runner: order, failures of one ticker, what stops a run, and rows that are lost, added or doubled."""

from __future__ import annotations

import json
import logging
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import pytest

from phases.core.ask import Ask
from phases.core.errors import (
    InfrastructureError,
    NoData,
    NotJournaled,
    SeamBroken,
    SourceDown,
    StoreError,
    TickerFailure,
    Unanswered,
    UsageError,
)
from phases.core.fetch import Fetch
from phases.core.journal import Journal
from phases.core.phase import Phase, phase
from phases.core.recorder import Recorder
from phases.core.runner import Artefacts, Doors, Night, Outcomes, run
from phases.core.store import Store
from schemas.base import Model
from schemas.debate import DebateRoundContribution
from schemas.events import Turns
from tests.phases.core.scripted import RUN, Scripted, asked, door, reply, said

DAY = date(2001, 2, 3)


class Shared(Model):
    word: str


class Part(Model):
    ticker: str
    word: str


class Failed(Model):
    status: str
    reason: str
    phase: str


class Outcome(Model):
    failure: Failed | None = None
    part: Part | None = None
    after: Part | None = None


class Sheet(Model):
    rows: tuple[tuple[str, Outcome], ...]


class Options(Model):
    word: str = "option"


class Settings(Model):
    options: Options = Options()


@phase(scope="run")
def shared(as_of: date, settings: Options) -> Shared:
    """Made once."""
    return Shared(word=f"{as_of} {settings.word}")


@phase(scope="ticker")
def part(ticker: str, shared: Shared, *, ask: Ask) -> Part:
    """Made for each ticker."""
    return Part(ticker=ticker, word=shared.word)


@phase(scope="ticker")
def after(part: Part) -> Part:
    """Made of the part."""
    return part


@phase(scope="run", keys=lambda sheet: [ticker for ticker, _ in sheet.rows])
def sheet(tickers: tuple[str, ...], outcomes: Mapping[str, Outcome]) -> Sheet:
    """Gathered in the order of the request."""
    return Sheet(rows=tuple((ticker, outcomes[ticker]) for ticker in tickers))


Made = Callable[..., Part]


@dataclass
class Stage:
    """A night on a real store, with phases that can be replaced."""

    store: Store
    tickers: tuple[str, ...] = ("A", "B", "C")
    threads: int = 4
    provider: Scripted | None = None
    told: list[tuple[str, str | None]] = field(default_factory=list)

    @property
    def kept(self) -> Artefacts:
        return Artefacts(self.store, RUN)

    def run(self, *pipeline: Phase) -> Sheet:
        journal, recorder = Journal(self.store, RUN, 60), Recorder(self.store, RUN, 1)
        night = Night(
            pipeline=pipeline or (shared, part, after, sheet),
            tickers=self.tickers,
            given={"as_of": DAY},
            settings=Settings(),
            doors=Doors(door(self.store, self.provider), Fetch("s", "v", None, journal, recorder)),
            artefacts=self.kept,
            threads=self.threads,
            progress=lambda ticker, reason: self.told.append((str(ticker), reason)),
        )
        found = run(night)["sheet"]
        assert isinstance(found, Sheet)
        return found

    def with_part(self, made: Made) -> Sheet:
        """A run whose part is made otherwise."""
        return self.run(shared, replace(part, function=made), after, sheet)

    def with_sheet(self, made: Callable[..., Sheet]) -> Sheet:
        """A run whose sheet is gathered otherwise."""
        return self.run(shared, part, after, replace(sheet, function=made))


@pytest.fixture(name="stage")
def _stage(store: Store) -> Stage:
    return Stage(store)


def raises(for_ticker: str, error: BaseException) -> Made:
    """A part that one ticker cannot have."""

    def made(ticker: str, shared: Shared, *, ask: Ask) -> Part:
        if ticker == for_ticker:
            raise error
        return Part(ticker=ticker, word=shared.word)

    return made


def failures(found: Sheet) -> dict[str, Failed]:
    return {ticker: outcome.failure for ticker, outcome in found.rows if outcome.failure is not None}


# What goes well


def test_artefacts_flow_from_phase_to_phase(stage: Stage) -> None:
    whole = Part(ticker="A", word="2001-02-03 option")
    found = stage.run()
    assert found.rows[0] == ("A", Outcome(part=whole, after=whole))
    assert sorted(stage.told) == [("A", None), ("B", None), ("C", None)]


def test_F111_rows_keep_the_order_of_the_request_whoever_ends_first(stage: Stage) -> None:
    stage.tickers = tuple(f"T{at}" for at in random.Random(1).sample(range(100), 40))
    stage.threads = 8
    ended = []

    def made(ticker: str, shared: Shared, *, ask: Ask) -> Part:
        time.sleep(random.Random(ticker).random() / 50)
        ended.append(ticker)
        return Part(ticker=ticker, word=shared.word)

    found = stage.with_part(made)
    assert [ticker for ticker, _ in found.rows] == list(stage.tickers)
    assert [outcome.part and outcome.part.ticker for _, outcome in found.rows] == list(stage.tickers)
    assert ended != list(stage.tickers)


@pytest.mark.parametrize("threads", [1, 3])
def test_no_more_tickers_at_once_than_threads(stage: Stage, threads: int) -> None:
    stage.threads, stage.tickers = threads, tuple("ABCDEFGH")
    lock, inside, most = threading.Lock(), 0, 0

    def made(ticker: str, shared: Shared, *, ask: Ask) -> Part:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        time.sleep(0.02)
        with lock:
            inside -= 1
        return Part(ticker=ticker, word="")

    stage.with_part(made)
    assert 1 <= most <= threads


def test_doors_are_bound_to_phase_and_ticker_and_turns_are_kept(stage: Stage) -> None:
    stage.provider = Scripted(reply(said(ticker="A")), reply(said(ticker="B")))
    stage.tickers, stage.threads = ("A", "B"), 1
    seen = []

    def made(ticker: str, shared: Shared, *, ask: Ask) -> Part:
        seen.append((ask.phase, ask.ticker))
        ask("debater", asked(ticker=ticker), returns=DebateRoundContribution, seat="bull")
        return Part(ticker=ticker, word=ask.used[0])

    found = stage.with_part(made)
    assert seen == [("part", "A"), ("part", "B")]
    for ticker, outcome in found.rows:
        assert outcome.part is not None
        assert Turns.model_validate_json(stage.kept.load(ticker)["turns"]).keys == (outcome.part.word,)


# One ticker's trouble


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (TickerFailure("too many gaps"), "failed"),
        (TickerFailure("12 sessions old", "stale"), "stale"),
        (NoData("unknown symbol"), "no_data"),
    ],
)
def test_F182_a_ticker_that_cannot_go_on_is_an_outcome_with_its_reason(
    stage: Stage, error: TickerFailure, status: str
) -> None:
    found = stage.with_part(raises("B", error))
    assert failures(found) == {"B": Failed(status=status, reason=str(error), phase="part")}
    assert found.rows[1] == ("B", Outcome(failure=failures(found)["B"]))
    assert all(outcome.after for ticker, outcome in found.rows if ticker != "B")
    assert dict(stage.told)["B"] == str(error)


def test_what_a_ticker_had_before_it_failed_is_kept(stage: Stage) -> None:
    def nothing_after(part: Part) -> Part:
        raise TickerFailure("no more")

    found = stage.run(shared, part, replace(after, function=nothing_after), sheet)
    assert all(outcome.part and not outcome.after and outcome.failure for _, outcome in found.rows)
    assert {failure.phase for failure in failures(found).values()} == {"after"}


@pytest.mark.parametrize(
    "bug", [ZeroDivisionError("by zero"), KeyError("x"), AssertionError("disagree"), RecursionError("deep")], ids=repr
)
def test_F081_a_bug_in_one_ticker_is_its_failure_with_a_traceback_in_the_log(
    stage: Stage, caplog: pytest.LogCaptureFixture, bug: Exception
) -> None:
    with caplog.at_level(logging.ERROR, "rebuttal"):
        found = stage.with_part(raises("B", bug))
    failure = failures(found)["B"]
    assert failure.status == "failed"
    assert type(bug).__name__ in failure.reason
    assert [ticker for ticker, outcome in found.rows if outcome.after] == ["A", "C"]
    assert [(record.exc_info or (None,))[0] for record in caplog.records] == [type(bug)]


def test_the_reason_of_a_bug_cannot_forge_a_line(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    found = stage.with_part(raises("B", ValueError("x\n2001 ERROR forged\x1b[31m" + "y" * 999)))
    reason = failures(found)["B"].reason
    assert reason.isprintable()
    assert len(reason) < 300


def test_F182_every_ticker_may_fail_and_all_are_there(stage: Stage) -> None:
    def never(ticker: str, shared: Shared, *, ask: Ask) -> Part:
        raise NoData(f"nothing of {ticker}")

    found = stage.with_part(never)
    assert [ticker for ticker, _ in found.rows] == ["A", "B", "C"]
    assert [failure.reason[-1] for failure in failures(found).values()] == ["A", "B", "C"]


def test_a_later_start_leaves_nothing_of_an_earlier_one(stage: Stage) -> None:
    stage.run()
    found = stage.with_part(raises("B", TickerFailure("now it fails")))
    assert found.rows[1][1].part is None
    again = stage.run()
    assert failures(again) == {}


# What stops a run


@pytest.mark.parametrize(
    "error",
    [
        InfrastructureError("model down"),
        StoreError("disk full"),
        SourceDown("no answer"),
        NotJournaled("no answer"),
        UsageError("no skill"),
        SeamBroken("lost"),
        KeyboardInterrupt(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_is_no_ticker_s_fault_stops_the_run(stage: Stage, error: BaseException) -> None:
    stage.tickers, stage.threads = tuple(f"T{at}" for at in range(60)), 2
    started = []

    def made(ticker: str, shared: Shared, *, ask: Ask) -> Part:
        started.append(ticker)
        time.sleep(0.01)
        return raises("T3", error)(ticker, shared, ask=ask)

    with pytest.raises(type(error)):
        stage.with_part(made)
    assert len(started) < 60
    assert "sheet" not in stage.kept.load("")


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")], ids=["memory", "thread"])
def test_F086_want_of_memory_is_no_ticker_s_fault(stage: Stage, error: Exception) -> None:
    with pytest.raises(InfrastructureError, match=r"memory ran out; .* operation\.threads"):
        stage.with_part(raises("B", error))
    assert "sheet" not in stage.kept.load("")


def test_a_failure_of_what_all_share_stops_the_run_before_any_ticker(stage: Stage) -> None:
    def down(as_of: date, settings: Options) -> Shared:
        raise SourceDown("no answer")

    with pytest.raises(SourceDown):
        stage.run(replace(shared, function=down), part, after, sheet)
    assert stage.told == []


def test_a_pipeline_that_cannot_work_never_starts(stage: Stage) -> None:
    with pytest.raises(TypeError, match="no earlier phase makes"):
        stage.run(part, after, sheet)
    assert stage.told == []
    assert stage.kept.load("") == {}


# Seams


def _rows(pick: Callable[[Sequence[str]], Sequence[str]]) -> Callable[..., Sheet]:
    return lambda tickers, outcomes: Sheet(rows=tuple((ticker, Outcome()) for ticker in pick(tickers)))


@pytest.mark.parametrize(
    ("gathered", "trouble"),
    [
        pytest.param(_rows(lambda tickers: tickers[:-1]), "missing C", id="lost"),
        pytest.param(_rows(lambda tickers: (*tickers, "D")), "extra D", id="added"),
        pytest.param(_rows(lambda tickers: (*tickers, "A")), "doubled A", id="doubled"),
        pytest.param(_rows(lambda tickers: (*tickers[:-1], "A")), "missing C; doubled A", id="same count"),
        pytest.param(_rows(lambda tickers: ()), "missing A, B, C", id="none"),
    ],
)
def test_F185_lost_added_and_doubled_tickers_stop_the_run_by_name(
    stage: Stage, gathered: Callable[..., Sheet], trouble: str
) -> None:
    with pytest.raises(SeamBroken) as caught:
        stage.with_sheet(gathered)
    assert "sheet" in str(caught.value)
    assert trouble in str(caught.value)
    assert "sheet" not in stage.kept.load("")


def test_a_ticker_asked_for_twice_stops_the_run_by_name(stage: Stage) -> None:
    stage.tickers = ("A", "B", "A")
    with pytest.raises(SeamBroken, match="doubled A"):
        stage.run()


def test_F134_an_artefact_of_another_ticker_stops_the_run_and_names_both(stage: Stage) -> None:
    def swapped(ticker: str, shared: Shared, *, ask: Ask) -> Part:
        return Part(ticker={"B": "C"}.get(ticker, ticker), word="")

    with pytest.raises(SeamBroken, match="part: asked for B, made C"):
        stage.with_part(swapped)


# Outcomes


def test_outcomes_hold_every_ticker_in_order_and_no_other(stage: Stage) -> None:
    stage.with_part(raises("B", NoData("nothing")))
    outcomes = Outcomes(("C", "B", "A"), stage.kept, Outcome)
    assert (list(outcomes), len(outcomes), "B" in outcomes, "D" in outcomes) == (["C", "B", "A"], 3, True, False)
    assert outcomes["B"].failure is not None
    assert outcomes["C"] == outcomes["C"]
    with pytest.raises(KeyError):
        outcomes["D"]


def test_artefacts_of_runs_and_tickers_do_not_mix(store: Store) -> None:
    one, other = Artefacts(store, "one"), Artefacts(store, "other")
    one.keep("A", {"shared": Shared(word="1")})
    other.keep("A", {"shared": Shared(word="2")})
    one.keep("B", {"shared": Shared(word="3")})
    one.keep("", {"shared": Shared(word="4")})
    one.keep("", {"more": Shared(word="5")})
    one.keep("A", {})
    loaded: dict[str, Any] = {"A": one.load("A"), "": one.load(""), "other": other.load("A"), "none": one.load("C")}
    assert {name: sorted(found.values()) for name, found in loaded.items()} == {
        "A": ['{"word":"1"}'],
        "": ['{"word":"4"}', '{"word":"5"}'],
        "other": ['{"word":"2"}'],
        "none": [],
    }


def test_what_the_whole_run_cannot_do_without_stops_it_as_an_outage(stage: Stage) -> None:
    """The phase has no use for the missing answer: nobody knows why there is none, so it is asked again."""

    def made(as_of: date, settings: Options) -> Shared:
        raise Unanswered("prices: nothing came, and nobody knows why")

    with pytest.raises(SourceDown, match="nobody knows why"):
        stage.run(replace(shared, function=made), part, after, sheet)


def test_what_is_noted_of_the_run_stands_at_a_ticker_that_a_bug_ended(stage: Stage) -> None:
    def noted(as_of: date, settings: Options, *, ask: Ask) -> Shared:
        ask.noted.add("macro_down")
        return Shared(word="word")

    asking = replace(shared, function=noted, params={**shared.params, "ask": Ask})
    stage.run(asking, replace(part, function=raises("B", ValueError("bug"))), after, sheet)
    flags = [json.loads(stage.kept.load(ticker)["turns"])["flags"] for ticker in ("A", "B")]
    assert flags == [["macro_down"], ["macro_down"]]
