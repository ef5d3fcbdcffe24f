"""What identifies a payment, whose word it needs, and what answers prove.

Revision ID: 0007
"""

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add what the guards beside the obligation's key rest on."""
