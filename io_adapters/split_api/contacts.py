"""The address book: /contacts, /contacts/accounts and /contacts/accounts_favorite."""

from io_adapters.split_api.assumptions import Assumptions
from io_adapters.split_api.errors import RuleBroken, Unanswered
from io_adapters.split_api.orders import Orders, Statuses, answer_in
from schemas.tax_id import parse_tax_id
from schemas.wire import (
    AccountDelete,
    Contact,
    ContactAccount,
    ContactCreate,
    ContactDelete,
    ContactEmailUpdate,
    Request,
)


class ContactsApi:
    """Creates, changes and deletes contacts, each call sent once.

    Every method raises RuleBroken (a rule of the interface is broken, nothing was sent), NotSent (certainly nothing was
    sent), Refused (422 as documented, nothing happened) or Unanswered (it may have happened); those that name something
    existing also NotFound (the service does not have it).
    """

    def __init__(self, orders: Orders, assumptions: Assumptions) -> None:
        """Prepare; nothing is sent yet."""
        self._orders = orders
        missing = assumptions.missing_statuses
        self._creating = Statuses(existing=assumptions.existing_statuses)
        self._changing = Statuses(missing=missing)
        self._deleting = Statuses(missing=missing, done=assumptions.deleting_answers)
        self._favorite = assumptions.favorite_account

    def create(self, name: str, tax_id: str, email: str) -> Contact:
        """POST /contacts. Whether a second contact of one tax id is made, is refused, or is the first: not shown.

        Raises:
            AlreadyThere: the service says that it has one of this tax id; a kind of Refused.
        """
        _need(name=name, tax_id=tax_id, email=email)
        what = "creating a contact"
        request = ContactCreate(name=name, tax_id=tax_id, email=email)
        contact = answer_in(self._orders.do(what, "POST", "/contacts", request, statuses=self._creating), Contact, what)
        return _the_one_meant(contact, None, tax_id, what)

    def update_email(self, email: str, contact_id: str | None = None, tax_id: str | None = None) -> Contact:
        """PUT /contacts: change the e-mail of the contact that `contact_id` or `tax_id` names."""
        _need(email=email)
        _need_one(contact_id, tax_id)
        what = "changing a contact's e-mail"
        request = ContactEmailUpdate(email=email, contact_id=_given(contact_id), tax_id=_given(tax_id))
        contact = answer_in(self._orders.do(what, "PUT", "/contacts", request, statuses=self._changing), Contact, what)
        return _the_one_meant(contact, contact_id, tax_id, what)

    def delete(self, contact_id: str | None = None, tax_id: str | None = None) -> None:
        """DELETE /contacts: delete the contact that `contact_id` or `tax_id` names. What it answers is not shown."""
        _need_one(contact_id, tax_id)
        request = ContactDelete(contact_id=_given(contact_id), tax_id=_given(tax_id))
        self._delete("deleting a contact", "/contacts", request)

    def delete_account(self, account_id: str) -> None:
        """DELETE /contacts/accounts: delete one account of a contact. What it answers is not shown."""
        _need(account_id=account_id)
        request = AccountDelete(account_id=account_id)
        self._delete("deleting a contact's account", "/contacts/accounts", request)

    def mark_favorite(self, account_id: str) -> ContactAccount:
        """POST /contacts/accounts_favorite: make one account its contact's favorite; the id goes in the query."""
        _need(account_id=account_id)
        what = "marking a favorite account"
        params = {self._favorite: account_id}
        path = "/contacts/accounts_favorite"
        reply = self._orders.do(what, "POST", path, None, params=params, statuses=self._changing)
        account = answer_in(reply, ContactAccount, what)
        if account.id not in {None, account_id}:
            raise Unanswered(f"{what}: the answer is about another account", status=reply.status)
        return account

    def _delete(self, what: str, path: str, request: Request) -> None:
        self._orders.do(what, "DELETE", path, request, statuses=self._deleting)


def _need(**given: str) -> None:
    empty = [f"{name} must not be empty" for name, value in given.items() if not value.strip()]
    if empty:
        raise RuleBroken(*empty)


def _need_one(contact_id: str | None, tax_id: str | None) -> None:
    if _given(contact_id) is None and _given(tax_id) is None:
        raise RuleBroken("contact_id or tax_id is required to name the contact")


def _given(value: str | None) -> str | None:
    return value if value is not None and value.strip() else None


def _the_one_meant(contact: Contact, contact_id: str | None, tax_id: str | None, what: str) -> Contact:
    """Take no contact for another; a tax id that cannot be read, masked perhaps, contradicts nothing."""
    ours, theirs = (parse_tax_id(one or "").value for one in (tax_id, contact.tax_id))
    other_document = ours and theirs and ours != theirs
    if other_document or (contact_id and contact.id not in {None, contact_id}):
        raise Unanswered(f"{what}: the answer is about another contact; it may have happened")
    return contact
