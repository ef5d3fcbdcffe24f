"""The in-memory DuckDB database of the process, locked against reading or loading anything else."""

import atexit
import ctypes
import sys
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


class LineDatabase:
    """Tables for the time of one piece of work; their names are its own."""

    def __init__(self, connection: "DuckDBPyConnection") -> None:
        self._connection = connection

    def register(self, name: str, table: pa.Table) -> None:
        self._connection.register(name, table)

    def arrow(self, query: str) -> pa.Table:
        """Run a query; returns its rows as they are, typed by the query."""
        return self._connection.sql(query).to_arrow_table()


def give_memory_back() -> None:
    """Return to the system what the database, Arrow and the C library keep for more lines; they may still come."""
    _database.cache_clear()  # it ends with whoever still uses it, in another thread perhaps
    pa.default_memory_pool().release_unused()
    if sys.platform == "linux":
        # glibc keeps what was freed; where another library stands in for it, there is nothing to call.
        getattr(ctypes.CDLL(None), "malloc_trim", int)(0)


@contextmanager
def opened_database() -> Iterator[LineDatabase]:
    connection = _database().cursor()
    try:
        yield LineDatabase(connection)
    finally:
        connection.close()


def quoted(text: str) -> str:
    """Write a text as SQL has it.

    >>> quoted("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"
