"""The same night is the same bytes, whatever the machine's mood; and its journal alone gives them again."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.conftest import DAY, ROOT, Cli, Night, Shelf, watched_desk

MOODS: list[tuple[int, dict[str, str]]] = [
    (1, {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C"}),
    (8, {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C"}),
    (1, {"PYTHONHASHSEED": "random", "TZ": "America/New_York", "LC_ALL": "C.UTF-8"}),
    (8, {"PYTHONHASHSEED": "0", "TZ": "America/New_York", "LC_ALL": "C.UTF-8"}),
    (1, {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8"}),
    (8, {"PYTHONHASHSEED": "random", "TZ": "Asia/Tokyo", "LC_ALL": "C"}),
]
"""Every pair of two values stands in one of these, but for those of zone and locale."""


def _id(mood: tuple[int, Mapping[str, str]]) -> str:
    return " ".join((str(mood[0]), *mood[1].values()))


@pytest.mark.parametrize("mood", MOODS, ids=_id)
def test_F186_a_replay_gives_the_same_bytes(three: Night, cli: Cli, mood: tuple[int, dict[str, str]]) -> None:
    told = cli("replay", "last", "--check", "--threads", mood[0], "--out", three.path, env=mood[1])
    assert (told.code, told.err) == (0, "")
    assert "feed.csv" in told.out and "feed.json" in told.out


def test_F186_a_run_gives_the_same_bytes(three: Night, cli: Cli, tmp_path: Path) -> None:
    words = ("AAPL", "IBM", "MSFT", "--as-of", DAY, "--set", "operation.threads=8")
    told = cli("run", *words, "--out", tmp_path / "out", "--json", env=MOODS[-1][1])
    assert told.code == 0
    assert Shelf(tmp_path / "out").feed() == three.feed()
    assert Shelf(tmp_path / "out").replies() == three.replies()


# What was tampered with is named.


def test_a_file_that_was_changed_is_named_and_can_be_made_again(three: Night, cli: Cli, tmp_path: Path) -> None:
    shelf = three.copy(tmp_path / "out")
    file = shelf.folder / "feed.csv"
    old = file.read_bytes()
    file.write_bytes(old.replace(b"buy", b"sell", 1))
    assert file.read_bytes() != old
    told = cli("replay", "last", "--check", "--out", shelf.path)
    assert (told.code, told.out) == (1, "")
    assert "feed.csv" in told.err and "feed.json" not in told.err
    assert cli("replay", "last", "--out", shelf.path).code == 0
    assert shelf.feed() == three.feed()


def test_a_missing_file_is_a_difference(three: Night, cli: Cli, tmp_path: Path) -> None:
    shelf = three.copy(tmp_path / "out")
    (shelf.folder / "feed.json").unlink()
    told = cli("replay", "last", "--check", "--out", shelf.path)
    assert told.code == 1
    assert "feed.json" in told.err and "feed.csv" not in told.err


def test_a_replay_makes_a_lost_folder_again(three: Night, cli: Cli, tmp_path: Path) -> None:
    shelf = three.copy(tmp_path / "out")
    lost = shelf.folder
    shutil.rmtree(lost)
    assert cli("replay", "last", "--out", shelf.path).code == 0
    for name in ("feed.csv", "feed.json"):
        assert (lost / name).read_bytes() == (three.folder / name).read_bytes()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("DELETE FROM calls WHERE seat = 'bull' AND ticker = 'IBM'", ("IBM", "bull", "research-debate")),
        ("DELETE FROM calls WHERE seat = 'macro'", ("macro-bias",)),
        ("DELETE FROM calls WHERE kind = 'fetch' AND ticker = 'MSFT'", ("MSFT", "bars")),
        (
            "UPDATE calls SET reply = replace(reply, 'bull', 'bear') WHERE seat = 'bull' AND ticker = 'IBM'",
            ("IBM", "bull", "research-debate"),
        ),
    ],
    ids=["a reply", "a reply of the run", "data", "a forged reply"],
)
def test_what_the_journal_lacks_is_named(
    three: Night, cli: Cli, tmp_path: Path, change: str, named: tuple[str, ...]
) -> None:
    shelf = three.copy(tmp_path / "out")
    shelf.ask(change)
    told = cli("replay", "last", "--check", "--out", shelf.path)
    assert told.code == 1
    assert all(word in told.error for word in named), told.error
    assert "resum" not in told.error, "a replay has nothing to resume"


# Nothing but the journal.


def test_a_replay_needs_neither_source_nor_engine(three: Night, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name in ("configs", "phases", "schemas", "skills"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "run_pipeline.py", tree)
    for file in (tree / "phases" / "sources" / "packaged").glob("*.gz"):
        file.unlink()
    desk = watched_desk(tmp_path, 0, tree)
    told = desk.cli("replay", "last", "--check", "--out", three.path)
    assert (told.code, told.err) == (0, "")
    assert desk.lines == []
    # And these really are gone: a run cannot start.
    told = desk.cli("run", "IBM", "--out", tmp_path / "out")
    assert told.code == 4
    assert "packaged data" in told.error
    assert not (tmp_path / "out").exists()
