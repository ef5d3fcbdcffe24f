"""What is the same for every ledger and sandbox, done once in a process: migrations of empty databases, and SQL.

Alembic takes longer to make a fresh ledger than many a test takes for all the rest, and says the same every time. What
it said to the first empty database is kept, and said to the others as it was. A database that holds anything is
migrated by alembic, and so is one by other scripts than before.

SQLAlchemy keeps the SQL it has written for a statement with the engine it wrote it for, and each test opens engines of
its own: they would write the same hundred statements for each run again. The SQLite engines of a process share theirs.
"""

from collections.abc import Callable
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, event
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

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


def _share_compiled_statements() -> None:
    compiled: LRUCache[Any, Any] = LRUCache(5_000)
    Engine._compiled_cache = property(lambda _engine: compiled, lambda _engine, _own: None)
    SQLiteDialect_pysqlite.__eq__ = lambda one, other: type(one) is type(other)
    SQLiteDialect_pysqlite.__hash__ = lambda one: hash(type(one))


def install() -> None:
    """Let all ledgers of this process be made that way."""
    command.upgrade = repeat_what_was_said(command.upgrade)
    _share_compiled_statements()
