"""Which type a Pix key is, where a job's sheets do not say it and somebody has confirmed it.

Revision ID: v7
"""

import sqlalchemy as sa
from alembic import op

revision = "v7"
down_revision = "v6"


def upgrade() -> None:
    """Add the table; nothing was confirmed so far."""
    op.create_table(
        "pix_key_types",
        sa.Column("job", sa.String(64), primary_key=True),
        sa.Column("key_sha256", sa.String(64), primary_key=True),
        sa.Column("key_type", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    )
