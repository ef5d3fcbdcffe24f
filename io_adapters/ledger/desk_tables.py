"""Database tables of the desk: users, sessions, attempts to sign in, and what its pages keep.

They share the ledger's `metadata`; the migrations build exactly these.
"""

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, LargeBinary, String, Table, Text

from io_adapters.ledger.tables import Utc, metadata

_Serial: Final = BigInteger().with_variant(Integer(), "sqlite")

desk_users = Table(
    "desk_users",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("name", Text, nullable=False),
    Column("roles", Text, nullable=False),
    Column("password_hash", Text, nullable=False),
    Column("language", String(8), nullable=False),
    Column("created_at", Utc, nullable=False),
    Column("disabled_at", Utc),
    Column("documents", Text, nullable=False, default=""),
    Column("seal", String(64)),
)

# A session's token is known to its browser alone; here is only its seal.
desk_sessions = Table(
    "desk_sessions",
    metadata,
    Column("token_seal", String(64), primary_key=True),
    Column("user_key", ForeignKey("desk_users.key"), nullable=False),
    Column("started_at", Utc, nullable=False),
    Column("seen_at", Utc, nullable=False),
    Index("ix_desk_sessions_user_key", "user_key"),
)

# Names and addresses as hashes: people type passwords where their names belong.
desk_attempts = Table(
    "desk_attempts",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("name_sha256", String(64), nullable=False),
    Column("address_sha256", String(64), nullable=False),
    Column("at", Utc, nullable=False),
    Column("succeeded", Boolean, nullable=False),
    Index("ix_desk_attempts_at", "at"),
)

desk_uploads = Table(
    "desk_uploads",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("name", String(256), primary_key=True),
    Column("size_bytes", BigInteger, nullable=False),
    Column("by", Text, nullable=False),
    Column("at", Utc, nullable=False),
)

desk_launches = Table(
    "desk_launches",
    metadata,
    Column("key", String(128), primary_key=True),
    Column("job_file", Text, nullable=False),
    Column("files", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("plan_digest", Text),
    Column("at", Utc, nullable=False),
    Index("ix_desk_launches_job_file", "job_file"),
)

# What a job's file, and the tables beside it, have said, one row for each time somebody put one in its place.
job_versions = Table(
    "job_versions",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("job_file", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("by", Text, nullable=False),
    Column("at", Utc, nullable=False),
    Index("ix_job_versions_job_file", "job_file"),
)

# The statements that were sent to payees, by content. Of one without an end nobody knows whether it went.
statement_mails = Table(
    "statement_mails",
    metadata,
    Column("run_id", ForeignKey("runs.run_id"), primary_key=True),
    Column("token", String(16), primary_key=True),
    Column("sha256", String(64), primary_key=True),
    Column("by", Text, nullable=False),
    Column("asked_at", Utc, nullable=False),
    Column("sent_at", Utc),
    Column("failure", Text, nullable=False),
)

# Addresses that statements were sent to before: another one is first looked at by somebody who did not bring it.
mail_addresses = Table(
    "mail_addresses",
    metadata,
    Column("payee", String(32), primary_key=True),
    Column("address_seal", String(64), primary_key=True),
    Column("masked", Text, nullable=False),
    Column("run_id", String(64), nullable=False),
    Column("by", Text, nullable=False),
    Column("at", Utc, nullable=False),
)

# A plan as people look at it before they say yes, kept as it was when it was frozen.
plan_views = Table(
    "plan_views",
    metadata,
    Column("digest", String(80), primary_key=True),
    Column("run_id", String(64), nullable=False),
    Column("document", LargeBinary, nullable=False),
    Column("saved_at", Utc, nullable=False),
)

# Account checks that wait for a person's yes, and what people said.
check_requests = Table(
    "check_requests",
    metadata,
    Column("digest", String(80), primary_key=True),
    Column("job", String(64), nullable=False),
    Column("period", String(64), nullable=False),
    Column("run_id", String(64), nullable=False),
    Column("checks", Integer, nullable=False),
    Column("cost_cents", BigInteger, nullable=False),
    Column("prepared_by", Text, nullable=False),
    Column("asked_at", Utc, nullable=False),
)

check_approvals = Table(
    "check_approvals",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("digest", String(80), nullable=False),
    Column("by", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("total_cents", BigInteger, nullable=False),
    Column("at", Utc, nullable=False),
    Column("expires_at", Utc, nullable=False),
    Column("used_at", Utc),
    Column("used_by_run", String(64)),
    Column("act", Integer, nullable=False),
    Index("ix_check_approvals_digest", "digest"),
)

# The policies that the ledger was opened under: the strictest of each so far, and what two people have loosened it to.
house_policies = Table(
    "house_policies",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("document", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("why", Text, nullable=False),
    Column("noted_at", Utc, nullable=False),
)

# Whose words count for a job, as the last run of it said.
decision_rules = Table(
    "decision_rules",
    metadata,
    Column("job", String(64), primary_key=True),
    Column("identities", String(16), nullable=False),
    Column("noted_at", Utc, nullable=False),
)
