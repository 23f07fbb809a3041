"""How a command line begins and ends: the default command, one line for an error, the exit code."""

from __future__ import annotations

import logging
import os
import re
import signal
import sys
import threading
import traceback
from pathlib import Path
from typing import TextIO

import typer
from typer.exceptions import TyperException

from phases.core.bundle import VERSION
from phases.core.errors import InfrastructureError, RebuttalError, UsageError
from phases.core.log import LOG, is_json, set_form
from phases.core.text import nearest, printable

DEFAULT_OUT = "runs"


def tell(line: str, stream: TextIO | None = None, level: int = logging.INFO) -> None:
    """Print, on stderr if nothing is said; where nobody reads any more, the work goes on in silence.

    Where stderr is a log of JSON lines, what is printed there becomes one of them.
    """
    if stream is None and is_json():
        LOG.log(level, "%s", line)
        return
    try:
        print(line, file=stream or sys.stderr, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stderr).fileno())


def _with_command(app: typer.Typer, words: list[str]) -> list[str]:
    """`run` where no command is named: for bare options, and for words that can only be tickers."""
    first = words[0] if words else "--"
    known = {command.callback.__name__ for command in app.registered_commands if command.callback}
    if first in known or first in ("-h", "--help"):
        return words
    if first.startswith("-") or re.fullmatch(r"[A-Z0-9^][A-Z0-9.^=-]*", first):
        return ["run", *words]
    listed = ", ".join(sorted(known))
    raise UsageError(f"{printable(first)!r} is no command{nearest(first, known)} (commands: {listed})")


def leave(app: typer.Typer, words: list[str]) -> None:
    """Carry out one command and leave with its exit code. To be terminated is to be interrupted."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if words == ["--version"]:
        tell(f"rebuttal {VERSION}", sys.stdout)
        return
    debug = "--debug" in words
    set_form("text")
    code = exit_code(app, [word for word in words if word != "--debug"], debug)
    if code == 130 and threading.active_count() > 1:  # calls that were given up must not hold up the end
        os._exit(code)
    sys.exit(code)


def _again(words: list[str]) -> str:
    """How to go on with a command that was stopped; empty for one that only looks."""
    if words[:1] in (["replay"], ["skill"]):
        return "the same command"
    if words[:1] != ["run"]:
        return ""
    said = (word.removeprefix("--out=") for word in words if word.startswith("--out="))
    after = (words[at + 1] for at, word in enumerate(words[:-1]) if word == "--out")
    return resume_hint(Path([*said, *after, DEFAULT_OUT][0]))


def resume_hint(out: Path) -> str:
    """The command that goes on with the last run of a folder."""
    return f"`run --resume last{'' if out == Path(DEFAULT_OUT) else f' --out {out}'}`"


def out_folder(text: object) -> Path:
    """The folder that `--out` names. Raises UsageError for what cannot be one."""
    if not str(text).strip():
        raise UsageError("--out: names no folder; leave it out for runs")
    out = Path(str(text))
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out {out}: is a file, not a folder")
    return out


def _fail(line: str) -> None:
    tell(f"error: {line}", level=logging.ERROR)


def _silence() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_stdout(error: OSError) -> bool:
    """Whether it is stdout that cannot be written: a line end fails too then, and stdout is given up."""
    if error.filename is not None:
        return False
    try:
        os.write(sys.stdout.fileno(), b"\n")
    except OSError:
        _silence()
        return True
    return False


def exit_code(app: typer.Typer, words: list[str], debug: bool) -> int:
    """Exit code of one command; every error is one line, with its traceback only under --debug."""
    try:
        words = _with_command(app, words)
        code: int | None = app(words, prog_name="run_pipeline.py", standalone_mode=False)
        sys.stdout.flush()
        return code or 0
    except RebuttalError as error:
        if debug:
            traceback.print_exc()
        again = f"; resumable with {_again(words)}" if error.begun else "; no run began: give the same command again"
        told = isinstance(error, InfrastructureError) and _again(words)
        _fail(f"{printable(str(error))}{again if told else ''}")
        for note in getattr(error, "__notes__", ()):
            _fail(printable(note))
        return error.exit_code
    except TyperException as error:
        _fail(f"{printable(error.format_message()).rstrip('.')} (see `--help`)")
        return 2
    except (KeyboardInterrupt, typer.Abort):
        tell(f"interrupted; go on with {_again(words)}" if _again(words) else "interrupted")
        return 130
    except (Exception, SystemExit) as error:
        if isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError):
            _silence()  # nobody reads; leave quietly
            return 0
        if isinstance(error, OSError) and _is_stdout(error):
            _fail(f"stdout cannot be written ({error.strerror})")
            return 4
        if debug:
            traceback.print_exc()
        _fail(f"unexpected {type(error).__name__}: {printable(str(error))} (run again with --debug)")
        return 4
