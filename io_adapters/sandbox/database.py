"""The one SQLite file of the sandbox, which outlives its process.

Every effect is committed before it is answered. With the write-ahead log a commit survives `kill -9` of the process;
it is not synced to the disk one by one (`synchronous=NORMAL`), which only the loss of power could tell.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from io_adapters.sandbox import contact_tables, tables, webhook_tables  # noqa: F401 - they all join one metadata


class Database:
    """Opens the file and hands out connections; may be used from several threads."""

    def __init__(self, file: Path) -> None:
        """Open the file, making it and its tables where there are none."""
        self._engine = sa.create_engine(sa.URL.create("sqlite", database=str(file)))
        sa.event.listen(self._engine, "connect", _set_pragmas)
        self._writing = threading.Lock()  # one writer at a time waits here rather than for SQLite's busy timeout
        tables.metadata.create_all(self._engine)

    def close(self) -> None:
        """Close all connections to the file."""
        self._engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Hand out a connection to read from."""
        with self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Hand out the one connection that may write; all it wrote is committed at the end, or nothing."""
        with self._writing, self._engine.begin() as connection:
            yield connection

    def rows(self, table: sa.Table) -> list[dict[str, Any]]:
        """Return a whole table as plain values, in the order in which it was written."""
        with self.reading() as connection:
            return [dict(row) for row in connection.execute(sa.select(table).order_by(*table.primary_key)).mappings()]


def _set_pragmas(connection: Any, _: object) -> None:  # noqa: ANN401
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
