"""`run`: the only loop over phases and the only place that starts threads.

Phases of the whole run come one after another; a stretch of ticker phases is worked off
ticker by ticker, so that one ticker's turns stay close together. What a ticker lacks is kept
as its failure; what the run lacks stops the run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import delete, insert, select

from phases.core.ask import Ask
from phases.core.errors import (
    CeilingReached,
    InfrastructureError,
    RebuttalError,
    SeamBroken,
    SourceDown,
    StoreError,
    TickerFailure,
    Unanswered,
)
from phases.core.fetch import Fetch
from phases.core.journal import Journal
from phases.core.log import LOG, about
from phases.core.outage import Watched
from phases.core.phase import Phase, check_pipeline, outcome_type, settings_of
from phases.core.seam import check_seam
from phases.core.store import Store, artefacts
from phases.core.text import printable
from phases.core.trace import span
from phases.core.watch import Watch
from schemas.base import Model
from schemas.events import Outage, Turns

GIVE_UP_SECONDS = 10
"""How long an interrupted run waits for the turns under way."""


@dataclass(frozen=True)
class Doors:
    """The two doors of a run, not yet bound to a phase or ticker."""

    ask: Ask
    fetch: Fetch


@dataclass(frozen=True)
class Night:
    """What a run works with."""

    pipeline: Sequence[Phase]
    tickers: tuple[str, ...]
    given: Mapping[str, Any]
    """Values of the reserved parameters as_of, question, header, history."""
    settings: Model
    doors: Doors
    artefacts: Artefacts
    threads: int
    progress: Callable[[str, str | None], None]
    """Told of each ticker that ended, with the reason if it failed."""
    source_may_fail: bool = False
    """Whether the night goes on when no source answers: without the ticker, or without that part of the market."""
    earlier: Artefacts | None = None
    """What a run that is rebuilt left, its outages among it."""
    watch: Watch = field(default_factory=Watch)
    """Told of each phase that begins."""


class Ended(NamedTuple):
    """How one ticker ended."""

    reason: str | None
    """Why it failed; absent if it did not."""
    outage: bool = False
    """Whether that was for want of an answer from a source."""
    status: str = "failed"
    """What its last record says of it."""


class Artefacts:
    """Artefacts of one run, kept in the store so that memory does not grow with the tickers."""

    def __init__(self, store: Store, run_id: str) -> None:
        self._store, self._run_id = store, run_id

    def keep(self, ticker: str, made: Mapping[str, Model]) -> None:
        """Keep what was made for a ticker, or for the run where `ticker` is empty. Writes the store."""
        rows = [
            {"run_id": self._run_id, "ticker": ticker, "name": name, "body": record.model_dump_json()}
            for name, record in made.items()
        ]
        old = [artefacts.c.run_id == self._run_id, artefacts.c.ticker == ticker]
        if not ticker:
            old.append(artefacts.c.name.in_(made))

        def work(connection: Any) -> None:
            connection.execute(delete(artefacts).where(*old))
            connection.execute(insert(artefacts), rows)

        if rows:
            self._store.write(work)

    def load(self, ticker: str) -> dict[str, str]:
        """JSON of what was made for a ticker, by name. Reads the store."""
        mine = (artefacts.c.run_id == self._run_id, artefacts.c.ticker == ticker)
        with self._store.read() as connection:
            found = connection.execute(select(artefacts.c.name, artefacts.c.body).where(*mine)).all()
        return dict(map(tuple, found))


class Outcomes(Mapping[str, Any]):
    """What the ticker phases made, typed as the gathering phase asks for it, loaded one at a time."""

    def __init__(self, tickers: Sequence[str], kept: Artefacts, entry: type[Model]) -> None:
        self._tickers, self._kept, self._entry = dict.fromkeys(tickers), kept, entry

    def __getitem__(self, ticker: str) -> Any:
        if ticker not in self._tickers:
            raise KeyError(ticker)
        found = self._kept.load(ticker)
        parts = ",".join(f'"{name}":{body}' for name, body in found.items() if name in self._entry.model_fields)
        return self._entry.model_validate_json("{" + parts + "}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._tickers)

    def __len__(self) -> int:
        return len(self._tickers)


def run(night: Night) -> dict[str, Model]:
    """Carry out the pipeline; gives the artefacts of the whole run, by name.

    Raises what stops a run: InfrastructureError, CeilingReached, NotJournaled, SeamBroken.
    """
    check_pipeline(night.pipeline, night.given, night.settings)
    try:
        with heartbeat(night.doors.ask.journal):
            return _run_all(night)
    except (MemoryError, RuntimeError) as error:
        if not _starved(error):
            raise
        raise InfrastructureError("memory ran out; give the run more, or lower operation.threads") from None


def _starved(error: BaseException) -> bool:
    """Whether memory ran out; that a thread cannot start is how the standard library says so of its stack."""
    return isinstance(error, MemoryError) or str(error) == "can't start new thread"


@contextmanager
def heartbeat(journal: Journal) -> Iterator[None]:
    """Meanwhile the journal's claims are renewed, so that a slow call is not taken for a lost one. Writes the store."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(journal.beat_seconds):
            try:
                journal.renew()
            except StoreError as error:  # whoever asked will hear of it when the answer cannot be kept
                LOG.warning("claims were not renewed: %s", error)

    thread = threading.Thread(target=copy_context().run, args=(beat,), name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(GIVE_UP_SECONDS)


def _run_all(night: Night) -> dict[str, Model]:
    made: dict[str, Model] = {}
    turns = Asked()
    for scope, stretch in groupby(night.pipeline, key=lambda one: one.scope):
        phases = list(stretch)
        if scope == "ticker":
            _run_tickers(night, phases, made, turns.noted)
            continue
        for one in phases:
            made[one.name] = _run_once(night, one, made, turns)
            night.artefacts.keep("", {one.name: made[one.name], "turns": turns.record()})
    return made


@dataclass(frozen=True)
class Asked:
    """The turns of one ticker, or of the run as a whole, as they are asked."""

    used: list[str] = field(default_factory=list)
    noted: set[str] = field(default_factory=set)
    outages: dict[str, Outage] = field(default_factory=dict)

    def record(self) -> Turns:
        """As they are kept."""
        return Turns(keys=tuple(self.used), flags=tuple(sorted(self.noted)), outages=dict(sorted(self.outages.items())))


def _run_once(night: Night, one: Phase, made: Mapping[str, Model], turns: Asked) -> Model:
    entry = outcome_type(one)
    extra = {"outcomes": Outcomes(night.tickers, night.artefacts, entry)} if entry else {}
    night.watch.began("", one.name)
    known = set(turns.outages)
    try:
        artefact: Model = one(**_arguments(night, one, made, extra, turns))
    except Unanswered as nothing:  # without this answer there is no such artefact
        raise SourceDown(nothing.reason) from None
    for asked in turns.outages.keys() - known:
        if turns.outages[asked].kind == "down":
            turns.noted.add(f"{one.name.removesuffix('_snapshot')}_down")
            reason = printable(turns.outages[asked].reason)
            LOG.warning("%s; the night goes on without it, and the same command asks again", reason)
    if one.keys is not None:
        check_seam(f"tickers > {one.name}", night.tickers, one.keys(artefact))
    return artefact


def _arguments(
    night: Night, one: Phase, made: Mapping[str, Model], extra: Mapping[str, Any], turns: Asked, ticker: str = ""
) -> dict[str, Any]:
    doors: dict[str, Any] = {
        "ask": replace(night.doors.ask, phase=one.name, ticker=ticker, used=turns.used, noted=turns.noted),
        "fetch": _watched(night, turns, ticker),
    }
    fixed = {"tickers": night.tickers, "settings": settings_of(one, night.settings), **night.given}
    known = {**fixed, **doors, **extra, **made}
    return {name: known[name] for name in one.params}


def _watched(night: Night, turns: Asked, ticker: str) -> Watched:
    """The door to data of one ticker, or of the run as a whole. Only there may an answer be done without."""
    kept = night.earlier.load(ticker).get("turns") if night.earlier else None
    earlier = Turns.model_validate_json(kept).outages if kept else {}
    door = vars(replace(night.doors.fetch, ticker=ticker))
    return Watched(**door, noted=turns.outages, earlier=earlier, tolerant=night.source_may_fail and not ticker)


def _run_tickers(night: Night, phases: Sequence[Phase], made: Mapping[str, Model], noted: Set[str]) -> None:
    """Work off all tickers in a pool. What stops the run stops it at once; turns under way are finished.

    What was noted of the turns of the whole run is noted of each ticker.

    An interrupt waits for them only so long; the calls it gives up are asked again when the run goes on.
    """
    pool = ThreadPoolExecutor(night.threads, thread_name_prefix="ticker")
    futures: dict[Future[Ended], str] = {}
    unanswered: list[str] = []
    try:
        futures |= {
            pool.submit(copy_context().run, _run_ticker, night, phases, made, ticker, Asked(noted={*noted})): ticker
            for ticker in night.tickers
        }
        for future in as_completed(futures):
            ticker = futures[future]
            ended = _ended(night, ticker, future, noted)
            unanswered += [f"{ticker}: {ended.reason}"] * ended.outage
            with about(ticker=ticker):
                night.progress(ticker, ended.reason)
    except BaseException as reason:
        night.doors.ask.journal.stopping.set()
        LOG.info("stopping: turns under way get %d s", GIVE_UP_SECONDS, extra={"wait": GIVE_UP_SECONDS})
        pool.shutdown(wait=False, cancel_futures=True)
        under_way = [future for future in futures if not future.done()]
        wait(under_way, GIVE_UP_SECONDS if isinstance(reason, KeyboardInterrupt) else None)
        raise
    pool.shutdown()
    check_seam("tickers > pool", night.tickers, futures.values())
    if len(unanswered) == len(night.tickers):
        raise SourceDown(f"source outage: none of {len(night.tickers)} tickers was answered for; {unanswered[0]}")


def _ended(night: Night, ticker: str, future: Future[Ended], noted: Set[str]) -> Ended:
    """How the ticker ended. A bug in one ticker is that ticker's failure; want of memory is not."""
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, RebuttalError) or _starved(error) or not isinstance(error, Exception):
        raise error
    with about(ticker=ticker):
        LOG.error("unexpected error", exc_info=error)
    reason = f"unexpected {type(error).__name__}: {printable(str(error))[:200]}"
    turns = Asked(noted={*noted}).record()
    night.artefacts.keep(ticker, {"failure": _failure(night, "failed", reason, "unknown"), "turns": turns})
    return Ended(reason)


def _run_ticker(night: Night, phases: Sequence[Phase], shared: Mapping[str, Model], ticker: str, turns: Asked) -> Ended:
    """All ticker phases of one ticker."""
    with about(ticker=ticker), span("ticker", ticker=ticker) as mark:
        ended = _phases_of(night, phases, shared, ticker, turns)
        mark("status", ended.status)
    return ended


def _phases_of(night: Night, phases: Sequence[Phase], shared: Mapping[str, Model], ticker: str, turns: Asked) -> Ended:
    made: dict[str, Model] = {}
    reason, outage = None, False
    for one in phases:
        night.watch.began(ticker, one.name)
        try:
            artefact = one(**_arguments(night, one, {**shared, **made}, {"ticker": ticker}, turns, ticker))
        except TickerFailure as failure:
            reason, outage = failure.reason, isinstance(failure, Unanswered)
            made["failure"] = _failure(night, failure.status, reason, one.name)
            break
        except SourceDown as down:
            if not night.source_may_fail:
                raise
            reason, outage = str(down), True
            made["failure"] = _failure(night, "failed", reason, one.name)
            break
        except CeilingReached as reached:
            reason = str(reached)
            made["failure"] = _failure(night, "unpaid", reason, one.name)
            break
        if getattr(artefact, "ticker", ticker) != ticker:
            raise SeamBroken(f"phase {one.name}: asked for {ticker}, made {artefact.ticker}")
        made[one.name] = artefact
    night.artefacts.keep(ticker, {**made, "turns": turns.record()})
    return Ended(reason, outage, getattr([*made.values()][-1], "status", "made"))


def _failure(night: Night, status: str, reason: str, phase: str) -> Model:
    """The failure record of the phase that gathers the outcomes."""
    entry = next(found for one in night.pipeline if (found := outcome_type(one)))
    options = entry.model_fields["failure"].annotation.__args__  # type: ignore[union-attr]
    record = next(option for option in options if isinstance(option, type) and issubclass(option, Model))
    return record(status=status, reason=reason, phase=phase)  # type: ignore[call-arg]
