"""Spend: what every call was booked for and what it cost."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the table."""
    texts = ("key", "state", "phase", "ticker", "skill", "seat", "model", "usage", "at")
    op.create_table(
        "spend",
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("as_of", sa.Text, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("round_number", sa.Integer, nullable=False),
        sa.Column("micros", sa.BigInteger, nullable=False),
        *[sa.Column(name, sa.Text, nullable=False) for name in texts],
    )
    op.create_index("ix_spend_run_id", "spend", ["run_id"])
    op.create_index("ix_spend_as_of", "spend", ["as_of"])
