"""The ledger's epoch, which rises with all that changes what may be paid.

Revision ID: v4
"""

import sqlalchemy as sa
from alembic import op

revision = "v4"
down_revision = "v3"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "epochs",
        sa.Column("only_row", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("epoch", sa.Integer, nullable=False),
    )
