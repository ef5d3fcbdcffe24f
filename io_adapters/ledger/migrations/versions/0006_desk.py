"""The desk: users, sessions, uploads, launches, first words, plans as people see them, and whose words count.

Revision ID: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the tables."""
    _create_people()
    _create_work()
    _create_words()


def _create_people() -> None:
    op.create_table(
        "desk_users",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("roles", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("disabled_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_desk_users")),
    )
    op.create_table(
        "desk_sessions",
        sa.Column("token_sha256", sa.String(length=64), nullable=False),
        sa.Column("user_key", sa.String(length=64), nullable=False),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("token_sha256", name=op.f("pk_desk_sessions")),
        sa.ForeignKeyConstraint(["user_key"], ["desk_users.key"], name=op.f("fk_desk_sessions_user_key")),
    )
    op.create_index("ix_desk_sessions_user_key", "desk_sessions", ["user_key"], unique=False)
    op.create_table(
        "desk_attempts",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("name_sha256", sa.String(length=64), nullable=False),
        sa.Column("address_sha256", sa.String(length=64), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("succeeded", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_desk_attempts")),
    )
    op.create_index("ix_desk_attempts_at", "desk_attempts", ["at"], unique=False)


def _create_work() -> None:
    op.create_table(
        "desk_uploads",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=256), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("sha256", "name", name=op.f("pk_desk_uploads")),
    )
    op.create_table(
        "desk_launches",
        sa.Column("key", sa.String(length=128), nullable=False),
        sa.Column("job_file", sa.Text(), nullable=False),
        sa.Column("files", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("plan_digest", sa.Text(), nullable=True),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_desk_launches")),
    )
    op.create_index("ix_desk_launches_job_file", "desk_launches", ["job_file"], unique=False)
    op.create_table(
        "plan_views",
        sa.Column("digest", sa.String(length=80), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.Column("saved_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_plan_views")),
    )


def _create_words() -> None:
    op.create_table(
        "desk_first_words",
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("subject", sa.String(length=128), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("kind", "subject", name=op.f("pk_desk_first_words")),
    )
    op.create_table(
        "word_rules",
        sa.Column("job", sa.String(length=64), nullable=False),
        sa.Column("identities", sa.String(length=16), nullable=False),
        sa.Column("noted_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("job", name=op.f("pk_word_rules")),
    )
