"""Log lines: what they are about, in both forms, from any thread, and that no text can forge one."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import pytest

from phases.core.log import LOG, Form, about, is_json, set_form

FORGED = "it fell\nERROR rebuttal: all is lost\r\x1b[31mred\x1b[0m\u202e\u2028end"


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> Iterator[Any]:
    """Sets the form and gives what then gives the lines on stderr since."""
    before = logging.getLogger().handlers[:]

    def formed(form: Form) -> Callable[[], list[str]]:
        set_form(form)
        return lambda: capsys.readouterr().err.splitlines()

    yield formed
    logging.getLogger().handlers = before


def test_F168_a_text_with_a_line_end_and_colours_is_one_line(lines: Any) -> None:
    said = lines("text")
    LOG.warning("headline %s", FORGED)
    (line,) = said()
    assert line.startswith("WARNING rebuttal: headline it fell ERROR rebuttal: all is lost")
    assert line.isprintable() and "\\u001b[31m" in line and "\\u202e" in line


def test_F168_a_text_with_a_line_end_and_colours_is_one_json_line(lines: Any) -> None:
    said = lines("json")
    LOG.warning("headline %s", FORGED)
    (line,) = said()
    assert line.isascii() and line.isprintable() and json.loads(line)["message"] == f"headline {FORGED}"


@pytest.mark.parametrize("form", ["text", "json"])
def test_F168_a_traceback_cannot_forge_a_record(lines: Any, form: Form) -> None:
    said = lines(form)
    try:
        raise ValueError(FORGED)
    except ValueError as error:
        LOG.error("bug", exc_info=error)
    told = said()
    records = [line for line in told if not line.startswith("  ")]
    assert len(records) == 1 and all(line.isprintable() for line in told)


def test_a_line_says_which_run_and_ticker_it_is_about(lines: Any) -> None:
    said = lines("text")
    with about(run="2012-06-29-0a1b2c3d"):
        LOG.warning("one")
        with about(ticker="AAPL"):
            LOG.warning("two")
        LOG.warning("three")
    LOG.warning("four")
    assert said() == [
        "WARNING rebuttal [2012-06-29-0a1b2c3d]: one",
        "WARNING rebuttal [2012-06-29-0a1b2c3d AAPL]: two",
        "WARNING rebuttal [2012-06-29-0a1b2c3d]: three",
        "WARNING rebuttal: four",
    ]


def test_threads_keep_apart_what_they_are_about(lines: Any) -> None:
    said = lines("json")

    def work(ticker: str) -> None:
        with about(ticker=ticker):
            LOG.info("mine is %s", ticker)

    with about(run="r"), ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda one: one[0].run(work, one[1]), [(copy_context(), f"T{n}") for n in range(50)]))
    found = [json.loads(line) for line in said()]
    assert len(found) == 50
    assert all(one["run"] == "r" and one["message"] == f"mine is {one['ticker']}" for one in found)


def test_information_is_only_in_the_json_form(lines: Any) -> None:
    said = lines("text")
    LOG.info("quiet")
    assert said() == [] and not is_json()
    lines("json")
    LOG.info("told")
    (line,) = said()
    assert is_json() and json.loads(line) | {"at": ""} == {
        "at": "",
        "level": "info",
        "logger": "rebuttal",
        "run": None,
        "ticker": None,
        "message": "told",
    }


def test_a_moment_is_utc(lines: Any) -> None:
    said = lines("json")
    record = logging.LogRecord("rebuttal", logging.WARNING, "", 0, "then", (), None)
    record.created = 1_341_014_400.25  # 2012-06-30 00:00 UTC
    LOG.handle(record)
    assert json.loads(said()[0])["at"] == "2012-06-30T00:00:00.250Z"
