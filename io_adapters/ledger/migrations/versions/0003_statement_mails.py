"""The statements that were sent to payees by e-mail.

Revision ID: v3
"""

import sqlalchemy as sa
from alembic import op

revision = "v3"
down_revision = "v2"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "statement_mails",
        sa.Column("run_id", sa.String(64), sa.ForeignKey("runs.run_id"), primary_key=True),
        sa.Column("token", sa.String(16), primary_key=True),
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True)),
        sa.Column("failure", sa.Text, nullable=False),
    )
