"""The address book: /contacts, /contacts/accounts and /contacts/accounts_favorite (this part is `snake_case`)."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator

from schemas.wire.fields import Flag, Request, Response, Text


class ContactCreate(Request):
    """Body of POST /contacts."""

    name: str
    tax_id: str
    email: str


class ContactEmailUpdate(Request):
    """Body of PUT /contacts; `contact_id` or `tax_id` names the contact."""

    email: str
    contact_id: str | None = None
    tax_id: str | None = None


class ContactDelete(Request):
    """Body of DELETE /contacts; one of the two names the contact."""

    contact_id: str | None = None
    tax_id: str | None = None


class AccountDelete(Request):
    """Body of DELETE /contacts/accounts."""

    account_id: str


class ContactAccount(Response):
    """A bank account or Pix key of a contact; every field may be absent."""

    id: Text = None
    bank_name: Text = None
    bank_code: Text = None
    bank_ispb: Text = None
    agency: Text = None
    account_number: Text = None
    account_type: Text = None
    pix_key: Text = None
    pix_key_type: Text = None
    tax_id: Text = None
    tax_id_manager: Text = None
    contact_id: Text = None
    is_favorite: Flag = None


def _accounts(value: Any) -> Any:  # noqa: ANN401
    """Read a list of objects; anything else is not one."""
    fits = isinstance(value, Sequence) and all(isinstance(element, dict | ContactAccount) for element in value)
    return tuple(value) if fits and not isinstance(value, str) else None


class Contact(Response):
    """What the service says of a contact. `tax_id`, `name`, `email` are promised; readers do without them."""

    id: Text = None
    tax_id: Text = None
    tax_id_manager: Text = None
    name: Text = None
    email: Text = None
    has_bank_account: Flag = None
    accounts: Annotated[tuple[ContactAccount, ...] | None, BeforeValidator(_accounts)] = None
