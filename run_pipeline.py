"""The command line: parse, call, print. `python run_pipeline.py --help`, or `rebuttal` once installed."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phases.core.errors import Stopped, UsageError
from phases.core.log import set_form
from phases.core.text import DEFAULT_OUT, nearest, printable
from phases.entry import leave, out_folder, say, tell, to_file

if TYPE_CHECKING:
    from phases.core.store import Store
    from phases.plan import Words

app = typer.Typer(
    add_completion=False,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Debated trading research, one checked row per ticker.\n\nWithout a command: `run` on the offline desk.",
    epilog=(
        "Any command takes --debug, for a traceback. Exit codes: 0 every ticker has a planned outcome; "
        "1 finished, some have none, or a check failed; 2 bad usage, nothing started; 3 spend ceiling; "
        "4 data, model or store down; 130 interrupted."
    ),
)

Out = Annotated[Path, typer.Option("--out", metavar="DIR", parser=out_folder, help="Folder of the store and the runs.")]
Config = Annotated[Path | None, typer.Option("--config", metavar="F", help="Overlay on configs/default.yaml.")]
Sets = Annotated[list[str] | None, typer.Option("--set", metavar="A.B=C", help="One value of the configuration.")]
To = Annotated[Path | None, typer.Option("--to", metavar="F|-", parser=to_file, help="File to write; - for stdout.")]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run id, or `last`.")]
Changed = Annotated[Path | None, typer.Option("--skill", metavar="F", help="Show what a changed SKILL.md alters.")]


@app.command()
def run(
    tickers: Annotated[list[str] | None, typer.Argument(metavar="TICKER", help="Instead of the watchlist.")] = None,
    config: Config = None,
    sets: Sets = None,
    as_of: Annotated[str | None, typer.Option("--as-of", metavar="DATE", help="Night to run, YYYY-MM-DD.")] = None,
    out: Out = DEFAULT_OUT,
    resume: Annotated[str | None, typer.Option("--resume", metavar="RUN", help="Go on with it, or `last`.")] = None,
    debate: Annotated[str | None, typer.Option("--debate", metavar="all|gate|none", help="Which to debate.")] = None,
    protocols: Annotated[Path | None, typer.Option("--protocols", metavar="DIR", help="Further protocols.")] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Only stored answers of sources.")] = False,
    max_cost: Annotated[float | None, typer.Option("--max-cost", metavar="USD", min=0, help="Spend no more.")] = None,
    estimate: Annotated[bool, typer.Option("--estimate", help="Say what it will cost, and do nothing.")] = False,
    count: Annotated[bool, typer.Option("--count", help="With --estimate: the server counts the tokens.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the machine summary on stdout.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Nothing on stderr but errors.")] = False,
) -> None:
    """Run a night, from evidence to the portfolio feed."""
    from phases.plan import Words

    words = Words(tuple(tickers or ()), config, tuple(sets or ()), as_of, debate, protocols, max_cost, offline)
    if estimate:
        from phases.estimate import estimate_text

        print(estimate_text(words, count, out=out, resume=resume, as_json=as_json))
        return
    if count:
        raise UsageError("--count goes with --estimate")
    raise typer.Exit(_run(words, out, resume, as_json, quiet))


def _run(words: Words, out: Path, resume: str | None, as_json: bool, quiet: bool) -> int:
    from phases.core.runs import Runs
    from phases.core.store import FILE, configured_store, has_store
    from phases.nightly import attended
    from phases.notify import address
    from phases.outputs.terminal import coloured, feed_table, first_lines, last_lines, width
    from phases.plan import plan, resume_plan, settings_of
    from phases.show import risk_line

    settings = settings_of(words)
    set_form(settings.operation.log)
    address(settings.notify)
    if resume is None or not has_store(out):
        if resume not in (None, "last"):
            raise UsageError(f"--out {out}: no run {printable(str(resume))} here (there is no {FILE})")
        plan(words, None)  # everything that can be wrong is found before a file is made
    with closing(configured_store(out, lock_seconds=settings.operation.lock_seconds)) as store:
        planned = plan(words, Runs(store)) if resume is None else resume_plan(words, Runs(store), resume)
        if not (as_json and quiet):
            tell(first_lines(planned.header, planned.span, width(aside=as_json)), None if as_json else sys.stdout)
        for note in () if quiet else planned.notes:
            say(f"note: {note}")
        try:
            finished, page = attended(planned, store, out, say, quiet=quiet)
        except KeyboardInterrupt:
            if Runs(store).holds(planned.header.run_id):
                raise Stopped("interrupted") from None
            raise
        if risk := risk_line(store, finished.record.run_id):
            say(risk)
    table = feed_table(finished.feed, colour=not as_json and coloured(sys.stdout))
    told = f"\n{table}\n\n{last_lines(finished.record, finished.spent)}\n{page}"
    tell(finished.record.model_dump_json() if as_json else told, sys.stdout)
    return finished.record.exit


@app.command()
def replay(
    name: RunName,
    out: Out = DEFAULT_OUT,
    check: Annotated[bool, typer.Option("--check", help="Compare with the exported feed, byte for byte.")] = False,
    threads: Annotated[int, typer.Option("--threads", min=1, max=256, help="Tickers at once.")] = 4,
    skill: Changed = None,
    ask: Annotated[bool, typer.Option("--ask", help="Ask the turns that --skill changes; before and after.")] = False,
    max_cost: Annotated[float | None, typer.Option("--max-cost", metavar="USD", min=0, help="With --ask.")] = None,
) -> None:
    """Rebuild a run from its journal, offline: no model, no source."""
    from phases.core.runs import Runs
    from phases.night import export, replay_night, unlike_export
    from phases.outputs.tables import FORMATS
    from phases.outputs.terminal import feed_table
    from phases.rerun import rerun
    from schemas.run import RunHeader

    if (ask and skill is None) or (check and skill is not None):
        raise UsageError("replay: --ask goes with --skill F, and --skill does not go with --check")
    if max_cost is not None and not ask:
        raise UsageError("replay: --max-cost goes with --ask; nothing else is paid for")
    with closing(_open(out)) as store:
        if skill is not None:
            tried = rerun(store, out, name, skill, ask, say, max_cost)
            print(tried.text)
            raise typer.Exit(tried.exit)
        known = Runs(store).find(name)
        if known.record is None:
            raise UsageError(f"replay: run {known.run_id} is unfinished; go on with `run --resume {known.run_id}`")
        header = RunHeader.model_validate_json(known.header)
        feed = replay_night(header, store, threads, lambda ticker, reason: None)
    folder = out / known.run_id
    if not check:
        export(feed, folder)
        print(f"engine: {header.engine} | replayed from the journal | run {known.run_id}\n\n{feed_table(feed)}")
        return
    different = unlike_export(feed, folder)
    if different:
        tell(f"replay differs from {folder}: {', '.join(different)}")
        raise typer.Exit(1)
    print(f"replay of {known.run_id}: same bytes ({', '.join(f'feed.{kind}' for kind in FORMATS)})")


@app.command()
def feed(
    name: RunName,
    out: Out = DEFAULT_OUT,
    form: Annotated[
        str | None, typer.Option("--format", metavar="csv|json|…", help="csv, json, parquet, pypfopt, skfolio, prices.")
    ] = None,
    to: To = None,
    diff: Annotated[str | None, typer.Option("--diff", metavar="OLD", help="What changed since this run.")] = None,
    prior: Annotated[
        float | None, typer.Option("--benchmark-return", metavar="R", help="For pypfopt and skfolio: 0.08 a year.")
    ] = None,
) -> None:
    """Print the feed of a run, its views for a library, or its prices."""
    from phases.core.runs import Runs
    from phases.hand_off import STDOUT, deliver, hand_off, what_changed

    if diff is not None and prior is not None:
        raise UsageError("feed: --benchmark-return does not go with --diff")
    with closing(_open(out)) as store:
        run_id = Runs(store).find(name).run_id
        if diff is not None:
            content: str | bytes = what_changed(store, diff, name, form, say)
        else:
            content = hand_off(store, name, form or "csv", prior, say)
    sys.stdout.write(deliver(content, to, out / run_id / f"feed.{form}"))
    if to not in (None, STDOUT):
        tell(str(to))


@app.command()
def skill(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A folder under skills/ that a phase asks.")],
    inputs: Annotated[str, typer.Option("--inputs", metavar="F|-", help="A JSON object, or - for stdin.")],
    role: Annotated[str | None, typer.Option("--role", metavar="bull|bear", help="If the JSON has none.")] = None,
    number: Annotated[int | None, typer.Option("--round", metavar="N", help="If the JSON has none.")] = None,
    prompt: Annotated[bool, typer.Option("--print-prompt", help="Print what would be sent; ask nobody.")] = False,
    config: Config = None,
    sets: Sets = None,
    out: Out = DEFAULT_OUT,
) -> None:
    """Ask one skill for one turn: JSON in, checked JSON out."""
    from phases.alone import ask_alone, turn_alone
    from phases.core.scanner import read_input
    from phases.plan import Words, folder_of, price_table, settings_of

    words = Words(config=config, sets=tuple(sets or ()))
    settings = settings_of(words)
    turn = turn_alone(name, read_input(inputs), settings, role, number)
    if prompt:
        print(turn.prompt.text)
        return
    said = ask_alone(turn, out, price_table(settings, folder_of(words)))
    for note in said.notes:
        say(note)
    if said.answer is None:
        raise typer.Exit(1)
    print(said.answer)


@app.command()
def validate(
    contract: Annotated[str, typer.Argument(metavar="CONTRACT", help="A name that `schemas` lists.")],
    file: Annotated[str, typer.Argument(metavar="F|-", help="A JSON file, or - for stdin.")],
) -> None:
    """Check JSON against a contract; a feed against its hash, too."""
    from phases.core.scanner import Malformed, read_input, strict_json
    from schemas.validation import complaints, published

    if contract not in published():
        raise UsageError(f"{printable(contract)!r} is no contract{nearest(contract, published())} (see `schemas`)")
    try:
        found = complaints(contract, strict_json(read_input(file)))
    except Malformed as error:
        tell(f"(document): {printable(str(error))}")
        raise typer.Exit(1) from None
    for problem in found:
        tell(printable(str(problem)))
    if found:
        raise typer.Exit(1)
    print(f"valid {contract}")


@app.command()
def schemas(name: Annotated[str | None, typer.Argument(metavar="NAME", help="Print this one.")] = None) -> None:
    """List the contracts, or print the JSON Schema of one."""
    from phases.outputs.terminal import listed
    from schemas import CONTRACTS
    from schemas.generate import schema_text

    if name is not None:
        if name not in CONTRACTS:
            raise UsageError(f"{printable(name)!r} is no contract{nearest(name, CONTRACTS)} (see `schemas`)")
        sys.stdout.write(schema_text(CONTRACTS[name]))
        return
    print(listed({known: (model.__doc__ or "").splitlines()[0] for known, model in CONTRACTS.items()}))


@app.command()
def lint() -> None:
    """Check every skill, config and protocol against the contracts."""
    from phases.lint import findings

    found = findings()
    print("\n".join(found) or "no findings")
    raise typer.Exit(int(bool(found)))


@app.command()
def doctor(config: Config = None, sets: Sets = None, out: Out = DEFAULT_OUT) -> None:
    """Say what is configured and reachable, and what is missing."""
    from phases.doctor import examine, exit_code, findings_text
    from phases.plan import Words

    found = examine(Words(config=config, sets=tuple(sets or ())), out)
    print(findings_text(found))
    raise typer.Exit(exit_code(found))


@app.command()
def runs(out: Out = DEFAULT_OUT) -> None:
    """List the runs of a store, the latest last."""
    from phases.show import list_runs

    with closing(_open(out)) as store:
        sys.stdout.write(list_runs(store))


@app.command()
def show(
    name: RunName,
    ticker: Annotated[str | None, typer.Argument(metavar="TICKER", help="One debate.")] = None,
    out: Out = DEFAULT_OUT,
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON, inputs of every turn included.")] = False,
    evidence: Annotated[bool, typer.Option("--evidence", help="What was known: of TICKER, or of the market.")] = False,
) -> None:
    """Show a run, one ticker's debate, or the evidence of either."""
    from phases.show import show_evidence, show_run, show_ticker

    if evidence and as_json:
        raise UsageError("show: --evidence is a table; --json has the evidence too")
    with closing(_open(out)) as store:
        if evidence:
            print(show_evidence(store, name, ticker))
            return
        print(show_run(store, name, as_json) if ticker is None else show_ticker(store, name, ticker, as_json))


@app.command()
def report(
    name: Annotated[str | None, typer.Argument(metavar="RUN", help="A run id, or `last`.")] = None,
    history: Annotated[bool, typer.Option("--history", help="All finished nights instead of one.")] = False,
    to: To = None,
    out: Out = DEFAULT_OUT,
) -> None:
    """Write the page of a run, or of all nights, as one HTML file."""
    from phases.report import page_of, write_report

    with closing(_open(out)) as store:
        if to == Path("-"):
            sys.stdout.write(page_of(store, out, name, history)[0])
            return
        tell(str(write_report(store, out, name, history, to)), sys.stdout if to is None else None)


@app.command()
def debates(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON Lines or one JSON document, plain or gzip.")],
    reading: Annotated[str, typer.Option("--reading", metavar="strict|author", help="Of prose.")] = "strict",
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Read-outs of stored debates from elsewhere."""
    from phases.importers.page import report_json, report_text
    from phases.importers.report import debates_report

    report = debates_report(file, reading)
    print(report_json(report) if as_json else report_text(report))
    if report.bad_lines:
        raise typer.Exit(1)


def _open(out: Path) -> Store:
    from phases.core.store import configured_store

    return configured_store(out, create=False)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    leave(app, list(sys.argv[1:] if arguments is None else arguments))


if __name__ == "__main__":
    main()
