"""What identifies a payment, whose word it needs, and what answers prove.

Revision ID: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add what the guards beside the obligation's key rest on."""
    op.create_index("ix_claims_destination", "claims", ["destination"], unique=False)
    _remember_lines()


def _remember_lines() -> None:
    """What each run has made of the files it read."""
    op.create_table(
        "file_uses",
        sa.Column("file_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("used", sa.Boolean(), nullable=False),
        sa.Column("again", sa.Boolean(), nullable=False),
        sa.Column("lines_sha256", sa.String(length=64), nullable=True),
        sa.PrimaryKeyConstraint("file_id", name=op.f("pk_file_uses")),
        sa.ForeignKeyConstraint(["file_id"], ["files.id"], name=op.f("fk_file_uses_file_id")),
    )
    op.create_table(
        "file_lines",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("sketch", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_file_lines")),
    )
