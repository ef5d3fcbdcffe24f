"""What identifies a payment, whose word it needs, and what answers prove.

Revision ID: 0007
"""

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add what the guards beside the obligation's key rest on."""
    op.create_index("ix_claims_destination", "claims", ["destination"], unique=False)
