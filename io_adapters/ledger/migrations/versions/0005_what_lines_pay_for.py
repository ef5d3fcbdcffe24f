"""What statement lines pay for, beside what they say; and until when a clock was ahead, as people say.

Lines are known by earnings, long amounts, and sums by currency and month.

Revision ID: v5
"""

import sqlalchemy as sa
from alembic import op

revision = "v5"
down_revision = "v4"


def upgrade() -> None:
    """Add the columns; nothing is known for files that were used before."""
    for name in ("earnings", "amounts", "accounts"):
        op.add_column("file_lines", sa.Column(name, sa.LargeBinary))
    op.add_column("meta", sa.Column("clock_accepted_at", sa.DateTime(timezone=True)))
    op.add_column("meta", sa.Column("clock_accepted_by", sa.Text))
