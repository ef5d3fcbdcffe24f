"""Who may sign in to the desk. Passwords arrive here as hashes."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Row, delete, insert, select, update

from io_adapters.ledger.desk_tables import desk_sessions, desk_users
from io_adapters.ledger.engine import Database
from schemas.desk_people import DeskUser, Language, Role, is_name
from schemas.errors import WordRefused
from schemas.person import same_person


class DeskUsers:
    """The record of users. Whoever is disabled stays in it: their name stands beside what they have said."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, name: str, roles: Iterable[Role], password_hash: str, language: Language = "pt-BR") -> DeskUser:
        """Let somebody sign in.

        Raises:
            WordRefused: it is no name, or somebody is called so already, however it is written; or there is no role.
        """
        shown, wanted = " ".join(name.split()), _some(roles)
        if not is_name(shown):
            raise WordRefused("a user's name has 1 to 64 letters, digits, blanks, and . ' - between them")
        with self._db.writing() as connection:
            key = same_person(shown)
            if connection.scalar(select(desk_users.c.key).where(desk_users.c.key == key)) is not None:
                raise WordRefused("there is a user of that name already")
            values = {"key": key, "name": shown, "roles": _written(wanted), "password_hash": password_hash}
            connection.execute(insert(desk_users).values(**values, language=language, created_at=self._db.now()))
        return DeskUser(key, shown, wanted, password_hash, language, disabled=False)

    def get(self, name: str) -> DeskUser | None:
        """Return a user, disabled or not; None when nobody is called so."""
        with self._db.reading() as connection:
            row = connection.execute(select(desk_users).where(desk_users.c.key == same_person(name))).one_or_none()
        return None if row is None else user_of(row)

    def list(self) -> list[DeskUser]:
        """Return all users, by name."""
        with self._db.reading() as connection:
            return [user_of(row) for row in connection.execute(select(desk_users).order_by(desk_users.c.key))]

    def change_password(self, name: str, password_hash: str) -> None:
        """Give a user another password; every session of theirs ends.

        Raises:
            WordRefused: nobody is called so.
        """
        self._change(name, password_hash=password_hash)

    def disable(self, name: str) -> None:
        """Keep a user out from this moment on; every session of theirs ends.

        Raises:
            WordRefused: nobody is called so.
        """
        self._change(name, disabled_at=self._db.now())

    def enable(self, name: str) -> None:
        """Let a disabled user sign in again, with the password and the roles they had.

        Raises:
            WordRefused: nobody is called so.
        """
        self._change(name, disabled_at=None)

    def change_roles(self, name: str, roles: Iterable[Role]) -> None:
        """Give a user other roles in place of those they have; every session of theirs ends.

        Raises:
            WordRefused: nobody is called so, or there is no role.
        """
        self._change(name, roles=_written(_some(roles)))

    def set_language(self, key: str, language: Language) -> None:
        """Remember which language a user wants to be spoken to in."""
        with self._db.writing() as connection:
            connection.execute(update(desk_users).where(desk_users.c.key == key).values(language=language))

    def _change(self, name: str, **values: object) -> None:
        key = same_person(name)
        with self._db.writing() as connection:
            if connection.execute(update(desk_users).where(desk_users.c.key == key).values(**values)).rowcount != 1:
                raise WordRefused("there is no user of that name; `repasse desk user list` shows them")
            connection.execute(delete(desk_sessions).where(desk_sessions.c.user_key == key))


def _some(roles: Iterable[Role]) -> frozenset[Role]:
    wanted = frozenset(roles)
    if not wanted:
        raise WordRefused("a user needs at least one role: preparer, approver, resolver")
    return wanted


def user_of(row: Row[Any]) -> DeskUser:
    """Read a user from a row of `desk_users`."""
    roles = frozenset(map(Role, row.roles.split()))
    return DeskUser(row.key, row.name, roles, row.password_hash, row.language, disabled=row.disabled_at is not None)


def _written(roles: Iterable[Role]) -> str:
    return " ".join(sorted(role.value for role in roles))
