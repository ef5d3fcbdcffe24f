"""A person's single changes to the address book: delete a contact or an account, choose a favorite account."""

from collections.abc import Iterator
from contextlib import contextmanager

from flows.stages.run import Run
from flows.stages.sync_contacts import LEASE, LEASE_S, refuse_another_service
from io_adapters.split_api.contacts import ContactsApi
from io_adapters.split_api.errors import NotFound, Unanswered
from schemas.contact_book import KnownContact
from schemas.errors import RepasseError


def delete_contact(run: Run, *, contact_id: str | None, tax_id: str | None) -> None:
    """Delete one contact of the service.

    Args:
        run: Has a service.
        contact_id: The service's id; or None.
        tax_id: Canonical CPF or CNPJ, where no id is known.

    Effects: one DELETE. The deletion is written down first: until a sync finds the contact again, its id is not used,
    whatever became of the call.

    Raises:
        NotFound: the service has no such contact.
        Refused, NotSent: it certainly was not deleted, and stays on record.
        Unanswered: it may have been deleted.
    """
    book = run.ledger.contacts
    known = book.by_id(contact_id) if contact_id else book.of([tax_id or ""]).get(tax_id or "")
    with _changing(run) as api:
        if known:
            book.gone(known.tax_id)
        try:
            api.delete(contact_id=contact_id, tax_id=None if contact_id else tax_id)
        except (NotFound, Unanswered):
            raise
        except RepasseError:
            if known:
                book.still_there(known.tax_id)
            raise


def delete_account(run: Run, account_id: str) -> None:
    """Delete one account of a contact; raises as `delete_contact` does."""
    with _changing(run) as api:
        try:
            api.delete_account(account_id)
        except NotFound:
            _forget_account(run, account_id)
            raise
        _forget_account(run, account_id)


def mark_favorite(run: Run, account_id: str) -> None:
    """Make one account its contact's favorite; raises as `delete_contact` does, and may be repeated at will."""
    with _changing(run) as api:
        api.mark_favorite(account_id)
        owner = run.ledger.contacts.with_account(account_id)
        if owner:
            run.ledger.contacts.favorite(owner.tax_id, account_id)


def _forget_account(run: Run, account_id: str) -> None:
    owner: KnownContact | None = run.ledger.contacts.with_account(account_id)
    if owner:
        run.ledger.contacts.account_gone(owner.tax_id, account_id)


@contextmanager
def _changing(run: Run) -> Iterator[ContactsApi]:
    """Hold the address book against a sync, and make sure that it is the ledger's own service that is called."""
    refuse_another_service(run)
    run.ledger.leases.take(LEASE, run.owner, LEASE_S)
    try:
        yield run.require_service().api.contacts
    finally:
        run.ledger.leases.release(LEASE, run.owner)
