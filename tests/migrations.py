"""Migrations of empty databases, made once in a process and repeated for every other one.

Alembic takes longer to make a fresh ledger than many a test takes for all the rest, and says the same every time. What
it said to the first empty database is kept, and said to the others as it was. A database that holds anything is
migrated by alembic, and so is one by other scripts than before.
"""

from collections.abc import Callable
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, event

Statement = tuple[str, Any]

_COUNT_RELATIONS = {
    "sqlite": "SELECT count(*) FROM sqlite_master",
    "postgresql": "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace",
}


def repeat_what_was_said(upgrade: Callable[[Config, str], None]) -> Callable[[Config, str], None]:
    """Wrap alembic's upgrade; the connection comes in the configuration's attributes."""
    said: dict[tuple[str, str | None, str], list[Statement]] = {}

    def upgrade_or_repeat(config: Config, revision: str) -> None:
        connection: Connection | None = config.attributes.get("connection")
        if connection is None or connection.exec_driver_sql(_COUNT_RELATIONS[connection.dialect.name]).scalar():
            upgrade(config, revision)
            return
        kind = (connection.dialect.name, config.get_main_option("script_location"), revision)
        if kind not in said:
            said[kind] = _listened_to(connection, lambda: upgrade(config, revision))
            return
        cursor = connection.connection.cursor()
        for statement, parameters in said[kind]:
            cursor.execute(statement, parameters)

    return upgrade_or_repeat


def _listened_to(connection: Connection, migrate: Callable[[], None]) -> list[Statement]:
    """Migrate, and return all that changed the database, in order."""
    heard: list[Statement] = []

    def hear(_c: object, _cursor: object, statement: str, parameters: Any, _context: object, _many: bool) -> None:
        if not statement.lstrip().upper().startswith(("SELECT", "PRAGMA")):
            heard.append((statement, parameters))

    event.listen(connection, "before_cursor_execute", hear)
    try:
        migrate()
    finally:
        event.remove(connection, "before_cursor_execute", hear)
    return heard


def install() -> None:
    """Let all ledgers of this process be made that way."""
    command.upgrade = repeat_what_was_said(command.upgrade)
