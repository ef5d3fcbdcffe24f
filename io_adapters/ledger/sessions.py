"""Sessions of the desk, and attempts to sign in. Both outlive a restart: a limit that forgets is none."""

import datetime as dt
from contextlib import suppress
from hashlib import sha256
from typing import Final

from sqlalchemy import delete, func, insert, or_, select, update

from io_adapters.ledger.desk_tables import desk_attempts, desk_sessions, desk_users
from io_adapters.ledger.engine import Database
from io_adapters.ledger.users import user_of
from schemas.desk_people import DeskUser
from schemas.errors import AnotherRun
from schemas.person import same_person

# Seeing somebody again is written down at most this often.
_SEEN_EVERY: Final = dt.timedelta(seconds=60)
_KEPT: Final = dt.timedelta(days=1)


class DeskSessions:
    """Who is signed in."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def start(self, token: str, user: DeskUser, absolute: dt.timedelta) -> bool:
        """Begin a session; those that ended long ago are forgotten.

        Args:
            token: What its browser knows it by; only its hash is kept.
            user: Whose, as they were when their password was judged.
            absolute: How long any session lasts.

        Returns:
            Whether it began: not for somebody who was disabled, or given another password, while it was judged.
        """
        with self._db.writing() as connection:
            now = self._db.now()
            connection.execute(delete(desk_sessions).where(desk_sessions.c.started_at < now - absolute))
            same = (desk_users.c.key == user.key) & (desk_users.c.password_hash == user.password_hash)
            if connection.scalar(select(desk_users.c.key).where(same, desk_users.c.disabled_at.is_(None))) is None:
                return False
            row = {"token_sha256": _hash(token), "user_key": user.key, "started_at": now, "seen_at": now}
            connection.execute(insert(desk_sessions).values(**row))
        return True

    def find(self, token: str, *, idle: dt.timedelta, absolute: dt.timedelta, seen: bool = True) -> DeskUser | None:
        """Return whose session it is; None when it ended, idled too long, or its user may no longer sign in.

        Args:
            token: What its browser knows it by.
            idle: How long it lasts without use.
            absolute: How long it lasts however much it is used.
            seen: Whether somebody uses it now; a page that asks by itself does not.
        """
        now, name = self._db.now(), _hash(token)
        query = (
            select(desk_users, desk_sessions.c.seen_at)
            .join(desk_sessions, desk_sessions.c.user_key == desk_users.c.key)
            .where(
                desk_sessions.c.token_sha256 == name,
                desk_sessions.c.seen_at > now - idle,
                desk_sessions.c.started_at > now - absolute,
                desk_users.c.disabled_at.is_(None),
            )
        )
        with self._db.reading() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        if seen and now - row.seen_at >= _SEEN_EVERY:
            # Whoever has the ledger for long does not keep people from looking.
            with suppress(AnotherRun), self._db.writing() as connection:
                this = desk_sessions.c.token_sha256 == name
                connection.execute(update(desk_sessions).where(this).values(seen_at=now))
        return user_of(row)

    def end(self, token: str) -> None:
        """Sign out."""
        with self._db.writing() as connection:
            connection.execute(delete(desk_sessions).where(desk_sessions.c.token_sha256 == _hash(token)))


class SignInAttempts:
    """Attempts to sign in, by name and by address."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def begin(self, name: str, address: str, *, per_name: int, per_address: int, within: dt.timedelta) -> int | None:
        """Write an attempt down before it is judged, so that many at once count too.

        Args:
            name: As typed.
            address: Where it comes from.
            per_name: How many failures a name may have.
            per_address: How many an address may have.
            within: In how long.

        Returns:
            Its number, for `succeed`; None when there were too many: then nothing may be judged.
        """
        names, addresses = _hash(same_person(name)), _hash(address)
        with self._db.writing() as connection:
            now = self._db.now()
            connection.execute(delete(desk_attempts).where(desk_attempts.c.at < now - _KEPT))
            failed = (
                select(
                    func.count().filter(desk_attempts.c.name_sha256 == names),
                    func.count().filter(desk_attempts.c.address_sha256 == addresses),
                )
                .where(desk_attempts.c.at > now - within, desk_attempts.c.succeeded.is_(False))
                .where(or_(desk_attempts.c.name_sha256 == names, desk_attempts.c.address_sha256 == addresses))
            )
            of_name, of_address = connection.execute(failed).one()
            if of_name >= per_name or of_address >= per_address:
                return None
            row = {"name_sha256": names, "address_sha256": addresses, "at": now, "succeeded": False}
            written = connection.execute(insert(desk_attempts).values(**row))
            return int(written.inserted_primary_key[0]) if written.inserted_primary_key else None

    def succeed(self, attempt: int) -> None:
        """Take an attempt back out of the count."""
        with self._db.writing() as connection:
            connection.execute(update(desk_attempts).where(desk_attempts.c.id == attempt).values(succeeded=True))


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()
