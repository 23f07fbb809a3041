"""Parquet: read back equal by three libraries, with types, nulls and the header that names the night."""

from __future__ import annotations

import io
import sys
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from phases.core.errors import UsageError
from phases.outputs.parquet import feed_parquet
from schemas.feed import FeedRow
from tests.phases.outputs.feeds import feed, many, row

NIGHT = many(500)
ROWS = [one.model_dump() for one in NIGHT.rows]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("parquet") / "feed.parquet"
    path.write_bytes(feed_parquet(NIGHT))
    return path


def same(found: list[dict[str, Any]]) -> None:
    """Cell by cell, by value and type: a whole number is no float, and null is no NaN."""
    assert len(found) == len(ROWS)
    for mine, theirs in zip(ROWS, found, strict=True):
        assert list(mine) == list(theirs)
        for name, value in mine.items():
            cell = theirs[name]
            if isinstance(value, tuple):
                assert list(cell) == list(value)
            else:
                assert type(cell) is type(value) and cell == value, (name, value, cell)


def test_pandas_reads_the_same(file: Path) -> None:
    same(pd.read_parquet(file, dtype_backend="pyarrow").astype(object).pipe(_python))


def _python(frame: pd.DataFrame) -> list[dict[str, Any]]:
    absent = frame.map(lambda cell: cell is pd.NA or cell is None)
    rows = frame.where(~absent, None).to_dict("records")
    return [{str(name): None if cell is pd.NA else cell for name, cell in one.items()} for one in rows]


def test_polars_reads_the_same(file: Path) -> None:
    same(pl.read_parquet(file).to_dicts())


def test_duckdb_reads_the_same(file: Path) -> None:
    found = duckdb.execute("SELECT * FROM read_parquet(?)", [str(file)])
    names = [one[0] for one in found.description]
    same([dict(zip(names, cells, strict=True)) for cells in found.fetchall()])


def test_columns_have_their_types_and_say_what_they_are(file: Path) -> None:
    schema = pq.read_schema(file)
    kinds = {
        pa.date32(): {"as_of", "session", "resolves_on"},
        pa.int64(): {"conviction_pre", "conviction_delta", "conviction_post", "horizon_sessions"},
        pa.bool_(): {"held"},
        pa.float64(): {
            *("probability_pre", "probability_post", "view_excess_return", "view_confidence", "gap_first", "gap_last"),
            *("convergence", "agreement", "debate_cost_usd"),
        },
    }
    assert schema.names == list(FeedRow.model_fields)
    for kind, names in kinds.items():
        assert {one.name for one in schema if one.type == kind} == names
    assert {one.name for one in schema if pa.types.is_list(one.type)} == {"flags"}
    assert not schema.field("ticker").nullable and schema.field("stance").nullable
    for name, field in FeedRow.model_fields.items():
        assert schema.field(name).metadata[b"description"].decode() == field.description


def test_the_header_is_the_metadata(file: Path) -> None:
    told = {key.decode(): value.decode() for key, value in pq.read_schema(file).metadata.items()}
    assert {name: told[name] for name in ("schema_version", "run_id", "content_hash", "as_of", "valid")} == {
        "schema_version": "1",
        "run_id": NIGHT.run_id,
        "content_hash": NIGHT.content_hash,
        "as_of": "2008-09-30",
        "valid": "true",
    }


def test_a_column_without_a_value_keeps_its_type() -> None:
    table = pq.read_table(io.BytesIO(feed_parquet(feed([row("ACME", "no_data")]))))
    assert table.schema.field("view_excess_return").type == pa.float64()
    assert table.column("view_excess_return").to_pylist() == [None]
    assert table.column("resolves_on").to_pylist() == [date(2008, 10, 29)]
    assert pq.read_table(io.BytesIO(feed_parquet(feed([])))).num_rows == 0


def test_the_same_feed_gives_the_same_bytes() -> None:
    assert feed_parquet(NIGHT) == feed_parquet(NIGHT)


def test_without_pyarrow_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install '\.\[parquet\]'"):
        feed_parquet(NIGHT)
