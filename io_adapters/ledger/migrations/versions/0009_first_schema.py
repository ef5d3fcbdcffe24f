"""The first schema: the tables as the program has them, until a first release fixes them.

Revision ID: v9
"""

from alembic import op

from io_adapters.ledger import desk_tables, directory, run_tables  # noqa: F401  # their tables are among the metadata
from io_adapters.ledger.tables import APPEND_ONLY, metadata

revision = "v9"
down_revision = None


def upgrade() -> None:
    """Create all tables, and the triggers that keep what was written."""
    connection = op.get_bind()
    metadata.create_all(connection)
    for table in APPEND_ONLY:
        if connection.dialect.name == "sqlite":
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
