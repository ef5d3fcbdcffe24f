"""Creating a contact in one call, for tests whose subject is what comes after."""

from io_adapters.payout_api.commands import ContactsApi, contact_body
from schemas.wire import Contact


def create_contact(contacts: ContactsApi, name: str, tax_id: str, email: str) -> Contact:
    """Create a contact; raises what the answer says went wrong."""
    answer = contacts.create(
        contact_body(name, tax_id, email), tax_id=tax_id, deadline_s=5.0, before_connect=lambda: None
    )
    if answer.failure is not None:
        raise answer.failure
    assert answer.contact is not None
    return answer.contact
