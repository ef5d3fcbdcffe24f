"""The directory: contacts, institutions, findings about the service, and webhooks.

Revision ID: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the tables; what was found out about the service is append-only."""
    _create_contacts()
    _create_institutions()
    _create_findings()
    _create_webhooks()


def _create_contacts() -> None:
    op.create_table(
        "contacts",
        sa.Column("tax_id", sa.String(length=32), nullable=False),
        sa.Column("contact_id", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("accounts", sa.Text(), nullable=False),
        sa.Column("favorite_account_id", sa.Text(), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("asked_at", MOMENT, nullable=True),
        sa.Column("told_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("tax_id", name=op.f("pk_contacts")),
    )
    op.create_index("ix_contacts_contact_id", "contacts", ["contact_id"], unique=False)


def _create_institutions() -> None:
    op.create_table(
        "institutions",
        sa.Column("ispb", sa.String(length=32), nullable=False),
        sa.Column("code", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("is_active", sa.Boolean(), nullable=True),
        sa.Column("is_compe_participant", sa.Boolean(), nullable=True),
        sa.Column("str_start_date", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Text(), nullable=True),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("ispb", name=op.f("pk_institutions")),
    )
    op.create_table(
        "institution_reads",
        sa.Column("only_row", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("read_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("only_row", name=op.f("pk_institution_reads")),
    )


def _create_findings() -> None:
    op.create_table(
        "findings",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("service_url", sa.Text(), nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_findings")),
    )
    op.create_index("ix_findings_service_url_name", "findings", ["service_url", "name"], unique=False)
    _refuse_changes("findings")


def _create_webhooks() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", SERIAL, autoincrement=True, nullable=False),
        sa.Column("webhook_id", sa.Text(), nullable=True),
        sa.Column("base_url", sa.Text(), nullable=False),
        sa.Column("token_sha256", sa.String(length=64), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=True),
        sa.Column("asked_at", MOMENT, nullable=False),
        sa.Column("registered_at", MOMENT, nullable=True),
        sa.Column("retired_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
    )
    op.create_index("uq_webhooks_token_sha256", "webhooks", ["token_sha256"], unique=True)


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
