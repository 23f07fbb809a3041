"""Wrong words, folders and stores: one line, the right code, and no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import DAY, ROOT, Cli, Night


def _tree(folder: Path) -> set[str]:
    return {str(one.relative_to(folder)) for one in folder.rglob("*")}


LONG = "A" * 300

WRONG: list[tuple[tuple[str, ...], tuple[str, ...]]] = [
    (("../../x",), ("../../x",)),
    (("run", "../../x"), ("../../x", "AAPL")),
    (("run", LONG), ("300 characters", "20")),
    (("shwo", "last"), ("did you mean show",)),
    (("run", "--set", "debat.rounds=2"), ("debat", "did you mean debate")),
    (("run", "--set", "debate.rounds=0"), ("debate.rounds", "'0'", "1 to 5")),
    (("run", "--set", "debate.rounds=1"), ("debate.rounds", "2 to 4")),
    (("run", "--set", "debate.rounds"), ("debate.rounds", "key=value")),
    (("run", "--set", "debate.protocol=nope"), ("nope", "rounds")),
    (("run", "--set", "held=[../../x]"), ("held", "../../x")),
    (("run", "--set", "provider=nope"), ("nope", "offline")),
    (("run", "--debate", "some"), ("some", "gate")),
    (("run", "--config", "nope.yaml"), ("nope.yaml",)),
    (("run", "--nope"), ("--nope", "--help")),
    (("run", "AAPL", "--as-of", "1999-12-31"), ("1999-12-31", "2000-03-01", "2013-03-01")),
    (("run", "AAPL", "--as-of", "2013-03-08"), ("2013-03-08", "2000-03-01", "2013-03-01")),
    (("run", "AAPL", "--as-of", "29/06/2012"), ("29/06/2012", "2012-06-29")),
    (("run", "AAPL", "--as-of", "2012-02-30"), ("2012-02-30", "date")),
]


@pytest.mark.parametrize(("words", "parts"), WRONG, ids=lambda value: " ".join(value)[:40])
def test_wrong_words_end_in_one_line_and_leave_no_file(
    cli: Cli, tmp_path: Path, words: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    told = cli(*words, "--out", tmp_path / "out")
    assert told.code == 2
    assert all(part in told.error for part in parts), told.error
    assert LONG not in told.error
    assert _tree(tmp_path) == {"here"}


@pytest.mark.parametrize("text", ["", "tickers: []\n"], ids=["no text", "no tickers"])
def test_an_empty_watchlist_is_named(cli: Cli, tmp_path: Path, text: str) -> None:
    (tmp_path / "c.yaml").write_text("universe: {file: names.yaml}\n")
    (tmp_path / "names.yaml").write_text(text)
    before = _tree(tmp_path)
    told = cli("run", "--config", tmp_path / "c.yaml", "--out", tmp_path / "out")
    assert told.code == 2
    assert "names.yaml" in told.error
    assert _tree(tmp_path) == before


@pytest.mark.parametrize("below", [".", "out"], ids=["a file", "below a file"])
def test_an_out_folder_that_cannot_be(cli: Cli, tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("mine")
    before = _tree(tmp_path)
    told = cli("run", "AAPL", "--out", tmp_path / "file" / below)
    assert told.code == 2
    assert str(tmp_path / "file" / below) in told.error
    assert _tree(tmp_path) == before
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("command", ["feed", "show", "replay", "runs"])
def test_an_empty_folder_has_nothing_to_show(cli: Cli, tmp_path: Path, command: str) -> None:
    told = cli(command, *(() if command == "runs" else ("last",)), "--out", tmp_path / "out")
    assert told.code == 2
    assert str(tmp_path / "out") in told.error
    assert _tree(tmp_path) == {"here"}


@pytest.mark.parametrize("command", ["feed", "show", "replay"])
def test_an_unknown_run_is_named_with_what_there_is(cli: Cli, three: Night, command: str) -> None:
    told = cli(command, "2012-06-29-00000000", "--out", three.path)
    assert told.code == 2
    assert "2012-06-29-00000000" in told.error and three.folder.name in told.error


@pytest.mark.parametrize("words", [("--resume", "2012-06-29-00000000"), ("../../x", "--resume", "last")])
def test_a_refused_resume_makes_no_store(cli: Cli, tmp_path: Path, words: tuple[str, ...]) -> None:
    told = cli("run", *words, "--out", tmp_path / "out")
    assert told.code == 2
    assert told.error
    assert _tree(tmp_path) == {"here"}


def test_no_letter_of_the_out_folder_is_read_as_part_of_an_address(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "o ut?x=1#%41&ü"
    assert cli("run", "AAPL", "--out", out, "--json").code == 0
    assert {one.name for one in tmp_path.iterdir()} == {"here", out.name}
    assert (out / "rebuttal.db").is_file()


def _text(_: bytes) -> bytes:
    return b"this is no database\n" * 300


def _middle(old: bytes) -> bytes:
    return old[:8192] + b"\xa5" * (len(old) - 12288) + old[-4096:]


def _cut(old: bytes) -> bytes:
    return old[:-5000]


def _nothing(_: bytes) -> bytes:
    return b""


DAMAGE = {"text": _text, "cut": _cut, "middle": _middle, "nothing": _nothing}


@pytest.mark.parametrize(("kind", "command"), [*((kind, "run") for kind in DAMAGE), ("text", "feed")])
def test_a_damaged_store_is_named_and_left_as_it_is(
    cli: Cli, three: Night, tmp_path: Path, kind: str, command: str
) -> None:
    file = three.copy(tmp_path / "out").path / "rebuttal.db"
    file.write_bytes(DAMAGE[kind](file.read_bytes()))
    tree, content = _tree(tmp_path), file.read_bytes()
    words = ("AAPL", "IBM", "MSFT", "--as-of", DAY) if command == "run" else ("last",)
    told = cli(command, *words, "--out", tmp_path / "out")
    assert told.code == 4
    assert str(file) in told.error
    assert file.read_bytes() == content
    assert _tree(tmp_path) == tree


def test_an_empty_out_folder_is_refused(cli: Cli) -> None:
    told = cli("runs", "--out", "")
    assert told.code == 2 and "--out" in told.error


def test_debug_keeps_the_exit_code_and_a_look_is_not_resumed(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "rebuttal.db").write_bytes(b"no database at all" * 100)
    for command, hint in (("show", False), ("run", True)):
        told = cli(command, "last" if command == "show" else "AAPL", "--out", tmp_path / "out", "--debug")
        assert told.code == 4 and told.err.endswith("; no run began: give the same command again\n") == hint


def test_a_mistake_in_a_set_is_not_the_fault_of_the_file(cli: Cli) -> None:
    for word in ("models.nosuch=x", "debate.rounds=9"):
        told = cli(
            "run", "AAPL", "--config", ROOT / "configs" / "nightly.yaml", "--set", "provider=offline", "--set", word
        )
        assert told.code == 2 and told.error.startswith(f"error: --set {word.partition('=')[0]}: "), told.error
