"""The first schema, written out: it stays as it is when `io_adapters.ledger.tables` goes on.

Revision ID: v1
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "v1"
down_revision = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
APPEND_ONLY = (
    "journal",
    "answers",
    "reports",
    "accepted_keys",
    "decisions",
    "late_accruals",
    "findings",
)


def upgrade() -> None:
    """Create all tables, and the triggers that keep what was written."""
    _create_runs()
    _create_plans()
    _create_sending()
    _create_balances()
    _create_directory()
    _create_desk()
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


def _serial() -> sa.Column[Any]:
    return sa.Column("id", SERIAL, primary_key=True, autoincrement=True)


def _texts(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.Text, nullable=nullable) for name in names]


def _moments(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.DateTime(timezone=True), nullable=nullable) for name in names]


def _only_where(condition: str, postgresql: str = "") -> dict[str, Any]:
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(postgresql or condition)}


def _create_runs() -> None:
    """Tables of the runs, of the files they read, and of what stops them."""
    op.create_table(
        "meta",
        sa.Column("only_row", sa.Integer, primary_key=True, autoincrement=False),
        *_texts("tag"),
        *_texts("service_url", "key_fingerprint", nullable=True),
        *_moments("created_at"),
    )
    op.create_table("accepted_keys", _serial(), *_texts("key_fingerprint", "accepted_by"), *_moments("accepted_at"))
    op.create_table(
        "runs",
        sa.Column("run_id", sa.String(64), primary_key=True),
        *_texts("job", "period", "command", "prepared_by", "job_file", "state"),
        sa.Column("exit_code", sa.Integer),
        *_texts("summary_json", nullable=True),
        *_moments("started_at"),
        *_moments("finished_at", nullable=True),
        sa.Index("ix_runs_job_started_at", "job", "started_at"),
    )
    op.create_table(
        "run_documents",
        sa.Column("run_id", sa.String(64), sa.ForeignKey("runs.run_id"), primary_key=True),
        sa.Column("document", sa.LargeBinary, nullable=False),
        *_moments("saved_at"),
    )
    op.create_table(
        "open_periods",
        sa.Column("job", sa.String(64), primary_key=True),
        sa.Column("period", sa.String(64), primary_key=True),
        sa.Column("run_id", sa.String(64), sa.ForeignKey("runs.run_id"), nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("language", sa.String(8), nullable=False),
        *_texts("folder", "items_json"),
    )
    op.create_table(
        "corrected_rows",
        _serial(),
        sa.Column("run_id", sa.String(64), sa.ForeignKey("runs.run_id"), nullable=False),
        sa.Column("job", sa.String(64), nullable=False),
        sa.Column("period", sa.String(64), nullable=False),
        *_texts("file", "sheet"),
        sa.Column("row", sa.Integer, nullable=False),
        sa.Column("original_sha256", sa.String(64), nullable=False),
        *_texts("cells_json", "corrections_file"),
        sa.Index("ix_corrected_rows_job_period", "job", "period"),
    )
    op.create_table(
        "leases", sa.Column("name", sa.String(128), primary_key=True), *_texts("owner"), *_moments("since", "until")
    )
    op.create_table(
        "files",
        _serial(),
        *_texts("run_id", "job", "period", "source", "name", "file_sha256", "content_sha256"),
        *_moments("recorded_at"),
        sa.UniqueConstraint("run_id", "source", "name"),
        sa.Index("ix_files_content_sha256", "content_sha256"),
        sa.Index("ix_files_file_sha256", "file_sha256"),
    )
    op.create_table(
        "file_uses",
        sa.Column("file_id", SERIAL, sa.ForeignKey("files.id"), primary_key=True, autoincrement=False),
        sa.Column("used", sa.Boolean, nullable=False),
        sa.Column("again", sa.Boolean, nullable=False),
        sa.Column("lines_sha256", sa.String(64)),
    )
    op.create_table(
        "file_lines",
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("sketch", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "holds",
        _serial(),
        *_texts("by", "why"),
        *_moments("put_at"),
        *_texts("released_by", nullable=True),
        *_moments("released_at", nullable=True),
    )
    op.create_table(
        "freezes",
        _serial(),
        *_texts("reason", "tags"),
        *_moments("frozen_at"),
        *_texts("accepted_tags", "lifted_by", "evidence", nullable=True),
        *_moments("lifted_at", nullable=True),
    )


def _create_plans() -> None:
    """Tables of the plans, and of whose word they need."""
    op.create_table(
        "plans",
        sa.Column("digest", sa.String(80), primary_key=True),
        *_texts("job", "payer", "period", "currency", "service_url"),
        sa.Column("batches", sa.Integer, nullable=False),
        sa.Column("payees", sa.Integer, nullable=False),
        sa.Column("total_cents", sa.BigInteger, nullable=False),
        sa.Column("largest_cents", sa.BigInteger, nullable=False),
        *_texts("run_id", "prepared_by"),
        *_moments("created_at"),
        *_moments("approved_at", "rejected_at", nullable=True),
        *_texts("rejected_by", "rejected_why", nullable=True),
        sa.Index("ix_plans_job_period", "job", "period"),
    )
    op.create_table(
        "plan_runs",
        sa.Column("digest", sa.String(80), sa.ForeignKey("plans.digest"), primary_key=True),
        sa.Column("run_id", sa.String(64), primary_key=True),
        *_texts("prepared_by"),
        *_moments("stored_at"),
        sa.Index("ix_plan_runs_run_id", "run_id"),
    )
    op.create_table(
        "plan_rules",
        sa.Column("plan_digest", sa.String(80), sa.ForeignKey("plans.digest"), primary_key=True),
        sa.Column("above_cents", sa.BigInteger),
        sa.Column("approvers", sa.Integer, nullable=False),
        sa.Column("payment_limit_cents", sa.BigInteger),
        sa.Column("run_limit_cents", sa.BigInteger),
        sa.Column("identities", sa.String(16), nullable=False),
        sa.Column("other_than_preparer", sa.Boolean),
    )
    op.create_table(
        "plan_views",
        sa.Column("digest", sa.String(80), primary_key=True),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("document", sa.LargeBinary, nullable=False),
        *_moments("saved_at"),
    )
    op.create_table(
        "plan_exchanges",
        sa.Column("plan_digest", sa.String(80), sa.ForeignKey("plans.digest"), primary_key=True),
        *_texts("currency", "rate"),
        *_texts("order_id", nullable=True),
        sa.Column("show_exchange_data", sa.Boolean, nullable=False),
    )
    op.create_table(
        "approved_plans",
        sa.Column("plan_digest", sa.String(80), sa.ForeignKey("plans.digest"), primary_key=True),
        sa.Column("approvers", sa.Integer, nullable=False),
        *_moments("good_until"),
        *_texts("posting_before", nullable=True),
    )
    op.create_table(
        "approvals",
        _serial(),
        sa.Column("digest", sa.String(80), sa.ForeignKey("plans.digest"), nullable=False),
        *_texts("by", "kind"),
        sa.Column("total_cents", sa.BigInteger, nullable=False),
        *_moments("at", "expires_at"),
        *_moments("voided_at", "used_at", nullable=True),
        *_texts("used_by_run", nullable=True),
        sa.Index("ix_approvals_digest", "digest"),
    )
    op.create_table(
        "decision_rules",
        sa.Column("job", sa.String(64), primary_key=True),
        sa.Column("identities", sa.String(16), nullable=False),
        *_moments("noted_at"),
    )
    op.create_table(
        "decisions",
        _serial(),
        sa.Column("obligation_key", sa.LargeBinary, nullable=False),
        *_texts("submission_id", "kind"),
        sa.Column("amount_cents", sa.BigInteger, nullable=False),
        sa.Column("destination", sa.LargeBinary, nullable=False),
        *_texts("by", "evidence"),
        *_moments("at"),
        sa.Index("ix_decisions_obligation_key", "obligation_key"),
        sa.Index("ix_decisions_submission_id", "submission_id"),
    )


def _create_sending() -> None:
    """Tables of what was sent, what it claims, and what the service answered."""
    op.create_table(
        "attempts",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        *_texts("subject"),
        sa.Column("number", sa.Integer, nullable=False),
        *_texts("state", "run_id"),
        *_texts("owner", nullable=True),
        *_moments("created_at"),
        *_moments("sending_at", "deadline_at", nullable=True),
        sa.Column("was_in_doubt", sa.Boolean, nullable=False),
        sa.Column("cost_cents", sa.BigInteger, nullable=False),
        *_texts("reason", "body_sha256"),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("kind", "subject", "number"),
        sa.Index("ix_attempts_run_id", "run_id", "kind"),
        sa.Index("ix_attempts_kind_state", "kind", "state"),
        sa.Index(
            "uq_attempts_one_check_in_flight",
            "subject",
            unique=True,
            **_only_where("kind = 'account_check' AND state = 'sending'"),
        ),
        sa.Index(
            "uq_attempts_one_contact_created",
            "subject",
            unique=True,
            **_only_where("kind = 'contact' AND state IN ('approved', 'sending', 'in_doubt')"),
        ),
        sa.Index(
            "uq_attempts_one_rate_counts",
            "subject",
            unique=True,
            **_only_where("kind = 'exchange_rate' AND state <> 'absent'"),
        ),
    )
    op.create_table(
        "submissions",
        sa.Column("id", sa.String(64), sa.ForeignKey("attempts.id"), primary_key=True),
        sa.Column("plan_digest", sa.String(80), sa.ForeignKey("plans.digest"), nullable=False),
        sa.Column("batch_number", sa.Integer, nullable=False),
        *_texts("job", "period", "currency"),
        sa.Column("payments", sa.Integer, nullable=False),
        sa.Column("amount_cents", sa.BigInteger, nullable=False),
        sa.Column("owner_cents", sa.BigInteger, nullable=False),
        *_texts("split_id", "status", "linked_by", nullable=True),
        sa.Index("ix_submissions_job_period", "job", "period"),
        sa.Index("ix_submissions_plan_digest", "plan_digest"),
        sa.Index("uq_submissions_split_id", "split_id", unique=True, **_only_where("split_id <> ''")),
    )
    op.create_table(
        "claims",
        sa.Column("submission_id", sa.String(64), sa.ForeignKey("submissions.id"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("obligation_key", sa.LargeBinary, nullable=False),
        sa.Column("base_key", sa.LargeBinary, nullable=False),
        *_texts("reference", "kind", "payee"),
        sa.Column("amount_cents", sa.BigInteger, nullable=False),
        sa.Column("destination", sa.LargeBinary, nullable=False),
        sa.Column("withheld", sa.Boolean, nullable=False),
        sa.Column("live", sa.Boolean, nullable=False),
        sa.Index("ix_claims_base_key", "base_key", **_only_where("base_key <> obligation_key")),
        sa.Index("ix_claims_destination", "destination"),
        sa.Index("ix_claims_obligation_key", "obligation_key", **_only_where("live = 0", "NOT live")),
        sa.Index("ix_claims_payee", "payee"),
        sa.Index("uq_claims_one_live_per_obligation", "obligation_key", unique=True, **_only_where("live = 1", "live")),
    )
    op.create_table(
        "journal",
        _serial(),
        sa.Column("attempt_id", sa.String(64), sa.ForeignKey("attempts.id"), nullable=False),
        *_texts("before", nullable=True),
        *_texts("after"),
        *_moments("at"),
        *_texts("by", "reason"),
        sa.Index("ix_journal_attempt_id", "attempt_id"),
    )
    op.create_table(
        "answers",
        _serial(),
        sa.Column("attempt_id", sa.String(64), sa.ForeignKey("attempts.id"), nullable=False),
        *_texts("outcome"),
        sa.Column("http_status", sa.Integer),
        sa.Column("raw", sa.LargeBinary, nullable=False),
        *_moments("at"),
        sa.Index("ix_answers_attempt_id", "attempt_id"),
    )
    op.create_table(
        "reports",
        _serial(),
        sa.Column("submission_id", sa.String(64), sa.ForeignKey("submissions.id"), nullable=False),
        *_texts("status", nullable=True),
        sa.Column("document", sa.LargeBinary, nullable=False),
        *_moments("at"),
        sa.Index("ix_reports_submission_id", "submission_id"),
    )
    op.create_table(
        "account_verdicts",
        sa.Column("attempt_id", sa.String(64), sa.ForeignKey("attempts.id"), primary_key=True),
        sa.Column("valid", sa.Boolean, nullable=False),
        *_moments("checked_at", "expires_at"),
    )


def _create_balances() -> None:
    """Tables of what is carried from one period to the next."""
    op.create_table(
        "accrual_periods",
        _serial(),
        *_texts("job", "payer", "currency", "period"),
        sa.Column("period_start", sa.Date, nullable=False),
        *_texts("plan_digest", nullable=True),
        *_texts("run_id"),
        *_moments("posted_at"),
        sa.UniqueConstraint("job", "payer", "currency", "period"),
    )
    op.create_table(
        "accruals",
        sa.Column("posting_id", SERIAL, sa.ForeignKey("accrual_periods.id"), primary_key=True),
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("payee", sa.String(32), primary_key=True),
        sa.Column("reference", sa.String(256), primary_key=True),
        sa.Column("amount_cents", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "late_accruals",
        _serial(),
        *_texts("job", "payer", "currency", "period"),
        sa.Column("period_start", sa.Date, nullable=False),
        *_texts("booked_in"),
        sa.Column("booked_start", sa.Date, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("payee", sa.String(32), nullable=False),
        sa.Column("reference", sa.String(256), nullable=False),
        sa.Column("amount_cents", sa.BigInteger, nullable=False),
        *_texts("plan_digest", nullable=True),
        *_texts("run_id"),
        *_moments("posted_at"),
        sa.Index("ix_late_accruals_job", "job"),
    )


def _create_directory() -> None:
    """Tables of what the service said of contacts, institutions and itself."""
    op.create_table(
        "contacts",
        sa.Column("tax_id", sa.String(32), primary_key=True),
        *_texts("contact_id", "name", "email", nullable=True),
        *_texts("accounts"),
        *_texts("favorite_account_id", nullable=True),
        sa.Column("state", sa.String(16), nullable=False),
        *_moments("told_at", nullable=True),
        sa.Index("ix_contacts_contact_id", "contact_id"),
    )
    op.create_table(
        "institutions",
        sa.Column("ispb", sa.String(32), primary_key=True),
        *_texts("code", "name", nullable=True),
        sa.Column("is_active", sa.Boolean),
        sa.Column("is_compe_participant", sa.Boolean),
        *_texts("str_start_date", "created_at", nullable=True),
        *_moments("seen_at"),
    )
    op.create_table(
        "institution_reads",
        sa.Column("only_row", sa.Integer, primary_key=True, autoincrement=False),
        *_moments("read_at"),
    )
    op.create_table(
        "findings",
        _serial(),
        *_texts("name", "value", "service_url"),
        *_moments("seen_at"),
        sa.Index("ix_findings_service_url_name", "service_url", "name"),
    )
    op.create_table(
        "webhooks",
        _serial(),
        *_texts("webhook_id", nullable=True),
        *_texts("base_url"),
        sa.Column("token_sha256", sa.String(64), nullable=False),
        sa.Column("active", sa.Boolean),
        *_moments("asked_at"),
        *_moments("registered_at", "retired_at", nullable=True),
        sa.Index("uq_webhooks_token_sha256", "token_sha256", unique=True),
    )


def _create_desk() -> None:
    """Tables of the desk's people and their work."""
    op.create_table(
        "desk_users",
        sa.Column("key", sa.String(64), primary_key=True),
        *_texts("name", "roles", "password_hash"),
        sa.Column("language", sa.String(8), nullable=False),
        *_moments("created_at"),
        *_moments("disabled_at", nullable=True),
    )
    op.create_table(
        "desk_sessions",
        sa.Column("token_sha256", sa.String(64), primary_key=True),
        sa.Column("user_key", sa.String(64), sa.ForeignKey("desk_users.key"), nullable=False),
        *_moments("started_at", "seen_at"),
        sa.Index("ix_desk_sessions_user_key", "user_key"),
    )
    op.create_table(
        "desk_attempts",
        _serial(),
        sa.Column("name_sha256", sa.String(64), nullable=False),
        sa.Column("address_sha256", sa.String(64), nullable=False),
        *_moments("at"),
        sa.Column("succeeded", sa.Boolean, nullable=False),
        sa.Index("ix_desk_attempts_at", "at"),
    )
    op.create_table(
        "desk_uploads",
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(256), primary_key=True),
        sa.Column("size_bytes", sa.BigInteger, nullable=False),
        *_texts("by"),
        *_moments("at"),
    )
    op.create_table(
        "desk_uploaders",
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("person", sa.String(64), primary_key=True),
        *_moments("at"),
    )
    op.create_table(
        "desk_launches",
        sa.Column("key", sa.String(128), primary_key=True),
        *_texts("job_file", "files", "by"),
        *_texts("plan_digest", nullable=True),
        *_moments("at"),
        sa.Index("ix_desk_launches_job_file", "job_file"),
    )
    op.create_table(
        "desk_first_words",
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("subject", sa.String(128), primary_key=True),
        *_texts("by", "evidence"),
        *_moments("at"),
    )
