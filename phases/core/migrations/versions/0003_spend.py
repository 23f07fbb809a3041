"""Spend: what every call was booked for and what it cost."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def _text(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "spend",
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=True),
        *_text("run_id", "as_of"),
        sa.Column("attempt", sa.Integer, nullable=False),
        *_text("key", "state", "phase", "ticker", "skill", "seat"),
        sa.Column("round_number", sa.Integer, nullable=False),
        *_text("model"),
        sa.Column("micros", sa.BigInteger, nullable=False),
        *_text("usage", "at"),
    )
    op.create_index("ix_spend_run_id", "spend", ["run_id"])
    op.create_index("ix_spend_as_of", "spend", ["as_of"])
