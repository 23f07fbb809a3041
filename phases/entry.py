"""How a command line begins and ends: the default command, one line for an error, the exit code."""

from __future__ import annotations

import logging
import os
import re
import signal
import sys
import threading
from typing import TextIO

import typer
from typer.exceptions import TyperException

from phases.core.bundle import VERSION
from phases.core.errors import InfrastructureError, RebuttalError, UsageError
from phases.core.text import nearest, printable


def tell(line: str, stream: TextIO | None = None) -> None:
    """Print, on stderr if nothing is said; where nobody reads any more, the work goes on in silence."""
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
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    code = exit_code(app, [word for word in words if word != "--debug"], debug)
    if code == 130 and threading.active_count() > 1:  # calls that were given up must not hold up the end
        os._exit(code)
    sys.exit(code)


def exit_code(app: typer.Typer, words: list[str], debug: bool) -> int:
    """Exit code of one command; every error is one line, with its traceback only under --debug."""
    again = "the same command" if words[:1] in (["replay"], ["skill"]) else "`run --resume last`"
    try:
        code: int | None = app(_with_command(app, words), prog_name="run_pipeline.py", standalone_mode=False)
        return code or 0
    except RebuttalError as error:
        if debug:
            raise
        resumable = f"; resumable with {again}" if isinstance(error, InfrastructureError) else ""
        tell(f"error: {printable(str(error))}{resumable}")
        return error.exit_code
    except TyperException as error:
        tell(f"error: {printable(error.format_message()).rstrip('.')} (see `--help`)")
        return 2
    except (KeyboardInterrupt, typer.Abort):
        tell(f"interrupted; go on with {again}")
        return 130
    except BrokenPipeError:  # nobody reads; leave quietly
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if debug:
            raise
        tell(f"error: unexpected {type(error).__name__}: {printable(str(error))} (run again with --debug)")
        return 4
