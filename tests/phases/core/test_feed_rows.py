"""The view `feed_rows`: what the store says of a night is what its feed says, in both kinds of store."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from phases.core.postgres import open_postgres
from phases.core.runs import FeedEntry, Runs
from phases.core.store import Store, open_store
from schemas.feed import FeedRow
from schemas.generate import json_schema
from tests.phases.outputs.feeds import feed, many, row
from tests.postgres import query

TYPES = {"string": "text", "integer": "integer", "number": "double precision", "boolean": "boolean", "array": "text"}

HARD = (0.1 + 0.2, 1 / 3, 2 / 3, 5e-324, 1.7976931348623157e308, 0.30000000000000004, 1e-7, 123456789.12345679)
"""Numbers that need all their digits."""

NIGHT = feed([*many(60).rows, *(row(f"H{at}", debate_cost_usd=value) for at, value in enumerate(HARD))])


def kept(store: Store) -> list[dict[str, Any]]:
    """Rows of the view, once the night is in the store."""
    rows = [FeedEntry(one.ticker, one.status, one.model_dump_json()) for one in NIGHT.rows]
    runs = Runs(store)
    runs.start(NIGHT.run_id, "2008-09-30", "desk", "{}")
    runs.finish(NIGHT.run_id, "2008-09-30", "{}", rows, [{"run_id": NIGHT.run_id, "body": "{}"}])
    with store.read() as connection:
        found = connection.execute(text("SELECT * FROM feed_rows ORDER BY position"))
        return [dict(one) for one in found.mappings()]


def test_the_view_of_sqlite_is_the_feed(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "out")) as store:
        found = kept(store)
    for at, (told, one) in enumerate(zip(found, NIGHT.rows, strict=True)):
        cells = {**told, "flags": json.loads(told["flags"]), "held": bool(told["held"])}
        assert cells == {**one.model_dump(mode="json"), "position": at}
        assert {type(told[name]) for name in ("conviction_post", "horizon_sessions")} <= {int, type(None)}


def test_the_view_of_postgresql_is_the_feed_and_typed(database: str, tmp_path: Path) -> None:
    with closing(open_postgres(database, tmp_path / "out", 30, True)) as store:
        found = kept(store)
    for at, (told, one) in enumerate(zip(found, NIGHT.rows, strict=True)):
        cells = {**told, "flags": tuple(json.loads(told["flags"]))}
        assert cells == {**one.model_dump(), "position": at}
    kinds = dict(
        query(
            database,
            "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute"
            " WHERE attrelid = 'feed_rows'::regclass AND attnum > 0",
        )
    )
    assert kinds == {**columns(), "position": "integer"}
    assert type(found[0]["as_of"]) is date


def columns() -> dict[str, str]:
    """Type of each column as the contract has it."""
    schema = json_schema(FeedRow)
    kinds = {}
    for name, part in schema["properties"].items():
        [meant] = [one for one in part.get("anyOf", [part]) if one != {"type": "null"}]
        kinds[name] = "date" if meant.get("format") == "date" else TYPES[meant["type"]]
    return kinds


def test_the_view_has_every_column_of_the_feed() -> None:
    migration = import_module("phases.core.migrations.versions.0005_feed_rows")
    assert columns() == migration.COLUMNS


@pytest.mark.parametrize("name", ["0004"])
def test_a_store_of_the_version_before_gets_the_view(tmp_path: Path, name: str) -> None:
    with closing(open_store(tmp_path / "out")) as store:
        kept(store)
        store.write(lambda connection: connection.execute(text("DROP VIEW feed_rows")))
        store.write(lambda connection: connection.execute(text(f"UPDATE alembic_version SET version_num = '{name}'")))
    with closing(open_store(tmp_path / "out")) as store, store.read() as connection:
        assert connection.execute(text("SELECT count(*) FROM feed_rows")).scalar() == len(NIGHT.rows)
