"""Who is to be told of events."""

import threading
import uuid
from dataclasses import dataclass

import sqlalchemy as sa

from io_adapters.sandbox.database import Database
from io_adapters.sandbox.webhook_tables import webhooks


@dataclass(frozen=True, slots=True)
class StoredWebhook:
    """One registration. `created_at` is seconds since 1970 (UTC)."""

    id: str
    webhook_url: str
    active: bool
    created_at: float


class WebhookRegister:
    """Reads and writes registrations; may be used from several threads."""

    def __init__(self, database: Database) -> None:
        """Take over what the database holds."""
        self._database = database
        self._adding = threading.Lock()
        with database.reading() as connection:
            rows = connection.execute(sa.select(*webhooks.columns[1:]).order_by(webhooks.c.number))
            self._registered = tuple(StoredWebhook(*row) for row in rows)

    def add(self, at: float, url: str) -> StoredWebhook:
        """Register a URL; one that is registered already is registered once more."""
        new = StoredWebhook(str(uuid.uuid4()), url, active=True, created_at=at)
        row = {"id": new.id, "webhook_url": url, "active": True, "created_at": at}
        with self._adding:
            with self._database.writing() as connection:
                connection.execute(sa.insert(webhooks), row)
            self._registered = (*self._registered, new)
        return new

    def active(self) -> tuple[StoredWebhook, ...]:
        """Return the registrations that are told."""
        return tuple(one for one in self._registered if one.active)
