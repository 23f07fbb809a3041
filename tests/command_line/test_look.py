"""What `runs`, `show` and `feed` print of a finished night, and where they write it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line.conftest import ENGINE
from tests.conftest import ROOT, Cli, Night


def test_runs_lists_the_run(cli: Cli, three: Night) -> None:
    told = cli("runs", "--out", three.path)
    (line,) = told.out.splitlines()
    assert told.code == 0
    assert all(part in line for part in (three.folder.name, "finished", ENGINE, "3 debated"))


def test_show_prints_the_run_and_one_debate(cli: Cli, three: Night) -> None:
    whole = cli("show", "last", "--out", three.path)
    assert whole.code == 0
    assert ENGINE in whole.out and three.folder.name in whole.out
    assert [ticker for ticker in ("AAPL", "IBM", "MSFT") if f"\n{ticker} " in whole.out] == ["AAPL", "IBM", "MSFT"]
    one = cli("show", three.folder.name, "aapl", "--out", three.path)
    assert one.code == 0
    parts = (
        "AAPL as of 2012-06-29",
        ENGINE,
        "Debate: desk",
        ", opening and 2 of 2 rounds; ",
        "\nOpening\n",
        "\nRound 1\n",
        "\nRound 2\n",
        "\n  opening     ",
        "\n  round 2     ",
        "bull (p 0.",
        "bear (p 0.",
        "Manager:",
    )
    assert [part for part in parts if part not in one.out] == []
    assert "Round 3" not in one.out, "an opening is no round of the loop"
    wrong = cli("show", "last", "NOPE", "--out", three.path)
    assert wrong.code == 2
    assert "NOPE" in wrong.error and "IBM" in wrong.error


def test_show_a_ticker_without_data_says_why(cli: Cli, mixed: Night) -> None:
    told = cli("show", "last", "NOSUCH", "--out", mixed.path)
    assert told.code == 0
    assert "no_data" in told.out and "no series 'NOSUCH'" in told.out


def test_show_json_has_every_turn_with_its_inputs_and_reply(cli: Cli, three: Night) -> None:
    run = cli("show", "last", "--json", "--out", three.path).json
    assert run["header"]["run_id"] == three.folder.name
    assert run["record"]["tickers"] == {row["ticker"]: row["status"] for row in run["feed"]["rows"]}
    shown = cli("show", "last", "AAPL", "--json", "--out", three.path).json
    assert [turn["skill"] for turn in shown["turns"]].count("research-debate") == 6, (
        "two sides, an opening and two rounds"
    )
    assert [turn["seat"] for turn in shown["turns"]][-3:] == ["bull", "bear", "manager"]
    for turn in shown["turns"]:
        assert turn["inputs"]["ticker"] == "AAPL"
        assert json.loads(turn["reply"]["text"])
    bull = next(turn for turn in shown["turns"] if turn["seat"] == "bull")
    said = cli("validate", "DebateRoundContribution", "-", stdin=bull["reply"]["text"])
    assert said.code == 0


def test_the_inputs_that_show_prints_satisfy_their_contract(cli: Cli, three: Night) -> None:
    shown = cli("show", "last", "AAPL", "--json", "--out", three.path).json
    inputs = next(turn["inputs"] for turn in shown["turns"] if turn["seat"] == "bull")
    assert cli("validate", "DebateInputs", "-", stdin=json.dumps(inputs)).err == ""


@pytest.mark.parametrize("form", ["csv", "json"])
def test_feed_prints_the_exported_bytes(cli: Cli, three: Night, tmp_path: Path, form: str) -> None:
    exported = (three.folder / f"feed.{form}").read_bytes()
    told = cli("feed", "last", "--format", form, "--out", three.path)
    assert (told.code, told.err) == (0, "")
    assert told.out.encode() == exported
    to = tmp_path / "handed.over"
    assert cli("feed", "last", "--format", form, "--to", to, "--out", three.path).code == 0
    assert to.read_bytes() == exported


def test_an_unknown_feed_format_is_refused(cli: Cli, three: Night) -> None:
    told = cli("feed", "last", "--format", "xml", "--out", three.path)
    assert told.code == 2
    assert all(word in told.error for word in ("xml", "csv", "json"))


@pytest.mark.parametrize("to", ["file/feed.csv", "."])
def test_a_feed_that_cannot_be_written_is_a_usage_error(cli: Cli, three: Night, tmp_path: Path, to: str) -> None:
    (tmp_path / "file").write_text("")
    told = cli("feed", "last", "--to", tmp_path / to, "--out", three.path)
    assert told.code == 2
    assert str(tmp_path) in told.error and "unexpected" not in told.error


def test_a_feed_never_replaces_what_is_no_file(cli: Cli, three: Night, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    told = cli("feed", "last", "--to", pipe, "--out", three.path)
    os.close(reader)
    assert (told.code, told.out) == (0, "")
    assert pipe.is_fifo()


def test_a_feed_leaves_other_files_alone(cli: Cli, three: Night, tmp_path: Path) -> None:
    others = [tmp_path / name for name in (".feed.csv.swp", ".feed.csv.my-notes", ".feed.csv.2012-06-29.bak")]
    for other in others:
        other.write_text("mine")
    assert cli("feed", "last", "--to", tmp_path / "feed.csv", "--out", three.path).code == 0
    assert [other.read_text() for other in others if other.exists()] == ["mine"] * 3


@pytest.mark.parametrize("debug", [(), ("--debug",)], ids=["", "debug"])
def test_stdout_that_cannot_be_written_is_exit_4(three: Night, debug: tuple[str, ...]) -> None:
    words = (sys.executable, ROOT / "run_pipeline.py", "feed", "last", "--out", three.path, *debug)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.count("error: stdout cannot be written")) == (4, 1)


@pytest.mark.parametrize(
    ("closed", "code", "out", "err"),
    [
        (">&-", 4, "", "error: stdout cannot be written (Bad file descriptor)\n"),
        ("2>&-", 0, "schema_version", ""),
        ("<&-", 0, "schema_version", ""),
        (">&- 2>&-", 4, "", ""),
    ],
)
def test_streams_that_the_caller_closed(three: Night, closed: str, code: int, out: str, err: str) -> None:
    command = f"'{sys.executable}' '{ROOT}/run_pipeline.py' feed last --out '{three.path}' {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (code, err)
    assert done.stdout.startswith(out) and bool(done.stdout) == bool(out)


def test_a_reader_that_leaves_ends_the_command_quietly(three: Night) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    words = (sys.executable, ROOT / "run_pipeline.py", "show", "last", "--json", "--out", three.path)
    done = subprocess.run(words, stdout=theirs, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, "")
