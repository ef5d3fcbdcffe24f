"""Storage of the sandbox's contacts and their accounts, and of every change that was made to them."""

import hashlib
import json
import uuid
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert as insert_or

from io_adapters.sandbox.assumptions import account_identity
from io_adapters.sandbox.models import (
    SandboxContact,
    SandboxContactAccount,
)
from io_adapters.sandbox.tables import SandboxDatabase, contact_accounts, contact_changes, contacts

_ACCOUNT_COLUMNS = [contact_accounts.c[name] for name in SandboxContactAccount.model_fields]


@dataclass(frozen=True, slots=True)
class Destination:
    bank_name: str | None = None
    bank_code: str | None = None
    bank_ispb: str | None = None
    agency: str | None = None
    account_number: str | None = None
    account_type: str | None = None
    pix_key: str | None = None
    pix_key_type: str | None = None
    tax_id: str | None = None
    tax_id_manager: str | None = None

    @property
    def fingerprint(self) -> str:
        parts = (self.pix_key_type, self.pix_key, self.bank_ispb, self.bank_code, self.agency, self.account_number)
        joined = "|".join(account_identity(part or "") for part in (*parts, self.account_type))
        return hashlib.sha256(joined.encode()).hexdigest()[:16]


class AddressBook:
    """Reads and writes contacts; may be used from several threads."""

    def __init__(self, database: SandboxDatabase) -> None:
        self._database = database

    def add(self, at: float, *, name: str, tax_id: str, email: str, again: bool) -> tuple[SandboxContact, bool]:
        """Create a contact, unless its tax id has one and `again` is not set; tell whether it was created."""
        identity = account_identity(tax_id)
        with self._database.writing() as connection:
            same = connection.scalar(sa.select(contacts.c.id).where(contacts.c.identity == identity).limit(1))
            if same is not None and not again:
                return _contact(connection, same), False
            contact_id = str(uuid.uuid4())
            values = {"id": contact_id, "identity": identity, "tax_id": tax_id, "name": name, "email": email}
            connection.execute(sa.insert(contacts), values)
            _note(connection, at, "created", contact_id)
            return _contact(connection, contact_id), True

    def change_email(self, at: float, contact_id: str | None, tax_id: str | None, email: str) -> SandboxContact | None:
        """Change a contact's e-mail; None when there is no such contact."""
        with self._database.writing() as connection:
            known = _find(connection, contact_id, tax_id)
            if known is None:
                return None
            connection.execute(sa.update(contacts).where(contacts.c.id == known).values(email=email))
            _note(connection, at, "email_changed", known)
            return _contact(connection, known)

    def delete(self, at: float, contact_id: str | None, tax_id: str | None) -> SandboxContact | None:
        """Delete a contact and its accounts; return what it was, None when there is no such contact."""
        with self._database.writing() as connection:
            known = _find(connection, contact_id, tax_id)
            if known is None:
                return None
            was = _contact(connection, known)
            connection.execute(sa.delete(contact_accounts).where(contact_accounts.c.contact_id == known))
            connection.execute(sa.delete(contacts).where(contacts.c.id == known))
            _note(connection, at, "deleted", known)
            return was

    def delete_account(self, at: float, account_id: str) -> SandboxContactAccount | None:
        """Delete an account; return what it was, None when there is no such account."""
        with self._database.writing() as connection:
            was = _account(connection, account_id)
            if was is not None:
                connection.execute(sa.delete(contact_accounts).where(contact_accounts.c.id == account_id))
                _note(connection, at, "account_deleted", str(was.contact_id), account_id)
            return was

    def mark_favorite(self, at: float, account_id: str) -> SandboxContactAccount | None:
        """Make an account its contact's only favourite; None when there is no such account."""
        with self._database.writing() as connection:
            account = _account(connection, account_id)
            if account is None:
                return None
            siblings = sa.update(contact_accounts).where(contact_accounts.c.contact_id == account.contact_id)
            connection.execute(siblings.values(is_favorite=False))
            change = sa.update(contact_accounts).where(contact_accounts.c.id == account_id)
            connection.execute(change.values(is_favorite=True))
            _note(connection, at, "account_favored", str(account.contact_id), account_id)
            return _account(connection, account_id)

    def learn(self, at: float, destinations: Collection[Destination]) -> None:
        """Give each contact the destinations that name its tax id, unless it has them."""
        if not destinations:
            return
        identities = json.dumps(sorted({account_identity(destination.tax_id or "") for destination in destinations}))
        wanted = sa.select(sa.func.json_each(identities).table_valued("value").c.value)  # any number of them
        query = sa.select(contacts.c.identity, contacts.c.id).where(contacts.c.identity.in_(wanted))
        with self._database.writing() as connection:
            found = {row.identity: row.id for row in connection.execute(query.order_by(contacts.c.number.desc()))}
            owners = (
                (found.get(account_identity(destination.tax_id or "")), destination) for destination in destinations
            )
            _add_accounts(connection, at, ((owner, account) for owner, account in owners if owner is not None))

    def add_account(self, at: float, contact_id: str, destination: Destination) -> SandboxContact | None:
        """Give one contact a destination, unless it has it; None when there is no such contact."""
        with self._database.writing() as connection:
            if _find(connection, contact_id, None) is None:
                return None
            _add_accounts(connection, at, [(contact_id, destination)])
            return _contact(connection, contact_id)

    def contacts(self) -> list[SandboxContact]:
        with self._database.reading() as connection:
            known = connection.scalars(sa.select(contacts.c.id).order_by(contacts.c.number)).all()
            return [_contact(connection, contact_id) for contact_id in known]


def _find(connection: sa.Connection, contact_id: str | None, tax_id: str | None) -> str | None:
    query = sa.select(contacts.c.id).order_by(contacts.c.number).limit(1)
    if contact_id:
        query = query.where(contacts.c.id == contact_id)
    if tax_id:
        query = query.where(contacts.c.identity == account_identity(tax_id))
    return connection.scalar(query)


def _contact(connection: sa.Connection, contact_id: str) -> SandboxContact:
    row = connection.execute(sa.select(contacts).where(contacts.c.id == contact_id)).one()
    query = sa.select(*_ACCOUNT_COLUMNS).where(contact_accounts.c.contact_id == contact_id)
    rows = connection.execute(query.order_by(contact_accounts.c.number)).mappings()
    accounts = [SandboxContactAccount(**account) for account in rows]
    return SandboxContact(
        id=row.id,
        tax_id=row.tax_id,
        tax_id_manager=None,
        name=row.name,
        email=row.email,
        has_bank_account=bool(accounts),
        accounts=accounts,
    )


def _account(connection: sa.Connection, account_id: str) -> SandboxContactAccount | None:
    query = sa.select(*_ACCOUNT_COLUMNS).where(contact_accounts.c.id == account_id)
    row = connection.execute(query).mappings().first()
    return None if row is None else SandboxContactAccount(**row)


def _add_accounts(connection: sa.Connection, at: float, new: Iterable[tuple[str, Destination]]) -> None:
    for contact_id, destination in new:
        account_id = str(uuid.uuid4())
        named = {"id": account_id, "contact_id": contact_id, "fingerprint": destination.fingerprint}
        unless_known = insert_or(contact_accounts).on_conflict_do_nothing(index_elements=["contact_id", "fingerprint"])
        if connection.execute(unless_known, named | asdict(destination) | {"is_favorite": False}).rowcount:
            _note(connection, at, "account_learned", contact_id, account_id)


def _note(connection: sa.Connection, at: float, change: str, contact_id: str, account_id: str | None = None) -> None:
    row = {"at": at, "change": change, "contact_id": contact_id, "account_id": account_id}
    connection.execute(sa.insert(contact_changes), row)
