"""A changed skill tried on a past run: which prompts it alters, and what comes of asking those again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from phases.core.bundle import code_digest
from phases.core.errors import NotJournaled, UsageError
from phases.core.runner import Artefacts
from phases.core.runs import Runs
from phases.core.scanner import read_input
from phases.core.skills import Rendered, Skill, render, rerender
from phases.core.store import Store
from phases.core.text import canonical, nearest, printable
from phases.core.turns import StoredTurn, asked_keys, stored_turns
from phases.identity import named_run
from phases.lint import BINDINGS, skill_findings
from phases.night import Finished, hold_aside, stored_feed
from phases.outputs.comparison import Altered, altered_table, before_after, difference
from phases.outputs.progress import Lines
from phases.outputs.terminal import last_lines
from phases.plan import Plan, provider_of
from phases.providers import check_money
from schemas.base import Model
from schemas.feed import PortfolioFeed
from schemas.run import RunHeader, RunRecord

NAMELESS = "?"


@dataclass(frozen=True)
class Past:
    """A finished run that a changed skill is tried on."""

    header: RunHeader
    record: RunRecord
    feed: PortfolioFeed


class Tried(NamedTuple):
    """What a changed skill did."""

    text: str
    exit: int = 0
    """As that of a run."""


def rerun(
    store: Store,
    out: Path,
    name: str,
    file: Path,
    ask: bool,
    tell: Callable[[str], None],
    max_cost: float | None = None,
) -> Tried:
    """What a changed skill does to a run, as text. Reads a file and the store; with `ask`, writes both.

    Without `ask`, the prompts it alters. With it, those turns, and what their answers change further
    on, are asked in a run of its own; the rest comes from the journal. The past run stays as it is.
    Raises UsageError for a skill that lint refuses and for a run that is not finished.
    """
    skill = changed_skill(file)
    run = past(store, name)
    turns = altered(store, run, skill)
    if not turns:
        return Tried(f"nothing changes: {_why_not(run, skill)}")
    if not ask:
        old = Skill(skill.name, run.header.skills[skill.name]).body
        count = f"{len(turns)} prompts of run {run.header.run_id} change (sizes in characters)"
        return Tried(f"{difference(old, skill.body)}\n\n{altered_table(turns)}\n\n{count}")
    done = asked_again(store, out, run, skill, tell, max_cost)
    text = (
        f"engine: {done.record.engine} | {skill.name} changed | run {run.header.run_id} → {done.record.run_id}\n\n"
        f"{before_after(run.feed, done.feed)}\n"
        f"{last_lines(done.record, done.spent)}"
    )
    return Tried(text, done.record.exit)


def changed_skill(file: Path) -> Skill:
    """The skill of a SKILL.md or of the folder that holds one. Reads a file.

    Raises UsageError naming the line, and what is allowed, for what lint refuses.
    """
    path = file / "SKILL.md" if file.is_dir() else file
    where = f"--skill {printable(str(path))}"
    text = read_input(str(path)).replace("\r\n", "\n")
    try:
        name = str(Skill(NAMELESS, text).front.get("name", ""))
    except UsageError as error:
        raise UsageError(f"{where}: {str(error).removeprefix(f'skills/{NAMELESS}/SKILL.md: ')}") from None
    if name not in BINDINGS:
        line = next((f"line {at}: " for at, one in enumerate(text.splitlines(), 1) if one.startswith("name:")), "")
        known = ", ".join(sorted(BINDINGS))
        raise UsageError(f"{where}: {line}name: no phase asks for {name!r}{nearest(name, BINDINGS)} (known: {known})")
    skill = Skill(name, text)
    found = list(skill_findings(skill))
    if found:
        wrong = UsageError(f"{where}: {found[0]} (as `lint` has it; a skill is prose that nothing fills in)")
        for one in found[1:]:
            wrong.add_note(f"{where}: {one}")
        raise wrong
    return skill


def past(store: Store, name: str) -> Past:
    """A run by its name. Reads the store. Raises UsageError if it did not reach its end."""
    known = Runs(store).find(name)
    feed = stored_feed(store, known.run_id)
    if known.record is None:
        raise UsageError(f"run {known.run_id} did not reach its end; go on with `run --resume {known.run_id}`")
    return Past(RunHeader.model_validate_json(known.header), RunRecord.model_validate_json(known.record), feed)


def altered(store: Store, run: Past, skill: Skill) -> list[Altered]:
    """The turns of a run whose prompts differ with a changed skill, in the order of the run. Reads the store."""
    if skill.name not in run.header.skills:
        return []
    old = Skill(skill.name, run.header.skills[skill.name])
    kept = Artefacts(store, run.header.run_id)
    found: list[Altered] = []
    for ticker in ("", *run.header.tickers):
        keys = asked_keys(kept.load(ticker))
        turns = stored_turns(store, keys)
        if len(turns) != len(keys):
            raise NotJournaled(f"{ticker or 'the whole run'}: the journal holds {len(turns)} of {len(keys)} turns")
        found += _rendered(ticker, turns, old, skill)
    return found


def asked_again(
    store: Store, out: Path, run: Past, skill: Skill, tell: Callable[[str], None], max_cost: float | None = None
) -> Finished:
    """The run once more with a changed skill, under the name that gives it. Writes the store and a folder.

    Its ceiling is `max_cost`, else that of the run's latest start. Data comes from the journal alone.
    Raises UsageError where more than the skill would differ.
    """
    before = run.header
    if before.code != code_digest():
        raise UsageError(
            f"--ask: the program has changed since run {before.run_id}, so more than the skill would differ; "
            "make the run again first, or leave out --ask"
        )
    if max_cost is not None:
        operation = before.settings.operation.model_copy(update={"max_cost": max_cost})
        before = before.model_copy(update={"settings": before.settings.model_copy(update={"operation": operation})})
    check_money(before.settings, before.prices, "set --max-cost USD")
    provider = provider_of(before.settings)
    if provider.engine != before.engine:
        raise UsageError(f"--ask: the engine of run {before.run_id} was {before.engine}; it is {provider.engine} now")
    header = named_run(before.model_copy(update={"skills": {**before.skills, skill.name: skill.text}}))
    plan = Plan(header, run.record.as_of, provider, source=None, span=None)
    return hold_aside(plan, store, out, Lines(len(header.tickers), tell))


def _why_not(run: Past, skill: Skill) -> str:
    text = run.header.skills.get(skill.name)
    if text is None:
        return f"run {run.header.run_id} does not use {skill.name} (it uses {', '.join(sorted(run.header.skills))})"
    if Skill(skill.name, text).body == skill.body:
        return f"the prose of {skill.name} is what run {run.header.run_id} sent"
    return f"no turn of run {run.header.run_id} asked {skill.name}"


def _rendered(ticker: str, turns: list[StoredTurn], old: Skill, new: Skill) -> Iterator[Altered]:
    """The skill's turns, rendered with both texts, where the prompts differ."""
    first: dict[str, StoredTurn] = {}
    for turn in turns:
        sent = json.loads(turn.request)
        about = canonical({**sent, "errors": []})
        if not sent["errors"]:
            first[about] = turn
        if sent["skill"] != new.name:
            continue
        before, after = (_prompt(skill, sent, first[about]) for skill in (old, new))
        if before != after:
            yield Altered(ticker, sent["seat"], _round(sent), len(before.text), len(after.text))


def _round(sent: Mapping[str, Any]) -> str:
    number = sent["inputs"].get("round_number")
    return f"{'' if number is None else number} {'repair' if sent['errors'] else ''}".strip()


def _prompt(skill: Skill, sent: Mapping[str, Any], first: StoredTurn) -> Rendered:
    """The prompt of one stored turn with a skill's text; of a repair, with the reply that it quoted."""
    reads, returns = BINDINGS[skill.name]
    try:
        inputs: Model = reads.model_validate_json(json.dumps(sent["inputs"]))
    except ValidationError as error:
        raise UsageError(f"{skill.name}: the stored inputs no longer fit {reads.__name__}: {_first(error)}") from None
    prompt = render(skill, inputs, returns=returns, require=sent["require"])
    errors = sent["errors"]
    return rerender(prompt, json.loads(first.reply)["text"], errors) if errors else prompt


def _first(error: ValidationError) -> str:
    one = error.errors()[0]
    return printable(f"{'/'.join(map(str, one['loc']))}: {one['msg']}")
