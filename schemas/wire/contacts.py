"""The address book (`snake_case`) and webhooks: /contacts, /contacts/accounts_favorite, /webhooks."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field

from schemas.wire.fields import Flag, Request, Response, Text


class ContactCreate(Request):
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


LONGEST_URL: Final = 2083


class WebhookCreate(Request):
    webhook_url: Annotated[str, Field(min_length=1, max_length=LONGEST_URL)]


class Webhook(Response):
    id: Text = None
    webhook_url: Text = None
    active: Flag = None
    created_at: Text = None
