"""Brings the schema up to date, or says that it is of another program than this one.

Alembic takes long to import: it is not touched when there is nothing to do.
"""

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect, text

from io_adapters.ledger.engine import Database
from schemas.errors import AnotherRun
from schemas.told import Told

# Oldest first, "v1" and on. A new migration adds its revision here; a test holds the two together.
REVISIONS: Final = ("v1",)
MIGRATIONS: Final = Path(__file__).parent / "migrations"


def stored_revision(connection: Connection) -> str | None:
    """Return the revision of the schema; None where there is none yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def bring_up_to_date(database: Database) -> None:
    """Create or migrate the schema, in one transaction that excludes other programs.

    Raises:
        AnotherRun: the schema was written by a newer program, or before the first release.
    """
    with database.reading() as connection:
        stored = stored_revision(connection)
    if stored == REVISIONS[-1]:
        return
    _refuse_unknown(stored)
    with database.writing() as connection:
        _refuse_unknown(stored_revision(connection))  # another program may have been faster
        _upgrade(connection)


def _refuse_unknown(stored: str | None) -> None:
    if stored is None or stored in REVISIONS:
        return
    if stored.startswith("v"):
        raise AnotherRun(Told("ledger.newer", stored=stored, known=REVISIONS[-1]))
    raise AnotherRun(Told("ledger.unreleased", stored=stored, known=REVISIONS[-1]))


def _upgrade(connection: Connection) -> None:
    from alembic import command  # noqa: PLC0415 - see above
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, REVISIONS[-1])
