"""The contacts the service has told of, and those whose creation was begun.

Intent first: a creation is written down before the call, so that one without an answer is looked up, never repeated
blindly.
"""

import json
from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from io_adapters.ledger.directory_tables import contacts
from io_adapters.ledger.engine import Database
from io_adapters.ledger.queries import chunks
from schemas.contact_book import ContactState, KnownContact
from schemas.wire import Contact, ContactAccount

Accounts = tuple[ContactAccount, ...]


class Contacts:
    """The record of contacts, one per taxpayer."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, tax_ids: Iterable[str]) -> dict[str, KnownContact]:
        """Return those of these taxpayers that are remembered, gone ones included."""
        with self._db.reading() as connection:
            return {
                row.tax_id: _known_of(row)
                for some in chunks(tax_ids)
                for row in connection.execute(select(contacts).where(contacts.c.tax_id.in_(some)))
            }

    def all(self) -> dict[str, KnownContact]:
        """Return everything that is remembered, by tax id."""
        with self._db.reading() as connection:
            rows = connection.execute(select(contacts).order_by(contacts.c.tax_id)).all()
        return {row.tax_id: _known_of(row) for row in rows}

    def ids(self, tax_ids: Iterable[str]) -> dict[str, str]:
        """Return the contact ids of those of these taxpayers whose contact the service told."""
        return {
            tax_id: contact.contact_id
            for tax_id, contact in self.of(tax_ids).items()
            if contact.contact_id is not None and contact.state is ContactState.KNOWN
        }

    def by_id(self, contact_id: str) -> KnownContact | None:
        """Return the contact with an id of the service; None where none is remembered."""
        with self._db.reading() as connection:
            row = connection.execute(select(contacts).where(contacts.c.contact_id == contact_id)).first()
        return None if row is None else _known_of(row)

    def with_account(self, account_id: str) -> KnownContact | None:
        """Return the contact that has an account; None where none is remembered."""
        with self._db.reading() as connection:
            rows = connection.execute(select(contacts).where(contacts.c.accounts != "[]")).all()
        owners = (_known_of(row) for row in rows)
        return next((one for one in owners if any(account.id == account_id for account in one.accounts)), None)

    def begin(self, tax_id: str) -> None:
        """Write down that a contact is about to be created, before it is."""
        with self._db.writing() as connection:
            fresh = {"state": ContactState.CREATING.value, "asked_at": self._db.now()}
            _write(connection, tax_id, fresh | {"contact_id": None, "accounts": "[]", "favorite_account_id": None})

    def not_begun(self, tax_id: str) -> None:
        """Take back `begin`: the call certainly never left, or was refused."""
        this = (contacts.c.tax_id == tax_id) & (contacts.c.state == ContactState.CREATING.value)
        with self._db.writing() as connection:
            connection.execute(delete(contacts).where(this))

    def told(self, tax_id: str, answer: Contact, *, asked_email: str) -> KnownContact:
        """Keep what the service answered about a taxpayer's contact.

        Args:
            tax_id: Whose contact it is.
            answer: The service's words; what they leave out stays as it was remembered.
            asked_email: The e-mail that was asked for, and taken when the answer names none.
        """
        with self._db.writing() as connection:
            found = connection.execute(select(contacts).where(contacts.c.tax_id == tax_id)).one_or_none()
            before = None if found is None else _known_of(found)
            accounts = answer.accounts
            if accounts is None:
                accounts = () if before is None else before.accounts
            values = {
                "contact_id": answer.id or (before.contact_id if before else None),
                "name": answer.name or (before.name if before else None),
                "email": answer.email or asked_email,
                "state": ContactState.KNOWN.value,
                "told_at": self._db.now(),
            }
            _write(connection, tax_id, values | _of_accounts(accounts))
            row = connection.execute(select(contacts).where(contacts.c.tax_id == tax_id)).one()
        return _known_of(row)

    def gone(self, tax_id: str) -> None:
        """Keep that a contact was, or may have been, deleted: its id is used no more, and a sync looks for it first."""
        self._change_state(tax_id, ContactState.KNOWN, ContactState.GONE)

    def still_there(self, tax_id: str) -> None:
        """Take back `gone`: it certainly was not deleted."""
        self._change_state(tax_id, ContactState.GONE, ContactState.KNOWN)

    def favorite(self, tax_id: str, account_id: str) -> None:
        """Keep that one account of a contact is its favorite, and no other."""
        self._change_accounts(
            tax_id,
            lambda accounts: tuple(a.model_copy(update={"is_favorite": a.id == account_id}) for a in accounts),
        )

    def account_gone(self, tax_id: str, account_id: str) -> None:
        """Keep that one account of a contact was deleted."""
        self._change_accounts(tax_id, lambda accounts: tuple(a for a in accounts if a.id != account_id))

    def _change_state(self, tax_id: str, before: ContactState, after: ContactState) -> None:
        this = (contacts.c.tax_id == tax_id) & (contacts.c.state == before.value)
        with self._db.writing() as connection:
            connection.execute(update(contacts).where(this).values(state=after.value))

    def _change_accounts(self, tax_id: str, change: Callable[[Accounts], Accounts]) -> None:
        with self._db.writing() as connection:
            row = connection.execute(select(contacts).where(contacts.c.tax_id == tax_id)).one_or_none()
            if row is None:
                return
            values = _of_accounts(change(_known_of(row).accounts))
            connection.execute(update(contacts).where(contacts.c.tax_id == tax_id).values(**values))


def _write(connection: Connection, tax_id: str, values: dict[str, Any]) -> None:
    changed = connection.execute(update(contacts).where(contacts.c.tax_id == tax_id).values(**values)).rowcount
    if not changed:
        connection.execute(insert(contacts).values(tax_id=tax_id, **values))


def _of_accounts(accounts: Accounts) -> dict[str, Any]:
    favorite = next((account.id for account in accounts if account.is_favorite), None)
    documents = [json.loads(account.document()) for account in accounts]
    return {"accounts": json.dumps(documents, sort_keys=True), "favorite_account_id": favorite}


def _known_of(row: Row[Any]) -> KnownContact:
    accounts = tuple(ContactAccount.model_validate(account) for account in json.loads(row.accounts))
    return KnownContact(
        row.tax_id,
        row.contact_id,
        row.name,
        row.email,
        accounts,
        row.favorite_account_id,
        ContactState(row.state),
        row.asked_at,
        row.told_at,
    )
