"""The database engine: where the ledger is, its schema, and short durable transactions with one writer."""

import datetime as dt
import errno
import hmac
import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import StaticPool

from schemas.errors import AnotherRun, BrokenInvariant, ConfigurationError
from schemas.messages import Message


class Seal:
    """Seals facts, and recognises its own seals."""

    def __init__(self, key: Callable[[], bytes]) -> None:
        self._ask = key
        self._key: bytes | None = None

    def of(self, *facts: object) -> str:
        """Return the seal of some facts, 64 hexadecimal digits."""
        if self._key is None:
            self._key = self._ask()
        return hmac.new(self._key, json.dumps(facts).encode(), "sha256").hexdigest()

    def is_of(self, seal: str | None, *facts: object) -> bool:
        """Whether a seal is of these facts; an absent one is of none."""
        return seal is not None and hmac.compare_digest(seal, self.of(*facts))


# Of ledgers that end with the program, and of those that were opened without a key.
NO_KEY = Seal(lambda: b"")
BUSY_TIMEOUT_S = 10
_WRITING = "repasse_writing"
# In a connection's `info`: what was written in its transaction that `Database.after_commit` is told of.
AFTER_COMMIT: Final = "repasse_after_commit"
_DATABASE: Final = "repasse_database"
# Transactions of the ledger exclude each other on PostgreSQL as they do on SQLite; the number only has to be ours.
_ADVISORY_LOCK = 0x5265_7061_7373_65


class Database:
    """An engine and a clock."""

    def __init__(
        self,
        engine: Engine,
        clock: Callable[[], dt.datetime],
        seal: Seal = NO_KEY,
        after_commit: Callable[..., None] = lambda *_: None,
        require_whole: Callable[[Connection], None] = lambda _: None,
        is_end_there: Callable[[Connection], bool] = lambda _: True,
    ) -> None:
        """Take what keeps the record of acts beside the database.

        Args:
            after_commit: Called with what a transaction left in `AFTER_COMMIT`.
            require_whole: Refuses a record of acts of which something is gone.
            is_end_there: Whether the end of that record is still what this machine saw last.
        """
        self._after_commit = after_commit
        self.require_whole, self.is_end_there = require_whole, is_end_there
        self.engine = engine
        self.seal = seal
        self._clock = clock
        self._latest = dt.datetime.min.replace(tzinfo=dt.UTC)
        self._writer = threading.Lock()  # threads queue here; waiting for SQLite is sleeping up to a tenth of a second

    def now(self) -> dt.datetime:
        """Return the present moment in UTC, never one before a moment told already: what has expired stays so."""
        moment = self._clock()
        if moment.tzinfo is None:
            raise BrokenInvariant("the clock must tell its time zone")
        self._latest = max(self._latest, moment.astimezone(dt.UTC))
        return self._latest

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self.engine.connect() as connection, connection.begin():
            connection.info[_DATABASE] = self
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
                raise AnotherRun(Message("ledger.busy", seconds=BUSY_TIMEOUT_S)) from error
            connection.info.pop(AFTER_COMMIT, None)
            connection.info[_DATABASE] = self
            with transaction:
                yield connection
            if AFTER_COMMIT in connection.info:
                self._after_commit(*connection.info.pop(AFTER_COMMIT))


def database_of(connection: Connection) -> Database:
    """Return the database that a connection is to."""
    database: Database = connection.info[_DATABASE]
    return database


def seal_of(connection: Connection) -> Seal:
    return database_of(connection).seal


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
            raise ConfigurationError(Message("error.ledger_dialect", other=other))


def is_memory(url: URL) -> bool:
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
    connection.isolation_level = None  # the driver would begin too late, and deferred; `_begin_sqlite` does it
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


_Key = TypeVar("_Key")

# SQLite allows 32,766 parameters, PostgreSQL 65,535.
_PORTION = 5_000


def chunks(keys: Iterable[_Key]) -> Iterator[list[_Key]]:
    """Yield each key once, in portions."""
    distinct = iter(dict.fromkeys(keys))
    while portion := list(islice(distinct, _PORTION)):
        yield portion


_MOUNTS = Path("/proc/self/mountinfo")
# WAL keeps its index in memory shared by processes of one machine: https://www.sqlite.org/wal.html, "Overview".
_NETWORK_FILESYSTEMS = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "fuse.sshfs"}
)


def prepare_file(path: Path) -> None:
    """Create the file and its folder where they are missing, and keep others from reading it.

    A folder that was there before keeps its permissions: it may hold more than the ledger. A file that is there is not
    opened here. Closing it again would drop the locks that other ledgers of this process hold on it: another program
    would take itself for the last one and remove the write-ahead log, and what this one writes to it is lost
    (https://www.sqlite.org/howtocorrupt.html, "Posix advisory locks canceled by a separate thread doing close()").

    Raises:
        ConfigurationError: the folder cannot be written, or lies on a network filesystem.
    """
    kind = _filesystem_of(path.resolve())
    if kind in _NETWORK_FILESYSTEMS:
        raise ConfigurationError(Message("error.ledger_network", path=str(path), kind=kind))
    try:
        for folder in reversed([p for p in path.parents if not p.exists()]):
            folder.mkdir(mode=0o700, exist_ok=True)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        if not os.access(path, os.R_OK | os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        path.chmod(0o600)  # SQLite gives its -wal and -shm files the same
    except OSError as error:
        raise ConfigurationError(Message("error.ledger_readonly", path=str(path), why=error.strerror)) from error


def _filesystem_of(path: Path) -> str:
    """Return the type of the filesystem a path lies on; "" where that cannot be known."""
    try:
        lines = _MOUNTS.read_text().splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    for line in lines:
        place, _, rest = line.partition(" - ")
        mount = place.split()[4].replace("\\040", " ")
        # The last of several mounts on one place hides the others.
        if path.is_relative_to(mount) and len(mount) >= len(best):
            best, kind = mount, rest.split()[0]
    return kind


# Oldest first; the first seven were never released. A new migration adds its revision here; a test compares the two.
REVISIONS: Final = ("v9",)
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
    if stored.startswith("v") and stored > REVISIONS[-1]:
        raise AnotherRun(Message("ledger.newer", stored=stored, known=REVISIONS[-1]))
    raise AnotherRun(Message("ledger.unreleased", stored=stored, known=REVISIONS[-1]))


def _upgrade(connection: Connection) -> None:
    from alembic import command  # noqa: PLC0415 - see above
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, REVISIONS[-1])
