"""Contacts in the ledger: the address book as the service showed it, and the attempts at creating contacts."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Connection, Row, insert, select, update

from io_adapters.ledger.directory import contacts
from io_adapters.ledger.engine import chunks
from io_adapters.ledger.outbox import Outbox, next_numbers, read_plain, write_attempts
from io_adapters.ledger.tables import attempts
from schemas.attempt import CONTACT_TRANSITIONS, AttemptKind, AttemptState, PlainAttempt
from schemas.contact_book import ContactState, KnownContact
from schemas.messages import Message
from schemas.values.masking import digest_of, short_token
from schemas.wire import Contact, ContactAccount

A = AttemptState
Accounts = tuple[ContactAccount, ...]


class Contacts(Outbox[PlainAttempt]):
    _states = AttemptState
    _kind = AttemptKind.CONTACT
    _transitions = CONTACT_TRANSITIONS
    _moves_money = False

    def of(self, tax_ids: Iterable[str]) -> dict[str, KnownContact]:
        with self._db.reading() as connection:
            found: dict[str, KnownContact] = {}
            for some in chunks(tax_ids):
                known = connection.execute(select(contacts).where(contacts.c.tax_id.in_(some))).all()
                creating = connection.execute(_UNANSWERED.where(attempts.c.subject.in_(some))).all()
                found |= _with_creations(known, creating)
            return found

    def all(self) -> dict[str, KnownContact]:
        with self._db.reading() as connection:
            known = connection.execute(select(contacts)).all()
            creating = connection.execute(_UNANSWERED).all()
        return dict(sorted(_with_creations(known, creating).items()))

    def ids(self, tax_ids: Iterable[str]) -> dict[str, str]:
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
        return next((owner for owner in owners if any(account.id == account_id for account in owner.accounts)), None)

    def begin(self, tax_id: str, body: bytes, run_id: str) -> PlainAttempt | None:
        """Write down that a contact is to be created, before it is, once the service has said that there is none.

        An earlier creation whose answer never came is absent then: whether it can still come is the caller's to judge.
        """
        with self._db.writing() as connection:
            now = self._db.now()
            if not self._settle(connection, tax_id, A.ABSENT, run_id, Message("attempt.contact_not_shown")):
                return None
            number = next_numbers(connection, self._kind, [tax_id]).get(tax_id, 1)
            attempt_id = "ct-" + short_token(digest_of("contact", tax_id, str(number)), 26)
            row = {"id": attempt_id, "subject": tax_id, "number": number, "body": body, "run_id": run_id}
            row |= {"state": A.APPROVED.value, "was_in_doubt": False, "reason": None}
            write_attempts(connection, self._kind, [row], at=now, by=run_id)
            # What a deleted contact had is not the new one's.
            had = {"contact_id": None, "accounts": "[]", "favorite_account_id": None}
            connection.execute(update(contacts).where(contacts.c.tax_id == tax_id).values(had))
            return read_plain(connection, attempt_id)

    def as_answered(self, tax_id: str, answer: Contact, *, asked_email: str) -> KnownContact:
        """Keep what the service answered about a taxpayer's contact; a creation in doubt has taken effect then."""
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
                "tax_id_manager": answer.tax_id_manager,
                "has_bank_account": answer.has_bank_account,
                "state": ContactState.KNOWN.value,
                "told_at": self._db.now(),
            }
            _write(connection, tax_id, values | _of_accounts(accounts))
            self._settle(connection, tax_id, A.ACCEPTED, "", Message("attempt.contact_shown"))
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
        self._change_accounts(tax_id, lambda accounts: tuple(a for a in accounts if a.id != account_id))

    def _settle(self, connection: Connection, tax_id: str, found: AttemptState, by: str, reason: Message) -> bool:
        """End the creations of a contact that are not settled, as the service shows; False while one is being sent."""
        unsettled = attempts.c.state.in_([A.APPROVED.value, A.SENDING.value, A.IN_DOUBT.value])
        query = select(attempts.c.id).where(_IS_CREATION, attempts.c.subject == tax_id, unsettled)
        for before in (read_plain(connection, found_id) for found_id in connection.scalars(query).all()):
            if before.state == A.SENDING and found == A.ABSENT:
                return False
            after = A.ABSENT if before.state == A.APPROVED else found  # it never left
            self._move(connection, before, after, at=self._db.now(), by=by or before.run_id, reason=reason)
        return True

    def _read(self, connection: Connection, attempt_id: str) -> PlainAttempt:
        return read_plain(connection, attempt_id)

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


_IS_CREATION: Final = attempts.c.kind == AttemptKind.CONTACT.value
_UNANSWERED: Final = select(attempts.c.subject, attempts.c.sending_at).where(
    _IS_CREATION, attempts.c.state.in_([A.SENDING.value, A.IN_DOUBT.value])
)
_CREATING: Final = ContactState.CREATING


def _with_creations(known: Iterable[Row[Any]], creating: Iterable[Row[Any]]) -> dict[str, KnownContact]:
    """Return what is remembered, by tax id; whose creation has no answer yet may have a contact or not."""
    found = {row.tax_id: _known_of(row) for row in known}
    for row in creating:
        before = found.get(row.subject, KnownContact(row.subject, None, None, None, (), None, _CREATING, None, None))
        begun = {"state": _CREATING, "asked_at": row.sending_at}
        found[row.subject] = replace(before, contact_id=None, accounts=(), favorite_account_id=None, **begun)
    return found


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
        None,
        row.told_at,
        row.tax_id_manager,
        row.has_bank_account,
    )
