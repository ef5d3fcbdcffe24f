"""The first schema.

Revision ID: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
APPEND_ONLY = ("journal", "answers", "reports", "accepted_keys")


def upgrade() -> None:
    """Create all tables, and the triggers that keep what was written."""
    _create_tables()
    for table in APPEND_ONLY:
        if op.get_bind().dialect.name == "sqlite":
            _protect_sqlite(table)
        else:
            _protect_postgresql(table)


def _protect_sqlite(table: str) -> None:
    for verb in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {table}_refuses_{verb.lower()} BEFORE {verb} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )


def _protect_postgresql(table: str) -> None:
    op.execute(
        f"CREATE FUNCTION {table}_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{table} is append-only'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_refuses_changes BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_is_append_only()"
    )


def _create_tables() -> None:
    op.create_table(
        "accepted_keys",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("key_fingerprint", sa.Text(), nullable=False),
        sa.Column("accepted_by", sa.Text(), nullable=False),
        sa.Column("accepted_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accepted_keys")),
    )
    op.create_table(
        "account_checks",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("cost_cents", sa.BigInteger(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account_checks")),
    )
    op.create_index("ix_account_checks_fingerprint", "account_checks", ["fingerprint"], unique=False)
    op.create_index("ix_account_checks_run_id", "account_checks", ["run_id"], unique=False)
    op.create_index(
        "uq_account_checks_one_in_flight",
        "account_checks",
        ["fingerprint"],
        unique=True,
        sqlite_where=sa.text("state = 'checking'"),
        postgresql_where=sa.text("state = 'checking'"),
    )
    op.create_table(
        "accrual_periods",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("payer", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("period_start", sa.Date(), nullable=False),
        sa.Column("plan_digest", sa.Text(), nullable=True),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("posted_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accrual_periods")),
        sa.UniqueConstraint(
            "job", "payer", "currency", "period", name=op.f("uq_accrual_periods_job_payer_currency_period")
        ),
    )
    op.create_table(
        "files",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("file_sha256", sa.Text(), nullable=False),
        sa.Column("content_sha256", sa.Text(), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_files")),
        sa.UniqueConstraint("run_id", "source", "name", name=op.f("uq_files_run_id_source_name")),
    )
    op.create_index("ix_files_content_sha256", "files", ["content_sha256"], unique=False)
    op.create_index("ix_files_file_sha256", "files", ["file_sha256"], unique=False)
    op.create_table(
        "freezes",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("frozen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("accepted_tags", sa.Text(), nullable=True),
        sa.Column("lifted_by", sa.Text(), nullable=True),
        sa.Column("evidence", sa.Text(), nullable=True),
        sa.Column("lifted_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_freezes")),
    )
    op.create_table(
        "holds",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("put_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("released_by", sa.Text(), nullable=True),
        sa.Column("released_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_holds")),
    )
    op.create_table(
        "leases",
        sa.Column("name", sa.String(length=128), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_leases")),
    )
    op.create_table(
        "meta",
        sa.Column("only_row", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("service_url", sa.Text(), nullable=True),
        sa.Column("key_fingerprint", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("only_row", name=op.f("pk_meta")),
    )
    op.create_table(
        "plans",
        sa.Column("digest", sa.String(length=80), nullable=False),
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("payer", sa.Text(), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("service_url", sa.Text(), nullable=False),
        sa.Column("batches", sa.Integer(), nullable=False),
        sa.Column("payees", sa.Integer(), nullable=False),
        sa.Column("total_cents", sa.BigInteger(), nullable=False),
        sa.Column("largest_cents", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("prepared_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("approved_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("rejected_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("rejected_by", sa.Text(), nullable=True),
        sa.Column("rejected_why", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_plans")),
    )
    op.create_index("ix_plans_job_period", "plans", ["job", "period"], unique=False)
    op.create_table(
        "runs",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("prepared_by", sa.Text(), nullable=False),
        sa.Column("job_file", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("summary_json", sa.Text(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_runs")),
    )
    op.create_index("ix_runs_job_started_at", "runs", ["job", "started_at"], unique=False)
    op.create_table(
        "accruals",
        sa.Column("posting_id", SERIAL, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("payee", sa.String(length=32), nullable=False),
        sa.Column("reference", sa.String(length=256), nullable=False),
        sa.Column("amount_cents", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["posting_id"], ["accrual_periods.id"], name=op.f("fk_accruals_posting_id")),
        sa.PrimaryKeyConstraint("posting_id", "kind", "payee", "reference", name=op.f("pk_accruals")),
    )
    op.create_table(
        "approvals",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("digest", sa.String(length=80), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("total_cents", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("voided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("used_by_run", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["digest"], ["plans.digest"], name=op.f("fk_approvals_digest")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_approvals")),
    )
    op.create_index("ix_approvals_digest", "approvals", ["digest"], unique=False)
    op.create_table(
        "plan_runs",
        sa.Column("digest", sa.String(length=80), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("prepared_by", sa.Text(), nullable=False),
        sa.Column("stored_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["digest"], ["plans.digest"], name=op.f("fk_plan_runs_digest")),
        sa.PrimaryKeyConstraint("digest", "run_id", name=op.f("pk_plan_runs")),
    )
    op.create_index("ix_plan_runs_run_id", "plan_runs", ["run_id"], unique=False)
    op.create_table(
        "run_documents",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_run_documents_run_id")),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_run_documents")),
    )
    op.create_table(
        "submissions",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("plan_digest", sa.String(length=80), nullable=False),
        sa.Column("batch_number", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("payments", sa.Integer(), nullable=False),
        sa.Column("amount_cents", sa.BigInteger(), nullable=False),
        sa.Column("owner_cents", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("body_sha256", sa.Text(), nullable=False),
        sa.Column("split_id", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sending_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deadline_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("was_in_doubt", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint("content_hash", "attempt", name=op.f("uq_submissions_content_hash_attempt")),
        sa.ForeignKeyConstraint(["plan_digest"], ["plans.digest"], name=op.f("fk_submissions_plan_digest")),
    )
    op.create_index("ix_submissions_job_period", "submissions", ["job", "period"], unique=False)
    op.create_index("ix_submissions_plan_digest", "submissions", ["plan_digest"], unique=False)
    op.create_index("ix_submissions_run_id", "submissions", ["run_id"], unique=False)
    op.create_index("ix_submissions_state", "submissions", ["state"], unique=False)
    op.create_table(
        "answers",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("submission_id", sa.String(length=64), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_answers_submission_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answers")),
    )
    op.create_index("ix_answers_submission_id", "answers", ["submission_id"], unique=False)
    op.create_table(
        "claims",
        sa.Column("submission_id", sa.String(length=64), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("obligation_key", sa.Text(), nullable=False),
        sa.Column("base_key", sa.Text(), nullable=False),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("payee", sa.Text(), nullable=False),
        sa.Column("amount_cents", sa.BigInteger(), nullable=False),
        sa.Column("destination", sa.Text(), nullable=False),
        sa.Column("withheld", sa.Boolean(), nullable=False),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_claims_submission_id")),
        sa.PrimaryKeyConstraint("submission_id", "position", name=op.f("pk_claims")),
    )
    op.create_index("ix_claims_base_key", "claims", ["base_key"], unique=False)
    op.create_index("ix_claims_obligation_key", "claims", ["obligation_key"], unique=False)
    op.create_index("ix_claims_payee", "claims", ["payee"], unique=False)
    op.create_index(
        "uq_claims_one_live_per_obligation",
        "claims",
        ["obligation_key"],
        unique=True,
        sqlite_where=sa.text("live"),
        postgresql_where=sa.text("live"),
    )
    op.create_table(
        "journal",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("submission_id", sa.String(length=64), nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_journal_submission_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_journal")),
    )
    op.create_index("ix_journal_submission_id", "journal", ["submission_id"], unique=False)
    op.create_table(
        "reports",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("submission_id", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_reports_submission_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reports")),
    )
    op.create_index("ix_reports_submission_id", "reports", ["submission_id"], unique=False)
