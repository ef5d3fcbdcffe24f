"""People's decisions on single obligations.

Revision ID: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table, append-only like the journal."""
    op.create_table(
        "decisions",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("obligation_key", sa.Text(), nullable=False),
        sa.Column("submission_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("amount_cents", sa.BigInteger(), nullable=False),
        sa.Column("destination", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decisions")),
    )
    op.create_index("ix_decisions_obligation_key", "decisions", ["obligation_key"], unique=False)
    op.create_index("ix_decisions_submission_id", "decisions", ["submission_id"], unique=False)
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER decisions_refuses_{verb.lower()} BEFORE {verb} ON decisions "
                "BEGIN SELECT RAISE(ABORT, 'decisions is append-only'); END"
            )
        return
    op.execute(
        "CREATE FUNCTION decisions_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'decisions is append-only'; END $$"
    )
    op.execute(
        "CREATE TRIGGER decisions_refuses_changes BEFORE UPDATE OR DELETE OR TRUNCATE ON decisions "
        "FOR EACH STATEMENT EXECUTE FUNCTION decisions_is_append_only()"
    )
