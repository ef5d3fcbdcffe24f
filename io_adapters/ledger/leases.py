"""Leases: one run per job at a time; who holds one, until when, and when that process is proven to be gone."""

import contextlib
import datetime as dt
import json
import os
import socket
from dataclasses import asdict, dataclass
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, select, update

from io_adapters.ledger.engine import Database
from io_adapters.ledger.tables import leases
from schemas.errors import AnotherRun, JobIsBusy
from schemas.messages import Message

_PROC = Path("/proc")
# A process that has ended and whose parent has not noticed yet still has its number.
_ENDED = frozenset("ZX")


@dataclass(frozen=True, slots=True)
class Owner:
    """One process at work for one run.

    Attributes:
        boot_id: Names the machine's boot and the process id namespace; "" where neither can be known.
        process_start: When the process started, in clock ticks since boot; "" where that cannot be known.
    """

    host: str
    pid: int
    boot_id: str
    process_start: str
    run_id: str

    @classmethod
    def current(cls, run_id: str) -> "Owner":
        pid = os.getpid()
        return cls(socket.gethostname(), pid, _boot_id(), _process_state_and_start(pid)[1], run_id)

    def to_json(self) -> str:
        """Write it for the ledger; equal owners give equal texts."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "Owner":
        return cls(**json.loads(text))

    def __str__(self) -> str:
        return f"run {self.run_id} on {self.host} (pid {self.pid})"


def is_gone(owner: Owner, here: Owner) -> bool:
    """Say whether a process has ended; True only when that is proven.

    Only processes of this very boot and process id namespace can be judged: after a restart, or from another machine
    or container, absence proves nothing, and what the owner held has to run out instead.
    """
    if not _is_here(owner, here):
        return False
    try:
        os.kill(owner.pid, 0)
    except ProcessLookupError:
        return True
    except OSError:  # it exists, and belongs to someone else
        pass
    state, started = _process_state_and_start(owner.pid)
    if state in _ENDED:
        return True
    return bool(started and owner.process_start) and started != owner.process_start


def _is_here(owner: Owner, here: Owner) -> bool:
    """Whether a process can be looked for: it is of this boot and process id namespace."""
    return bool(owner.boot_id) and (owner.host, owner.boot_id) == (here.host, here.boot_id)


def _boot_id() -> str:
    # Containers share the boot id of their machine but not their process ids, hence the namespace.
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{(_PROC / 'self/ns/pid').readlink()}"
    except OSError:
        return ""


def _process_state_and_start(pid: int) -> tuple[str, str]:
    # proc(5): fields 3 and 22 of stat; the name in parentheses before them may hold blanks and parentheses itself.
    with contextlib.suppress(OSError, IndexError):
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        return fields[0], fields[19]
    return "", ""


@dataclass(frozen=True, slots=True)
class Lease:
    """Who holds a name, since when and until when (UTC)."""

    name: str
    owner: Owner
    since: dt.datetime
    until: dt.datetime


class Leases:
    def __init__(self, database: Database) -> None:
        self._db = database

    def take(self, name: str, owner: Owner, ttl_s: float) -> Lease:
        """Take a name, or take it over from an owner who is gone: whose process has ended, or whose time ran out.

        On this machine the process alone tells, whatever any clock says; elsewhere, and before a restart, time does.

        Raises:
            JobIsBusy: a live other holds it.
        """
        with self._db.writing() as connection:
            now = self._db.now()
            held = _read(connection, name)
            if held is not None and held.owner != owner and _may_live(held, owner, now):
                raise JobIsBusy(
                    Message("lease.held", name=name, owner=held.owner, since=f"{held.since:%Y-%m-%d %H:%M:%S} UTC")
                )
            since = held.since if held is not None and held.owner == owner else now
            lease = Lease(name, owner, since, now + dt.timedelta(seconds=ttl_s))
            connection.execute(delete(leases).where(leases.c.name == name))
            connection.execute(
                insert(leases).values(name=name, owner=owner.to_json(), since=lease.since, until=lease.until)
            )
        return lease

    def renew(self, name: str, owner: Owner, ttl_s: float) -> None:
        """Hold on to a name for longer.

        Raises:
            AnotherRun: it is no longer this owner's; what it protects must stop.
        """
        with self._db.writing() as connection:
            until = self._db.now() + dt.timedelta(seconds=ttl_s)
            changed = connection.execute(update(leases).where(_is_of(name, owner)).values(until=until)).rowcount
        if changed != 1:
            raise AnotherRun(Message("lease.taken", name=name))

    def release(self, name: str, owner: Owner) -> None:
        """Let go of a name; does nothing when it is no longer this owner's."""
        with self._db.writing() as connection:
            connection.execute(delete(leases).where(_is_of(name, owner)))

    def current(self, name: str) -> Lease | None:
        """Return who holds a name, also when the time has run out; None when nobody does."""
        with self._db.reading() as connection:
            return _read(connection, name)


def _may_live(held: Lease, here: Owner, now: dt.datetime) -> bool:
    return not is_gone(held.owner, here) if _is_here(held.owner, here) else now < held.until


def _is_of(name: str, owner: Owner) -> ColumnElement[bool]:
    return and_(leases.c.name == name, leases.c.owner == owner.to_json())


def _read(connection: Connection, name: str) -> Lease | None:
    row = connection.execute(select(leases).where(leases.c.name == name)).one_or_none()
    return None if row is None else Lease(row.name, Owner.from_json(row.owner), row.since, row.until)
