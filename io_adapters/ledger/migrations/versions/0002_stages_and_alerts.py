"""Stages of runs, as each began and ended; and the alerts that were sent.

Revision ID: v2
"""

import sqlalchemy as sa
from alembic import op

revision = "v2"
down_revision = "v1"


def upgrade() -> None:
    """Add both tables."""
    op.create_table(
        "run_stages",
        sa.Column("run_id", sa.String(64), sa.ForeignKey("runs.run_id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("began_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.Column("exit_code", sa.Integer),
        sa.Column("stopped", sa.Boolean, nullable=False),
        sa.Column("notes", sa.Text, nullable=False),
    )
    op.create_table(
        "alerts",
        sa.Column("key", sa.String(160), primary_key=True),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=False),
    )
