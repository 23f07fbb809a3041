"""First schema: runs, calls, events, artefacts, feed."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _text(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "runs",
        sa.Column("run_id", sa.Text, primary_key=True),
        sa.Column("position", sa.Integer, nullable=False),
        *_text("as_of", "engine", "state"),
        sa.Column("attempts", sa.Integer, nullable=False),
        *_text("header"),
        sa.Column("record", sa.Text),
    )
    op.create_table(
        "calls",
        sa.Column("key", sa.Text, primary_key=True),
        *_text("kind", "state", "owner", "lease_until", "run_id", "ticker", "name", "seat", "request"),
        sa.Column("reply", sa.Text),
        sa.Column("checksum", sa.Text),
    )
    op.create_table(
        "events",
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=True),
        *_text("run_id", "body"),
    )
    op.create_index("ix_events_run_id", "events", ["run_id"])
    op.create_table(
        "artefacts",
        *[sa.Column(name, sa.Text, primary_key=True) for name in ("run_id", "ticker", "name")],
        *_text("body"),
    )
    op.create_table(
        "feed",
        *[sa.Column(name, sa.Text, primary_key=True) for name in ("run_id", "ticker")],
        sa.Column("position", sa.Integer, nullable=False),
        *_text("as_of", "status", "row"),
    )
    op.create_index("ix_feed_ticker_as_of", "feed", ["ticker", "as_of"])
