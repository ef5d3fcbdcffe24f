"""What identifies a payment, whose word it needs, and what answers prove.

Revision ID: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add what the guards beside the obligation's key rest on."""
    op.add_column("submissions", sa.Column("linked_by", sa.Text(), nullable=True))
    op.create_index("ix_claims_destination", "claims", ["destination"], unique=False)
    _remember_lines()
    _create_approval()
    _create_open_periods()
    _create_corrected_rows()
    _link_reports_once()


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


def _create_approval() -> None:
    op.create_table(
        "plan_rules",
        sa.Column("plan_digest", sa.String(length=80), nullable=False),
        sa.Column("above_cents", sa.BigInteger(), nullable=True),
        sa.Column("approvers", sa.Integer(), nullable=False),
        sa.Column("payment_limit_cents", sa.BigInteger(), nullable=True),
        sa.Column("run_limit_cents", sa.BigInteger(), nullable=True),
        sa.Column("identities", sa.String(length=16), nullable=False),
        sa.Column("other_than_preparer", sa.Boolean(), nullable=True),
        sa.PrimaryKeyConstraint("plan_digest", name=op.f("pk_plan_rules")),
        sa.ForeignKeyConstraint(["plan_digest"], ["plans.digest"], name=op.f("fk_plan_rules_plan_digest")),
    )
    op.create_table(
        "approved_plans",
        sa.Column("plan_digest", sa.String(length=80), nullable=False),
        sa.Column("approvers", sa.Integer(), nullable=False),
        sa.Column("good_until", MOMENT, nullable=False),
        sa.Column("posting_before", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("plan_digest", name=op.f("pk_approved_plans")),
        sa.ForeignKeyConstraint(["plan_digest"], ["plans.digest"], name=op.f("fk_approved_plans_plan_digest")),
    )
    op.create_table(
        "desk_uploaders",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=64), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("sha256", "person", name=op.f("pk_desk_uploaders")),
    )


def _create_open_periods() -> None:
    """Create what tells, of each job and period, what its last run has left open."""
    op.create_table(
        "open_periods",
        sa.Column("job", sa.String(length=64), nullable=False),
        sa.Column("period", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("folder", sa.Text(), nullable=False),
        sa.Column("items_json", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_open_periods_run_id")),
        sa.PrimaryKeyConstraint("job", "period", name=op.f("pk_open_periods")),
    )


def _create_corrected_rows() -> None:
    """Create what remembers the rows that people have put right in corrections workbooks."""
    op.create_table(
        "corrected_rows",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("job", sa.String(length=64), nullable=False),
        sa.Column("period", sa.String(length=64), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("sheet", sa.Text(), nullable=False),
        sa.Column("row", sa.Integer(), nullable=False),
        sa.Column("original_sha256", sa.String(length=64), nullable=False),
        sa.Column("cells_json", sa.Text(), nullable=False),
        sa.Column("corrections_file", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_corrected_rows_run_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_corrected_rows")),
    )
    op.create_index("ix_corrected_rows_job_period", "corrected_rows", ["job", "period"], unique=False)


def _link_reports_once() -> None:
    op.create_index(
        "uq_submissions_split_id",
        "submissions",
        ["split_id"],
        unique=True,
        sqlite_where=sa.text("split_id <> ''"),
        postgresql_where=sa.text("split_id <> ''"),
    )
