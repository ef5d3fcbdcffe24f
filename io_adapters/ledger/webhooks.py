"""The webhook URLs given to the service. The unguessable part of each is kept as a hash only."""

import datetime as dt
import hashlib
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, insert, select, update

from io_adapters.ledger.directory_tables import webhooks
from io_adapters.ledger.engine import Database


@dataclass(frozen=True, slots=True)
class KeptWebhook:
    """One URL that was given, or was about to be given, to the service.

    Attributes:
        id: The ledger's number of it.
        webhook_id: The service's id; None where it told none, or never answered.
        base_url: The URL without its unguessable last part.
        active: What the service said; None where it did not.
        asked_at: When it was about to be registered (UTC).
        registered_at: When the service answered (UTC); None when no answer is known.
        retired_at: Since when deliveries to it are no longer taken (UTC).
    """

    id: int
    webhook_id: str | None
    base_url: str
    active: bool | None
    asked_at: dt.datetime
    registered_at: dt.datetime | None
    retired_at: dt.datetime | None


class Webhooks:
    """The record of webhooks."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def begin(self, base_url: str, token: str) -> int:
        """Write down that a URL is about to be registered, so that its deliveries are taken even if no answer comes.

        Args:
            base_url: The URL without its unguessable part.
            token: The unguessable part; only its hash is kept.

        Returns:
            The ledger's number of it.
        """
        row = insert(webhooks).values(base_url=base_url, token_sha256=_hash(token), asked_at=self._db.now())
        with self._db.writing() as connection:
            return int(connection.execute(row.returning(webhooks.c.id)).scalar_one())

    def registered(self, number: int, webhook_id: str | None, *, active: bool | None) -> None:
        """Keep the service's answer to a registration."""
        values = {"webhook_id": webhook_id, "active": active, "registered_at": self._db.now()}
        with self._db.writing() as connection:
            connection.execute(update(webhooks).where(webhooks.c.id == number).values(**values))

    def retire(self, number: int) -> None:
        """Take no more deliveries to a URL; the service cannot be told to stop."""
        with self._db.writing() as connection:
            connection.execute(
                update(webhooks)
                .where(webhooks.c.id == number, webhooks.c.retired_at.is_(None))
                .values(retired_at=self._db.now())
            )

    def knows(self, token: str) -> bool:
        """Say whether deliveries with this unguessable part are to be taken."""
        query = select(webhooks.c.id).where(webhooks.c.token_sha256 == _hash(token), webhooks.c.retired_at.is_(None))
        with self._db.reading() as connection:
            return connection.scalar(query) is not None

    def token_hashes(self) -> frozenset[str]:
        """Return the SHA-256 (hexadecimal) of every unguessable part in use, for a receiver that asks no database."""
        query = select(webhooks.c.token_sha256).where(webhooks.c.retired_at.is_(None))
        with self._db.reading() as connection:
            return frozenset(connection.scalars(query))

    def all(self) -> list[KeptWebhook]:
        """Return all of them, oldest first."""
        with self._db.reading() as connection:
            rows = connection.execute(select(webhooks).order_by(webhooks.c.id)).all()
        return [_kept_of(row) for row in rows]


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _kept_of(row: Row[Any]) -> KeptWebhook:
    return KeptWebhook(
        row.id, row.webhook_id, row.base_url, row.active, row.asked_at, row.registered_at, row.retired_at
    )
