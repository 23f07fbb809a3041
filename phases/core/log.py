"""Log lines: one record a line, with the run and the ticker it is about, and nothing in it that could forge another."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal, TextIO

from phases.core.text import printable

LOG = logging.getLogger("rebuttal")

Form = Literal["text", "json"]

_RUN: ContextVar[str] = ContextVar("run", default="")
_TICKER: ContextVar[str] = ContextVar("ticker", default="")


@contextmanager
def about(*, run: str | None = None, ticker: str | None = None) -> Iterator[None]:
    """Meanwhile what is logged in this context is about that run or ticker."""
    given = [(name, value) for name, value in ((_RUN, run), (_TICKER, ticker)) if value is not None]
    before = [(name, name.set(value)) for name, value in given]
    try:
        yield
    finally:
        for name, token in before:
            name.reset(token)


def ticker_now() -> str:
    """The ticker of this context; empty if it is about none."""
    return _TICKER.get()


class TextForm(logging.Formatter):
    """`WARNING rebuttal [RUN TICKER]: message`. Lines of a traceback are indented, so that none looks like a record."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and those of a traceback."""
        place = " ".join(word for word in (_RUN.get(), _TICKER.get()) if word)
        head = f"{record.levelname} {record.name}{f' [{place}]' if place else ''}: {printable(record.getMessage())}"
        told = self.formatException(record.exc_info).splitlines() if record.exc_info else []
        return "\n".join([head, *(f"  {printable(line)}" for line in told)])


class JsonForm(logging.Formatter):
    """One JSON object a line: at, level, logger, run, ticker, message, and the traceback if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """One line; what is no printable ASCII is escaped."""
        from phases.core.recorder import utc_text

        told: dict[str, Any] = {
            "at": utc_text(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "run": _RUN.get() or None,
            "ticker": _TICKER.get() or None,
            "message": record.getMessage(),
        }
        if record.exc_info:
            told["traceback"] = self.formatException(record.exc_info)
        return json.dumps(told)


class Stderr(logging.StreamHandler[TextIO]):
    """Writes to what is stderr at the moment: a live display may stand before it."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        """Where to."""
        return sys.stderr


def set_form(form: Form) -> None:
    """Log to stderr: warnings as text, or everything from information on as JSON."""
    root, handler = logging.getLogger(), Stderr()
    handler.setFormatter(JsonForm() if form == "json" else TextForm())
    handler.setLevel(logging.INFO if form == "json" else logging.WARNING)
    root.handlers = [*(one for one in root.handlers if not isinstance(one, Stderr)), handler]
    LOG.setLevel(logging.INFO)


def is_json() -> bool:
    """Whether lines on stderr are JSON."""
    return any(isinstance(one.formatter, JsonForm) for one in logging.getLogger().handlers)
