"""What a terminal shows: a real one (a pseudo-terminal), a pipe, and a width of 80 columns."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from bench.fake_model.server import FakeModel
from phases.core.budget import Spent
from phases.core.log import LOG
from phases.core.recorder import Recorder
from phases.outputs.progress import Block, Lines, Waits
from phases.outputs.terminal import feed_table, first_lines, last_lines
from schemas.events import Usage
from schemas.feed import FeedRow, PortfolioFeed
from schemas.health import Alarm
from schemas.run import RunHeader, RunRecord
from tests.conftest import DAY, ROOT, Cli, Desk, Night

SGR = re.compile(r"\x1b\[[0-9;]*m")
SHOW, HIDE = "\x1b[?25h", "\x1b[?25l"
NIGHT = ("run", "AAPL", "IBM", "MSFT", "--as-of", DAY)


class Terminal:
    """A process whose stderr, and stdout if asked for, is a terminal of 80 columns."""

    def __init__(self, desk: Desk, *words: object, stdout: bool = False, **env: str) -> None:
        mine, theirs = pty.openpty()
        self.said = b""
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "run_pipeline.py"), *map(str, words)],
            cwd=desk.cli.cwd,
            env={**os.environ, **desk.cli.env, "TERM": "xterm", "COLUMNS": "80", "LINES": "24", **env},
            stdout=theirs if stdout else subprocess.DEVNULL,
            stderr=theirs,
            stdin=subprocess.DEVNULL,
        )
        os.close(theirs)
        self._reader = Thread(target=self._read, args=(mine,))
        self._reader.start()

    def _read(self, mine: int) -> None:
        try:
            while some := os.read(mine, 65536):
                self.said += some
        except OSError:  # a terminal whose other end is closed
            os.close(mine)

    def ended(self) -> tuple[int, str]:
        """Exit code and everything shown."""
        code = self.process.wait(120)
        self._reader.join(10)
        return code, self.said.decode()


def test_a_terminal_shows_a_block_and_gets_its_cursor_back(tmp_path: Path, desk: Callable[[float], Desk]) -> None:
    code, said = Terminal(desk(0.1), *NIGHT, "--out", tmp_path / "out").ended()
    assert code == 0
    for words in ("/3 tickers", "debate transcript", " calls"):
        assert words in said
    assert said.rindex(SHOW) > said.rindex(HIDE)
    plain = SGR.sub("", said)
    assert max(len(line) for line in re.split(r"[\r\n]|\x1b\[[0-9;?]*[A-Za-z]", plain)) <= 80
    assert "[1/3]" not in said, "only a ticker that failed gets a line of its own"


def test_ctrl_c_finishes_the_turn_says_how_to_go_on_and_gives_the_terminal_back(
    tmp_path: Path, desk: Callable[[float], Desk]
) -> None:
    watched = desk(0.3)
    terminal = Terminal(watched, *NIGHT, "--out", tmp_path / "out")
    watched.await_lines(6, terminal.process)
    terminal.process.send_signal(signal.SIGINT)
    code, said = terminal.ended()
    asked = len(watched.lines)
    assert code == 130 and said.rindex(SHOW) > said.rindex(HIDE)
    assert f"interrupted; go on with `run --resume last --out {tmp_path / 'out'}`" in said[said.rindex(SHOW) :]
    told = watched.cli("run", "--resume", "last", "--out", tmp_path / "out", "--json")
    assert told.code == 0 and told.json["calls"]["replayed"] >= asked, "the turns under way were kept"


@pytest.mark.parametrize(("env", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colour_is_only_where_it_is_wanted(
    tmp_path: Path, desk: Callable[[float], Desk], env: dict[str, str], coloured: bool
) -> None:
    code, said = Terminal(desk(0), *NIGHT, "--out", tmp_path / "out", stdout=True, **env).ended()
    table = said[said.index("ticker  status") :]
    assert code == 0 and bool(re.search(r"\x1b\[3[0-9]", table)) is coloured
    if "TERM" in env:
        assert HIDE not in said and "[3/3]" in said, "a dumb terminal gets plain lines"


# not a terminal


def test_a_pipe_gets_plain_lines_and_a_table_of_80_columns(tmp_path: Path, cli: Cli) -> None:
    told = cli(*NIGHT, "--out", tmp_path / "out", env={"COLUMNS": ""})
    assert sorted(told.err.splitlines())[0].startswith("[1/3] ") and len(told.err.splitlines()) == 3
    assert "\x1b" not in told.out + told.err
    table = told.out[told.out.index("ticker  status") : told.out.index("calls: ")]
    assert max(map(len, table.splitlines())) <= 80


def test_quiet_leaves_stderr_to_errors(tmp_path: Path, cli: Cli) -> None:
    loud = cli(*NIGHT, "--out", tmp_path / "one")
    quiet = cli(*NIGHT, "--out", tmp_path / "two", "--quiet")
    assert quiet.err == "" and quiet.out.replace("/two/", "/one/") == loud.out
    told = cli(*NIGHT, "--out", tmp_path / "two", "--quiet", "--json")
    assert told.err == "" and told.json["exit"] == 0
    assert "error: " in cli("run", "aapl!", "--out", tmp_path / "two", "--quiet").err


def test_stderr_is_json_where_that_is_configured(tmp_path: Path, cli: Cli) -> None:
    told = cli("run", "AAPL", "ZZZZ", "--out", tmp_path / "out", "--json", "--set", "operation.log=json")
    found = [json.loads(line) for line in told.err.splitlines()]
    ended = [one for one in found if one["message"].startswith("[")]
    assert {one["ticker"] for one in ended} == {"AAPL", "ZZZZ"}
    assert {one["run"] for one in ended} == {told.json["run_id"]}


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("runs",), " 3 debated"),
        (("show", "last"), "ticker  status"),
        (("show", "last", "IBM", "--evidence"), "px.ret_63d"),
        (("show", "last", "--evidence"), "macro.breadth_200d"),
    ],
)
def test_tables_fit_80_columns(three: Night, cli: Cli, words: tuple[str, ...], shown: str) -> None:
    told = cli(*words, "--out", three.path, env={"COLUMNS": "80"})
    assert told.code == 0 and max(map(len, told.out.splitlines())) <= 80 and shown in told.out


# the parts


def _row(ticker: str, pre: int | None, post: int | None, reason: str) -> FeedRow:
    told = dict.fromkeys(FeedRow.model_fields)
    moved = None if pre is None or post is None else post - pre
    numbers = {"conviction_pre": pre, "conviction_post": post, "conviction_delta": moved, "flags": ()}
    stance = {"stance": "buy", "status": "debated"} if pre is not None else {"stance": None, "status": "failed"}
    return FeedRow.model_construct(**{**told, "ticker": ticker, "reason": reason, **numbers, **stance})


def test_what_moved_stands_first_and_every_line_fits() -> None:
    rows = (
        _row("A" * 20, 1, 1, "neither side gained " * 9),
        _row("0700.HK", None, None, "no source\nanswers\x1b[31m"),
        _row("^GSPC", 1, 2, "bull gained " * 9),
    )
    lines = feed_table(PortfolioFeed.model_construct(rows=rows), 80).splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["^GSPC", "A" * 20, "0700.HK"]
    assert max(map(len, lines)) <= 80 and all(line.isprintable() for line in lines)
    painted = feed_table(PortfolioFeed.model_construct(rows=rows), 80, colour=True)
    assert SGR.sub("", painted).splitlines() == lines, "colour says nothing that words do not"


@pytest.mark.parametrize(("room", "why"), [(80, True), (60, True), (53, True), (52, False), (43, False)])
def test_a_narrow_table_shortens_the_reason_and_then_goes_without(room: int, why: bool) -> None:
    """Beside the reason the table takes 45 columns where names are short: 53 leave it 8, 52 are too few."""
    rows = (_row("IBM", 1, 2, "bull gained " * 9), _row("ZZZ", None, None, "no source answers " * 3))
    lines = feed_table(PortfolioFeed.model_construct(rows=rows), room).splitlines()
    assert max(map(len, lines)) <= room
    assert lines[0].endswith("  why") is why and ("bull" in lines[2]) is why


def test_the_first_lines_break_between_words(three: Night, monkeypatch: pytest.MonkeyPatch) -> None:
    ((text,),) = three.ask("SELECT header FROM runs")
    header = RunHeader.model_validate_json(text)
    monkeypatch.setenv("COLUMNS", "60")
    told = first_lines(header, None).splitlines()
    assert max(map(len, told)) <= 60
    monkeypatch.setenv("COLUMNS", "120")
    assert " ".join(" ".join(told).split()) == " ".join(first_lines(header, None).split())
    assert any(header.run_id in line for line in told)


def test_alarms_stand_in_the_last_lines(three: Night) -> None:
    record = RunRecord.model_validate_json((three.folder / "run.json").read_text())
    assert record.health is not None
    bill = record.health.bill.model_copy(update={"per_changed_usd": 0.5})
    alarm = Alarm(name="tilt", text="the exchange favours the bear: mean tilt -0.30 ± 0.07 over 10 debates, and on")
    health = record.health.model_copy(update={"alarms": (alarm,), "debates": 10, "changed": 1, "bill": bill})
    told = last_lines(record.model_copy(update={"health": health}), Spent(0, Usage(), 0)).splitlines()
    at = told.index("10 debates changed 1 decision, $0.5000 each")
    assert told[at + 1].startswith("alarm: the exchange favours the bear") and told[-1] == record.out


def test_a_plain_line_says_now_and_then_what_was_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    now, said = [0.0], list[str]()
    monkeypatch.setattr("phases.outputs.progress.ticks", lambda: now[0])
    shown, recorder = Lines(4, said.append), Recorder(None, "run", 1)
    shown.started(recorder, Spent(1, Usage(), 500_000), 2_000_000)
    shown("A", None)
    recorder.count("made", 7)
    recorder.bill(1234, 250_000)
    now[0] = 60.0
    shown("B", "no data\x1b[31m")
    assert said[0] == "[1/4] A"
    assert said[1] == ("[2/4] B: no data\\u001b[31m (7 calls, 1,234 tokens, $0.7500 of $2.0000, about 0:01:00 left)")


def test_a_block_says_what_is_at_work_and_what_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from rich.console import Console

    now = [0.0]
    caplog.set_level("INFO", "rebuttal")
    monkeypatch.setattr("phases.outputs.progress.ticks", lambda: now[0])
    console = Console(width=80, force_terminal=True, record=True, file=io.StringIO())
    block = Block(3, pytest.fail, console)
    block.began("", "bias_row")
    for ticker, phase in (("A", "market_snapshot"), ("B", "market_snapshot"), ("A", "debate_transcript")):
        block.began(ticker, phase)
    with block._waits:
        for number in range(5):
            LOG.info("bull: status 529, waits 4.0 s before try %d", number, extra={"wait": 4.0})
        LOG.info("nothing is waited for")
        now[0] = 1.0
        console.print(block.block())
        now[0] = 4.0
        assert block._waits.latest() == []
    assert not any(isinstance(one, Waits) for one in LOG.handlers)
    lines = [line.rstrip() for line in console.export_text().splitlines()]
    assert lines[0].startswith("0/3 tickers") and "left" not in lines[0]
    assert lines[2:4] == ["market snapshot    B", "debate transcript  A"]
    assert (
        lines[4] == "waits: bull: status 529, waits 4.0 s before try 2 (3 s left)" and lines[7] == "waits: and 2 more"
    )


def test_a_retry_is_logged_with_its_run_and_ticker(tmp_path: Path, cli: Cli) -> None:
    often = {"seed": 3, "script": [{"when": {"attempt": 1, "every": 2}, "do": {"status": 529}}]}
    sets = ("provider.name=anthropic", "models.default=claude-haiku-5-5", "operation.max_cost=1", "operation.log=json")
    with FakeModel(often) as server:
        words = [word for one in (*sets, f"provider.base_url={server.url}") for word in ("--set", one)]
        told = cli("run", "AAPL", "IBM", "--json", *words, env={"ANTHROPIC_API_KEY": "sk-canary"})
    found = [json.loads(line) for line in told.err.splitlines()]
    waits = [one for one in found if "status 529, waits" in one["message"]]
    assert told.code == 0 and len(waits) >= 5
    assert {one["run"] for one in waits} == {told.json["run_id"]}
    assert {"AAPL", "IBM"} <= {one["ticker"] for one in waits}, "what only one ticker asks for is about that ticker"
