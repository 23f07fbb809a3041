"""One night: start it, carry out the pipeline, close it, export it; and the same again from the journal alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import ValidationError

from phases.core.ask import Ask
from phases.core.budget import MICROS, Budget, Spent, ceilings_of, spent_by
from phases.core.errors import InfrastructureError, NotJournaled, StoreError, TickerFailure, UsageError
from phases.core.fetch import Fetch, Source
from phases.core.journal import Journal
from phases.core.log import about
from phases.core.provider import Provider
from phases.core.recorder import Recorder
from phases.core.runner import Artefacts, Doors, Night, run
from phases.core.runs import FeedEntry, Runs
from phases.core.skills import Skill
from phases.core.store import Store, open_store
from phases.core.text import go_on, printable
from phases.core.trace import span
from phases.core.watch import Watch
from phases.evidence.quality import checked
from phases.evidence.rows import SESSIONS
from phases.health import night_health
from phases.outputs.tables import FORMATS, make_folder, record_text, write_whole
from phases.pipeline import PIPELINE
from phases.plan import Plan
from phases.risk import OFF
from schemas.feed import PortfolioFeed
from schemas.generate import schema_text
from schemas.health import NightHealth
from schemas.market import Bars
from schemas.risk import RiskCase
from schemas.run import RunHeader, RunRecord
from schemas.summary import RATED, Status

PLANNED: tuple[Status, ...] = RATED
"""Statuses of a planned outcome."""

Progress = Callable[[str, str | None], None]


@dataclass(frozen=True)
class Finished:
    """A night that reached its end."""

    feed: PortfolioFeed
    record: RunRecord
    spent: Spent


@dataclass(frozen=True)
class Powers:
    """What a start of a run may reach; a replay has none of it."""

    provider: Provider | None = None
    source: Source | None = None
    budget: Budget | None = None
    watch: Watch = field(default_factory=Watch)


def _budget(header: RunHeader, store: Store, attempt: int, again: str = "") -> Budget:
    ceilings = ceilings_of(header.settings.operation)
    return Budget(store, header.run_id, header.as_of.isoformat(), attempt, *ceilings, again=again)


def hold_night(plan: Plan, store: Store, out: Path, progress: Progress, watch: Watch | None = None) -> Finished:
    """Start or go on with the run of a plan, to its end. Writes the store and the run's folder."""
    header = plan.header
    told = {"run_id": header.run_id, "engine": header.engine, "protocol": header.settings.debate.protocol}
    with about(run=header.run_id), span("run", **told, tickers=len(header.tickers)) as mark:
        attempt = Runs(store).start(header.run_id, header.as_of.isoformat(), header.engine, header.model_dump_json())
        try:
            finished = _held(plan, store, out, progress, watch or Watch(), attempt)
        except InfrastructureError as error:
            error.begun = True
            raise
        mark("exit", finished.record.exit)
    return finished


def _held(plan: Plan, store: Store, out: Path, progress: Progress, watch: Watch, attempt: int) -> Finished:
    header, runs = plan.header, Runs(store)
    recorder = Recorder(store, header.run_id, attempt)
    recorder.record(recorder.event("started", note=header.engine))
    try:
        kept = Artefacts(store, header.run_id)
        budget = _budget(header, store, attempt)
        watch.started(recorder, spent_by(store, header.run_id), budget.run_ceiling)
        powers = Powers(plan.provider, plan.source, budget, watch)
        feed = _carry_out(header, store, recorder, kept, progress, powers)
        spent, again = spent_by(store, header.run_id), f"go on with {go_on(header.run_id, out)}"
        record = _record(feed, recorder, spent, out, plan, night_health(store, header, feed, again))
        _written(feed, record)
        rows = [FeedEntry(row.ticker, row.status, row.model_dump_json()) for row in feed.rows]
        told = recorder.rows(recorder.event("ended", note=f"exit {record.exit}"))
        runs.finish(header.run_id, header.as_of.isoformat(), record.model_dump_json(), rows, told)
    except BaseException:
        runs.stop(header.run_id)
        raise
    finally:
        plan.provider.close()
    return Finished(feed, record, spent)


def hold_aside(plan: Plan, store: Store, out: Path, progress: Progress) -> Finished:
    """Carry out a plan that tries something out, beside the nights that count. Writes the store and a folder."""
    header, runs = plan.header, Runs(store)
    started = (header.run_id, header.as_of.isoformat(), header.engine, header.model_dump_json())
    attempt = runs.start(*started, aside=True)
    recorder = Recorder(store, header.run_id, attempt)
    recorder.record(recorder.event("started", note=header.engine))
    kept = Artefacts(store, header.run_id)
    again = "run the same command again"
    budget = _budget(header, store, attempt, again)
    powers = Powers(plan.provider, plan.source, budget)
    try:
        feed = _carry_out(header, store, recorder, kept, progress, powers)
    finally:
        plan.provider.close()
    spent = spent_by(store, header.run_id)
    record = _record(feed, recorder, spent, out, plan, night_health(store, header, feed, f"{again} with"))
    _written(feed, record)
    told = recorder.rows(recorder.event("ended", note=f"exit {record.exit}"))
    runs.finish_aside(header.run_id, record.model_dump_json(), told)
    return Finished(feed, record, spent)


def replay_night(header: RunHeader, store: Store, threads: int, progress: Progress) -> PortfolioFeed:
    """The feed of a run, rebuilt from its journal alone. Raises NotJournaled for what the journal lacks."""
    settings = header.settings
    operation = settings.operation.model_copy(update={"threads": threads})
    header = header.model_copy(update={"settings": settings.model_copy(update={"operation": operation})})
    with TemporaryDirectory(prefix="rebuttal-") as folder:
        scratch = open_store(Path(folder))
        try:
            kept = Artefacts(scratch, header.run_id)
            return _carry_out(header, store, Recorder(None, header.run_id, 1), kept, progress, Powers())
        finally:
            scratch.close()


def stored_feed(store: Store, run_id: str) -> PortfolioFeed:
    """The feed of a finished run. Raises UsageError if it has none yet, or one of another version. Reads the store."""
    body = Artefacts(store, run_id).load("").get("portfolio_feed")
    if body is None:
        raise UsageError(f"run {run_id} has no feed: it did not reach its end; go on with `run --resume {run_id}`")
    try:
        return PortfolioFeed.model_validate_json(body)
    except ValidationError as error:
        first = error.errors()[0]
        field = printable("/".join(map(str, first["loc"])))
        raise UsageError(
            f"run {run_id}: its feed was stored by another version of this program ({field}: {first['msg']}); "
            f"make the night anew with `run --as-of {run_id[:10]}` and the words of that run"
        ) from None


def stored_bars(header: RunHeader, store: Store, symbol: str) -> Bars | None:
    """Bars of a symbol as a run had them, checked as it checked them; None where it could use none. Reads the store."""
    journal = Journal(store, header.run_id, header.settings.operation.lease_seconds)
    fetch = Fetch(header.settings.source.name, header.vintage, None, journal, Recorder(None, header.run_id, 1))
    try:
        bars = fetch("bars", Bars, symbol=symbol, as_of=header.as_of.isoformat(), sessions=str(SESSIONS))
        return checked(bars, symbol, header.as_of, header.settings.market).bars
    except (TickerFailure, NotJournaled):
        return None


def stored_risk(store: Store, run_id: str) -> RiskCase | None:
    """What the risk seats of a run said; nothing if they were not to be asked. Reads the store."""
    body = Artefacts(store, run_id).load("").get("risk_case")
    case = None if body is None else RiskCase.model_validate_json(body)
    return None if case == OFF else case


def export(feed: PortfolioFeed, folder: Path) -> None:
    """Write the feed as CSV and JSON, and their schema, making the folder where it is not there. Writes files.

    Raises StoreError where they cannot be written.
    """
    files = {"feed.schema.json": schema_text(PortfolioFeed)}
    _write(folder, files | {f"feed.{name}": text(feed) for name, text in FORMATS.items()})


def _write(folder: Path, files: Mapping[str, str]) -> None:
    try:
        make_folder(folder)
        for name, text in files.items():
            write_whole(folder / name, text)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written ({error.strerror})") from None


def unlike_export(feed: PortfolioFeed, folder: Path) -> list[str]:
    """Names of the exports that are not there, or not to the byte what this feed gives. Reads files."""
    files = {f"feed.{kind}": text for kind, text in FORMATS.items()}
    return [
        name
        for name, text in files.items()
        if not (folder / name).is_file() or (folder / name).read_bytes() != text(feed).encode()
    ]


def _written(feed: PortfolioFeed, record: RunRecord) -> None:
    export(feed, Path(record.out))
    _write(Path(record.out), {"run.json": record_text(record)})


def _carry_out(
    header: RunHeader,
    store: Store,
    recorder: Recorder,
    kept: Artefacts,
    progress: Progress,
    powers: Powers,
) -> PortfolioFeed:
    settings = header.settings
    journal = Journal(store, header.run_id, settings.operation.lease_seconds)
    skills = {name: Skill(name, text) for name, text in header.skills.items()}
    parameters = settings.provider.parameters
    ask = Ask(
        skills,
        settings.models,
        header.engine,
        powers.provider,
        journal,
        recorder,
        parameters=parameters,
        rates=header.prices.models,
        budget=powers.budget,
    )
    offline = settings.operation.offline
    fetch = Fetch(settings.source.name, header.vintage, powers.source, journal, recorder, offline=offline)
    made = run(
        Night(
            pipeline=PIPELINE,
            tickers=header.tickers,
            given={
                "as_of": header.as_of,
                "question": header.question,
                "header": header,
                "history": header.history,
            },
            settings=settings,
            doors=Doors(ask, fetch),
            artefacts=kept,
            threads=settings.operation.threads,
            source_may_fail=settings.source.on_failure == "degrade",
            earlier=Artefacts(store, header.run_id) if powers.source is None else None,
            progress=progress,
            watch=powers.watch,
        )
    )
    feed = made["portfolio_feed"]
    assert isinstance(feed, PortfolioFeed)
    return feed


def _record(
    feed: PortfolioFeed, recorder: Recorder, spent: Spent, out: Path, plan: Plan, health: NightHealth
) -> RunRecord:
    tickers = {row.ticker: row.status for row in feed.rows}
    return RunRecord(
        run_id=feed.run_id,
        as_of=plan.asked,
        session=feed.as_of,
        engine=feed.engine,
        protocol=feed.protocol,
        statuses=dict(sorted(Counter(tickers.values()).items())),
        tickers=tickers,
        left_out=plan.header.left_out,
        calls=recorder.calls,
        tokens=spent.tokens,
        cost_usd=spent.micros / MICROS,
        out=str(out / feed.run_id),
        exit=_exit(tickers.values()),
        health=health,
    )


def _exit(statuses: Collection[Status]) -> int:
    """0 if every ticker has a planned outcome, 3 if the ceiling left some unpaid, else 1."""
    if "unpaid" in statuses:
        return 3
    return 0 if all(status in PLANNED for status in statuses) else 1
