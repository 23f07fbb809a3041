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
from phases.core.errors import InfrastructureError, RebuttalError, Stopped, UsageError
from phases.core.log import LOG, is_json, set_form
from phases.core.text import DEFAULT_OUT, go_on, nearest, printable


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


def say(line: str) -> None:
    """Tell a person on stderr: on a terminal the line breaks between words."""
    from phases.outputs.terminal import noted

    tell(noted(line))


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


def _open_streams() -> None:
    """Open what the caller closed, so that no file takes its place: stdout cannot be written, stderr is lost."""
    for number, name, mode in ((0, "stdin", os.O_RDONLY), (1, "stdout", os.O_RDONLY), (2, "stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, mode), number)
            setattr(sys, name, os.fdopen(number, "w" if number else "r"))


def leave(app: typer.Typer, words: list[str]) -> None:
    """Carry out one command and leave with its exit code. To be terminated is to be interrupted."""
    _open_streams()
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


def _out(words: list[str]) -> Path:
    """The folder that a command names."""
    said = [word.removeprefix("--out=") for word in words if word.startswith("--out=")]
    after = [words[at + 1] for at, word in enumerate(words[:-1]) if word == "--out"]
    return Path((said + after + [str(DEFAULT_OUT)])[0])


def _hint(words: list[str], begun: bool, verb: str) -> str:
    """How to go on with a command that came to no end; empty for one that only looks."""
    if words[:1] in (["replay"], ["skill"]):
        return f"; {verb} the same command"
    if words[:1] != ["run"]:
        return ""
    if begun or "--resume" in words:
        return f"; {verb} `{go_on('last', _out(words))}`"
    return "; no run began: give the same command again"


def _placed(message: str, words: list[str]) -> str:
    """A message whose advice to resume a run names the folder it is in."""
    return re.sub(r"`run --resume ([\w-]+)`", lambda found: f"`{go_on(found[1], _out(words))}`", message)


def out_folder(text: object) -> Path:
    """The folder that `--out` names. Raises UsageError for what cannot be one."""
    if not str(text).strip():
        raise UsageError("--out: names no folder; leave it out for runs")
    out = Path(str(text))
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out {out}: is a file, not a folder")
    return out


def to_file(text: object) -> Path:
    """The file that `--to` names, `-` for stdout. Raises UsageError for what names none."""
    if not str(text).strip() or str(text).endswith("/"):
        raise UsageError(f"--to {text or repr('')}: names no file")
    return Path(str(text))


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
        if code == Stopped.exit_code:  # what typer makes of Ctrl-C
            raise KeyboardInterrupt
        return code or 0
    except Stopped:
        tell(f"interrupted{_hint(words, True, 'go on with')}")
        return Stopped.exit_code
    except RebuttalError as error:
        if debug:
            traceback.print_exc()
        hint = _hint(words, error.begun, "resumable with") if isinstance(error, InfrastructureError) else ""
        _fail(_placed(printable(str(error)), words) + hint)
        for note in getattr(error, "__notes__", ()):
            _fail(printable(note))
        return error.exit_code
    except TyperException as error:
        _fail(f"{printable(error.format_message()).rstrip('.')} (see `--help`)")
        return 2
    except (KeyboardInterrupt, typer.Abort):
        tell(f"interrupted{_hint(words, False, 'go on with')}")
        return Stopped.exit_code
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
