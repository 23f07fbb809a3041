"""The latest commit of each writer on a server."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "commits",
        sa.Column("writer", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
    )
