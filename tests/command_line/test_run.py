"""What a run prints and writes: the default night, named tickers, the cap, holidays."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

from tests.command_line.conftest import ENGINE
from tests.conftest import DAY, Cli, Night, Shelf

KEYS = [
    *("run_id", "as_of", "session", "engine", "protocol", "statuses", "tickers", "left_out", "calls"),
    *("tokens", "cost_usd", "out", "exit", "health"),
]


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
    assert row["status"] == "debated" and isinstance(row["conviction_post"], int)
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
    assert (told.json["tickers"], told.json["left_out"]) == ({"MSFT": "debated"}, ["AAPL", "IBM"])
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
