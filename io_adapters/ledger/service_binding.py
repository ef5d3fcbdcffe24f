"""One ledger belongs to one service URL, and knows the API key it speaks with."""

import base64
import secrets
from dataclasses import dataclass

from sqlalchemy import insert, select, update

from io_adapters.ledger.engine import Database
from io_adapters.ledger.tables import accepted_keys, meta
from schemas.errors import ConfigurationError

_ONLY_ROW = 1


@dataclass(frozen=True, slots=True)
class Binding:
    """What the ledger is bound to.

    Attributes:
        tag: Six characters that mark this ledger's reports in the service.
        url: Base URL of the service; None until first use.
        key_fingerprint: Fingerprint of the API key; None until first use.
    """

    tag: str
    url: str | None
    key_fingerprint: str | None


class ServiceBinding:
    """Keeps play money and real money, and two accounts, apart."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def ensure_tag(self) -> str:
        """Return the ledger's tag, which is drawn at random when the ledger is new."""
        with self._db.reading() as connection:
            tag = connection.scalar(select(meta.c.tag))
        if tag is not None:
            return str(tag)
        with self._db.writing() as connection:
            tag = connection.scalar(select(meta.c.tag))
            if tag is None:
                tag = base64.b32encode(secrets.token_bytes(5)).decode().lower()[:6]
                connection.execute(insert(meta).values(only_row=_ONLY_ROW, tag=tag, created_at=self._db.now()))
        return str(tag)

    def current(self) -> Binding:
        """Return what the ledger is bound to."""
        with self._db.reading() as connection:
            row = connection.execute(select(meta.c.tag, meta.c.service_url, meta.c.key_fingerprint)).one()
        return Binding(*row)

    def bind_or_check(self, url: str, key_fingerprint: str) -> None:
        """Bind the ledger on first use; afterwards refuse any other service, and any key nobody accepted.

        Raises:
            ConfigurationError: the ledger belongs to another service, or the key is new.
        """
        with self._db.writing() as connection:
            bound = connection.execute(select(meta.c.service_url, meta.c.key_fingerprint)).one()
            if bound.service_url is None:
                connection.execute(update(meta).values(service_url=url, key_fingerprint=key_fingerprint))
                return
        if bound.service_url != url:
            raise ConfigurationError(
                f"this ledger belongs to {bound.service_url}, not to {url}: "
                "use another REPASSE_HOME or REPASSE_LEDGER_URL for another service"
            )
        if bound.key_fingerprint != key_fingerprint:
            raise ConfigurationError(
                "the API key is not the one this ledger was used with; if it was renewed for the same account, "
                "accept it with: repasse doctor --accept-key --by NAME"
            )

    def accept_key(self, key_fingerprint: str, by: str) -> None:
        """Take a renewed API key for the bound one, on a person's word, which is kept for good."""
        with self._db.writing() as connection:
            connection.execute(update(meta).values(key_fingerprint=key_fingerprint))
            connection.execute(
                insert(accepted_keys).values(
                    key_fingerprint=key_fingerprint, accepted_by=by, accepted_at=self._db.now()
                )
            )
