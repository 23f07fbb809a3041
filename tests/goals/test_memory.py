"""F086: a long watchlist in little memory ends, and a run that has too little stops and loses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.fake_model.server import FakeModel
from tests.conftest import Goal, Shelf
from tests.goals.books import check_books
from tests.goals.start import AS_OF, Memory, start
from tests.phases.core.scripted import NIGHTLY, ROOT

TICKERS, MEMORY = (500, Memory(512)) if NIGHTLY else (8, Memory(80, further=True))


def _words(url: str, out: Path, tickers: int) -> list[object]:
    names = [f"T{at:04d}" for at in range(tickers)]
    sets = ("--set", "source=bench", "--set", f"provider.base_url={url}")
    return ["run", *names, "--config", ROOT / "configs/anthropic.yaml", "--as-of", AS_OF, *sets, "--out", out]


def test_F086_a_long_watchlist_ends_in_little_memory(tmp_path: Path, goal: Goal) -> None:
    shelf = Shelf(tmp_path / "out")
    with FakeModel({}) as server:
        process = start([*_words(server.url, shelf.path, TICKERS), "--json"], tmp_path / "said", MEMORY.set)
        assert process.end(900) == 0, process.words.read_text()
        books = check_books(shelf, server)
    assert {row["status"] for row in shelf.rows().values()} == {"debated"} and len(shelf.rows()) == TICKERS
    goal("F086 memory", tickers=TICKERS, calls=books.spent, calls_lost=0)


@pytest.mark.skipif(
    not NIGHTLY, reason="CPython itself may hang while it starts a thread without memory: REBUTTAL_NIGHTLY"
)
def test_F086_a_run_without_memory_stops_resumable_and_loses_nothing(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "out")
    with FakeModel({}) as server:
        words = _words(server.url, shelf.path, 3)
        assert start([*words, "--max-cost", "0.2"], tmp_path / "short").end() == 3
        before = shelf.replies()
        starved = start([*words, "--resume", "last"], tmp_path / "starved", Memory(20, further=True).set)
        assert starved.end() == 4, starved.words.read_text()
        last = starved.words.read_text().splitlines()[-1]
        assert last.startswith("error: memory ran out") and "resumable with `run --resume last --out " in last
        assert shelf.ask("SELECT state FROM runs") == [("stopped",)]
        assert before and before <= shelf.replies()
        again = start([*words, "--resume", "last"], tmp_path / "again")
        assert again.end() == 0, again.words.read_text()
        assert before <= shelf.replies()
        assert (server.stats()["duplicates"], check_books(shelf, server).lost) == (0, 0)
