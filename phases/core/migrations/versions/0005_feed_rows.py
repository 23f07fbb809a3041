"""The feed as a view with a column for each of its fields."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

COLUMNS = {
    "schema_version": "text",
    "run_id": "text",
    "as_of": "date",
    "session": "date",
    "ticker": "text",
    "status": "text",
    "reason": "text",
    "stance": "text",
    "conviction_pre": "integer",
    "conviction_delta": "integer",
    "conviction_post": "integer",
    "probability_pre": "double precision",
    "probability_post": "double precision",
    "event": "text",
    "horizon_sessions": "integer",
    "benchmark": "text",
    "resolves_on": "date",
    "view_excess_return": "double precision",
    "view_period": "text",
    "view_confidence": "double precision",
    "gap_first": "double precision",
    "gap_last": "double precision",
    "gap_verdict": "text",
    "convergence": "double precision",
    "agreement": "double precision",
    "decided_by": "text",
    "flags": "text",
    "held": "boolean",
    "engine": "text",
    "debate_cost_usd": "double precision",
    "evidence_hash": "text",
    "transcript_hash": "text",
}
"""Type of each column. SQLite has its own: dates are text, truth is 0 or 1, and flags are a JSON array as text."""


def upgrade() -> None:
    """Create the view."""
    if op.get_bind().dialect.name == "postgresql":
        cells = [f"(\"row\"::jsonb ->> '{name}')::{kind} AS {name}" for name, kind in COLUMNS.items()]
    else:
        cells = [f"json_extract(\"row\", '$.{name}') AS {name}" for name in COLUMNS]
    op.execute(sa.text(f"CREATE VIEW feed_rows AS SELECT {', '.join(cells)}, position FROM feed".replace(":", "\\:")))
