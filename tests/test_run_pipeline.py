"""The command line from outside: what a run prints and writes, and how every kind of wrong word ends."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import DAY, ROOT, Cli, Night, Shared, Shelf, Told

ENGINE = "offline-desk v2, llm: none"
KEYS = [
    *("run_id", "as_of", "session", "engine", "protocol", "statuses", "tickers", "calls", "tokens", "cost_usd"),
    *("out", "exit", "health"),
]


def _tree(folder: Path) -> set[str]:
    return {str(one.relative_to(folder)) for one in folder.rglob("*")}


@pytest.fixture
def default(shared: Shared) -> Night:
    """The default night, held twice."""

    def build(place: Path) -> list[Told]:
        out, cli = place / "out", Cli(place)
        first = cli("--out", out)
        for name, text in Shelf(out).feed().items():
            (place / name).write_bytes(text)
        return [first, cli("run", "--out", out, "--json")]

    return shared("default", build)


@pytest.fixture
def mixed(shared: Shared) -> Night:
    """The night of `three` with a name nobody knows and one that was listed six weeks before."""

    def build(place: Path) -> list[Told]:
        return [Cli(place)("run", "AAPL", "NOSUCH", "FB", "--as-of", DAY, "--out", place / "out", "--json")]

    return shared("mixed", build)


# The default run.


def test_default_run_names_its_engine_first_and_prints_one_line_a_ticker(default: Night) -> None:
    told = default.told[0]
    lines = told.out.splitlines()
    assert told.code == 0
    assert lines[0].startswith(f"engine: {ENGINE}")
    head = next(at for at, line in enumerate(lines) if line.startswith("ticker"))
    assert lines[head].split() == ["ticker", "status", "pre", "delta", "post", "stance", "why"]
    table = {line.split()[0]: line.split() for line in lines[head + 2 : head + 6]}
    rows = default.rows()
    assert list(rows) == ["AAPL", "GOOG", "IBM", "MSFT"]
    assert list(table) == ["IBM", "AAPL", "GOOG", "MSFT"], "what the debate moved stands first"
    for ticker, row in rows.items():
        numbers = [f"{row[f'conviction_{name}']:+d}".replace("+0", "0") for name in ("pre", "delta", "post")]
        assert table[ticker][1:6] == [row["status"], *numbers, row["stance"]]
        assert len(table[ticker]) > 6, "no word on why"
    assert all(len(line) <= 120 for line in lines[head : head + 6])


def test_default_run_writes_the_three_exports_and_a_true_record(default: Night) -> None:
    again = default.told[1]
    default.feed()  # refuses any other file
    assert json.loads((default.folder / "run.json").read_text()) == again.json
    assert again.json["out"] == str(default.folder)
    assert default.folder.name == again.json["run_id"]
    assert re.fullmatch(r"2008-09-30-[0-9a-f]{8}", again.json["run_id"])


def test_the_same_night_again_asks_nothing_and_writes_the_same_bytes(default: Night) -> None:
    first, again = default.told
    made = int(re.search(r"(\d+) (?:calls )?made", first.out)[1])  # type: ignore[index]
    assert again.code == 0
    assert again.json["calls"] == {"made": 0, "replayed": made, "repaired": 0, "void": 0}
    assert made == len(default.replies()) > 0
    assert default.feed() == {name: (default.path.parent / name).read_bytes() for name in ("feed.csv", "feed.json")}


def test_csv_and_json_say_the_same(mixed: Night) -> None:
    table = list(csv.DictReader(io.StringIO((mixed.folder / "feed.csv").read_text())))
    rows = json.loads((mixed.folder / "feed.json").read_text())["rows"]
    assert [list(row) for row in table] == [list(row) for row in rows]
    for cells, row in zip(table, rows, strict=True):
        for name, value in row.items():
            assert _read(cells[name], value) == value, name


def _read(cell: str, like: Any) -> Any:
    """A CSV cell as the type that its JSON value has."""
    if cell == "" and like is None:
        return None
    if isinstance(like, list):
        return cell.split(";") if cell else []
    if isinstance(like, bool | int | float):
        return json.loads(cell)
    return cell.removeprefix("'")


# Named tickers, and tickers without data.


def test_json_is_the_only_thing_on_stdout(three: Night) -> None:
    (told,) = three.told
    assert told.code == 0
    assert list(told.json) == KEYS
    assert told.out.count("\n") == 1
    expected = {"as_of": DAY, "session": DAY, "engine": ENGINE, "protocol": "desk", "tokens": 0, "cost_usd": 0.0}
    expected |= {"statuses": {"debated": 3}, "tickers": dict.fromkeys(("AAPL", "IBM", "MSFT"), "debated"), "exit": 0}
    expected |= {"out": str(three.folder), "run_id": three.folder.name}
    assert {key: told.json[key] for key in expected} == expected
    assert set(told.json["calls"]) == {"made", "replayed", "repaired", "void"}
    assert told.json["calls"]["made"] == len(three.replies())
    assert ENGINE in told.err


def test_an_unknown_ticker_has_a_row_and_changes_no_other(three: Night, mixed: Night) -> None:
    (told,) = mixed.told
    assert told.code == told.json["exit"] == 1
    assert told.json["tickers"]["NOSUCH"] == "no_data"
    assert "NOSUCH" in told.err
    row = mixed.rows()["NOSUCH"]
    assert "NOSUCH" in row["reason"]
    decision = [name for name in row if name.startswith(("conviction", "probability", "view", "gap", "stance"))]
    assert len(decision) == 12
    assert {name: row[name] for name in decision} == dict.fromkeys(decision)
    assert mixed.rows()["AAPL"] == three.rows()["AAPL"]


def test_a_ticker_row_in_csv_differs_between_nights_only_in_the_run_id(three: Night, mixed: Night) -> None:
    one, two = (
        next(line for line in (shelf.folder / "feed.csv").read_text().splitlines() if ",AAPL," in line)
        for shelf in (three, mixed)
    )
    assert one != two
    assert one.replace(three.folder.name, "RUN") == two.replace(mixed.folder.name, "RUN")


def test_a_young_listing_is_rated_on_what_it_has(mixed: Night, cli: Cli) -> None:
    row = mixed.rows()["FB"]
    if row["status"] not in ("contested", "degraded", "gated", "debated"):
        assert row["reason"], "no numbers and no reason"
        return
    assert isinstance(row["conviction_post"], int)
    shown = cli("show", "last", "FB", "--json", "--out", mixed.path).json["artefacts"]["market_snapshot"]
    missing, held = ({one["id"] for one in shown[part]} for part in ("missing", "evidence"))
    assert {"px.ret_252d", "px.ret_126d", "px.sma200_gap"} <= missing
    assert not missing & held
    assert all(one["reason"] for one in shown["missing"])


def test_before_its_first_bar_a_listing_is_no_data(cli: Cli, tmp_path: Path) -> None:
    told = cli("FB", "--as-of", "2010-06-29", "--out", tmp_path / "out", "--json")
    assert told.code == 1
    assert told.json["tickers"] == {"FB": "no_data"}
    assert "2012-05-18" in Shelf(tmp_path / "out").rows()["FB"]["reason"]


# Held names and the cap.


def test_a_held_name_passes_the_cap_and_the_cap_is_reported(cli: Cli, tmp_path: Path) -> None:
    words = ("AAPL", "IBM", "--set", "held=[MSFT]", "--set", "universe.cap=1", "--as-of", DAY)
    told = cli("run", *words, "--out", tmp_path / "out", "--json")
    assert told.code == 0
    assert told.json["tickers"] == {"MSFT": "debated"}
    assert Shelf(tmp_path / "out").rows()["MSFT"]["held"] is True
    (note,) = (line for line in told.err.splitlines() if line.startswith("note: "))
    assert "cap of 1" in note and "AAPL" in note and "IBM" in note


# Calendars and doubles: allowed, and said.


def test_a_holiday_is_the_night_of_the_session_before_and_doubles_are_noted(cli: Cli, tmp_path: Path) -> None:
    told = cli("run", "AAPL", "aapl", "AAPL", "--as-of", "2012-07-04", "--out", tmp_path / "out", "--json")
    assert told.code == 0
    assert (told.json["as_of"], told.json["session"]) == ("2012-07-04", "2012-07-03")
    assert told.json["run_id"].startswith("2012-07-03-")
    assert told.json["tickers"] == {"AAPL": "debated"}
    notes = [line for line in told.err.splitlines() if line.startswith("note: ")]
    assert any("2012-07-04" in line and "2012-07-03" in line for line in notes), told.err
    assert any("AAPL" in line and "once" in line for line in notes), told.err


# Wrong words: one line, the right code, and no file.

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
    (("run", "AAPL", "--as-of", "2013-03-04"), ("2013-03-04", "2000-03-01", "2013-03-01")),
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


# validate, schemas, lint.

TURN = {"role": "bull", "ticker": "AAPL", "round_number": 1, "argument": "Prices rose. They may go on. I stay bullish."}


def _turn(**changed: object) -> str:
    return json.dumps({**TURN, **changed})


INVALID = {
    "601 characters": (_turn(argument="a" * 601), "/argument", "600"),
    "true": (_turn(round_number=True), "/round_number", "true"),
    "text": (_turn(round_number="1"), "/round_number", '"1"'),
    "1.0": (_turn(round_number=1.0), "/round_number", "1.0"),
    "0": (_turn(round_number=0), "/round_number", "at least 1"),
    "unknown key": (_turn(mood="good"), "/mood", "unknown key"),
    "line end": (_turn(ticker="AAPL\n"), "/ticker", "symbol"),
    "double key": (_turn().replace("{", '{"role": "bear", ', 1), "'role'", "twice"),
    "NaN": (_turn().replace(": 1,", ": NaN,"), "NaN", "not a JSON number"),
    "no role": (json.dumps({key: TURN[key] for key in list(TURN)[1:]}), "lacks", "role"),
    "no object": ("[]", "[]", "object"),
}


@pytest.mark.parametrize("document", [_turn(), _turn(argument="a" * 600)], ids=["four fields", "600 characters"])
def test_a_contribution_of_four_fields_is_valid(cli: Cli, document: str) -> None:
    told = cli("validate", "DebateRoundContribution", "-", stdin=document)
    assert (told.code, told.err) == (0, "")


@pytest.mark.parametrize(("document", "pointer", "rule"), INVALID.values(), ids=INVALID)
def test_an_invalid_document_is_told_pointer_value_and_rule(cli: Cli, document: str, pointer: str, rule: str) -> None:
    told = cli("validate", "DebateRoundContribution", "-", stdin=document)
    assert (told.code, told.out) == (1, "")
    (line,) = told.err.splitlines()
    assert pointer in line and rule in line


def test_validate_reads_files_and_the_products_of_a_run(cli: Cli, three: Night) -> None:
    for contract, name in (("PortfolioFeed", "feed.json"), ("RunRecord", "run.json")):
        told = cli("validate", contract, three.folder / name)
        assert (told.code, told.err) == (0, "")
    assert cli("validate", "PortfolioFeed", three.folder / "run.json").code == 1
    assert "did you mean PortfolioFeed" in cli("validate", "PortfolioFed", "-").error
    assert cli("validate", "PortfolioFeed", three.path / "nope.json").code == 2


def test_schemas_are_listed_and_printed(cli: Cli) -> None:
    listed = cli("schemas")
    names = [line.split()[0] for line in listed.out.splitlines()]
    assert listed.code == 0
    assert {"DebateRoundContribution", "FeedRow", "RunRecord"} <= set(names)
    printed = cli("schemas", "DebateRoundContribution")
    assert printed.code == 0
    assert printed.out == (ROOT / "schemas/json/DebateRoundContribution.schema.json").read_text()
    assert printed.json["properties"]["argument"]["maxLength"] == 600
    assert cli("schemas", "DebateRoundContributon").code == 2


def test_lint_has_no_findings(cli: Cli) -> None:
    told = cli("lint")
    assert (told.code, told.err) == (0, "")


# runs, show, feed.


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
    assert told.code in (0, 2)
    assert pipe.is_fifo()


def test_a_feed_leaves_other_files_alone(cli: Cli, three: Night, tmp_path: Path) -> None:
    others = [tmp_path / name for name in (".feed.csv.swp", ".feed.csv.my-notes", ".feed.csv.2012-06-29.bak")]
    for other in others:
        other.write_text("mine")
    assert cli("feed", "last", "--to", tmp_path / "feed.csv", "--out", three.path).code == 0
    assert [other.read_text() for other in others if other.exists()] == ["mine"] * 3


# Where the output goes.


def test_an_empty_out_folder_is_refused(cli: Cli) -> None:
    told = cli("runs", "--out", "")
    assert told.code == 2 and "--out" in told.error


@pytest.mark.parametrize("debug", [(), ("--debug",)], ids=["", "debug"])
def test_stdout_that_cannot_be_written_is_exit_4(three: Night, debug: tuple[str, ...]) -> None:
    words = (sys.executable, ROOT / "run_pipeline.py", "feed", "last", "--out", three.path, *debug)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.count("error: stdout cannot be written")) == (4, 1)


def test_a_reader_that_leaves_ends_the_command_quietly(three: Night) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    words = (sys.executable, ROOT / "run_pipeline.py", "show", "last", "--json", "--out", three.path)
    done = subprocess.run(words, stdout=theirs, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, "")


def test_debug_keeps_the_exit_code_and_a_look_is_not_resumed(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "rebuttal.db").write_bytes(b"no database at all" * 100)
    for command, hint in (("show", False), ("run", True)):
        told = cli(command, "last" if command == "show" else "AAPL", "--out", tmp_path / "out", "--debug")
        assert told.code == 4 and (f"run --resume last --out {tmp_path / 'out'}" in told.err) == hint


def test_a_mistake_in_a_set_is_not_the_fault_of_the_file(cli: Cli) -> None:
    for word in ("models.nosuch=x", "debate.rounds=9"):
        told = cli(
            "run", "AAPL", "--config", ROOT / "configs" / "nightly.yaml", "--set", "provider=offline", "--set", word
        )
        assert told.code == 2 and told.error.startswith(f"error: --set {word.partition('=')[0]}: "), told.error
