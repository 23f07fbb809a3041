"""Planning a night: from words and files to the header whose digest names the run. Starts nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from types import MappingProxyType

from phases.analyst_payload import AXES
from phases.core.bundle import BUNDLE, code_digest
from phases.core.config import load_yaml, named, overlay, places, read_record, with_words
from phases.core.errors import UsageError
from phases.core.fetch import Source
from phases.core.provider import Provider
from phases.core.runs import Runs
from phases.core.skills import LOCK, UNASKED, Skill, changed_skills, check_table, load_skills
from phases.core.text import printable
from phases.debate.protocol import Protocol, loop_rounds, protocol_file, read_protocol
from phases.debate.seats import seated
from phases.identity import changed, named_run
from phases.maths.exact import exact
from phases.maths.sessions import session_after
from phases.news import READER
from phases.origin import origin_of
from phases.past import history_of
from phases.providers import PROVIDERS, check_money, unasked
from phases.risk import SEATS
from phases.sources import check_tickers, faults_of
from phases.watchlist import focus, watchlist
from schemas.market import Question, Span
from schemas.run import RunHeader
from schemas.settings import PriceTable, Settings

CONFIGS = BUNDLE / "configs"
SKILLS = BUNDLE / "skills"

ALWAYS_USED = ("macro-bias", "research-manager")


@dataclass(frozen=True)
class Words:
    """What a user said."""

    tickers: Sequence[str] = ()
    config: Path | None = None
    sets: Sequence[str] = ()
    as_of: str | None = None
    debate: str | None = None
    protocols: Path | None = None
    max_cost: float | None = None
    offline: bool = False

    @property
    def configures(self) -> bool:
        """Whether anything was said that settles the configuration."""
        return bool(self.config or self.sets or self.debate or self.protocols)


@dataclass(frozen=True)
class Plan:
    """A night that could start."""

    header: RunHeader
    asked: date
    """Date that was asked for."""
    provider: Provider
    source: Source | None
    """Absent where every answer is in the journal."""
    span: Span | None
    """Days the source covers."""
    notes: tuple[str, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)
    """Where each model is configured."""


def settings_of(words: Words, base: Settings | None = None) -> Settings:
    """The effective configuration: `base` or the default, overlay, `--set`, options. Reads files."""
    config = load_yaml(CONFIGS / "default.yaml") if base is None else base.model_dump(mode="json")
    where = "configuration"
    if words.config is not None:
        config, where = overlay(config, load_yaml(words.config)), str(words.config)
    config = with_words(config, words.sets)
    options = {
        "--debate": ("debate.when", words.debate),
        "--protocols": ("debate.protocols", words.protocols),
        "--as-of": ("as_of", words.as_of),
        "--max-cost": ("operation.max_cost", words.max_cost),
        "--offline": ("operation.offline", "true" if words.offline else None),
    }
    said = {option: pair for option, pair in options.items() if pair[1] is not None}
    for name, value in said.values():
        section, _, key = name.rpartition(".")
        config = overlay(config, {section: {key: str(value)}} if section else {key: str(value)})
    with _blaming(where, words.sets, {name: option for option, (name, _) in said.items()}):
        return read_record(Settings, config, where)


@contextmanager
def _blaming(where: str, sets: Sequence[str], options: Mapping[str, str]) -> Iterator[None]:
    """A UsageError about what an option or a `--set` said names that instead of the file."""
    try:
        yield
    except UsageError as error:
        rest = str(error).removeprefix(f"{where}: ")
        key, _, why = rest.partition(": ")
        if key in options:
            raise UsageError(f"{options[key]}: {why}") from None
        unknown = rest.partition("unknown key ")[2].partition(" ")[0].rstrip(";")
        for key in (word.partition("=")[0].strip() for word in sets):
            named = (f"{key}:", f"{key}.", f"{key} (")
            if rest.startswith(named) or rest.partition(" is above ")[2].startswith(named):
                raise UsageError(f"--set {rest}") from None
            if unknown and f"{key}.".startswith(f"{unknown}."):
                raise UsageError(f"--set {key}: {rest}") from None
        raise


def plan(words: Words, runs: Runs | None, resumed: RunHeader | None = None, *, spends: bool = True) -> Plan:
    """Everything a run needs, checked. Reads files and, where there is one, the store.

    With `resumed`, what was not said is taken from that run. `spends` is false where nothing will be
    asked. Raises UsageError naming what is wrong and what is allowed.
    """
    settings = _settled(words, resumed)
    prices = price_table(settings, folder_of(words)) if resumed is None else resumed.prices
    written = _places(words, settings, resumed)
    provider = provider_of(settings, written) if spends else unasked(settings.provider, written)
    if spends:
        check_money(settings, prices)
    if not any(exact(weight) for weight in settings.analyst.axes.values()):
        raise UsageError("analyst.axes: no axis has a weight above 0")
    text, where = protocol_text(settings, resumed)
    protocol = read_protocol(text, where)
    if protocol.protocol != settings.debate.protocol:
        raise UsageError(f"{where}: protocol: {protocol.protocol!r} differs from its file {settings.debate.protocol!r}")
    loop_rounds(protocol, settings.debate.rounds, "debate.rounds")
    skills, changed = _used_skills(protocol, settings, where)
    origin = str(words.config or "configuration")
    with _blaming(origin, words.sets, {}):
        check_tables(settings, protocol, origin)
    source, asked, session, span, benchmark, notes = origin_of(settings, runs, resumed)
    wanted_names = words.tickers or (() if resumed is None else (*resumed.tickers, *resumed.left_out))
    folder = _universe_folder(words, settings, asked=not wanted_names)
    wanted = watchlist(wanted_names, settings, folder, lambda: focus(settings, source, session))
    check_tickers(source, wanted.tickers, session, settings.source.on_failure == "stop")
    header = RunHeader(
        run_id="unnamed",
        as_of=session,
        tickers=wanted.tickers,
        left_out=wanted.left_out,
        question=_question(settings, benchmark, session),
        settings=_pinned(settings, session),
        engine=provider.engine,
        protocol=text,
        prices=prices,
        skills={name: skill.text for name, skill in skills.items()},
        changed_skills=changed,
        vintage=source.vintage,
        code=code_digest(),
        history=history_of(runs, wanted.tickers, session, provider.engine),
    )
    notes = tuple(dict.fromkeys((*wanted.notes, *notes)))
    notes = (*notes, *(fault for fault in faults_of(source) if fault not in " ".join(notes)))
    if asked != session:
        note = f"{asked} is no session of {settings.question.calendar}; the night is that of {session}"
        notes = (*notes, note)
    return Plan(named_run(header), asked, provider, source, span, notes, written)


def provider_of(settings: Settings, places: Mapping[str, str] = MappingProxyType({})) -> Provider:
    """The provider that the settings name. Raises UsageError naming those there are.

    `places` says where each model is configured, for the message about one that is not there.
    """
    provider: Provider = named(PROVIDERS, "provider", settings.provider.name)(settings.provider, places)
    return provider


def _places(words: Words, settings: Settings, resumed: RunHeader | None) -> Mapping[str, str]:
    """Where each model is written, for a reader. Reads files."""
    if resumed is not None and words.config is None:
        run = dict.fromkeys(settings.models.values(), f"run {resumed.run_id}")
        said = places("models", settings.models, [], words.sets)
        return run | said
    files = [path for path in (words.config, CONFIGS / "default.yaml") if path is not None]
    return places("models", settings.models, files, words.sets)


def resume_plan(words: Words, runs: Runs, name: str, *, spends: bool = True) -> Plan:
    """The plan of a run that goes on. Reads files and the store. `spends` is false where nothing will be asked.

    Raises UsageError naming what has changed, of what decides what the run says, since it began.
    """
    if name == "last" and not runs.all():
        fresh = plan(words, runs, spends=spends)
        return replace(
            fresh, notes=(*fresh.notes, f"nothing to resume in this store; a new run of {fresh.header.as_of} starts")
        )
    known = runs.find(name)
    header = RunHeader.model_validate_json(known.header)
    planned = plan(words, runs, header, spends=spends)
    different = changed(header, planned.header)
    if different:
        shown = ", ".join(different[:8])
        raise UsageError(f"--resume {known.run_id}: changed since it began: {shown}; a new run goes without --resume")
    return planned


def _universe_folder(words: Words, settings: Settings, asked: bool) -> Path:
    """Folder the universe file is relative to: the configuration's own, else the shipped one.

    Raises UsageError where the file is `asked` for and is in neither.
    """
    file, folders = settings.universe.file, list(dict.fromkeys((folder_of(words), CONFIGS)))
    found = next((folder for folder in folders if file is not None and (folder / file).is_file()), None)
    if asked and file is not None and found is None:
        places = " and ".join(printable(str(folder)) for folder in folders)
        raise UsageError(
            f"universe.file: there is no file {printable(file)!r} in {places}; a path is relative to the folder of "
            "the configuration, so write one from there, or a whole path"
        )
    return found or CONFIGS


def folder_of(words: Words) -> Path:
    """Folder of the configuration: what it names is looked for there first."""
    return words.config.parent if words.config is not None else CONFIGS


def price_table(settings: Settings, own: Path) -> PriceTable:
    """The price table, beside the configuration in its folder or among the shipped ones. Reads a file."""
    path = next((folder / settings.prices for folder in (own, CONFIGS) if (folder / settings.prices).is_file()), None)
    if path is None:
        known = ", ".join(sorted(f"prices/{one.name}" for one in (CONFIGS / "prices").glob("*.yaml")))
        raise UsageError(f"prices: there is no file {settings.prices!r} (shipped: {known})")
    return read_record(PriceTable, load_yaml(path), str(path))


def _pinned(settings: Settings, session: date) -> Settings:
    """Settings as the run keeps them: the session for the date, and no folder or file whose content it has."""
    debate = settings.debate.model_copy(update={"protocols": None})
    universe = settings.universe.model_copy(update={"file": None})
    return settings.model_copy(update={"as_of": session, "debate": debate, "universe": universe})


def _settled(words: Words, resumed: RunHeader | None) -> Settings:
    """What was said; and what was not said, as the resumed run has it."""
    fresh = settings_of(words)
    if resumed is None:
        return fresh
    kept = fresh if words.config is not None else settings_of(words, resumed.settings)
    said = "\n".join(words.sets)
    ceilings = {
        name: getattr(resumed.settings.operation, name)
        for name in ("max_cost", "max_cost_night")
        if getattr(kept.operation, name) is None and f"operation.{name}=" not in said
    }
    operation = kept.operation.model_copy(update=ceilings)
    as_of = fresh.as_of if _says_as_of(words) else resumed.as_of
    return kept.model_copy(update={"as_of": as_of, "operation": operation})


def _says_as_of(words: Words) -> bool:
    in_sets = any(word.partition("=")[0].strip() == "as_of" for word in words.sets)
    in_file = words.config is not None and "as_of" in load_yaml(words.config)
    return words.as_of is not None or in_sets or in_file


def protocol_text(settings: Settings, resumed: RunHeader | None = None) -> tuple[str, str]:
    """Text of the protocol and where it is from; a resumed run has its own, should the file be out of reach.

    Reads files.
    """
    further = Path(settings.debate.protocols) if settings.debate.protocols else None
    if further is not None and not further.is_dir():
        raise UsageError(f"debate.protocols: {printable(str(further))} is no folder")
    try:
        path = protocol_file(settings.debate.protocol, CONFIGS / "protocols", further)
    except UsageError:
        if resumed is None or resumed.settings.debate.protocol != settings.debate.protocol:
            raise
        return resumed.protocol, f"protocol of run {resumed.run_id}"
    try:
        return path.read_text(encoding="utf-8"), str(path)
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 at byte {error.start}") from None


def seats_of(settings: Settings, protocol: Protocol | None = None) -> list[tuple[str, str]]:
    """The skills that a night may ask, each with the seat it is asked in; the seat is empty where there is none."""
    seats = (protocol or read_protocol(*protocol_text(settings))).seats
    reader = [READER] * ("news" in settings.market.families)
    risk = SEATS if settings.risk.enabled else ()
    plain = [*(f"{axis}-analyst" for axis in settings.analyst.axes), *reader, *ALWAYS_USED, *risk]
    return [*((skill, "") for skill in plain), *((seat.skill, name) for name, seat in seats.items())]


def _used_skills(protocol: Protocol, settings: Settings, where: str) -> tuple[dict[str, Skill], tuple[str, ...]]:
    """The skills that the night may ask, each complete; and which of them are not as they were locked."""
    skills = load_skills(SKILLS)
    seated(protocol, skills, where)
    used = {skill for skill, _ in seats_of(settings, protocol)}
    found = {name: skill for name, skill in skills.items() if name in used}
    for skill in found.values():
        skill.check_filled()
    changed = changed_skills(SKILLS, found)
    if changed and settings.changed_skills == "refuse":
        raise UsageError(
            f"skills: {', '.join(changed)}: not the text that skills/{LOCK} lists; if the change is yours, lock it "
            "with `make schemas`, or say --set changed_skills=allow, which every row then tells"
        )
    return found, changed


def check_tables(settings: Settings, protocol: Protocol, where: str) -> None:
    """Raise UsageError for a key of `models`, `provider.effort` or `provider.thinking` that nobody answers to.

    Reads the skills.
    """
    seats = {name: list[str]() for name, one in load_skills(SKILLS).items() if one.metadata.get("phase") != UNASKED}
    own = {"macro-bias": "macro", "research-manager": "manager", **SEATS}
    own |= {one.skill: axis for axis, one in AXES.items()}
    for skill, seat in (*own.items(), *((seat.skill, name) for name, seat in protocol.seats.items())):
        if skill in seats:
            seats[skill].append(seat)
    check_table(settings.models, seats, f"{where}: models")
    check_table(settings.provider.effort, seats, f"{where}: provider.effort")
    check_table(settings.provider.thinking, seats, f"{where}: provider.thinking")


def _question(settings: Settings, benchmark: str, session: date) -> Question:
    asked = settings.question
    return Question(
        event=f"total return over the next {asked.horizon_sessions} sessions exceeds that of {benchmark}",
        horizon_sessions=asked.horizon_sessions,
        benchmark=benchmark,
        resolves_on=session_after(asked.calendar, session, asked.horizon_sessions),
    )
