"""Queries over tables that are handed in: the in-memory DuckDB of the process, locked against reading anything else."""

import atexit
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Final

import pyarrow as pa

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SETTINGS: Final = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_access": "false",
    "python_enable_replacements": "false",
    # A second thread costs more CPU than it saves time: the other core reads text meanwhile.
    "threads": "1",
}


@cache
def _database() -> "DuckDBPyConnection":
    import duckdb  # noqa: PLC0415 - most commands read no statement lines, and start sooner without it

    return duckdb.connect(":memory:", config=dict(_SETTINGS))


atexit.register(_database.cache_clear)


class Tables:
    """Tables for the time of one piece of work; their names are its own."""

    def __init__(self, connection: "DuckDBPyConnection") -> None:
        self._connection = connection

    def register(self, name: str, table: pa.Table) -> None:
        self._connection.register(name, table)

    def arrow(self, query: str) -> pa.Table:
        """Run a query; returns its rows as they are, typed by the query."""
        return self._connection.sql(query).to_arrow_table()


def forget_database() -> None:
    """Let the database go; it ends with whoever still uses it, in another thread perhaps, and a new one is made."""
    _database.cache_clear()


@contextmanager
def opened_database() -> Iterator[Tables]:
    connection = _database().cursor()
    try:
        yield Tables(connection)
    finally:
        connection.close()


def query(text: str, **tables: pa.Table) -> pa.Table:
    """Ask tables a question in SQL; the names they are handed in by are those of the query."""
    with opened_database() as database:
        for name, table in tables.items():
            database.register(name, table)
        return database.arrow(text)


def quoted(text: str) -> str:
    """Write a text as SQL has it.

    >>> quoted("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"
