"""What statement lines pay for, beside what they say; what was paid outside; and until when a clock was ahead.

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
    op.create_table(
        "paid_outside",
        sa.Column("job", sa.String(64), primary_key=True),
        sa.Column("period", sa.String(64), primary_key=True),
        sa.Column("payee", sa.String(64), primary_key=True),
        sa.Column("reference", sa.String(200), primary_key=True),
        sa.Column("amount_cents", sa.BigInteger, nullable=False),
        sa.Column("run_id", sa.String(64), sa.ForeignKey("runs.run_id"), nullable=False),
    )
