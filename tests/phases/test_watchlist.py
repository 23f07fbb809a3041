"""The watchlist: what a file or a command line may say, and what of it a night takes."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from phases.core.errors import NoData, UsageError
from phases.plan import CONFIGS, Words, plan, settings_of
from phases.sources.packaged import PackagedSource
from phases.watchlist import focus, is_ticker, read_ticker, watchlist
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


# other formats


def from_named(folder: Path, name: str, raw: bytes, *words: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    (folder / name).write_bytes(raw)
    found = watchlist((), settings(f"universe.file={name}", *words), folder)
    return found.tickers, found.notes


UNTIDY = {
    "list.txt": b"\xef\xbb\xbf# mine\r\nibm\r\n\r\nAAPL # fruit\r\n   \r\nIBM\r\n0700.hk\r\naapl\r\nIBM\r\n",
    "list.csv": b'\xef\xbb\xbf# mine\r\nname,Ticker,w\r\nx,ibm,1\r\n\r\n,,\r\n# y,KO,2\r\n"a, b",AAPL,\r\nz,IBM,3\r\nq,0700.hk\r\nr,aapl,4\r\ns,IBM,\r\n',
    "list.yaml": b"\xef\xbb\xbf# mine\r\ntickers:\r\n  - ibm\r\n\r\n  - AAPL # fruit\r\n  - IBM\r\n  - 0700.hk\r\n  - aapl\r\n  - IBM\r\n",
}


@pytest.mark.parametrize("name", UNTIDY)
def test_F152_an_untidy_file_is_read_in_order_and_repeats_are_told_once(tmp_path: Path, name: str) -> None:
    tickers, notes = from_named(tmp_path, name, UNTIDY[name])
    assert tickers == ("IBM", "AAPL", "0700.HK")
    assert notes == ("named more than once, taken once: AAPL, IBM",)


CELLS = {
    "F153-up": "../../etc/x",
    "F153-inside": "AAPL/../../x",
    "F153-backslash": "A\\B",
    "F154-space": "AAPL MSFT",
    "F154-comma": "AAPL,MSFT",
    "F155-Cyrillic": "\u0410APL",
    "F155-full width": "\uff21\uff21\uff30\uff2c",
    "D14-long": "A" * 300,
    "two lines": "AA\u2028PL",
}


@pytest.mark.parametrize("name", ["list.txt", "list.csv", "list.yaml"])
@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
def test_a_cell_that_is_no_symbol_is_refused_with_its_place(tmp_path: Path, name: str, cell: str) -> None:
    quoted = cell.replace("\\", "\\\\")
    text = {
        "list.txt": f"IBM\n{cell}\n",
        "list.csv": f'symbol\nIBM\n"{cell}"\n',
        "list.yaml": f'tickers: [IBM, "{quoted}"]\n',
    }
    with pytest.raises(UsageError) as refused:
        from_named(tmp_path, name, text[name].encode())
    message = str(refused.value)
    assert message.startswith(f"{tmp_path / name}: ")
    assert ascii(cell)[1:-1][:30] in message, "code points are shown"
    assert "list.yaml" in message or f"line {2 + (name == 'list.csv')}:" in message
    assert sorted(path.name for path in tmp_path.iterdir()) == [name], "no file is made"


@pytest.mark.parametrize("name", ["list.txt", "list.csv", "list.yaml"])
def test_F145_F156_F157_D14_symbols_keep_their_form_and_none_merge(tmp_path: Path, name: str) -> None:
    kept = (
        "BRK-B",
        "BRK.B",
        "BF-B",
        "^GSPC",
        "0700.HK",
        "GC=F",
        "BTC-USD",
        "CON",
        "TRUE",
        "NULL",
        "ON",
        "NO",
        "SHEL.L",
    )
    lines = {
        "list.txt": "\n".join(kept),
        "list.csv": "\n".join(("ticker", *kept)),
        "list.yaml": "tickers:\n- " + "\n- ".join(kept),
    }
    assert from_named(tmp_path, name, lines[name].encode()) == (kept, ())


@pytest.mark.parametrize(
    ("name", "raw", "words"),
    [
        ("list.txt", b"", "the watchlist is empty"),
        ("list.txt", b"# nothing\n\n", "the watchlist is empty"),
        ("list.csv", b"", "needs one column `ticker` or `symbol`; its first line has nothing"),
        ("list.csv", b"name;ticker\nApple;AAPL\n", "its first line has name;ticker"),
        ("list.csv", b"ticker,symbol\nAAPL,AAPL\n", "needs one column"),
        ("list.csv", b"AAPL\nIBM\n", "its first line has aapl"),
        ("list.csv", b"ticker\n", "the watchlist is empty"),
        ("list.csv", b"name,ticker\nApple\n", "line 2: '' is no ticker"),
        ("list.csv", b'ticker\n"AAPL\n', "unexpected end of data"),
        ("list.txt", b"\xff\n", "not UTF-8"),
        ("list.xlsx", b"AAPL\n", "a watchlist is a file .yaml, .csv or .txt"),
        ("list.txt", b"A\n" * 600_000, "larger than"),
    ],
)
def test_F158_a_file_that_says_nothing_or_something_else_is_refused(
    tmp_path: Path, name: str, raw: bytes, words: str
) -> None:
    with pytest.raises(UsageError) as refused:
        from_named(tmp_path, name, raw)
    assert words in str(refused.value)
    assert name in str(refused.value)


def test_D13_held_names_stay_over_any_cap_and_it_is_told() -> None:
    found = watchlist(["A", "B", "C", "D", "E"], held("universe.cap=2", "held=[X, Y, Z]"), CONFIGS)
    assert found.tickers == ("X", "Y", "Z")
    assert found.left_out == ("A", "B", "C", "D", "E")
    assert found.notes == (
        "cap of 2 binds: 3 taken (3 held), over the cap by 1, as held names always come in, left out: A, B, C, D, E",
    )


# a focus list


FOCUS = ("universe.file=", "universe.focus=2")


def test_a_focus_list_takes_what_moved_most_against_the_benchmark() -> None:
    """63 sessions up to 2008-09-30, adjusted closes of the packaged source by hand."""
    chosen, source = held(*FOCUS), PackagedSource()
    found = watchlist((), chosen, CONFIGS, lambda: focus(chosen, source, date(2008, 9, 30)))

    def move(symbol: str) -> float:
        params = {"symbol": symbol, "as_of": "2008-09-30", "sessions": "64"}
        closes = source.fetch("bars", params)["adj_close"]
        return float(closes[-1] / closes[0] - 1)

    sizes = {name: abs(move(name) - move("^GSPC")) for name in ("AAPL", "GOOG", "IBM", "MSFT")}
    best = sorted(sizes, key=lambda name: -sizes[name])[:2]
    assert list(found.tickers) == best
    assert found.notes[0].startswith("focus: 2 of 4 names by the size of the 63-session return less that of ^GSPC: ")
    assert all(f"{name} {sizes[name]:.3f}" in found.notes[0] for name in best)


def test_a_focus_list_adds_held_names_and_is_not_asked_for_where_a_list_is_given() -> None:
    chosen, source = held(*FOCUS, "held=[IBM]", "universe.cap=2"), PackagedSource()
    found = watchlist((), chosen, CONFIGS, lambda: focus(chosen, source, date(2008, 9, 30)))
    assert "IBM" in found.tickers and len(found.tickers) == 2
    for named, words in ((["MSFT"], FOCUS), ([], ("universe.focus=2",))):
        given = watchlist(named, held(*words), CONFIGS, lambda: pytest.fail("not wanted"))
        assert "focus" not in " ".join(given.notes)


def test_a_source_without_a_universe_cannot_focus() -> None:
    class Bare(PackagedSource):
        def fetch(self, dataset: str, params: Any) -> Any:
            if dataset == "universe":
                raise NoData("no list of names")
            return super().fetch(dataset, params)

    with pytest.raises(UsageError, match=r"universe\.focus: no list of names; name tickers"):
        focus(held(*FOCUS), Bare(), date(2008, 9, 30))


def test_a_night_may_focus(tmp_path: Path) -> None:
    night = plan(Words(sets=FOCUS), None)
    assert len(night.header.tickers) == 2
    assert night.notes[0].startswith("focus: 2 of")
