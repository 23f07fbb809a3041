"""`feed` from outside: every form, where it goes, what changed between two nights, and how wrong words end."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator

from phases.sources.packaged import PackagedSource
from tests.conftest import DAY, ROOT, Cli, Night, Shared, Told


@pytest.fixture
def two(shared: Shared) -> Night:
    """Two nights in one store, the second with a name more and a name less."""

    def build(place: Path) -> list[Told]:
        cli, out = Cli(place), ("--out", place / "out", "--debate", "none", "--json")
        return [
            cli("run", "AAPL", "IBM", "--as-of", "2012-06-28", *out),
            cli("run", "IBM", "MSFT", "--as-of", DAY, *out),
        ]

    return shared("two", build)


def ids(night: Night) -> list[str]:
    return [told.json["run_id"] for told in night.told]


def test_the_exports_have_their_schema_beside_them(three: Night) -> None:
    schema = json.loads((three.folder / "feed.schema.json").read_text())
    document = json.loads((three.folder / "feed.json").read_text())
    Draft202012Validator(schema).validate(document)
    assert document["valid"] is True
    assert "ratio" in schema["$defs"]["FeedRow"]["properties"]["view_excess_return"]["description"]
    assert list(Draft202012Validator(schema).iter_errors({**document, "valid": "yes"}))


def test_parquet_goes_into_the_runs_folder_and_its_path_is_printed(cli: Cli, two: Night) -> None:
    told = cli("feed", "last", "--format", "parquet", "--out", two.path)
    path = two.path / ids(two)[1] / "feed.parquet"
    assert (told.code, told.out, told.err) == (0, f"{path}\n", "")
    document = json.loads((path.parent / "feed.json").read_text())
    table = pq.read_table(path)
    rows = [{**one, **{day: str(one[day]) for day in ("as_of", "session", "resolves_on")}} for one in table.to_pylist()]
    assert rows == document["rows"]
    assert table.schema.metadata[b"content_hash"].decode() == document["content_hash"]


@pytest.mark.parametrize("form", ["csv", "json", "parquet", "pypfopt", "skfolio", "prices"])
def test_to_names_the_file_of_every_form(cli: Cli, two: Night, tmp_path: Path, form: str) -> None:
    told = cli("feed", "last", "--format", form, "--to", tmp_path / "file", "--out", two.path)
    assert (told.code, told.out) == (0, "")
    assert told.err.splitlines()[-1] == str(tmp_path / "file")
    assert (tmp_path / "file").stat().st_size > 100
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["file"]


def test_to_knows_stdout_and_replaces_a_link(cli: Cli, two: Night, tmp_path: Path) -> None:
    plain = cli("feed", "last", "--out", two.path)
    told = cli("feed", "last", "--to", "-", "--out", two.path)
    assert (told.code, told.out, told.err) == (0, plain.out, "") and not Path("-").exists()
    told = cli("feed", "last", "--format", "parquet", "--to", "-", "--out", two.path)
    assert told.code == 2 and "--to -: parquet is no text; name a file" in told.error
    (tmp_path / "kept.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "kept.csv")
    cli("feed", "last", "--to", tmp_path / "link.csv", "--out", two.path)
    assert (tmp_path / "kept.csv").read_text() == "old"
    assert not (tmp_path / "link.csv").is_symlink() and (tmp_path / "link.csv").read_text() == plain.out


def test_the_folders_of_to_are_made_and_what_cannot_be_made_is_said(cli: Cli, two: Night, tmp_path: Path) -> None:
    told = cli("feed", "last", "--to", tmp_path / "new" / "folder" / "feed.csv", "--out", two.path)
    assert told.code == 0 and (tmp_path / "new" / "folder" / "feed.csv").read_text().startswith("schema_version,")
    (tmp_path / "file").write_text("")
    told = cli("feed", "last", "--to", tmp_path / "file" / "feed.csv", "--out", two.path)
    assert told.code == 2 and f"--to {tmp_path / 'file' / 'feed.csv'}: cannot be written" in told.error


def test_prices_are_those_that_the_night_saw(cli: Cli, two: Night) -> None:
    told = cli("feed", "last", "--format", "prices", "--out", two.path)
    rows = list(csv.DictReader(io.StringIO(told.out)))
    assert list(rows[0]) == ["day", "IBM", "MSFT", "^GSPC"]
    for name in ("IBM", "MSFT", "^GSPC"):
        bars = PackagedSource().fetch("bars", {"symbol": name, "as_of": DAY, "sessions": "280"})
        assert [float(row[name]) for row in rows] == list(bars["adj_close"])
        assert [row["day"] for row in rows] == [str(day) for day in bars["days"]]


def test_validate_refuses_a_feed_that_is_not_as_its_hash_says(cli: Cli, two: Night, tmp_path: Path) -> None:
    text = (two.path / ids(two)[1] / "feed.json").read_text()
    document, file = json.loads(text), tmp_path / "feed.json"
    file.write_text(text)
    assert cli("validate", "PortfolioFeed", file).out == "valid PortfolioFeed\n"
    for change in ({"protocol": "another"}, {"rows": document["rows"][:1]}, {"content_hash": "0" * 32}):
        file.write_text(json.dumps({**document, **change}))
        told = cli("validate", "PortfolioFeed", file)
        assert told.code == 1 and told.err.startswith('/content_hash: "') and "does not fit the content" in told.err
    document["rows"][0]["probability_post"] += 0.0001
    file.write_text(json.dumps(document))
    assert cli("validate", "PortfolioFeed", file).code == 1


def test_the_recipe_of_the_content_hash_holds(two: Night, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = (ROOT / "docs" / "feed.md").read_text()
    recipe = guide.split("## Content hash")[1].split("```python\n")[1].split("```")[0]
    for run_id in ids(two):
        monkeypatch.chdir(two.path / run_id)
        exec(recipe, {"json": json, "hashlib": hashlib, "Path": Path})  # it asserts


@pytest.mark.parametrize("form", ["pypfopt", "skfolio"])
def test_an_assumed_benchmark_return_is_said(cli: Cli, two: Night, form: str) -> None:
    told = cli("feed", "last", "--format", form, "--out", two.path)
    assert told.err == "note: the benchmark is assumed to return 0.08 a year; --benchmark-return R says otherwise\n"
    assert told.json["benchmark_return_assumed"] is True
    said = cli("feed", "last", "--format", form, "--benchmark-return", "-0.02", "--out", two.path)
    assert said.err == "" and said.json["benchmark_return"] == -0.02


def test_diff_says_what_changed_since_the_older_night(cli: Cli, two: Night) -> None:
    old, new = ids(two)
    told = cli("feed", "--diff", old, new, "--out", two.path)
    lines = told.out.splitlines()
    assert (told.code, told.err, lines[0]) == (0, "", f"{old} → {new}")
    assert "1 new, 1 left" in lines[1] and "MSFT  new" in lines and "AAPL  left" in lines
    assert max(map(len, lines)) <= 80
    document = cli("feed", "--diff", old, "last", "--format", "json", "--out", two.path).json
    assert {one["ticker"]: one["kind"] for one in document["changes"]}["AAPL"] == "left"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--format", "xlsx"), "--format xlsx: unknown (known: csv, json, parquet, pypfopt, skfolio, prices)"),
        (("--benchmark-return", "0.05"), "--benchmark-return goes with --format pypfopt or skfolio"),
        (
            ("--format", "pypfopt", "--benchmark-return", "8"),
            "--benchmark-return 8.0: must be a ratio between -1 and 1",
        ),
        (("--format", "skfolio", "--benchmark-return", "nan"), "--benchmark-return nan: must be a ratio"),
        (("--diff", "last", "--format", "csv"), "--diff: text, or --format json; not csv"),
        (("--diff", "last", "--benchmark-return", "0.05"), "--benchmark-return does not go with --diff"),
        (("--diff", "nope"), "run 'nope' is unknown"),
    ],
    ids=["F167 there is no XLSX", "no library", "percent", "no number", "no form", "no view", "no run"],
)
def test_wrong_words_are_refused(cli: Cli, two: Night, words: tuple[str, ...], said: str) -> None:
    told = cli("feed", "last", *words, "--out", two.path)
    assert told.code == 2 and said in told.error


def test_a_feed_of_another_version_in_the_store_names_the_remedy(cli: Cli, two: Night, tmp_path: Path) -> None:
    shelf, (_, new) = two.copy(tmp_path / "old"), ids(two)
    with closing(sqlite3.connect(shelf.path / "rebuttal.db")) as store, store:
        where = "WHERE name = 'portfolio_feed' AND run_id = ?"
        [(body,)] = store.execute(f"SELECT body FROM artefacts {where}", (new,)).fetchall()
        feed: dict[str, Any] = json.loads(body)
        del feed["valid"]
        store.execute(f"UPDATE artefacts SET body = ? {where}", (json.dumps(feed), new))
    for words in (("feed", "last"), ("show", "last")):
        told = cli(*words, "--out", shelf.path)
        assert told.code == 2
        assert f"run {new}: its feed was stored by another version" in told.error
        assert f"`run --as-of {DAY}`" in told.error and "valid: Field required" in told.error
