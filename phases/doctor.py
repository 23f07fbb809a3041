"""Doctor: what is configured, reachable and priced, and what is missing, each with its remedy. Starts nothing."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from phases.core.ask import model_of
from phases.core.config import secret
from phases.core.errors import (
    InfrastructureError,
    KeyRefused,
    NoData,
    RebuttalError,
    SourceDamaged,
    TickerFailure,
    UsageError,
)
from phases.core.recorder import today
from phases.core.sqlite import wal_is_faulty
from phases.core.store import FILE, VARIABLE, configured_store, has_store, is_writable
from phases.core.text import printable
from phases.notify import unusable
from phases.plan import Words, folder_of, price_table, provider_of, seats_of, settings_of
from phases.providers import beside, check_money
from phases.sources import SOURCES, answers, source_names
from phases.sources.base import Inspected, Source
from schemas.market import Span
from schemas.settings import PriceTable, Settings

OLD_DAYS = 120
"""Age from which a price table is worth a look."""

State = Literal["ok", "note", "missing", "damaged", "unreachable"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    state: State
    about: str
    told: str
    remedy: str = ""


def findings_text(findings: Sequence[Finding]) -> str:
    """A paragraph for each finding, as wide as the terminal, and a last line that sums up."""
    counts = Counter(one.state for one in findings)
    bad = ", ".join(f"{counts[state]} {state}" for state in ("unreachable", "damaged", "missing") if counts[state])
    return "\n".join([*(_paragraph(one) for one in findings), "", bad or "a night can start"])


def _paragraph(one: Finding) -> str:
    start, width = f"{one.state:11}  {one.about:17}  ", max(shutil.get_terminal_size().columns, 60)
    told = textwrap.fill(printable(one.told), width, initial_indent=start, subsequent_indent=" " * len(start))
    if not one.remedy:
        return told
    arrow = " " * len(start) + "-> "
    remedy = textwrap.fill(printable(one.remedy), width, initial_indent=arrow, subsequent_indent=" " * len(arrow))
    return f"{told}\n{remedy}"


def examine(words: Words, out: Path) -> list[Finding]:
    """Everything a night of these words needs. Reads files, the store and the environment; reaches the network.

    Raises UsageError where the configuration itself cannot be read.
    """
    settings = settings_of(words)
    shown = f"{words.config or 'configs/default.yaml'}; protocol {settings.debate.protocol}"
    return [
        Finding("ok", "configuration", shown),
        *_sources(settings),
        *_provider(settings),
        *_models(settings),
        *_prices(words, settings),
        *(Finding("missing", "at the end", told, remedy) for told, remedy in unusable(settings)),
        _tried("store", lambda: _store(out), _store_remedy(out)),
    ]


def exit_code(findings: list[Finding]) -> int:
    """4 if something is unreachable or damaged, else 2 if something is missing, else 0."""
    states = {one.state for one in findings}
    return 4 if states & {"unreachable", "damaged"} else 2 if "missing" in states else 0


def preflight(settings: Settings, places: Mapping[str, str]) -> None:
    """Raise UsageError if the models' server says it knows no such model; `places` says where each is configured.

    A server that does not answer is left to the turns themselves. Reaches the network.
    """
    server = beside(settings.provider)
    if server is None:
        return
    with server:
        try:
            known = server.models(_models_used(settings))
        except (InfrastructureError, UsageError):
            return
    for one in known:
        if one.lifecycle in ("unknown", "retired"):
            told = "has been retired" if one.lifecycle == "retired" else "is not known to its server"
            raise UsageError(
                f"models: {one.model!r} {told}; correct it in {places.get(one.model, 'the configuration')}"
            )


def _tried(about: str, work: Callable[[], str], remedy: str) -> Finding:
    """What came of the work: it is there, is missing, or does not answer."""
    try:
        return Finding("ok", about, work())
    except InfrastructureError as error:
        return Finding("unreachable", about, str(error), remedy)
    except RebuttalError as error:
        return Finding("missing", about, str(error), remedy)


def _sources(settings: Settings) -> Iterator[Finding]:
    """Each source, asked for the least that shows whether it answers; and what is wrong with its own files."""
    for name in source_names(settings.source):
        about = f"source {name}"
        try:
            source = SOURCES[name](settings.source)
            yield Finding("ok", about, _reached(settings, source))
        except SourceDamaged as error:
            yield Finding("damaged", about, str(error))
        except InfrastructureError as error:
            yield Finding("unreachable", about, str(error), SOURCE_REMEDIES.get(name, ""))
        except UsageError as error:  # which says its remedy itself
            yield Finding("missing", about, str(error))
        except RebuttalError as error:
            yield Finding("missing", about, str(error), SOURCE_REMEDIES.get(name, ""))
        else:
            for fault in source.faults() if isinstance(source, Inspected) else ():
                yield Finding("note", about, fault, "until then a night that does not ask for it goes on without it")


def _reached(settings: Settings, source: Source) -> str:
    """What a source covers. Raises what stands in the way of a night on it."""
    serves = [dataset for dataset, those in settings.source.order.items() if source.name in those]
    try:
        span = Span.model_validate_json(json.dumps(source.fetch("span", {})))
        told = f"{span.first} to {span.last}"
    except NoData:
        told, span = "answers", None
    as_of = (span.last if span else today()).isoformat()
    params = {"symbol": settings.question.benchmark, "as_of": as_of, "sessions": "5"}
    if source.live:
        source.fetch("bars" if answers(source.name, "bars") else "macro", params)
    else:
        for symbol in (settings.question.benchmark, *settings.held):
            with suppress(TickerFailure):  # what is not there is no damage
                source.fetch("bars", {**params, "symbol": symbol})
    return told + (f" ({', '.join(serves)})" if serves else "")


SOURCE_REMEDIES = {
    "yahoo": "check the network and source.proxy; a refusal for too many questions ends by itself after a while",
    "fred": "check the network, source.proxy and source.fred.base_url, or download the series into source.fred.path",
}
"""Of sources whose errors do not say it themselves."""


def _provider(settings: Settings) -> Iterator[Finding]:
    provider = settings.provider
    try:
        made = provider_of(settings)
    except UsageError as error:
        yield Finding("missing", "provider", str(error))
        return
    made.close()
    key = (
        "" if provider.name == "offline" else f"; key from {provider.key}: {'set' if secret(provider.key) else 'none'}"
    )
    yield Finding("ok", "provider", f"{made.engine}{key}")


def _models(settings: Settings) -> Iterator[Finding]:
    """Whether the server answers, and what it knows of each model that is configured."""
    server = beside(settings.provider)
    if server is None:
        return
    with server:
        try:
            known = server.models(_models_used(settings))
        except KeyRefused as error:
            if secret(settings.provider.key) is None:
                yield Finding("ok", "server", f"{server.base} answers; without a key it says no more")
            else:
                remedy = f"set {settings.provider.key} to a valid key"
                yield Finding("missing", "server", f"{server.base}: {error}", remedy)
            return
        except InfrastructureError as error:
            remedy = "check the network, then provider.base_url"
            yield Finding("unreachable", "server", f"{server.base}: {error}", remedy)
            return
    yield Finding("ok", "server", f"{server.base} answers")
    for one in known:
        yield _model(one.model, one.lifecycle, one.retires)


def _model(model: str, lifecycle: str, retires: date | None) -> Finding:
    when = f" on {retires}" if retires else ""
    match lifecycle:
        case "unknown":
            return Finding("missing", "model", f"{model}: the server has no such model", "correct it under `models:`")
        case "retired":
            return Finding("missing", "model", f"{model}: retired{when}", "name its successor under `models:`")
        case "deprecated":
            return Finding("note", "model", f"{model}: will be retired{when}", "plan its successor under `models:`")
        case "unsaid":
            return Finding("ok", "model", f"{model}: the server lists no such model, and may still answer to it")
    return Finding("ok", "model", f"{model}: {lifecycle}" + (f", retires{when}" if retires else ""))


def _models_used(settings: Settings) -> list[str]:
    return sorted({model_of(settings.models, skill, seat) for skill, seat in seats_of(settings)})


def _prices(words: Words, settings: Settings) -> Iterator[Finding]:
    table = price_table(settings, folder_of(words))
    age = (today() - table.date).days
    state: State = "note" if age > OLD_DAYS else "ok"
    remedy = "compare it with your vendor's page" if state == "note" else ""
    yield Finding(state, "prices", f"{settings.prices} of {table.date}, {age} day{'s' * (age != 1)} old", remedy)
    unpriced = [one for one in _models_used(settings) if one not in table.models]
    if unpriced and settings.provider.name != "offline":
        told = f"not in the table, counted at its dearest rates: {', '.join(unpriced)}"
        yield Finding("note", "prices", told, f"add them to {settings.prices}")
    yield _tried("ceiling", lambda: _ceiling(settings, table), "")


def _ceiling(settings: Settings, table: PriceTable) -> str:
    check_money(settings, table)
    run, night = settings.operation.max_cost, settings.operation.max_cost_night
    told = [f"${most:g} a {one}" for one, most in (("run", run), ("night", night)) if most is not None]
    return ", ".join(told) or "none, and none is needed"


def _store_remedy(out: Path) -> str:
    if secret(VARIABLE):
        return f"correct the environment variable {VARIABLE}, or unset it for a store in --out"
    return "give a folder that can be written: --out DIR"


def _store(out: Path) -> str:
    log = "; SQLite's write-ahead log is faulty in this version and is not used" if wal_is_faulty() else ""
    if has_store(out):
        with closing(configured_store(out, create=False)):
            if secret(VARIABLE) is None and not is_writable(out, out / FILE):
                raise UsageError(f"the store of {out} can be read and not written")
            return f"the store of {out} is sound{log}"
    nearest = next(one for one in (out, *out.absolute().parents) if one.exists())
    try:
        TemporaryDirectory(prefix="rebuttal-", dir=nearest).cleanup()
    except OSError as error:
        raise UsageError(f"{nearest} cannot be written ({error.strerror})") from None
    return f"{out / FILE} will be made{log}"
