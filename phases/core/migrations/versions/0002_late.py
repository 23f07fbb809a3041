"""Answers that came after their question had gone to another process."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the table."""
    words = ("key", "owner", "run_id", "reply", "checksum", "at")
    op.create_table(
        "late",
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=True),
        *[sa.Column(name, sa.Text, nullable=False) for name in words],
    )
    op.create_index("ix_late_key", "late", ["key"])
