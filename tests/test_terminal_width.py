"""What a narrow terminal shows: columns that find room, a bar on one line, and notes that break between words."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import termios
from collections.abc import Callable
from pathlib import Path

import pytest

from phases.outputs.progress import Block
from phases.outputs.terminal import NOTES, feed_table, listed, noted, why
from tests.conftest import Desk
from tests.phases.outputs.feeds import feed, row
from tests.test_terminal import SGR, Terminal


@pytest.mark.parametrize(
    ("room", "heads"),
    [
        (43, "ticker status pre delta post stance"),
        (42, "ticker status delta post stance"),
        (38, "ticker status delta post stance"),
        (37, "ticker status post stance"),
        (30, "ticker status stance"),
        (20, "ticker status"),
    ],
)
@pytest.mark.parametrize("colour", [False, True])
def test_a_table_that_finds_no_room_goes_without_columns(room: int, heads: str, colour: bool) -> None:
    rows = (row("IBM", conviction_pre=1, conviction_post=2, flags=()), row("ZZZ", "failed"))
    lines = SGR.sub("", feed_table(feed(rows), room, colour=colour)).splitlines()
    assert lines[0].split() == heads.split() and max(map(len, lines)) <= room
    told = dict(zip(heads.split(), lines[2].split(), strict=True))
    whole = {"ticker": "IBM", "status": "debated", "pre": "+1", "delta": "+1", "post": "+2", "stance": "buy"}
    assert told == {name: whole[name] for name in told}


@pytest.mark.parametrize("room", [40, 60, 80, 120])
def test_what_concerns_the_night_breaks_between_words(room: int) -> None:
    told = feed_table(feed([row("IBM", flags=("macro_down", "probable_closure"))]), room)
    assert max(map(len, told.splitlines())) <= room
    for note in (NOTES["macro_down"], NOTES["probable_closure"]):
        assert note in " ".join(told.split())


def _bar(monkeypatch: pytest.MonkeyPatch, columns: int, tickers: int = 14) -> list[str]:
    """Lines of a block in which eight tickers ended, with the time each end took."""
    from rich.console import Console

    now = [0.0]
    monkeypatch.setattr("phases.outputs.progress.ticks", lambda: now[0])
    console = Console(width=columns, force_terminal=True, record=True, file=io.StringIO())
    block = Block(tickers, pytest.fail, console)
    for at in range(8):
        block(f"T{at}", None)
    now[0] = 3.5
    console.print(block.block())
    return [line.rstrip() for line in console.export_text().splitlines()]


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (80, "0:00:03, about 0:00:02 left"),
        (60, "0:00:03, about 0:00:02 left"),
        (50, "0:00:03, about 0:00:02 left"),
        (48, "0:00:03"),
        (40, "0:00:03"),
        (25, "0:00:03"),
    ],
)
def test_the_bar_of_a_narrow_terminal_stays_one_line(monkeypatch: pytest.MonkeyPatch, columns: int, told: str) -> None:
    first, *rest = _bar(monkeypatch, columns)
    assert first.startswith("8/14 tickers ") and first.endswith(f" {told}") and len(first) <= columns
    assert ("━" in first) == (columns >= 40)
    assert "left" not in "".join(rest), "nothing of it goes on below"


NOTE = "note: UNIVERSE is the equal-weight mean of the folder's 44 price series"


class Typed(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.end

    end = 2


@pytest.mark.parametrize("columns", [40, 60])
def test_a_note_breaks_between_words_on_a_terminal_of_its_own_width(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    """Stdout is none, so its width says nothing."""
    mine, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    stderr = Typed()
    stderr.end = theirs
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("sys.__stdout__", io.StringIO())
    monkeypatch.setattr("sys.stderr", stderr)
    lines = noted(NOTE).splitlines()
    assert max(map(len, lines)) <= columns and len(lines) > 1
    assert " ".join(" ".join(lines).split()) == NOTE
    monkeypatch.setattr("phases.outputs.terminal.is_json", lambda: True)
    assert noted(NOTE) == NOTE, "a record of a log is one line"
    for end in (mine, theirs):
        os.close(end)


def test_a_note_that_a_program_reads_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert noted(NOTE) == NOTE


def test_a_night_at_40_columns_breaks_no_word(tmp_path: Path, desk: Callable[[float], Desk]) -> None:
    """A Saturday: the night is that of the session before, and a note says so."""
    code, said = Terminal(
        desk(0.1), "run", "AAPL", "ZZZZ", "--as-of", "2012-06-30", "--out", tmp_path / "o", stdout=True, COLUMNS="40"
    ).ended()
    lines = re.split(r"[\r\n]+|\x1b\[[0-9;?]*[A-Za-ln-z]", SGR.sub("", said))
    assert code == 1
    assert [line for line in lines if len(line) > 40 and "/o/" not in line] == []
    assert "session of XNYS" in " ".join(" ".join(lines).split())


@pytest.mark.parametrize(
    ("status", "reason", "told"),
    [
        ("contested", "contested: the moves earn +2", "the moves earn +2"),
        ("gated", "gated: |score| is 1", "|score| is 1"),
        ("degraded", "gated: |score| is 1; news axis missing", "gated: |score| is 1; news axis missing"),
        ("debated", None, ""),
    ],
)
def test_a_reason_does_not_say_its_status_again(status: str, reason: str | None, told: str) -> None:
    assert why(row("ACME", status, reason=reason)) == told


def test_two_columns_break_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    assert listed({"A": "one", "LONGER": "words that go on and on and on"}).splitlines() == [
        "A       one",
        "LONGER  words that go on and",
        "        on and on",
    ]
