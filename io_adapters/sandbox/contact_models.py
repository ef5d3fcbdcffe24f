"""The address book's JSON as the interface describes it (this part is snake_case)."""

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from io_adapters.sandbox.models import Body, closed_schema

NonEmpty = Annotated[str, Field(min_length=1)]
_GIVEN: Final = {"type": "string", "minLength": 1}
_EITHER: Final = {
    "anyOf": [
        {"required": ["contact_id"], "properties": {"contact_id": _GIVEN}},
        {"required": ["tax_id"], "properties": {"tax_id": _GIVEN}},
    ]
}


def _names_a_contact(schema: dict[str, Any]) -> None:
    closed_schema(schema)
    schema |= _EITHER


class ContactCreation(Body):
    """Body of POST /contacts."""

    name: NonEmpty
    tax_id: NonEmpty
    email: NonEmpty


class ContactName(Body):
    """Body of DELETE /contacts: at least one of both."""

    model_config = ConfigDict(json_schema_extra=_names_a_contact)

    contact_id: str | None = None
    tax_id: str | None = None


class EmailUpdate(ContactName):
    """Body of PUT /contacts."""

    email: NonEmpty


class AccountName(Body):
    """Body of DELETE /contacts/accounts."""

    account_id: NonEmpty


class ContactAccount(BaseModel):
    """A contact's bank account or Pix key."""

    id: str | None
    bank_name: str | None
    bank_code: str | None
    bank_ispb: str | None
    agency: str | None
    account_number: str | None
    account_type: str | None
    pix_key: str | None
    pix_key_type: str | None
    tax_id: str | None
    tax_id_manager: str | None
    contact_id: str | None
    is_favorite: bool = False


class Contact(BaseModel):
    """A contact with its accounts."""

    id: str | None
    tax_id: str
    tax_id_manager: str | None
    name: str
    email: str
    has_bank_account: bool | None = False
    accounts: list[ContactAccount] | None
