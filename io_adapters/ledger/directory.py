"""What else the service has told: its own address, institutions, webhooks."""

import base64
import datetime as dt
import hashlib
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    Row,
    String,
    Table,
    Text,
    delete,
    insert,
    select,
    update,
)

from io_adapters.ledger.acts import record_act
from io_adapters.ledger.engine import Database
from io_adapters.ledger.tables import Utc, accepted_keys, meta, metadata
from schemas.acts import Act, ActKind
from schemas.errors import ConfigurationError
from schemas.messages import Message
from schemas.wire import Institution

_Serial: Final = BigInteger().with_variant(Integer(), "sqlite")

# One row per taxpayer. Name, e-mail and accounts are as the service last told them; the service cannot be asked.
contacts = Table(
    "contacts",
    metadata,
    Column("tax_id", String(32), primary_key=True),
    Column("contact_id", Text),
    Column("name", Text),
    Column("email", Text),
    Column("accounts", Text, nullable=False),
    Column("favorite_account_id", Text),
    Column("tax_id_manager", Text),
    Column("has_bank_account", Boolean),
    Column("state", String(16), nullable=False),
    Column("told_at", Utc),
    Index("ix_contacts_contact_id", "contact_id"),
)

institutions = Table(
    "institutions",
    metadata,
    Column("ispb", String(32), primary_key=True),
    Column("code", Text),
    Column("name", Text),
    Column("is_active", Boolean),
    Column("is_compe_participant", Boolean),
    Column("str_start_date", Text),
    Column("created_at", Text),
    Column("seen_at", Utc, nullable=False),
)

# When the whole list was last read; a list is only ever replaced as a whole.
institution_reads = Table(
    "institution_reads",
    metadata,
    Column("only_row", Integer, primary_key=True, autoincrement=False),
    Column("read_at", Utc, nullable=False),
)


# The unguessable part of a URL is kept as a hash: whoever reads the ledger cannot write a delivery.
webhooks = Table(
    "webhooks",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("webhook_id", Text),
    Column("base_url", Text, nullable=False),
    Column("token_sha256", String(64), nullable=False),
    Column("active", Boolean),
    Column("asked_at", Utc, nullable=False),
    Column("registered_at", Utc),
    Column("retired_at", Utc),
    Index("uq_webhooks_token_sha256", "token_sha256", unique=True),
)
_ONLY_ROW = 1


@dataclass(frozen=True, slots=True)
class Binding:
    """What the ledger is bound to."""

    tag: str
    url: str | None
    key_fingerprint: str | None


def normal_address(url: str) -> str:
    """Write an address so that spellings of one compare equal: case, default port, slashes, names of this machine.

    >>> normal_address("HTTPS://Pay.Example:443//external/") == normal_address("https://pay.example/external")
    True
    >>> normal_address("http://localhost:8090/x") == normal_address("http://127.0.0.1:8090/x")
    True
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    host = "127.0.0.1" if host in {"localhost", "::1"} else host
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
    path = "/".join(filter(None, parts.path.split("/")))
    return f"{parts.scheme}://{host}:{port}/{path}"


class ServiceBinding:
    def __init__(self, database: Database) -> None:
        self._db = database

    def ensure_tag(self) -> str:
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
        if normal_address(bound.service_url) != normal_address(url):
            raise ConfigurationError(Message("error.other_service", own=bound.service_url, url=url))
        if bound.key_fingerprint != key_fingerprint:
            raise ConfigurationError(Message("error.other_key"))

    def accept_key(self, key_fingerprint: str, by: str) -> None:
        with self._db.writing() as connection:
            connection.execute(update(meta).values(key_fingerprint=key_fingerprint))
            now = self._db.now()
            accepted = {"key_fingerprint": key_fingerprint, "accepted_by": by, "accepted_at": now}
            connection.execute(insert(accepted_keys).values(**accepted))
            record_act(connection, self._db.seal, Act(ActKind.ACCEPT_KEY, by, key_fingerprint, "", now))


_ISPB_DIGITS = 8
_FIELDS = {
    "code": "compe_number",
    "name": "name",
    "is_active": "is_active",
    "is_compe_participant": "is_compe_participant",
    "str_start_date": "str_start_date",
    "created_at": "created_at",
}


class Institutions:
    def __init__(self, database: Database) -> None:
        self._db = database

    def all(self) -> Mapping[str, Institution]:
        """Return the institutions by ISPB (8 digits); empty where no list was ever read."""
        with self._db.reading() as connection:
            rows = connection.execute(select(institutions).order_by(institutions.c.ispb)).all()
        return {
            row.ispb: Institution(
                ispb_number=row.ispb, **{wire: getattr(row, column) for column, wire in _FIELDS.items()}
            )
            for row in rows
        }

    def read_at(self) -> dt.datetime | None:
        """Return when the list was read (UTC); None where it never was."""
        with self._db.reading() as connection:
            return connection.scalar(select(institution_reads.c.read_at))

    def replace(self, listed: Iterable[Institution], at: dt.datetime) -> None:
        """Keep a list that was read to its end, in place of the former."""
        by_ispb: dict[str, Institution] = {}
        for institution in listed:
            ispb = _ispb_of(institution)
            if ispb and (ispb not in by_ispb or not by_ispb[ispb].is_active):
                by_ispb[ispb] = institution
        rows = [
            {"ispb": ispb, "seen_at": at} | {column: getattr(institution, wire) for column, wire in _FIELDS.items()}
            for ispb, institution in by_ispb.items()
        ]
        with self._db.writing() as connection:
            connection.execute(delete(institutions))
            if rows:
                connection.execute(insert(institutions), rows)
            connection.execute(delete(institution_reads))
            connection.execute(insert(institution_reads).values(only_row=_ONLY_ROW, read_at=at))


def _ispb_of(institution: Institution) -> str:
    """Return the ISPB with the zeros a sender may have lost: it has eight digits by definition."""
    text = (institution.ispb_number or "").strip()
    return text.zfill(_ISPB_DIGITS) if text.isdecimal() else text


@dataclass(frozen=True, slots=True)
class KeptWebhook:
    """One URL that was given, or was about to be given, to the service."""

    id: int
    webhook_id: str | None
    base_url: str
    active: bool | None
    asked_at: dt.datetime
    registered_at: dt.datetime | None
    retired_at: dt.datetime | None


class Webhooks:
    def __init__(self, database: Database) -> None:
        self._db = database

    def begin(self, base_url: str, token: str) -> int:
        """Write down that a URL is about to be registered, so that its deliveries are taken even if no answer comes."""
        row = insert(webhooks).values(base_url=base_url, token_sha256=_hash(token), asked_at=self._db.now())
        with self._db.writing() as connection:
            return int(connection.execute(row.returning(webhooks.c.id)).scalar_one())

    def registered(self, number: int, webhook_id: str | None, *, active: bool | None) -> None:
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
        query = select(webhooks.c.id).where(webhooks.c.token_sha256 == _hash(token), webhooks.c.retired_at.is_(None))
        with self._db.reading() as connection:
            return connection.scalar(query) is not None

    def all(self) -> list[KeptWebhook]:
        with self._db.reading() as connection:
            rows = connection.execute(select(webhooks).order_by(webhooks.c.id)).all()
        return [_kept_of(row) for row in rows]


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _kept_of(row: Row[Any]) -> KeptWebhook:
    return KeptWebhook(
        row.id, row.webhook_id, row.base_url, row.active, row.asked_at, row.registered_at, row.retired_at
    )
