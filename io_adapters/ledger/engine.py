"""One way to reach the database: short transactions, one writer at a time, durable when they return.

All that differs between SQLite and PostgreSQL is here and in the migrations.
"""

import datetime as dt
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import StaticPool

from schemas.errors import AnotherRun, BrokenInvariant, ConfigurationError
from schemas.told import Told

BUSY_TIMEOUT_S = 10
_WRITING = "repasse_writing"
# Transactions of the ledger exclude each other on PostgreSQL as they do on SQLite; the number only has to be ours.
_ADVISORY_LOCK = 0x5265_7061_7373_65


class Database:
    """An engine and a clock.

    Args:
        engine: From `make_engine`.
        clock: Returns the present moment, with its time zone.
    """

    def __init__(self, engine: Engine, clock: Callable[[], dt.datetime]) -> None:
        self.engine = engine
        self._clock = clock
        self._writer = threading.Lock()  # threads queue here; waiting for SQLite is sleeping up to a tenth of a second

    def now(self) -> dt.datetime:
        """Return the present moment in UTC."""
        moment = self._clock()
        if moment.tzinfo is None:
            raise BrokenInvariant("the clock must tell its time zone")
        return moment.astimezone(dt.UTC)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Read in one transaction, beside a writer."""
        with self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Write in one transaction; when it returns, the data survive a power cut. Rolled back on any exception.

        Raises:
            AnotherRun: another program has been writing for longer than `BUSY_TIMEOUT_S`.
        """
        with self._writer, self.engine.connect().execution_options(**{_WRITING: True}) as connection:
            try:
                transaction = connection.begin()
                # psycopg's BEGIN is lazy: ask for the lock here, where waiting for it in vain has a name.
                if connection.dialect.name == "postgresql":
                    _lock_postgresql(connection)
            except OperationalError as error:
                if "lock" not in str(error.orig):
                    raise
                raise AnotherRun(Told("ledger.busy", seconds=BUSY_TIMEOUT_S)) from error
            with transaction:
                yield connection


def make_engine(url: URL) -> Engine:
    """Create the engine for a SQLite or PostgreSQL URL.

    Raises:
        ConfigurationError: it is a URL of another database.
    """
    match url.get_backend_name():
        case "sqlite":
            return _make_sqlite(url)
        case "postgresql":
            driver = url.set(drivername="postgresql+psycopg")
            return create_engine(driver, pool_pre_ping=True, hide_parameters=True)
        case other:
            raise ConfigurationError(
                f"the ledger lives in SQLite or PostgreSQL, not in {other}: see REPASSE_LEDGER_URL"
            )


def is_memory(url: URL) -> bool:
    """Say whether a URL means a SQLite database that ends with the program."""
    return url.get_backend_name() == "sqlite" and url.database in {None, "", ":memory:"}


def _make_sqlite(url: URL) -> Engine:
    if is_memory(url):
        one_connection = {"poolclass": StaticPool, "connect_args": {"check_same_thread": False}}
        engine = create_engine(url, hide_parameters=True, **one_connection)
    else:
        engine = create_engine(url, hide_parameters=True, connect_args={"timeout": BUSY_TIMEOUT_S})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:  # noqa: ANN401
    connection.isolation_level = None  # the driver would begin too late, and deferred; _begin_sqlite does it
    connection.execute("PRAGMA foreign_keys = ON")
    _turn_wal_on(connection)
    connection.execute("PRAGMA synchronous = FULL")


def _turn_wal_on(connection: Any) -> None:  # noqa: ANN401
    """Turn the write-ahead log on, once in a file's life; SQLite does not wait for other programs here, so we do."""
    deadline_s = time.monotonic() + BUSY_TIMEOUT_S
    while connection.execute("PRAGMA journal_mode").fetchone()[0] not in {"wal", "memory"}:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() >= deadline_s:
                raise
            time.sleep(0.01)


def _begin_sqlite(connection: Connection) -> None:
    writing = connection.get_execution_options().get(_WRITING, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _lock_postgresql(connection: Connection) -> None:
    connection.exec_driver_sql("SET LOCAL synchronous_commit = on")
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{BUSY_TIMEOUT_S}s'")
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})")
