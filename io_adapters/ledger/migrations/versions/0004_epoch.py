"""The ledger's epoch, which rises with all that changes what may be paid; and the kinds of alarms beside their tags.

Of alarms from before, only tags are known. Those that stand go on standing; what was accepted of one is asked again,
since nobody knows which alarm about it was meant.

Revision ID: v4
"""

import json

import sqlalchemy as sa
from alembic import op

revision = "v4"
down_revision = "v3"


def upgrade() -> None:
    """Add the table, and a kind to each tag."""
    op.create_table(
        "epochs",
        sa.Column("only_row", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("epoch", sa.Integer, nullable=False),
    )
    freezes = sa.table("freezes", *(sa.column(name) for name in ("id", "tags", "accepted_tags")))
    connection = op.get_bind()
    for row in connection.execute(sa.select(freezes)).mappings().all():
        with_kinds = {
            name: json.dumps([("by_hand", tag) for tag in json.loads(text)])
            for name, text in row.items()
            if name != "id" and text is not None
        }
        connection.execute(freezes.update().where(freezes.c.id == row["id"]).values(with_kinds))
