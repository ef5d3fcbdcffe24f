"""The exchange rate of plans in a foreign currency, and the attempts to set it.

Revision ID: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the tables; the journal is append-only like that of the reports."""
    _create_terms_and_updates()
    op.create_table(
        "exchange_journal",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("update_id", sa.String(length=64), nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("answer", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_exchange_journal")),
        sa.ForeignKeyConstraint(["update_id"], ["exchange_updates.id"], name=op.f("fk_exchange_journal_update_id")),
    )
    op.create_index("ix_exchange_journal_update_id", "exchange_journal", ["update_id"], unique=False)
    _refuse_changes("exchange_journal")


def _create_terms_and_updates() -> None:
    op.create_table(
        "plan_exchanges",
        sa.Column("plan_digest", sa.String(length=80), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("rate", sa.Text(), nullable=False),
        sa.Column("order_id", sa.Text(), nullable=True),
        sa.Column("show_exchange_data", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("plan_digest", name=op.f("pk_plan_exchanges")),
        sa.ForeignKeyConstraint(["plan_digest"], ["plans.digest"], name=op.f("fk_plan_exchanges_plan_digest")),
    )
    op.create_table(
        "exchange_updates",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("submission_id", sa.String(length=64), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("body_sha256", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("sending_at", MOMENT, nullable=True),
        sa.Column("deadline_at", MOMENT, nullable=True),
        sa.Column("was_in_doubt", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_exchange_updates")),
        sa.UniqueConstraint("submission_id", "attempt", name=op.f("uq_exchange_updates_submission_id_attempt")),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_exchange_updates_submission_id")),
    )
    op.create_index(
        "uq_exchange_updates_one_counts",
        "exchange_updates",
        ["submission_id"],
        unique=True,
        sqlite_where=sa.text("state <> 'absent'"),
        postgresql_where=sa.text("state <> 'absent'"),
    )
    op.create_index("ix_exchange_updates_state", "exchange_updates", ["state"], unique=False)


def _refuse_changes(table: str) -> None:
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_refuses_{verb.lower()} BEFORE {verb} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        return
    op.execute(
        f"CREATE FUNCTION {table}_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{table} is append-only'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_refuses_changes BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_is_append_only()"
    )
