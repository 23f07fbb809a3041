"""The watchlist: what a file or a command line may say, and what of it a night takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from phases.core.errors import UsageError
from phases.plan import CONFIGS, Words, settings_of
from phases.watchlist import is_ticker, read_ticker, watchlist
from schemas.settings import Settings
from tests.support import settings

GOOD = [
    "AAPL",
    "BRK.B",
    "BRK-B",
    "0700.HK",
    "^GSPC",
    "GC=F",
    "BTC-USD",
    "CON",
    "NUL",
    "TRUE",
    "NULL",
    "NO",
    "ON",
    "Y",
    "7",
    "A" * 20,
]

BAD = [
    "",
    " ",
    "AAPL MSFT",
    "AAPL,MSFT",
    "\u0410APL",  # a Cyrillic A
    "\uff21\uff21\uff30\uff2c",  # full width
    "\u0131bm",  # a dotless i, whose capital is I
    "stra\u00dfe",
    "AAPL\u200b",
    "AAPL\x00",
    "AA\nPL",
    "../AAPL",
    "A/B",
    "A\\B",
    "A..B",
    ".A",
    "A.",
    "^^A",
    "A^B",
    "$AAPL",
    "A" * 21,
]


@pytest.mark.parametrize("word", GOOD)
def test_symbols_are_taken_as_they_are_and_in_small_letters(word: str) -> None:
    assert is_ticker(word)
    assert read_ticker(word, "ticker") == word
    assert read_ticker(f" {word.lower()}\r", "ticker") == word


@pytest.mark.parametrize("word", BAD)
def test_what_is_no_symbol_is_refused_and_shown_in_ascii(word: str) -> None:
    assert not is_ticker(word)
    with pytest.raises(UsageError) as refused:
        read_ticker(word, "list.yaml: tickers")
    message = str(refused.value)
    assert message.startswith("list.yaml: tickers: ")
    assert message.isascii()
    assert message.isprintable()
    assert ascii(word)[1:-1] in message


def test_a_long_word_is_refused_by_its_length_and_not_repeated_whole() -> None:
    with pytest.raises(UsageError, match="it has 5000 characters, at most 20 are allowed") as refused:
        read_ticker("A" * 5000, "ticker")
    assert len(str(refused.value)) < 200


# files


def from_file(folder: Path, raw: bytes, *words: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    (folder / "list.yaml").write_bytes(raw)
    found = watchlist((), settings("universe.file=list.yaml", *words), folder)
    return found.tickers, found.notes


@pytest.mark.parametrize(
    ("raw", "tickers"),
    [
        (b"tickers: [AAPL, IBM]\n", ("AAPL", "IBM")),
        (b"\xef\xbb\xbftickers: [AAPL, IBM]\n", ("AAPL", "IBM")),  # a byte-order mark
        (b"tickers:\r\n  - AAPL\r\n  - IBM\r\n", ("AAPL", "IBM")),
        (b"# mine\ntickers:\n  - AAPL  # fruit\n  # - MSFT\n  - IBM\n", ("AAPL", "IBM")),
        (b"tickers: [aapl, Ibm]\n", ("AAPL", "IBM")),
        (b"tickers: [IBM, AAPL, ibm]\n", ("IBM", "AAPL")),
        (b"tickers: [BRK.B, 0700.HK, ^GSPC, GC=F, CON]\n", ("BRK.B", "0700.HK", "^GSPC", "GC=F", "CON")),
        (b"tickers: [TRUE, NULL, NO, ON, 7, 1E5, ~A]\n", None),
        (b"tickers: [TRUE, NULL, null, NO, ON, 7, 1E5, 0700]\n", ("TRUE", "NULL", "NO", "ON", "7", "1E5", "0700")),
    ],
)
def test_files(tmp_path: Path, raw: bytes, tickers: tuple[str, ...] | None) -> None:
    if tickers is None:
        with pytest.raises(UsageError, match="'~A' is no ticker"):
            from_file(tmp_path, raw)
    else:
        assert from_file(tmp_path, raw)[0] == tickers


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"tickers: [AAPL MSFT]\n", "'AAPL MSFT' is no ticker"),
        ("tickers: [\u0410APL]\n".encode(), r"'\\u0410APL' is no ticker"),
        ("tickers: [\uff21\uff21\uff30\uff2c]\n".encode(), "is no ticker"),
        (b"tickers: AAPL, MSFT\n", "needs a list `tickers`"),
        (b"tickers:\n  - [AAPL]\n", "needs a list `tickers`"),
        (b"tickers:\n  AAPL: 1\n", "needs a list `tickers`"),
        (b"names: [AAPL]\n", "needs a list `tickers`"),
        (b"- AAPL\n", "must be a mapping"),
        (b"", "must be a mapping"),
        (b"tickers: []\n", "the watchlist is empty; name a ticker"),
        (b"tickers:\n  -\n", "'' is no ticker"),
        (b"tickers: [AAPL]\ntickers: [IBM]\n", "stands twice"),
        (b"tickers: [\xff]\n", "not UTF-8"),
        (b"tickers: &a [AAPL]\nmore: *a\n", "aliases"),
    ],
)
def test_a_file_that_says_something_else_is_refused_by_name(tmp_path: Path, raw: bytes, words: str) -> None:
    with pytest.raises(UsageError, match=words) as refused:
        from_file(tmp_path, raw)
    assert "list.yaml" in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.yaml: No such file"):
        watchlist((), settings("universe.file=gone.yaml"), tmp_path)


def test_repeats_are_told(tmp_path: Path) -> None:
    _, notes = from_file(tmp_path, b"tickers: [IBM, AAPL, ibm, AAPL, MSFT]\n")
    assert notes == ("named more than once, taken once: AAPL, IBM",)


def test_the_shipped_list() -> None:
    assert watchlist((), settings(), CONFIGS).tickers == ("AAPL", "GOOG", "IBM", "MSFT")


# held names and the cap


def held(*words: str) -> Settings:
    return settings_of(Words(sets=words))


@pytest.mark.parametrize(
    ("named", "words", "tickers", "left_out"),
    [
        (["AAPL", "IBM"], [], "AAPL IBM", ""),
        (["AAPL"], ["held=[MSFT, AAPL]"], "AAPL MSFT", ""),  # held names always come in
        (["AAPL", "IBM", "MSFT"], ["universe.cap=2"], "AAPL IBM", "MSFT"),
        (["AAPL", "IBM", "MSFT"], ["universe.cap=3"], "AAPL IBM MSFT", ""),
        (["AAPL", "IBM", "MSFT"], ["universe.cap=2", "held=[MSFT]"], "AAPL MSFT", "IBM"),
        (["AAPL", "IBM"], ["universe.cap=1", "held=[GOOG, MSFT]"], "GOOG MSFT", "AAPL IBM"),  # over any cap
        (["AAPL", "IBM"], ["universe.cap=2", "held=[GOOG]"], "AAPL GOOG", "IBM"),
        (["A", "B", "A", "C"], ["universe.cap=2"], "A B", "C"),
    ],
)
def test_held_names_and_the_cap(named: list[str], words: list[str], tickers: str, left_out: str) -> None:
    found = watchlist(named, held(*words), CONFIGS)
    assert found.tickers == tuple(tickers.split())
    assert found.left_out == tuple(left_out.split())
    assert any("cap of" in note for note in found.notes) == bool(left_out)
    for name in found.left_out:
        assert name in found.notes[-1]


def test_held_names_alone_make_a_night() -> None:
    chosen = held("held=[MSFT]", "universe.file=")
    assert watchlist((), chosen, CONFIGS).tickers == ("MSFT",)
    with pytest.raises(UsageError, match="the watchlist is empty"):
        watchlist((), held("universe.file="), CONFIGS)


@pytest.mark.parametrize("word", ["MS FT", "\u0410APL"])
def test_a_held_name_is_a_symbol_in_capitals(word: str) -> None:
    with pytest.raises(UsageError, match="held"):
        held(f"held=[{word}]")


def test_a_held_name_in_small_letters_is_the_same_symbol() -> None:
    assert settings_of(Words(sets=("held=[msft]",))).held == ("MSFT",)
