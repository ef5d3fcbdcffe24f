"""The service's address book, told by the sandbox's control plane and never by our own ledger."""

from typing import Any

import httpx

from tests.flows.oracle import Oracle

CREATE = "POST /contacts"
LOOK_UP = "PUT /contacts"
DELETE = "DELETE /contacts"
DELETE_ACCOUNT = "DELETE /contacts/accounts"
FAVORITE = "POST /contacts/accounts_favorite"
INSTITUTIONS = "GET /pix/financial_institutions"


class AddressBook:
    """What the service's contacts are, and every change there ever was."""

    def __init__(self, service: Oracle) -> None:
        self._service = service
        self._control = service._control

    @property
    def contacts(self) -> list[dict[str, Any]]:
        """All contacts, oldest first."""
        return list(self._control.get("/contacts").raise_for_status().json())

    @property
    def changes(self) -> list[str]:
        """What was done, oldest first: created, `email_changed`, `account_favored`, ..."""
        audit = self._control.get("/audit").raise_for_status().json()
        return [contact["change"] for contact in audit["contacts"]]

    @property
    def calls(self) -> int:
        """How often the address book was called, whatever came of it."""
        return sum(self._service.calls(name) for name in (CREATE, LOOK_UP, DELETE, DELETE_ACCOUNT, FAVORITE))

    def add(self, name: str, tax_id: str, email: str) -> dict[str, Any]:
        """Create a contact as somebody else does."""
        headers = {"Authorization": self._service.api_key}
        body = {"name": name, "tax_id": tax_id, "email": email}
        contact: dict[str, Any] = httpx.post(f"{self._service.url}/contacts", headers=headers, json=body).json()
        return contact

    def give_account(self, contact_id: str, **account: str) -> dict[str, Any]:
        """Give a contact an account, which no endpoint of the interface does; returns the account."""
        told = self._control.post(f"/contacts/{contact_id}/accounts", json=account).raise_for_status().json()
        return dict(told["accounts"][-1])
