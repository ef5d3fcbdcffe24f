"""Who has a part in what: the bytes that each run has read, and everybody who ever put some bytes into a job's folder.

And seals on what people said. What was said without one counts no more: plans that wait are approved again, and a user
may sign in again with a new password.

Revision ID: v6
"""

import sqlalchemy as sa
from alembic import op

from schemas.values.names import same_person

revision = "v6"
down_revision = "v5"


def upgrade() -> None:
    """Add the tables; what is known of files and versions so far is kept."""
    op.create_table(
        "run_inputs",
        sa.Column("run_id", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(256), primary_key=True),
        sa.Column("sha256", sa.String(64), primary_key=True),
    )
    for table in ("approvals", "desk_users"):
        op.add_column(table, sa.Column("seal", sa.String(64)))
    # SQLite can only write a column behind a constraint, or the whole table anew.
    anew = op.get_bind().dialect.name == "sqlite"
    with op.batch_alter_table("approved_plans", recreate="always" if anew else "never") as approved:
        approved.add_column(sa.Column("content_hashes", sa.Text))
        approved.add_column(sa.Column("seal", sa.String(64)))
    op.create_table(
        "house_policies",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("noted_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "check_requests",
        sa.Column("digest", sa.String(80), primary_key=True),
        sa.Column("job", sa.String(64), nullable=False),
        sa.Column("period", sa.String(64), nullable=False),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("checks", sa.Integer, nullable=False),
        sa.Column("cost_cents", sa.BigInteger, nullable=False),
        sa.Column("prepared_by", sa.Text, nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "check_approvals",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("digest", sa.String(80), nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("total_cents", sa.BigInteger, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True)),
        sa.Column("used_by_run", sa.String(64)),
        sa.Column("seal", sa.String(64)),
    )
    op.create_index("ix_check_approvals_digest", "check_approvals", ["digest"])
    op.create_table(
        "mail_addresses",
        sa.Column("payee", sa.String(32), primary_key=True),
        sa.Column("address_seal", sa.String(64), primary_key=True),
        sa.Column("masked", sa.Text, nullable=False),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    )
    op.execute("DELETE FROM desk_sessions")
    op.execute("ALTER TABLE desk_sessions RENAME COLUMN token_sha256 TO token_seal")
    _keep_inputs(op.get_bind())
    _keep_authors(op.get_bind())


def _keep_inputs(connection: sa.Connection) -> None:
    files = sa.table("files", sa.column("run_id"), sa.column("name"), sa.column("file_sha256"))
    inputs = sa.table("run_inputs", sa.column("run_id"), sa.column("name"), sa.column("sha256"))
    read = sa.select(files.c.run_id, sa.func.substr(files.c.name, 1, 256), files.c.file_sha256).distinct()
    connection.execute(sa.insert(inputs).from_select(["run_id", "name", "sha256"], read))


def _keep_authors(connection: sa.Connection) -> None:
    versions = sa.table(
        "job_versions", sa.column("sha256"), sa.column("by"), sa.column("at", sa.DateTime(timezone=True))
    )
    authors = sa.table(
        "desk_uploaders", sa.column("sha256"), sa.column("person"), sa.column("at", sa.DateTime(timezone=True))
    )
    known = {(row.sha256, row.person) for row in connection.execute(sa.select(authors.c.sha256, authors.c.person))}
    for row in connection.execute(sa.select(versions).where(versions.c.by != "")).all():
        person = same_person(row.by)
        if (row.sha256, person) not in known:
            known.add((row.sha256, person))
            connection.execute(sa.insert(authors).values(sha256=row.sha256, person=person, at=row.at))
