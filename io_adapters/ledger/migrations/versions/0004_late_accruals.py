"""What changes in a period after a later one was posted.

Revision ID: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table, append-only like the journal: what was posted of a closed period stands."""
    op.create_table(
        "late_accruals",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("payer", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("period_start", sa.Date(), nullable=False),
        sa.Column("booked_in", sa.Text(), nullable=False),
        sa.Column("booked_start", sa.Date(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("payee", sa.String(length=32), nullable=False),
        sa.Column("reference", sa.String(length=256), nullable=False),
        sa.Column("amount_cents", sa.BigInteger(), nullable=False),
        sa.Column("plan_digest", sa.Text(), nullable=True),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("posted_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_late_accruals")),
    )
    op.create_index("ix_late_accruals_job", "late_accruals", ["job"], unique=False)
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER late_accruals_refuses_{verb.lower()} BEFORE {verb} ON late_accruals "
                "BEGIN SELECT RAISE(ABORT, 'late_accruals is append-only'); END"
            )
        return
    op.execute(
        "CREATE FUNCTION late_accruals_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'late_accruals is append-only'; END $$"
    )
    op.execute(
        "CREATE TRIGGER late_accruals_refuses_changes BEFORE UPDATE OR DELETE OR TRUNCATE ON late_accruals "
        "FOR EACH STATEMENT EXECUTE FUNCTION late_accruals_is_append_only()"
    )
