"""What stops all sending: a person's hold, and the freeze when ledger and service disagree. Settling goes on."""

import datetime as dt
import json
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from io_adapters.ledger.engine import Database
from io_adapters.ledger.tables import freezes, holds
from schemas.alarm import Alarms
from schemas.errors import NotSent, SendingFrozen
from schemas.told import Told


@dataclass(frozen=True, slots=True)
class Hold:
    """A person's word that nothing is to be sent for now."""

    by: str
    why: str
    put_at: dt.datetime


@dataclass(frozen=True, slots=True)
class Freeze:
    """Ledger and service disagree.

    Attributes:
        reason: What was found, for people.
        tags: The ledger tags or report ids that the ledger does not know.
        frozen_at: Since when (UTC).
    """

    reason: str
    tags: tuple[str, ...]
    frozen_at: dt.datetime


class Holds:
    """People's holds."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def put(self, by: str, why: str) -> None:
        """Stop all sending until `release`."""
        with self._db.writing() as connection:
            connection.execute(insert(holds).values(by=by, why=why, put_at=self._db.now()))

    def release(self, by: str) -> bool:
        """Let sending go on; False when nothing held it."""
        with self._db.writing() as connection:
            released = connection.execute(
                update(holds).where(holds.c.released_at.is_(None)).values(released_by=by, released_at=self._db.now())
            ).rowcount
        return bool(released)

    def current(self) -> Hold | None:
        """Return the oldest hold that stands; None when sending may go on."""
        with self._db.reading() as connection:
            return _standing_hold(connection)


class Freezes:
    """Freezes by the program itself, lifted by people."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def put(self, reason: str, tags: Iterable[str]) -> None:
        """Stop all sending until people have looked."""
        with self._db.writing() as connection:
            _put(connection, reason, tags, self._db.now())

    def raise_alarms(self, alarms: Alarms) -> None:
        """Stop all sending where an alarm is new: one that does not stand yet, and that people have not accepted."""
        with self._db.writing() as connection:
            freeze_for(connection, alarms, self._db.now())

    def current(self) -> Freeze | None:
        """Return what stands, several freezes as one; None when nothing does."""
        with self._db.reading() as connection:
            return _standing_freeze(connection)

    def lift(self, by: Iterable[str], evidence: str, accepted_tags: Iterable[str]) -> bool:
        """Let sending go on, and remember the tags people accepted; False when nothing was frozen."""
        with self._db.writing() as connection:
            lifted = connection.execute(
                update(freezes)
                .where(freezes.c.lifted_at.is_(None))
                .values(
                    lifted_by=", ".join(by),
                    evidence=evidence,
                    accepted_tags=json.dumps(sorted(set(accepted_tags))),
                    lifted_at=self._db.now(),
                )
            ).rowcount
        return bool(lifted)

    def accepted_tags(self) -> frozenset[str]:
        """Return all tags people have accepted so far; they do not freeze sending again."""
        with self._db.reading() as connection:
            return _accepted_tags(connection)


def freeze_for(connection: Connection, alarms: Alarms, now: dt.datetime) -> None:
    """Stop all sending for the alarms among these that are new, in the transaction that found them."""
    if not alarms.found:
        return
    standing = _standing_freeze(connection)
    known = _accepted_tags(connection) | set(standing.tags if standing else ())
    new = [alarm for alarm in alarms.found if alarm.tag not in known]
    if new:
        reason = "; ".join(dict.fromkeys(alarm.told.in_words(alarms.language) for alarm in new))
        _put(connection, reason, [alarm.tag for alarm in new], now)


def _put(connection: Connection, reason: str, tags: Iterable[str], now: dt.datetime) -> None:
    values = {"reason": reason, "tags": json.dumps(sorted(set(tags))), "frozen_at": now}
    connection.execute(insert(freezes).values(**values))


def _accepted_tags(connection: Connection) -> frozenset[str]:
    query = select(freezes.c.accepted_tags).where(freezes.c.accepted_tags.is_not(None))
    return frozenset(tag for text in connection.scalars(query) for tag in json.loads(text))


def require_free_to_send(connection: Connection) -> None:
    """Refuse to send while a hold or a freeze stands.

    Raises:
        SendingFrozen: ledger and service disagree.
        NotSent: a person put sending on hold.
    """
    if (freeze := _standing_freeze(connection)) is not None:
        raise SendingFrozen(Told("freeze.standing", reason=freeze.reason))
    if (hold := _standing_hold(connection)) is not None:
        raise NotSent(Told("hold.standing", by=hold.by, why=hold.why))


def _standing_hold(connection: Connection) -> Hold | None:
    query = select(holds.c.by, holds.c.why, holds.c.put_at).where(holds.c.released_at.is_(None)).order_by(holds.c.id)
    row = connection.execute(query.limit(1)).one_or_none()
    return None if row is None else Hold(*row)


def _standing_freeze(connection: Connection) -> Freeze | None:
    rows = connection.execute(select(freezes).where(freezes.c.lifted_at.is_(None)).order_by(freezes.c.id)).all()
    if not rows:
        return None
    tags = dict.fromkeys(tag for row in rows for tag in json.loads(row.tags))
    return Freeze("; ".join(dict.fromkeys(row.reason for row in rows)), tuple(tags), rows[0].frozen_at)
