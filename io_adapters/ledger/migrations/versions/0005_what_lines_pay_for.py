"""What statement lines pay for, beside what they say; what was paid outside; until when a clock was ahead; who is who.

Lines are known by earnings, long amounts, and sums by currency and month. Users are known by the letters and digits of
their names alone; whoever is signed in signs in again.

Revision ID: v5
"""

import sqlalchemy as sa
from alembic import op

from schemas.values.names import same_person

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
    _name_users_anew(op.get_bind())


def _name_users_anew(connection: sa.Connection) -> None:
    users = sa.table("desk_users", sa.column("key"), sa.column("name"))
    connection.execute(sa.delete(sa.table("desk_sessions")))
    names = {row.key: row.name for row in connection.execute(sa.select(users))}
    taken = set(names)
    for old, name in sorted(names.items()):
        key = same_person(name)
        if key not in taken:  # of two that are one person by now, one keeps its key and can no longer sign in
            connection.execute(users.update().where(users.c.key == old).values(key=key))
            taken.add(key)
