"""The address book as Repasse remembers it: contacts of the service and the attempts at creating them."""

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from schemas.wire import ContactAccount


class ContactState(StrEnum):
    """How far a contact is known.

    Attributes:
        CREATING: its creation was begun, and no answer is known; it may exist or not.
        GONE: it was deleted from here.
    """

    CREATING = "creating"
    KNOWN = "known"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class KnownContact:
    """One contact as the service last told it.

    Attributes:
        contact_id: The service's id; None where it told none.
        tax_id_manager: Document of whoever registered it.
        asked_at: When its creation was begun (UTC), while no answer to that is known.
        told_at: When the service last told it (UTC).
    """

    tax_id: str
    contact_id: str | None
    name: str | None
    email: str | None
    accounts: tuple[ContactAccount, ...]
    favorite_account_id: str | None
    state: ContactState
    asked_at: dt.datetime | None
    told_at: dt.datetime | None
    tax_id_manager: str | None = None
    has_bank_account: bool | None = None
