"""One run per job at a time: a name is held by one owner until it lets go, runs out, or is proven gone."""

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, select, update

from io_adapters.ledger.engine import Database
from io_adapters.ledger.owner import Owner, is_gone
from io_adapters.ledger.tables import leases
from schemas.errors import AnotherRun
from schemas.told import Told


@dataclass(frozen=True, slots=True)
class Lease:
    """Who holds a name, since when and until when (UTC)."""

    name: str
    owner: Owner
    since: dt.datetime
    until: dt.datetime


class Leases:
    """Named leases."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def take(self, name: str, owner: Owner, ttl_s: float) -> Lease:
        """Take a name, or take it over from an owner whose time ran out or whose process is proven gone.

        Args:
            name: What is held, for instance "job:aurora-royalties".
            owner: This process.
            ttl_s: How long it holds without `renew`.

        Raises:
            AnotherRun: a live other holds it.
        """
        with self._db.writing() as connection:
            now = self._db.now()
            held = _read(connection, name)
            if held is not None and held.owner != owner and now < held.until and not is_gone(held.owner, owner):
                raise AnotherRun(
                    Told("lease.held", name=name, owner=held.owner, since=f"{held.since:%Y-%m-%d %H:%M:%S} UTC")
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
            raise AnotherRun(Told("lease.taken", name=name))

    def release(self, name: str, owner: Owner) -> None:
        """Let go of a name; does nothing when it is no longer this owner's."""
        with self._db.writing() as connection:
            connection.execute(delete(leases).where(_is_of(name, owner)))

    def current(self, name: str) -> Lease | None:
        """Return who holds a name, also when the time has run out; None when nobody does."""
        with self._db.reading() as connection:
            return _read(connection, name)


def _is_of(name: str, owner: Owner) -> ColumnElement[bool]:
    return and_(leases.c.name == name, leases.c.owner == owner.to_json())


def _read(connection: Connection, name: str) -> Lease | None:
    row = connection.execute(select(leases).where(leases.c.name == name)).one_or_none()
    return None if row is None else Lease(row.name, Owner.from_json(row.owner), row.since, row.until)
