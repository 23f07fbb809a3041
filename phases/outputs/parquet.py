"""The feed as Parquet: typed columns, the same values to the last digit, and the header as metadata of the file."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from phases.core.errors import UsageError
from phases.core.text import extra
from schemas.feed import FeedRow, PortfolioFeed


def feed_parquet(feed: PortfolioFeed) -> bytes:
    """One row group: dates are dates, flags a list of strings, null is null.

    Raises UsageError where pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError(
            f"--format parquet: pyarrow is not installed: {extra('parquet')}, or pip install pyarrow"
        ) from None
    properties = FeedRow.model_json_schema()["properties"]
    told = {name: str(value) for name, value in feed.model_dump(mode="json", exclude={"rows"}).items()}
    schema = pa.schema(
        [_field(pa, name, properties[name]) for name in FeedRow.model_fields],
        {**told, "valid": str(feed.valid).lower()},
    )
    rows = [row.model_dump() for row in feed.rows]
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema), out)
    return out.getvalue()


def _field(pa: Any, name: str, said: Mapping[str, Any]) -> Any:
    """A column: its type, whether it may be null, and its description."""
    options = said.get("anyOf", [said])
    kind = next(one for one in options if one.get("type") != "null")
    types = {"string": pa.string(), "integer": pa.int64(), "number": pa.float64(), "boolean": pa.bool_()}
    if kind["type"] == "array":
        chosen = pa.list_(pa.field("item", pa.string(), nullable=False))
    else:
        chosen = pa.date32() if kind.get("format") == "date" else types[kind["type"]]
    return pa.field(name, chosen, nullable=len(options) > 1, metadata={"description": said["description"]})
